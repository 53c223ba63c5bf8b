import { mergeIdentical, takeDistinct } from './identical.ts';
import { advice, call, setting, operatorAdvice } from '../../core/advice/advice.ts';
import { isAbort, KbError } from '../../core/errors.ts';
import type { Embedder } from '../../ports/models.ts';
import type { Collection, CollectionInfo, Hit, SearchRequest, StoredChunk } from '../../ports/stores.ts';
import type { Config } from '../../schema/config.ts';
import type { Filter } from '../../schema/stored/filter.ts';
import { type Arm, type ArmName, cosineOf } from './fuse.ts';
import { splitQuestion } from '../../languages/question.ts';
import { type Run, settle } from '../../core/run.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import type { ErrorItem, RetrievedItem } from '../../schema/items.ts';

/** Result of a search. */
export interface SearchOutcome {
  /** The searches that were run: at least one. */
  arms: { text?: Arm; vector?: Arm };
  /** Share of the query that the embedder can read, 0 to 1. */
  coverage: number;
  /** The cosine of a chunk to the query, if known. */
  cosine?: ((chunk: StoredChunk) => number | undefined) | undefined;
  /** The cosine ranges of the embedder. */
  ranges: Pick<Embedder, 'cosine_range' | 'cosine_range_across_languages'>;
}

interface SearchSettings {
  mode: Config['retrieval']['mode'];
  top_k: number;
  filter: Filter | undefined;
}

