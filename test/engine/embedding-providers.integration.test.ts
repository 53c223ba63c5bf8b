import { expect, it, onTestFinished, vi } from 'vitest';
import { findProvider, providersOf } from '../../src/drivers/providers/providers.ts';
import { embeddingWires, openEmbeddingServer } from '../support/embedding-server.ts';
import { engineIn, result } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const RULES = ['gate', 'bell', 'lamp'].map((source) => ({ source, text: `What is to be known of the ${source}.` }));
/** A direction for each of the three things. */
const vector = (text: string): number[] => RULES.map(({ source }) => (text.includes(source) ? 1 : 0.01));

it.each(providersOf('embedding'))('a collection is made and searched with %s, which is told passages and queries apart', async (name) => {
  const server = await openEmbeddingServer(name, { vector });
  onTestFinished(() => server.close());
  vi.stubEnv(findProvider(name)!.key_variables[0], 'test-key-1234');
  onTestFinished(() => void vi.unstubAllEnvs());
  const model = findProvider(name)!.embedding!.model ?? 'own-model';
  const engine = engineIn(folder(), {
    embedding: { provider: name, options: { base_url: server.url }, ...(name === 'openai_compatible' && { model }) },
  });
  expect(await result(engine, 'ingest', { markdown: RULES })).toMatchObject({ failed: 0 });
  const { items, errors } = await result(engine, 'retrieve', { query: 'Tell me of the bell', mode: 'vector', top_k: 1 });
  expect(errors).toEqual([]);
  expect(items.map(({ metadata }) => metadata.source)).toEqual(['bell']);
  expect((await result(engine, 'list_collections', {})).collections).toEqual([
    expect.objectContaining({ embedding: { provider: name, model }, dimensions: 3 }),
  ]);
  const { input_type } = findProvider(name)!.embedding!;
  const { texts } = embeddingWires[name]!;
  // Ollama is also asked for the window of the model
  const uses = server.requests.flatMap(({ body }) =>
    texts in body ? [[(body[texts] as string[]).length, input_type && body[input_type.name]]] : [],
  );
  expect(uses).toEqual([
    [3, input_type?.document],
    [1 + 4, input_type?.query], // with four sentences that show the range of the model's cosines
  ]);
});
