import { afterEach, expect, test } from 'vitest';
import { apis, json } from './apis.ts';

const { site, extract, close } = apis();
afterEach(close);

const secret = 'sk-9f8e7d6c5b4a-secret';
const config = (url: string) => ({
  url: `${url}?api_key=${secret}&q=1`,
  method: 'POST',
  headers: { Authorization: `Bearer ${secret}`, 'X-Team': secret },
  params: { access_token: secret, lang: 'en' },
  body: { password: secret, query: 'leak' },
});

test('sends secrets to the API, and keeps them out of documents and errors', async () => {
  const web = await site({ '/ok': json({ n: 1 }), '/bad': { status: 500, headers: { 'retry-after': '0' } } });
  const found = await extract([web], [config(`${web.url}/ok`), config(`${web.url}/bad`)]);
  expect(web.hits[0]!.url).toContain(`api_key=${secret}&q=1&access_token=${secret}`);
  expect([found.documents.length, found.errors.length]).toEqual([1, 1]);
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(found.documents[0]!.source).toMatch(/\/ok\?q=1&lang=en#body=[0-9a-f]{8}$/);
  expect(found.errors[0]!.retry_input).toMatchObject({
    url: `${web.url}/bad?q=1`,
    method: 'POST',
    headers: { Authorization: '', 'X-Team': '' },
    params: { access_token: '', lang: 'en' },
    body: { password: '', query: 'leak' },
  });
});

test('another key for the same API gives the same document', async () => {
  const web = await site({ '/ok': json({ n: 1 }) });
  const [one, two] = await Promise.all(['a', 'b'].map((api_key) => extract([web], { url: `${web.url}/ok`, params: { api_key, q: 1 } })));
  expect(one!.documents[0]!.id).toBe(two!.documents[0]!.id);
});

test.each([
  ['headers.Authorization', { headers: { Authorization: 'Bearer ${NONE_SUCH}' } }],
  ['params.api_key', { params: { api_key: '${NONE_SUCH}' } }],
  ['body.auth.token', { method: 'POST', body: { auth: { token: '${NONE_SUCH}' } } }],
])('names a reference to an unset variable instead of sending it: %s', async (path, given) => {
  const web = await site({ '/ok': json({ n: 1 }) });
  const found = await extract([web], { url: `${web.url}/ok`, ...given });
  expect(found.errors).toEqual([
    expect.objectContaining({
      stage: 'validate',
      error: expect.stringContaining(`${path} refers to the variable NONE_SUCH, which is not set`),
    }),
  ]);
  expect(web.hits).toEqual([]);
});

test('sends a reference inside a longer body text unchanged', async () => {
  const web = await site({ '/ok': json({ n: 1 }) });
  await extract([web], { url: `${web.url}/ok`, method: 'POST', body: { script: 'return `${PATH} of it`' } });
  expect(JSON.parse(web.hits[0]!.body)).toEqual({ script: 'return `${PATH} of it`' });
});

test.each([
  ['{"password":"s3cret","q":1}', '{"password":"","q":1}'],
  ['user=ann&password=s3cret', ''],
  ['<login><password>s3cret</password></login>', ''],
  ['query { tickets }', 'query { tickets }'],
])('keeps secrets of a text body out of the retry input: %s', async (body, kept) => {
  const web = await site({ '/bad': { status: 500, headers: { 'retry-after': '0' } } });
  const found = await extract([web], { url: `${web.url}/bad`, method: 'POST', body });
  expect(found.errors[0]!.retry_input).toMatchObject({ body: kept });
});

test('sends no secret along with a redirect to another origin', async () => {
  const other = await site({ '/there': json([{ id: 1 }]) });
  const web = await site({ '/here': { status: 307, headers: { location: `${other.url}/there` } } });
  const headers = { Authorization: `Bearer ${secret}`, Cookie: `sid=${secret}`, 'X-Api-Key': secret };
  const found = await extract([web, other], { url: `${web.url}/here`, headers, params: { token: secret } });
  expect(found.errors).toEqual([]);
  expect(JSON.stringify([other.hits, found])).not.toContain(secret);
});
