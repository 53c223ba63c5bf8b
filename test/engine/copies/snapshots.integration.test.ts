import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@lancedb/lancedb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settle } from '../../../src/core/run.ts';
import { openLanceDb } from '../../../src/drivers/stores/lancedb/lancedb.ts';
import { createEngine, DEFAULTS } from '../../../src/index.ts';
import type { Engine } from '../../../src/ports/engines.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { forEachStorage } from '../../support/storages.ts';

const RULES = ['The gate is locked at ten.', 'The bell rings at noon.', 'The lamp is lit at six.'];
const markdown = RULES.map((text, i) => ({ source: `rule-${i}`, text, metadata: { year: 2020 + i } }));
const changed = [{ source: 'rule-0', text: 'The gate stays open.' }];

/** Keeps no files and no checksums: chunks are copied one by one. */
function plainStore(): Engine {
  const home = folder();
  const plain = async () => {
    const { copy: _copy, verify: _verify, ...store } = await openLanceDb({ url: join(home, 'base') });
    return store;
  };
  const storage = { ...DEFAULTS.storage, vector_db: 'plain' };
  const config = { ...DEFAULTS, storage, embedding: { ...DEFAULTS.embedding, provider: 'none' } };
  const engine = createEngine({ config, home, stores: { plain } });
  onTestFinished(() => engine.close());
  return engine;
}

const byId = (chunks: Record<string, unknown>[]) => chunks.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
const stateOf = async (engine: Engine, name?: string) => byId(await chunksIn(engine, name));

