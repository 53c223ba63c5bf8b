import type { Connection, Table } from '@lancedb/lancedb';
import { isTableGone } from './lancedb-connection.ts';

// In a bucket nothing can be copied without reading it. There a snapshot is a branch of the collection's table: it names the files of the version that it
// was made of, which LanceDB then keeps. The table stays as long as a branch of it is named in the catalog.

/** The tables of a store, and which addresses its catalog names. */
export interface Places {
  connection: Connection;
  catalog: { listLatest(): Promise<{ table: string }[]> };
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

// The name of a branch tells when it was made and for which collection, so that it can be listed again where the catalog was lost.
const branchName = (name: string): string =>
  `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}-${Buffer.from(name).toString('hex')}`;

/** The branches of a table, with the collections that they were made for. */
export async function listNamedBranches(connection: Connection, table: string): Promise<{ address: string; name: string }[]> {
  const branches = await (await connection.openTable(table)).branches();
  return Object.keys(await branches.list()).flatMap((branch) => {
    const hex = /^[0-9a-z]+-[0-9a-z]+-([0-9a-f]+)$/.exec(branch)?.[1];
    return hex === undefined ? [] : [{ address: `${table}@${branch}`, name: Buffer.from(hex, 'hex').toString() }];
  });
}

interface Branching extends Places {
  /** The collection that the branch is for. */
  as: string;
}

/** Makes a branch of what the table holds now, and removes those that killed processes have left. Returns its address. */
export async function makeBranch(address: string, { connection, catalog, as }: Branching): Promise<string> {
  const { table } = splitAddress(address);
  const opened = await connection.openTable(table);
  const branches = await opened.branches();
  const named = await addressesOf(catalog, table);
  for (const branch of Object.keys(await branches.list())) if (!named.includes(`${table}@${branch}`)) await branches.delete(branch);
  const branch = branchName(as);
  await branches.create(branch);
  return `${table}@${branch}`;
}

const addressesOf = async (catalog: Places['catalog'], table: string): Promise<string[]> =>
  (await catalog.listLatest()).map((entry) => entry.table).filter((address) => splitAddress(address).table === table);

/** Removes what lies at the address and is named in the catalog no more; the table itself when no branch of it is named either. What is gone already is no error. */
export async function dropUnnamed({ connection, catalog }: Places, address: string): Promise<void> {
  const { table, branch } = splitAddress(address);
  const named = await addressesOf(catalog, table);
  if (named.includes(address)) return; // an answer that was lost does not tell that it was named
  const removing = async () => {
    if (named.length === 0) return await connection.dropTable(table);
    if (branch !== undefined) await (await (await connection.openTable(table)).branches()).delete(branch);
  };
  await removing().catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
  });
}
