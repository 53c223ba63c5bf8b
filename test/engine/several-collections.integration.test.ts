import { expect, it } from 'vitest';
import { engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';

const KETTLE = { source: 'kettle.md', text: '# Warranty of the Kestrel\n\nThe warranty of the Kestrel kettle runs for 27 months.' };
const TOASTER = { source: 'toaster.md', text: '# Warranty of the Heron\n\nThe warranty of the Heron toaster runs for 11 months.' };
const collection = ['default', 'toasters'];

async function filled(home = folder(), settings = WORDS) {
  const engine = engineIn(home, settings);
  await result(engine, 'ingest', { markdown: [KETTLE] });
  await result(engine, 'ingest', {
    markdown: [TOASTER, { source: 'slots', text: 'The toaster has two slots.' }],
    storage: { collection: 'toasters' },
  });
  return engine;
}

it('a list of collections is searched as one, and each hit and source names its collection', async () => {
  const engine = await filled();
  const query = 'How long does the warranty run?';
  const both = await result(engine, 'retrieve', { query, collection, top_k: 2 });
  expect(both.items.map((item) => [item.collection, item.metadata.source]).toSorted()).toEqual([
    ['default', 'kettle.md'],
    ['toasters', 'toaster.md'],
  ]);
  expect((await result(engine, 'query', { query, retrieval: { collection, top_k: 2 } })).items).toEqual(both.items);
  expect((await result(engine, 'retrieve', { query, collection: ['toasters'] })).items[0]!.metadata.source).toBe('toaster.md');
  expect((await result(engine, 'retrieve', { query })).items[0]).not.toHaveProperty('collection');
  const turn = await result(engine, 'chat', { query: 'How long does the warranty of the Heron toaster run?', collection });
  expect(turn.answer).toContain('11 months');
  expect(turn.sources.find(({ cited }) => cited)).toMatchObject({ collection: 'toasters', metadata: { source: 'toaster.md' } });
  const filtered = await result(engine, 'retrieve', { query: 'toaster warranty', collection, filter: { source: { prefix: 'kettle' } } });
  expect(filtered.items.map(({ collection: name }) => name)).toEqual(['default']);
});

it('a missing collection, and one of another embedding model, is named', async () => {
  const home = folder();
  const engine = await filled(home);
  const missing = await result(engine, 'retrieve', { query: 'warranty', collection: ['default', 'nowhere'] });
  expect([missing.failed, missing.errors[0]!.error]).toEqual([1, expect.stringContaining('"nowhere"')]);
  const { settings } = await modelServer();
  await result(engineIn(home, settings), 'ingest', { markdown: [TOASTER], storage: { collection: 'vectors' } });
  const mixed = await result(engineIn(home, {}), 'retrieve', { query: 'warranty', collection: ['default', 'vectors'] });
  expect(mixed.items).toEqual([]);
  expect(mixed.errors[0]!.error).toMatch(/"default" \(none\) and "vectors" \(openai_compatible \/ test-model, 3 dimensions\)/);
});

it('invalid names are refused, and a token must be allowed to use each collection', async () => {
  const home = folder();
  await filled(home);
  const server = await serveIn(home, { tokens: { guest: { scopes: ['read'], collections: ['toasters'] } } });
  const ask = async (path: string, body: object) =>
    (await server.post(`/v1/${path}`, body, { headers: { authorization: 'Bearer guest' } })).status;
  expect(await ask('retrieve', { query: 'warranty', collection: ['toasters'] })).toBe(200);
  for (const list of [[], ['../x'], ['a', 1], Array.from({ length: 21 }, (_, i) => `c${i}`)])
    expect([list, await ask('retrieve', { query: 'warranty', collection: list })]).toEqual([list, 400]);
  expect(await ask('retrieve', { query: 'warranty', collection: ['toasters', 'default'] })).toBe(403);
  expect(await ask('pipelines/query', { query: 'warranty', retrieval: { collection: ['toasters', 'default'] } })).toBe(403);
  expect(await ask('chat', { query: 'Which warranty is there?', collection: ['toasters', 'default'] })).toBe(403);
});
