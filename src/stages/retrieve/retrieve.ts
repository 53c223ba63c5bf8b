import type { Embedder, Reranker } from '../../ports/models.ts';
import type { ErrorItem, RetrievedItem } from '../../schema/items.ts';
import { yieldToEventLoop } from '../../core/concurrency.ts';
import { endsWork, KbError, toErrorItem } from '../../core/errors.ts';
import { languageOf } from '../../languages/detect.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import { createTermShare } from '../../text/comparison.ts';
import type { Collection, StoredChunk } from '../../ports/stores.ts';
import type { Config } from '../../schema/config.ts';
import type { Filter } from '../../schema/stored/filter.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import { analyseChunk, CAPITAL_WEIGHT, identifierBonus, indexedText, likenessOf, similarity } from './similarity.ts';
import { fuse, type FusedCandidate, rescore } from './fuse.ts';
import { searchArms, type SearchOutcome } from './search.ts';
import { mergeIdentical, takeDistinct } from './identical.ts';
import { correctSpelling } from './spelling.ts';

/** Reranks items and adds `rerank_score`; ties keep their order. Throws what the reranker throws. */
async function rerank(
  query: string,
  items: readonly RetrievedItem[],
  { reranker, embedder, signal }: { reranker: Reranker; embedder?: Embedder | undefined; signal?: AbortSignal | undefined },
): Promise<RetrievedItem[]> {
  const passages = items.map(({ text, score, metadata }) => ({ text, score, metadata }));
  const scores = await reranker.rank(query, passages, { embedder, signal });
  const order = [...items.keys()].toSorted((a, b) => scores[b]! - scores[a]!);
  return order.map((place, i) => {
    const { explain, ...item } = items[place]!;
    const score = scores[place]!;
    const explained = explain && { explain: { ...explain, rerank: { rank_before: place + 1, rank: i + 1, score } } };
    return { ...item, rerank_score: score, ...explained };
  });
}

/** A query to a collection. */
export interface RetrieveInput {
  query: string;
  /** The query to search for. Default: `query`. */
  search_query?: string | undefined;
  mode: Config['retrieval']['mode'];
  top_k: number;
  filter?: Filter | undefined;
  /** Explain the rank of each item. */
  explain?: boolean | undefined;
  /** How many items to keep after reranking; needs a reranker. */
  rerank?: { top_k: number } | undefined;
}

