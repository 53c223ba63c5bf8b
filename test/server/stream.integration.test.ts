import { expect, it } from 'vitest';
import { attachPartialResult, KbError } from '../../src/core/errors.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { ChatResult } from '../../src/schema/answers.ts';
import { folder } from '../support/folder.ts';
import { modelServer } from '../support/engine.ts';
import type { Behaviour } from '../support/openai-server.ts';
import { serveIn } from '../support/server.ts';

const markdown = [{ text: '# Doors\n\nDoors are locked at ten in the evening.', source: 'doors.md' }];
const question = { query: 'When are doors locked?' };

/** A server that answers with a model which says a word now and then for as long as someone listens. */
async function talkative() {
  const pieces = Array.from({ length: 500 }, (_, i) => `word${i} `);
  const { server: model } = await modelServer({ reply: () => ({ pieces, delay: 20 }) });
  const llm = { provider: 'openai_compatible', model: 'test-model', options: { base_url: model.url } };
  const server = await serveIn(folder(), { settings: { chat: { llm } } });
  await server.post('/v1/pipelines/ingest', { markdown });
  return { server, model };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((done) => setTimeout(done, 10));
};

it('sends numbered events, the last of which is the only final one, with the result', async () => {
  const server = await serveIn(folder());
  const events = await server.stream('/v1/pipelines/ingest/stream', { markdown, docs: 'absent.md' });
  expect(events.filter(({ type }) => type === 'final')).toEqual([events.at(-1)]);
  expect(events.at(-1)).toMatchObject({ stage: 'complete', data: { sources: 1, failed: 1 } });
  expect(events.find(({ type }) => type === 'error')?.data).toMatchObject({ stage: 'validate', source: 'absent.md' });
  const numbers = events.map(({ sequence }) => sequence);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

it('omits records that the result contains', async () => {
  const server = await serveIn(folder());
  const events = await server.stream('/v1/ingest/url/stream', { url: 'http://127.0.0.1:9/' });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['error', 'final']));
  expect(events.some(({ type }) => type === 'item')).toBe(false);
});

it('answers with a status if the request is invalid or forbidden, or a key is missing', async () => {
  const server = await serveIn(folder());
  expect((await server.post('/v1/chat/stream', { history: 5 })).status).toBe(400);
  expect((await server.post('/v1/chat/stream', { ...question, options: { base_url: 'http://127.0.0.1:9' } })).status).toBe(403);
  await server.post('/v1/pipelines/ingest', { markdown });
  for (const asked of [{ llm_provider: 'openai' }, { rerank: true, reranker: 'cohere' }]) {
    const { status, json } = await server.post('/v1/chat/stream', { ...question, ...asked });
    expect([status, json.error]).toEqual([424, { type: 'SetupError', message: expect.stringContaining('_API_KEY') }]);
  }
  const greeted = await server.stream('/v1/chat/stream', { query: 'Hello!', llm_provider: 'openai' });
  expect(greeted.at(-1)).toMatchObject({ type: 'final', data: { intent: 'greeting', errors: [] } });
});

const history = [
  { role: 'user' as const, content: 'What about windows?' },
  { role: 'assistant' as const, content: 'They are shut at nine.' },
];

it('ends a failed chat with a complete result: no answer, the given history, and the reason', async () => {
  const models: Record<string, Behaviour> = {
    failure: { reply: () => ({ status: 400 }) },
    cut: { reply: () => ({ pieces: ['They are '], end: 'cut' }) },
    page: { raw: { type: 'text/html', body: '<!doctype html><title>Sign in</title><h1>Sign in</h1>' } },
  };
  for (const [name, behaviour] of Object.entries(models)) {
    const { server: model } = await modelServer(behaviour);
    await expectFailedChat(model.url, name);
  }
});

