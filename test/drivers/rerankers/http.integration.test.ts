import { describe, expect, it, onTestFinished } from 'vitest';
import { KbError } from '../../../src/core/errors.ts';
import { findProvider, providersOf } from '../../../src/drivers/providers/providers.ts';
import { openHttpReranker } from '../../../src/drivers/rerankers/http-reranker.ts';
import type { JsonServer } from '../../support/json-server.ts';
import { openRerankServer, rerankWires, type RerankBehaviour } from '../../support/rerank-server.ts';

const KEY = 'test-key-1234';
const now = { 'retry-after': '0' };
const passage = (text: string) => ({ text, score: 0, metadata: {} });

/** The service, the provider that names it, and what a request for two passages says beside query, model and passages. */
const SAYS: [service: string, provider: string, says: object][] = [
  ['cohere', 'cohere', { top_n: 2 }],
  ['jina', 'jina', { top_n: 2, return_documents: false }],
  ['voyage', 'voyage', { top_k: 2 }],
  ['vllm', 'openai_compatible', { top_n: 2 }],
  ['tei', 'openai_compatible', { truncate: true }],
];

async function open(service: string, provider: string, behaviour: RerankBehaviour = {}, options: Record<string, unknown> = {}) {
  const server = await openRerankServer(service, behaviour);
  onTestFinished(() => server.close());
  const { key_variables, rerank } = findProvider(provider)!;
  const model = rerank!.model ?? (service === 'tei' ? undefined : 'own-model');
  const env = { [key_variables[0]]: KEY };
  const reranker = await openHttpReranker({ provider, model, options: { base_url: server.url, ...options }, env });
  const rank = (texts: string[], signal?: AbortSignal) => reranker.rank('Which one?', texts.map(passage), { signal });
  return { server, reranker, rank };
}

const sizes = (service: string, { requests }: JsonServer) =>
  requests.flatMap(({ body }) => (body[rerankWires[service]!.texts] as string[] | undefined)?.length ?? []);
const thrown = async (work: Promise<unknown>): Promise<KbError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof KbError) return error;
  throw new Error('nothing was refused', { cause: error });
};

it('tests every provider that offers reranking', () => {
  expect(new Set(SAYS.map(([, provider]) => provider))).toEqual(new Set(providersOf('rerank')));
});

