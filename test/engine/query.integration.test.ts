import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { collect, settle } from '../../src/core/run.ts';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { retrieve } from '../../src/engine/query.ts';
import { createResources } from '../../src/engine/resources.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';
import { engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const RULES = [
  { source: 'gate', text: 'The gate is locked at ten in the evening. The key hangs in the office.', metadata: { year: 2020 } },
  { source: 'bell', text: 'The bell rings at noon. The error ERR-4042 means that its rope is torn.', metadata: { year: 2024 } },
  { source: 'lamp', text: 'The lamp at the harbour is lit at six. Nobody needs to do that by hand.', metadata: { year: 2026 } },
];
/** A direction for each of the three things: what a model that understands them would say. */
const vector = (text: string): number[] => ['gate', 'bell', 'lamp'].map((word) => (new RegExp(word, 'i').test(text) ? 1 : 0.01));

async function filled(settings = WORDS, home = folder()): Promise<Engine> {
  const engine = engineIn(home, settings);
  await result(engine, 'ingest', { markdown: RULES });
  return engine;
}

const ids = (items: { metadata: Record<string, unknown> }[]) => items.map(({ metadata }) => metadata.source);

describe('retrieve', () => {
  it('finds by words, by meaning and by both', async () => {
    const { settings } = await modelServer({ vector });
    const engine = await filled(settings);
    const ARMS = { text: ['text', 'bigrams'], vector: ['vector'], hybrid: ['text', 'vector', 'bigrams', 'centroid'] };
    for (const mode of ['text', 'vector', 'hybrid'] as const) {
      const { items, errors } = await result(engine, 'retrieve', { query: 'When is the gate locked?', mode, explain: true });
      expect(errors).toEqual([]);
      expect(ids(items)[0]).toBe('gate');
      expect(items[0]).toMatchObject({ chunk_id: items[0]!.id, text: RULES[0]!.text, metadata: { source: 'gate', year: 2020 } });
      expect(items.filter(({ score }) => !(score >= 0 && score <= 1))).toEqual([]);
      expect(Object.keys(items[0]!.explain!)).toEqual([...ARMS[mode], 'fused_score']);
    }
  });

  it('asks no model where it searches by words', async () => {
    const home = folder();
    const { settings, server } = await modelServer({ vector });
    const engine = await filled(settings, home);
    const asked = server.requests.length;
    expect((await result(engine, 'retrieve', { query: 'ERR-4042', mode: 'text', top_k: 1 })).retrieved).toBe(1);
    expect(server.requests.length).toBe(asked);
  });

  it('narrows before it searches', async () => {
    const engine = await filled();
    const query = 'the at is';
    expect(ids((await result(engine, 'retrieve', { query: 'gate bell lamp', filter: { year: { gte: 2024 } } })).items).toSorted()).toEqual([
      'bell',
      'lamp',
    ]);
    expect(ids((await result(engine, 'retrieve', { query: 'gate bell lamp', filter: { source: 'gate' } })).items)).toEqual(['gate']);
    expect((await result(engine, 'retrieve', { query, filter: { year: 1999 } })).items).toEqual([]);
  });

  it('gives a chunk the score that the gate of a chat gives it, for questions that ask two things too', async () => {
    const engine = await filled();
    const questions = [
      'When is the gate locked?',
      'When is the gate locked and when does the bell ring?',
      'The lamp, and what does ERR-4042 mean?',
    ];
    for (const query of questions) {
      const { items } = await result(engine, 'retrieve', { query });
      for (const { score } of items) {
        const quality = { min_retrieval_score: score, max_context_chunks: 10 };
        const turn = await result(engine, 'chat', { query, retrieval_quality: quality });
        expect(turn.retrieval.outputs).toEqual(items);
        expect(turn.retrieval_quality.passed_chunks).toBe(items.filter((item) => item.score >= score).length);
      }
    }
  });

  it('says which field of a filter no chunk has, and which there are', async () => {
    const engine = await filled();
    const found = (filter: Filter) => result(engine, 'retrieve', { query: 'gate bell lamp', filter });
    const slip = await found({ yaer: 2024, source: 'gate' });
    expect(slip).toMatchObject({ retrieved: 0, failed: 0, errors: [] });
    expect(slip.notice).toBe('The filter lets nothing through: no chunk of «default» has the field «yaer». Did you mean «year»?');
    expect((await found({ zzzzzzzz: 1 })).notice).toMatch(/«zzzzzzzz»\. There are file_type, source, source_kind, title, year\.$/);
    const beside = await found({ not: { yaer: 2024 } });
    expect(beside.items.length).toBeGreaterThan(0);
    expect(beside.notice).toMatch(/^The filter names an unknown field: .*«yaer»\. Did you mean «year»\?$/);
    expect(await found({ not: { year: 1999 } })).not.toHaveProperty('notice');
    expect(await found({ year: 1999 })).not.toHaveProperty('notice');
    expect(await found({ year: 2024 })).not.toHaveProperty('notice');
    const turn = await result(engine, 'chat', { query: 'When is the gate locked?', filter: { yaer: 2020 } });
    expect(turn.errors).toEqual([expect.objectContaining({ stage: 'retrieve', error: slip.notice, isRetryable: false })]);
  });

  it('lists a missing collection as an error that may pass, and refuses what can not be asked of it', async () => {
    const engine = engineIn(folder());
    expect(await result(engine, 'retrieve', { query: 'gate' })).toEqual({
      query: 'gate',
      search_query: 'gate',
      retrieved: 0,
      items: [],
      failed: 1,
      errors: [expect.objectContaining({ source: 'gate', source_kind: 'query', stage: 'retrieve', isRetryable: true, attempts: 1 })],
    });
    const words = await filled();
    await expect(result(words, 'retrieve', { query: 'gate', mode: 'vector' })).rejects.toMatchObject({ code: 'usage' });
    await expect(result(words, 'retrieve', { query: '' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('query'),
    });
    await expect(result(words, 'retrieve', { query: 'x', topk: 3 } as never)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('topk'),
    });
  });

  it('reports a model that does not answer', async () => {
    const home = folder();
    const { settings, server } = await modelServer({ vector });
    const engine = await filled(settings, home);
    await server.close();
    const down = engineIn(home, { embedding: { ...(settings.embedding as object), options: { base_url: server.url } } });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await expect(result(down, 'retrieve', { query: 'gate' }, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect(ids((await result(engine, 'retrieve', { query: 'gate', mode: 'text', top_k: 1 })).items)).toEqual(['gate']);
  });

  it('keeps the best of what it reorders', async () => {
    const engine = await filled();
    const { items, retrieved } = await result(engine, 'retrieve', { query: 'When does the bell ring?', use_rerank: true, rerank_top_k: 1 });
    expect([retrieved, ids(items)]).toEqual([1, ['bell']]);
    expect(items[0]!.rerank_score).toEqual(expect.any(Number));
  });
});

it('tells of a collection that is not there which one was probably meant', async () => {
  const engine = await filled();
  const { errors } = await result(engine, 'retrieve', { query: 'gate', collection: 'defalt' });
  expect(errors[0]!.error).toMatch(/^There is no collection «defalt»\. Did you mean «default»\? Create it with/);
  const far = await result(engine, 'retrieve', { query: 'gate', collection: 'something-else' });
  expect(far.errors[0]!.error).toMatch(/^There is no collection «something-else»\. Create it with/);
});

describe('a query that is rewritten for the search', () => {
  const followUp = { query: 'When is it locked?', use_query_rewrite: true, mode: 'text' as const };

  it('carries the question that it follows, without a model', async () => {
    const engine = await filled();
    const rewritten = await result(engine, 'retrieve', { ...followUp, rewrite_context: 'What about the gate?' });
    expect(rewritten).toMatchObject({
      query: followUp.query,
      search_query: `What about the gate? ${followUp.query}`,
      failed: 0,
      errors: [],
    });
    expect(ids(rewritten.items)[0]).toBe('gate');
  });

  it('stays as it is where nothing was said before, or nobody asks for it', async () => {
    const engine = await filled();
    for (const request of [
      followUp,
      { ...followUp, rewrite_context: ' ' },
      { ...followUp, use_query_rewrite: false, rewrite_context: 'What about the gate?' },
      { ...followUp, session_context: ' ' },
      { ...followUp, use_query_rewrite: false, session_context: 'The gate.' },
    ])
      expect((await result(engine, 'retrieve', request)).search_query).toBe(followUp.query);
  });

  it('brings the subject of the conversation where the question has none', async () => {
    const rewritten = await result(await filled(), 'retrieve', { ...followUp, session_context: 'The gate.' });
    expect(rewritten).toMatchObject({ query: followUp.query, search_query: `The gate. ${followUp.query}`, failed: 0 });
    expect(ids(rewritten.items)[0]).toBe('gate');
  });

  it('is written by the model, which is told what was said and what it is about', async () => {
    const { settings, server } = await modelServer({ vector, reply: () => 'locking time of the gate' });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm } });
    const rewriting = { rewrite_context: 'What about the gate?', session_context: 'The keeper asks.' };
    const { events, result: done } = await collect(engine.run('retrieve', { ...followUp, ...rewriting }));
    expect(done).toMatchObject({ query: followUp.query, search_query: 'locking time of the gate', errors: [] });
    expect(events.find(({ stage }) => stage === 'rewrite')?.data).toEqual({ query: followUp.query, search_query: done.search_query });
    const asked = server.requests.find(({ path }) => path === '/v1/chat/completions');
    expect(JSON.stringify(asked!.body.messages)).toMatch(/The keeper asks\..*What about the gate\?.*When is it locked\?/);
  });

  it.each([
    ['', 'empty'],
    ['gate '.repeat(500), 'longer'],
    [{ status: 400, error: { message: 'No such model.' } }, 'No such model'],
  ])('is searched for as it was where the rewriting fails (%#)', async (reply, reason) => {
    const { settings, server } = await modelServer({ vector, reply: () => reply });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm } });
    const { events, result: done } = await collect(engine.run('retrieve', { ...followUp, rewrite_context: 'What about the gate?' }));
    const item = expect.objectContaining({
      stage: 'rewrite',
      source: followUp.query,
      source_kind: 'query',
      error: expect.stringContaining(reason),
    });
    expect(done).toMatchObject({ search_query: followUp.query, failed: 0, errors: [item] });
    expect(done.retrieved).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === 'error').map(({ data }) => data)).toEqual(done.errors);
  });

  it('ends the work where the model has no key', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const engine = await filled({ ...WORDS, chat: { llm: { provider: 'openai', model: 'm' } } });
    await expect(result(engine, 'retrieve', { ...followUp, rewrite_context: 'What about the gate?' })).rejects.toMatchObject({
      code: 'setup',
    });
  });
});

