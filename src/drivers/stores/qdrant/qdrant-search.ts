import { ifCode } from '../../../core/errors.ts';
import type { Hit, SearchRequest, StoredChunk } from '../../../ports/stores.ts';
import { assertQueryVector } from '../vectors.ts';
import { type CollectionHolder, conditionsFrom } from './collection-holder.ts';
import { type State, STATE_POINT, visiblePoints } from './collection-state.ts';
import { bm25, CHUNK, DENSE, queryVector, searchedPlaces, TEXT, toChunk, vectorIn, wordCountsIn } from './points.ts';
import type { PointRecord, Query } from './qdrant-connection.ts';
import type { Weights, WordCounts } from './word-statistics.ts';

// Any number of searches takes two requests. The first reads only ids and scores. The second reads the chunks that no search has read before, and the state:
// read with the first request, it could be older than the hits, because a writer may have removed some of them in between.

type Id = PointRecord['id'];
/** Scores by the ids of points. */
type Scores = ReadonlyMap<Id, number>;

/** Place of a found chunk, and its terms. */
interface Origin {
  table: string;
  id: Id;
  words: WordCounts | undefined;
}

const origins = new WeakMap<StoredChunk, Origin>();

const keyOf = ({ table }: Pick<State, 'table'>, id: Id): string => `${table} ${id}`;

const isByWords = ({ text }: SearchRequest): boolean => text !== undefined;

/**
 * Finds the nearest by cosine or the best by BM25, all as of one state. The filter narrows before the search. Hits for a text with a vector beside it have
 * their cosines; they have vectors only if those were read before.
 */
export async function searchAll(holder: CollectionHolder, requests: readonly SearchRequest[]): Promise<Hit[][]> {
  return await holder.read(async (state, noteState) => {
    const weights = requests.some(isByWords) ? await holder.words.weights(state) : undefined;
    const found = await scoresOf(holder, { state, requests, weights });
    const { chunks, cosines } = await readHits(holder, { state, noteState, requests, found });
    return found.map((scores, i) => {
      const { text } = requests[i]!;
      const scored = scorer(text, weights);
      const hits = [...scores].flatMap(([id, score]): Hit[] => {
        const chunk = chunks.get(id);
        if (!chunk) return []; // removed meanwhile
        return [text === undefined ? { chunk, score: cosine(score) } : { chunk, score: scored(chunk, score), cosine: cosines[i]!.get(id) }];
      });
      return hits.toSorted((a, b) => b.score - a.score || (a.chunk.id < b.chunk.id ? -1 : 1)); // the same search gives the same order
    });
  });
}

/** Runs one search, whose hits have their vectors. */
export async function search(holder: CollectionHolder, request: SearchRequest): Promise<Hit[]> {
  const [hits = []] = await searchAll(holder, [request]);
  const chunks = await withVectors(
    holder,
    hits.map(({ chunk }) => chunk),
  );
  return hits.map(({ score }, i) => ({ chunk: chunks[i]!, score }));
}

/** Makes a function that computes BM25 of chunks for a text. `score` is that of Qdrant, which assumes an average length. */
function scorer(text: string | undefined, weights: Weights | undefined): (chunk: StoredChunk, score: number) => number {
  const sought = text === undefined ? [] : searchedPlaces(text);
  return (chunk, score) => {
    const words = origins.get(chunk)?.words;
    return words && weights ? bm25(words, sought, weights) : score;
  };
}

interface SearchBatch {
  state: State;
  requests: readonly SearchRequest[];
  weights: Weights | undefined;
}

/** Computes the scores of each search. */
async function scoresOf(holder: CollectionHolder, { state, requests, weights }: SearchBatch): Promise<Scores[]> {
  const queries = await Promise.all(requests.map((request) => queryOf(holder, { state, weights }, request)));
  const answers = await sendBatch(holder, queries);
  return answers.map((found) => new Map(found.map(({ id, score }) => [id, score])));
}

/** Converts a search to a query; undefined if nothing can be found. */
async function queryOf(
  holder: CollectionHolder,
  { state, weights }: Omit<SearchBatch, 'requests'>,
  { text, vector, filter, limit }: SearchRequest,
): Promise<Query | undefined> {
  if (text === undefined && vector) assertQueryVector(vector, state);
  const query = text === undefined ? vector && Array.from(vector) : weights && queryVector(text, weights);
  if (limit < 1 || !query) return undefined;
  const visible = visiblePoints(state, await conditionsFrom(holder, filter));
  return { query, using: text === undefined ? DENSE : TEXT, filter: visible, limit };
}

type Answer = PointRecord & { score: number };

