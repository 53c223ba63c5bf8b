import { toOperator } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { splitAddress } from './tables.ts';
import { addRows, type Columns, findTable, keyedTable } from './keyed-table.ts';
import { fenceTable, type LanceConnections, retryConflicts, folderOf } from './lancedb-connection.ts';
import { quoted } from './lancedb-filter.ts';
import { lockForWriting, LOCK_FOLDER } from '../writer-lock.ts';

/** What the catalog knows of a collection: what it was made with, and which table holds it now. */
export interface Entry extends CollectionInfo {
  /** Its address: the name of the table, and of the branch where it is one. */
  table: string;
}

const TABLE = '_kb_collections';
const COLUMNS: Columns = { texts: ['name', 'table', 'provider', 'model'], numbers: ['dimensions', 'form'] };
/** The form of the tables. A store of a later form is refused: it could be misread. In form 1 every collection has a table of its own. */
const FORM = 2;

/** The collections of a store by name, in a small table of their own, so that a collection is put in the place of another in one step. */
export interface Catalog {
  list(): Promise<Entry[]>;
  find(name: string): Promise<Entry | undefined>;
  /** What all have written until now, also where reads look for that only now and then. */
  findLatest(name: string): Promise<Entry | undefined>;
  /** The same of all. */
  listLatest(): Promise<Entry[]>;
  /** False where there is one of that name already; the two can't both happen. */
  add(entry: Entry): Promise<boolean>;
  /** Puts it in the place of the one of that name. It throws what `mayWrite` throws, and does nothing where another has fenced it in since that was asked. */
  put(entry: Entry, mayWrite: () => Promise<unknown>): Promise<void>;
  /** When it was made, in milliseconds. */
  created(): Promise<number>;
  /** Removes the one of that name, in the same way. */
  remove(name: string, mayWrite: () => Promise<unknown>): Promise<void>;
  /** Has everybody who is about to change something ask once more whether that may be. */
  fence(): Promise<void>;
}

/** Opens the catalog of the database. Without `create`, undefined where there is none: nothing was ever stored. */
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
        { hint: toOperator`Update kb, or set storage.url to another folder.` },
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

/** The lock of who makes the list of a store in a folder; no collection has this name. */
export const CATALOG_LOCK = '.kb-collections';

/** Opens the table. In a folder, one process makes it at a time: to LanceDB, of two at once the slower one empties what the other has made. */
async function makeOrOpen(connection: Connection, url: string): Promise<Table> {
  const folder = folderOf(url);
  if (folder === undefined || (await findTable(connection, TABLE))) return await keyedTable(connection, TABLE, COLUMNS);
  const lock = await lockForWriting(join(folder, LOCK_FOLDER), CATALOG_LOCK);
  return await keyedTable(connection, TABLE, COLUMNS).finally(lock.release);
}

/** Ways to change the table; `fixed` is the same one, which stays at the version that was last checked out. */
function changesOf(table: Table, fixed: Table) {
  const changed = async <T>(change: () => Promise<T>): Promise<T> => {
    const result = await retryConflicts(change);
    await removeOldVersions(table).catch(() => {}); // another does that, or the next change
    await table.checkoutLatest();
    return result;
  };
  /** A change to the version from before `mayWrite` is asked: who takes the lock over then makes a later one, behind which nothing commits. */
  const permitted = (mayWrite: () => Promise<unknown>, change: () => Promise<unknown>) =>
    changed(async () => {
      await fixed.checkoutLatest();
      await mayWrite();
      await change();
    });
  return { changed, permitted };
}

/** Versions that the catalog may have, and how many of the newest stay where it has more: a change writes some 70 kB, and who reads is done after a moment. */
const VERSIONS = 24;
const VERSIONS_KEPT = 12;
/** Where the table says when it was made (milliseconds), once its first version is gone. */
const CREATED = 'kb.created';

async function createdAt(table: Table): Promise<number> {
  const said = (await table.schema()).fields.find(({ name }) => name === 'name')?.metadata.get(CREATED);
  return said === undefined ? Math.min(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime())) : Number(said);
}

async function removeOldVersions(table: Table): Promise<void> {
  const times = (await table.listVersions()).map(({ timestamp }) => timestamp.getTime());
  if (times.length <= VERSIONS) return;
  await table.updateFieldMetadata([{ path: 'name', metadata: { [CREATED]: String(await createdAt(table)) } }]);
  await table.optimize({ cleanupOlderThan: new Date(times.toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!) });
}
