import { expect, it, onTestFinished } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { chunksIn, engineIn, result } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openOllamaServer } from '../support/ollama-server.ts';

const text = Array.from({ length: 60 }, (_, i) => `On day ${i} the crew greased the sheave and signed the sheet.`).join(' ');

/** The longest chunk that is stored with a model of this window, and the one that is made without storing. */
async function longestWith(context_length: number, chunking: Layer = {}): Promise<[stored: number, made: number]> {
  const server = await openOllamaServer({ installed: ['small'], context_length, capabilities: ['embedding'] });
  onTestFinished(() => server.close());
  const engine = engineIn(folder(), { embedding: { provider: 'ollama', model: 'small', options: { base_url: server.url } }, chunking });
  const request = { markdown: [{ source: 'log.md', text }] };
  expect(await result(engine, 'ingest', { ...request, dry_run: true })).toMatchObject({ failed: 0 });
  const { chunks } = await result(engine, 'ingest', request);
  expect(await result(engine, 'ingest', request)).toMatchObject({ unchanged: 1 });
  const stored = await chunksIn(engine);
  expect(stored).toHaveLength(chunks);
  const made = await result(engine, 'chunk', request);
  const longest = (texts: readonly unknown[]) => Math.max(...texts.map((one) => String(one).length));
  return [longest(stored.map((chunk) => chunk.text)), longest(made.items.map((chunk) => chunk.text))];
}

it('makes chunks that the embedding model reads at once, unless a size is set', async () => {
  for (const length of await longestWith(100)) expect([length > 300, length <= 400]).toEqual([true, true]);
  for (const length of await longestWith(8192)) expect([length > 900, length <= 1000]).toEqual([true, true]);
  for (const length of await longestWith(100, { chunk_size: 800 })) expect([length > 700, length <= 800]).toEqual([true, true]);
});
