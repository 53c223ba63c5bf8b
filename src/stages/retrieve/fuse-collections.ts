import type { RetrieveResult } from '../../schema/answers.ts';
import type { RetrievedItem } from '../../schema/items.ts';

/** What was found in one of several collections. */
interface CollectionHits {
  collection: string;
  result: RetrieveResult;
}

/**
 * Fuses what several collections hold on one query, up to `limit` items, each with its collection. By ranks: the first of each before the second of any, so
 * that a large collection does not push out a small one; equal ranks by score. Reranked items are ordered by their rerank scores, which are comparable.
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
  const items = withoutCopies(ordered.map(({ item }) => item)).slice(0, limit);
  const results = found.map(({ result }) => result);
  const errors = [...new Map(results.flatMap((result) => result.errors).map((error) => [`${error.stage} ${error.error}`, error])).values()];
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

/** A document that is stored in several collections has the same chunks in each: the first of them stays. */
function withoutCopies(items: readonly RetrievedItem[]): RetrievedItem[] {
  const met = new Set<string>();
  return items.filter(({ id, text }) => met.size < met.add(`${id} ${text}`).size);
}
