import { afterEach, expect, test } from 'vitest';
import type { ErrorItem } from '../../../../src/schema/items.ts';
import { extractApi } from '../../../../src/stages/extract/api/api.ts';
import { openDoor } from '../fetching.ts';
import { pageReader } from '../pages/crawl/crawling.ts';
import { apis, json, settings } from './apis.ts';

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
    '/login': '<html><title>Sign in</title><form><input type="password"></form></html>',
    '/busy': '<html><title>503 Service Unavailable</title></html>',
  });
  const pagination = { type: 'link', items_path: 'rows' } as const;
  const inputs = [
    `${web.url}/page`,
    `${web.url}/login`,
    `${web.url}/busy`,
    { url: `${web.url}/page`, pagination },
    { url: `${web.url}/busy`, pagination },
  ];
  const results: unknown[] = [];
  for await (const item of extractApi(inputs, { http: openDoor([web]), reader: pageReader(), settings })) {
    if ('error' in item) results.push(item.error);
    if ('candidate' in item) results.push(await item.candidate.document().catch((error: unknown) => error));
  }
  const busy = { isRetryable: true };
  expect(results).toMatchObject([{ title: 'The pump' }, { code: 'unauthorized' }, { code: 'unavailable', ...busy }, busy, busy]);
  expect((results[3] as ErrorItem).error).toContain('answered with a web page ("The pump") in the place of records');
  expect((results[4] as ErrorItem).error).toContain('says "503 Service Unavailable"');
  expect(JSON.stringify(results)).not.toContain('<input');
});
