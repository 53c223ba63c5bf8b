import { afterEach, expect, test } from 'vitest';
import { doorkeeper, failure } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

const given = (origin: string) => [
  { origin, headers: { 'X-Team': 'docs' }, cookies: { session: 'c00kie', lang: 'en' }, basic_auth: 'ann:s3cret' },
];
const sent = {
  'x-team': 'docs',
  cookie: 'session=c00kie; lang=en',
  authorization: `Basic ${Buffer.from('ann:s3cret').toString('base64')}`,
};

test('headers of an origin are sent to it with every request, and to no other', async () => {
  const other = await site({ '/b': 'there' });
  const web = await site({ '/a': { status: 302, headers: { location: `${other.url}/b` } }, '/c': 'here' });
  const http = door([web, other], { network: { sites: given(web.url) } });
  await http.request(`${web.url}/a`);
  await http.request(`${web.url}/c`);
  for (const hit of web.hits) expect(hit.headers).toMatchObject(sent);
  for (const name of Object.keys(sent)) expect(other.hits[0]!.headers).not.toHaveProperty(name);
});

test('headers of an origin are sent when a redirect leads there', async () => {
  const web = await site({ '/b': 'there' });
  const other = await site({ '/a': { status: 302, headers: { location: `${web.url}/b` } } });
  await door([web, other], { network: { sites: given(web.url) } }).request(`${other.url}/a`);
  expect(other.hits[0]!.headers).not.toHaveProperty('authorization');
  expect(web.hits[0]!.headers).toMatchObject(sent);
});

test('headers of the request override those of its origin', async () => {
  const web = await site({ '/a': 'here' });
  const http = door([web], { network: { sites: given(web.url.toUpperCase()) } });
  await http.request(`${web.url}/a`, { headers: { Authorization: 'Bearer own' } });
  expect(web.hits[0]!.headers).toMatchObject({ ...sent, authorization: 'Bearer own' });
});

test('a network caller cannot use them for requests that change something', async () => {
  const web = await site({ '/a': 'here' });
  const http = door([], { surface: 'server', network: { sites: given(web.url), allow_private: [web.url] } });
  await http.request(`${web.url}/a`);
  await http.request(`${web.url}/a`, { method: 'DELETE' });
  expect(web.hits.map(({ method, headers }) => [method, headers.cookie])).toEqual([
    ['GET', sent.cookie],
    ['DELETE', undefined],
  ]);
});

test('an unset variable is named, and nothing is sent', async () => {
  const web = await site({ '/a': 'here' });
  const http = door([web], { network: { sites: [{ origin: web.url, basic_auth: 'ann:${NONE_SUCH}' }] } });
  expect(await failure(http.request(`${web.url}/a`))).toMatchObject({
    code: 'setup',
    message: `network.sites, ${web.url}.basic_auth refers to the variable NONE_SUCH, which is not set.`,
  });
  expect(web.hits).toEqual([]);
});

test('an error says whether credentials were sent, and whose', async () => {
  const web = await site({ '/a': { status: 401 } });
  const hint = async (address: string, sites: ReturnType<typeof given>, options = {}) =>
    (await failure(door([web], { network: { sites } }).request(address, options))).hint;
  expect(await hint(`${web.url}/a`, [])).toMatch(/no credentials.*network\.sites/);
  expect(await hint(`${web.url}/a`, given(web.url))).toMatch(/what network\.sites says/);
  expect(await hint(`${web.url}/a`, [], { headers: { Authorization: 'Bearer x' } })).toMatch(/given credentials/);
  expect(await hint(`${web.url}/a?api_key=x`, [])).toMatch(/given credentials/);
});

test('a network caller who sends an own header or a body gets no credentials added', async () => {
  const web = await site({ '/a': 'here' });
  const http = door([], { surface: 'server', network: { sites: given(web.url), allow_private: [web.url] } });
  await http.request(`${web.url}/a`, { headers: { 'X-HTTP-Method-Override': 'DELETE' } });
  await http.request(`${web.url}/a`, { body: 'mutation' }).catch(() => {});
  await http.request(`${web.url}/a`, { headers: { Accept: 'text/html', 'If-None-Match': '"a"' } });
  const borrowed = web.hits.filter(({ headers }) => headers.cookie !== undefined);
  expect(borrowed.map(({ headers }) => headers.accept)).toEqual(['text/html']);
});

test('the operator may combine them with any request', async () => {
  const web = await site({ '/a': 'here' });
  await door([web], { network: { sites: given(web.url) } }).request(`${web.url}/a`, {
    method: 'POST',
    body: 'x',
    headers: { 'x-own': '1' },
  });
  expect(web.hits[0]!.headers).toMatchObject(sent);
});

test('an invalid header is named without its value', async () => {
  const web = await site({ '/a': 'here' });
  const http = door([web], { network: { sites: [{ origin: web.url, headers: { 'X-Key': 's3cret\nX-Other: 1' } }] } });
  const error = await failure(http.request(`${web.url}/a`));
  expect(error).toMatchObject({ code: 'setup', message: expect.stringContaining(`network.sites, ${web.url}: the header "x-key"`) });
  expect(JSON.stringify([error.message, error.hint])).not.toContain('s3cret');
  const own = door([web]).request(`${web.url}/a`, { headers: { 'X-Key': 's3cret\n' } });
  expect(await failure(own)).toMatchObject({ code: 'usage', message: expect.stringContaining('"x-key"') });
  expect(web.hits).toEqual([]);
});
