import { ifCode } from '../../../core/errors.ts';
import type { Hit, SearchRequest, StoredChunk } from '../../../ports/stores.ts';
import { assertQueryVector } from '../vectors.ts';
import { type CollectionHolder, resolveFilter } from './collection-holder.ts';
import { type CollectionState, STATE_POINT, visiblePoints } from './collection-state.ts';
import { bm25, CHUNK_KEYS, DENSE, queryVector, searchedIndices, TEXT, toChunk, readVector, readWordCounts } from './points.ts';
import type { PointRecord, Query } from './qdrant-connection.ts';
import type { Weights, WordCounts } from './word-statistics.ts';

// Any number of searches takes two requests. The first reads only ids and scores. The second reads the chunks that are not in the cache, and the state. The
// state must not be read with the first: a writer may remove hits before the second, and the outdated state would not show that.

type Id = PointRecord['id'];
/** Scores by the ids of points. */
type Scores = ReadonlyMap<Id, number>;

/** The point of a found chunk, and its terms. */
interface Origin {
  table: string;
  id: Id;
  words: WordCounts | undefined;
}

const origins = new WeakMap<StoredChunk, Origin>();

const cacheKey = ({ table }: Pick<CollectionState, 'table'>, id: Id): string => `${table} ${id}`;

const isTextSearch = ({ text }: SearchRequest): boolean => text !== undefined;

/**
 * Finds the nearest chunks by cosine or the best by BM25, all as of one state. The filter applies before the search. Hits of a text request that also has a
 * vector get their cosines. Chunks have vectors only if those were read before.
 */
export async function searchAll(holder: CollectionHolder, requests: readonly SearchRequest[]): Promise<Hit[][]> {
  return await holder.read(async (state, noteState) => {
    const weights = requests.some(isTextSearch) ? await holder.words.weights(state) : undefined;
    const found = await computeScores(holder, { state, requests, weights });
    const { chunks, cosines } = await readHits(holder, { state, noteState, requests, found });
    return found.map((scores, i) => {
      const { text } = requests[i]!;
      const scoreChunk = createScorer(text, weights);
      const hits = [...scores].flatMap(([id, score]): Hit[] => {
        const chunk = chunks.get(id);
        if (!chunk) return []; // removed meanwhile
        return [
          text === undefined ? { chunk, score: cosine(score) } : { chunk, score: scoreChunk(chunk, score), cosine: cosines[i]!.get(id) },
        ];
      });
      return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1)); // the same search gives the same order
    });
  });
}

/** Runs one search; its hits have vectors. */
export async function search(holder: CollectionHolder, request: SearchRequest): Promise<Hit[]> {
  const [hits = []] = await searchAll(holder, [request]);
  const chunks = await withVectors(
    holder,
    hits.map(({ chunk }) => chunk),
  );
  return hits.map(({ score }, i) => ({ chunk: chunks[i]!, score }));
}

/** Makes a function that computes the exact BM25 score of chunks for a text. Its `score` is that of Qdrant, which assumes an average length. */
function createScorer(text: string | undefined, weights: Weights | undefined): (chunk: StoredChunk, score: number) => number {
  const queryIndices = text === undefined ? [] : searchedIndices(text);
  return (chunk, score) => {
    const words = origins.get(chunk)?.words;
    return words && weights ? bm25(words, queryIndices, weights) : score;
  };
}

interface SearchBatch {
  state: CollectionState;
  requests: readonly SearchRequest[];
  weights: Weights | undefined;
}

/** Computes the scores of each search. */
async function computeScores(holder: CollectionHolder, { state, requests, weights }: SearchBatch): Promise<Scores[]> {
  const queries = await Promise.all(requests.map((request) => toQuery(holder, { state, weights }, request)));
  const answers = await sendBatch(holder, queries);
  return answers.map((found) => new Map(found.map(({ id, score }) => [id, score])));
}

/** Converts a search to a query; undefined if nothing can be found. */
async function toQuery(
  holder: CollectionHolder,
  { state, weights }: Omit<SearchBatch, 'requests'>,
  { text, vector, filter, limit }: SearchRequest,
): Promise<Query | undefined> {
  if (text === undefined && vector) assertQueryVector(vector, state);
  const query = text === undefined ? vector && Array.from(vector) : weights && queryVector(text, weights);
  if (limit < 1 || !query) return undefined;
  const visible = visiblePoints(state, await resolveFilter(holder, filter));
  return { query, using: text === undefined ? DENSE : TEXT, filter: visible, limit };
}

type Answer = PointRecord & { score: number };

