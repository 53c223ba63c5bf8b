import { expect, test } from 'vitest';
import { cosineOf } from '../../../src/stages/retrieve/fuse.ts';
import { likenessOf } from '../../../src/stages/retrieve/similarity.ts';
import { measureCosineRange } from '../../../src/drivers/embedders/cosine-range.ts';

const at = (degrees: number): Float32Array => Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
/** The vector as a model gives it whose cosines lie between .6 and 1. */
const squeezed = (vector: Float32Array): Float32Array => Float32Array.of(Math.sqrt(0.6), ...vector.map((value) => value * Math.sqrt(0.4)));

test('gives the same likeness of two texts, wherever the cosines of a model lie', () => {
  const unrelated = [at(0), at(85), at(60)];
  const [query, text] = [at(10), at(35)];
  const likeness = likenessOf(cosineOf(query, text), measureCosineRange(unrelated));
  const other = likenessOf(cosineOf(squeezed(query), squeezed(text)), measureCosineRange(unrelated.map(squeezed)));
  expect(likeness).toBeGreaterThan(0.5);
  expect(likeness).toBeLessThan(0.9);
  expect(other).toBeCloseTo(likeness, 5);
});

test('takes the whole range if the vectors of unrelated texts are all alike, or point away from each other', () => {
  expect(measureCosineRange([at(1), at(1), at(2)])).toEqual([0, 1]);
  expect(measureCosineRange([at(0), at(180)])).toEqual([0, 1]);
});
