import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('a response has its final address, status, lower-case headers, bytes, media type and character set', async () => {
  const web = await site({ '/a': { headers: { 'content-type': 'Text/HTML; Charset="Windows-1251"', 'X-One': '1' }, body: 'text' } });
  const answer = await door([web]).request(`${web.url}/a#part`);
  expect(answer).toMatchObject({
    url: `${web.url}/a`,
    status: 200,
    content_type: 'text/html',
    charset: 'windows-1251',
    headers: { 'x-one': '1' },
  });
  expect(text(answer)).toBe('text');
});

test('a request has the given method, headers, parameters and body, and the configured user agent', async () => {
  const web = await site({ '/a': 'ok' });
  const params = { q: 'leak & drip', list: [1, 2], object: { a: 1 }, none: undefined };
  await door([web], { network: { user_agent: 'AquaBot/1.0' } }).request(`${web.url}/a?fixed=1`, {
    method: 'POST',
    headers: { 'X-Team': 'desk' },
    params,
    body: '{"x":1}',
  });
  const [hit] = web.hits;
  expect(hit).toMatchObject({ method: 'POST', body: '{"x":1}', headers: { 'x-team': 'desk', 'user-agent': 'AquaBot/1.0' } });
  expect([...new URL(hit!.url, web.url).searchParams]).toEqual([
    ['fixed', '1'],
    ['q', 'leak & drip'],
    ['list', '1'],
    ['list', '2'],
    ['object', '{"a":1}'],
  ]);
});

test('a request uses the user name and password of its address', async () => {
  const web = await site({ '/a': 'ok' });
  await door([web]).request(`${web.url.replace('//', '//ann:s%C3%A9cret@')}/a`);
  expect(web.hits[0]!.headers.authorization).toBe(`Basic ${Buffer.from('ann:sécret').toString('base64')}`);
});

test('a password with a literal percent sign is sent unchanged', async () => {
  const web = await site({ '/a': 'ok' });
  await door([web]).request(`${web.url.replace('//', '//%C3%A4nn:100%zz@')}/a`);
  expect(web.hits[0]!.headers.authorization).toBe(`Basic ${Buffer.from('änn:100%zz').toString('base64')}`);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
])('an answer that is packed as %s is unpacked', async (name, pack) => {
  const web = await site({ '/a': { headers: { 'content-encoding': name }, body: pack('the filter lasts') } });
  expect(text(await door([web]).request(`${web.url}/a`))).toBe('the filter lasts');
});

test('a body with several encodings is decoded several times, and unknown encoding names are ignored', async () => {
  const twice = gzipSync(brotliCompressSync('the filter lasts'));
  const web = await site({
    '/twice': { headers: { 'content-encoding': 'br, gzip' }, body: twice },
    '/once': { headers: { 'content-encoding': 'identity, GZIP' }, body: gzipSync('the filter lasts') },
    '/set': { headers: { 'content-encoding': 'UTF-8' }, body: 'the filter lasts' },
  });
  for (const path of ['/twice', '/once', '/set']) expect(text(await door([web]).request(web.url + path))).toBe('the filter lasts');
});

test('a body with an unsupported encoding, too many encodings or broken compression is an error', async () => {
  const web = await site({
    '/a': { headers: { 'content-encoding': 'gzip, zstd' }, body: 'x' },
    '/b': { headers: { 'content-encoding': 'gzip' }, body: 'x' },
    '/c': { headers: { 'content-encoding': 'gzip,'.repeat(1_000) }, body: 'x' },
  });
  expect((await failure(door([web]).request(`${web.url}/a`))).message).toContain('"gzip, zstd", which kb cannot read');
  expect((await failure(door([web]).request(`${web.url}/c`))).message).toContain('"gzip, gzip, gzip, gzip, gzip", which kb cannot read');
  expect((await failure(door([web]).request(`${web.url}/b`))).message).toContain('cannot be decompressed');
});

test('a non-2xx status is an error that names address and status, but neither credentials nor the body', async () => {
  const web = await site({ '/a': { status: 404, body: '<h1>BODYWORD</h1>' } });
  const error = await failure(door([web]).request(`${web.url.replace('//', '//ann:s3cret@')}/a?q=1&api_key=k3y`));
  expect(error).toMatchObject({ code: 'not_found', isRetryable: false, attempts: 1 });
  expect(error.message).toContain(`${web.url}/a?q=1`);
  expect(error.message).toContain('404');
  expect(`${error.message}${error.hint}`).not.toMatch(/s3cret|k3y|BODYWORD/);
});

test('"not modified" is a response if it is accepted, and an error otherwise', async () => {
  const unchanged = { status: 304, headers: { etag: '"v1"', 'content-encoding': 'gzip' } };
  const web = await site({ '/a': unchanged, '/old': { status: 301, headers: { location: '/a' } } });
  const http = door([web]);
  const answer = await http.request(`${web.url}/old`, { headers: { 'if-none-match': '"v1"' }, accepts: [304] });
  expect(answer).toMatchObject({ url: `${web.url}/a`, status: 304, headers: { etag: '"v1"' } });
  expect(answer.bytes).toHaveLength(0);
  expect(web.hits.map(({ headers }) => headers['if-none-match'])).toEqual(['"v1"', '"v1"']);
  const error = await failure(http.request(`${web.url}/a`, { headers: { 'if-none-match': '"v1"' } }));
  expect(error).toMatchObject({ code: 'invalid', isRetryable: false, attempts: 1, message: `${web.url}/a answered with status 304.` });
  await expect(failure(http.request(`${web.url}/gone`, { accepts: [304] }))).resolves.toMatchObject({ code: 'not_found' });
});

test('conditional headers are sent to their own origin only', async () => {
  const other = await site({ '/a': 'new' });
  const web = await site({ '/a': { status: 302, headers: { location: `${other.url}/a` } } });
  const answer = await door([web, other]).request(`${web.url}/a`, { headers: { 'if-none-match': '"v1"' }, accepts: [304] });
  expect([answer.status, text(answer)]).toEqual([200, 'new']);
  expect(other.hits[0]!.headers).not.toHaveProperty('if-none-match');
});

test('an error repeats what a JSON response says about it, without secrets that were sent', async () => {
  const body = JSON.stringify({ detail: 'missing param x, and s3cretkey is unknown' });
  const web = await site({
    '/json': { status: 400, headers: { 'content-type': 'application/problem+json' }, body },
    '/packed': { status: 404, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: gzipSync(body) },
    '/page': { status: 400, body },
    '/broken': { status: 400, headers: { 'content-type': 'application/json' }, body: body.slice(1) },
    '/long': { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ detail: 'x '.repeat(100_000) }) },
  });
  const said = async (path: string) => (await failure(door([web]).request(web.url + path, { headers: { 'X-Key': 's3cretkey' } }))).message;
  expect(await said('/json')).toBe(`${web.url}/json answered with status 400: "missing param x, and … is unknown".`);
  expect(await said('/packed')).toContain('status 404: "missing param x');
  for (const path of ['/page', '/broken', '/long']) expect(await said(path)).toBe(`${web.url}${path} answered with status 400.`);
});
