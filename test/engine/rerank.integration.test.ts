import { describe, expect, it, onTestFinished } from 'vitest';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openOpenAiServer, type Behaviour } from '../support/openai-server.ts';
import { openRerankServer, type RerankBehaviour } from '../support/rerank-server.ts';

const QUERY = 'When is the gate locked?';
const RULES = [
  { source: 'gate', text: 'The gate is locked at ten in the evening. The key of the gate hangs in the office.' },
  { source: 'bell', text: 'The bell rings at noon, when the gate is open.' },
  { source: 'lamp', text: 'The lamp at the gate is lit at six.' },
];
/** It takes the lamp for the best passage. */
const score = (text: string): number => (text.includes('lamp') ? 0.93 : text.includes('bell') ? 0.71 : 0.12);

async function filled(settings: Layer): Promise<Engine> {
  const engine = engineIn(folder(), { ...WORDS, ...settings });
  await result(engine, 'ingest', { markdown: RULES });
  return engine;
}

async function withReranker(behaviour: RerankBehaviour = { score }, service = 'vllm') {
  const server = await openRerankServer(service, behaviour);
  onTestFinished(() => server.close());
  const rerank = { enabled: true, provider: 'openai_compatible', model: 'judge', options: { base_url: server.url } };
  return { server, engine: await filled({ rerank }) };
}

async function withGrader(reply: NonNullable<Behaviour['reply']>, rerank: Layer = {}, chosen: Layer = {}) {
  const server = await openOpenAiServer({ reply });
  onTestFinished(() => server.close());
  const llm = { provider: 'openai_compatible', model: 'writer', options: { base_url: server.url }, ...chosen };
  return { server, engine: await filled({ chat: { llm }, rerank: { enabled: true, provider: 'llm', ...rerank } }) };
}

const order = (items: { metadata: Record<string, unknown>; rerank_score?: number | undefined }[]) =>
  items.map(({ metadata, rerank_score }) => [metadata.source, rerank_score]);

describe('a reranker over HTTP', () => {
  it.each(['vllm', 'tei'])('with the protocol of %s decides the order', async (service) => {
    const { engine, server } = await withReranker({ score }, service);
    const { items, errors } = await result(engine, 'retrieve', { query: QUERY, explain: true });
    expect(errors).toEqual([]);
    expect(order(items)).toEqual([
      ['lamp', 0.93],
      ['bell', 0.71],
      ['gate', 0.12],
    ]);
    expect(items[0]!.explain!.rerank).toEqual({ rank: 1, rank_before: expect.any(Number), score: 0.93 });
    expect(server.requests.at(-1)!.body.query).toBe(QUERY);
    expect(order((await result(engine, 'retrieve', { query: QUERY, use_rerank: false })).items)[0]).toEqual(['gate', undefined]);
  });

  it('filters the sources of an answer by its scores if there is a threshold', async () => {
    const { engine, server } = await withReranker();
    const ask = async (quality: Layer) =>
      result(engine, 'chat', { query: QUERY, retrieval_quality: { min_retrieval_score: 0, ...quality } });
    const asked = server.requests.length;
    expect((await ask({})).sources.map(({ metadata }) => metadata.source)).toEqual(['lamp', 'bell', 'gate']);
    expect(server.requests.length).toBe(asked + 1);
    expect((await ask({ min_rerank_score: 0.5 })).sources.map(({ metadata }) => metadata.source)).toEqual(['lamp', 'bell']);
    const none = await ask({ min_rerank_score: 0.95, low_confidence_mode: 'return_no_answer' });
    expect([none.retrieval_quality.status, none.sources]).toEqual(['low_confidence', []]);
  });

  it('that fails keeps the order and becomes an error of the result', async () => {
    const { engine } = await withReranker({ instead: () => ({ status: 401, said: 'Who are you?' }) });
    const { items, errors } = await result(engine, 'retrieve', { query: QUERY });
    expect(order(items)[0]).toEqual(['gate', undefined]);
    expect(errors).toEqual([expect.objectContaining({ stage: 'rerank', source_kind: 'query', isRetryable: false, attempts: 1 })]);
    expect(errors[0]!.error).toMatch(/^openai_compatible answered 401: Who are you\?/);
  });

  it('without an address ends the work, because only the configuration can fix that', async () => {
    const engine = await filled({ rerank: { enabled: true, provider: 'openai_compatible', model: 'judge' } });
    await expect(result(engine, 'retrieve', { query: QUERY })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('rerank.options.base_url'),
    });
  });

  it('has an address that no network request may set', async () => {
    const thief = await openRerankServer('vllm', { score });
    onTestFinished(() => thief.close());
    const settings = { rerank: { provider: 'openai_compatible', model: 'judge', options: { base_url: 'http://127.0.0.1:9' } } };
    const engine = createEngine({
      config: Config.parse(mergeLayers(DEFAULTS, { ...WORDS, ...settings })),
      home: folder(),
      surface: 'server',
    });
    onTestFinished(() => engine.close());
    const reranker_options = { base_url: thief.url };
    for (const reranker of ['openai_compatible', 'cohere', 'llm'] as const) {
      const chat = result(engine, 'chat', { query: QUERY, rerank: true, reranker, reranker_options });
      await expect(chat).rejects.toMatchObject({ code: 'forbidden' });
      const retrieve = result(engine, 'retrieve', { query: QUERY, use_rerank: true, reranker, reranker_options });
      await expect(retrieve).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(thief.requests).toEqual([]);
  });
});

