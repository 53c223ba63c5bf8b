import type { Connection, Table } from '@lancedb/lancedb';
import { retryConflicts } from './lancedb-connection.ts';
import { isTableGone } from './store-error.ts';

/** Columns of a small table for kb itself; `name` is its key. */
export interface Columns {
  texts: readonly ['name', ...string[]];
  numbers: readonly string[];
}

/** Opens the table, which is made if missing. Of several writers that add a row of one name at once, one succeeds. */
export async function keyedTable(connection: Connection, name: string, columns: Columns): Promise<Table> {
  const found = await findTable(connection, name);
  const table = found ?? (await makeTable(connection, name, columns));
  await setKey(table);
  if (!found) await restoreLostRows(connection, name);
  return table;
}

/** Adds the rows whose names the table does not have; the result holds their number. */
export const addRows = (table: Table, rows: object[]) =>
  table
    .mergeInsert('name')
    .whenNotMatchedInsertAll()
    .execute(rows as Record<string, unknown>[]);

/**
 * Adds rows again that were lost when the table was made. Of several processes that make it at once, a slow one empties what the others have made and filled:
 * LanceDB commits its empty table as the next version of theirs.
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

/** Opens the table; undefined if there is none, or its maker has only begun (or was killed then). */
export async function findTable(connection: Connection, name: string): Promise<Table | undefined> {
  if (!(await connection.tableNames()).includes(name)) return undefined;
  return await connection.openTable(name).catch((error: unknown) => {
    if (isTableGone(error)) return undefined;
    throw error;
  });
}

async function makeTable(connection: Connection, name: string, { texts, numbers }: Columns): Promise<Table> {
  const arrow = await import('apache-arrow');
  const fields = [
    ...texts.map((column) => new arrow.Field(column, new arrow.Utf8(), false)),
    ...numbers.map((column) => new arrow.Field(column, new arrow.Int32(), false)),
  ];
  const making = connection.createEmptyTable(name, new arrow.Schema(fields), { mode: 'create', existOk: true });
  return await making.catch(async (error: unknown) => {
    const made = await findTable(connection, name); // for LanceDB, one that has its key already has another schema
    if (!made) throw error;
    return made;
  });
}

/** Makes `name` the key of the table, also if its maker was killed before that. */
const setKey = (table: Table): Promise<void> =>
  table.setUnenforcedPrimaryKey('name').catch((error: unknown) => {
    if (!/primary key|incompatible transaction|commit conflict/i.test(String(error))) throw error; // it is set, or being set
  });
