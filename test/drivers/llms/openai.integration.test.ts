import { afterEach, describe, expect, it } from 'vitest';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { read, until } from '../../support/heard.ts';
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

describe('the chat completions client', () => {
  it('yields the answer in the pieces of the stream, and returns the token counts', async () => {
    const { pieces, usage } = await read(await open({ reply: () => ({ pieces: ['It ', 'is ', 'so.'] }) }));
    expect(pieces).toEqual(['It ', 'is ', 'so.']);
    expect(usage).toEqual({ input_tokens: 1100, output_tokens: 7 });
    expect(server.requests[0]!.body).toEqual({
      model: 'writer',
      messages,
      max_completion_tokens: 77,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('yields the first piece while the rest is still being generated', async () => {
    const answer = await open({ reply: () => ({ pieces: ['first '], end: 'hang' }) });
    expect(await answer.next()).toEqual({ done: false, value: 'first ' });
    await answer.return({ input_tokens: 0, output_tokens: 0 });
  });

  it('passes options on, but keeps its own parameters', async () => {
    await read(await open({}, { options: { temperature: 0, model: 'other', stream: false } }));
    expect(server.requests[0]!.body).toMatchObject({ temperature: 0, model: 'writer', stream: true });
  });

  it('uses max_tokens for servers other than OpenAI', async () => {
    server = await openOpenAiServer();
    const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    await read(llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 5, timeout: 20 }));
    expect(server.requests[0]!.body).toMatchObject({ max_tokens: 5 });
  });

  it('retries before the first text', async () => {
    const replies = [{ status: 429, headers: now }, { status: 503, headers: now }, 'At last.'];
    const { pieces } = await read(await open({ reply: (_request, count) => replies[count - 1]! }));
    expect(pieces.join('')).toBe('At last.');
  });

  it('retries if the stream breaks off before the first word, with or without an error', async () => {
    const ends = ['cut', 'close', 'stop'] as const;
    const { pieces } = await read(
      await open({ reply: (_request, count) => ({ pieces: count === 3 ? ['Here.'] : [], end: ends[count - 1]! }) }),
    );
    expect([pieces, server.requests.length]).toEqual([['Here.'], 3]);
  });

  it('ends without text, and without a retry, if the model says nothing', async () => {
    for (const pieces of [[], ['', ' \n'], ['<think>Hm.</think>'], [{ reasoning_content: 'Hm.' }]]) {
      const { pieces: said, error } = await read(await open({ reply: () => ({ pieces }) }));
      expect([said.join('').trim(), error, server.requests.length]).toEqual(['', undefined, 1]);
      await server.close();
    }
  });

  it('does not time out while its consumer is slow', async () => {
    const answer = await open({ reply: () => ({ pieces: ['one ', 'two '] }) }, { timeout: 0.3 });
    await answer.next();
    await new Promise((done) => setTimeout(done, 600));
    expect((await read(answer)).pieces).toEqual(['two ']);
  });

  it('reports the number of attempts if all fail', async () => {
    const { error } = await read(await open({ reply: () => ({ status: 500, headers: now }) }));
    expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 4 });
    expect(server.requests).toHaveLength(4);
  });

  it('does not retry with a refused key', async () => {
    const { error } = await read(
      await open({ reply: () => ({ status: 401, error: { message: 'Incorrect API key provided: test-key-1234.' } }) }),
    );
    expect(error).toMatchObject({ code: 'unauthorized', attempts: 1 });
    expect(error!.message).not.toContain('test-key');
    expect(server.requests).toHaveLength(1);
  });

  it('fails without a retry if the stream breaks off after some text', async () => {
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

  it('aborts the request after too long a silence', async () => {
    const { pieces, error } = await read(await open({ reply: () => ({ pieces: ['Well '], end: 'hang' }) }, { timeout: 0.2 }));
    expect(pieces).toEqual(['Well ']);
    expect(error).toMatchObject({ code: 'unavailable', message: 'openai sent nothing of the answer of writer for 0.2 seconds.' });
    await until(() => server.requests[0]!.isCut);
  });

  it('does not time out during a delay that the server requested', async () => {
    const wait = { status: 429, headers: { 'retry-after-ms': '400' } };
    const { pieces, error } = await read(await open({ reply: (_request, count) => (count < 4 ? wait : 'At last.') }, { timeout: 0.6 }));
    expect([pieces.join(''), error]).toEqual(['At last.', undefined]);
  });

  it('reports the number of attempts if a later one is silent', async () => {
    const hang = { pieces: [], end: 'hang' as const };
    const { error } = await read(
      await open({ reply: (_request, count) => (count < 3 ? { status: 429, headers: now } : hang) }, { timeout: 0.6 }),
    );
    expect(error).toMatchObject({ code: 'unavailable', attempts: 3, message: expect.stringContaining('sent nothing') });
    expect(server.requests).toHaveLength(3);
  });

  it('waits for a slow answer to its end', async () => {
    const pieces = Array.from({ length: 12 }, (_, i) => `word${i} `);
    const heard = await read(await open({ reply: () => ({ pieces, delay: 100 }) }, { timeout: 1 }));
    expect([heard.pieces, heard.error]).toEqual([pieces, undefined]);
  });

  it('aborts the request when the work is aborted', async () => {
    const stop = new AbortController();
    const answer = await open({ reply: () => ({ pieces: ['Well '], end: 'hang' }) }, { signal: stop.signal });
    await answer.next();
    stop.abort();
    await expect(answer.next()).rejects.toMatchObject({ code: 'aborted' });
    await until(() => server.requests[0]!.isCut);
  });

  it('aborts the request when the consumer stops', async () => {
    const answer = await open({ reply: () => ({ pieces: ['Well ', 'then '], end: 'hang' }) });
    await answer.next();
    await answer.return({ input_tokens: 0, output_tokens: 0 });
    await until(() => server.requests[0]!.isCut);
    expect(server.requests).toHaveLength(1);
  });

  it('explains an empty answer: no tokens left, a content filter, a refusal', async () => {
    const short = await read(await open({ reply: () => ({ pieces: [], end: 'length' }) }));
    expect(short.error).toMatchObject({ code: 'invalid', hint: expect.stringContaining('max_tokens') });
    await server.close();
    const filtered = await read(await open({ reply: () => ({ pieces: ['I '], end: 'content_filter' }) }));
    expect(filtered.error).toMatchObject({ code: 'invalid', message: expect.stringContaining('content filter') });
    await server.close();
    const refusal = [{ content: null, refusal: 'I can’t ' }, { refusal: 'help with that.' }];
    const refused = await read(await open({ reply: () => ({ pieces: refusal }) }));
    expect(refused.error).toMatchObject({ code: 'invalid', message: 'writer declined to answer: I can’t help with that.' });
  });

  it('leaves out the reasoning in each of its forms', async () => {
    for (const thoughts of [
      [{ reasoning: 'Hm.' }, { reasoning_content: 'Hm.' }],
      [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }, { content: [{ type: 'text', text: '' }] }],
      ['<th', 'ink>', 'Hm. </t', 'hink', '>\n\n'],
    ]) {
      const { pieces } = await read(
        await open({ reply: () => ({ pieces: [...thoughts, 'It is ', { content: [{ type: 'text', text: 'so.' }] }] }) }),
      );
      expect(pieces.join('')).toBe('It is so.');
      await server.close();
    }
  });

  it('reads a stream with any chunk boundaries', async () => {
    for (const slice of [1, 3, 7]) {
      const { pieces, usage } = await read(await open({ reply: () => ({ pieces: ['Grüße ', '— ', '日本 ', '🦊.'], slice }) }));
      expect([pieces.join(''), usage]).toEqual(['Grüße — 日本 🦊.', { input_tokens: 1100, output_tokens: 7 }]);
      await server.close();
    }
  });

  it('reads token counts from other fields, too', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
    for (const last of [
      { choices: [], x_groq: { id: 'req', usage } },
      { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], usage },
    ]) {
      const heard = await read(await open({ reply: () => ({ pieces: ['So.'], last }) }));
      expect(heard.usage).toEqual({ input_tokens: 5, output_tokens: 3 });
      await server.close();
    }
  });

  it('waits for the requested delay, and gives up if that is too long', async () => {
    for (const headers of [{ 'retry-after': '0' }, { 'retry-after-ms': '1' }] as Record<string, string>[]) {
      const { pieces } = await read(await open({ reply: (_request, count) => (count === 1 ? { status: 429, headers } : 'So.') }));
      expect(pieces.join('')).toBe('So.');
      await server.close();
    }
    const { error } = await read(await open({ reply: () => ({ status: 429, headers: { 'retry-after': '3600' } }) }));
    expect([error, server.requests.length]).toEqual([expect.objectContaining({ code: 'unavailable', attempts: 1, retryAfter: 3600 }), 1]);
  });

  it('reports a request that is too large by its own code, without a retry', async () => {
    const refusals = [
      { status: 400, error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' } },
      { status: 400, error: { message: 'Please shorten it.', code: 'context_length_exceeded' } },
      { status: 413, error: { message: 'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000' } },
      {
        status: 429,
        error: { message: 'Request too large for m: Limit 30000, Requested 40000. The input or output tokens must be reduced.' },
      },
    ];
    for (const refusal of refusals) {
      const { error } = await read(await open({ reply: () => refusal }));
      expect([refusal.error.message, error]).toEqual([refusal.error.message, expect.objectContaining({ code: 'too_large', attempts: 1 })]);
      await server.close();
    }
    for (const reply of [
      { pieces: [], end: 'model_length' as const },
      { pieces: [], end: 'error' as const, error: { message: 'Too long.', code: 'context_length_exceeded' } },
    ]) {
      const { error } = await read(await open({ reply: () => reply }));
      expect([error, server.requests.length]).toEqual([expect.objectContaining({ code: 'too_large' }), 1]);
      await server.close();
    }
  });

  it('retries an error within the stream, before the first text, if the error allows it', async () => {
    const errors = [{ code: 502, message: 'Provider returned error' }, { type: 'server_error', message: 'Oops' }, 'gone'];
    for (const error of errors) {
      const { pieces } = await read(
        await open({ reply: (_request, count) => (count === 1 ? { pieces: [], end: 'error', error } : 'So.') }),
      );
      expect([error, pieces.join('')]).toEqual([error, 'So.']);
      await server.close();
    }
    const { error } = await read(
      await open({ reply: () => ({ pieces: [], end: 'error', error: { code: 401, message: 'No key test-key-1234' } }) }),
    );
    expect(error).toMatchObject({ code: 'unauthorized', message: 'openai broke off with 401: No key …' });
    expect(server.requests).toHaveLength(1);
  });

  it('treats a lack of resources on the server as a broken answer', async () => {
    const { pieces, error } = await read(await open({ reply: () => ({ pieces: ['It '], end: 'insufficient_system_resource' }) }));
    expect([pieces, error]).toEqual([['It '], expect.objectContaining({ code: 'unavailable' })]);
  });

  it('finds the reason in each form of error response', async () => {
    for (const [status, body, code] of [
      [
        400,
        [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
        'unauthorized',
      ],
      [401, { message: 'Unauthorized', request_id: 'r' }, 'unauthorized'],
      [422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'colour'], msg: 'Extra inputs are not permitted' }] }, 'invalid'],
      [404, { error: { message: "model 'writer' not found", type: 'not_found_error' } }, 'configuration'],
      [307, 'moved', 'configuration'],
    ] as const) {
      const { error } = await read(await open({ reply: () => ({ status, body, headers: { location: 'http://127.0.0.1:1/' } }) }));
      expect([body, error]).toEqual([body, expect.objectContaining({ code, attempts: 1 })]);
      expect(error!.message).toMatch(/API key not valid|Unauthorized|body\.colour: Extra inputs|not found|it is at http:/);
      expect(server.requests).toHaveLength(1);
      await server.close();
    }
  });

  it('names the address if no server is there', async () => {
    await (await openOpenAiServer()).close();
    const llm = await openOpenAiLlm({ provider: 'ollama', env: { OLLAMA_BASE_URL: 'http://127.0.0.1:1/v1' } });
    const stop = new AbortController();
    const { error } = await read(
      llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 5, timeout: 20, signal: stop.signal }),
    );
    expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, message: expect.stringContaining('127.0.0.1:1') });
    server = await openOpenAiServer();
  });
});
