import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../src/core/run.ts';
import { type Layer } from '../../src/core/settings.ts';
import { engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { filled, vector } from '../support/stored-rules.ts';

describe('chat', () => {
  it('answers from the collection with citations, streamed', async () => {
    const { events, result: done } = await collect((await filled()).run('chat', { query: 'When is the gate locked?' }));
    expect(done.answer).toMatch(/locked at ten[^]*\[1\]/);
    // by words alone, an answer is not certain
    expect(done).toMatchObject({
      intent: 'rag',
      errors: [],
      answer_confidence: { level: 'low', reason: 'answer_uncertain' },
      llm: { provider: 'local' },
    });
    expect(done.sources[0]).toMatchObject({ citation: 1, cited: true, metadata: { source: 'gate' } });
    expect(done.history).toEqual([
      { role: 'user', content: 'When is the gate locked?' },
      { role: 'assistant', content: done.answer },
    ]);
    const streamed = events.filter(({ type }) => type === 'token').map(({ data }) => data.text);
    expect(streamed.join('').trim()).toBe(done.answer.trim());
    expect([...new Set(events.map(({ stage }) => stage))]).toEqual(['chat', 'intent', 'retrieval', 'quality', 'generation']);
  });

  it('answers a question for the documents with their list, narrowed by a filter and without a model', async () => {
    const engine = await filled({ ...WORDS, chat: { llm: { provider: 'openai', model: 'none' } } });
    const title = 'A [link](http://evil.test) & more';
    await result(engine, 'ingest', { markdown: [{ source: 'a_b.md', text: 'It is short.', metadata: { title } }] });
    const { events, result: done } = await collect(engine.run('chat', { query: 'What documents do you have?' }));
    expect(done).toMatchObject({
      intent: 'sources',
      sources: [],
      errors: [],
      llm: {},
      answer_confidence: { level: 'none', reason: 'direct_intent' },
    });
    expect(done.answer.split('\n')).toEqual([
      'The knowledge base holds these documents (4):',
      '',
      String.raw`- A \[link\](http://evil.test) & more: \`a_b.md\``.replaceAll('\\`', '`'),
      '- `bell`',
      '- `gate`',
      '- `lamp`',
    ]);
    expect(events.filter(({ type }) => type === 'token').map(({ data }) => data.text)).toEqual([done.answer]);
    const german = await result(engine, 'chat', { query: 'Welche Dokumente gibt es?', filter: { year: { gte: 2024 } } });
    expect(german.answer).toBe('Die Wissensbasis enthält diese Dokumente (2):\n\n- `bell`\n- `lamp`');
    const missing = await result(engine, 'chat', { query: 'List your sources.', collection: 'none' });
    expect(missing).toMatchObject({ answer: '', intent: 'sources', errors: [{ stage: 'retrieve' }], retrieval: { failed: 1 } });
  });

  it('refuses a model, a reranking model and dimensions that the bundled drivers do not have', async () => {
    const engine = await filled({});
    const query = 'When is the gate locked?';
    for (const [request, message] of [
      [{ query, llm_model: 'gpt-9' }, /local quotes the sources and has no language model "gpt-9"/],
      [{ query, rerank: true, reranker_model: 'judge-xl' }, /reranker local has no model "judge-xl"/],
      [{ query, embedder_options: { dimensions: 128 } }, /local makes vectors of 384 numbers with all-minilm-l6-v2, not of 128/],
    ] as const)
      await expect(result(engine, 'chat', request)).rejects.toThrow(message);
    const same = { llm_model: 'extractive', rerank: true, reranker_model: 'all-minilm-l6-v2', embedder_options: { dimensions: 384 } };
    expect(await result(engine, 'chat', { query, ...same })).toMatchObject({ errors: [], llm: { model: 'extractive' } });
  });

  it('gives the passages to a model and returns its answer', async () => {
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

  it('lists a missing collection, and one of another embedder, as errors', async () => {
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

  it('accepts any query, and says what is wrong with it', async () => {
    const engine = engineIn(folder());
    for (const request of [{}, ...['', '   ', undefined, 5, { a: 1 }].map((query) => ({ query }))])
      expect(await result(engine, 'chat', request)).toMatchObject({ answer: '', errors: [{ stage: 'validate', source_kind: 'chat' }] });
  });

  it('lets a request choose how weak passages are handled', async () => {
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

  it('explains what became of every passage, and shows the prompt on request, without the key', async () => {
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

  it('retries once with less if the prompt is too long for the model, then gives up', async () => {
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

  it('sends no more than the context window, however long the conversation is', async () => {
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
      content: `Remark ${i}. `.repeat(200),
    }));
    const done = await result(engine, 'chat', { query: 'When is the gate locked?', history });
    expect(done.answer).toBe('At ten [1].');
    for (const { body } of server.requests.filter(({ path }) => path === '/v1/chat/completions')) {
      const letters = body.messages!.reduce((sum, { content }) => sum + content.length, 0);
      expect(letters / 3.5).toBeLessThan(1700);
    }
    expect(done.errors.map(({ error }) => error).join()).toMatch(/too long for the model/);
  });

  it('lists what the sources do not support', async () => {
    const { settings, server } = await modelServer({ vector, reply: () => 'The gate is locked at ten [1]. Nine zebras guard it [1].' });
    const llm = { provider: 'openai_compatible', model: 'test-llm', options: { base_url: server.url } };
    const engine = await filled({ ...settings, chat: { llm } });
    const done = await result(engine, 'chat', { query: 'When is the gate locked?' });
    expect(done).toMatchObject({
      unsupported: [{ sentence: 'Nine zebras guard it [1].', citations: [1] }],
      answer_confidence: { level: 'low', reason: 'citations_unsupported' },
    });
    const quoted = await result(await filled(), 'chat', { query: 'When is the gate locked?' });
    expect(quoted).toMatchObject({ answer_confidence: { reason: 'answer_uncertain' } });
    expect(quoted).not.toHaveProperty('unsupported');
  });

  it('does not repeat a quotation when asked for more', async () => {
    const engine = await filled();
    const query_rewrite = { enabled: true };
    const first = await result(engine, 'chat', { query: 'When is the gate locked?', query_rewrite });
    expect(first.answer).toContain('The gate is locked at ten in the evening.');
    const second = await result(engine, 'chat', { query: 'why?', history: first.history, query_rewrite });
    expect(second.answer).not.toContain('locked at ten');
    expect(second.answer).toBe('The sources say no more about this.');
  });

  it('reports that it waits for a busy model', async () => {
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

it('answers a German question from English pages with the multilingual model, and declines an unrelated one', async () => {
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
