import type { Reranker } from '../../ports/models.ts';
import type { RetrievedItem } from '../../schema/items.ts';

/** The items in the order of the reranker, each with its `rerank_score`; equal ones stay in theirs. Throws what the reranker throws. */
export async function rerank(
  query: string,
  items: readonly RetrievedItem[],
  { reranker, signal }: { reranker: Reranker; signal?: AbortSignal | undefined },
): Promise<RetrievedItem[]> {
  const passages = items.map(({ text, score, metadata }) => ({ text, score, metadata }));
  const scores = await reranker.rank(query, passages, { signal });
  const order = [...items.keys()].toSorted((a, b) => scores[b]! - scores[a]!);
  return order.map((place, i) => {
    const { explain, ...item } = items[place]!;
    const score = scores[place]!;
    const told = explain && { explain: { ...explain, rerank: { rank_before: place + 1, rank: i + 1, score } } };
    return { ...item, rerank_score: score, ...told };
  });
}
