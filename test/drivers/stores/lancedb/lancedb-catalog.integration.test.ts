import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { schemaOf } from '../../../../src/drivers/stores/lancedb/columns.ts';
import { copyTable } from '../../../../src/drivers/stores/lancedb/table-copies.ts';
import { dropUnlisted, openTable } from '../../../../src/drivers/stores/lancedb/lancedb-tables.ts';
import { restoreLostRows } from '../../../../src/drivers/stores/lancedb/keyed-table.ts';
import { CATALOG_LOCK, openCatalog } from '../../../../src/drivers/stores/lancedb/lancedb-catalog.ts';
import { connectTo, readStoreLocation } from '../../../../src/drivers/stores/lancedb/lancedb-connection.ts';
import { lockForWriting, lockLostError } from '../../../../src/drivers/stores/writer-lock.ts';
import { folder } from '../../../support/folder.ts';

/** The database in a folder, as one of several processes has it. */
async function database(url: string) {
  const connections = (await connectTo(readStoreLocation(url), { create: true }))!;
  onTestFinished(() => {
    connections.connection.close();
    connections.pinned.close();
  });
  return { ...connections, catalog: (await openCatalog(connections, { url, create: true }))! };
}

const entry = (table: string, name = 'manuals') => ({ name, table, provider: 'none', model: '', dimensions: 0 });
const free = async () => {};

describe('a change of the list of collections', () => {
  /** What holds a lock as long as another does not take it, which that does as soon as it was looked at. */
  async function overtaken(taken: string | undefined) {
    const url = folder();
    const [own, theirs] = [(await database(url)).catalog, (await database(url)).catalog];
    let isHeld = true;
    const mayWrite = async () => {
      if (!isHeld) throw lockLostError('manuals');
      isHeld = false;
      await theirs.fence();
      if (taken !== undefined) await theirs.put(entry(taken), free);
    };
    return { own, theirs, mayWrite };
  }

  it.each([undefined, 'theirs'])('does not commit if the lock is taken over meanwhile (%s)', async (taken) => {
    for (const change of ['put', 'remove'] as const) {
      const { own, theirs, mayWrite } = await overtaken(taken);
      await own.add(entry('first'));
      const changing = change === 'put' ? own.put(entry('own'), mayWrite) : own.remove('manuals', mayWrite);
      await expect(changing).rejects.toMatchObject({ code: 'conflict' });
      for (const catalog of [own, theirs]) expect(await catalog.findLatest('manuals')).toMatchObject({ table: taken ?? 'first' });
    }
  });

  it('does not add a collection if the lock is taken over meanwhile', async () => {
    const { own, theirs, mayWrite } = await overtaken(undefined);
    await expect(own.put(entry('own'), mayWrite)).rejects.toMatchObject({ code: 'conflict' });
    for (const catalog of [own, theirs]) expect(await catalog.listLatest()).toEqual([]);
  });

  it('commits although another process changes another entry', async () => {
    const url = folder();
    const [own, theirs] = [(await database(url)).catalog, (await database(url)).catalog];
    let looks = 0;
    await own.put(entry('own'), async () => {
      if (++looks > 1) return;
      await theirs.fence();
      await theirs.put(entry('theirs', 'notes'), free);
    });
    expect((await theirs.listLatest()).map(({ table }) => table).toSorted()).toEqual(['own', 'theirs']);
  });
});

it('keeps a listed draft that is discarded because its last response was lost', async () => {
  const { connection, catalog } = await database(folder());
  await connection.createEmptyTable('kb.manuals.0-000000', await schemaOf({ name: 'manuals', provider: 'none', model: '', dimensions: 0 }));
  await catalog.add(entry('kb.manuals.0-000000'));
  const branch = (await copyTable('kb.manuals.0-000000', {
    connection,
    catalog,
    folder: undefined,
    as: '.snapshot.manuals',
    isSealed: true,
  }))!;
  await catalog.put(entry(branch, '.snapshot.manuals'), free);
  for (const address of [branch, 'kb.manuals.0-000000']) {
    await dropUnlisted({ connection, catalog }, address);
    expect(await (await openTable(connection, address)).countRows()).toBe(0);
  }
});

describe('the list of collections of a new store', () => {
  it('is created by one process at a time', async () => {
    const url = folder();
    const making = await lockForWriting(join(url, '.locks'), CATALOG_LOCK);
    let isMade = false;
    const opening = database(url).then(() => (isMade = true));
    await wait(300);
    expect([isMade, readdirSync(url)]).toEqual([false, ['.locks']]);
    await making.release();
    await opening;
  });

  it('restores rows that a slow creator has removed', async () => {
    const { connection, catalog } = await database(folder());
    await catalog.add(entry('first', 'a'));
    await catalog.add(entry('second', 'b'));
    const table = await connection.openTable('_kb_collections');
    await connection.createEmptyTable('_kb_collections', await table.schema(), { mode: 'overwrite' });
    await catalog.add(entry('third', 'c'));
    await restoreLostRows(connection, '_kb_collections');
    expect((await catalog.listLatest()).map(({ name, table: holder }) => `${name} ${holder}`).toSorted()).toEqual([
      'a first',
      'b second',
      'c third',
    ]);
  });
});
