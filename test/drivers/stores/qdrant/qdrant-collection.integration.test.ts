import { describe, expect, it } from 'vitest';
import type { QdrantServer } from '../../../support/qdrant-server.ts';
import { INFO, plain, useQdrantStores, WORDS_ONLY } from '../../../support/qdrant-stores.ts';
import { chunk, everything } from '../../../support/store-contract.ts';

let server: QdrantServer;

const { open, tables } = useQdrantStores((opened) => ({ server } = opened));

describe('a collection in Qdrant', () => {
  it('has the indexes for all filters and the vectors that it needs', async () => {
    const store = await open();
    await (await store.create(WORDS_ONLY)).upsert([plain('1', { text: 'The pump hums.' })]);
    await store.create(INFO);
    const [words, manuals] = ['words', 'manuals'].map((name) => server.collections.get(tables(name)[0]!)!);
    expect([...words!.vectors.dense.keys(), ...words!.vectors.sparse.keys()]).toEqual(['text']);
    expect(words!.vectors.sparse.get('text')).toEqual({}); // Qdrant would count by shard
    expect(manuals!.vectors.dense.get('dense')).toEqual({ size: 3, distance: 'Cosine' });
    expect([...manuals!.indexes.keys()]).toEqual([
      'kb.version',
      'id',
      'source',
      'generation',
      'fields',
      'numbers[].key',
      'numbers[].value',
      'written',
    ]);
  });

  it('is written in bounded requests', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    await collection.upsert([
      ...Array.from({ length: 600 }, (_, i) => plain(`${i}`)),
      ...Array.from({ length: 5 }, (_, i) => plain(`long ${i}`, { text: 'word '.repeat(400_000) })),
    ]);
    const sizes = server.requests.flatMap(({ body }) => (Array.isArray(body['points']) ? [body['points'].length] : []));
    expect(Math.max(...sizes)).toBe(256);
    const longest = server.requests.map(({ body }) => JSON.stringify(body).length);
    expect(Math.max(...longest)).toBeLessThan(8 * 2 ** 20);
    expect(await collection.count()).toBe(605);
  });

  it('removes lone surrogates from requests, because Qdrant refuses them', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    const half = 'half \ud83d of a letter';
    await collection.upsert([
      plain(half, {
        text: half,
        embed_text: `${half}: ${half}`,
        source: half,
        version: half,
        metadata: { [half]: half, source_kind: half },
      }),
    ]);
    expect(await collection.get([half])).toMatchObject([{ text: half.toWellFormed(), metadata: { [half]: half } }]);
    expect(await collection.search({ text: 'letter', filter: { [half]: half, source: half }, limit: 1 })).toHaveLength(1);
    expect(await collection.delete({ source: half })).toHaveLength(1);
  });

  it('returns chunks in the order of writing', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    const ids = Array.from({ length: 40 }, (_, i) => `${(i * 17) % 40}`);
    for (const id of ids) await collection.upsert([plain(id)]);
    expect((await everything(collection)).map(({ id }) => id)).toEqual(ids);
  });

  it('weighs words by BM25: rare ones more, repeated ones a little more, in long texts less', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    await collection.upsert([
      plain('once', { text: 'pump valve' }),
      plain('twice', { text: 'pump pump valve hose' }),
      plain('long', { text: `pump ${'filler '.repeat(200)}` }),
      ...Array.from({ length: 10 }, (_, i) => plain(`other ${i}`, { text: 'valve hose' })),
    ]);
    const found = async (text: string) => (await collection.search({ text, limit: 3 })).map(({ chunk: { id } }) => id);
    expect(await found('pump')).toEqual(['twice', 'once', 'long']);
    expect((await found('valve pump'))[0]).toBe('twice');
  });

  it('refuses a range that matches too many texts', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    await collection.upsert([plain('1', { metadata: { tags: Array.from({ length: 20_001 }, (_, i) => `tag ${i}`) } })]);
    await expect(collection.search({ text: 'passage', filter: { tags: { gte: 'a' } }, limit: 1 })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('"tags"'),
    });
    expect(await collection.search({ text: 'passage', filter: { tags: { gte: 'tag 2000', lt: 'tag 2001' } }, limit: 1 })).toHaveLength(1);
  });

  it('sends input of callers only as values', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    await collection.upsert([plain('1'), plain('2', { metadata: { 'a.b[]."c"': "x' OR '1'='1" } })]);
    const hostile = ['generation', 'id', 'kb', '__proto__.x', 'a[].b', '"', 'numbers[].value', "' OR 1=1 --"];
    for (const key of hostile) {
      for (const condition of ["' OR '1'='1", { in: ['a', "'"] }, { gte: 0 }, { gte: "'" }])
        expect(await collection.search({ text: 'passage', filter: { [key]: condition }, limit: 9 }), key).toEqual([]);
      expect(await collection.delete({ filter: { [key]: 'x' } })).toEqual([]);
    }
    expect(await collection.search({ text: 'passage', filter: { 'a.b[]."c"': "x' OR '1'='1" }, limit: 9 })).toHaveLength(1);
  });

  it('is not found after another process has dropped it', async () => {
    const collection = await (await open()).create(INFO);
    await (await open()).drop('manuals');
    for (const work of [() => collection.count(), () => collection.search({ text: 'x', limit: 1 }), () => collection.upsert([chunk('1')])])
      await expect(work()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('"manuals"') });
  });
});
