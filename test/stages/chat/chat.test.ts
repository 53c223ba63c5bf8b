import { expect, test } from 'vitest';
import { KbError } from '../../../src/base/errors.ts';
import { collect, progress, type Progress } from '../../../src/base/run.ts';
import type { Llm } from '../../../src/ports.ts';
import { DEFAULTS, type Config } from '../../../src/schema/config.ts';
import { LONGEST_QUERY } from '../../../src/schema/questions.ts';
import type { HistoryEntry, RetrievedItem } from '../../../src/schema/items.ts';
import { ChatResult } from '../../../src/schema/answers.ts';
import type { ErrorItem } from '../../../src/schema/results.ts';
import { chat, type ChatParts } from '../../../src/stages/chat/chat.ts';
import { said, scriptedLlm } from './scripted-llm.ts';

const item = (id: string, score: number): RetrievedItem => ({
  id,
  chunk_id: id,
  text: `Passage ${id} about the pump.`,
  metadata: { source: `${id}.md`, title: `Title ${id}`, location: { page: 2 } },
  score,
});
const items = [item('a', 0.9), item('b', 0.8), item('c', 0.3)];
const query = 'How often is the filter replaced?';
type ChatSettings = Config['chat'];

interface Scene {
  query?: unknown;
  history?: HistoryEntry[];
  quality?: Partial<ChatSettings['retrieval_quality']>;
  settings?: Partial<ChatSettings>;
  llm?: Llm;
  parts?: Partial<ChatParts>;
}

/** One turn over the three passages, with thresholds at 0.5. */
async function turn({
  query: asked = query,
  history = [],
  quality = {},
  settings = {},
  llm = scriptedLlm(() => ['Every 90 days [1].']),
  parts = {},
}: Scene = {}) {
  const searched: string[] = [];
  const run = chat(
    {
      query: asked,
      history,
      settings: { ...DEFAULTS.chat, ...settings, retrieval_quality: { ...DEFAULTS.chat.retrieval_quality, ...quality } },
    },
    {
      async *retrieve(search_query) {
        searched.push(search_query);
        yield progress('retrieval', {}, 'Searching.');
        return { query: String(asked), search_query, retrieved: items.length, items, failed: 0, errors: [] };
      },
      llm: async () => llm,
      min_retrieval_score: 0.5,
      ...parts,
    },
  );
  const { events, result } = await collect(run);
  const of = (type: Progress['type']) => events.filter((event) => event.type === type);
  expect(ChatResult.parse(result)).toEqual(result);
  return {
    events,
    result,
    searched,
    tokens: of('token'),
    stages: of('progress').map(({ stage }) => stage),
    failures: of('error').map(({ data }) => data as ErrorItem),
  };
}

const failing = (error: Error): ChatParts['retrieve'] =>
  // oxlint-disable-next-line require-yield
  async function* () {
    throw error;
  };
const talk = (count: number): HistoryEntry[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `Remark ${i + 1}.` }));

test('an answer has every field of the result, and its stages are told in order', async () => {
  const { result, stages, tokens, events } = await turn({ history: talk(2) });
  expect(result).toEqual({
    answer: 'Every 90 days [1].',
    sources: [
      {
        id: 'a',
        title: 'Title a',
        score: 0.9,
        metadata: items[0]!.metadata,
        citation: 1,
        cited: true,
        text: items[0]!.text,
        location: { page: 2 },
      },
      {
        id: 'b',
        title: 'Title b',
        score: 0.8,
        metadata: items[1]!.metadata,
        citation: 2,
        cited: false,
        text: items[1]!.text,
        location: { page: 2 },
      },
    ],
    history: [...talk(2), { role: 'user', content: query }, { role: 'assistant', content: 'Every 90 days [1].' }],
    retrieval: { query, search_query: query, retrieved: 3, outputs: items, failed: 0, errors: [] },
    llm: { provider: 'scripted', model: 'test-model', input_tokens: 11, output_tokens: 7 },
    errors: [],
    retrieval_quality: {
      status: 'passed',
      mode: 'answer_with_caution',
      input_chunks: 3,
      passed_chunks: 2,
      rejected_chunks: 1,
      min_retrieval_score: 0.5,
    },
    answer_confidence: { level: 'high', reason: 'retrieval_quality_pass' },
    compacted: false,
    intent: 'rag',
  });
  expect(stages).toEqual(['chat', 'intent', 'retrieval', 'retrieval', 'quality', 'generation']);
  expect(events[0]).toEqual(progress('chat', { query }));
  expect(events.filter(({ data }) => 'retrieved' in data).map(({ data }) => data)).toEqual([
    { retrieved: 3, failed: 0, search_query: query },
  ]);
  expect(tokens).toEqual([{ type: 'token', stage: 'generation', message: '', data: { text: 'Every 90 days [1].' } }]);
});

