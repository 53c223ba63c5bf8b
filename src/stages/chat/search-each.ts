import { askedIn } from '../../base/asked.ts';
import { settle, type Run } from '../../base/run.ts';
import type { RetrieveResult } from '../../schema/answers.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { ErrorItem } from '../../schema/results.ts';

/** What is searched for: the query, and each question that is asked in it, where there are several: one search finds what is nearest to their mixture. */
export function searchesFor(search_query: string): string[] {
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

/** Searches for each of the queries, the first of which is the whole, and puts together what they find. A failure that several of them meet is told once. */
export async function searchEach(queries: readonly string[], retrieve: (query: string) => Run<RetrieveResult>): Promise<RetrieveResult> {
  const results = await Promise.all(queries.map((query) => settle(retrieve(query))));
  const whole = results[0]!;
  if (results.length === 1) return whole;
  const items = merged(results.map((result) => result.items));
  const errors = distinct(results.flatMap((result) => result.errors));
  return { ...whole, items, retrieved: items.length, errors, failed: errors.length };
}
