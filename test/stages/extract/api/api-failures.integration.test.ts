import { afterEach, expect, test } from 'vitest';
import { apis, json } from './apis.ts';

const { site, extract, close } = apis();
afterEach(close);

test('a failing API does not affect the others of its batch', async () => {
  const web = await site({ '/a': json({ n: 1 }), '/c': json({ n: 2 }) });
  const { documents, errors } = await extract([web], [`${web.url}/a`, { url: `${web.url}/bad` }, { url: 'ftp://x/' }, `${web.url}/c`]);
  expect(documents.map(({ text }) => text)).toEqual(['- n: 1', '- n: 2']);
  expect(errors.map(({ source, stage, isRetryable }) => [source, stage, isRetryable])).toEqual([
    [`${web.url}/bad`, 'request', false],
    ['ftp://x/', 'validate', false],
  ]);
});

test('rejects a request that cannot be sent, without repeating the value', async () => {
  const web = await site({ '/a': json({ n: 1 }) });
  const url = `${web.url}/a`;
  const { errors } = await extract(
    [web],
    [
      { url, headers: { 'x-note': 's3cret\r\nX-Evil: 1' } },
      { url, headers: { 'x\r\nX-Evil': '1' } },
      { url, method: 'GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET' },
      { url, pagination: { type: 'cursor', param: 'after' } },
    ],
  );
  expect(errors.map(({ stage }) => stage)).toEqual(['validate', 'validate', 'validate', 'validate']);
  expect(JSON.stringify(errors)).not.toContain('s3cret');
  expect(web.hits).toEqual([]);
});

test('reports each line that is not JSON, and reads the records of the others', async () => {
  const web = await site({
    '/lines': { headers: { 'content-type': 'application/x-ndjson' }, body: '{"id":"a","title":"A"}\n{"id":\n{"id":"c","title":"C"}\n' },
  });
  const { documents, errors, scopes } = await extract([web], `${web.url}/lines`);
  expect(documents.map(({ source, title }) => [source, title])).toEqual([
    [`${web.url}/lines#record=a`, 'A'],
    [`${web.url}/lines#record=c`, 'C'],
  ]);
  expect(errors).toEqual([
    expect.objectContaining({
      source: `${web.url}/lines#line=2`,
      stage: 'convert',
      error: expect.stringContaining('line 2'),
      isRetryable: false,
    }),
  ]);
  expect(scopes, 'the record of that line is not gone').toEqual([]);
});

test('reads a web page as content, but rejects an error page, and any page if records are expected', async () => {
  const web = await site({
    '/page': '<html><title>The pump</title><p>Close the valve.</p></html>',
    '/login': '<html><title>Sign in</title><form></form></html>',
    '/busy': '<html><title>503 Service Unavailable</title></html>',
  });
  const pagination = { type: 'link', items_path: 'rows' } as const;
  const { documents, errors } = await extract(
    [web],
    [`${web.url}/page`, `${web.url}/login`, `${web.url}/busy`, { url: `${web.url}/page`, pagination }],
  );
  expect(documents).toHaveLength(1);
  expect(errors.map(({ error, isRetryable }) => [error, isRetryable])).toEqual([
    [expect.stringContaining('a web page that says «Sign in»'), false],
    [expect.stringContaining('a web page that says «503 Service Unavailable»'), true],
    [expect.stringContaining('«text/html», which has nothing at items_path «rows»'), false],
  ]);
  expect(JSON.stringify(errors)).not.toContain('<');
});
