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

test('secrets reach the API, and neither documents nor errors', async () => {
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

test('another key for the same API makes no other document', async () => {
  const web = await site({ '/ok': json({ n: 1 }) });
  const [one, two] = await Promise.all(['a', 'b'].map((api_key) => extract([web], { url: `${web.url}/ok`, params: { api_key, q: 1 } })));
  expect(one!.documents[0]!.id).toBe(two!.documents[0]!.id);
});

test('a header that refers to a variable that is not set is not sent', async () => {
  const web = await site({ '/ok': json({ n: 1 }) });
  const found = await extract([web], { url: `${web.url}/ok`, headers: { Authorization: 'Bearer ${NONE_SUCH}' } });
  expect(found.errors).toEqual([expect.objectContaining({ stage: 'validate', error: expect.stringContaining('NONE_SUCH') })]);
  expect(web.hits).toEqual([]);
});
