import { expect, test } from 'vitest';
import { fileTypes } from '../src/file-types.ts';

const types = fileTypes();

const type = (content_type: string, path = '/page', body = '') =>
  types.fileTypeOf({ content_type, url: `http://x${path}`, bytes: Buffer.from(body) });

test.each([
  ['text/html', '/x.pdf', '', 'html'],
  ['application/xhtml+xml', '/x', '', 'html'],
  ['application/pdf', '/x', '', 'pdf'],
  ['text/plain', '/notes.md?raw=1', '', 'markdown'],
  ['text/plain', '/notes', '', 'text'],
  ['text/x-rst', '/notes', '', 'rst'],
  ['text/x-tex', '/notes', '', 'text'],
  ['', '/notes', ' <!DOCTYPE HTML><p>', 'html'],
  ['', '/notes', 'words', 'text'],
  ['application/octet-stream', '/a.csv', '', 'csv'],
  ['application/octet-stream', '/a.bin', '', undefined],
  ['application/octet-stream', '/download', '%PDF-1.7', 'pdf'],
  ['text/plain', '/a.txt', '%PDF-1.7', 'pdf'],
  ['image/png', '/a.md', '', undefined],
  ['application/zip', '/a', '', undefined],
])('reads "%s" at %s that begins with "%s" as %s', (...[media_type, path, body, expected]) => {
  expect(type(media_type, path, body)).toBe(expected);
});

test.each([
  ['application/octet-stream', 'http://x/download?id=5', true],
  ['application/octet-stream', 'http://x/film.bin', false],
  ['image/png', 'http://x/picture', false],
])('needs the bytes to recognize "%s" at %s: %s', (content_type, url, expected) => {
  expect(types.needsBytesForType({ content_type, url })).toBe(expected);
});

test('replaces a built-in type by a parser with the first extension of that type', () => {
  const parse = async () => ({ text: '', metadata: {} });
  const own = fileTypes([
    { file_type: 'wiki', extensions: ['.html', '.wiki'], media_types: ['text/x-wiki'], parse },
    { file_type: 'drawing', extensions: ['.drw'], signature: /^DRAW/, parse },
  ]);
  const typeOf = (content_type: string, path: string, body = '') =>
    own.fileTypeOf({ content_type, url: `http://x${path}`, bytes: Buffer.from(body) });
  expect(own.page).toMatchObject({ file_type: 'wiki', media_types: ['text/html', 'application/xhtml+xml'] });
  expect([own.fileType('a.wiki'), own.fileType('a.htm'), own.fileType('a.html')]).toEqual(['wiki', 'html', 'wiki']);
  expect([typeOf('text/html', '/x'), typeOf('text/x-wiki', '/x'), typeOf('', '/x', '<html>')]).toEqual(['wiki', 'wiki', 'wiki']);
  expect([typeOf('application/octet-stream', '/x', 'DRAW 1'), typeOf('text/plain', '/x.txt', 'DRAW 1')]).toEqual(['drawing', 'drawing']);
  expect(own.extensions).toEqual([...types.extensions, '.wiki', '.drw']);
});
