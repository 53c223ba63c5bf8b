import { askedIn } from '../../base/asked.ts';
import { settle, type Run } from '../../base/run.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { ErrorItem } from '../../schema/results.ts';

/**
 * Lists the searches for a query: the query itself and, where it asks several questions, each of them, since one search finds what is nearest to
 * their mixture. With a reranker it is the query alone: that judges a mixture well, and costs a request a search.
 */
export function searchesFor(search_query: string, { isReranked = false }: { isReranked?: boolean | undefined } = {}): string[] {
  if (isReranked) return [search_query];
  const parts = askedIn({ query: search_query, question: search_query });
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
