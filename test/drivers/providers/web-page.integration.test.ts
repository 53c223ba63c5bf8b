import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openHttpEmbedder } from '../../../src/drivers/embedders/http-embedder.ts';
import { openAnthropicLlm } from '../../../src/drivers/llms/anthropic.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import type { Llm } from '../../../src/ports/models.ts';
import { read } from '../../support/heard.ts';
import { listening } from '../../support/listening.ts';

/** Who answers everything with the login page of a network, and counts. */
async function portal(status = 200) {
  let count = 0;
  const page = '<!doctype html><html><head><title>\n Log in\u0007 to the\tnetwork </title></head><body>Welcome</body></html>';
  const server = createServer((incoming, response) => {
    count++;
    incoming.resume();
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'retry-after': '0' }).end(page);
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { url: `${url}/v1`, count: () => count };
}

const words = async (llm: Llm) => {
  const messages = [{ role: 'user' as const, content: 'Is it so?' }];
  const { error } = await read(llm.generate({ messages, grounding: { query: '', sources: [] }, max_tokens: 5, timeout: 20 }));
  return error;
};

it.each([
  ['openai', async (url: string) => words(await openOpenAiLlm({ provider: 'openai', env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url } }))],
  [
    'anthropic',
    async (url: string) =>
      words(await openAnthropicLlm({ provider: 'anthropic', env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url } })),
  ],
  [
    'ollama',
    async (url: string) => {
      const embedder = await openHttpEmbedder({ provider: 'ollama', env: { OLLAMA_BASE_URL: url } });
      return await embedder.embed(['a'], { input_type: 'query' }).catch((error: unknown) => error);
    },
  ],
])('%s: reports a web page instead of a response, and does not retry', async (provider, ask) => {
  const { url, count } = await portal();
  expect(await ask(url)).toMatchObject({
    code: 'unavailable',
    isRetryable: false,
    message: `${provider} did not answer: a web page ("Log in to the network") came from ${url} instead.`,
    hint: expect.stringContaining('login'),
  });
  expect(count()).toBe(1);
});

it('treats a web page with an error status as an error response', async () => {
  const { url } = await portal(401);
  const error = await words(await openOpenAiLlm({ provider: 'openai', env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: url } }));
  expect(error).toMatchObject({ code: 'unauthorized' });
});
