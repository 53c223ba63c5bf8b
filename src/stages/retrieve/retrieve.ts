import { endsWork, KbError, toErrorItem } from '../../base/errors.ts';
import { progress, throwIfAborted, type Run } from '../../base/run.ts';
import { wordShare } from '../../base/word-share.ts';
import type { Collection, Embedder, Reranker } from '../../ports.ts';
import type { Config } from '../../schema/config.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { Filter } from '../../schema/requests.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import type { ErrorItem } from '../../schema/results.ts';
import { identifierBonus } from './identifiers.ts';
import { fuse, type Candidate } from './fuse.ts';
import { rerank } from './rerank.ts';
import { searchArms, type Arms } from './search.ts';
import { CAPITAL, indexedText, similarity } from './similarity.ts';

/** A question to a collection. */
export interface RetrieveInput {
  query: string;
  /** What is searched for, where it is not the query itself. */
  search_query?: string | undefined;
  mode: Config['retrieval']['mode'];
  top_k: number;
  filter?: Filter | undefined;
  /** Tell with every item how its rank came about. */
  explain?: boolean | undefined;
  /** How many of the `top_k` to keep once they are reordered; needs a reranker. */
  rerank?: { top_k: number } | undefined;
}

/** What a retrieval works with. */
export interface RetrieveParts {
  collection: Collection;
  /** None where the collection is searched by words alone. */
  embedder?: Embedder | undefined;
  reranker?: Reranker | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The chunks that answer a query, best first. Chunks of equal text from several sources are all there. What fails in the search is an item of
 * `errors`; a reranker that fails leaves the order as it was. Throws a KbError where the request does not fit the collection (vector search where
 * there are no vectors), and what ends any work: a stop, a missing key, a wrong configuration.
 */
export async function* retrieve(input: RetrieveInput, parts: RetrieveParts): Run<RetrieveResult> {
  const { query, search_query = query } = input;
  yield progress('retrieval', { retrieved: 0, failed: 0, search_query }, 'Searching.');
  const errors: ErrorItem[] = [];
  let items: RetrievedItem[] = [];
  try {
    items = await find(search_query, input, parts);
  } catch (error) {
    errors.push(failure(error, { query, stage: 'retrieve' }));
  }
  if (input.rerank && parts.reranker && items.length > 0) {
    const kept = input.rerank.top_k;
    try {
      items = await rerank(search_query, items, { reranker: parts.reranker, signal: parts.signal });
    } catch (error) {
      errors.push(failure(error, { query, stage: 'rerank' }));
    }
    items = items.slice(0, kept);
  }
  throwIfAborted(parts.signal);
  return { query, search_query, retrieved: items.length, items, failed: errors.length, errors };
}

async function find(
  query: string,
  { mode, top_k, filter, explain = false }: RetrieveInput,
  parts: RetrieveParts,
): Promise<RetrievedItem[]> {
  const arms = await searchArms(query, { mode, top_k, filter }, parts);
  const candidates = fuse(arms, arms.text && identifierBonus(query)).slice(0, top_k);
  const best = candidates[0];
  if (!best) return [];
  const score = bestScore(query, best, arms);
  return candidates.map((candidate) =>
    toItem(candidate, score * (best.fused > 0 ? candidate.fused / best.fused : 0), explain ? arms : undefined),
  );
}

/** The score of the best candidate; the others stand to it as their fused scores do. */
function bestScore(query: string, { chunk, places }: Candidate, { text, vector }: Arms): number {
  const hits = vector?.hits ?? [];
  const nearest = hits[0]?.score;
  return similarity({
    cosines: nearest === undefined ? undefined : [nearest, places.vector?.score ?? hits.at(-1)!.score],
    words: text && wordShare(query, indexedText(chunk), vector ? { capital: CAPITAL } : {}),
    reads: text && vector ? 2 * vector.weight : 1,
  });
}

function toItem({ chunk, fused, bonus, places }: Candidate, score: number, arms: Arms | undefined): RetrievedItem {
  const { id, text, source, metadata } = chunk;
  const item = { id, chunk_id: id, text, metadata: { ...metadata, source }, score };
  if (!arms) return item;
  const told = (name: 'text' | 'vector') => arms[name] && { [name]: { weight: arms[name].weight, ...places[name] } };
  return { ...item, explain: { ...told('text'), ...told('vector'), ...(bonus === undefined ? {} : { identifiers: bonus }), fused } };
}

function failure(error: unknown, { query, stage }: { query: string; stage: 'retrieve' | 'rerank' }): ErrorItem {
  if (endsWork(error)) throw error;
  const item = toErrorItem(error, { source: query, source_kind: 'query', stage });
  return error instanceof KbError ? item : { ...item, isRetryable: true };
}
