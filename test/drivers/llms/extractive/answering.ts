import { openLocalLlm } from '../../../../src/drivers/llms/local.ts';
import type { Embedder, GroundingSource } from '../../../../src/ports/models.ts';

/** Sources of these texts, each with a title in front. */
export const sourcesOf = (...pages: [title: string, text: string][]): GroundingSource[] =>
  pages.map(([title, text], i) => ({ citation: i + 1, title, text }));

/** Finds every text so near to every question. */
export const at = (cosine: number): Embedder => ({
  provider: 'test',
  model: 'even',
  dimensions: 2,
  concurrency: 1,
  min_retrieval_score: 0,
  reads: () => 1,
  embed: async (texts, { input_type }) =>
    texts.map(() => (input_type === 'query' ? Float32Array.of(1, 0) : Float32Array.of(cosine, Math.sqrt(1 - cosine ** 2)))),
  close: async () => {},
});

/** What is answered, by words alone unless there is an embedder, and whether it is doubted. */
export async function answering(
  query: string,
  sources: GroundingSource[],
  { question = query, embedder }: { question?: string; embedder?: Embedder } = {},
): Promise<{ answer: string; unsure: boolean }> {
  const run = openLocalLlm({ embedder }).generate({ messages: [], grounding: { query, question, sources }, max_tokens: 1024, timeout: 60 });
  let answer = '';
  for (;;) {
    const step = await run.next();
    if (step.done) return { answer, unsure: step.value.unsure ?? false };
    answer += step.value;
  }
}
