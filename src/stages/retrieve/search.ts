import { KbError } from '../../base/errors.ts';
import type { Collection, CollectionInfo, Embedder, Hit, SearchRequest } from '../../ports.ts';
import type { Config } from '../../schema/config.ts';
import type { Filter } from '../../schema/requests.ts';
import type { Arm } from './fuse.ts';

/** What the kinds of search found that took place: at least one. */
export interface Arms {
  text?: Arm;
  vector?: Arm;
}

interface Wanted {
  mode: Config['retrieval']['mode'];
  top_k: number;
  filter: Filter | undefined;
}

interface Means {
  collection: Collection;
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** Hits of each arm that are fused: what one arm ranks low, the other may lift. */
const DEPTH = 100;

/**
 * Searches by words and by meaning, side by side. The vector search weighs half of what the embedder reads of the query, and does not take place
 * where it reads nothing of it, or where there are no vectors.
 * @throws KbError `usage` in mode vector where there are no vectors.
 */
export async function searchArms(query: string, { mode, top_k, filter }: Wanted, means: Means): Promise<Arms> {
  const { collection, embedder } = means;
  const limit = Math.max(DEPTH, top_k);
  const byWords = async (weight: number): Promise<Arm> => ({
    hits: await hitsOf(collection, { text: query, filter, limit }),
    limit,
    weight,
  });
  const byMeaning = async (weight: number): Promise<Arm> => {
    const before = collection.info;
    const vector = await vectorOf(query, means);
    const hits = await hitsOf(collection, { vector, filter, limit });
    assertSameModel(before, collection.info);
    return {
      hits,
      limit,
      weight,
      score: (chunk) => chunk.vector && cosine(vector, chunk.vector),
    };
  };
  if (mode === 'vector') return { vector: await byMeaning(1) };
  const weight = mode === 'hybrid' && embedder && collection.info.dimensions > 0 ? embedder.reads(query) / 2 : 0;
  if (weight === 0) return { text: await byWords(1) };
  const [text, vector] = await Promise.all([byWords(1 - weight), byMeaning(weight)]);
  return { text, vector };
}

/** Throws where another process has embedded the collection anew in between: vectors of two models may be as long, and mean nothing to each other. */
function assertSameModel(before: CollectionInfo, after: CollectionInfo): void {
  if (before.provider === after.provider && before.model === after.model) return;
  throw new KbError(
    'conflict',
    `The collection «${after.name}» was embedded anew with ${after.provider} / ${after.model} while it was searched.`,
    {
      hint: 'Ask again, with that model.',
      isRetryable: true,
    },
  );
}

/** Best first; equal scores in the order of ids, whatever the order in which the store has them. */
async function hitsOf(collection: Collection, request: SearchRequest): Promise<Hit[]> {
  const hits = await collection.search(request);
  return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));
}

async function vectorOf(query: string, { collection, embedder, signal }: Means): Promise<Float32Array> {
  const { name, dimensions } = collection.info;
  if (!embedder || dimensions === 0) {
    throw new KbError('usage', `The collection «${name}» holds no vectors, so it can't be searched in mode vector.`, {
      hint: `Search it in mode text, or set embedding.provider and embed it with «kb collections reembed ${name}».`,
    });
  }
  const [vector] = await embedder.embed([query], { input_type: 'query', signal });
  return vector!;
}

/** Vectors of an embedder are of unit length, but a stored one may have come from elsewhere. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [product, lengthA, lengthB] = [0, 0, 0];
  for (let axis = 0; axis < a.length; axis++) {
    product += a[axis]! * b[axis]!;
    lengthA += a[axis]! ** 2;
    lengthB += b[axis]! ** 2;
  }
  return product === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}
