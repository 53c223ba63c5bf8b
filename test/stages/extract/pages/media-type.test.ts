import { expect, test } from 'vitest';
import { fileTypeOf, inUtf8, isToldByBytes } from '../../../../src/stages/extract/pages/media-type.ts';
import { plainReader } from '../plain-reader.ts';

const kind = (content_type: string, path = '/page', body = '') =>
  fileTypeOf({ content_type, url: `http://x${path}`, bytes: Buffer.from(body) }, plainReader());

test.each([
  ['text/html', '/x.pdf', '', 'html'],
  ['application/xhtml+xml', '/x', '', 'html'],
  ['application/pdf', '/x', '', 'pdf'],
  ['text/plain', '/notes.md?raw=1', '', 'markdown'],
  ['text/plain', '/notes', '', 'text'],
  ['text/x-rst', '/notes', '', 'text'],
  ['', '/notes', ' <!DOCTYPE HTML><p>', 'html'],
  ['', '/notes', 'words', 'text'],
  ['application/octet-stream', '/a.csv', '', 'csv'],
  ['application/octet-stream', '/a.bin', '', undefined],
  ['application/octet-stream', '/download', '%PDF-1.7', 'pdf'],
  ['text/plain', '/a.txt', '%PDF-1.7', 'pdf'],
  ['image/png', '/a.md', '', undefined],
  ['application/zip', '/a', '', undefined],
])('«%s» at %s beginning with «%s» is read as %s', (...[type, path, body, expected]) => {
  expect(kind(type, path, body)).toBe(expected);
});

test.each([
  ['application/octet-stream', 'http://x/download?id=5', true],
  ['application/octet-stream', 'http://x/film.bin', false],
  ['image/png', 'http://x/picture', false],
])('«%s» at %s is told by its bytes: %s', (content_type, url, expected) => {
  expect(isToldByBytes({ content_type, url })).toBe(expected);
});

const decoded = (bytes: Uint8Array, charset: string | undefined, content_type = 'text/html') =>
  new TextDecoder().decode(inUtf8({ bytes, charset, content_type }));

test('a text in another character set comes out in UTF-8, as its header says', () => {
  expect(decoded(Buffer.from([0xd4, 0xe8, 0xeb]), 'windows-1251')).toBe('Фил');
});

test('a byte order mark wins over the header, and an unknown set changes nothing', () => {
  expect(decoded(Buffer.from('\ufeffФил'), 'windows-1251')).toBe('Фил');
  expect(decoded(Buffer.from('Фил'), 'klingon')).toBe('Фил');
});

test('what is no text is left alone', () => {
  const bytes = Buffer.from([0x25, 0xe8, 0xff]);
  expect(inUtf8({ bytes, charset: 'iso-8859-1', content_type: 'application/pdf' })).toBe(bytes);
});
