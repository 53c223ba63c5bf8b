import type { Connection, Table } from '@lancedb/lancedb';
import { isTableGone } from './lancedb-connection.ts';

// In a bucket nothing can be copied without reading it. There a snapshot is a branch of the collection's table: it names the files of the version that it
// was made of, which LanceDB then keeps. The table stays as long as a branch of it is named in the catalog.

/** The tables of a store, and which addresses its catalog names. */
export interface Places {
  connection: Connection;
  catalog: { list(): Promise<{ table: string }[]> };
}

/** The table, and the branch where an address names one: `table@branch`. */
export function splitAddress(address: string): { table: string; branch: string | undefined } {
  const [table = '', branch] = address.split('@');
  return { table, branch };
}

/** Opens a table or a branch of one. */
export async function openTable(connection: Connection, address: string): Promise<Table> {
  const { table, branch } = splitAddress(address);
  const opened = await connection.openTable(table);
  return branch === undefined ? opened : await (await opened.branches()).checkout(branch);
}

/** Makes a branch of what the table holds now, and removes those that killed processes have left. Returns its address. */
export async function makeBranch({ connection, catalog }: Places, address: string): Promise<string> {
  const { table } = splitAddress(address);
  const opened = await connection.openTable(table);
  const branches = await opened.branches();
  const named = await addressesOf(catalog, table);
  for (const branch of Object.keys(await branches.list())) if (!named.includes(`${table}@${branch}`)) await branches.delete(branch);
  const branch = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  await branches.create(branch);
  return `${table}@${branch}`;
}

const addressesOf = async (catalog: Places['catalog'], table: string): Promise<string[]> =>
  (await catalog.list()).map((entry) => entry.table).filter((address) => splitAddress(address).table === table);

/** Removes what lies at the address and is named in the catalog no more; the table itself when no branch of it is named either. What is gone already is no error. */
export async function dropUnnamed({ connection, catalog }: Places, address: string): Promise<void> {
  const { table, branch } = splitAddress(address);
  const isNamed = (await addressesOf(catalog, table)).length > 0;
  const removing = async () => {
    if (!isNamed) return await connection.dropTable(table);
    if (branch !== undefined) await (await (await connection.openTable(table)).branches()).delete(branch);
  };
  await removing().catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
  });
}
