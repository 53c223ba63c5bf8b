import { describe, expect, it, onTestFinished } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { openHttpEmbedder } from '../../../src/drivers/embedders/http-embedder.ts';
import { findProvider, providersOf } from '../../../src/drivers/providers/providers.ts';
import { embedTexts } from '../../../src/stages/ingest/embed-chunks.ts';
import { embeddingWires, openEmbeddingServer, type EmbeddingBehaviour } from '../../support/embedding-server.ts';
import type { JsonServer } from '../../support/json-server.ts';
import { UNRELATED_TEXTS } from '../../../src/drivers/embedders/cosine-range.ts';

const KEY = 'test-key-1234';
const now = { 'retry-after': '0' };

/** What a request says beside the texts and the model, for a passage and for a query, and its name for the length of a vector. */
const SAYS: Record<string, { document: object; query: object; length: string }> = {
  openai: { document: { encoding_format: 'float' }, query: { encoding_format: 'float' }, length: 'dimensions' },
  voyage: { document: { input_type: 'document' }, query: { input_type: 'query' }, length: 'output_dimension' },
  cohere: {
    document: { input_type: 'search_document', embedding_types: ['float'] },
    query: { input_type: 'search_query', embedding_types: ['float'] },
    length: 'output_dimension',
  },
  gemini: { document: { encoding_format: 'float' }, query: { encoding_format: 'float' }, length: 'dimensions' },
  mistral: { document: { encoding_format: 'float' }, query: { encoding_format: 'float' }, length: 'output_dimension' },
  jina: { document: { task: 'retrieval.passage' }, query: { task: 'retrieval.query' }, length: 'dimensions' },
  ollama: { document: { truncate: false }, query: { truncate: false }, length: 'dimensions' },
  openai_compatible: { document: { encoding_format: 'float' }, query: { encoding_format: 'float' }, length: 'dimensions' },
};
const names = Object.keys(SAYS);

async function open(name: string, behaviour: EmbeddingBehaviour = {}, options: Record<string, unknown> = {}) {
  const server = await openEmbeddingServer(name, behaviour);
  onTestFinished(() => server.close());
  const { key_variables, embedding } = findProvider(name)!;
  const env = { [key_variables[0]]: KEY };
  const embedder = await openHttpEmbedder({
    provider: name,
    model: embedding!.model ?? 'own-model',
    options: { base_url: server.url, ...options },
    env,
  });
  return { server, embedder, embed: (...texts: string[]) => embedder.embed(texts, { input_type: 'document' }) };
}

const bodies = ({ requests }: JsonServer) => requests.map(({ body }) => body);
const sizes = (name: string, server: JsonServer) => bodies(server).map((body) => (body[embeddingWires[name]!.texts] as string[]).length);
const thrown = async (work: Promise<unknown>): Promise<KbError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof KbError) return error;
  throw new Error('nothing was refused', { cause: error });
};

it('tests every provider that offers embeddings', () => {
  expect(names.toSorted()).toEqual(providersOf('embedding').toSorted());
});

