import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSortableNumber } from '../../../../src/drivers/stores/lancedb/field-entries.ts';
import { escapeRegex, numberRangePattern, textRangePattern } from '../../../../src/drivers/stores/lancedb/lancedb-filter.ts';

/** LanceDB's regular expressions are Rust's: only the spelling of a letter by its number differs here. */
const compile = (pattern: string): RegExp => new RegExp(`^(?:${pattern.replaceAll('\\x{', '\\u{')})$`, 'u');
const numbers = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 1, -1, Infinity, -Infinity, Number.MAX_VALUE, Number.MIN_VALUE),
);
/** Letters from both sides of the surrogates, few, so that texts share beginnings. */
const texts = fc.string({
  unit: fc.constantFrom('a', 'b', '0', ' ', '\u0004', '\ud7ff', '\ue000', 'é', '日', '\u{10ffff}', '\u{1f600}'),
  maxLength: 5,
});
const bounded = <Value>(values: fc.Arbitrary<Value>) => fc.option(fc.record({ value: values, included: fc.boolean() }), { nil: undefined });

const compared = (a: readonly number[], b: readonly number[]): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
};
const letters = (text: string) => Array.from(text, (letter) => letter.codePointAt(0)!);

describe('numberRangePattern', () => {
  it('sorts numbers in the order of their digits', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [x, y] = [toSortableNumber(a), toSortableNumber(b)];
        expect(x).toMatch(/^[0-9a-f]{16}$/);
        expect([x < y, x === y]).toEqual([a < b, a === b]);
      }),
    );
  });

  it('matches exactly the numbers within the bounds', () => {
    fc.assert(
      fc.property(numbers, bounded(numbers), bounded(numbers), (number, lower, upper) => {
        const above = !lower || number > lower.value || (lower.included && number === lower.value);
        const below = !upper || number < upper.value || (upper.included && number === upper.value);
        expect(compile(numberRangePattern({ lower, upper })).test(toSortableNumber(number))).toBe(above && below);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('textRangePattern', () => {
  it('matches exactly the texts within the bounds, in code point order', () => {
    fc.assert(
      fc.property(texts, bounded(texts), bounded(texts), (text, lower, upper) => {
        const order = (bound: string) => compared(letters(text), letters(bound));
        const above = !lower || order(lower.value) > 0 || (lower.included && order(lower.value) === 0);
        const below = !upper || order(upper.value) < 0 || (upper.included && order(upper.value) === 0);
        expect(compile(textRangePattern({ lower, upper })).test(text)).toBe(above && below);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('escapeRegex', () => {
  it('makes a pattern that matches only the text itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const pattern = new RegExp(`^${escapeRegex(text).replace(/\\([#&~-])/g, '$1')}$`, 'u');
        expect(pattern.test(text)).toBe(true);
        expect(pattern.test(other)).toBe(other === text);
      }),
    );
  });
});