describe('query', () => {
  it('answers as retrieve does for the same settings', async () => {
    const engine = await filled();
    const query = 'When does the bell ring?';
    const context = 'What about the bell?';
    for (const [retrieval, flat] of [
      [{}, {}],
      [
        { top_k: 1, mode: 'text', collection: 'default', explain: true },
        { top_k: 1, mode: 'text', collection: 'default', explain: true },
      ],
      [{ filter: { year: { gte: 2024 } } }, { filter: { year: { gte: 2024 } } }],
      [{ rerank: { enabled: true, top_k: 1 } }, { use_rerank: true, rerank_top_k: 1 }],
      [
        { use_rerank: true, reranker: 'local', rerank_top_k: 1 },
        { use_rerank: true, rerank_top_k: 1 },
      ],
      [{ query_rewrite: { enabled: true, context } }, { use_query_rewrite: true, rewrite_context: context }],
      [{ collection: 'absent' }, { collection: 'absent' }],
    ] as const) {
      const nested = await result(engine, 'query', { query, embedding: { provider: 'none' }, retrieval });
      expect(nested).toEqual(await result(engine, 'retrieve', { query, provider: 'none', ...flat }));
    }
    expect((await result(engine, 'query', { query })).retrieved).toBe(1);
  });

  it('names a field by its path', async () => {
    await expect(result(engineIn(folder()), 'query', { query: 'x', retrieval: { rerank: { top_k: 0 } } })).rejects.toMatchObject({
      code: 'usage',
      message: 'retrieval.rerank.top_k: at least 1 is expected.',
    });
  });
});

