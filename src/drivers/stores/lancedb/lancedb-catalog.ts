import { operatorAdvice } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { CollectionInfo } from '../../../ports/stores.ts';
import { splitAddress } from './lancedb-tables.ts';
import { addRows, type KeyedColumns, findTable, openKeyedTable } from './keyed-table.ts';
import { fenceTable, type LanceConnections, retryConflicts, folderOf } from './lancedb-connection.ts';
import { quoteSql } from './lancedb-filter.ts';
import { lockForWriting, LOCK_FOLDER } from '../writer-lock.ts';

/** Entry of a collection in the catalog: its embedder, and its current table. */
export interface CatalogEntry extends CollectionInfo {
  /** Address of the table or branch (`splitAddress`). */
  table: string;
}

const TABLE = '_kb_collections';
const COLUMNS: KeyedColumns = { texts: ['name', 'table', 'provider', 'model'], numbers: ['dimensions', 'form'] };
/** Version of the stored form. A store of a later form is refused, because kb could misread it. In form 1 no collection is a branch. */
const FORM = 2;

/** The collections of a store by name, in a small table, so that one can atomically replace another. */
export interface Catalog {
  list(): Promise<CatalogEntry[]>;
  find(name: string): Promise<CatalogEntry | undefined>;
  /** Finds an entry as of now, even if reads check for writes only at intervals. */
  findLatest(name: string): Promise<CatalogEntry | undefined>;
  /** Lists all entries as of now. */
  listLatest(): Promise<CatalogEntry[]>;
  /** Adds an entry; false if there is one of that name. If two writers add at once, one succeeds. */
  add(entry: CatalogEntry): Promise<boolean>;
  /** Replaces the entry of that name. Throws what `mayWrite` throws, and does not commit if another process calls `fence` meanwhile. */
  put(entry: CatalogEntry, mayWrite: () => Promise<unknown>): Promise<void>;
  /** Time when the catalog was made, in milliseconds. */
  creationTime(): Promise<number>;
  /** Removes the entry of that name, in the same way. */
  remove(name: string, mayWrite: () => Promise<unknown>): Promise<void>;
  /** Forces all processes that are changing an entry to call `mayWrite` again. */
  fence(): Promise<void>;
}

/** Opens the catalog of the database. Without `create`, undefined if there is none, since nothing was ever stored. */
export async function openCatalog(
  { connection, pinned }: LanceConnections,
  { url, create }: { url: string; create: boolean },
): Promise<Catalog | undefined> {
  const table = create ? await openOrCreateTable(connection, url) : await findTable(connection, TABLE);
  if (!table) return undefined;
  const pinnedTable = await pinned.openTable(TABLE);
  const list = async () => {
    const rows = (await table.query().toArray()) as (CatalogEntry & { form: number })[];
    const laterRow = rows.find(({ form }) => form > FORM);
    if (laterRow)
      throw new KbError(
        'configuration',
        `The store ${url} was made by a later version of kb (form ${laterRow.form}; this one reads ${FORM}).`,
        { hint: operatorAdvice`Update kb, or set storage.url to another folder.` },
      );
    return rows.map(({ name, provider, model, dimensions, table: holder }) => ({ name, provider, model, dimensions, table: holder }));
  };
  const find = async (name: string) => (await list()).find((entry) => entry.name === name);
  const toRows = (entry: CatalogEntry) => [{ ...entry, form: splitAddress(entry.table).branch === undefined ? 1 : 2 }];
  const { applyChange, applyIfPermitted } = createChanges(table, pinnedTable);
  const readLatest = async <T>(read: () => Promise<T>): Promise<T> => {
    await table.checkoutLatest();
    return await read();
  };
  return {
    list,
    find,
    findLatest: (name) => readLatest(() => find(name)),
    listLatest: () => readLatest(list),
    creationTime: () => readCreationTime(table),
    add: async (entry) => {
      const { numInsertedRows } = await applyChange(() => addRows(table, toRows(entry)));
      return numInsertedRows > 0;
    },
    put: (entry, mayWrite) =>
      applyIfPermitted(mayWrite, () =>
        pinnedTable.mergeInsert('name').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(toRows(entry)),
      ),
    remove: (name, mayWrite) => applyIfPermitted(mayWrite, () => pinnedTable.delete(`name = ${quoteSql(name)}`)),
    fence: () => fenceTable(pinnedTable),
  };
}

/** Lock for making the catalog of a store in a folder; no collection has this name. */
export const CATALOG_LOCK = '.kb-collections';

/** Opens the table; creates it if missing. In a folder this is locked: of two processes that create it at once, the slower one would empty the other's. */
async function openOrCreateTable(connection: Connection, url: string): Promise<Table> {
  const folder = folderOf(url);
  if (folder === undefined || (await findTable(connection, TABLE))) return await openKeyedTable(connection, TABLE, COLUMNS);
  const lock = await lockForWriting(join(folder, LOCK_FOLDER), CATALOG_LOCK);
  return await openKeyedTable(connection, TABLE, COLUMNS).finally(lock.release);
}

/** Makes functions that change the table; `pinnedTable` is the same table, at the version that was last checked out. */
function createChanges(table: Table, pinnedTable: Table) {
  const applyChange = async <T>(change: () => Promise<T>): Promise<T> => {
    const result = await retryConflicts(change);
    await removeOldVersions(table).catch(() => {}); // another process does that, or the next change
    await table.checkoutLatest();
    return result;
  };
  /** Commits to the version from before the call of `mayWrite`: a process that takes the lock over creates a later version, so that the commit fails. */
  const applyIfPermitted = (mayWrite: () => Promise<unknown>, change: () => Promise<unknown>) =>
    applyChange(async () => {
      await pinnedTable.checkoutLatest();
      await mayWrite();
      await change();
    });
  return { applyChange, applyIfPermitted };
}

/** Maximum versions of the catalog, and the number that is kept beyond that: a change writes some 70 kB, and readers need a version only briefly. */
const MAX_VERSIONS = 24;
const VERSIONS_KEPT = 12;
/** Metadata key of the time when the table was made (milliseconds), once its first version is gone. */
const CREATED_KEY = 'kb.created';

async function readCreationTime(table: Table): Promise<number> {
  const created = (await table.schema()).fields.find(({ name }) => name === 'name')?.metadata.get(CREATED_KEY);
  return created === undefined ? Math.min(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime())) : Number(created);
}

async function removeOldVersions(table: Table): Promise<void> {
  const times = (await table.listVersions()).map(({ timestamp }) => timestamp.getTime());
  if (times.length <= MAX_VERSIONS) return;
  await table.updateFieldMetadata([{ path: 'name', metadata: { [CREATED_KEY]: String(await readCreationTime(table)) } }]);
  await table.optimize({ cleanupOlderThan: new Date(times.toSorted((a, b) => b - a)[VERSIONS_KEPT - 1]!) });
}
