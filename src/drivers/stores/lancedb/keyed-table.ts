import type { Connection, Table } from '@lancedb/lancedb';
import { retryConflicts } from './lancedb-connection.ts';
import { isTableGone } from './lancedb-errors.ts';

/** Columns of an internal table; `name` is its key. */
export interface KeyedColumns {
  texts: readonly ['name', ...string[]];
  numbers: readonly string[];
}

/** Opens the table; creates it if missing. If several writers add a row of one name at once, one succeeds. */
export async function openKeyedTable(connection: Connection, name: string, columns: KeyedColumns): Promise<Table> {
  const found = await findTable(connection, name);
  const table = found ?? (await createKeyedTable(connection, name, columns));
  await setKey(table);
  if (!found) await restoreLostRows(connection, name);
  return table;
}

/** Adds the rows whose names the table does not have; the result holds the number of added rows. */
export const addRows = (table: Table, rows: object[]) =>
  table
    .mergeInsert('name')
    .whenNotMatchedInsertAll()
    .execute(rows as Record<string, unknown>[]);

/**
 * Restores rows that were lost when the table was created. If several processes create it at once, a slow one empties what the others have filled: LanceDB
 * commits its empty table as the next version of theirs.
 */
export async function restoreLostRows(connection: Connection, name: string): Promise<void> {
  const table = await connection.openTable(name);
  const versions = await table.listVersions();
  const rowsAt = (at: number): number => Number((versions[at]?.metadata as Record<string, string> | undefined)?.['total_rows'] ?? 0);
  for (const [at, { version }] of versions.entries()) {
    if (rowsAt(at) === 0 || at + 1 === versions.length || rowsAt(at + 1) > 0) continue;
    const before = await connection.openTable(name);
    await before.checkout(version);
    const rows = ((await before.query().toArray()) as object[]).map((row) => ({ ...row }));
    await retryConflicts(() => addRows(table, rows));
  }
}

/** Opens the table; undefined if there is none, or its creation is not complete (the process may have been killed). */
export async function findTable(connection: Connection, name: string): Promise<Table | undefined> {
  if (!(await connection.tableNames()).includes(name)) return undefined;
  return await connection.openTable(name).catch((error: unknown) => {
    if (isTableGone(error)) return undefined;
    throw error;
  });
}

async function createKeyedTable(connection: Connection, name: string, { texts, numbers }: KeyedColumns): Promise<Table> {
  const arrow = await import('apache-arrow');
  const fields = [
    ...texts.map((column) => new arrow.Field(column, new arrow.Utf8(), false)),
    ...numbers.map((column) => new arrow.Field(column, new arrow.Int32(), false)),
  ];
  const creation = connection.createEmptyTable(name, new arrow.Schema(fields), { mode: 'create', existOk: true });
  return await creation.catch(async (error: unknown) => {
    const existing = await findTable(connection, name); // to LanceDB, a table whose key is already set has another schema
    if (!existing) throw error;
    return existing;
  });
}

/** Makes `name` the key of the table, even if the process that created it was killed before doing so. */
const setKey = (table: Table): Promise<void> =>
  table.setUnenforcedPrimaryKey('name').catch((error: unknown) => {
    if (!/primary key|incompatible transaction|commit conflict/i.test(String(error))) throw error; // already set, or another process is setting it
  });