describe('a language model as reranker', () => {
  const grade = (content: string) =>
    [...content.matchAll(/--- passage (\d+) \w+ ---\n(.*?)\n--- end/gs)]
      .map(([, n, text]) => `${n}: ${Math.round(10 * score(text!))}`)
      .join('\n');

  it('decides the order by its grades', async () => {
    const { engine, server } = await withGrader(({ body }) => grade(body.messages!.at(-1)!.content));
    const { items, errors } = await result(engine, 'retrieve', { query: QUERY });
    expect(errors).toEqual([]);
    expect(order(items)).toEqual([
      ['lamp', 0.9],
      ['bell', 0.7],
      ['gate', 0.1],
    ]);
    expect(server.requests.map(({ body }) => body.model)).toEqual(['writer']);
  });

  it('appears in the explanation of a turn, with prompt, tokens and a time of its own', async () => {
    const { engine } = await withGrader(({ body }) => {
      const asked = body.messages!.at(-1)!.content;
      return grade(asked) || 'The gate is locked at ten [1].';
    });
    const { explain } = await result(engine, 'chat', { query: QUERY, show_prompt: true, retrieval_quality: { min_retrieval_score: 0 } });
    expect(explain!.calls.map(({ stage }) => stage)).toEqual(['rerank', 'generate']);
    expect(explain!.calls[0]).toMatchObject({ model: 'writer', output_tokens: expect.any(Number) });
    expect(explain!.calls[0]!.output_tokens).toBeGreaterThan(0);
    expect(explain!.calls[0]!.messages!.at(-1)!.content).toContain('--- passage 1');
    const names = explain!.stages.map(({ stage }) => stage);
    expect(names).toEqual(['compact', 'rewrite', 'retrieval', 'rerank', 'quality', 'generation']);
    for (const { milliseconds } of explain!.stages) expect(milliseconds).toBeGreaterThanOrEqual(0);
  });

  it('may be another model of the same provider', async () => {
    const { engine, server } = await withGrader(({ body }) => grade(body.messages!.at(-1)!.content), { model: 'small-writer' });
    await result(engine, 'retrieve', { query: QUERY });
    expect(server.requests.map(({ body }) => body.model)).toEqual(['small-writer']);
  });

  it('that grades only some passages changes no order, and says so', async () => {
    const { engine } = await withGrader(() => '3: 9\n2: 1');
    const { items, errors } = await result(engine, 'retrieve', { query: QUERY });
    expect(errors).toEqual([expect.objectContaining({ error: expect.stringContaining('graded only 2 of 3 passages.') })]);
    expect(order(items)).toEqual(order((await result(engine, 'retrieve', { query: QUERY, use_rerank: false })).items));
  });

  it('is limited by the context window of chat.llm only if it is the same model', async () => {
    for (const [model, max_tokens] of [
      ['writer', 250],
      ['other', 1024],
    ] as const) {
      const { server, engine } = await withGrader(({ body }) => grade(body.messages!.at(-1)!.content), { model }, { context_window: 1000 });
      await result(engine, 'retrieve', { query: QUERY });
      expect(server.requests.at(-1)!.body).toMatchObject({ model, max_tokens });
    }
  });

  it('must be a model that writes', async () => {
    const engine = await filled({ rerank: { enabled: true, provider: 'llm' } });
    await expect(result(engine, 'retrieve', { query: QUERY })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('chat.llm.provider is local'),
    });
  });
});
