import { afterEach, expect, test } from 'vitest';
import { apis, json } from './apis.ts';

const { site, extract, close } = apis();
afterEach(close);

test('a batch in which one fails keeps the others', async () => {
  const web = await site({ '/a': json({ n: 1 }), '/c': json({ n: 2 }) });
  const { documents, errors } = await extract([web], [`${web.url}/a`, { url: `${web.url}/bad` }, { url: 'ftp://x/' }, `${web.url}/c`]);
  expect(documents.map(({ text }) => text)).toEqual(['- n: 1', '- n: 2']);
  expect(errors.map(({ source, stage, isRetryable }) => [source, stage, isRetryable])).toEqual([
    [`${web.url}/bad`, 'request', false],
    ['ftp://x/', 'validate', false],
  ]);
});

test('what cannot be sent is refused before it is, without repeating the value', async () => {
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
