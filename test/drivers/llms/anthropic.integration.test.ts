import { afterEach, describe, expect, it } from 'vitest';
import { separateSystemMessages, openAnthropicLlm } from '../../../src/drivers/llms/anthropic.ts';
import type { GenerateRequest } from '../../../src/ports/models.ts';
import { openAnthropicServer, type AnthropicServer } from '../../support/anthropic-server.ts';
import { ask, read, until } from '../../support/heard.ts';

let server: AnthropicServer;
afterEach(() => server.close());

const KEY = 'sk-ant-test-1234567890';
const now = { 'retry-after': '0' };

async function open(
  reply?: Parameters<typeof openAnthropicServer>[0],
  { options = {}, suffix = '', ...request }: { options?: Record<string, unknown>; suffix?: string } & Partial<GenerateRequest> = {},
) {
  server = await openAnthropicServer(reply);
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${server.url}${suffix}` };
  return ask(await openAnthropicLlm({ provider: 'anthropic', model: 'writer', options, env }), request);
}

const cached = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];

describe('the Messages API client', () => {
  it('yields the answer in the pieces of the stream, and returns the token counts', async () => {
    const { pieces, usage } = await read(await open(() => ({ pieces: ['It ', 'is ', 'so.'] })));
    expect(pieces).toEqual(['It ', 'is ', 'so.']);
    expect(usage).toEqual({ input_tokens: 16, output_tokens: 7 });
    const [{ body, headers }] = server.requests as [AnthropicServer['requests'][0]];
    expect(body).toEqual({
      model: 'writer',
      max_tokens: 77,
      stream: true,
      system: cached('You answer.'),
      messages: [{ role: 'user', content: 'Is it so?' }],
    });
    expect(headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
    expect(headers.authorization).toBeUndefined();
  });

  it('accepts an address that ends in /v1', async () => {
    expect((await read(await open(undefined, { suffix: '/v1/' }))).pieces.join('')).toBe('It is so.');
  });

  it('passes options on, but keeps its own parameters', async () => {
    await read(await open(undefined, { options: { temperature: 0, model: 'other', stream: false, system: 'No.' } }));
    expect(server.requests[0]!.body).toMatchObject({ temperature: 0, model: 'writer', stream: true, system: cached('You answer.') });
  });

  it('sends system messages separately from the turns, and asks to cache them and the history', async () => {
    const messages = [
      { role: 'system', content: 'One.' },
      { role: 'user', content: 'Is it so?' },
      { role: 'assistant', content: 'As I said.' },
      { role: 'system', content: 'Two.' },
      { role: 'user', content: 'Please.' },
    ] as const;
    const { pieces } = await read(await open(undefined, { messages }));
    expect(pieces.join('')).toBe('It is so.');
    const { system, messages: turns } = server.requests[0]!.body as { system: unknown; messages: unknown };
    expect(system).toEqual(cached('One.\n\nTwo.'));
    expect(turns).toEqual([messages[1], { role: 'assistant', content: cached('As I said.') }, messages[4]]);
    expect(separateSystemMessages([{ role: 'user', content: 'Hi.' }])).toEqual({ messages: [{ role: 'user', content: 'Hi.' }] });
  });

  it('reads a stream with any chunk boundaries and line endings', async () => {
    for (const newline of ['\n', '\r\n', '\r'] as const) {
      for (const slice of [1, 3, 11]) {
        const { pieces, usage } = await read(await open(() => ({ pieces: ['Grüße ', '日本 ', '🦊.'], slice, newline })));
        expect([pieces.join(''), usage]).toEqual(['Grüße 日本 🦊.', { input_tokens: 16, output_tokens: 7 }]);
        await server.close();
      }
    }
  });

  it('leaves out the reasoning', async () => {
    const { pieces } = await read(await open(() => ({ thoughts: ['Hm. ', 'Well.'], pieces: ['It is so.'] })));
    expect(pieces).toEqual(['It is so.']);
  });

  it('ends without text if the model says nothing beside its reasoning', async () => {
    for (const reply of [{ pieces: [] }, { thoughts: ['Hm.'], pieces: ['\n'] }]) {
      const { pieces, error } = await read(await open(() => reply));
      expect([pieces.join('').trim(), error]).toEqual(['', undefined]);
      await server.close();
    }
  });

  it('fails if the answer was withheld or never began', async () => {
    for (const [reply, expected] of [
      [
        { thoughts: ['Hm.'], pieces: [], end: 'max_tokens' },
        { code: 'invalid', hint: expect.stringContaining('chat.llm.max_tokens') },
      ],
      [
        { pieces: ['I '], end: 'refusal' },
        { code: 'invalid', message: expect.stringContaining('content filter') },
      ],
      [{ pieces: [], end: 'model_context_window_exceeded' }, { code: 'too_large' }],
    ] as const) {
      const { error } = await read(
        await open(() => ({ ...reply, pieces: [...reply.pieces], thoughts: [...('thoughts' in reply ? reply.thoughts : [])] })),
      );
      expect([error, server.requests.length]).toEqual([expect.objectContaining({ ...expected, attempts: 1 }), 1]);
      await server.close();
    }
  });

  it('returns an answer that reached the token limit', async () => {
    const { pieces, error } = await read(await open(() => ({ pieces: ['It is'], end: 'max_tokens' })));
    expect([pieces, error]).toEqual([['It is'], undefined]);
  });

  it('retries a rate limit, an overload within the stream and a broken connection before the first text', async () => {
    const replies = [
      { status: 429, type: 'rate_limit_error', headers: now },
      { status: 529, type: 'overloaded_error', headers: now },
      { pieces: [], thoughts: ['Hm.'], end: 'error' as const },
      'At last.',
    ];
    expect((await read(await open((_request, count) => replies[count - 1]!))).pieces.join('')).toBe('At last.');
    await server.close();
    const ends = ['cut', 'close', 'end_turn'] as const;
    const cut = await read(await open((_request, count) => ({ pieces: count === 3 ? ['Here.'] : [], end: ends[count - 1]! })));
    expect([cut.pieces, server.requests.length]).toEqual([['Here.'], 3]);
  });

  it('reports the number of attempts if all fail', async () => {
    const { error } = await read(await open(() => ({ status: 503, headers: now, body: '<html><h1>Bad gateway</h1></html>' })));
    expect(error).toMatchObject({ code: 'unavailable', attempts: 4, message: 'anthropic answered 503: Bad gateway.' });
    expect(server.requests).toHaveLength(4);
  });

  it('fails without a retry if the stream breaks off after some text', async () => {
    for (const end of ['cut', 'close', 'error'] as const) {
      const { pieces, error } = await read(await open(() => ({ pieces: ['It ', 'is '], end })));
      expect([end, pieces.join(''), error]).toEqual([
        end,
        'It is ',
        expect.objectContaining({ name: 'KbError', code: 'unavailable', isRetryable: true }),
      ]);
      expect(server.requests).toHaveLength(1);
      await server.close();
    }
  });

  it('reports what is wrong with a request, and does not retry', async () => {
    for (const [refusal, code] of [
      [{ status: 401, type: 'authentication_error', message: `invalid x-api-key ${KEY}` }, 'unauthorized'],
      [{ status: 403, type: 'permission_error', message: 'no' }, 'unauthorized'],
      [{ status: 404, type: 'not_found_error', message: 'model: writer' }, 'configuration'],
      [{ status: 400, type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' }, 'too_large'],
      [
        {
          status: 400,
          type: 'invalid_request_error',
          message: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
        },
        'too_large',
      ],
      [{ status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }, 'too_large'],
      [
        {
          status: 400,
          type: 'invalid_request_error',
          message: 'max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens',
        },
        'invalid',
      ],
    ] as const) {
      const { error } = await read(await open(() => refusal));
      expect([refusal.message, error]).toEqual([refusal.message, expect.objectContaining({ code, attempts: 1 })]);
      expect(error!.message).not.toContain(KEY);
      expect(server.requests).toHaveLength(1);
      await server.close();
    }
  });

  it('aborts the request after too long a silence, even if the server sends pings', async () => {
    const { pieces, error } = await read(await open(() => ({ pieces: ['Well '], end: 'hang' }), { timeout: 0.3 }));
    expect([pieces, error]).toEqual([
      ['Well '],
      expect.objectContaining({ code: 'unavailable', message: 'anthropic sent nothing of the answer of writer for 0.3 seconds.' }),
    ]);
    await until(() => server.requests[0]!.isCut);
  });

  it('waits for a slow answer to its end', async () => {
    const pieces = Array.from({ length: 12 }, (_, i) => `word${i} `);
    const heard = await read(await open(() => ({ pieces, delay: 100 }), { timeout: 1 }));
    expect([heard.pieces, heard.error]).toEqual([pieces, undefined]);
  });

  it('aborts the request when the work is aborted or the consumer stops', async () => {
    const stop = new AbortController();
    const answer = await open(() => ({ pieces: ['Well '], end: 'hang' }), { signal: stop.signal });
    await answer.next();
    stop.abort();
    await expect(answer.next()).rejects.toMatchObject({ code: 'aborted' });
    await until(() => server.requests[0]!.isCut);
    await server.close();
    const left = await open(() => ({ pieces: ['Well ', 'then '], end: 'hang' }));
    await left.next();
    await left.return({ input_tokens: 0, output_tokens: 0 });
    await until(() => server.requests[0]!.isCut);
    expect(server.requests).toHaveLength(1);
  });

  it('requires a key', async () => {
    server = await openAnthropicServer();
    await expect(openAnthropicLlm({ provider: 'anthropic', env: {} })).rejects.toMatchObject({
      code: 'setup',
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });
});
