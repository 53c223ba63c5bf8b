import { expect, test } from 'vitest';
import { read } from '../support/read.ts';

const written = async (html: string): Promise<string> => (await read('html', `<html><body><main><p>${html}</p></main></body></html>`)).text;

test.each([
  ['10<sup>6</sup> rows', '10^6 rows'],
  ['2<sup>32</sup> bytes', '2^32 bytes'],
  ['10<sup>-3</sup> m<sup>2</sup>', '10^-3 m^2'],
  ['2<sup>n</sup> and 2<sup>n+1</sup>', '2^n and 2^(n+1)'],
  ['<i>x</i><sup>2</sup>', '*x*^2'],
  ['<code>10<sup>6</sup></code>', '`10^6`'],
  ['101<sub>2</sub>', '101_2'],
  ['10<sup>6</sup><sub>1</sub>', '10^6_1'],
])('separates a raised or lowered number from the one before it: %s', async (html, text) => {
  expect(await written(html)).toBe(text);
});

test.each([
  ['H<sub>2</sub>O', 'H2O'],
  ['the 1<sup>st</sup> and the 2<sup>e</sup>', 'the 1st and the 2e'],
  ['Acme<sup>TM</sup> and Acme<sup>®</sup>', 'AcmeTM and Acme®'],
  ['a fact<sup>[1]</sup>', 'a fact[1]'],
  ['a fact<sup><a href="#note">1</a></sup>', 'a fact1'],
  ['<sup>1</sup> of April', '1 of April'],
])('keeps raised ordinals, symbols and note marks as they are: %s', async (html, text) => {
  expect(await written(html)).toBe(text);
});

test('begins a list with its start number, even 0', async () => {
  const list = (start: string) => read('html', `<html><body><main><ol start="${start}"><li>a</li><li>b</li></ol></main></body></html>`);
  expect((await list('0')).text).toBe('0. a\n1. b');
  expect((await list('7')).text).toBe('7. a\n8. b');
  for (const start of ['', 'x', '-3']) expect((await list(start)).text).toBe('1. a\n2. b');
});
