import { afterEach, describe, expect, it } from 'vitest';
import { openHttpEmbedder } from '../../../src/drivers/embedders/http-embedder.ts';
import { openOpenAiServer, type Behaviour, type OpenAiServer } from '../../support/openai-server.ts';

const KEY = 'test-key-1234';
let server: OpenAiServer;
afterEach(() => server.close());

async function open(behaviour: Behaviour = {}, options: Record<string, unknown> = {}, env: NodeJS.ProcessEnv = { OPENAI_API_KEY: KEY }) {
  server = await openOpenAiServer(behaviour);
  const embedder = await openHttpEmbedder({ provider: 'openai', options, env: { ...env, OPENAI_BASE_URL: server.url } });
  return { embedder, embed: (...texts: string[]) => embedder.embed(texts, { input_type: 'document' }) };
}
const now = { 'retry-after': '0' };

describe('the HTTP embedder', () => {
  it('requests floats for all texts at once, and returns unit vectors in their order', async () => {
    const { embed, embedder } = await open({ vector: (text) => [text.length, 0, 4] });
    expect(embedder.dimensions).toBe(0);
    const [first, second] = await embed('abc', 'abcdefgh');
    expect([...first!]).toEqual([0.6, 0, 0.8].map(Math.fround));
    expect(Math.hypot(...second!)).toBeCloseTo(1, 6);
    expect(second![0]).toBeGreaterThan(first![0]!);
    expect(embedder.dimensions).toBe(3);
    expect(server.requests).toHaveLength(1);
    const [{ body, headers }] = server.requests as [OpenAiServer['requests'][0]];
    expect(body).toEqual({ model: 'text-embedding-3-small', input: ['abc', 'abcdefgh'], encoding_format: 'float' });
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('passes dimensions and unknown options to the model', async () => {
    const { embed, embedder } = await open({}, { dimensions: 3, user: 'kb' });
    expect(embedder.dimensions).toBe(3);
    await embed('abc');
    expect(server.requests[0]!.body).toMatchObject({ dimensions: 3, user: 'kb' });
  });

  it('sorts the vectors of the response in the order of the texts', async () => {
    const data = [1, 0].map((index) => ({ object: 'embedding', index, embedding: index === 0 ? [1, 0] : [0, 1] }));
    const { embed } = await open({ raw: { type: 'application/json', body: JSON.stringify({ object: 'list', data }) } });
    expect((await embed('first', 'second')).map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('retries after the delay that the response names', async () => {
    const { embed } = await open({ vector: () => (server.requests.length < 3 ? { status: 429, headers: now } : [1, 1]) });
    expect(await embed('abc')).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  it('gives up after four attempts, and reports their number', async () => {
    const { embed } = await open({ vector: () => ({ status: 500, headers: now }) });
    await expect(embed('abc')).rejects.toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    expect(server.requests).toHaveLength(4);
  });

  it('does not retry with a refused key, and does not repeat the key in its message', async () => {
    const { embed } = await open({ vector: () => ({ status: 401, error: { message: `Incorrect API key provided: ${KEY}` } }) });
    const error = await embed('abc').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'unauthorized', isRetryable: false, attempts: 1 });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it('refuses an empty text without a request', async () => {
    const { embed } = await open();
    await expect(embed('abc', ' ')).rejects.toMatchObject({ code: 'invalid' });
    expect(await embed()).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('refuses vectors whose length differs from earlier ones', async () => {
    let width = 4;
    const { embed } = await open({ vector: () => Array.from({ length: width }, () => 1) });
    await embed('abc');
    width = 2;
    await expect(embed('abc')).rejects.toThrow(/2 numbers .* 4 were expected/);
  });

  it('explains that the model does not support the requested dimensions', async () => {
    const { embed } = await open({}, { dimensions: 64 });
    await expect(embed('abc')).rejects.toMatchObject({
      message: expect.stringMatching(/3 numbers .* 64 were expected/),
      hint: expect.stringContaining('dimensions'),
    });
  });

  it('reports that the address is not that of an embedding service', async () => {
    const { embed } = await open({ raw: { type: 'text/plain', body: '<h1>Welcome</h1>' } });
    await expect(embed('abc')).rejects.toMatchObject({ code: 'unavailable', message: 'openai answered with something else than JSON.' });
  });

  it('does not follow a redirect with its key, and names the new address', async () => {
    const { embed } = await open({ vector: () => ({ status: 308, headers: { location: 'https://elsewhere.example/v1' } }) });
    await expect(embed('abc')).rejects.toMatchObject({
      code: 'configuration',
      message: 'openai answered 308: it is at https://elsewhere.example/v1 now.',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('accepts vectors without an index in their order, and refuses two with the same index', async () => {
    const answer = (places: (number | undefined)[]) => ({
      raw: { type: 'application/json', body: JSON.stringify({ data: places.map((index, i) => ({ index, embedding: [1 - i, i] })) }) },
    });
    const { embed } = await open(answer([undefined, undefined]));
    expect((await embed('first', 'second')).map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    await server.close();
    await expect((await open(answer([1, 1]))).embed('first', 'second')).rejects.toMatchObject({ code: 'configuration' });
  });

  it('sends the account headers to OpenAI only', async () => {
    const account = { OPENAI_ORG_ID: 'org-1', OPENAI_PROJECT_ID: 'project-1' };
    const { embed } = await open({}, {}, { OPENAI_API_KEY: KEY, ...account });
    await embed('abc');
    expect(server.requests[0]!.headers).toMatchObject({ 'openai-organization': 'org-1', 'openai-project': 'project-1' });
    const embedder = await openHttpEmbedder({
      provider: 'mistral',
      options: { base_url: server.url },
      env: { MISTRAL_API_KEY: KEY, ...account },
    });
    await embedder.embed(['abc'], { input_type: 'query' });
    expect(server.requests[1]!.headers).not.toHaveProperty('openai-organization');
  });

  it('refuses a vector without a direction', async () => {
    const { embed } = await open({ vector: () => [0, 0] });
    await expect(embed('abc')).rejects.toMatchObject({ code: 'invalid' });
  });

  it('stops waiting when it is aborted', async () => {
    const { embedder } = await open({ vector: () => ({ status: 429, headers: { 'retry-after': '30' } }) });
    const stop = new AbortController();
    const work = embedder.embed(['abc'], { input_type: 'query', signal: stop.signal });
    while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 5));
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'aborted' });
  });

  it('reports a retryable error if no server listens', async () => {
    const { embedder } = await open();
    await server.close();
    const stop = new AbortController();
    const error = await embedder.embed(['abc'], { input_type: 'query', signal: stop.signal }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    expect((error as Error).message).toContain(server.url);
  });
});

describe('the embedder for a compatible server', () => {
  it('sends no key if there is none, and no headers that are meant for OpenAI', async () => {
    server = await openOpenAiServer();
    const embedder = await openHttpEmbedder({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    await embedder.embed(['abc'], { input_type: 'query' });
    const [request] = server.requests;
    expect(request!.headers).not.toHaveProperty('authorization');
    expect(request!.headers).not.toHaveProperty('openai-organization');
    expect([embedder.provider, embedder.model]).toEqual(['openai_compatible', 'own']);
  });
});
