import { describe, expect, it } from 'vitest';
import { countTerms, termIndex, queryVector, textVector } from '../../../../src/drivers/stores/qdrant/points.ts';

const vectorOf = (text: string) => textVector(countTerms(text));
const WEIGHTS = { average: 10, idf: (place: number) => (place === termIndex('filter') ? 3 : 1) };

describe('the place of a term', () => {
  it('stays what it is: stored collections are searched by it', () => {
    expect(['pump', 'err-4042', '绿茶', ''].map(termIndex)).toEqual([3_046_253_945, 341_477_667, 2_472_105_614, 2_872_998_923]);
  });

  it('is another for every one of 20,000 terms, but for a few', () => {
    const places = new Set(Array.from({ length: 20_000 }, (_, i) => termIndex(`term${i}`)));
    expect(places.size).toBeGreaterThan(19_990);
    expect([...places].filter((place) => !Number.isInteger(place) || place < 0 || place >= 2 ** 32)).toEqual([]);
  });
});

describe('the vector of a text', () => {
  it('holds each term once, and grows ever more slowly with how often it stands there', () => {
    const weights = [1, 2, 4, 8].map((count) => {
      const { indices, values } = vectorOf('pump '.repeat(count) + 'filler '.repeat(8 - count))!;
      return values[indices.indexOf(termIndex('pump'))]!;
    });
    expect(vectorOf('pump pump')!.indices).toEqual([termIndex('pump')]);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
    expect(weights[1]! - weights[0]!).toBeGreaterThan(weights[3]! - weights[2]!);
    expect(Math.max(...weights)).toBeLessThan(2.2);
  });

  it('shares its places with queries for its words, whatever their form', () => {
    const { indices } = vectorOf('Replacing the FILTERS')!;
    expect(indices).toEqual(expect.arrayContaining(queryVector('replaced filter filters', WEIGHTS)!.indices));
    expect(queryVector('filter filters', WEIGHTS)).toEqual({ indices: [termIndex('filter')], values: [3] });
  });

  it('is none where there are no words', () => {
    expect([vectorOf(''), vectorOf(' ?! '), queryVector('', WEIGHTS)]).toEqual([undefined, undefined, undefined]);
  });
});
