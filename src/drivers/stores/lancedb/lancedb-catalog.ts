import { operatorAdvice } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { splitAddress } from './tables.ts';
import { addRows, type Columns, findTable, keyedTable } from './keyed-table.ts';
import { fenceTable, type LanceConnections, retryConflicts, folderOf } from './lancedb-connection.ts';
import { quoted } from './lancedb-filter.ts';
import { lockForWriting, LOCK_FOLDER } from '../writer-lock.ts';

/** Entry of a collection in the catalog: its embedder, and the table that holds it now. */
export interface Entry extends CollectionInfo {
  /** Address of the table or branch (`splitAddress`). */
  table: string;
}

const TABLE = '_kb_collections';
const COLUMNS: Columns = { texts: ['name', 'table', 'provider', 'model'], numbers: ['dimensions', 'form'] };
/** Version of the stored form. A store of a later form is refused, because it could be misread. In form 1 no collection is a branch. */
const FORM = 2;

/** The collections of a store by name, in a small table, so that a collection replaces another in one step. */
export interface Catalog {
  list(): Promise<Entry[]>;
  find(name: string): Promise<Entry | undefined>;
  /** Finds an entry as of now, also if reads check for writes only at intervals. */
  findLatest(name: string): Promise<Entry | undefined>;
  /** Lists all entries as of now. */
  listLatest(): Promise<Entry[]>;
  /** Adds an entry; false if there is one of that name. Of two writers at once, one adds. */
  add(entry: Entry): Promise<boolean>;
  /** Replaces the entry of that name. Throws what `mayWrite` throws, and does nothing if another process has called `fence` since. */
  put(entry: Entry, mayWrite: () => Promise<unknown>): Promise<void>;
  /** Time when the catalog was made, in milliseconds. */
  created(): Promise<number>;
  /** Removes the entry of that name, in the same way. */
  remove(name: string, mayWrite: () => Promise<unknown>): Promise<void>;
  /** Makes all processes that are about to change an entry call `mayWrite` again. */
  fence(): Promise<void>;
}

/** Opens the catalog of the database. Without `create`, undefined if there is none, because nothing was ever stored. */
export async function openCatalog(
  { connection, pinned }: LanceConnections,
  { url, create }: { url: string; create: boolean },
): Promise<Catalog | undefined> {
  const table = create ? await makeOrOpen(connection, url) : await findTable(connection, TABLE);
  if (!table) return undefined;
  const fixed = await pinned.openTable(TABLE);
  const list = async () => {
    const rows = (await table.query().toArray()) as (Entry & { form: number })[];
    const later = rows.find(({ form }) => form > FORM);
    if (later)
      throw new KbError(
        'configuration',
        `The store ${url} was made by a later version of kb (form ${later.form}; this one reads ${FORM}).`,
        { hint: operatorAdvice`Update kb, or set storage.url to another folder.` },
      );
    return rows.map(({ name, provider, model, dimensions, table: holder }) => ({ name, provider, model, dimensions, table: holder }));
  };
  const find = async (name: string) => (await list()).find((entry) => entry.name === name);
  const row = (entry: Entry) => [{ ...entry, form: splitAddress(entry.table).branch === undefined ? 1 : 2 }];
  const { changed, permitted } = changesOf(table, fixed);
  const latest = async <T>(read: () => Promise<T>): Promise<T> => {
    await table.checkoutLatest();
    return await read();
  };
  return {
    list,
    find,
    findLatest: (name) => latest(() => find(name)),
    listLatest: () => latest(list),
    created: () => createdAt(table),
    add: async (entry) => {
      const { numInsertedRows } = await changed(() => addRows(table, row(entry)));
      return numInsertedRows > 0;
    },
    put: (entry, mayWrite) =>
      permitted(mayWrite, () => fixed.mergeInsert('name').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(row(entry))),
    remove: (name, mayWrite) => permitted(mayWrite, () => fixed.delete(`name = ${quoted(name)}`)),
    fence: () => fenceTable(fixed),
  };
}

/** Lock for making the catalog of a store in a folder; no collection has this name. */
export const CATALOG_LOCK = '.kb-collections';

/** Opens the table, which is made if missing. In a folder, one process makes it at a time: of two at once, the slower one empties what the other has made. */
async function makeOrOpen(connection: Connection, url: string): Promise<Table> {
  const folder = folderOf(url);
  if (folder === undefined || (await findTable(connection, TABLE))) return await keyedTable(connection, TABLE, COLUMNS);
  const lock = await lockForWriting(join(folder, LOCK_FOLDER), CATALOG_LOCK);
  return await keyedTable(connection, TABLE, COLUMNS).finally(lock.release);
}

/** Functions that change the table; `fixed` is the same table, at the version that was last checked out. */
function changesOf(table: Table, fixed: Table) {
  const changed = async <T>(change: () => Promise<T>): Promise<T> => {
    const result = await retryConflicts(change);
    await removeOldVersions(table).catch(() => {}); // another process does that, or the next change
    await table.checkoutLatest();
    return result;
  };
  /** Changes the version from before the call of `mayWrite`: who takes the lock over makes a later version, behind which nothing commits. */
  const permitted = (mayWrite: () => Promise<unknown>, change: () => Promise<unknown>) =>
    changed(async () => {
      await fixed.checkoutLatest();
      await mayWrite();
      await change();
    });
  return { changed, permitted };
}

/** Maximum versions of the catalog, and the number that stays if it has more: a change writes some 70 kB, and a reader takes only a moment. */
const VERSIONS = 24;
const VERSIONS_KEPT = 12;
/** Metadata key of the time when the table was made (milliseconds), once its first version is gone. */
const CREATED = 'kb.created';

async function createdAt(table: Table): Promise<number> {
  const created = (await table.schema()).fields.find(({ name }) => name === 'name')?.metadata.get(CREATED);
  return created === undefined ? Math.min(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime())) : Number(created);
}

async function removeOldVersions(table: Table): Promise<void> {
  const times = (await table.listVersions()).map(({ timestamp }) => timestamp.getTime());
  if (times.length <= VERSIONS) return;
  await table.updateFieldMetadata([{ path: 'name', metadata: { [CREATED]: String(await createdAt(table)) } }]);
  await table.optimize({ cleanupOlderThan: new Date(times.toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!) });
}
