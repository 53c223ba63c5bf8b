import { afterEach, describe, expect, it } from 'vitest';
import { openHttpEmbedder } from '../../../src/drivers/embedders/http-embedder.ts';
import { openOllamaLlm } from '../../../src/drivers/llms/ollama.ts';
import { ask, read } from '../../support/heard.ts';
import { type OllamaBehaviour, type OllamaServer, openOllamaServer } from '../../support/ollama-server.ts';

let server: OllamaServer;
afterEach(() => server.close());

async function open(behaviour: OllamaBehaviour = {}, settings: { context_window?: number; options?: Record<string, unknown> } = {}) {
  server = await openOllamaServer(behaviour);
  return openOllamaLlm({ provider: 'ollama', model: 'writer', env: { OLLAMA_BASE_URL: `${server.url}/v1` }, ...settings });
}

describe('a language model of Ollama', () => {
  it('is asked with a window that holds the prompt and the answer, at most its own', async () => {
    for (const [content, context_length, num_ctx] of [
      ['Is it so?', 32_768, 4096],
      ['Is it so?', 2048, 2048],
      ['word '.repeat(3000), 32_768, 8192],
      ['word '.repeat(30_000), 32_768, 32_768],
    ] as const) {
      const llm = await open({ context_length });
      await read(ask(llm, { messages: [{ role: 'user', content }] }));
      expect(server.requests[0]!.body.options).toEqual({ num_ctx, num_predict: 77 });
      await server.close();
    }
  });

  it('is asked with the configured window and options', async () => {
    const llm = await open({}, { context_window: 6000, options: { temperature: 0, keep_alive: '1h' } });
    await read(ask(llm));
    expect(server.requests[0]!.body).toMatchObject({ keep_alive: '1h', options: { temperature: 0, num_ctx: 6000, num_predict: 77 } });
  });

  it('is asked not to think, if it can', async () => {
    for (const [capabilities, family, think] of [
      [['completion'], 'llama', undefined],
      [['completion', 'thinking'], 'qwen3', false],
      [['completion', 'thinking'], 'gptoss', 'low'],
    ] as const) {
      await read(ask(await open({ capabilities: [...capabilities], family })));
      expect(server.requests[0]!.body.think).toBe(think);
      await server.close();
    }
  });

  it('answers without what it thinks', async () => {
    const thinking = { message: { content: '', thinking: 'Hm.' }, done: false };
    const llm = await open({ reply: () => [thinking, { message: { content: 'So.' }, done: false }, { done: true, done_reason: 'stop' }] });
    expect(await read(ask(llm))).toMatchObject({ pieces: ['So.'], usage: { input_tokens: 0, output_tokens: 0 } });
  });

  it('fails if its stream holds an error or ends early', async () => {
    const started = { message: { content: 'It is ' }, done: false };
    for (const [lines, message] of [
      [[started, { error: 'the model runner has stopped' }], 'ollama broke off with 500: the model runner has stopped.'],
      [[started], 'ollama broke off in the answer of writer.'],
    ] as const) {
      const llm = await open({ reply: () => [...lines] });
      expect((await read(ask(llm))).error).toMatchObject({ code: 'unavailable', message });
      await server.close();
    }
  });

  it('names the command that installs a missing model, and the models that are installed', async () => {
    const llm = await open({ installed: ['small', 'large'] });
    const { error } = await read(ask(llm));
    expect(error).toMatchObject({
      code: 'configuration',
      hint: expect.stringMatching(/ollama pull writer.*small, large/),
    });
  });

  it('names the command that starts Ollama', async () => {
    const llm = await open();
    await server.close();
    const { error } = await read(ask(llm, { timeout: 5 }));
    expect(error).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('ollama serve') });
  });
});

describe('an embedding model of Ollama', () => {
  it('embeds the parts of a text that is too long, and nothing is cut', async () => {
    server = await openOllamaServer({ limit: 120 });
    const embedder = await openHttpEmbedder({ provider: 'ollama', model: 'writer', env: { OLLAMA_BASE_URL: server.url } });
    const text = Array.from({ length: 80 }, (_, i) => `word${i}`).join(' ');
    const [vector] = await embedder.embed([text], { input_type: 'document' });
    expect(Math.hypot(...vector!)).toBeCloseTo(1);
    const embedded = server.requests.flatMap(({ body }) => body.input!).filter(({ length }) => length <= 120);
    expect(embedded.join('').replace(/\s+/g, ' ')).toBe(text);
    expect(server.requests.every(({ body }) => body.truncate === false)).toBe(true);
  });
});
