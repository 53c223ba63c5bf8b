import { expect, it } from 'vitest';
import { assertPlainData } from '../../src/core/plain-data.ts';

const nested = (levels: number, inner: unknown = 1): unknown => (levels === 0 ? inner : nested(levels - 1, { a: inner }));
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]));
function deepList(levels: number): unknown {
  let list: unknown = [];
  for (let i = 0; i < levels; i++) list = [list];
  return list;
}

it.each([
  [null],
  ['x'],
  [{ query: 'x', filter: { a: 1 } }],
  [nested(60)],
  [{ metadata: wide(10_000) }],
  [{ chunks: Array.from({ length: 20_000 }, (_, i) => i) }],
  [{ bytes: Buffer.alloc(20_000) }],
])('a value of a usual shape passes (%#)', (value) => {
  expect(() => assertPlainData(value)).not.toThrow();
});

it('a value that is nested without end is refused, and so is one that holds itself', () => {
  const itself: Record<string, unknown> = {};
  itself.itself = itself;
  for (const markdown of [deepList(50_000), itself])
    expect(() => assertPlainData({ markdown })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^markdown.*64/) }),
    );
});

it('an object of too many keys is refused by its path', () => {
  expect(() => assertPlainData({ markdown: [{ text: 'x', metadata: wide(10_001) }] })).toThrow(
    'markdown[0].metadata: at most 10000 keys are expected, not 10001.',
  );
  expect(() => assertPlainData(wide(10_001))).toThrow(/^the request: /);
});

it('a key that schemas drop without a word is refused by its path, at any depth; keys that only look like it pass', () => {
  const hostile = (text: string) => () => assertPlainData(JSON.parse(text));
  expect(hostile('{"source":"two","__proto__":"x"}')).toThrow('__proto__: no key may have this name.');
  expect(hostile('{"filter":{"or":[{"a":1},{"__proto__":{"b":1}}]}}')).toThrow('filter.or[1].__proto__: no key may have this name.');
  expect(hostile('{"metadata":{"constructor":"x","prototype":1,"toString":true,"x__proto__":""}}')).not.toThrow();
});
