import { expect, test } from 'vitest';
import { KbError, partialResultOf } from '../../../src/core/errors.ts';
import { progress } from '../../../src/core/run.ts';
import type { ErrorItem } from '../../../src/schema/items.ts';
import { ChatResult } from '../../../src/schema/answers.ts';
import type { ChatSearch } from '../../../src/stages/chat/turn-record.ts';
import { MAX_QUERY_LENGTH } from '../../../src/schema/fields.ts';
import { scriptedLlm } from './scripted-llm.ts';
import { failing, items, query, talk, turn } from './scene.ts';

test('an answer has every field of the result, and reports its stages in order', async () => {
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
    llm: { provider: 'scripted', model: 'test-model', input_tokens: 1100, output_tokens: 7 },
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
    unsupported: [],
    compacted: false,
    intent: 'rag',
  });
  expect(stages).toEqual(['chat', 'intent', 'chat', 'retrieval', 'quality', 'generation']);
  expect(events[0]).toEqual(progress('chat', { query }));
  expect(events.filter(({ data }) => 'retrieved' in data).map(({ data }) => data)).toEqual([
    { retrieved: 3, failed: 0, search_query: query },
  ]);
  expect(tokens[0]).toEqual({ type: 'token', stage: 'generation', message: '', data: { text: 'Every 90 days [1]' } });
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
});

test.each([undefined, null, '', '  \n', 7, ['a'], { text: 'a' }])(
  'rejects the query %j with a validate error, and opens nothing',
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

test('rejects a query that is too long, and names the limit', async () => {
  const { result, searched } = await turn({ query: 'x'.repeat(MAX_QUERY_LENGTH + 1) });
  expect(result.errors).toEqual([
    expect.objectContaining({ stage: 'validate', source: '', error: expect.stringContaining('100001 characters, of at most 100000') }),
  ]);
  expect(searched).toEqual([]);
  expect((await turn({ query: 'x'.repeat(MAX_QUERY_LENGTH) })).result.errors).toEqual([]);
});

test('answers small talk without retrieval and without a model', async () => {
  const llm = scriptedLlm(() => []);
  const { result, searched, tokens } = await turn({ query: 'Hello!', history: talk(12), llm });
  expect(result).toMatchObject({
    intent: 'greeting',
    sources: [],
    errors: [],
    llm: {},
    compacted: false,
    answer_confidence: { level: 'none', reason: 'direct_intent' },
    retrieval_quality: { status: 'not_evaluated' },
  });
  expect(result.history).toEqual([...talk(12), { role: 'user', content: 'Hello!' }, { role: 'assistant', content: result.answer }]);
  expect(tokens.map(({ data }) => data.text).join('')).toBe(result.answer);
  expect([searched, llm.requests]).toEqual([[], []]);
  expect((await turn({ query: 'Hello!', settings: { intent_routing: { enabled: false } } })).result.intent).toBe('rag');
});

test('reports a missing collection as a retrieve error without an answer', async () => {
  const llm = scriptedLlm(() => []);
  const missing = failing(new KbError('not_found', 'There is no collection "nowhere".', { isRetryable: true }));
  const { result, failures } = await turn({ llm, search: { retrieve: missing }, history: talk(2) });
  expect(result.errors).toEqual([
    { source: query, source_kind: 'query', stage: 'retrieve', error: 'There is no collection "nowhere".', isRetryable: true, attempts: 1 },
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

test('reports a partly failed search, and answers from what it found', async () => {
  const error: ErrorItem = {
    source: query,
    source_kind: 'query',
    stage: 'rerank',
    error: 'The reranker is away.',
    isRetryable: true,
    attempts: 3,
  };
  const { result, failures } = await turn({
    search: {
      // oxlint-disable-next-line require-yield
      async *retrieve(search_query) {
        return { query, search_query, retrieved: 3, items, failed: 1, errors: [error] };
      },
    },
  });
  expect(result).toMatchObject({ answer: 'Every 90 days [1].', errors: [error], retrieval: { failed: 1, errors: [error] } });
  expect(failures).toEqual([error]);
});

test('throws errors that the caller must fix, and a stop', async () => {
  for (const code of ['setup', 'configuration', 'aborted'] as const) {
    await expect(turn({ search: { retrieve: failing(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
    await expect(turn({ parts: { llm: () => Promise.reject(new KbError(code, 'No.')) } })).rejects.toThrow('No.');
  }
});

test('an error that ends the work carries the result so far, with the history unchanged', async () => {
  const history = talk(20);
  const stopped = new KbError('aborted', 'Stopped.');
  const llm = scriptedLlm(({ grounding }) => (grounding.sources.length > 0 ? ['Every ', stopped] : [new KbError('unavailable', 'Away.')]));
  const settings = { query_rewrite: { enabled: true } };
  await expect(turn({ query: 'And the filter?', history, settings, llm })).rejects.toBe(stopped);
  const partial = ChatResult.parse(partialResultOf(stopped));
  expect(partialResultOf(stopped)).toEqual(partial);
  expect(partial).toMatchObject({
    answer: '',
    sources: [],
    history,
    compacted: false,
    retrieval: { search_query: 'And the filter?', retrieved: 3, outputs: items },
    retrieval_quality: { status: 'passed' },
    answer_confidence: { reason: 'errors' },
    llm: {},
  });
  expect(partial.errors.map(({ stage }) => stage)).toEqual(['compact', 'rewrite']);
});

test('a search that is stopped after it ended carries what it found', async () => {
  const stop = new AbortController();
  const retrieve: ChatSearch['retrieve'] =
    // oxlint-disable-next-line require-yield
    async function* (search_query) {
      stop.abort();
      return { query, search_query, retrieved: 3, items, failed: 0, errors: [] };
    };
  const error: unknown = await turn({ search: { retrieve }, parts: { signal: stop.signal } }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'aborted' });
  expect(partialResultOf(error)).toMatchObject({ retrieval: { outputs: items }, retrieval_quality: { status: 'not_evaluated' } });
});

test('the beginning of a long question is searched for, and the model reads all of it', async () => {
  const long = `${'word '.repeat(10_000)}end`;
  const llm = scriptedLlm(() => ['Every 90 days [1].']);
  const { result, searched } = await turn({ query: long, llm });
  expect([result.retrieval.query, result.history.at(-2)!.content]).toEqual([long, long]);
  expect(searched).toEqual([result.retrieval.search_query]);
  expect([result.retrieval.search_query.length, long.startsWith(result.retrieval.search_query)]).toEqual([5_000, true]);
  expect(llm.requests[0]!.messages.at(-1)!.content).toContain(long);
});
