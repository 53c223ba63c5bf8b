import { call, operatorAdvice } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import type { CollectionInfo, StoredChunk } from '../../ports/stores.ts';

// Each store treats vectors of the wrong length differently (pads, cuts or refuses them): so they are checked before.

/** Throws a KbError (`invalid`) that names the chunk whose vector does not fit the collection. */
export function assertVectors(chunks: readonly StoredChunk[], info: CollectionInfo): void {
  for (const { id, vector } of chunks) assertVector(vector, info, { owner: `chunk "${id}"`, hint: 'Embed it again.' });
}

/** Throws a KbError (`invalid`) if the vector of a query does not fit the collection. */
export const assertQueryVector = (vector: Float32Array, info: CollectionInfo): void =>
  assertVector(vector, info, { owner: 'query', hint: 'Embed the query again.' });

function assertVector(
  vector: Float32Array | undefined,
  { name, dimensions }: CollectionInfo,
  { owner, hint }: { owner: string; hint: string },
): void {
  const length = vector?.length ?? 0;
  if (length !== dimensions) {
    const has = length > 0 ? `has a vector of ${length} numbers` : 'has no vector';
    const holds = dimensions > 0 ? `holds vectors of ${dimensions} numbers` : 'holds no vectors';
    throw new KbError('invalid', `The ${owner} ${has}; the collection "${name}" ${holds}.`, {
      hint: ['Use the embedding model of the collection.', operatorAdvice`To make it anew: "${call('reembed_collection', { name })}".`],
    });
  }
  if (vector && !vector.every(Number.isFinite))
    throw new KbError('invalid', `The vector of the ${owner} holds something that is not a finite number.`, { hint });
}