/** Sends all queries in one request; undefined ones find nothing. */
async function sendBatch({ ask, address }: CollectionHolder, queries: readonly (Query | undefined)[]): Promise<Answer[][]> {
  const searches = queries.filter((query) => query !== undefined);
  const answers = searches.length > 0 ? await ask((api, init) => api.queryBatchPoints({ collection_name: address, searches }, init)) : [];
  return queries.map((query) => (query ? (answers[searches.indexOf(query)]!.points as Answer[]) : []));
}

interface FoundHits {
  state: State;
  noteState: (point: PointRecord | undefined) => State | undefined;
  requests: readonly SearchRequest[];
  found: readonly Scores[];
}

/** Reads the chunks of all hits, and the cosines of the hits of each search by words. */
async function readHits(holder: CollectionHolder, { state, noteState, requests, found }: FoundHits) {
  const ids = [...new Set(found.flatMap((scores) => [...scores.keys()]))];
  const chunks = new Map(ids.map((id) => [id, holder.chunks.get(keyOf(state, id))]));
  const unread = ids.filter((id) => !chunks.get(id));
  const cosines = requests.map((request, i) => knownCosines(request, { requests, found, state, hits: found[i]! }));
  const [stated, read, ...compared] = await sendBatch(holder, [
    { filter: { must: [{ has_id: [STATE_POINT] }] }, limit: 1, with_payload: true },
    pointsWithIds(unread, { with_payload: [...CHUNK, 'words'] }),
    ...cosines.map(({ unknown }, i) => pointsWithIds(unknown, { query: Array.from(requests[i]!.vector ?? []), using: DENSE })),
  ]);
  const isSameTable = noteState(stated![0])?.table === state.table; // else everything is read again, because an id means another chunk
  for (const point of isSameTable ? read! : []) {
    const origin = { table: state.table, id: point.id, words: wordCountsIn(point) };
    chunks.set(point.id, remember(holder, toChunk(point), origin));
  }
  for (const [i, answers] of compared.entries()) for (const { id, score } of answers) cosines[i]!.known.set(id, cosine(score));
  return { chunks, cosines: cosines.map(({ known }) => known) };
}

function remember({ chunks }: CollectionHolder, chunk: StoredChunk, origin: Origin): StoredChunk {
  origins.set(chunk, origin);
  chunks.add(keyOf(origin, origin.id), chunk);
  return chunk;
}

/** Makes a query for these points only; undefined if there are none. */
const pointsWithIds = (ids: readonly Id[], query: Omit<Query, 'filter' | 'limit'>): Query | undefined =>
  ids.length > 0 ? { ...query, filter: { must: [{ has_id: [...ids] }] }, limit: ids.length } : undefined;

/** Divides the hits for a text with a vector: cosines that another search with that vector has found, and ids without one. */
function knownCosines(
  { text, vector }: SearchRequest,
  { requests, found, state, hits }: Pick<FoundHits, 'requests' | 'found' | 'state'> & { hits: Scores },
): { known: Map<Id, number>; unknown: Id[] } {
  const known = new Map<Id, number>();
  if (text === undefined || vector?.length !== state.dimensions) return { known, unknown: [] };
  const nearest = requests.findIndex((other) => !isByWords(other) && other.vector === vector);
  for (const [id, score] of found[nearest] ?? []) if (hits.has(id)) known.set(id, cosine(score));
  return { known, unknown: [...hits.keys()].filter((id) => !known.has(id)) };
}

/** In single precision, a cosine may be a little larger than 1. */
const cosine = (score: number): number => Math.max(-1, Math.min(1, score));

/** Adds the vectors of chunks, which are read if they were not before. Chunks that were removed meanwhile stay as they are. */
export async function withVectors(holder: CollectionHolder, chunks: readonly StoredChunk[]): Promise<StoredChunk[]> {
  const lacking = chunks.filter((chunk) => !chunk.vector && origins.has(chunk));
  if (lacking.length === 0 || holder.info.dimensions === 0) return [...chunks];
  const vectors = new Map<string, Float32Array | undefined>();
  for (const [table, group] of Map.groupBy(lacking, (chunk) => origins.get(chunk)!.table)) {
    const ids = group.map((chunk) => origins.get(chunk)!.id);
    const request = { collection_name: table, ids, with_payload: ['given'], with_vector: [DENSE] };
    const found = await holder.ask((api, init) => api.getPoints(request, init)).catch(ifCode(['not_found'], []));
    for (const point of found) vectors.set(keyOf({ table }, point.id), vectorIn(point));
  }
  return chunks.map((chunk) => {
    const origin = origins.get(chunk);
    const vector = origin && vectors.get(keyOf(origin, origin.id));
    return origin && vector ? remember(holder, { ...chunk, vector }, origin) : chunk;
  });
}