async function expectFailedChat(base_url: string, name: string) {
  const llm = { provider: 'openai_compatible', model: 'test-model', options: { base_url } };
  const server = await serveIn(folder(), { settings: { chat: { llm } } });
  await server.post('/v1/pipelines/ingest', { markdown });
  const events = await server.stream('/v1/chat/stream', { ...question, history });
  expect([name, events.filter(({ type }) => type === 'final')]).toEqual([name, [events.at(-1)]]);
  expect([name, ChatResult.parse(events.at(-1)!.data)]).toMatchObject([
    name,
    {
      answer: '',
      history,
      retrieval: { retrieved: 1 },
      errors: [{ stage: 'generate', source_kind: 'chat' }],
      answer_confidence: { level: 'none', reason: 'errors' },
    },
  ]);
}

it('sends with every retrieval event what was found, what failed and what was searched for', async () => {
  const server = await serveIn(folder());
  await server.post('/v1/pipelines/ingest', { markdown });
  for (const asked of [{}, { collection: 'nowhere' }, { rerank: true }, { history, query_rewrite: { enabled: true } }]) {
    const events = await server.stream('/v1/chat/stream', { ...question, ...asked });
    const told = events.filter(({ type, stage }) => type === 'progress' && stage === 'retrieval');
    expect(told.length).toBeGreaterThan(0);
    for (const { data } of told)
      expect(data).toMatchObject({ retrieved: expect.any(Number), failed: expect.any(Number), search_query: expect.any(String) });
  }
});

it('ends an ingest that fails in the middle with the report of what was stored', async () => {
  const server = await serveIn(folder(), { run: ingestThatFails });
  const events = await server.stream('/v1/pipelines/ingest/stream', { markdown });
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', data: { stage: 'store', error: 'The disk is full.' } },
    { type: 'final', data: { stored: 4, failed: 1, errors: [{ stage: 'store' }] } },
  ]);
});

/** A run whose first word comes, and then the end. */
const ingestThatFails = async function* () {
  yield { type: 'progress', stage: 'ingest', message: '', data: {}, sequence: 0 };
  throw attachPartialResult(new KbError('unavailable', 'The disk is full.'), { stored: 4, failed: 0, errors: [] });
} as unknown as Engine['run'];

it('stops the request to the model when the client leaves', async () => {
  const { server, model } = await talkative();
  const client = new AbortController();
  const left = server.stream('/v1/chat/stream', question, {
    signal: client.signal,
    onEvent: ({ type }) => type === 'token' && client.abort(),
  });
  await expect(left).rejects.toThrow(/abort/i);
  await until(() => model.requests.some(({ isCut }) => isCut));
  await until(() => server.app.inFlight() === 0);
  expect((await server.get('/v1/health')).status).toBe(200);
});

it('stops it also if the answer would have come in one piece', async () => {
  const { server, model } = await talkative();
  const client = new AbortController();
  const left = server.post('/v1/chat', question, { signal: client.signal });
  await until(() => model.requests.length > 0);
  client.abort();
  await expect(left).rejects.toThrow(/abort/i);
  await until(() => model.requests[0]!.isCut);
});

it('ends streams with a final event, and answers with 503, when the server stops', async () => {
  const { server } = await talkative();
  let told = 0;
  const streamed = server.stream('/v1/chat/stream', question, { onEvent: ({ type }) => type === 'token' && told++ });
  const plain = server.post('/v1/chat', question);
  await until(() => told > 3);
  server.app.stopAll();
  const events = await streamed;
  expect(events.at(-1)).toMatchObject({ type: 'final', data: { answer: '', errors: [{ error: expect.stringContaining('stopping') }] } });
  expect((await plain).status).toBe(503);
});

it('is not buffered by proxies', async () => {
  const { server } = await talkative();
  const stream = await fetch(`${server.url}/v1/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect([stream.headers.get('x-accel-buffering'), stream.headers.get('cache-control')]).toEqual(['no', 'no-cache, no-transform']);
  await stream.body!.cancel();
  await until(() => server.app.inFlight() === 0);
});
