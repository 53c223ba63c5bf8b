import { expect, test } from 'vitest';
import type { Reranker } from '../../../src/ports/models.ts';
import { type ChatSearch, Trace } from '../../../src/stages/chat/turn-record.ts';
import { progress } from '../../../src/core/run.ts';
import { scriptedLlm } from './scripted-llm.ts';
import { forRewrite, query, rewriting, type Scene, talk, turn } from './scene.ts';

test('times concurrent reranking once, and subtracts it from the time of the search', async () => {
  const trace = new Trace({ show_prompt: false });
  const ends: (() => void)[] = [];
  const reranker: Reranker = {
    provider: 'slow',
    model: 'm',
    min_rerank_score: undefined,
    rank: () => new Promise((resolve) => ends.push(() => resolve([]))),
  };
  const began = performance.now();
  const ranking = trace.instrumentReranker(reranker);
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

test('explains the fate of each passage, the calls of models, and the durations', async () => {
  const llm = forRewrite('filter of the pump');
  const { result } = await turn({ query: 'And the filter?', history: talk(2), settings: rewriting, llm, explain: true });
  expect(result.explain).toMatchObject({
    thresholds: { min_retrieval_score: 0.5 },
    passages: [
      { id: 'a', title: 'Title a', source: 'a.md', rank: 1, score: 0.9, citation: 1, cited: true },
      { id: 'b', rank: 2, citation: 2, cited: false },
      { id: 'c', rank: 3, rejected: 'min_retrieval_score', cited: false },
    ],
    calls: [
      { stage: 'rewrite', provider: 'scripted', input_tokens: 1100, output_tokens: 7 },
      { stage: 'generate', provider: 'scripted', input_tokens: 1100, output_tokens: 7 },
    ],
  });
  expect(result.explain!.stages.map(({ stage }) => stage)).toEqual(['compact', 'rewrite', 'retrieval', 'quality', 'generation']);
  expect(JSON.stringify(result.explain)).not.toContain('Question:');
});

test('includes the prompt as it was sent on request', async () => {
  const llm = scriptedLlm(() => ['So it is [1].']);
  const { result } = await turn({ llm, show_prompt: true });
  expect(result.explain!.calls[0]!.messages).toEqual(llm.requests[0]!.messages);
  expect((await turn()).result).not.toHaveProperty('explain');
});

test('marks passages that did not fit, and explains a turn without an answer', async () => {
  const { result } = await turn({ explain: true, quality: { max_context_chunks: 1 } });
  expect(result.explain!.passages.map(({ rejected }) => rejected)).toEqual([undefined, 'room', 'min_retrieval_score']);
  const hello = await turn({ query: 'Hello!', explain: true });
  expect(hello.result.explain).toEqual({ thresholds: {}, passages: [], stages: [], calls: [] });
  const declined = await turn({ explain: true, llm: scriptedLlm(() => ['[0] No.']), quality: { low_confidence_mode: 'return_no_answer' } });
  expect(declined.result.explain!.passages[0]).toMatchObject({ citation: 1, cited: false });
});

test('explains why a turn has no answer', async () => {
  const why = async (scene: Scene) => (await turn({ explain: true, ...scene })).result.explain!.declined;
  const refusing = { low_confidence_mode: 'refuse_grounded_answer' } as const;
  expect(await why({ llm: scriptedLlm(() => ['[0] No.']), quality: refusing })).toBe(
    'scripted was given 2 passages, and says that the question is not answered there.',
  );
  expect(await why({ llm: scriptedLlm(() => ['[0] The sources do not say.']) })).toContain('says that the question is not answered there');
  expect(await why({ quality: { ...refusing, min_retrieval_score: 0.95 } })).toBe(
    'None of 3 passages reaches min_retrieval_score, 0.950 (the best has 0.900), and low_confidence_mode is refuse_grounded_answer.',
  );
  const nothing: ChatSearch['retrieve'] = async function* (search_query) {
    yield progress('retrieval');
    return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [] };
  };
  expect(await why({ search: { retrieve: nothing } })).toBe('Nothing was found.');
  expect(await why({})).toBeUndefined();
  expect(await why({ query: 'Hello!' })).toBeUndefined();
});

test('shows no prompt of an extractive model', async () => {
  const { result } = await turn({ llm: scriptedLlm(() => ['So [1].'], { extractive: true }), show_prompt: true });
  expect(result.explain!.calls).toMatchObject([{ stage: 'generate', messages: [] }]);
});

test('adds a note about a filter that finds nothing', async () => {
  const notice = 'The filter lets nothing through.';
  const nothing: ChatSearch['retrieve'] = async function* (search_query) {
    yield progress('retrieval');
    return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [], notice };
  };
  const { result, failures } = await turn({ search: { retrieve: nothing } });
  expect(result).toMatchObject({ answer: 'The sources do not answer this.', retrieval: { failed: 0, errors: [] } });
  expect(result.errors).toEqual([
    { source: query, source_kind: 'query', stage: 'retrieve', error: notice, isRetryable: false, attempts: 1 },
  ]);
  expect(failures).toEqual(result.errors);
});

test('searches for a double question as a whole and for each part, and explains the searches', async () => {
  const asked = 'How often is the filter replaced, and what does the pump cost?';
  const { result, searched } = await turn({ query: asked, explain: true });
  expect(searched).toEqual([asked]);
  expect(result.explain?.searched).toEqual([asked, 'How often is the filter replaced?', 'what does the pump cost?']);
  expect(result.retrieval.search_query).toBe(asked);
  expect((await turn({ query: asked, explain: true, parts: { isReranked: true } })).result.explain).not.toHaveProperty('searched');
  expect((await turn({ explain: true })).result.explain).not.toHaveProperty('searched');
});
