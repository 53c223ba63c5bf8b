import { afterEach, describe, expect, it } from 'vitest';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import type { Usage } from '../../../src/ports.ts';
import { openOpenAiServer, type Behaviour, type OpenAiServer } from '../../support/openai-server.ts';

let server: OpenAiServer;
afterEach(() => server.close());

const messages = [
  { role: 'system' as const, content: 'You answer.' },
  { role: 'user' as const, content: 'Is it so?' },
];
const now = { 'retry-after': '0' };

async function open(
  behaviour: Behaviour = {},
  { options = {}, timeout = 20, signal }: { options?: Record<string, unknown>; timeout?: number; signal?: AbortSignal } = {},
) {
  server = await openOpenAiServer(behaviour);
  const llm = await openOpenAiLlm({
    provider: 'openai',
    model: 'writer',
    options,
    env: { OPENAI_API_KEY: 'test-key-1234', OPENAI_BASE_URL: server.url },
  });
  return llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 77, timeout, signal });
}

async function read(answer: AsyncGenerator<string, Usage, void>): Promise<{ pieces: string[]; usage?: Usage; error?: Error }> {
  const pieces: string[] = [];
  try {
    for (;;) {
      const step = await answer.next();
      if (step.done) return { pieces, usage: step.value };
      pieces.push(step.value);
    }
  } catch (error) {
    return { pieces, error: error as Error };
  }
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => setTimeout(done, 5));
};

describe('a language model over HTTP', () => {
  it('gives the answer in the pieces in which it came, and what it cost', async () => {
    const { pieces, usage } = await read(await open({ reply: () => ({ pieces: ['It ', 'is ', 'so.'] }) }));
    expect(pieces).toEqual(['It ', 'is ', 'so.']);
    expect(usage).toEqual({ input_tokens: 11, output_tokens: 7 });
    expect(server.requests[0]!.body).toEqual({
      model: 'writer',
      messages,
      max_completion_tokens: 77,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('gives the first piece while the rest is still being written', async () => {
    const answer = await open({ reply: () => ({ pieces: ['first '], end: 'hang' }) });
    expect(await answer.next()).toEqual({ done: false, value: 'first ' });
    await answer.return({ input_tokens: 0, output_tokens: 0 });
  });

  it('passes options on, but not over what is ours', async () => {
    await read(await open({}, { options: { temperature: 0, model: 'other', stream: false } }));
    expect(server.requests[0]!.body).toMatchObject({ temperature: 0, model: 'writer', stream: true });
  });

  it('calls the limit max_tokens where the server is not OpenAI', async () => {
    server = await openOpenAiServer();
    const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    await read(llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 5, timeout: 20 }));
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 5 });
  });

  it('is asked again while it has said nothing', async () => {
    const replies = [{ status: 429, headers: now }, { status: 503, headers: now }, 'At last.'];
    const { pieces } = await read(await open({ reply: (_request, count) => replies[count - 1]! }));
    expect(pieces.join('')).toBe('At last.');
  });

  it('is asked again when the stream breaks off before the first word, with an error or without', async () => {
    const ends = ['cut', 'close', 'stop'] as const;
    const { pieces } = await read(
      await open({ reply: (_request, count) => ({ pieces: count === 3 ? ['Here.'] : [], end: ends[count - 1]! }) }),
    );
    expect([pieces, server.requests.length]).toEqual([['Here.'], 3]);
  });

  it('that ends without a word is not asked again', async () => {
    const { pieces, usage } = await read(await open({ reply: () => ({ pieces: [] }) }));
    expect([pieces, usage, server.requests.length]).toEqual([[], { input_tokens: 11, output_tokens: 7 }, 1]);
  });

  it('is not taken to be silent where its reader is slow', async () => {
    const answer = await open({ reply: () => ({ pieces: ['one ', 'two '] }) }, { timeout: 0.3 });
    await answer.next();
    await new Promise((done) => setTimeout(done, 600));
    expect((await read(answer)).pieces).toEqual(['two ']);
  });

  it('that only fails is an error with the number of attempts', async () => {
    const { error } = await read(await open({ reply: () => ({ status: 500, headers: now }) }));
    expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    expect(server.requests).toHaveLength(4);
  });

  it('that refuses the key is asked once', async () => {
    const { error } = await read(
      await open({ reply: () => ({ status: 401, error: { message: 'Incorrect API key provided: test-key-1234.' } }) }),
    );
    expect(error).toMatchObject({ code: 'unauthorized', attempts: 1 });
    expect(error!.message).not.toContain('test-key');
    expect(server.requests).toHaveLength(1);
  });

  it('that dies in its answer is an error after what it said, and is not asked again', async () => {
    for (const end of ['cut', 'close', 'error'] as const) {
      const { pieces, error } = await read(await open({ reply: () => ({ pieces: ['It ', 'is '], end }) }));
      expect([end, pieces, error]).toEqual([
        end,
        ['It ', 'is '],
        expect.objectContaining({ name: 'KbError', code: 'unavailable', isRetryable: true }),
      ]);
      expect(server.requests).toHaveLength(1);
      await server.close();
    }
  });

  it('that is silent for too long is given up, and its request ended', async () => {
    const { pieces, error } = await read(await open({ reply: () => ({ pieces: ['Well '], end: 'hang' }) }, { timeout: 0.2 }));
    expect(pieces).toEqual(['Well ']);
    expect(error).toMatchObject({ code: 'unavailable', message: 'openai sent nothing of the answer of writer for 0.2 seconds.' });
    await until(() => server.requests[0]!.isCut);
  });

  it('that is slow, but not silent, is heard to the end', async () => {
    const pieces = Array.from({ length: 12 }, (_, i) => `word${i} `);
    const heard = await read(await open({ reply: () => ({ pieces, delay: 100 }) }, { timeout: 1 }));
    expect([heard.pieces, heard.error]).toEqual([pieces, undefined]);
  });

  it('is stopped with the work', async () => {
    const stop = new AbortController();
    const answer = await open({ reply: () => ({ pieces: ['Well '], end: 'hang' }) }, { signal: stop.signal });
    await answer.next();
    stop.abort();
    await expect(answer.next()).rejects.toMatchObject({ code: 'aborted' });
    await until(() => server.requests[0]!.isCut);
  });

  it('is stopped when nobody reads any more', async () => {
    const answer = await open({ reply: () => ({ pieces: ['Well ', 'then '], end: 'hang' }) });
    await answer.next();
    await answer.return({ input_tokens: 0, output_tokens: 0 });
    await until(() => server.requests[0]!.isCut);
    expect(server.requests).toHaveLength(1);
  });

  it('says why where it said nothing: no tokens left, a filter', async () => {
    const short = await read(await open({ reply: () => ({ pieces: [], end: 'length' }) }));
    expect(short.error).toMatchObject({ code: 'invalid', hint: expect.stringContaining('max_tokens') });
    await server.close();
    const filtered = await read(await open({ reply: () => ({ pieces: ['I '], end: 'content_filter' }) }));
    expect(filtered.error).toMatchObject({ code: 'invalid', message: expect.stringContaining('content filter') });
  });
});
