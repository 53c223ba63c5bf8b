import { call, toOperator } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import type { CollectionInfo, StoredChunk } from '../../ports/stores.ts';

/** Stores pad, cut or refuse vectors of another length in their own ways: so they are checked here. Throws a KbError (`invalid`) that names the chunk. */
export function assertVectors(chunks: readonly StoredChunk[], { name, dimensions }: CollectionInfo): void {
  for (const { id, vector } of chunks) {
    const length = vector?.length ?? 0;
    if (length !== dimensions) throw lengthError(`The chunk «${id}»`, length, { name, dimensions });
    if (vector && !isFiniteVector(vector)) {
      throw new KbError('invalid', `The vector of the chunk «${id}» holds something that is not a finite number.`, {
        hint: 'Embed it again.',
      });
    }
  }
}

function isFiniteVector(vector: Float32Array): boolean {
  for (let axis = 0; axis < vector.length; axis++) if (!Number.isFinite(vector[axis])) return false;
  return true;
}

/** The same for the vector of a query. */
export function assertQueryVector(vector: Float32Array, { name, dimensions }: CollectionInfo): void {
  if (vector.length !== dimensions) throw lengthError('The query', vector.length, { name, dimensions });
  if (!isFiniteVector(vector))
    throw new KbError('invalid', 'The vector of the query holds something that is not a finite number.', {
      hint: 'Embed the query again.',
    });
}

/** What is said of a vector whose length is not the collection's; `owner` is who has it. */
function lengthError(owner: string, length: number, { name, dimensions }: Pick<CollectionInfo, 'name' | 'dimensions'>): KbError {
  const has = length > 0 ? `has a vector of ${length} numbers` : 'has no vector';
  const holds = dimensions > 0 ? `holds vectors of ${dimensions} numbers` : 'holds no vectors';
  return new KbError('invalid', `${owner} ${has}; the collection «${name}» ${holds}.`, {
    hint: ['Use the embedding model of the collection.', toOperator`To make it anew: «${call('reembed_collection', { name })}».`],
  });
}
