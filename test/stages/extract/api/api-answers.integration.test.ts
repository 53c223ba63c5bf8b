import { afterEach, expect, test } from 'vitest';
import { apis, json, settings } from './apis.ts';
import { plainReader } from '../plain-reader.ts';

const { site, extract, close } = apis();
afterEach(close);

test('an object becomes one document with its values, address, title and description', async () => {
  const web = await site({ '/product': json({ name: 'Aqua 300', pressure_bar: 9 }) });
  const { documents, errors } = await extract([web], { url: `${web.url}/product`, title: 'Product data', description: 'Of the pump' });
  expect(errors).toEqual([]);
  expect(documents).toEqual([
    expect.objectContaining({
      source: `${web.url}/product`,
      title: 'Product data',
      text: '# Aqua 300\n\n- pressure_bar: 9',
      metadata: expect.objectContaining({ source_kind: 'api', file_type: 'json', description: 'Of the pump' }),
    }),
  ]);
});

test('sends method, headers, parameters and body, where those of the entry override the common ones', async () => {
  const web = await site({ '/search': json([]) });
  const api = {
    url: `${web.url}/search?fixed=1`,
    method: 'post',
    headers: { 'X-Team': 'desk' },
    params: { q: 'a & b' },
    body: { ids: [4] },
  };
  await extract([web], api, { settings: { ...settings, headers: { 'X-All': '1', 'X-Team': 'none' }, params: { lang: 'en' } } });
  const [hit] = web.hits;
  expect(hit).toMatchObject({
    method: 'POST',
    body: '{"ids":[4]}',
    headers: { 'x-team': 'desk', 'x-all': '1', 'content-type': 'application/json' },
  });
  expect(Object.fromEntries(new URL(hit!.url, web.url).searchParams)).toEqual({ fixed: '1', lang: 'en', q: 'a & b' });
});

test('reads text, CSV and HTML as documents, and XML as fields', async () => {
  const web = await site({
    '/a.txt': { headers: { 'content-type': 'text/plain' }, body: 'plain words' },
    '/b': { headers: { 'content-type': 'text/csv' }, body: 'a,b' },
    '/c': '<p>page</p>',
    '/d': { headers: { 'content-type': 'application/xml' }, body: '<catalog><part no="P-1">Pump &amp; seal</part></catalog>' },
  });
  const reader = plainReader();
  const { documents } = await extract(
    [web],
    ['/a.txt', '/b', '/c', '/d'].map((path) => web.url + path),
    { reader },
  );
  expect(reader.given.map(({ file_type }) => file_type)).toEqual(['text', 'csv', 'html', 'xml-value']);
  expect(documents[0]!.text).toBe('plain words');
  expect(documents[3]!.text).toBe('- part:\n  - no: P-1\n  - text: Pump & seal');
});

test('reports an unreadable response and broken JSON as errors', async () => {
  const web = await site({
    '/a': { headers: { 'content-type': 'image/png' }, body: 'x' },
    '/b': { headers: { 'content-type': 'application/json' }, body: '<html>' },
  });
  const { errors } = await extract([web], [`${web.url}/a`, `${web.url}/b`]);
  expect(errors).toEqual([
    expect.objectContaining({
      source: `${web.url}/a`,
      source_kind: 'api',
      stage: 'convert',
      error: expect.stringContaining('image/png'),
    }),
    expect.objectContaining({ source: `${web.url}/b`, stage: 'convert', error: expect.stringContaining('JSON') }),
  ]);
});

test('reports a deeply nested response as an error instead of crashing', async () => {
  const web = await site({
    '/a': { headers: { 'content-type': 'application/json' }, body: `${'['.repeat(50_000)}${']'.repeat(50_000)}` },
  });
  expect((await extract([web], `${web.url}/a`)).errors).toEqual([expect.objectContaining({ stage: 'convert', isRetryable: false })]);
});

test('adds front matter on request', async () => {
  const web = await site({ '/a': json({ name: 'Aqua' }) });
  const { documents } = await extract([web], { url: `${web.url}/a`, title: 'Product: data', frontmatter: true });
  expect(documents[0]!.text).toBe(`---\ntitle: "Product: data"\nsource: ${web.url}/a\n---\n\n# Aqua`);
});