describe.each(names)('the embedder for %s', (name) => {
  it("sends requests in the provider's form with its key, and returns unit vectors in the order of the texts", async () => {
    const { server, embedder } = await open(name, { vector: (text) => [text.length, 0, 4] });
    const [first, second] = await embedder.embed(['abc', 'abcdefgh'], { input_type: 'document' });
    expect([...first!]).toEqual([0.6, 0, 0.8].map(Math.fround));
    expect(Math.hypot(...second!)).toBeCloseTo(1, 6);
    expect(second![0]).toBeGreaterThan(first![0]!);
    await embedder.embed(['abc'], { input_type: 'query' });
    const { texts } = embeddingWires[name]!;
    const { model } = embedder;
    expect(bodies(server)).toEqual([
      { model, [texts]: ['abc', 'abcdefgh'], ...SAYS[name]!.document },
      { model, [texts]: ['abc', ...UNRELATED_TEXTS], ...SAYS[name]!.query },
    ]);
    expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(embedder.dimensions).toBe(3);
  });

  it("requests dimensions by the provider's parameter for them", async () => {
    const { server, embed, embedder } = await open(name, {}, { dimensions: 3 });
    expect(embedder.dimensions).toBe(3);
    await embed('abc');
    expect(bodies(server)[0]).toMatchObject({ [SAYS[name]!.length]: 3 });
  });

  it('sends several requests if one cannot hold all texts', async () => {
    const most = Math.min(embeddingWires[name]!.most, findProvider(name)!.embedding!.batch);
    const { server, embed } = await open(name);
    const texts = Array.from({ length: most + 1 }, (_, i) => `text ${i}`);
    expect(await embed(...texts)).toHaveLength(most + 1);
    expect(sizes(name, server)).toEqual([findProvider(name)!.embedding!.batch, most + 1 - findProvider(name)!.embedding!.batch]);
  });

  it('halves a request that is refused as too large, so that one text that is too long costs no other its vector', async () => {
    const { server, embedder } = await open(name, { longest: 10 });
    const vectors = await embedTexts(['aaaaa', 'bbbbb', 'ccccc', 'far too long a text', 'e'], { embedder, input_type: 'document' });
    expect(vectors.map((vector) => (vector instanceof KbError ? vector.code : vector.length))).toEqual([3, 3, 3, 'too_large', 3]);
    expect(sizes(name, server)).toEqual([5, 3, 2, 1, 2, 1, 1]);
  });

  it("recognizes the provider's message about too many tokens", async () => {
    for (const said of [embeddingWires[name]!.tooLong, embeddingWires[name]!.tooMany].filter(Boolean)) {
      const { embed } = await open(name, { instead: () => ({ status: 400, said }) });
      expect([said, (await thrown(embed('abc'))).code]).toEqual([said, 'too_large']);
    }
  });

  it.each([429, 500, 503])('retries after status %d, after the delay that the provider names', async (status) => {
    const { server, embed } = await open(name, {
      instead: (_, count) => (count < 3 ? { status, said: 'Slow down.', headers: now } : undefined),
    });
    expect(await embed('abc')).toHaveLength(1);
    expect(server.requests).toHaveLength(3);
  });

  it.each([401, 403])('does not retry after status %d, and does not repeat the key', async (status) => {
    const { server, embed } = await open(name, { instead: () => ({ status, said: `Invalid key: ${KEY}` }) });
    const error = await thrown(embed('abc'));
    expect(error).toMatchObject({ code: 'unauthorized', isRetryable: false, attempts: 1 });
    expect(error.message).toBe(`${name} answered ${status}: Invalid key: …`);
    expect(error.hint).toContain(findProvider(name)!.key_variables[0]);
    expect(server.requests).toHaveLength(1);
  });

  it('refuses responses that are not those of an embedding service', async () => {
    const { embed } = await open(name, { instead: () => ({ body: embeddingWires[name]!.answer([[1, 2]], 'm') }) });
    expect(await thrown(embed('abc', 'def'))).toMatchObject({
      code: 'configuration',
      message: `${name} answered with 1 vectors for 2 texts.`,
    });
    const { embed: ask } = await open(name, { instead: () => ({ body: { status: 'ok' } }) });
    expect(await thrown(ask('abc'))).toMatchObject({ code: 'configuration', message: `${name} answered with no vectors for 1 texts.` });
  });

  it('aborts the request when the work is aborted', async () => {
    const { server, embedder } = await open(name, { instead: () => ({ hang: true }) });
    const stop = new AbortController();
    const work = thrown(embedder.embed(['abc'], { input_type: 'query', signal: stop.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect((await work).code).toBe('aborted');
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
  });
});

describe.each(names.filter((name) => !findProvider(name)!.is_keyless))('the embedder for %s without a key', (name) => {
  it('fails with a setup error that names the variable', async () => {
    const error = await thrown(openHttpEmbedder({ provider: name, env: {} }));
    expect(error.code).toBe('setup');
    expect(error.message).toContain(findProvider(name)!.key_variables[0]);
  });

  it("knows the dimensions of a provider's own models before the first request", async () => {
    const { embedding, key_variables } = findProvider(name)!;
    const embedder = await openHttpEmbedder({ provider: name, env: { [key_variables[0]]: KEY } });
    expect(embedder.dimensions).toBe(embedding!.dimensions[embedding!.model!]);
    expect(embedder.dimensions).toBeGreaterThan(0);
  });
});
