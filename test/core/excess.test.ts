import { expect, it } from 'vitest';
import { assertWithinSizeLimits } from '../../src/core/parse-request.ts';

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
  expect(() => assertWithinSizeLimits(value)).not.toThrow();
});

it('a value that is nested without end is refused, and so is one that holds itself', () => {
  const itself: Record<string, unknown> = {};
  itself.itself = itself;
  for (const markdown of [deepList(50_000), itself])
    expect(() => assertWithinSizeLimits({ markdown })).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(/^markdown.*64/) }),
    );
});

it('an object of too many keys is refused by its path', () => {
  expect(() => assertWithinSizeLimits({ markdown: [{ text: 'x', metadata: wide(10_001) }] })).toThrow(
    'markdown[0].metadata: at most 10000 keys are expected, not 10001.',
  );
  expect(() => assertWithinSizeLimits(wide(10_001))).toThrow(/^the request: /);
});
