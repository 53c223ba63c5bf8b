import { expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { modelServer } from '../support/engine.ts';
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

it('tells what happens in numbered events, the last of which is the one final one with the result', async () => {
  const server = await serveIn(folder());
  const events = await server.stream('/v1/pipelines/ingest/stream', { markdown, docs: 'absent.md' });
  expect(events.filter(({ type }) => type === 'final')).toEqual([events.at(-1)]);
  expect(events.at(-1)).toMatchObject({ stage: 'complete', data: { sources: 1, failed: 1 } });
  expect(events.find(({ type }) => type === 'error')?.data).toMatchObject({ stage: 'validate', source: 'absent.md' });
  const numbers = events.map(({ sequence }) => sequence);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

it('leaves records out that the result holds as well', async () => {
  const server = await serveIn(folder());
  const events = await server.stream('/v1/ingest/url/stream', { url: 'http://127.0.0.1:9/' });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['error', 'final']));
  expect(events.some(({ type }) => type === 'item')).toBe(false);
});

it('answers with a status where the request does not fit or may not, and with an error and a final event where the work ends later', async () => {
  const server = await serveIn(folder());
  expect((await server.post('/v1/chat/stream', { history: 5 })).status).toBe(400);
  expect((await server.post('/v1/chat/stream', { ...question, options: { base_url: 'http://127.0.0.1:9' } })).status).toBe(403);
  await server.post('/v1/pipelines/ingest', { markdown });
  const events = await server.stream('/v1/chat/stream', { ...question, llm_provider: 'openai' });
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', data: { stage: 'generate', source_kind: 'chat' } },
    { type: 'final', data: { error: { type: 'SetupError', message: expect.stringContaining('OPENAI_API_KEY') } } },
  ]);
});

it('stops the request to the model when the client leaves, and serves on', async () => {
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

it('stops it as well where the answer would have come in one piece', async () => {
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
  expect(events.at(-1)).toMatchObject({ type: 'final', data: { error: { message: expect.stringContaining('stopping') } } });
  expect((await plain).status).toBe(503);
});

it('is a stream that no proxy holds back', async () => {
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
