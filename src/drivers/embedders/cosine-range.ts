import { dot } from '../../text/comparison.ts';

/** Texts on subjects that have nothing to do with each other. */
export const UNRELATED_TEXTS: readonly string[] = [
  'The bakery sells rye bread until noon.',
  'A glacier carved this valley long ago.',
  'Her sister plays the cello in an orchestra.',
  'Reset the router if the connection drops.',
];

/** Greatest mean cosine of unrelated texts that counts as measured: a model above it tells no subjects apart. */
const MAX_UNRELATED = 0.95;

/** The range of a model's cosines, from its vectors of `UNRELATED_TEXTS`: their mean cosine up to 1; 0 to 1 for vectors that are all alike. */
export function measureCosineRange(vectors: readonly Float32Array[]): readonly [unrelated: number, alike: number] {
  const cosines = vectors.flatMap((vector, i) => vectors.slice(0, i).map((other) => dot(vector, other)));
  const unrelated = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  return unrelated > 0 && unrelated < MAX_UNRELATED ? [unrelated, 1] : [0, 1];
}
