import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { operatorAdvice } from '../../../core/advice/advice.ts';
import { LABELS } from './field-entries.ts';
import { isTableGone } from './lancedb-errors.ts';

/** Makes the name of a new table, with the name of the collection and the time. */
export const newTableName = (name: string): string =>
  `kb.${name}.${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`;

/** Reads the collection and the creation time (milliseconds) from the name of a table; undefined for a table of another program. */
export function parseTableName(table: string): { name: string; created: number } | undefined {
  const [, name, time] = /^kb\.(.+)\.([0-9a-z]+)-[0-9a-z]{6}$/.exec(table) ?? [];
  return time === undefined ? undefined : { name: name!, created: Number.parseInt(time, 36) };
}

/** Splits an address into the table and, for `table@branch`, the branch. */
export function splitAddress(address: string): { table: string; branch: string | undefined } {
  const [table = '', branch] = address.split('@');
  return { table, branch };
}

/** Opens the table or branch at an address. Throws a KbError (`configuration`) for a table of a development version, which lacks the labels for filters. */
export async function openTable(connection: Connection, address: string): Promise<Table> {
  const { table, branch } = splitAddress(address);
  const main = await connection.openTable(table);
  const opened = branch === undefined ? main : await (await main.branches()).checkout(branch);
  if ((await opened.schema()).fields.some(({ name, nullable }) => name === LABELS && !nullable)) return opened;
  throw new KbError('configuration', `The table ${table} was made by a development version of kb, before 0.1.0.`, {
    hint: operatorAdvice`Drop its collection and ingest the sources again.`,
  });
}

/** The tables of a store, and its list of collections. */
export interface ListedTables {
  connection: Connection;
  catalog: {
    listLatest(): Promise<{ table: string }[]>;
    creationTime(): Promise<number>;
  };
}

/** Lists the addresses of a table and its branches that the catalog names. */
export const listAddressesOf = async (catalog: ListedTables['catalog'], table: string): Promise<string[]> =>
  (await catalog.listLatest()).map((entry) => entry.table).filter((address) => splitAddress(address).table === table);

/** Removes the table or branch at an address, unless the catalog names it; the whole table if the catalog names nothing in it. A missing one is no error. */
export async function dropUnlisted({ connection, catalog }: ListedTables, address: string): Promise<void> {
  const { table, branch } = splitAddress(address);
  const listed = await listAddressesOf(catalog, table);
  if (listed.includes(address)) return; // listed by a request whose response was lost
  const remove = async () => {
    if (listed.length === 0) return await connection.dropTable(table);
    if (branch !== undefined) await (await (await connection.openTable(table)).branches()).delete(branch);
  };
  await remove().catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
  });
}

/** Milliseconds without a write after which a table or copy is no longer work in progress: more than the clocks of two machines may differ. */
export const ORPHANED_AFTER = 24 * 3_600_000;

/** Finds tables without a collection: `orphans` of dead processes, and `lost` ones that are older than the catalog, which must have been recreated. */
export async function findUnlistedTables({ connection, catalog }: ListedTables): Promise<{ orphans: string[]; lost: string[] }> {
  const old = Date.now() - ORPHANED_AFTER;
  const tables = (await connection.tableNames()).filter((table) => (parseTableName(table)?.created ?? Infinity) < old);
  const known = new Set((await catalog.listLatest()).map(({ table }) => splitAddress(table).table));
  const unlisted = tables.filter((table) => !known.has(table));
  if (unlisted.length === 0) return { orphans: [], lost: [] };
  const catalogCreated = await catalog.creationTime();
  const lost = unlisted.filter((table) => parseTableName(table)!.created < catalogCreated);
  const orphans = [];
  for (const table of unlisted)
    if (!lost.includes(table) && (await readLastWriteTime(await connection.openTable(table))) < old) orphans.push(table);
  return { orphans, lost };
}

const readLastWriteTime = async (table: Table): Promise<number> =>
  Math.max(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime()));