describe('chat', () => {
  it('answers from the collection and cites what it quotes, streamed as it comes', async () => {
    const { events, result: done } = await collect((await filled()).run('chat', { query: 'When is the gate locked?' }));
    expect(done.answer).toMatch(/locked at ten[^]*\[1\]/);
    expect(done).toMatchObject({ intent: 'rag', errors: [], answer_confidence: { level: 'high' }, llm: { provider: 'local' } });
    expect(done.sources[0]).toMatchObject({ citation: 1, cited: true, metadata: { source: 'gate' } });
    expect(done.history).toEqual([
      { role: 'user', content: 'When is the gate locked?' },
      { role: 'assistant', content: done.answer },
    ]);
    const streamed = events.filter(({ type }) => type === 'token').map(({ data }) => data.text);
    expect(streamed.join('').trim()).toBe(done.answer.trim());
    expect([...new Set(events.map(({ stage }) => stage))]).toEqual(['chat', 'intent', 'retrieval', 'quality', 'generation']);
  });

  it('gives a model the passages and shows its answer', async () => {
    const { settings, server } = await modelServer({ vector, reply: () => 'At ten in the evening [1].' });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm } });
    const done = await result(engine, 'chat', { query: 'When is the gate locked?' });
    expect(done).toMatchObject({
      answer: 'At ten in the evening [1].',
      errors: [],
      llm: { provider: 'openai_compatible', model: 'test-llm', output_tokens: 7 },
    });
    expect(JSON.stringify(server.requests.at(-1)!.body.messages)).toContain('The gate is locked at ten');
  });

  it('opens nothing for a greeting', async () => {
    const home = folder();
    const engine = engineIn(home, { embedding: { provider: 'openai' }, chat: { llm: { provider: 'openai' } } });
    const done = await result(engine, 'chat', { query: 'Hello!' });
    expect(done).toMatchObject({ intent: 'greeting', errors: [], answer_confidence: { level: 'none', reason: 'direct_intent' }, llm: {} });
    expect(done.answer).not.toBe('');
    expect(existsSync(join(home, '.kb'))).toBe(false);
  });

  it('lists a missing collection, and one of another embedder', async () => {
    const home = folder();
    const { settings } = await modelServer({ vector });
    const missing = await result(engineIn(home), 'chat', { query: 'When is the gate locked?' });
    expect(missing).toMatchObject({
      answer: '',
      history: [],
      retrieval: { failed: 1 },
      retrieval_quality: { status: 'not_evaluated' },
      answer_confidence: { level: 'none', reason: 'errors' },
      errors: [{ stage: 'retrieve', source_kind: 'query', isRetryable: true }],
    });
    await filled(settings, home);
    const other = await result(engineIn(home), 'chat', { query: 'When is the gate locked?' });
    expect(other).toMatchObject({
      answer: '',
      errors: [{ stage: 'retrieve', error: expect.stringContaining('kb collections reembed default') }],
    });
  });

  it('takes anything for a query, and says what is wrong with it', async () => {
    const engine = engineIn(folder());
    for (const request of [{}, ...['', '   ', undefined, 5, { a: 1 }].map((query) => ({ query }))])
      expect(await result(engine, 'chat', request)).toMatchObject({ answer: '', errors: [{ stage: 'validate', source_kind: 'chat' }] });
  });

  it('lets a request choose what happens with weak passages', async () => {
    const engine = await filled();
    const weak = { min_retrieval_score: 1, low_confidence_mode: 'return_no_answer' } as const;
    const done = await result(engine, 'chat', { query: 'When is the gate locked?', retrieval_quality: weak });
    expect(done).toMatchObject({
      answer: '',
      sources: [],
      retrieval_quality: { status: 'low_confidence', mode: 'return_no_answer', passed_chunks: 0 },
    });
    expect(done.errors).toMatchObject([{ stage: 'quality', source_kind: 'chat' }]);
  });

  it('explains what became of every passage, and shows the prompt where it is asked for, without the key', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-test-secret-of-the-bell');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { settings, server } = await modelServer({ vector, reply: () => 'At ten in the evening [1].' });
    vi.stubEnv('OPENAI_BASE_URL', server.url);
    const engine = await filled({ ...settings, chat: { llm: { provider: 'openai', model: 'test-llm' } }, rerank: { enabled: true } });
    const query = 'When is the gate locked?';
    const done = await result(engine, 'chat', { query, explain: true, retrieval_quality: { min_retrieval_score: 0.5 } });
    const { passages, calls, stages, thresholds, window } = done.explain!;
    expect(passages.map(({ rank, source }) => `${rank} ${source}`)[0]).toBe('1 gate');
    expect(passages[0]).toMatchObject({ citation: 1, cited: true, rerank_score: expect.any(Number) });
    expect(Object.keys(passages[0]!.arms!)).toEqual(['text', 'vector', 'bigrams', 'centroid', 'fused_score', 'rerank']);
    expect(passages.filter(({ rejected }) => rejected === 'min_retrieval_score')).toHaveLength(2);
    expect(calls).toEqual([expect.objectContaining({ stage: 'generate', provider: 'openai', model: 'test-llm', output_tokens: 7 })]);
    expect(stages.map(({ stage }) => stage)).toEqual(['compact', 'rewrite', 'retrieval', 'rerank', 'quality', 'generation']);
    expect(thresholds).toMatchObject({ min_retrieval_score: 0.5 });
    expect(window).toEqual({ context_window: 128_000, max_tokens: 1024 });
    const shown = await result(engine, 'chat', { query, show_prompt: true });
    expect(shown.explain!.calls[0]!.messages).toEqual(server.requests.at(-1)!.body.messages);
    expect(JSON.stringify(shown)).not.toContain('sk-test-secret');
  });

  it('asks once more with less where the prompt is too long for the model, and then gives up', async () => {
    const refusal = {
      status: 400,
      error: {
        message: "This model's maximum context length is 90 tokens.",
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
      },
    };
    let refusals = 1;
    const { settings, server } = await modelServer({ vector, reply: () => (refusals-- > 0 ? refusal : 'At ten [1].') });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm, retrieval_quality: { min_retrieval_score: 0 } } });
    const asked = () => server.requests.filter(({ path }) => path === '/v1/chat/completions').length;
    const done = await result(engine, 'chat', { query: 'When is the gate locked?' });
    expect(done).toMatchObject({ answer: 'At ten [1].', errors: [{ stage: 'generate', error: expect.stringContaining('too long') }] });
    expect([done.sources.length, asked()]).toEqual([2, 2]);
    refusals = 9;
    const failed = await result(engine, 'chat', { query: 'When is the gate locked?' });
    expect(failed).toMatchObject({
      answer: '',
      errors: [{ stage: 'generate', attempts: 2, isRetryable: false, error: expect.stringContaining('context length') }],
    });
    expect(asked()).toBe(4);
  });

  it('sends no more than the window holds, however long the conversation is', async () => {
    const { settings, server } = await modelServer({ vector, reply: () => 'At ten [1].' });
    const llm = {
      provider: 'openai_compatible',
      model: 'test-llm',
      context_window: 2000,
      max_tokens: 300,
      options: { base_url: server.url },
    };
    const engine = await filled({ ...settings, chat: { llm, retrieval_quality: { min_retrieval_score: 0 } } });
    const history = Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 ? ('assistant' as const) : ('user' as const),
      content: `Remark ${i}. `.repeat(300),
    }));
    const done = await result(engine, 'chat', { query: 'When is the gate locked?', history });
    expect(done.answer).toBe('At ten [1].');
    for (const { body } of server.requests.filter(({ path }) => path === '/v1/chat/completions')) {
      const letters = body.messages!.reduce((sum, { content }) => sum + content.length, 0);
      expect(letters / 3.5).toBeLessThan(1700);
    }
    expect(done.errors.map(({ error }) => error).join()).toMatch(/too long for the model/);
  });

  it('verifies citations where a request asks for it', async () => {
    const { settings, server } = await modelServer({ vector, reply: () => 'The gate is locked at ten [1]. Nine zebras guard it [1].' });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm } });
    const done = await result(engine, 'chat', { query: 'When is the gate locked?', verify_citations: true });
    expect(done).toMatchObject({
      unsupported: [{ sentence: 'Nine zebras guard it [1].', citations: [1] }],
      answer_confidence: { level: 'low', reason: 'citations_unsupported' },
    });
    const quoted = await result(await filled(), 'chat', { query: 'When is the gate locked?', verify_citations: true });
    expect(quoted).toMatchObject({ unsupported: [], answer_confidence: { level: 'high' } });
  });

  it('asks on without the same quotation twice', async () => {
    const engine = await filled();
    const query_rewrite = { enabled: true };
    const first = await result(engine, 'chat', { query: 'When is the gate locked?', query_rewrite });
    expect(first.answer).toContain('The gate is locked at ten in the evening.');
    const second = await result(engine, 'chat', { query: 'why?', history: first.history, query_rewrite });
    expect(second.answer).not.toContain('locked at ten');
    expect(second.answer).toBe('The sources say no more about this.');
  });

  it('tells while it waits for a model that is busy', async () => {
    const { server, settings } = await modelServer({
      reply: (_request, count) => (count === 1 ? { status: 429, headers: { 'retry-after': '0.01' } } : 'At ten [1].'),
    });
    const engine = await filled({ ...WORDS, chat: { llm: { ...(settings.embedding as Layer), provider: 'openai_compatible' } } } as Layer);
    const { events, result: turn } = await collect(engine.run('chat', { query: 'When is the gate locked?' }));
    expect([turn.answer, turn.errors, server.requests.length]).toEqual(['At ten [1].', [], 2]);
    expect(events.filter(({ data }) => 'wait' in data)).toEqual([
      expect.objectContaining({
        type: 'progress',
        stage: 'generation',
        message: expect.stringMatching(/^Waiting 1 s, then trying again \(2 of 4\): openai_compatible answered 429/),
        data: expect.objectContaining({ wait: 0.01, attempt: 2, attempts: 4 }),
      }),
    ]);
  });
});