interface SearchParts {
  collection: Collection;
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** Number of hits of each arm to fuse. */
const FUSION_DEPTH = 100;

/** Weight of vectors if the embedder names none. */
const DEFAULT_VECTOR_WEIGHT = 0.5;

/**
 * Searches by words and by vectors, concurrently or in one request. The weight of vectors grows with the share of the query that the embedder can
 * read; they are skipped if it reads nothing or the collection has none. In mode text they only give the cosines of the hits. Throws a KbError
 * (`usage`) in mode vector without vectors.
 */
export async function searchArms(query: string, { mode, top_k, filter }: SearchSettings, parts: SearchParts): Promise<SearchOutcome> {
  const { collection, embedder } = parts;
  const ranges: SearchOutcome['ranges'] = embedder ?? {};
  const limit = Math.max(FUSION_DEPTH, top_k);
  const coverage = embedder && collection.info.dimensions > 0 ? (embedder.coverage?.(query) ?? 1) : 0;
  const share = mode === 'vector' ? 1 : mode === 'text' ? 0 : coverage * (embedder?.vector_weight ?? DEFAULT_VECTOR_WEIGHT);
  const before = collection.info;
  const embedded = share > 0 ? embedQuery(query, parts) : coverage > 0 ? embedQuery(query, parts).catch(ignoreEmbedFailure) : undefined;
  embedded?.catch(() => {}); // thrown where it is awaited, unless the search fails first
  const wanted = { text: mode === 'vector' ? undefined : query, isNearest: share > 0, filter, limit };
  const found = await (collection.searchAll ? searchTogether : searchApart)(collection, wanted, embedded);
  const [vector, after] = [await embedded, collection.info];
  if (share > 0) assertSameModel(before, after);
  const cosine = vector && isSameModel(before, after) ? cosineTo(vector, found.text ?? []) : undefined;
  const { cosine_range = [0] } = ranges;
  const arms: SearchOutcome['arms'] = {
    ...(found.text && { text: { hits: sortHits(found.text), limit, weight: 1 - share } }),
    ...(found.vector && { vector: { hits: sortHits(found.vector), limit, weight: share, floor: cosine_range[0], score: cosine! } }),
  };
  return { arms, coverage, cosine, ranges };
}

interface Searches {
  /** Text of the word search, if there is one. */
  text: string | undefined;
  /** Whether there is a vector search. */
  isNearest: boolean;
  filter: Filter | undefined;
  limit: number;
}

type PendingVector = Promise<Float32Array | undefined> | undefined;
type HitsByArm = Partial<Record<ArmName, readonly Hit[]>>;

/** Runs both searches separately, so that the word search does not wait for the vector. */
async function searchApart(
  collection: Collection,
  { text, isNearest, ...narrowing }: Searches,
  embedded: PendingVector,
): Promise<HitsByArm> {
  const nearest = async () => collection.search({ vector: (await embedded)!, ...narrowing });
  const [words, meaning] = await Promise.all([
    text === undefined ? undefined : collection.search({ text, ...narrowing }),
    isNearest ? nearest() : undefined,
  ]);
  return { ...(words && { text: words }), ...(meaning && { vector: meaning }) };
}

/** Runs both searches in one request. */
async function searchTogether(
  collection: Collection,
  { text, isNearest, ...narrowing }: Searches,
  embedded: PendingVector,
): Promise<HitsByArm> {
  const vector = await embedded;
  const near = vector ? { vector } : {};
  const requests: Partial<Record<ArmName, SearchRequest>> = {
    ...(text === undefined ? {} : { text: { text, ...near, ...narrowing } }),
    ...(isNearest ? { vector: { ...near, ...narrowing } } : {}),
  };
  const found = await collection.searchAll!(Object.values(requests));
  return Object.fromEntries(Object.keys(requests).map((name, i) => [name, found[i]!]));
}

/** Returns a function that gives the cosine of a chunk to the vector: as the search reported it, or from the chunk's own vector. */
function cosineTo(vector: Float32Array, hits: readonly Hit[]): (chunk: StoredChunk) => number | undefined {
  const known = new Map(hits.map(({ chunk, cosine }) => [chunk.id, cosine]));
  return (chunk) => known.get(chunk.id) ?? (chunk.vector && cosineOf(vector, chunk.vector));
}

/** Ignores a failed embedding, except a stop: the word search needs no vector. */
function ignoreEmbedFailure(error: unknown): undefined {
  if (isAbort(error)) throw error;
}

const isSameModel = (before: CollectionInfo, after: CollectionInfo): boolean =>
  before.provider === after.provider && before.model === after.model;

/** Throws if another process has re-embedded the collection meanwhile: vectors of different models cannot be compared. */
function assertSameModel(before: CollectionInfo, after: CollectionInfo): void {
  if (isSameModel(before, after)) return;
  throw new KbError(
    'conflict',
    `The collection "${after.name}" was embedded anew with ${after.provider} / ${after.model} while it was searched.`,
    {
      hint: 'Ask again, with that model.',
      isRetryable: true,
    },
  );
}

/** Sorts hits, best first, ties by id, regardless of the store's order. */
const sortHits = (hits: readonly Hit[]): Hit[] => hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1));

async function embedQuery(query: string, { collection, embedder, signal }: SearchParts): Promise<Float32Array> {
  const { name, dimensions } = collection.info;
  if (!embedder || dimensions === 0) {
    throw new KbError('usage', `The collection "${name}" holds no vectors, so it can't be searched in mode vector.`, {
      hint: [
        advice`Search it with ${setting('retrieval.mode', 'text')}.`,
        operatorAdvice`To give it vectors, set embedding.provider and embed it with "${call('reembed_collection', { name })}".`,
      ],
    });
  }
  const [vector] = await embedder.embed([query], { input_type: 'query', signal });
  return vector!;
}

interface AskedQuestion {
  /** The question as it was asked, at the end of the search query or in other words. Default: the search query. */
  question?: string;
  isReranked?: boolean | undefined;
}

/**
 * Lists the searches for a query: the query and, if the question joins several, each of them, since a search for the mixture finds neither well.
 * With a reranker, only the query: a reranker handles mixtures well, and costs a request for each search.
 */
export function searchesFor(search_query: string, { question = search_query, isReranked = false }: AskedQuestion = {}): string[] {
  if (isReranked) return [search_query];
  const parts = splitQuestion({ query: search_query, question: search_query.endsWith(question) ? question : search_query });
  return parts.length > 1 ? [search_query, ...parts.map(({ query }) => query)] : [search_query];
}

