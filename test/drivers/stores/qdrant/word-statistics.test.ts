import { describe, expect, it } from 'vitest';
import {
  countAt,
  EMPTY_COUNTS,
  toWordCounts,
  mergeCounts,
  packCounts,
  unpackCounts,
} from '../../../../src/drivers/stores/qdrant/word-statistics.ts';
import { random } from '../../../../bench/manual.ts';

const next = random(5);
const some = (size: number) =>
  new Map(Array.from({ length: size }, () => [Math.floor(next() * 2 ** 32), Math.floor(next() * 2 ** 20) - 2 ** 19] as const));

describe('counts of words', () => {
  it('are read as they were written, for any indices', () => {
    for (const map of [new Map(), new Map([[0, 1]]), new Map([[2 ** 32 - 1, -1]]), some(1), some(2000)]) {
      const counts = toWordCounts(map);
      expect(unpackCounts(packCounts(counts))).toEqual(counts);
      for (const [place, count] of map) expect(countAt(counts, place)).toBe(count);
      expect(countAt(counts, 77)).toBe(map.get(77) ?? 0);
    }
  });

  it('are added up without sums of 0', () => {
    const [one, other] = [some(500), some(700)];
    for (const place of [...one.keys()].slice(0, 100)) other.set(place, -one.get(place)!);
    const sum = new Map(one);
    for (const [place, count] of other) sum.set(place, (sum.get(place) ?? 0) + count);
    expect(mergeCounts(toWordCounts(one), toWordCounts(other))).toEqual(toWordCounts(sum));
    expect(mergeCounts(EMPTY_COUNTS, EMPTY_COUNTS)).toEqual(EMPTY_COUNTS);
  });
});
