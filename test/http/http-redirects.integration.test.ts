import { afterEach, expect, test } from 'vitest';
import { type SiteRoute } from '../support/site.ts';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

const to = (location: string, status = 302): SiteRoute => ({ status, headers: { location } });

test('redirects are followed; the response has the final address', async () => {
  const web = await site({ '/a': to('/b', 301), '/b': to('c?x=1#part', 308), '/c': 'there' });
  const answer = await door([web]).request(`${web.url}/a`);
  expect([answer.url, text(answer)]).toEqual([`${web.url}/c?x=1`, 'there']);
});

test('a redirect loop is an error that says so', async () => {
  const web = await site({ '/a': to('/b'), '/b': to('/a') });
  const error = await failure(door([web], { network: { max_redirects: 4 } }).request(`${web.url}/a`));
  expect(error.message).toContain('redirects more than 4 times');
  expect(error.isRetryable).toBe(false);
  expect(web.hits).toHaveLength(5);
});

test('a redirect to another origin carries no header, credential or body', async () => {
  const other = await site({ '/b': 'there', '/c': 'there' });
  const web = await site({ '/a': to(`${other.url}/b`), '/post': to(`${other.url}/c`, 307) });
  const http = door([web, other]);
  await http.request(`${web.url.replace('//', '//ann:pass@')}/a`, {
    headers: { 'X-Api-Key': 'k', Authorization: 'Bearer t', Cookie: 'c=1', 'User-Agent': 'mine' },
  });
  expect(web.hits[0]!.headers).toMatchObject({ 'x-api-key': 'k', authorization: 'Bearer t', cookie: 'c=1', 'user-agent': 'mine' });
  expect(other.hits[0]!.headers).toMatchObject({ 'user-agent': 'kb' });
  expect(Object.keys(other.hits[0]!.headers)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/x-api-key|authorization|cookie/)]),
  );
  expect(await failure(http.request(`${web.url}/post`, { method: 'POST', body: 'secret' }))).toMatchObject({ code: 'forbidden' });
  expect(other.hits.map(({ url }) => url)).toEqual(['/b']);
});

test('a redirect within the origin keeps the headers; 303 and a POST become GET, 307 stays as it is', async () => {
  const web = await site({ '/302': to('/end'), '/303': to('/end', 303), '/307': to('/end', 307), '/end': 'there' });
  for (const status of [302, 303, 307])
    await door([web]).request(`${web.url}/${status}`, { method: 'POST', body: 'b', headers: { 'x-team': 'desk' } });
  const ends = web.hits.filter(({ url }) => url === '/end');
  expect(ends.map(({ method, body }) => [method, body])).toEqual([
    ['GET', ''],
    ['GET', ''],
    ['POST', 'b'],
  ]);
  for (const { headers } of ends) expect(headers['x-team']).toBe('desk');
});

test('a redirect to another scheme or to an unnamed private origin is rejected before anything is sent there', async () => {
  const inner = await site({ '/secret': 'vault' });
  const web = await site({
    '/file': to('file:///etc/hostname'),
    '/inner': to(`${inner.url}/secret`),
    '/name': to(`${inner.url.replace('127.0.0.1', 'localhost')}/secret`),
  });
  for (const path of ['/file', '/inner', '/name'])
    expect(await failure(door([web]).request(web.url + path))).toMatchObject({ code: 'forbidden', isRetryable: false, attempts: 1 });
  expect(inner.hits).toEqual([]);
});

test('a response says whether its address has moved permanently, as the first redirect decides', async () => {
  const web = await site({
    '/moved': to('/for-now', 301),
    '/kept': to('/here', 308),
    '/for-now': to('/kept'),
    '/see': to('/here', 303),
    '/here': 'here',
  });
  const isMoved = async (path: string) => (await door([web]).request(web.url + path)).isMoved;
  const paths = ['/moved', '/kept', '/for-now', '/see', '/here'];
  expect(await Promise.all(paths.map(isMoved))).toEqual([true, true, false, false, false]);
});
