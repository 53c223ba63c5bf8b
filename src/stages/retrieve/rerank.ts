import type { Reranker } from '../../ports.ts';
import type { RetrievedItem } from '../../schema/items.ts';

/** The items in the order of the reranker, each with its `rerank_score`; equal ones stay in theirs. Throws what the reranker throws. */
export async function rerank(
  query: string,
  items: readonly RetrievedItem[],
  { reranker, signal }: { reranker: Reranker; signal?: AbortSignal | undefined },
): Promise<RetrievedItem[]> {
  const passages = items.map(({ text, score, metadata }) => ({ text, score, metadata }));
  const scores = await reranker.rank(query, passages, { signal });
  const reranked = items.map((item, i) => {
    const rerank_score = scores[i]!;
    return {
      ...item,
      rerank_score,
      ...(item.explain ? { explain: { ...item.explain, rerank: { rank_before: i + 1, score: rerank_score } } } : {}),
    };
  });
  return reranked.toSorted((a, b) => b.rerank_score - a.rerank_score);
}
