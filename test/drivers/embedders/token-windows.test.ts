import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { weightedMean, splitIntoWindows } from '../../../src/drivers/embedders/token-windows.ts';

describe('splitIntoWindows', () => {
  it('keeps tokens that fit in one window', () => {
    expect(splitIntoWindows(254, 254, () => false)).toEqual([{ start: 0, end: 254 }]);
    expect(splitIntoWindows(0, 254, () => false)).toEqual([{ start: 0, end: 0 }]);
  });

  it('makes windows of even length', () => {
    expect(splitIntoWindows(260, 254, () => false)).toEqual([
      { start: 0, end: 130 },
      { start: 130, end: 260 },
    ]);
  });

  it('moves the end of a window to a near start of a word', () => {
    const inWord = (index: number) => index >= 8 && index <= 11;
    expect(splitIntoWindows(20, 15, inWord)).toEqual([
      { start: 0, end: 7 },
      { start: 7, end: 20 },
    ]);
  });

  it('cuts a word that is longer than a window', () => {
    const found = splitIntoWindows(30, 10, () => true);
    expect(found.map(({ start, end }) => end - start)).toEqual([10, 10, 10]);
  });

  it('puts every token into one window within the limit, for any words', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 3000 }), fc.integer({ min: 1, max: 300 }), (inWord, limit) => {
        const found = splitIntoWindows(inWord.length, limit, (index) => inWord[index]!);
        expect(found[0]!.start).toBe(0);
        expect(found.at(-1)!.end).toBe(inWord.length);
        for (const [i, { start, end }] of found.entries()) {
          expect(end - start).toBeLessThanOrEqual(limit);
          if (inWord.length > 0) expect(end).toBeGreaterThan(start);
          if (i > 0) expect(start).toBe(found[i - 1]!.end);
        }
      }),
    );
  });
});

describe('weightedMean', () => {
  it('has unit length and is nearer to the vector with the greater weight', () => {
    const mean = weightedMean([Float32Array.of(1, 0), Float32Array.of(0, 1)], [3, 1]);
    expect(Math.hypot(...mean)).toBeCloseTo(1, 6);
    expect(mean[0]! / mean[1]!).toBeCloseTo(3, 5);
  });
});