/** The dependencies of a retrieval. */
export interface RetrieveParts {
  collection: Collection;
  /** Absent if the collection is searched by words alone. */
  embedder?: Embedder | undefined;
  reranker?: Reranker | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Retrieves chunks for a query, best first. Equal texts of several sources are one item. Failures are items of `errors`; if the reranker fails, the
 * order stays. Throws a KbError if the request does not fit the collection (vector search without vectors), and errors that end any work: a stop, a
 * missing key, a wrong configuration.
 */
export async function* retrievePassages(input: RetrieveInput, parts: RetrieveParts): Run<RetrieveResult> {
  const { query, search_query = query } = input;
  yield progress('retrieval', { retrieved: 0, failed: 0, search_query }, 'Searching.');
  const errors: ErrorItem[] = [];
  let items: RetrievedItem[] = [];
  let searched = search_query;
  try {
    ({ items, searched } = await findItems(search_query, input, parts));
  } catch (error) {
    errors.push(failureItem(error, { query, stage: 'retrieve' }));
  }
  if (input.rerank && parts.reranker && items.length > 0) {
    const kept = input.rerank.top_k;
    try {
      items = await rerank(searched, items, { ...parts, reranker: parts.reranker });
    } catch (error) {
      errors.push(failureItem(error, { query, stage: 'rerank' }));
    }
    items = items.slice(0, kept);
  }
  throwIfAborted(parts.signal);
  return { query, search_query: searched, retrieved: items.length, items, failed: errors.length, errors };
}

/** Finds items, and returns them with the query, whose spelling may be corrected. */
async function findItems(
  original: string,
  { mode, top_k, filter, explain = false }: RetrieveInput,
  parts: RetrieveParts,
): Promise<{ items: RetrievedItem[]; searched: string }> {
  const first = await searchArms(original, { mode, top_k, filter }, parts);
  const corrected = correctSpelling(original, textsOf(first));
  const second = corrected === undefined ? undefined : await searchArms(corrected, { mode, top_k, filter }, parts).catch(ignoreFailure);
  const [query, found] = second ? [corrected!, second] : [original, first];
  await analyseLongHits(found, parts.signal);
  const fused = fuse(found.arms, found.arms.text && identifierBonus(query));
  const candidates = await rescore(query, fused, { ...found.arms, withVectors: parts.collection.withVectors });
  const best = candidates[0];
  if (!best) return { items: [], searched: query };
  const scored = found.arms.text && found.arms.vector ? 1 : Math.min(MAX_SCORED, top_k);
  const score = bestScore(query, candidates.slice(0, scored), found);
  const items = candidates.map((candidate) =>
    toItem(candidate, score * (best.fused > 0 ? candidate.fused / best.fused : 0), explain ? found.arms : undefined),
  );
  return { items: takeDistinct(mergeIdentical(items), top_k), searched: query };
}

/** Ignores a failed search for the corrected query, for which the results of the original query are used. Throws an error that ends the work. */
function ignoreFailure(error: unknown): undefined {
  if (endsWork(error)) throw error;
}

/** Characters of a hit in which spellings are looked for. */
const MAX_SPELLED = 20_000;

/** The chunks of all hits, word search first. */
const retrievedChunks = ({ arms: { text, vector } }: SearchOutcome): StoredChunk[] =>
  [...(text?.hits ?? []), ...(vector?.hits ?? [])].map(({ chunk }) => chunk);

/** The beginnings of the texts of all hits. */
const textsOf = (outcome: SearchOutcome): string[] => retrievedChunks(outcome).map((chunk) => indexedText(chunk).slice(0, MAX_SPELLED));

/** Characters of all hits that are analysed in one go: a million takes about a tenth of a second. */
const MAX_ANALYSED_AT_ONCE = 1_000_000;

/** Analyses the words of the hits one by one, with turns for other work between them, if they are unusually long. */
async function analyseLongHits(outcome: SearchOutcome, signal: AbortSignal | undefined): Promise<void> {
  const chunks = retrievedChunks(outcome);
  if (chunks.reduce((sum, chunk) => sum + chunk.text.length, 0) <= MAX_ANALYSED_AT_ONCE) return;
  const takeTurns = yieldToEventLoop(signal);
  for (const chunk of chunks) {
    analyseChunk(chunk).analyse();
    await takeTurns();
  }
}

/**
 * Maximum candidates (and at most `top_k`) that are checked for similarity to the query if there is one kind of search; with two, the first is
 * enough. Of 1, 3, 5, 10, 20 and 50 it is the smallest with which mode vector separates subjects nearly as well as hybrid (area under the curve
 * .986; with 1: .971).
 */
const MAX_SCORED = 20;

/**
 * The score of the best candidate: the greatest similarity among the first. The scores of the others are proportional to their fused scores. Words
 * are compared only if they can make a difference, since that is slow.
 */
function bestScore(query: string, candidates: readonly FusedCandidate[], found: SearchOutcome): number {
  const { text, vector } = found.arms;
  const cosineOfCandidate = ({ chunk, ranks }: FusedCandidate) =>
    ranks.vector?.score ?? found.cosine?.(chunk) ?? vector?.hits.at(-1)?.score;
  const greatest = vector ? (vector.hits[0]?.score ?? 0) : Math.max(...text!.hits.map(({ chunk }) => found.cosine?.(chunk) ?? 0));
  const score = createScorer(query, found);
  let best = 0;
  for (const candidate of candidates) {
    const own = cosineOfCandidate(candidate);
    const cosines = own === undefined ? undefined : ([Math.max(greatest, own), own] as const);
    best = Math.max(best, score(candidate.chunk, cosines, best));
  }
  return best;
}

/** Returns a function that scores a chunk by its cosines and its words. Words are compared only if the score can exceed `least`. */
function createScorer(query: string, { coverage, ranges }: SearchOutcome) {
  const words = createWordShare(query);
  const queryLanguage = ranges.cosine_range_across_languages && languageOf(query);
  return (chunk: StoredChunk, cosines: readonly [number, number] | undefined, least: number): number => {
    const likeness = (range?: readonly [number, number]) =>
      cosines && ([likenessOf(cosines[0], range), likenessOf(cosines[1], range)] as const);
    const chunkLanguage = queryLanguage && analyseChunk(chunk).language;
    if (cosines && chunkLanguage && chunkLanguage !== queryLanguage)
      return similarity({ likeness: likeness(ranges.cosine_range_across_languages), words: undefined, coverage });
    const within = likeness(ranges.cosine_range);
    const { share, most } = words(within ? CAPITAL_WEIGHT : 1);
    const highest = similarity({ likeness: within, words: most, coverage });
    return highest > least ? similarity({ likeness: within, words: share(analyseChunk(chunk)), coverage }) : 0;
  };
}

/** Returns a function that gives, for a weight of capitalized words, the word share of texts and its maximum. */
function createWordShare(query: string) {
  const scales = new Map<number, { share: ReturnType<typeof createTermShare>; most: number }>();
  return (capital: number) => {
    const share = scales.get(capital)?.share ?? createTermShare(query, { capital });
    const scale = scales.get(capital) ?? { share, most: share(query) };
    scales.set(capital, scale);
    return scale;
  };
}

function toItem(
  { chunk, fused, bonus, rescored, ranks }: FusedCandidate,
  score: number,
  arms: SearchOutcome['arms'] | undefined,
): RetrievedItem {
  const { id, text, source, metadata } = chunk;
  const item = { id, chunk_id: id, text, metadata: { ...metadata, source }, score };
  if (!arms) return item;
  const rankIn = (name: 'text' | 'vector') => arms[name] && { [name]: { weight: arms[name].weight, ...ranks[name] } };
  return {
    ...item,
    explain: {
      ...rankIn('text'),
      ...rankIn('vector'),
      ...(bonus === undefined ? {} : { identifiers: bonus }),
      ...rescored,
      fused_score: fused,
    },
  };
}

function failureItem(error: unknown, { query, stage }: { query: string; stage: 'retrieve' | 'rerank' }): ErrorItem {
  if (endsWork(error)) throw error;
  const item = toErrorItem(error, { source: query, source_kind: 'query', stage });
  return error instanceof KbError ? item : { ...item, isRetryable: true };
}
