import { afterEach, describe, expect, it } from 'vitest';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { ask, read } from '../../support/heard.ts';
import { type ModelRequest, openOpenAiServer, type OpenAiServer } from '../../support/openai-server.ts';

let server: OpenAiServer;
afterEach(() => server.close());

type Refuse = (body: ModelRequest['body']) => { status: number; error?: { message: string }; body?: unknown } | undefined;

async function open(refuse: Refuse) {
  server = await openOpenAiServer({ reply: ({ body }) => refuse(body) ?? 'It is so.' });
  return openOpenAiLlm({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url, temperature: 0 }, env: {} });
}

const unsupported = (name: string): ReturnType<Refuse> => ({
  status: 400,
  error: { message: `Unsupported parameter: '${name}' is not supported with this model.` },
});

describe('a server that refuses what kb sends', () => {
  it.each(['max_tokens', 'stream_options', 'temperature'])('is asked again without %s, and from then on without it', async (name) => {
    const llm = await open((body) => (name in body ? unsupported(name) : undefined));
    for (const _turn of [1, 2]) expect((await read(ask(llm))).pieces.join('')).toBe('It is so.');
    expect(server.requests.map(({ body }) => name in body)).toEqual([true, false, false]);
  });

  it('is asked with the name that it gives for a parameter', async () => {
    const message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const llm = await open((body) => ('max_tokens' in body ? { status: 400, error: { message } } : undefined));
    expect((await read(ask(llm))).pieces.join('')).toBe('It is so.');
    expect(server.requests[1]!.body).toMatchObject({ max_completion_tokens: 77 });
  });

  it('is asked without system messages, whose text stands before the question', async () => {
    const llm = await open(({ messages = [] }) =>
      messages.some(({ role }) => role === 'system') ? { status: 400, error: { message: 'System role not supported' } } : undefined,
    );
    expect((await read(ask(llm))).pieces.join('')).toBe('It is so.');
    expect(server.requests[1]!.body.messages).toEqual([{ role: 'user', content: 'You answer.\n\nIs it so?' }]);
  });

  it('is not asked again if it refuses a value, or everything', async () => {
    for (const message of ['temperature: 3 is out of range', 'The request is unsupported.']) {
      const llm = await open(() => ({ status: 400, error: { message } }));
      expect((await read(ask(llm))).error).toMatchObject({ message: expect.stringContaining(message) });
      expect(server.requests).toHaveLength(1);
      await server.close();
    }
  });

  it('is asked a bounded number of times if it refuses every parameter', async () => {
    const llm = await open((body) => unsupported(Object.keys(body).find((name) => /max|temperature|stream_options/.test(name)) ?? 'model'));
    expect((await read(ask(llm))).error).toMatchObject({ code: 'invalid' });
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });
});

describe('a server that does not stream', () => {
  it('is read', async () => {
    const message = { role: 'assistant', content: '<think>Hm.</think>It is so.' };
    const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 3, completion_tokens: 4 } });
    server = await openOpenAiServer({ raw: { type: 'application/json; charset=utf-8', body } });
    const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
    expect(await read(ask(llm))).toEqual({ pieces: ['It is so.'], usage: { input_tokens: 3, output_tokens: 4 } });
  });
});

it('a stream that ends with [DONE] and without a reason is a whole answer', async () => {
  const body = `data: ${JSON.stringify({ choices: [{ delta: { content: 'It is so.' } }] })}\n\ndata: [DONE]\n\n`;
  server = await openOpenAiServer({ raw: { type: 'text/event-stream', body } });
  const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'own', options: { base_url: server.url }, env: {} });
  expect((await read(ask(llm))).pieces).toEqual(['It is so.']);
});
