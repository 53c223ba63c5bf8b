import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { collect, settle } from '../../src/core/run.ts';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { chat, retrieve } from '../../src/engine/query.ts';
import { createResources } from '../../src/engine/resources.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';
import { engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { filled, RULES, vector } from '../support/stored-rules.ts';

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

  it('calls no model to search by words', async () => {
    const home = folder();
    const { settings, server } = await modelServer({ vector });
    const engine = await filled(settings, home);
    const asked = server.requests.length;
    expect((await result(engine, 'retrieve', { query: 'ERR-4042', mode: 'text', top_k: 1 })).retrieved).toBe(1);
    expect(server.requests.length).toBe(asked);
  });

  it('filters before it searches', async () => {
    const engine = await filled();
    const query = 'the at is';
    expect(ids((await result(engine, 'retrieve', { query: 'gate bell lamp', filter: { year: { gte: 2024 } } })).items).toSorted()).toEqual([
      'bell',
      'lamp',
    ]);
    expect(ids((await result(engine, 'retrieve', { query: 'gate bell lamp', filter: { source: 'gate' } })).items)).toEqual(['gate']);
    expect((await result(engine, 'retrieve', { query, filter: { year: 1999 } })).items).toEqual([]);
  });

  it('scores a chunk as the gate of a chat does, also for double questions', async () => {
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

  it('says which field of a filter no chunk has, and which fields exist', async () => {
    const engine = await filled();
    const found = (filter: Filter) => result(engine, 'retrieve', { query: 'gate bell lamp', filter });
    const slip = await found({ yaer: 2024, source: 'gate' });
    expect(slip).toMatchObject({ retrieved: 0, failed: 0, errors: [] });
    expect(slip.notice).toBe('The filter lets nothing through: no chunk of "default" has the field "yaer". Did you mean "year"?');
    expect((await found({ zzzzzzzz: 1 })).notice).toMatch(/"zzzzzzzz"\. There are file_type, source, source_kind, title, year\.$/);
    const beside = await found({ not: { yaer: 2024 } });
    expect(beside.items.length).toBeGreaterThan(0);
    expect(beside.notice).toMatch(/^The filter names an unknown field: .*"yaer"\. Did you mean "year"\?$/);
    expect(await found({ not: { year: 1999 } })).not.toHaveProperty('notice');
    expect(await found({ year: 1999 })).not.toHaveProperty('notice');
    expect(await found({ year: 2024 })).not.toHaveProperty('notice');
    const turn = await result(engine, 'chat', { query: 'When is the gate locked?', filter: { yaer: 2020 } });
    expect(turn.errors).toEqual([expect.objectContaining({ stage: 'retrieve', error: slip.notice, isRetryable: false })]);
  });

  it('lists a missing collection as a retryable error, and rejects impossible requests', async () => {
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

  it('reports a model that does not respond', async () => {
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

  it('keeps the best of the reranked chunks', async () => {
    const engine = await filled();
    const { items, retrieved } = await result(engine, 'retrieve', { query: 'When does the bell ring?', use_rerank: true, rerank_top_k: 1 });
    expect([retrieved, ids(items)]).toEqual([1, ['bell']]);
    expect(items[0]!.rerank_score).toEqual(expect.any(Number));
  });
});

it('names the nearest collection in the error for a missing one', async () => {
  const engine = await filled();
  const { errors } = await result(engine, 'retrieve', { query: 'gate', collection: 'defalt' });
  expect(errors[0]!.error).toMatch(/^There is no collection "defalt"\. Did you mean "default"\? Create it with/);
  const far = await result(engine, 'retrieve', { query: 'gate', collection: 'something-else' });
  expect(far.errors[0]!.error).toMatch(/^There is no collection "something-else"\. Create it with/);
});

describe('a rewritten query', () => {
  const followUp = { query: 'When is it locked?', use_query_rewrite: true, mode: 'text' as const };

  it('contains the subject of the question before, without a model', async () => {
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

  it('stays unchanged without a history, or if no rewriting is requested', async () => {
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

  it('contains the subject of the conversation if the question has none', async () => {
    const rewritten = await result(await filled(), 'retrieve', { ...followUp, session_context: 'The gate.' });
    expect(rewritten).toMatchObject({ query: followUp.query, search_query: `The gate. ${followUp.query}`, failed: 0 });
    expect(ids(rewritten.items)[0]).toBe('gate');
  });

  it('is written by the model, which gets the history and the subject', async () => {
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

  it('ends the work if the model has no key', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const engine = await filled({ ...WORDS, chat: { llm: { provider: 'openai', model: 'm' } } });
    await expect(result(engine, 'retrieve', { ...followUp, rewrite_context: 'What about the gate?' })).rejects.toMatchObject({
      code: 'setup',
    });
  });
});

describe('query', () => {
  it('returns what retrieve returns for the same settings', async () => {
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

it('opens no embedder to search by words; a chat works without the bundled one, but not after other failures', async () => {
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
  const failing = (error: Error): never =>
    ({
      settings: config,
      config,
      home,
      surface: 'cli',
      lists: true,
      resources: { ...real, embedder: () => Promise.reject(error) },
    }) as never;
  const passages = await settle(retrieve({ query: 'gate' }, failing(new TypeError('opened'))));
  expect(passages.items.map(({ id }) => id)).toEqual(['gate']);
  const ask = (error: Error) => settle(chat({ query: 'When is the gate locked?' }, failing(error)));
  expect((await ask(new KbError('unavailable', 'It is not there.'))).sources.length).toBe(1);
  expect((await ask(new TypeError('odd'))).errors).toMatchObject([{ error: 'odd' }]);
  await expect(ask(new KbError('aborted', 'Stopped.'))).rejects.toMatchObject({ code: 'aborted' });
});
