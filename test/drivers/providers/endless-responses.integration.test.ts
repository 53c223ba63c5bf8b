import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { openHttpEmbedder } from '../../../src/drivers/embedders/http-embedder.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { read } from '../../support/heard.ts';
import { listening } from '../../support/listening.ts';

/** Who answers with a body that repeats a piece until the client lets go, and counts the bytes. */
async function endless(type: string, status: number, piece: Buffer) {
  let sent = 0;
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(status, { 'content-type': type, 'retry-after': '0' });
    const pieces = function* () {
      while (!response.destroyed) {
        sent += piece.length;
        yield piece;
      }
    };
    Readable.from(pieces()).pipe(response);
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return { url, sent: () => sent };
}

const ask = async (url: string) => {
  const llm = await openOpenAiLlm({ provider: 'openai_compatible', model: 'm', options: { base_url: url }, env: {} });
  return await read(
    llm.generate({ messages: [{ role: 'user', content: 'Is it so?' }], grounding: { query: '', sources: [] }, max_tokens: 5, timeout: 20 }),
  );
};

it('ends an answer that a model never ends, and says that it was cut off', async () => {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word '.repeat(200) } }] })}\n\n`;
  const server = await endless('text/event-stream', 200, Buffer.from(event.repeat(50)));
  const { pieces, usage, error } = await ask(server.url);
  expect([pieces.join('').length, usage, error]).toEqual([1_000_000, expect.objectContaining({ cut_off: 'max_tokens' }), undefined]);
});

it('gives a long piece of an answer in short ones', async () => {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { content: '['.repeat(1_100_000) } }] })}\n\n`;
  const { pieces } = await ask((await endless('text/event-stream', 200, Buffer.from(event))).url);
  expect([pieces.join('').length, Math.max(...pieces.map((piece) => piece.length))]).toEqual([1_000_000, 2_000]);
});

it.each([
  ['text/event-stream', 200],
  ['application/json', 200],
  ['text/html', 200],
  ['application/json', 400],
])('stops reading a body of %s without end, with status %i', async (type, status) => {
  const server = await endless(type, status, Buffer.alloc(2 ** 20, ' '));
  expect((await ask(server.url)).error).toMatchObject({
    code: 'unavailable',
    message: 'openai_compatible sent more than 128 MiB in one response.',
  });
  expect(server.sent()).toBeLessThan(200 * 2 ** 20);
  const embedder = await openHttpEmbedder({ provider: 'ollama', model: 'm', env: { OLLAMA_BASE_URL: server.url } });
  await expect(embedder.embed(['a'], { input_type: 'query' })).rejects.toMatchObject({
    message: 'ollama sent more than 128 MiB in one response.',
  });
});
