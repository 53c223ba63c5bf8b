import { expect, test } from 'vitest';
import { parseAddress, toUtf8 } from '../../src/http/message.ts';

test.each([
  ['127.0.0.1:8601/x', 'Did you mean http://127.0.0.1:8601/x?'],
  ['localhost:8601/x', 'Did you mean http://localhost:8601/x?'],
  ['docs.example.com/guide/', 'Did you mean https://docs.example.com/guide/?'],
  ['docs.example.com?api_key=s3cret', 'Did you mean https://docs.example.com/?'],
  ['ftp://docs.example.com/', 'Give one that begins with http:// or https://.'],
  ['manuals/pump.md', 'Give one that begins with http:// or https://.'],
])('%s is refused with a hint', (address, hint) => {
  expect(() => parseAddress(address)).toThrow(expect.objectContaining({ code: 'usage', hint }));
});

test('an address is at most 8,192 characters long, also with its parameters, and a long one is not repeated', () => {
  const refusal = (length: number) =>
    expect.objectContaining({
      code: 'usage',
      message: `The address http://a.example/… has ${length} characters, of at most 8192.`,
    });
  expect(() => parseAddress(`http://a.example/?${'k&'.repeat(1_000_000)}`)).toThrow(refusal(2_000_018));
  expect(() => parseAddress('http://a.example/', { note: 'x'.repeat(9_000) })).toThrow(refusal(9_023));
  expect(parseAddress('http://a.example/?a=1', { b: [2, null, 3], c: { d: 4 } }).search).toBe('?a=1&b=2&b=3&c=%7B%22d%22%3A4%7D');
});

const decoded = (bytes: Uint8Array, charset: string | undefined, content_type = 'text/html') =>
  new TextDecoder().decode(toUtf8({ bytes, charset, content_type }));

test('a text in another character set is converted to UTF-8, as its header says', () => {
  expect(decoded(Buffer.from([0xd4, 0xe8, 0xeb]), 'windows-1251')).toBe('Фил');
});

test('a byte order mark overrides the header, and an unknown character set changes nothing', () => {
  expect(decoded(Buffer.from('\ufeffФил'), 'windows-1251')).toBe('Фил');
  expect(decoded(Buffer.from('Фил'), 'klingon')).toBe('Фил');
});

test('bytes that are no text stay unchanged', () => {
  const bytes = Buffer.from([0x25, 0xe8, 0xff]);
  expect(toUtf8({ bytes, charset: 'iso-8859-1', content_type: 'application/pdf' })).toBe(bytes);
});

test.each(['iso-8859-1', 'windows-1252', 'windows-1251'])('valid UTF-8 stays as it is although the header says %s', (charset) => {
  expect(decoded(Buffer.from('Kränze — „zwei“'), charset)).toBe('Kränze — „zwei“');
  expect(decoded(Buffer.from('{"a":"Öl"}'), charset, 'application/json')).toBe('{"a":"Öl"}');
});

test('an encoding that a page names for itself wins over the default label of servers if its bytes fit', () => {
  const japanese = Buffer.concat([Buffer.from('<meta charset="shift_jis">'), Buffer.from([0x8d, 0xf5, 0x93, 0xb9])]);
  expect(decoded(japanese, 'iso-8859-1')).toBe('<meta charset="shift_jis">索道');
  const latin = Buffer.from('<meta charset="utf-8">größer', 'latin1');
  expect(decoded(latin, 'iso-8859-1')).toBe('<meta charset="utf-8">größer');
});

test('letters between escapes are decoded although their bytes are ASCII', () => {
  expect(decoded(Buffer.from('\x1b$B:wF;\x1b(B', 'latin1'), 'iso-2022-jp')).toBe('索道');
});
