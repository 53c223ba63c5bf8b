import { expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../src/core/run.ts';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { createResources } from '../../src/engine/resources.ts';
import type { Embedder } from '../../src/ports/models.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { qdrantServer } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

function resourcesOf(settings: Layer, surface: 'cli' | 'server') {
  const config = Config.parse(mergeLayers(DEFAULTS, settings));
  const resources = createResources({ config, home: folder(), surface });
  onTestFinished(() => resources.close());
  return { config, resources };
}

it('the key of a store is sent to the addresses of the operator only, and on the command line to any', async () => {
  vi.stubEnv('QDRANT_API_KEY', 'a-secret-key');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { server } = await qdrantServer();
  const elsewhere = { storage: { vector_db: 'qdrant', url: 'https://cloud.example:6333' } };
  for (const [settings, surface, key] of [
    [elsewhere, 'server', undefined],
    [{}, 'server', undefined],
    [{ storage: { vector_db: 'qdrant', url: server.url } }, 'server', 'a-secret-key'],
    [{ ...elsewhere, server: { allowed_store_urls: [`${server.url}/`] } }, 'server', 'a-secret-key'],
    [elsewhere, 'cli', 'a-secret-key'],
  ] as [Layer, 'cli' | 'server', string | undefined][]) {
    const { config, resources } = resourcesOf(settings, surface);
    const store = await resources.store({ ...config.storage, vector_db: 'qdrant', url: server.url.replace('127.0.0.1', 'localhost') });
    await store.collections();
    const { 'api-key': sent, 'accept-encoding': encoding } = server.requests.at(-1)?.headers ?? {};
    expect([settings, surface, sent, encoding]).toEqual([settings, surface, key, 'identity']);
  }
});

it('the local answerer uses the embedder of the caller', async () => {
  const { config, resources } = resourcesOf({}, 'cli');
  const asked: string[] = [];
  const embedder = (name: string): Embedder => ({
    provider: 'openai_compatible',
    model: 'one-model',
    dimensions: 2,
    concurrency: 1,
    min_retrieval_score: 0,
    coverage: () => 1,
    close: async () => {},
    embed: async (texts) => {
      asked.push(name);
      return texts.map(() => Float32Array.of(1, 0));
    },
  });
  const sources = [{ citation: 1, title: 'Gate', text: 'The gate is locked at ten.' }];
  for (const name of ['first', 'second']) {
    const llm = await resources.llm(config.chat.llm, embedder(name));
    asked.length = 0;
    await collect(llm.generate({ messages: [], grounding: { query: 'When is the gate locked?', sources }, max_tokens: 100, timeout: 5 }));
    expect(new Set(asked)).toEqual(new Set([name]));
  }
});
