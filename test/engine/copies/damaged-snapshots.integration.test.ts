import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Layer } from '../../../src/core/settings.ts';
import { openLanceDb } from '../../../src/drivers/stores/lancedb/lancedb.ts';
import { openQdrant } from '../../../src/drivers/stores/qdrant/qdrant.ts';
import type { Engine } from '../../../src/ports/engines.ts';
import type { VectorStore } from '../../../src/ports/stores.ts';
import { chunksIn, engineIn, result, sourcesIn, WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { openS3, withS3 } from '../../support/s3-server.ts';
import { forEachStorage } from '../../support/storages.ts';

const markdown = Array.from({ length: 40 }, (_, i) => ({ source: `rule-${i}`, text: `The gate ${i} is locked at ten.` }));
const changed = [{ source: 'rule-0', text: 'The gate stays open.' }];

const open = (storage: Layer): Engine => engineIn(folder(), { ...WORDS, storage });

/** A collection with a snapshot `first` that it has left behind, in a folder. */
async function kept() {
  const url = folder();
  const engine = open({ url });
  await result(engine, 'ingest', { markdown });
  await result(engine, 'create_snapshot', { name: 'first' });
  await result(engine, 'ingest', { markdown: changed });
  return { engine, url };
}

const tableOf = (url: string, name: string): string =>
  join(
    url,
    readdirSync(url).find((table) => table.startsWith('kb..snapshot.') && table.includes(`.${name}.`))!,
  );

/** The paths of a snapshot's files in its folder. */
const filesOf = (table: string): string[] =>
  readdirSync(table, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(table.length + 1));

const DAMAGES: Record<string, { damage: (file: string) => void; words: string }> = {
  'a flipped byte': {
    damage: (file) => {
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1]! ^= 1;
      rmSync(file); // the collection may share it
      writeFileSync(file, bytes);
    },
    words: 'was changed',
  },
  'a file that is cut': {
    damage: (file) => truncateSync(file, statSync(file).size - 1),
    words: 'bytes of',
  },
  'a file that is missing': { damage: (file) => rmSync(file), words: 'is missing' },
};

describe('a snapshot in a folder', () => {
  it.each(Object.entries(DAMAGES))(
    'is refused by name for %s, whichever file that is, and the collection stays',
    async (_, { damage, words }) => {
      const { engine, url } = await kept();
      const table = tableOf(url, 'first');
      const before = await chunksIn(engine);
      const files = filesOf(table);
      expect(files.length).toBeGreaterThan(5);
      for (const file of files) {
        const whole = readFileSync(join(table, file));
        if (whole.length === 0) continue;
        damage(join(table, file));
        for (const operation of ['restore_snapshot', 'verify_snapshot'] as const) {
          const refused = await result(engine, operation, { name: 'first' }).catch((error: unknown) => error);
          expect(refused, file).toMatchObject({
            code: 'invalid',
            message: expect.stringContaining('The snapshot "first" of "default" is damaged: '),
          });
          if (!file.endsWith('kb-checksums.json')) expect(String(refused)).toContain(`${file} ${words === 'bytes of' ? 'has' : words}`);
        }
        rmSync(join(table, file), { force: true });
        writeFileSync(join(table, file), whole);
      }
      expect(await chunksIn(engine)).toEqual(before);
      expect(await result(engine, 'restore_snapshot', { name: 'first' })).toMatchObject({ restored: 40 });
    },
  );

  it('that cannot be read is listed with the reason, and can be deleted', async () => {
    const { engine, url } = await kept();
    rmSync(tableOf(url, 'first'), { recursive: true });
    await result(engine, 'create_snapshot', { name: 'second' });
    const { snapshots } = await result(engine, 'list_snapshots', {});
    expect(snapshots).toMatchObject([
      { name: 'first', error: expect.any(String) },
      { name: 'second', chunks: 40 },
    ]);
    await expect(result(engine, 'restore_snapshot', { name: 'first' })).rejects.toMatchObject({ code: 'invalid' });
    await result(engine, 'delete_snapshot', { name: 'first' });
    expect((await result(engine, 'list_snapshots', {})).snapshots).toHaveLength(1);
  });

  it('takes little space for few changes, and reads only those', async () => {
    const { engine, url } = await kept();
    const first = tableOf(url, 'first');
    const shared = filesOf(first).find((file) => file.startsWith('data/'))!;
    // a file that both share is changed where it lies: who read it again would take the change for what belongs there
    const victim = join(first, shared);
    const bytes = readFileSync(victim);
    await result(engine, 'create_snapshot', { name: 'second' });
    const second = tableOf(url, 'second');
    const own = filesOf(second).filter((file) => !file.startsWith('_versions') && statSync(join(second, file)).nlink === 1);
    expect(own, 'all others are links').toEqual(['kb-checksums.json']);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(victim, bytes);
    await result(engine, 'create_snapshot', { name: 'third' });
    for (const name of ['first', 'second', 'third'])
      await expect(result(engine, 'verify_snapshot', { name }), name).rejects.toMatchObject({
        message: expect.stringContaining(shared),
      });
  });
});

/** The store itself, to do with its collections what nobody should. */
async function storeAt(storage: Layer): Promise<VectorStore> {
  const { url, options } = storage as { url: string; options?: Record<string, string> };
  const store = await (storage['vector_db'] === 'qdrant' ? openQdrant({ url }) : openLanceDb({ url, options }));
  onTestFinished(() => store.close());
  return store;
}