describe.each(SAYS)('the reranker for %s', (service, provider, says) => {
  it("sends requests in the provider's form with its key, and returns scores in the order of the passages", async () => {
    const { server, reranker, rank } = await open(service, provider);
    expect(await rank(['four', 'seventeen letters'])).toEqual([0.04, 0.17]);
    const { texts } = rerankWires[service]!;
    const { body, headers } = server.requests.at(-1)!;
    expect(body).toEqual({
      query: 'Which one?',
      [texts]: ['four', 'seventeen letters'],
      ...(reranker.model && { model: reranker.model }),
      ...says,
    });
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect([reranker.provider, reranker.min_rerank_score]).toEqual([provider, undefined]);
  });

  it('halves a request with too many passages, and scores the beginning of a passage that is too long', async () => {
    const { server, rank } = await open(service, provider, { most: 2, longest: 600, score: (text) => text.length });
    expect(await rank(['a', 'bb', 'ccc', 'd'.repeat(1200), 'eeeee'])).toEqual([1, 2, 3, 600, 5]);
    expect(sizes(service, server)).toEqual([5, 3, 2, 1, 2, 1, 1, 1]);
  });

  it('gives up if a short passage is refused as too long', async () => {
    const { rank } = await open(service, provider, { longest: 2 });
    expect((await thrown(rank(['abc', 'a']))).code).toBe('too_large');
  });

  it.each([429, 500, 503])('retries after status %d, after the delay that the provider names', async (status) => {
    const { rank, server } = await open(service, provider);
    await rank(['first']);
    const asked = server.requests.length;
    const slow = await open(service, provider, {
      instead: (_, count) => (count < 3 ? { status, said: 'Slow down.', headers: now } : undefined),
    });
    expect(await slow.rank(['first'])).toEqual([0.05]);
    expect(slow.server.requests).toHaveLength(2 + asked);
  });

  it.each([401, 403])('does not retry after status %d, and does not repeat the key', async (status) => {
    const { server, rank } = await open(service, provider, { instead: () => ({ status, said: `Invalid key: ${KEY}` }) });
    const error = await thrown(rank(['first']));
    expect(error).toMatchObject({ code: 'unauthorized', isRetryable: false, attempts: 1 });
    expect(error.message).toBe(`${provider} answered ${status}: Invalid key: …`);
    expect(server.requests).toHaveLength(1);
  });

  it('refuses a response in which a passage has no score or two', async () => {
    const { rank } = await open(service, provider, { score: (text) => (text === 'b' ? undefined : 1) });
    expect(await thrown(rank(['a', 'b']))).toMatchObject({
      code: 'invalid',
      message: `${provider} did not give each of 2 passages one score.`,
    });
    const ranked = [0, 1, 1].map((index) => ({ index, score: 1 }));
    const twice = { body: rerankWires[service]!.answer(ranked, []) };
    const { rank: again } = await open(service, provider, { instead: () => twice });
    expect((await thrown(again(['a', 'b']))).code).toBe('invalid');
    const { rank: strange } = await open(service, provider, { instead: () => ({ body: { status: 'ok' } }) });
    expect((await thrown(strange(['a']))).code).toBe('invalid');
  });

  it('aborts the request when the work is aborted', async () => {
    const { server, rank } = await open(service, provider, { instead: () => ({ hang: true }) });
    const stop = new AbortController();
    const work = thrown(rank(['a'], stop.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect((await work).code).toBe('aborted');
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
  });

  it('sends passages without invisible characters, and never an empty one', async () => {
    const { server, rank } = await open(service, provider);
    await rank(['a\u200bb\u202ec', '\u200b']);
    expect(server.requests.at(-1)!.body[rerankWires[service]!.texts]).toEqual(['abc', '-']);
  });
});

describe('the reranker for a compatible server', () => {
  it('switches to the dialect of text-embeddings-inference, and keeps it', async () => {
    const { server, rank } = await open('tei', 'openai_compatible');
    await rank(['a']);
    await rank(['a']);
    expect(server.requests.map(({ body }) => ('texts' in body ? 'texts' : 'documents'))).toEqual(['documents', 'texts', 'texts']);
  });

  it('does not switch the dialect after another error', async () => {
    const { server, rank } = await open('vllm', 'openai_compatible', {
      instead: () => ({ status: 400, said: 'The query is in a bad mood.' }),
    });
    expect((await thrown(rank(['a']))).code).toBe('invalid');
    expect(server.requests).toHaveLength(1);
  });

  it('reports a wrong configuration if the server is not a reranker', async () => {
    const { rank } = await open('vllm', 'openai_compatible', {}, {});
    expect(await rank(['a'])).toEqual([0.01]);
    const { rank: lost } = await open('vllm', 'openai_compatible', { instead: () => ({ status: 404, said: 'Not Found' }) });
    expect((await thrown(lost(['a']))).code).toBe('configuration');
  });

  it('sends no key if there is none, and requires an address', async () => {
    const server = await openRerankServer('vllm');
    onTestFinished(() => server.close());
    const reranker = await openHttpReranker({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    await reranker.rank('Which one?', [passage('a')], { signal: undefined });
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
    const error = await thrown(openHttpReranker({ provider: 'openai_compatible', model: 'own', env: {} }));
    expect([error.code, error.message]).toEqual(['configuration', 'The provider openai_compatible needs rerank.options.base_url.']);
  });
});

it.each(['cohere', 'jina', 'voyage'])('%s without a key fails with a setup error that names the variable', async (provider) => {
  const error = await thrown(openHttpReranker({ provider, env: {} }));
  expect(error.code).toBe('setup');
  expect(error.message).toContain(findProvider(provider)!.key_variables[0]);
});