test.each([undefined, null, '', '  \n', 7, ['a'], { text: 'a' }])(
  'a query %j is a result with a validate error, and nothing is opened',
  async (asked) => {
    const llm = scriptedLlm(() => []);
    const { result, failures, searched } = await turn({ query: asked === undefined ? null : asked, history: talk(2), llm });
    expect(result.errors).toEqual([expect.objectContaining({ stage: 'validate', source_kind: 'chat', isRetryable: false, attempts: 1 })]);
    expect(failures).toEqual(result.errors);
    expect(result).toMatchObject({
      answer: '',
      sources: [],
      llm: {},
      history: talk(2),
      retrieval_quality: { status: 'not_evaluated' },
      answer_confidence: { level: 'none', reason: 'errors' },
    });
    expect([searched, llm.requests]).toEqual([[], []]);
  },
);

test('a query that is too long is one too, and says how long it may be', async () => {
  const { result, searched } = await turn({ query: 'x'.repeat(LONGEST_QUERY + 1) });
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'validate', source: '', error: expect.stringContaining('100001 characters, of at most 100000') }),
  ]);
  expect(searched).toEqual([]);
  expect((await turn({ query: 'x'.repeat(LONGEST_QUERY) })).result.errors).toEqual([]);
});

test('small talk is answered without retrieval and without a model', async () => {
  const llm = scriptedLlm(() => []);
  const { result, searched, tokens } = await turn({ query: 'Hello!', history: talk(30), llm });
  expect(result).toMatchObject({
    intent: 'greeting',
    sources: [],
    errors: [],
    llm: {},
    compacted: false,
    answer_confidence: { level: 'none', reason: 'direct_intent' },
    retrieval_quality: { status: 'not_evaluated' },
  });
  expect(result.history).toEqual([...talk(30), { role: 'user', content: 'Hello!' }, { role: 'assistant', content: result.answer }]);
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect([searched, llm.requests]).toEqual([[], []]);
  expect((await turn({ query: 'Hello!', settings: { intent_routing: { enabled: false } } })).result.intent).toBe('rag');
});

test('a collection that is missing is a retrieve error without an answer', async () => {
  const llm = scriptedLlm(() => []);
  const missing = failing(new KbError('not_found', 'There is no collection «nowhere».', { isRetryable: true }));
  const { result, failures } = await turn({ llm, parts: { retrieve: missing }, history: talk(2) });
  expect(result.errors).toEqual([
    { source: query, source_kind: 'query', stage: 'retrieve', error: 'There is no collection «nowhere».', isRetryable: true, attempts: 1 },
  ]);
  expect(failures).toEqual(result.errors);
  expect(result.retrieval).toEqual({ query, search_query: query, retrieved: 0, outputs: [], failed: 1, errors: result.errors });
  expect(result).toMatchObject({
    answer: '',
    sources: [],
    llm: {},
    history: talk(2),
    retrieval_quality: { status: 'not_evaluated' },
    answer_confidence: { reason: 'errors' },
  });
  expect(llm.requests).toEqual([]);
});

test('a search that failed in part is told of, and what it found is answered from', async () => {
  const error: ErrorItem = {
    source: query,
    source_kind: 'query',
    stage: 'rerank',
    error: 'The reranker is away.',
    isRetryable: true,
    attempts: 3,
  };
  const { result, failures } = await turn({
    parts: {
      // oxlint-disable-next-line require-yield
      async *retrieve(search_query) {
        return { query, search_query, retrieved: 3, items, failed: 1, errors: [error] };
      },
    },
  });
  expect(result).toMatchObject({ answer: 'Every 90 days [1].', errors: [error], retrieval: { failed: 1, errors: [error] } });
  expect(failures).toEqual([error]);
});

