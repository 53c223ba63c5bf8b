import { expect, test } from 'vitest';
import { inUtf8 } from '../../src/http/message.ts';

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
