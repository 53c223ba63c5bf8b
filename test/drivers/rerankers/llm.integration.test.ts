import { describe, expect, it, onTestFinished } from 'vitest';
import { openQuoteLlm } from '../../../src/stages/quote/quote-llm.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { openLlmReranker } from '../../../src/drivers/rerankers/llm-reranker.ts';
import { openOpenAiServer, type Behaviour, type ModelRequest } from '../../support/openai-server.ts';

const passage = (text: string) => ({ text, score: 0, metadata: {} });

const estimate = (text: string) => Math.ceil(text.length / 3.5);

async function open(reply: NonNullable<Behaviour['reply']>, { max_tokens = 300, tokens = 128_000 } = {}) {
  const server = await openOpenAiServer({ reply });
  onTestFinished(() => server.close());
  const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'grader', options: { base_url: server.url }, env: {} });
  const reranker = openLlmReranker({ llm, max_tokens, timeout: 20, window: { tokens, estimate } });
  const rank = (texts: string[], signal?: AbortSignal) => reranker.rank('Which one?', texts.map(passage), { signal });
  return { server, reranker, rank };
}

/** The passages of a request, as the model sees them. */
const shown = ({ body }: ModelRequest): string[] =>
  [...body.messages!.at(-1)!.content.matchAll(/--- passage \d+ \w+ ---\n(.*?)\n--- end/gs)].map(([, text]) => text!);
/** Grades each passage by its first letter. */
const byDigit = (request: ModelRequest) =>
  shown(request)
    .map((text, i) => `${i + 1}: ${text[0]}`)
    .join('\n');

describe('the LLM reranker', () => {
  it('sends one request for all passages, and returns scores from 0 to 1', async () => {
    const { server, reranker, rank } = await open(byDigit);
    expect(await rank(['3 third', '9 ninth', '0 none'])).toEqual([0.3, 0.9, 0]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]!.body).toMatchObject({ model: 'grader', max_tokens: 300 });
    expect(server.requests[0]!.body.messages!.at(-1)!.content).toMatch(/Query: Which one\?$/);
    expect([reranker.provider, reranker.model, reranker.min_rerank_score]).toEqual(['llm', 'openai_compatible/grader', undefined]);
  });

  it('scores passages beyond the first fifty as 0', async () => {
    const { server, rank } = await open(byDigit);
    const scores = await rank(Array.from({ length: 60 }, (_, i) => `${(i % 9) + 1} passage`));
    expect(scores).toEqual(Array.from({ length: 60 }, (_, i) => (i < 50 ? ((i % 9) + 1) / 10 : 0)));
    expect(shown(server.requests[0]!)).toHaveLength(50);
  });

  it('fails if the model skips a passage, and reports how many it graded', async () => {
    const { rank } = await open(() => '2: 9\n4: 0');
    await expect(rank(['1', '2', '3', '4'])).rejects.toMatchObject({
      code: 'invalid',
      message: 'openai_compatible / grader graded only 2 of 4 passages.',
    });
  });

  it('sends as many requests as the context window requires', async () => {
    const { server, rank } = await open(byDigit, { tokens: 4096, max_tokens: 1024 });
    const texts = Array.from({ length: 50 }, (_, i) => `${i % 10}${' word'.repeat(500)}`);
    expect(await rank(texts)).toEqual(texts.map((text) => Number(text[0]) / 10));
    expect(server.requests.length).toBeGreaterThan(1);
    for (const { body } of server.requests) {
      const sent = body.messages!.reduce((sum, { content }) => sum + estimate(content), 0);
      expect(sent + (body.max_tokens as number)).toBeLessThanOrEqual(4096);
    }
    expect(server.requests.flatMap(shown).map((text) => text.length)).toEqual(texts.map(() => 2000));
  });

  it('reserves the tokens for the grades, even if max_tokens is lower', async () => {
    const { server, rank } = await open(byDigit, { max_tokens: 5 });
    await rank(Array.from({ length: 50 }, () => '7'));
    expect(server.requests[0]!.body.max_tokens).toBeGreaterThanOrEqual(50 * 10);
  });

  it('halves a request that the model refuses as too large', async () => {
    const { server, rank } = await open((request) =>
      shown(request).length > 2
        ? { status: 400, error: { message: "This model's maximum context length is 4096 tokens." } }
        : byDigit(request),
    );
    expect(await rank(['1', '2', '3', '4'])).toEqual([0.1, 0.2, 0.3, 0.4]);
    expect(server.requests.map((request) => shown(request).length)).toEqual([4, 2, 2]);
  });

  it('fails if the model gives no grade', async () => {
    const { rank } = await open(() => 'I would rather talk about the weather.');
    await expect(rank(['1', '2'])).rejects.toMatchObject({
      code: 'invalid',
      message: 'openai_compatible / grader gave no passage a grade.',
    });
  });

  it('stops reading an endless answer', async () => {
    const { rank, server } = await open(() => ({
      pieces: ['1: 5\n', ...Array.from({ length: 40 }, () => 'and so on '.repeat(100))],
      end: 'hang',
    }));
    expect(await rank(['a'])).toEqual([0.5]);
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
  });

  it('aborts the request when the work is aborted', async () => {
    const { rank, server } = await open(() => ({ pieces: [], end: 'hang' }));
    const stop = new AbortController();
    const work = rank(['a'], stop.signal);
    work.catch(() => {});
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'aborted' });
  });

  it('refuses the extractive model', () => {
    expect(() => openLlmReranker({ llm: openQuoteLlm(), max_tokens: 300, timeout: 20, window: { tokens: 9000, estimate } })).toThrow(
      /chat\.llm\.provider is local/,
    );
  });
});
