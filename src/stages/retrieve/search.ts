import { isAbort, KbError } from '../../core/errors.ts';
import type { Embedder } from '../../ports/models.ts';
import type { Collection, CollectionInfo, Hit, SearchRequest, StoredChunk } from '../../ports/stores.ts';
import type { Config } from '../../schema/config.ts';
import type { Filter } from '../../schema/stored/filter.ts';
import { cosineOf } from './rescore.ts';
import type { Arm } from './fuse.ts';
import { splitQuestion } from '../../languages/question.ts';
import { type Run, settle } from '../../core/run.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import type { RetrievedItem, ErrorItem } from '../../schema/items.ts';

/** What was found. */
export interface SearchOutcome {
  /** The kinds of search that took place: at least one. */
  arms: { text?: Arm; vector?: Arm };
  /** How much of the query the embedder reads, 0 to 1. */
  reads: number;
  /** The cosine of a chunk to the query, in every mode in which it can be told. */
  cosine?: ((chunk: StoredChunk) => number | undefined) | undefined;
  /** Those of the embedder. */
  ranges: Pick<Embedder, 'cosine_range' | 'cosine_range_across_languages'>;
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

/** What the vectors weigh where the embedder does not say it. */
const VECTOR_WEIGHT = 0.5;

/**
 * Searches by words and by meaning, side by side. The vector search weighs the more, the more the embedder reads of the query, and does not take place
 * where it reads nothing of it, or where there are no vectors. Where words alone are searched and there is an embedder all the same, it ranks nothing, but
 * tells how near the hits are.
 * @throws KbError `usage` in mode vector where there are no vectors.
 */
export async function searchArms(query: string, { mode, top_k, filter }: Wanted, means: Means): Promise<SearchOutcome> {
  const { collection, embedder } = means;
  const ranges: SearchOutcome['ranges'] = embedder ?? {};
  const limit = Math.max(DEPTH, top_k);
  const reads = embedder && collection.info.dimensions > 0 ? (embedder.coverage?.(query) ?? 1) : 0;
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
    return { hits, limit, weight, floor: ranges.cosine_range?.[0] ?? 0, score: cosineTo(vector) };
  };
  if (mode === 'vector') {
    const vector = await byMeaning(1);
    return { arms: { vector }, reads, cosine: vector.score, ranges };
  }
  if (mode === 'text' || reads === 0) {
    const [text, cosine] = await Promise.all([byWords(1), reads > 0 ? nearness(query, means) : undefined]);
    return { arms: { text }, reads, cosine, ranges };
  }
  const weight = reads * (embedder?.vector_weight ?? VECTOR_WEIGHT);
  const [text, vector] = await Promise.all([byWords(1 - weight), byMeaning(weight)]);
  return { arms: { text, vector }, reads, cosine: vector.score, ranges };
}

const cosineTo =
  (vector: Float32Array) =>
  (chunk: StoredChunk): number | undefined =>
    chunk.vector && cosineOf(vector, chunk.vector);

/** The cosines to a query that is searched for by its words; undefined where the embedder fails, or is no longer that of the collection: the search needs neither. */
async function nearness(query: string, means: Means): Promise<SearchOutcome['cosine']> {
  const { collection } = means;
  const before = collection.info;
  try {
    const vector = await vectorOf(query, means);
    return isSameModel(before, collection.info) ? cosineTo(vector) : undefined;
  } catch (error) {
    if (isAbort(error)) throw error;
    return undefined;
  }
}

const isSameModel = (before: CollectionInfo, after: CollectionInfo): boolean =>
  before.provider === after.provider && before.model === after.model;

/** Throws where another process has embedded the collection anew in between: vectors of two models may be as long, and mean nothing to each other. */
function assertSameModel(before: CollectionInfo, after: CollectionInfo): void {
  if (isSameModel(before, after)) return;
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

/**
 * Lists the searches for a query: the query itself and, where it asks several questions, each of them, since one search finds what is nearest to
 * their mixture. With a reranker it is the query alone: that judges a mixture well, and costs a request a search.
 */
export function searchesFor(search_query: string, { isReranked = false }: { isReranked?: boolean | undefined } = {}): string[] {
  if (isReranked) return [search_query];
  const parts = splitQuestion({ query: search_query, question: search_query });
  return parts.length > 1 ? [search_query, ...parts.map(({ query }) => query)] : [search_query];
}

/** The best of the searches in turn, a chunk once and with its best scores, no more of them than one search brings; best first. */
function merged(found: readonly (readonly RetrievedItem[])[]): RetrievedItem[] {
  const longest = Math.max(...found.map((items) => items.length));
  const best = new Map<string, RetrievedItem>();
  for (let rank = 0; rank < longest; rank++) {
    for (const item of found.flatMap((items) => items.slice(rank, rank + 1))) {
      const other = best.get(item.id);
      if (other ? inOrder(item, other) < 0 : best.size < longest) best.set(item.id, item);
    }
  }
  return [...best.values()].toSorted(inOrder);
}

/** As chunks are ordered within a search: below 0 where the one stands before the other. */
function inOrder(one: RetrievedItem, other: RetrievedItem): number {
  const [a, b] = [one.rerank_score, other.rerank_score];
  return a === undefined || b === undefined ? other.score - one.score : b - a;
}

const distinct = (errors: readonly ErrorItem[]): ErrorItem[] => [
  ...new Map(errors.map((item) => [`${item.stage} ${item.error}`, item])).values(),
];

/**
 * Searches for each of the queries, the first of which is the whole, and merges what they find. Yields the events of the first search. A failure that
 * several of them meet is told once.
 */
export async function* searchEach(queries: readonly string[], retrieve: (query: string) => Run<RetrieveResult>): Run<RetrieveResult> {
  const [query, ...others] = queries as [string, ...string[]];
  if (others.length === 0) return yield* retrieve(query);
  const further = Promise.all(others.map((other) => settle(retrieve(other))));
  further.catch(() => {}); // thrown where it is waited for
  const whole = yield* retrieve(query);
  const results = [whole, ...(await further)];
  const items = merged(results.map((result) => result.items));
  const errors = distinct(results.flatMap((result) => result.errors));
  return { ...whole, items, retrieved: items.length, errors, failed: errors.length };
}

/**
 * The share of the best score of a question with its subject that the question alone must reach to be asked alone: more words find more, so that less is enough. Of the
 * conversations about real documentation the second questions on another subject reach it, and those that follow the first do not.
 */
const ALONE = 0.6;

/** Whether what a question finds by itself fits it well enough beside what it finds with the subject of those before it. */
export function fitsAlone(alone: RetrieveResult, carried: RetrieveResult, least: number): boolean {
  const best = ({ items }: RetrieveResult) => Math.max(0, ...items.map(({ score }) => score));
  return best(alone) >= least && best(alone) >= ALONE * best(carried);
}