forEachStorage('a snapshot', (openStorage) => {
  it('that lacks a chunk, or has another text or more, is refused by name, and the collection stays', async () => {
    const storage = await openStorage();
    const engine = open(storage);
    await result(engine, 'ingest', { markdown });
    const store = await storeAt(storage);
    const changes: Record<string, (name: string) => Promise<unknown>> = {
      lacking: async (name) => await (await store.open(name))!.delete({ source: 'rule-7' }),
      altered: async (name) => {
        const collection = (await store.open(name))!;
        for await (const [chunk] of collection.all({ source: 'rule-7' }))
          await collection.upsert([{ ...chunk!, text: 'The gate is gone.' }]);
      },
      grown: async (name) => await (await store.open(name))!.upsert([{ id: 'new', text: 'New.', source: 'new', metadata: {} }]),
    };
    for (const name of Object.keys(changes)) await result(engine, 'create_snapshot', { name });
    await result(engine, 'ingest', { markdown: changed });
    const before = await chunksIn(engine);
    for (const [name, change] of Object.entries(changes)) {
      expect(await result(engine, 'verify_snapshot', { name })).toMatchObject({ chunks: 40 });
      await change((await store.collections()).find((one) => one.name.includes(`.${name}.`))!.name);
      const refusal = { code: 'invalid', message: expect.stringContaining(`The snapshot "${name}" of "default" is damaged: `) };
      // what was added to a table in a folder leaves the files of the snapshot as they were
      if (storage['vector_db'] !== 'qdrant' && !storage['options']) continue;
      await expect(result(engine, 'verify_snapshot', { name }), name).rejects.toMatchObject(refusal);
      await expect(result(engine, 'restore_snapshot', { name }), name).rejects.toMatchObject(refusal);
    }
    expect(await chunksIn(engine)).toEqual(before);
  });
});

withS3('snapshots in a bucket', () => {
  /** Bytes that are written for the tables of collections and snapshots. */
  const sizeOf = async (put: () => Promise<unknown>, s3: Awaited<ReturnType<typeof openS3>>): Promise<number> => {
    s3.counted();
    await put();
    return s3
      .counted()
      .filter(({ method, url }) => method === 'PUT' && url.includes('/kb.'))
      .reduce((sum, { headers }) => sum + Number(headers['content-length'] ?? 0), 0);
  };

  it('share the files of the collection, also when that is replaced, dropped or optimized', { timeout: 120_000 }, async () => {
    const s3 = await openS3();
    const storage = { url: s3.url, options: s3.writer };
    const engine = open(storage);
    const large = Array.from({ length: 200 }, (_, i) => ({ source: `rule-${i}`, text: `The gate ${i} is locked. `.repeat(30) }));
    const written = await sizeOf(() => result(engine, 'ingest', { markdown: large }), s3);
    expect(await sizeOf(() => result(engine, 'create_snapshot', { name: 'first' }), s3)).toBeLessThan(written / 30);
    await result(engine, 'ingest', { markdown: changed });
    expect(await sizeOf(() => result(engine, 'create_snapshot', { name: 'second' }), s3)).toBeLessThan(written / 30);
    await result(engine, 'optimize_collection', {});
    await result(engine, 'drop_collection', { name: 'default' });
    await result(engine, 'ingest', { markdown: changed });
    for (const [name, restored] of [
      ['first', 200],
      ['second', 200],
    ] as const)
      expect(await result(engine, 'restore_snapshot', { name }), name).toMatchObject({ restored });
    expect((await sourcesIn(engine)).length).toBe(200);
  });

  it('leave nothing of their collection when all are deleted', { timeout: 120_000 }, async () => {
    const s3 = await openS3();
    const storage = { url: s3.url, options: s3.writer };
    const engine = open(storage);
    await result(engine, 'ingest', { markdown });
    for (const name of ['first', 'second']) await result(engine, 'create_snapshot', { name });
    await result(engine, 'drop_collection', { name: 'default' });
    const { connection } = await tables(storage);
    expect(await connection.tableNames()).toContainEqual(expect.stringMatching(/^kb\.default/));
    for (const name of ['first', 'second']) await result(engine, 'delete_snapshot', { name });
    expect((await connection.tableNames()).filter((name) => name.startsWith('kb.'))).toEqual([]);
  });

  it('are listed again by kb doctor --repair, complete, after the list of collections was lost', { timeout: 120_000 }, async () => {
    const s3 = await openS3();
    const storage = { url: s3.url, options: s3.writer };
    const before = open(storage);
    await result(before, 'ingest', { markdown });
    await result(before, 'create_snapshot', { name: 'first' });
    await result(before, 'ingest', { markdown: changed });
    await result(before, 'create_snapshot', { name: 'second' });
    const { snapshots } = await result(before, 'list_snapshots', {});
    await before.close();
    await (await tables(storage)).connection.dropTable('_kb_collections');
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000);
    onTestFinished(() => clock.mockRestore());
    const engine = open(storage);
    await result(engine, 'doctor', { repair: true });
    expect(await result(engine, 'list_snapshots', {})).toEqual({ snapshots });
    await result(engine, 'create_snapshot', { name: 'third' });
    for (const name of ['second', 'first']) {
      await result(engine, 'verify_snapshot', { name });
      await result(engine, 'restore_snapshot', { name });
      expect((await chunksIn(engine)).length, name).toBe(snapshots.find((one) => one.name === name)!.chunks);
    }
  });
});

async function tables({ url, options }: { url: string; options: Record<string, string> }) {
  const { connect } = await import('@lancedb/lancedb');
  const connection = await connect(url, { storageOptions: options });
  onTestFinished(() => connection.close());
  return { connection };
}
