import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storeUrl } from '../../src/engine/store-address.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS, qdrantServer } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const RULES = [
  { source: 'gate', text: 'The gate is locked at ten in the evening. The key hangs in the office.', metadata: { year: 2020 } },
  { source: 'bell', text: 'The bell rings at noon. The error ERR-4042 means that its rope is torn.', metadata: { year: 2024 } },
  { source: 'lamp', text: 'The lamp at the harbour is lit at six. Nobody needs to do that by hand.', metadata: { year: 2026 } },
];
const vector = (text: string): number[] => ['gate', 'bell', 'lamp'].map((word) => (new RegExp(word, 'i').test(text) ? 1 : 0.01));

const ids = (items: { metadata: Record<string, unknown> }[]) => items.map(({ metadata }) => metadata['source']);

it('ingests into Qdrant, searches by words, by meaning and by both, and deletes', async () => {
  const { storage } = await qdrantServer();
  const { settings } = await modelServer({ vector });
  const engine = engineIn(folder(), { ...settings, storage });
  const first = await result(engine, 'ingest', { markdown: RULES });
  expect(first).toMatchObject({ failed: 0, stored: 3, store_result: { provider: 'qdrant' } });
  expect(await result(engine, 'ingest', { markdown: RULES })).toMatchObject({ unchanged: 3, stored: 0 });
  for (const mode of ['text', 'vector', 'hybrid'] as const) {
    const { items, errors } = await result(engine, 'retrieve', { query: 'When is the gate locked?', mode });
    expect([errors, ids(items)[0]]).toEqual([[], 'gate']);
    expect(items.filter(({ score }) => !(score >= 0 && score <= 1))).toEqual([]);
  }
  expect(ids((await result(engine, 'retrieve', { query: 'gate bell lamp', filter: { year: { gte: 2024 } } })).items).toSorted()).toEqual([
    'bell',
    'lamp',
  ]);
  await result(engine, 'ingest', { markdown: [{ ...RULES[0]!, text: 'The gate stays open.' }] });
  expect((await chunksIn(engine)).find(({ source }) => source === 'gate')).toMatchObject({ text: 'The gate stays open.' });
  expect(await result(engine, 'delete', { source: 'gate' })).toMatchObject({ deleted: 1, provider: 'qdrant' });
  expect(await sourcesIn(engine)).toEqual(['bell', 'lamp']);
  expect(await result(engine, 'reembed_collection', { name: 'default' })).toMatchObject({ embedded: 2 });
  expect(await result(engine, 'list_collections', {})).toMatchObject({
    collections: [{ name: 'default', chunks: 2, sources: 2, dimensions: 3, bytes: null }],
  });
  expect(await result(engine, 'drop_collection', { name: 'default' })).toEqual({ name: 'default', dropped: true });
});

it('says what to do if Qdrant does not respond', async () => {
  const { server, storage } = await qdrantServer();
  await server.close();
  const engine = engineIn(folder(), { ...WORDS, storage: { ...storage, options: { retries: 0 } } });
  const { errors } = await result(engine, 'retrieve', { query: 'gate' });
  expect(errors).toMatchObject([{ stage: 'retrieve', isRetryable: true, error: expect.stringContaining(server.url) }]);
  await expect(result(engine, 'ingest', { markdown: RULES })).rejects.toMatchObject({ code: 'unavailable' });
});

it('does not use the address of one database for another', async () => {
  const { server, storage } = await qdrantServer();
  const home = folder();
  const engine = engineIn(home, { ...WORDS, storage });
  await result(engine, 'store', { embedded_chunks: [{ id: '1', text: 'The gate.', source: 'gate', metadata: {} }], vector_db: 'lancedb' });
  expect(server.requests).toEqual([]);
  expect(existsSync(join(home, '.kb', 'lancedb'))).toBe(true);
  expect(storeUrl({ vector_db: 'qdrant' }, home)).toBe('http://127.0.0.1:6333');
});

it('opens one store for all names of this machine', async () => {
  const { server, storage } = await qdrantServer();
  const engine = engineIn(folder(), { ...WORDS, storage });
  const chunks = (word: string) =>
    Array.from({ length: 50 }, (_, i) => ({ id: `${word}-${i}`, text: `The ${word} ${i}.`, source: word, metadata: {} }));
  await result(engine, 'store', { embedded_chunks: [] });
  await Promise.all([
    result(engine, 'store', { embedded_chunks: chunks('gate'), url: server.url }),
    result(engine, 'store', { embedded_chunks: chunks('bell'), url: `${server.url.replace('127.0.0.1', 'localhost')}/` }),
  ]);
  expect(await chunksIn(engine)).toHaveLength(100);
});
