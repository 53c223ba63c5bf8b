import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalLlm } from '../../../src/drivers/llms/local.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { openLlmReranker } from '../../../src/drivers/rerankers/llm.ts';
import { openOpenAiServer, type Behaviour, type ModelRequest } from '../../support/openai-server.ts';

const passage = (text: string) => ({ text, score: 0, metadata: {} });

async function open(reply: NonNullable<Behaviour['reply']>) {
  const server = await openOpenAiServer({ reply });
  onTestFinished(() => server.close());
  const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'grader', options: { base_url: server.url }, env: {} });
  const reranker = openLlmReranker({ llm, max_tokens: 300, timeout: 20 });
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

describe('a language model that grades', () => {
  it('is asked once for all passages and gives each a score from 0 to 1', async () => {
    const { server, reranker, rank } = await open(byDigit);
    expect(await rank(['3 third', '9 ninth', '0 none'])).toEqual([0.3, 0.9, 0]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]!.body).toMatchObject({ model: 'grader', max_tokens: 300 });
    expect(server.requests[0]!.body.messages!.at(-1)!.content).toMatch(/Query: Which one\?$/);
    expect([reranker.provider, reranker.model, reranker.min_rerank_score]).toEqual(['llm', 'openai_compatible/grader', undefined]);
  });

  it('gives 0 to a passage that it passed over, and to those behind the first fifty', async () => {
    const { server, rank } = await open(() => '2: 9');
    const scores = await rank(Array.from({ length: 60 }, (_, i) => `passage ${i}`));
    expect(scores).toEqual(Array.from({ length: 60 }, (_, i) => (i === 1 ? 0.9 : 0)));
    expect(shown(server.requests[0]!)).toHaveLength(50);
  });

  it('is asked in halves where its window does not hold all passages', async () => {
    const { server, rank } = await open((request) =>
      shown(request).length > 2
        ? { status: 400, error: { message: "This model's maximum context length is 4096 tokens." } }
        : byDigit(request),
    );
    expect(await rank(['1', '2', '3', '4'])).toEqual([0.1, 0.2, 0.3, 0.4]);
    expect(server.requests.map((request) => shown(request).length)).toEqual([4, 2, 2]);
  });

  it('that gives no grade at all is an error that says so', async () => {
    const { rank } = await open(() => 'I would rather talk about the weather.');
    await expect(rank(['1', '2'])).rejects.toMatchObject({
      code: 'invalid',
      message: 'openai_compatible / grader gave no passage a grade.',
    });
  });

  it('that talks without an end is not listened to without an end', async () => {
    const { rank, server } = await open(() => ({
      pieces: ['1: 5\n', ...Array.from({ length: 40 }, () => 'and so on '.repeat(100))],
      end: 'hang',
    }));
    expect(await rank(['a'])).toEqual([0.5]);
    await expect.poll(() => server.requests[0]!.isCut).toBe(true);
  });

  it('stops with the work', async () => {
    const { rank, server } = await open(() => ({ pieces: [], end: 'hang' }));
    const stop = new AbortController();
    const work = rank(['a'], stop.signal);
    work.catch(() => {});
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'aborted' });
  });

  it('has to be one that writes', () => {
    expect(() => openLlmReranker({ llm: openLocalLlm(), max_tokens: 300, timeout: 20 })).toThrow(/chat\.llm\.provider is local/);
  });
});
