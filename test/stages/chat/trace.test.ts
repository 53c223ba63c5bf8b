import { expect, test } from 'vitest';
import type { Reranker } from '../../../src/ports/models.ts';
import { openTrace } from '../../../src/stages/chat/explain.ts';

test('what is reranked at once is timed once, and taken from the time of the search', async () => {
  const trace = openTrace({ show_prompt: false });
  const ends: (() => void)[] = [];
  const reranker: Reranker = {
    provider: 'slow',
    model: 'm',
    min_rerank_score: undefined,
    rank: () => new Promise((resolve) => ends.push(() => resolve([]))),
  };
  const began = performance.now();
  const ranking = trace.reranking(reranker);
  const both = Promise.all([ranking.rank('a', [], {}), ranking.rank('b', [], {})]);
  const begun = performance.now();
  while (performance.now() - begun < 20) await new Promise(setImmediate);
  for (const end of ends) end();
  await both;
  const all = performance.now() - began;
  const time = Object.fromEntries(trace.stages.map(({ stage, milliseconds }) => [stage, milliseconds]));
  expect(time.rerank).toBeGreaterThanOrEqual(19.9);
  expect(time.rerank, 'not that of both, one after the other').toBeLessThanOrEqual(all + 0.1);
  expect(time.retrieval).toBe(-time.rerank!);
});