/** Merges results, best first: takes the best of each search in turn, each chunk once with its best score, up to the length of the longest result. */
function mergeItems(found: readonly (readonly RetrievedItem[])[]): RetrievedItem[] {
  const longest = Math.max(...found.map((items) => items.length));
  const best = new Map<string, RetrievedItem>();
  for (let rank = 0; rank < longest; rank++) {
    for (const item of found.flatMap((items) => items.slice(rank, rank + 1))) {
      const other = best.get(item.id);
      if (other ? compareItems(item, other) < 0 : best.size < longest) best.set(item.id, item);
    }
  }
  return [...best.values()].toSorted(compareItems);
}

/** Compares items as a search orders them. */
function compareItems(one: RetrievedItem, other: RetrievedItem): number {
  const [a, b] = [one.rerank_score, other.rerank_score];
  return a === undefined || b === undefined ? other.score - one.score : b - a;
}

const distinctErrors = (errors: readonly ErrorItem[]): ErrorItem[] => [
  ...new Map(errors.map((item) => [`${item.stage} ${item.error}`, item])).values(),
];

/**
 * Searches for each query and merges the results; the first query is the whole question. Yields the events of the first search. Equal failures are
 * listed once.
 */
export async function* searchEach(queries: readonly string[], retrieve: (query: string) => Run<RetrieveResult>): Run<RetrieveResult> {
  const [query, ...others] = queries as [string, ...string[]];
  if (others.length === 0) return yield* retrieve(query);
  const further = Promise.all(others.map((other) => settle(retrieve(other))));
  further.catch(() => {}); // thrown where it is waited for
  const whole = yield* retrieve(query);
  const results = [whole, ...(await further)];
  const items = mergeIdentical(mergeItems(results.map((result) => result.items)));
  const errors = distinctErrors(results.flatMap((result) => result.errors));
  return { ...whole, items, retrieved: items.length, errors, failed: errors.length };
}

/**
 * A question counts as independent if its best score is at least this share of the best score with the subject of earlier questions, which benefits
 * from more words. In conversations about real documentation, questions on another subject reach it, follow-ups do not.
 */
const MIN_SHARE_ALONE = 0.6;

/** Whether a question finds good enough results without the subject of earlier questions. */
export function fitsAlone(alone: RetrieveResult, carried: RetrieveResult, least: number): boolean {
  const best = ({ items }: RetrieveResult) => Math.max(0, ...items.map(({ score }) => score));
  return best(alone) >= least && best(alone) >= MIN_SHARE_ALONE * best(carried);
}

/** The result of one of several collections. */
interface CollectionHits {
  collection: string;
  result: RetrieveResult;
}

/**
 * Fuses the results of several collections for one query, up to `limit` items, each with its collection. By ranks: the first of each before
 * the second of any, so that a large collection does not push out a small one; equal ranks by score. Reranked items are ordered by their
 * rerank scores, which are comparable.
 */
export function fuseCollections(found: readonly CollectionHits[], limit: number): RetrieveResult {
  const ranked = found.flatMap(({ collection, result }) => result.items.map((item, rank) => ({ item: { ...item, collection }, rank })));
  const isReranked = ranked.length > 0 && ranked.every(({ item }) => item.rerank_score !== undefined);
  const ordered = ranked.toSorted(
    (a, b) =>
      (isReranked ? b.item.rerank_score! - a.item.rerank_score! : a.rank - b.rank) ||
      b.item.score - a.item.score ||
      (a.item.id < b.item.id ? -1 : 1),
  );
  const items = takeDistinct(mergeIdentical(ordered.map(({ item }) => item)), limit);
  const results = found.map(({ result }) => result);
  const errors = distinctErrors(results.flatMap((result) => result.errors));
  const notice = results.every((result) => result.notice !== undefined) ? results[0]!.notice : undefined;
  const { query, search_query } = results.find((result) => result.items.length > 0) ?? results[0]!;
  return {
    query,
    search_query,
    retrieved: items.length,
    items,
    failed: errors.length,
    errors,
    ...(notice === undefined ? {} : { notice }),
  };
}
