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

it('every provider of the table that reranks is tried here', () => {
  expect(new Set(SAYS.map(([, provider]) => provider))).toEqual(new Set(providersOf('rerank')));
});

describe.each(SAYS)('%s', (service, provider, says) => {
  it('is asked in its own words, with its key, and gives the scores in the order of the passages', async () => {
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

  it('is asked in halves for more passages than it takes, and scores the beginning of one that is too long', async () => {
    const { server, rank } = await open(service, provider, { most: 2, longest: 600, score: (text) => text.length });
    expect(await rank(['a', 'bb', 'ccc', 'd'.repeat(1200), 'eeeee'])).toEqual([1, 2, 3, 600, 5]);
    expect(sizes(service, server)).toEqual([5, 3, 2, 1, 2, 1, 1, 1]);
  });

  it('gives up where a passage is refused as too long that is short', async () => {
    const { rank } = await open(service, provider, { longest: 2 });
    expect((await thrown(rank(['abc', 'a']))).code).toBe('too_large');
  });

  it.each([429, 500, 503])('is asked again after %d, as soon as it allows', async (status) => {
    const { rank, server } = await open(service, provider);
    await rank(['first']);
    const asked = server.requests.length;
    const slow = await open(service, provider, {
      instead: (_, count) => (count < 3 ? { status, said: 'Slow down.', headers: now } : undefined),
    });
    expect(await slow.rank(['first'])).toEqual([0.05]);
    expect(slow.server.requests).toHaveLength(2 + asked);
  });

  it.each([401, 403])('is not asked again after %d, and its key is in no message', async (status) => {
    const { server, rank } = await open(service, provider, { instead: () => ({ status, said: `Invalid key: ${KEY}` }) });
    const error = await thrown(rank(['first']));
    expect(error).toMatchObject({ code: 'unauthorized', isRetryable: false, attempts: 1 });
    expect(error.message).toBe(`${provider} answered ${status}: Invalid key: …`);
    expect(server.requests).toHaveLength(1);
  });

  it('is not believed where a passage has no score or two', async () => {
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

  it('stops with the work, and lets go of the request', async () => {
    const { server, rank } = await open(service, provider, { instead: () => ({ hang: true }) });
    const stop = new AbortController();
    const work = thrown(rank(['a'], stop.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect((await work).code).toBe('aborted');
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
  });

  it('sees of a passage what a person sees, and never an empty one', async () => {
    const { server, rank } = await open(service, provider);
    await rank(['a\u200bb\u202ec', '\u200b']);
    expect(server.requests.at(-1)!.body[rerankWires[service]!.texts]).toEqual(['abc', '-']);
  });
});

describe('a compatible server', () => {
  it('that speaks as text-embeddings-inference does is asked its way, from the second question on at once', async () => {
    const { server, rank } = await open('tei', 'openai_compatible');
    await rank(['a']);
    await rank(['a']);
    expect(server.requests.map(({ body }) => ('texts' in body ? 'texts' : 'documents'))).toEqual(['documents', 'texts', 'texts']);
  });

  it('that refuses for another reason is not asked another way', async () => {
    const { server, rank } = await open('vllm', 'openai_compatible', {
      instead: () => ({ status: 400, said: 'The query is in a bad mood.' }),
    });
    expect((await thrown(rank(['a']))).code).toBe('invalid');
    expect(server.requests).toHaveLength(1);
  });

  it('that is none of a reranker is a matter of the configuration', async () => {
    const { rank } = await open('vllm', 'openai_compatible', {}, {});
    expect(await rank(['a'])).toEqual([0.01]);
    const { rank: lost } = await open('vllm', 'openai_compatible', { instead: () => ({ status: 404, said: 'Not Found' }) });
    expect((await thrown(lost(['a']))).code).toBe('configuration');
  });

  it('is asked without any key where there is none, and needs an address', async () => {
    const server = await openRerankServer('vllm');
    onTestFinished(() => server.close());
    const reranker = await openHttpReranker({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    await reranker.rank('Which one?', [passage('a')], { signal: undefined });
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
    const error = await thrown(openHttpReranker({ provider: 'openai_compatible', model: 'own', env: {} }));
    expect([error.code, error.message]).toEqual(['configuration', 'The provider openai_compatible needs rerank.options.base_url.']);
  });
});

it.each(['cohere', 'jina', 'voyage'])('%s without a key is a setup error that names the variable', async (provider) => {
  const error = await thrown(openHttpReranker({ provider, env: {} }));
  expect(error.code).toBe('setup');
  expect(error.message).toContain(findProvider(provider)!.key_variables[0]);
});
