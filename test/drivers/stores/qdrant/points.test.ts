import { describe, expect, it } from 'vitest';
import { countTerms, termIndex, queryVector, textVector } from '../../../../src/drivers/stores/qdrant/points.ts';

const vectorOf = (text: string) => textVector(countTerms(text));
const WEIGHTS = { average: 10, idf: (place: number) => (place === termIndex('filter') ? 3 : 1) };

describe('termIndex', () => {
  it('never changes, because stored collections depend on it', () => {
    expect(['pump', 'err-4042', '绿茶', ''].map(termIndex)).toEqual([3_046_253_945, 341_477_667, 2_472_105_614, 2_872_998_923]);
  });

  it('differs for nearly all of 20,000 terms', () => {
    const places = new Set(Array.from({ length: 20_000 }, (_, i) => termIndex(`term${i}`)));
    expect(places.size).toBeGreaterThan(19_990);
    expect([...places].filter((place) => !Number.isInteger(place) || place < 0 || place >= 2 ** 32)).toEqual([]);
  });
});

describe('textVector', () => {
  it('holds each term once, with a weight that saturates with its frequency', () => {
    const weights = [1, 2, 4, 8].map((count) => {
      const { indices, values } = vectorOf('pump '.repeat(count) + 'filler '.repeat(8 - count))!;
      return values[indices.indexOf(termIndex('pump'))]!;
    });
    expect(vectorOf('pump pump')!.indices).toEqual([termIndex('pump')]);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
    expect(weights[1]! - weights[0]!).toBeGreaterThan(weights[3]! - weights[2]!);
    expect(Math.max(...weights)).toBeLessThan(2.2);
  });

  it('shares indices with queries for its words in any form', () => {
    const { indices } = vectorOf('Replacing the FILTERS')!;
    expect(indices).toEqual(expect.arrayContaining(queryVector('replaced filter filters', WEIGHTS)!.indices));
    expect(queryVector('filter filters', WEIGHTS)).toEqual({ indices: [termIndex('filter')], values: [3] });
  });

  it('is undefined for a text without words', () => {
    expect([vectorOf(''), vectorOf(' ?! '), queryVector('', WEIGHTS)]).toEqual([undefined, undefined, undefined]);
  });
});