/** Sends all queries in one request; undefined ones find nothing. */
async function sendBatch({ send, address }: CollectionHolder, queries: readonly (Query | undefined)[]): Promise<Answer[][]> {
  const searches = queries.filter((query) => query !== undefined);
  const answers = searches.length > 0 ? await send((api, init) => api.queryBatchPoints({ collection_name: address, searches }, init)) : [];
  return queries.map((query) => (query ? (answers[searches.indexOf(query)]!.points as Answer[]) : []));
}

interface FoundHits {
  state: CollectionState;
  noteState: (point: PointRecord | undefined) => CollectionState | undefined;
  requests: readonly SearchRequest[];
  found: readonly Scores[];
}

/** Reads the chunks of all hits, and the cosines of the hits of each search by words. */
async function readHits(holder: CollectionHolder, { state, noteState, requests, found }: FoundHits) {
  const ids = [...new Set(found.flatMap((scores) => [...scores.keys()]))];
  const chunks = new Map(ids.map((id) => [id, holder.chunks.get(cacheKey(state, id))]));
  const unread = ids.filter((id) => !chunks.get(id));
  const cosines = requests.map((request, i) => splitByKnownCosine(request, { requests, found, state, hits: found[i]! }));
  const [statePoints, read, ...compared] = await sendBatch(holder, [
    { filter: { must: [{ has_id: [STATE_POINT] }] }, limit: 1, with_payload: true },
    pointsWithIds(unread, { with_payload: [...CHUNK_KEYS, 'words'] }),
    ...cosines.map(({ unknown }, i) => pointsWithIds(unknown, { query: Array.from(requests[i]!.vector ?? []), using: DENSE })),
  ]);
  const isSameTable = noteState(statePoints![0])?.table === state.table; // in another table, an id means another chunk; `read` then tries again
  for (const point of isSameTable ? read! : []) {
    const origin = { table: state.table, id: point.id, words: readWordCounts(point) };
    chunks.set(point.id, cacheChunk(holder, toChunk(point), origin));
  }
  for (const [i, answers] of compared.entries()) for (const { id, score } of answers) cosines[i]!.known.set(id, cosine(score));
  return { chunks, cosines: cosines.map(({ known }) => known) };
}

function cacheChunk({ chunks }: CollectionHolder, chunk: StoredChunk, origin: Origin): StoredChunk {
  origins.set(chunk, origin);
  chunks.add(cacheKey(origin, origin.id), chunk);
  return chunk;
}

/** Makes a query for these points only; undefined if there are none. */
const pointsWithIds = (ids: readonly Id[], query: Omit<Query, 'filter' | 'limit'>): Query | undefined =>
  ids.length > 0 ? { ...query, filter: { must: [{ has_id: [...ids] }] }, limit: ids.length } : undefined;

/** Divides the hits of a text request with a vector: those whose cosine another search with this vector has found, and the ids of the others. */
function splitByKnownCosine(
  { text, vector }: SearchRequest,
  { requests, found, state, hits }: Pick<FoundHits, 'requests' | 'found' | 'state'> & { hits: Scores },
): { known: Map<Id, number>; unknown: Id[] } {
  const known = new Map<Id, number>();
  if (text === undefined || vector?.length !== state.dimensions) return { known, unknown: [] };
  const nearest = requests.findIndex((other) => !isTextSearch(other) && other.vector === vector);
  for (const [id, score] of found[nearest] ?? []) if (hits.has(id)) known.set(id, cosine(score));
  return { known, unknown: [...hits.keys()].filter((id) => !known.has(id)) };
}

/** In single precision, a cosine may be a little larger than 1. */
const cosine = (score: number): number => Math.max(-1, Math.min(1, score));

/** Adds the vectors of chunks; reads those that are not cached. Chunks that were removed meanwhile stay as they are. */
export async function withVectors(holder: CollectionHolder, chunks: readonly StoredChunk[]): Promise<StoredChunk[]> {
  const withoutVector = chunks.filter((chunk) => !chunk.vector && origins.has(chunk));
  if (withoutVector.length === 0 || holder.info.dimensions === 0) return [...chunks];
  const vectors = new Map<string, Float32Array | undefined>();
  for (const [table, group] of Map.groupBy(withoutVector, (chunk) => origins.get(chunk)!.table)) {
    const ids = group.map((chunk) => origins.get(chunk)!.id);
    const request = { collection_name: table, ids, with_payload: ['given'], with_vector: [DENSE] };
    const found = await holder.send((api, init) => api.getPoints(request, init)).catch(ifCode(['not_found'], []));
    for (const point of found) vectors.set(cacheKey({ table }, point.id), readVector(point));
  }
  return chunks.map((chunk) => {
    const origin = origins.get(chunk);
    const vector = origin && vectors.get(cacheKey(origin, origin.id));
    return origin && vector ? cacheChunk(holder, { ...chunk, vector }, origin) : chunk;
  });
}