it('goes without the bundled embedder in a search by words where that can not be opened, but not where something is broken or stopped', async () => {
  const home = folder();
  const config = Config.parse(mergeLayers(DEFAULTS, { storage: { url: home }, retrieval: { mode: 'text' } } as Layer));
  const real = createResources({ config, home, surface: 'cli' });
  onTestFinished(() => real.close());
  const store = await real.store(config.storage);
  const collection = await store.create({ name: config.collection, provider: 'local', model: 'all-minilm-l6-v2', dimensions: 3 });
  await collection.upsert([
    { id: 'gate', text: 'The gate is locked at ten.', source: 'gate', metadata: {}, vector: Float32Array.of(1, 0, 0) },
  ]);
  await collection.optimize();
  const failing = (error: Error) =>
    settle(
      retrieve({ query: 'gate' }, {
        settings: config,
        config,
        home,
        surface: 'cli',
        lists: true,
        resources: { ...real, embedder: () => Promise.reject(error) },
      } as never),
    );
  expect((await failing(new KbError('unavailable', 'It is not there.'))).items.map(({ id }) => id)).toEqual(['gate']);
  await expect(failing(new TypeError('odd'))).rejects.toThrow('odd');
  await expect(failing(new KbError('aborted', 'Stopped.'))).rejects.toMatchObject({ code: 'aborted' });
});

it('answers a German question from English pages with the multilingual model, and declines one on another subject', async () => {
  const home = folder();
  const engine = engineIn(home, { embedding: { model: 'multilingual-e5-small' } });
  const texts = [
    'The filter of the pump is replaced every ninety days. Close the valve before you open the cover.',
    'The canteen is open from seven in the morning until two in the afternoon, and it is closed on Sundays.',
    'A lost badge is reported at the gate. The new one is ready on the next day.',
  ];
  await result(engine, 'ingest', { markdown: texts.map((text, i) => ({ source: `page-${i}`, text })) });
  const found = await result(engine, 'retrieve', { query: 'Wie oft muss der Filter der Pumpe gewechselt werden?' });
  expect(found.items[0]).toMatchObject({ metadata: { source: 'page-0' } });
  expect(found.items[0]!.score).toBeGreaterThan(0.38);
  const other = await result(engine, 'retrieve', { query: 'Wer hat die Neunte Sinfonie komponiert?' });
  expect(other.items[0]!.score).toBeLessThan(0.38);
});