function itKeepsStates(open: () => Promise<Engine>): void {
  it('restores the collection with vectors, also after it was dropped', async () => {
    const engine = await open();
    await result(engine, 'ingest', { markdown });
    const before = await stateOf(engine);
    const made = await result(engine, 'create_snapshot', { name: 'first' });
    expect(made).toMatchObject({ name: 'first', collection: 'default', chunks: 3, sources: 3, removed: [] });
    await result(engine, 'ingest', { markdown: changed });
    await result(engine, 'delete', { source: 'rule-1' });
    expect(await stateOf(engine)).not.toEqual(before);
    expect(await result(engine, 'restore_snapshot', { name: 'first' })).toEqual({ name: 'first', collection: 'default', restored: 3 });
    expect(await stateOf(engine)).toEqual(before);
    expect(await result(engine, 'ingest', { markdown }), 'a restored document is as it was').toMatchObject({ unchanged: 3, stored: 0 });
    await result(engine, 'drop_collection', { name: 'default' });
    await result(engine, 'restore_snapshot', { name: 'first' });
    expect(await stateOf(engine)).toEqual(before);
    expect(await result(engine, 'verify_snapshot', { name: 'first' })).toEqual({ name: 'first', collection: 'default', chunks: 3 });
    expect((await result(engine, 'retrieve', { query: 'When is the gate locked?' })).items[0]!.text).toBe(RULES[0]);
  });

  it('is listed only among the snapshots, and gone when it is deleted', async () => {
    const engine = await open();
    await result(engine, 'ingest', { markdown });
    await result(engine, 'create_snapshot', { name: 'first' });
    await result(engine, 'create_snapshot', {});
    const { snapshots } = await result(engine, 'list_snapshots', {});
    expect(snapshots).toMatchObject([
      { name: 'first', collection: 'default', chunks: 3 },
      { name: expect.stringMatching(/^\d{8}-\d{6}$/), collection: 'default', chunks: 3 },
    ]);
    expect((await result(engine, 'list_collections', {})).collections.map(({ name }) => name)).toEqual(['default']);
    await result(engine, 'delete_snapshot', { name: 'first' });
    expect((await result(engine, 'list_snapshots', {})).snapshots.map(({ name }) => name)).toEqual([snapshots[1]!.name]);
    await expect(result(engine, 'restore_snapshot', { name: 'first' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await result(engine, 'show_collection', { name: 'default' })).toMatchObject({ chunks: 3 });
  });

  it('does not change with the collection, nor the collection with a restored copy', async () => {
    const engine = await open();
    await result(engine, 'ingest', { markdown });
    const before = await stateOf(engine);
    expect(await result(engine, 'copy_collection', { name: 'default', to: 'spare' })).toEqual({ name: 'default', to: 'spare', copied: 3 });
    expect(await stateOf(engine, 'spare')).toEqual(before);
    await result(engine, 'ingest', { markdown: changed });
    await result(engine, 'optimize_collection', {});
    expect(await stateOf(engine, 'spare')).toEqual(before);
    await result(engine, 'delete', { source: 'rule-2', collection: 'spare' });
    expect(await sourcesIn(engine)).toEqual(['rule-0', 'rule-1', 'rule-2']);
    expect(await sourcesIn(engine, 'spare')).toEqual(['rule-0', 'rule-1']);
  });
}

describe('a snapshot in a store that cannot copy', () => {
  itKeepsStates(async () => plainStore());
});

forEachStorage('a snapshot', (openStorage) =>
  itKeepsStates(async () => {
    const storage = await openStorage();
    const { settings } = await modelServer();
    return engineIn(folder(), { ...settings, storage });
  }),
);

describe('snapshots', () => {
  const filled = async (home = folder()): Promise<Engine> => {
    const engine = engineIn(home, WORDS);
    await result(engine, 'ingest', { markdown });
    return engine;
  };

  it('are limited by keep, per collection', async () => {
    const engine = await filled();
    await result(engine, 'copy_collection', { name: 'default', to: 'spare' });
    await result(engine, 'create_snapshot', { name: 'other', collection: 'spare' });
    for (const name of ['one', 'two', 'three']) await result(engine, 'create_snapshot', { name });
    expect((await result(engine, 'create_snapshot', { name: 'four', keep: 2 })).removed).toEqual(['one', 'two']);
    const { snapshots } = await result(engine, 'list_snapshots', {});
    expect(snapshots.map(({ collection, name }) => `${collection} ${name}`)).toEqual(['default three', 'default four', 'spare other']);
  });

  it('have unique names, and a misspelt name is suggested', async () => {
    const engine = await filled();
    await result(engine, 'create_snapshot', { name: 'before' });
    await expect(result(engine, 'create_snapshot', { name: 'before' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(result(engine, 'restore_snapshot', { name: 'befor' })).rejects.toMatchObject({
      hint: expect.stringContaining('"before"'),
    });
    await expect(result(engine, 'create_snapshot', { name: 'a.b' })).rejects.toMatchObject({ code: 'usage' });
    await expect(result(engine, 'create_snapshot', { collection: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('share the files of the collection', async () => {
    const home = folder();
    const engine = await filled(home);
    await result(engine, 'create_snapshot', { name: 'first' });
    const tables = readdirSync(join(home, '.kb', 'lancedb')).filter((name) => name.includes('default'));
    const inodes = tables.map((table) => {
      const data = join(home, '.kb', 'lancedb', table, 'data');
      return readdirSync(data).map((name) => statSync(join(data, name)).ino);
    });
    expect(inodes).toHaveLength(2);
    expect(inodes[0]).toEqual(inodes[1]);
  });

  it('are cleaned of old abandoned copies, but not of running ones', async () => {
    const home = folder();
    const engine = await filled(home);
    const base = join(home, '.kb', 'lancedb');
    const half = (time: number) => `.copy-kb.default.${time.toString(36)}-abcdef`;
    for (const time of [Date.now(), Date.now() - 25 * 3_600_000]) mkdirSync(join(base, half(time)));
    await result(engine, 'create_snapshot', {});
    expect(readdirSync(base).filter((name) => name.startsWith('.copy-'))).toHaveLength(1);
  });

  it('are no collections that a request could name', async () => {
    const engine = await filled();
    await result(engine, 'create_snapshot', { name: 'first' });
    const hidden = '.snapshot.default.0.first';
    expect(() => engine.check('retrieve', { query: 'gate', collection: hidden })).toThrow(/collection/);
    expect(() => engine.check('drop_collection', { name: hidden })).toThrow(/name/);
  });
});

describe('a copy of a collection', () => {
  it('needs a free name and an existing collection', async () => {
    const engine = engineIn(folder(), WORDS);
    await result(engine, 'ingest', { markdown });
    await result(engine, 'copy_collection', { name: 'default', to: 'spare' });
    for (const to of ['spare', 'default'])
      await expect(result(engine, 'copy_collection', { name: 'default', to })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(`"${to}"`),
      });
    await expect(result(engine, 'copy_collection', { name: 'nowhere', to: 'new' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await result(engine, 'list_collections', {})).collections.map(({ name }) => name)).toEqual(['default', 'spare']);
  });

  it('keeps the origins of documents', async () => {
    const home = folder({ 'a/one.md': '# One\n\nA word.', 'b/two.md': '# Two\n\nA word.' });
    const both = engineIn(home, { ...WORDS, sources: { docs: ['a', 'b'] } });
    await settle(both.run('ingest', {}));
    await result(both, 'copy_collection', { name: 'default', to: 'spare' });
    const one = engineIn(home, { ...WORDS, collection: 'spare', sources: { docs: ['a'] } });
    expect((await result(one, 'ingest', { prune: true })).pruned).toEqual(['b/two.md']);
  });
});

it('searches of another process find everything while a collection is repeatedly optimized, restored and written', async () => {
  const home = folder();
  const [writer, reader] = [engineIn(home, WORDS), engineIn(home, WORDS)];
  await result(writer, 'ingest', { markdown });
  await result(writer, 'create_snapshot', { name: 'first' });
  let isDone = false;
  const searches = async (): Promise<number> => {
    let found = 0;
    for (; !isDone; found++) {
      const { items, errors } = await result(reader, 'retrieve', { query: 'lamp', mode: 'text' });
      expect([errors, items[0]?.text]).toEqual([[], RULES[2]]);
    }
    return found;
  };
  const searching = searches();
  for (let round = 0; round < 6; round++) {
    await result(writer, 'ingest', { markdown: [{ source: 'rule-0', text: `The gate was painted ${round} times.` }] });
    await result(writer, 'optimize_collection', {});
    if (round % 2 === 1) await result(writer, 'restore_snapshot', { name: 'first' });
  }
  isDone = true;
  expect(await searching).toBeGreaterThan(0);
});

/** Files of rows that the collection lies in. */
async function pieces(home: string): Promise<number> {
  const connection = await connect(join(home, '.kb', 'lancedb'));
  const table = (await connection.tableNames()).find((name) => name.startsWith('kb.default'))!;
  return (await (await connection.openTable(table)).stats()).fragmentStats.numFragments;
}

describe('an optimized collection', () => {
  it('has one file of rows, takes less space, and finds the same', async () => {
    const home = folder();
    const engine = engineIn(home, WORDS);
    for (const document of markdown) await result(engine, 'ingest', { markdown: [document] });
    const before = await stateOf(engine);
    expect(await pieces(home)).toBe(3);
    const done = await result(engine, 'optimize_collection', {});
    expect(done).toMatchObject({ name: 'default', chunks: 3 });
    expect(done.bytes).toBeLessThan(done.bytes_before!);
    expect(await stateOf(engine)).toEqual(before);
    expect(await pieces(home)).toBe(1);
    expect((await result(engine, 'retrieve', { query: 'gate', mode: 'text' })).items).toHaveLength(1);
  });
});
