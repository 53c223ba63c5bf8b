import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncate, truncateToTokens } from '../../src/text/truncate.ts';

test('truncates a text between letters', () => {
  expect([
    truncate('a😀b', 2),
    truncate('a😀b', 3),
    truncate('a😀b', 9),
    truncate('abc', 0),
    truncate('abc', -1),
    truncate('abc', 1.5),
  ]).toEqual(['a', 'a😀', 'a😀b', '', '', 'a']);
});

test('truncates a text to the most whole letters within a number of tokens', () => {
  const estimate = (text: string) => Math.ceil(text.length / 3.5);
  const text = fc.array(fc.constantFrom('汉', '😀', 'a', ' '), { maxLength: 200 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: -3, max: 60 }), (whole, tokens) => {
      const cut = truncateToTokens(whole, tokens, estimate);
      expect(estimate(cut)).toBeLessThanOrEqual(Math.max(0, tokens));
      expect(whole.startsWith(cut) && cut.isWellFormed()).toBe(true);
      if (estimate(whole) <= tokens) expect(cut).toBe(whole);
      else if (tokens > 4) expect(estimate(cut)).toBeGreaterThan(tokens / 2);
    }),
  );
});
