import { mkdir, readdir, rm, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import type { Collection, StoredChunk } from '../../../../src/ports/stores.ts';
import { everything, testStore } from '../../../support/store-contract.ts';
import { folder as emptyFolder } from '../../../support/folder.ts';

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };

const plain = (id: string, text = 'a passage') => ({ id, text, source: 'a', metadata: {} });

let folder: string;

let home: string;

beforeEach(() => {
  home = emptyFolder();
  folder = join(home, 'lancedb');
});

/** The table of the only collection, as it lies in the folder. */
async function openTable() {
  const connection = await (await import('@lancedb/lancedb')).connect(folder);
  return await connection.openTable((await connection.tableNames()).find((name) => name.startsWith('kb.'))!);
}

testStore('lancedb', () => openLanceDb({ url: folder }));

describe('a LanceDB store in a folder', () => {
  it('creates nothing before the first write', async () => {
    const store = await openLanceDb({ url: folder });
    expect(await store.collections()).toEqual([]);
    expect(await store.open('manuals')).toBeUndefined();
    expect(await store.drop('manuals')).toBe(false);
    expect(await readdir(home)).toEqual([]);
    await store.create(INFO);
    expect((await store.collections()).map(({ name }) => name)).toEqual(['manuals']);
  });

  it('is readable after its folder was moved', async () => {
    await (await (await openLanceDb({ url: folder })).create(INFO)).upsert([plain('1', 'the pump')]);
    const { rename } = await import('node:fs/promises');
    await rename(folder, join(home, 'moved'));
    const collection = await (await openLanceDb({ url: join(home, 'moved') })).open('manuals');
    expect((await collection!.search({ text: 'pump', limit: 1 }))[0]?.chunk.id).toBe('1');
  });

  it('names the path if it is a file or below one', async () => {
    await writeFile(join(home, 'file'), '');
    for (const url of [join(home, 'file'), join(home, 'file', 'deeper')]) {
      const making = openLanceDb({ url }).then((store) => store.create(INFO));
      await expect(making).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(url) });
    }
  });

  it.skipIf(process.getuid?.() === 0)('names the path if it cannot be written', async () => {
    await mkdir(folder, { mode: 0o500 });
    const store = await openLanceDb({ url: folder });
    await expect(store.create(INFO)).rejects.toMatchObject({ code: 'configuration', message: expect.stringContaining(folder) });
    await expect(store.lock('manuals')).rejects.toMatchObject({ code: 'configuration' });
  });

  it('refuses a store of a later version', async () => {
    await (await openLanceDb({ url: folder })).create(INFO);
    const { connect } = await import('@lancedb/lancedb');
    const catalog = await (await connect(folder)).openTable('_kb_collections');
    await catalog.update({ values: { form: 3 } });
    await expect((await openLanceDb({ url: folder })).collections()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('later version'),
    });
  });

  it('removes the table of a draft that was abandoned a day ago, and no table of another program', async () => {
    const store = await openLanceDb({ url: folder });
    await (await store.draft(INFO)).collection.upsert([plain('1')]);
    const { connect } = await import('@lancedb/lancedb');
    for (const name of ['theirs', 'kb.theirs', 'theirs.abc123']) await (await connect(folder)).createTable(name, [{ id: 1 }]);
    const tables = async () => (await readdir(folder)).filter((name) => name.startsWith('kb.manuals.'));
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 5 * 3_600_000); // the clock of another machine
    await store.create({ ...INFO, name: 'notes' });
    expect(await tables(), 'it may still be written to').toHaveLength(1);
    clock.mockReturnValue(now + 25 * 3_600_000);
    await store.create({ ...INFO, name: 'letters' });
    clock.mockRestore();
    expect(await tables()).toEqual([]);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['theirs.lance', 'kb.theirs.lance', 'theirs.abc123.lance']));
    expect((await store.collections()).map(({ name }) => name).toSorted()).toEqual(['letters', 'notes']);
  });

  it('is created once if several collections are created at the same time', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const stores = await Promise.all(names.map(() => openLanceDb({ url: folder })));
    await Promise.all(stores.map(async (store, i) => (await store.create({ ...INFO, name: names[i]! })).upsert([plain('1')])));
    expect((await stores[0]!.collections()).map(({ name }) => name).toSorted()).toEqual(names);
  });

  it('is recreated if its creation was interrupted', async () => {
    await mkdir(join(folder, '_kb_collections.lance', '_versions'), { recursive: true });
    const store = await openLanceDb({ url: folder });
    expect(await store.collections()).toEqual([]);
    await (await store.create(INFO)).upsert([plain('1')]);
    expect((await store.collections()).map(({ name }) => name)).toEqual(['manuals']);
  });

  it('can be written although an empty lock file was left', async () => {
    await mkdir(join(folder, '.locks'), { recursive: true });
    await writeFile(join(folder, '.locks', 'manuals'), '');
    const release = await (await openLanceDb({ url: folder })).lock('manuals');
    await release();
    expect(await readdir(join(folder, '.locks'))).not.toContain('manuals');
  });

  it('stops writing if another process has taken the lock, and does not release that lock', async () => {
    const store = await openLanceDb({ url: folder });
    const collection = await store.create(INFO);
    const release = await store.lock('manuals');
    await collection.upsert([plain('1')]);
    const file = join(folder, '.locks', 'manuals');
    const other = JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), lock: 'of another' });
    await writeFile(file, other);
    await expect(collection.replace([{ source: 'a', isNew: true, chunks: [plain('2')] }])).rejects.toMatchObject({
      code: 'conflict',
      isRetryable: true,
    });
    await expect(store.drop('manuals')).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    const draft = await store.draft({ ...INFO, model: 'another' });
    await expect(draft.commit()).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    expect(await store.collections()).toEqual([INFO]);
    await release();
    expect(await readFile(file, 'utf8')).toBe(other);
    expect(await collection.count()).toBe(1);
  });

  it('keeps a committed draft even if the old table cannot be removed', async () => {
    const store = await openLanceDb({ url: folder });
    await (await store.create(INFO)).upsert([plain('old')]);
    const draft = await store.draft(INFO);
    await draft.collection.upsert([plain('new')]);
    const old = (await readdir(folder)).filter((name) => name.startsWith('kb.')).toSorted()[0]!;
    await rm(join(folder, old), { recursive: true });
    await draft.commit();
    expect((await everything((await store.open('manuals'))!)).map(({ id }) => id)).toEqual(['new']);
  });

  it('explains that a filter is too large', async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    await collection.upsert([plain('1', 'the pump')]);
    const many = Array.from({ length: 20_000 }, (_, i) => `value ${i} ${'x'.repeat(40)}`);
    for (const condition of [{ in: many }, { gte: 'x'.repeat(300) }])
      await expect(collection.search({ text: 'pump', filter: { key: condition }, limit: 1 })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('filter'),
      });
  });

  it('compacts the fragments of many small writes', async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    for (let i = 0; i < 80; i++) await collection.upsert([plain(`${i % 10}`, `turn ${i}`)]);
    const before = await collection.bytes();
    await collection.optimize();
    expect(await collection.bytes()).toBeLessThan(before! / 4);
    expect((await collection.search({ text: 'turn 79', limit: 1 }))[0]?.chunk.id).toBe('9');
    expect(await collection.count()).toBe(10);
  });

  it('bounds the number of old versions of a table', { timeout: 180_000 }, async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 7_200_000 });
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    vi.useRealTimers();
    await collection.upsert(Array.from({ length: 60 }, (_, i) => plain(`${i}`, `buoy ${i}`)));
    const sizes: number[] = [];
    for (let i = 0; i < 92; i++) {
      await collection.upsert([plain(`${i % 60}`, `moved for the ${i}th time`)]); // tidied at the 49th and the 83rd
      await collection.optimize();
      sizes.push((await collection.bytes())!);
    }
    expect(Math.max(...sizes.slice(56))).toBeLessThan(1.25 * Math.max(...sizes.slice(0, 56)));
  });

  const filled = async (rows: number): Promise<Collection> => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    for (let row = 0; row < rows; row += 3_000)
      await collection.upsert(Array.from({ length: 3_000 }, (_, i) => plain(`${row + i}`, `row ${row + i} ${'x'.repeat(500)}`)));
    return collection;
  };
  const tagsOf = async (): Promise<string[]> =>
    (await readdir(folder, { recursive: true })).filter((name) => name.includes('tags/')).map((name) => name.split('/').at(-1)!);

  it('is read in full as of the beginning, despite concurrent writes and maintenance', { timeout: 180_000 }, async () => {
    const reading = await filled(18_000);
    const writing = (await (await openLanceDb({ url: folder })).open(INFO.name))!;
    const before = await everything(reading);
    const data = async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('/data/')).toSorted();
    const files = await data();
    const walked: StoredChunk[] = [];
    for await (const chunks of reading.all()) {
      if (walked.length === 0) {
        for (let i = 0; i < 100; i++) {
          await writing.upsert([plain(`${i * 180}`, `turn ${i}`)]);
          if (i % 20 === 19) await writing.optimize();
        }
        await writing.delete({ ids: ['17999'] });
        await writing.optimize();
        expect(await data()).toEqual(expect.arrayContaining(files)); // what is read ahead tells nothing
      }
      walked.push(...chunks);
    }
    expect(walked).toEqual(before);
    expect(await tagsOf()).toEqual([]);
    expect(await reading.count()).toBe(17_999);
    await writing.optimize();
    expect(await data()).not.toEqual(expect.arrayContaining(files));
  });

  it('is read in full, or fails, if another table replaces it meanwhile', async () => {
    const reading = await filled(18_000);
    const other = await openLanceDb({ url: folder });
    const ids: string[] = [];
    const walk = async () => {
      for await (const chunks of reading.all()) {
        ids.push(...chunks.map(({ id }) => id));
        if (ids.length > 1_000) continue;
        const draft = await other.draft(INFO);
        await draft.collection.upsert([plain('new')]);
        await draft.commit();
      }
    };
    const end = await walk().catch((error: unknown) => error);
    expect(ids).not.toContain('new');
    if (end === undefined) expect(new Set(ids).size).toBe(18_000);
    else expect(end).toMatchObject({ code: 'conflict', isRetryable: true });
    expect((await everything(reading)).map(({ id }) => id)).toEqual(['new']);
  });

  it('does not keep versions for a dead reader', { timeout: 180_000 }, async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    await collection.upsert([plain('1')]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 400_000 });
    const walk = collection.all()[Symbol.asyncIterator]();
    await walk.next();
    vi.useRealTimers();
    expect(await tagsOf()).toHaveLength(1);
    for (let i = 0; i < 70; i++) await collection.upsert([plain('1', `turn ${i}`)]);
    await collection.optimize();
    expect(await tagsOf()).toEqual([]);
  });

  it('stores large texts completely, and finds them by their last word', async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    const text = `${'word '.repeat(200_000)}${'x'.repeat(5_000)} lastly`;
    await collection.upsert([plain('large', text)]);
    expect((await collection.get(['large']))[0]!.text).toBe(text);
    expect(await collection.search({ text: 'lastly', limit: 1 })).toHaveLength(1);
    expect(await collection.search({ text: 'x'.repeat(5_000), limit: 1 })).toHaveLength(1);
  });

  it('has few fragments after a job of many writes, and is then not rewritten', async () => {
    const pieces = async () => (await (await openTable()).stats()).fragmentStats.numFragments;
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    const write = (id: number) => collection.replace([{ source: `${id}`, isNew: true, chunks: [{ ...plain(`${id}`), source: `${id}` }] }]);
    for (let id = 0; id < 20; id++) await write(id);
    expect(await pieces()).toBe(20);
    await collection.optimize();
    expect(await pieces()).toBe(1);
    for (let id = 20; id < 23; id++) await write(id);
    await collection.optimize();
    expect(await pieces()).toBe(4);
    expect(await collection.count()).toBe(23);
  });

  it('is indexed after a few large writes without being rewritten', async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    for (const at of [0, 1, 2])
      await collection.replace([
        { source: `${at}`, isNew: true, chunks: Array.from({ length: 500 }, (_, i) => ({ ...plain(`${at}-${i}`), source: `${at}` })) },
      ]);
    const table = await openTable();
    const waiting = async () => (await table.indexStats('terms_idx'))?.numUnindexedRows;
    expect(await waiting()).toBe(1500);
    await collection.optimize();
    await table.checkoutLatest();
    expect(await waiting()).toBe(0);
    expect((await table.stats()).fragmentStats.numFragments).toBe(3);
    expect((await table.listIndices()).map(({ name }) => name).toSorted()).toEqual(['id_idx', 'labels_idx', 'source_idx', 'terms_idx']);
  });

  it('has its texts indexed from a few hundred on, since a word search scans the others', async () => {
    const collection = await (await openLanceDb({ url: folder })).create(INFO);
    const write = async (from: number, to: number) => {
      await collection.upsert(Array.from({ length: to - from }, (_, i) => plain(`${from + i}`)));
      await collection.optimize();
      return (await (await openTable()).indexStats('terms_idx'))?.numUnindexedRows;
    };
    expect([await write(0, 200), await write(200, 300), await write(300, 400), await write(400, 501)]).toEqual([200, 0, 100, 0]);
  });

  it('defers indexing while a job writes, and meanwhile finds and replaces unindexed rows', async () => {
    const store = await openLanceDb({ url: folder });
    const collection = await store.create(INFO);
    const release = await store.lock('manuals');
    for (let i = 0; i < 3; i++) {
      await collection.upsert(Array.from({ length: 1_000 }, (_, at) => plain(`${i}-${at}`, `passage row${i}x${at}`)));
      await collection.optimize({ hasMore: true });
    }
    await collection.upsert([plain('1-7', 'the siphon'), plain('new', 'the gasket')]);
    await release();
    const waiting = async () => (await (await openTable()).indexStats('terms_idx'))?.numUnindexedRows;
    expect([await waiting(), await collection.count()]).toEqual([3_001, 3_001]);
    const found = async (text: string) => (await collection.search({ text, limit: 1 }))[0]?.chunk.id;
    expect([await found('siphon'), await found('row2x999'), await found('row1x7')]).toEqual(['1-7', '2-999', undefined]);
    await collection.optimize();
    expect([await waiting(), await found('siphon'), await found('gasket')]).toEqual([0, '1-7', 'new']);
  });

  it('rewrites no row while a long job writes, but indexes ids', { timeout: 180_000 }, async () => {
    const store = await openLanceDb({ url: folder });
    const collection = await store.create(INFO);
    const release = await store.lock('manuals');
    const writes = 8;
    const size = 27_000;
    const pieces = async () => (await (await openTable()).stats()).fragmentStats.numFragments;
    const waiting = async (name: string) => (await (await openTable()).indexStats(name))?.numUnindexedRows;
    for (let i = 0; i < writes; i++) {
      await collection.upsert(Array.from({ length: size }, (_, at) => plain(`${i}-${at}`)));
      await collection.optimize({ hasMore: true });
      expect([await pieces(), await waiting('id_idx')]).toEqual([i + 1, 0]);
    }
    expect(await waiting('terms_idx')).toBe(0); // 100,000 were waiting, twice
    await collection.optimize();
    await release();
    expect([await waiting('id_idx'), await waiting('source_idx'), await collection.count()]).toEqual([0, 0, writes * size]);
  });

  it('finds the new version of chunks that another handle has written', async () => {
    const [writer, reader] = [await openLanceDb({ url: folder }), await openLanceDb({ url: folder })];
    const written = await writer.create({ ...INFO, dimensions: 2 });
    await written.upsert([{ ...plain('1', 'the pump of 0'), vector: Float32Array.of(1, 0) }]);
    const read = (await reader.open('manuals'))!;
    const texts = async () => {
      const arms = await Promise.all([read.search({ text: 'pump', limit: 5 }), read.search({ vector: Float32Array.of(1, 0), limit: 5 })]);
      return arms.map((hits) => hits.map((hit) => hit.chunk.text));
    };
    for (let edit = 1; edit <= 5; edit++) {
      await texts();
      await written.upsert([{ ...plain('1', `the pump of ${edit}`), vector: Float32Array.of(1, 0) }]);
      expect(await texts()).toEqual([[`the pump of ${edit}`], [`the pump of ${edit}`]]);
    }
    await written.delete({ ids: ['1'] });
    expect(await texts()).toEqual([[], []]);
  });

  it('finds everything that was written before the search, while another handle writes', async () => {
    const [writer, reader] = [await openLanceDb({ url: folder }), await openLanceDb({ url: folder })];
    const written = await writer.create(INFO);
    await written.upsert([plain('1', 'pump 0')]);
    const read = (await reader.open('manuals'))!;
    let last = 0;
    let isOver = false;
    const writing = (async () => {
      for (let edit = 1; edit <= 25; edit++) {
        await written.upsert([plain('1', `pump ${edit}`)]);
        last = edit;
      }
      isOver = true;
    })();
    while (!isOver) {
      const least = last;
      const [hit] = await read.search({ text: 'pump', limit: 1 });
      expect(Number(hit!.chunk.text.slice(5))).toBeGreaterThanOrEqual(least);
    }
    await writing;
  });

  it('finds the same nearest chunks with and without a vector index', { timeout: 120_000 }, async () => {
    const dimensions = 16;
    let seed = 1;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
    const numbers = () => Float32Array.from({ length: dimensions }, random);
    const collection = await (await openLanceDb({ url: folder })).create({ ...INFO, dimensions });
    const chunks = Array.from({ length: 50_000 }, (_, i) => ({ ...plain(`${i}`, `n${i}`), metadata: { team: i % 50 }, vector: numbers() }));
    for (let i = 0; i < chunks.length; i += 10_000)
      await collection.replace([{ source: 'a', isNew: true, chunks: chunks.slice(i, i + 10_000) }]);
    const queries = Array.from({ length: 20 }, numbers);
    const search = (filter?: { team: number }) =>
      Promise.all(queries.map(async (vector) => (await collection.search({ vector, filter, limit: 10 })).map((hit) => hit.chunk.id)));
    const filters = [undefined, { team: 7 }];
    const exact = await Promise.all(filters.map(search));
    await collection.optimize();
    for (const [which, filter] of filters.entries()) {
      const found = await search(filter);
      const share = found.flatMap((ids, i) => ids.filter((id) => exact[which]![i]!.includes(id))).length / (10 * queries.length);
      expect(share, JSON.stringify(filter)).toBeGreaterThan(0.9);
    }
    expect(await collection.search({ vector: queries[0]!, filter: { team: 7 }, limit: 2_000 })).toHaveLength(1_000);
    const query = queries[0]!;
    const hits = await collection.search({ vector: query, limit: 1 });
    const one = hits[0]!.chunk.vector!;
    const cosine = query.reduce((sum, x, i) => sum + x * one[i]!, 0) / (Math.hypot(...query) * Math.hypot(...one));
    expect(hits[0]!.score, 'the score is exact').toBeCloseTo(cosine, 4);
  });
});