test('what the caller has to mend, and a stop, end the work', async () => {
  for (const code of ['setup', 'configuration', 'aborted'] as const) {
    await expect(turn({ parts: { retrieve: failing(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
    await expect(turn({ parts: { llm: () => Promise.reject(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
  }
});

test('in mode return_no_answer weak retrieval gives nothing but a quality error', async () => {
  const llm = scriptedLlm(() => []);
  const { result, failures, tokens } = await turn({ llm, quality: { min_retrieval_score: 0.99, low_confidence_mode: 'return_no_answer' } });
  expect(result).toMatchObject({
    answer: '',
    sources: [],
    llm: {},
    history: [],
    retrieval_quality: {
      status: 'low_confidence',
      mode: 'return_no_answer',
      passed_chunks: 0,
      rejected_chunks: 3,
      min_retrieval_score: 0.99,
    },
  });
  expect(result.answer_confidence).toEqual({ level: 'none', reason: 'retrieval_quality_low_confidence' });
  expect(result.errors).toEqual([expect.objectContaining({ stage: 'quality', source_kind: 'chat' })]);
  expect(failures).toEqual(result.errors);
  expect([tokens, llm.requests]).toEqual([[], []]);
});

test.each([
  ['ask_clarifying_question', /\?/],
  ['refuse_grounded_answer', /cannot answer/],
] as const)('in mode %s weak retrieval is answered without the model and without sources', async (low_confidence_mode, words) => {
  const llm = scriptedLlm(() => []);
  const { result } = await turn({ llm, quality: { min_retrieval_score: 0.99, low_confidence_mode } });
  expect(result.answer).toMatch(words);
  expect(result).toMatchObject({
    sources: [],
    errors: [],
    retrieval_quality: { status: 'low_confidence', mode: low_confidence_mode },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(result.history.at(-1)!.content).toBe(result.answer);
  expect(llm.requests).toEqual([]);
});

test('in mode answer_with_caution the best rejected chunks are answered from, with low confidence and a cautious prompt', async () => {
  const llm = scriptedLlm(() => ['Perhaps so [1].']);
  const { result } = await turn({ llm, quality: { min_retrieval_score: 0.99, max_context_chunks: 2 } });
  expect(result).toMatchObject({
    answer: 'Perhaps so [1].',
    answer_confidence: { level: 'low', reason: 'retrieval_quality_low_confidence' },
    retrieval_quality: { status: 'low_confidence', passed_chunks: 0 },
  });
  expect(result.sources.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(said(llm.requests[0]!)).toMatch(/cautious/);
});

test('where nothing was found the model is not asked', async () => {
  const llm = scriptedLlm(() => []);
  const nothing: ChatParts['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      return { query, search_query, retrieved: 0, items: [], failed: 0, errors: [] };
    };
  const { result } = await turn({ llm, parts: { retrieve: nothing } });
  expect(result).toMatchObject({
    answer: 'The sources do not answer this.',
    sources: [],
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(llm.requests).toEqual([]);
});

test('a model that declines gets the outcome of the mode, whatever the gate said', async () => {
  const llm = () => scriptedLlm(() => ['[', '0] The sources', ' do not say.']);
  const shown = await turn({ llm: llm() });
  expect(shown.result).toMatchObject({
    answer: 'The sources do not say.',
    retrieval_quality: { status: 'low_confidence', passed_chunks: 2 },
    answer_confidence: { level: 'none', reason: 'retrieval_quality_low_confidence' },
  });
  expect(shown.result.sources.map(({ cited }) => cited)).toEqual([false, false]);
  const silent = await turn({ llm: llm(), quality: { low_confidence_mode: 'return_no_answer' } });
  expect(silent.result).toMatchObject({
    answer: '',
    sources: [],
    retrieval_quality: { status: 'low_confidence' },
    answer_confidence: { level: 'none' },
    errors: [{ stage: 'quality' }],
    llm: { provider: 'scripted' },
  });
  expect(silent.tokens).toEqual([]);
  const asked = await turn({ llm: llm(), quality: { low_confidence_mode: 'ask_clarifying_question' } });
  expect(asked.result.answer).toMatch(/\?$/);
  expect(asked.tokens.map(({ data }) => data.text)).toEqual([asked.result.answer]);
});

test('a citation of nothing is taken out before it is sent, and reported', async () => {
  const { result, tokens, failures } = await turn({ llm: scriptedLlm(() => ['So it is [1', '], says the law [', '9].']) });
  expect(result.answer).toBe('So it is [1], says the law.');
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect(result.sources.map(({ cited }) => cited)).toEqual([true, false]);
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', source_kind: 'chat', error: expect.stringContaining('[9]') })]);
  expect(result).toMatchObject({ errors: failures, answer_confidence: { level: 'high' } });
});

test('a model that dies in its answer leaves an error, no answer, and the history as it was', async () => {
  const llm = scriptedLlm(() => [
    'Kestrel ',
    new KbError('unavailable', 'The connection to scripted broke.', { isRetryable: true, attempts: 2 }),
  ]);
  const { result, failures } = await turn({ llm, history: talk(2) });
  expect(failures).toEqual([expect.objectContaining({ stage: 'generate', isRetryable: true, attempts: 2 })]);
  expect(result).toMatchObject({
    answer: '',
    llm: {},
    errors: failures,
    history: talk(2),
    answer_confidence: { level: 'none', reason: 'errors' },
  });
});

test('a model that says nothing has failed', async () => {
  const { result } = await turn({ llm: scriptedLlm(() => [' ', '[9]']) });
  expect(result).toMatchObject({ answer: '', errors: [{ stage: 'generate', isRetryable: true }], answer_confidence: { reason: 'errors' } });
});

test('a reader that leaves stops the model', async () => {
  const llm = scriptedLlm(() => ['one ', 'two ', 'three ']);
  const run = chat(
    { query, history: [], settings: DEFAULTS.chat },
    {
      // oxlint-disable-next-line require-yield
      async *retrieve(search_query) {
        return { query, search_query, retrieved: 3, items, failed: 0, errors: [] };
      },
      llm: async () => llm,
      min_retrieval_score: 0.5,
    },
  );
  for await (const event of run) if (event.type === 'token') break;
  expect(llm.stopped).toBe(1);
});

const rewriting = { query_rewrite: { enabled: true } };
const forRewrite = (text: string | Error) => scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [text]));

test('a follow-up is searched for in the words of the rewrite, and answered in the words of the user', async () => {
  const llm = forRewrite('filter of the pump');
  const { result, searched, stages } = await turn({ query: 'And the filter?', history: talk(2), settings: rewriting, llm });
  expect(searched).toEqual(['filter of the pump']);
  expect(result.retrieval).toMatchObject({ query: 'And the filter?', search_query: 'filter of the pump' });
  expect(stages).toContain('rewrite');
  expect(said(llm.requests[1]!)).toMatch(/Question: And the filter\?$/);
  expect(result.history.at(-2)!.content).toBe('And the filter?');
});

test('a rewrite that fails falls back to the question, with an error and an answer', async () => {
  for (const broken of ['', 'terms '.repeat(500), new KbError('invalid', 'No.')]) {
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

test('a question is not rewritten unless the settings say so and something was said before', async () => {
  expect((await turn({ query: 'And it?', history: talk(2), llm: forRewrite('x') })).searched).toEqual(['And it?']);
  expect((await turn({ query: 'And it?', settings: rewriting, llm: forRewrite('x') })).searched).toEqual(['And it?']);
});

const compaction = { history_compaction: { enabled: true, history_limit: 6, keep_recent: 2 } };

test('a long history is summarized: the prompt and the result carry the summary and the newest messages', async () => {
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
  expect(said(llm.requests[1]!)).toMatch(/SUMMARY of remarks\nRemark 9/);
  expect(said(llm.requests[1]!)).not.toMatch(/Remark 8/);
});

test('a turn without an answer leaves the history as it was given, also after a summary', async () => {
  const llm = scriptedLlm(() => ['SUMMARY of remarks']);
  const quality = { min_retrieval_score: 0.99, low_confidence_mode: 'return_no_answer' } as const;
  const { result } = await turn({ history: talk(10), settings: compaction, llm, quality });
  expect(llm.requests).toHaveLength(1);
  expect(result).toMatchObject({ answer: '', compacted: false, history: talk(10) });
});

test('a summary that fails loses nothing', async () => {
  const llm = scriptedLlm((request) => (request.grounding.sources.length > 0 ? ['So it is [1].'] : [new KbError('invalid', 'No.')]));
  const { result } = await turn({ history: talk(10), settings: compaction, llm });
  expect(result).toMatchObject({ compacted: false, answer: 'So it is [1].', errors: [{ stage: 'compact', source_kind: 'chat' }] });
  expect(result.history).toHaveLength(12);
});
