import { expect, test } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { said, scriptedLlm } from './scripted-llm.ts';
import { forRewrite, query, rewriting, talk, turn } from './scene.ts';

test('searches for the rewritten follow-up, and answers the question as the user asked it, beside its full form', async () => {
  const llm = forRewrite('filter of the pump');
  const { result, searched, stages } = await turn({ query: 'And the filter?', history: talk(2), settings: rewriting, llm });
  expect(searched).toEqual(['filter of the pump']);
  expect(result.retrieval).toMatchObject({ query: 'And the filter?', search_query: 'filter of the pump' });
  expect(stages).toContain('rewrite');
  expect(said(llm.requests[1]!)).toMatch(/Question: And the filter\?\nThat is: filter of the pump$/);
  expect(result.history.at(-2)!.content).toBe('And the filter?');
});

test('falls back to the question if a rewrite fails, with an error and an answer', async () => {
  for (const broken of ['', '""', 'terms '.repeat(500), new KbError('invalid', 'No.')]) {
    const { result, searched, failures } = await turn({
      query: 'And the filter?',
      history: talk(2),
      settings: rewriting,
      llm: forRewrite(broken),
    });
    expect(searched).toEqual(['And the filter?']);
    expect(result).toMatchObject({ answer: 'So it is [1].', errors: [{ stage: 'rewrite' }], answer_confidence: { level: 'high' } });
    expect(failures).toEqual(result.errors);
  }
});

test('rewrites the first question as well if the client gives a session context', async () => {
  const settings = { query_rewrite: { enabled: true, session_context: 'The pump.' } };
  const { searched, stages } = await turn({ query: 'And the filter?', settings, llm: forRewrite('filter of the pump') });
  expect(searched).toEqual(['filter of the pump']);
  expect(stages).toContain('rewrite');
  const disabled = { query_rewrite: { ...settings.query_rewrite, enabled: false } };
  expect((await turn({ query: 'And it?', settings: disabled, llm: forRewrite('x') })).searched).toEqual(['And it?']);
});

test('rewrites a question only if the settings say so and there is a history', async () => {
  expect((await turn({ query: 'And it?', history: talk(2), llm: forRewrite('x') })).searched).toEqual(['And it?']);
  expect((await turn({ query: 'And it?', settings: rewriting, llm: forRewrite('x') })).searched).toEqual(['And it?']);
});

const compaction = { history_compaction: { enabled: true, history_limit: 6, keep_recent: 2 } };

test('summarizes a long history in the prompt and the result, and keeps the newest messages', async () => {
  const llm = scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : ['SUMMARY of remarks']));
  const { result } = await turn({ history: talk(10), settings: compaction, llm });
  expect(result.compacted).toBe(true);
  expect(result.history).toHaveLength(5);
  expect(result.history[0]!.content).toMatch(/SUMMARY of remarks/);
  expect(result.history.slice(1)).toEqual([
    ...talk(10).slice(8),
    { role: 'user', content: query },
    { role: 'assistant', content: 'So it is [1].' },
  ]);
  expect(said(llm.requests[1]!)).toMatch(/SUMMARY of remarks\n\nRemark 9/);
  expect(said(llm.requests[1]!)).not.toMatch(/Remark 8/);
});

test('leaves the history unchanged if a turn has no answer, even after a summary', async () => {
  const llm = scriptedLlm(() => ['SUMMARY of remarks']);
  const quality = { min_retrieval_score: 0.99, low_confidence_mode: 'return_no_answer' } as const;
  const { result } = await turn({ history: talk(10), settings: compaction, llm, quality });
  expect(llm.requests).toHaveLength(1);
  expect(result).toMatchObject({ answer: '', compacted: false, history: talk(10) });
});

test('summarizes a long history for small talk as well, so that the limit holds', async () => {
  const llm = scriptedLlm(() => ['SUMMARY of remarks']);
  const { result, searched } = await turn({ query: 'Thanks!', history: talk(10), settings: compaction, llm });
  expect(result).toMatchObject({ intent: 'thanks', compacted: true, errors: [] });
  expect(result.history).toHaveLength(5);
  expect(result.history[0]!.content).toMatch(/SUMMARY of remarks/);
  expect(searched).toEqual([]);
});

test('loses nothing if a summary fails', async () => {
  const llm = scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [new KbError('invalid', 'No.')]));
  const { result } = await turn({ history: talk(10), settings: compaction, llm });
  expect(result).toMatchObject({ compacted: false, answer: 'So it is [1].', errors: [{ stage: 'compact', source_kind: 'chat' }] });
  expect(result.history).toHaveLength(12);
});
