import { KbError } from '../../base/errors.ts';
import type { Access } from '../access.ts';

/** The vector, of length 1. Throws a KbError (`invalid`) where it has no direction or is no vector. */
export function unit(values: unknown, { provider, model }: Access): Float32Array {
  const length = Array.isArray(values) ? Math.hypot(...(values as number[])) : 0;
  if (!(length > 0) || !Number.isFinite(length))
    throw new KbError('invalid', `${provider} made a vector of ${model} that has no direction.`);
  return Float32Array.from(values as number[], (value) => value / length);
}

/** How long the vectors are. Throws where they differ from each other or from those before: such vectors can't be compared. */
export function lengthOf(vectors: readonly Float32Array[], { known, access }: { known: number; access: Access }): number {
  const expected = known || vectors[0]!.length;
  const odd = vectors.find(({ length }) => length !== expected);
  if (!odd) return expected;
  throw new KbError(
    'conflict',
    `${access.provider} made a vector of ${odd.length} numbers with ${access.model} where ${expected} were expected.`,
    {
      hint: access.dimensions
        ? 'Not every model knows embedding.options.dimensions: leave it out.'
        : "Vectors of two lengths can't be compared: check which model the server runs.",
    },
  );
}
