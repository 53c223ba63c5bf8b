import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import type { StoreProblem } from '../../../ports/stores.ts';
import { embedderIn } from './columns.ts';
import type { Catalog, Entry } from './lancedb-catalog.ts';
import { listNamedBranches, openTable, splitAddress } from './branches.ts';
import { hasLabels, LABELS } from './filters/labels.ts';
import { closeBoth, connectTo, isTableGone, lanceDb } from './lancedb-connection.ts';
import type { StorePlace } from './lancedb-settings.ts';
import { staleCopies } from './copy-table.ts';
import { ORPHANED_AFTER, readTableName } from './table-holder.ts';
import { mendIndexes } from './upkeep.ts';

/** Whether there are tables of collections, listed or not. */
export async function hasTables(place: StorePlace): Promise<boolean> {
  const connections = await connectTo(place, { create: false });
  if (!connections) return false;
  try {
    return (await connections.connection.tableNames()).some((table) => readTableName(table) !== undefined);
  } finally {
    closeBoth(connections);
  }
}

/** Tables that no collection has: `orphans`, which processes that died have left, and `lost`, older than the catalog, which must have been made anew. */
export async function unlistedTables(connection: Connection, catalog: Catalog): Promise<{ orphans: string[]; lost: string[] }> {
  const old = Date.now() - ORPHANED_AFTER;
  const tables = (await connection.tableNames()).filter((table) => (readTableName(table)?.created ?? Infinity) < old);
  const known = new Set((await catalog.listLatest()).map(({ table }) => splitAddress(table).table));
  const unlisted = tables.filter((table) => !known.has(table));
  if (unlisted.length === 0) return { orphans: [], lost: [] };
  const made = await catalog.created();
  const lost = unlisted.filter((table) => readTableName(table)!.created < made);
  const orphans = [];
  for (const table of unlisted)
    if (!lost.includes(table) && (await lastWritten(await connection.openTable(table))) < old) orphans.push(table);
  return { orphans, lost };
}

const lastWritten = async (table: Table): Promise<number> =>
  Math.max(...(await table.listVersions()).map(({ timestamp }) => timestamp.getTime()));

/** What of a database is looked through. */
interface Examined {
  connection: Connection;
  catalog: Catalog;
  /** Does something while it holds the lock of the collection. */
  locked(name: string, work: () => Promise<void>): Promise<void>;
}

/** What is wrong with the tables of a store. */
export async function tableProblems({ connection, catalog, locked }: Examined): Promise<StoreProblem[]> {
  const { orphans, lost } = await unlistedTables(connection, catalog);
  const listed = await catalog.list();
  const entries = [...listed];
  const problems: StoreProblem[] = orphans.map((table) => ({
    problem: `A process that died has left the table ${table}.`,
    remedy: 'It is removed.',
    removes: true,
    mend: () => connection.dropTable(table),
  }));
  for (const table of lost.toSorted().toReversed()) {
    const { name: given } = readTableName(table)!;
    const name = freeName(given, entries);
    const embedder = embedderIn(await (await connection.openTable(table)).schema());
    const entry = embedder && { name, ...embedder, table };
    if (entry) entries.push(entry);
    problems.push({
      problem: `The list of collections was lost: it does not name the table ${table} of «${given}».`,
      remedy: entry
        ? `It is listed as «${name}».`
        : 'Its embedding model is unknown: ingest its sources again under another name, then remove it.',
      removes: false,
      mend: entry && (async () => void (await catalog.add(entry))),
    });
    if (entry) problems.push(...(await snapshotProblems(entry, { connection, catalog })));
  }
  for (const entry of listed) problems.push(...(await collectionProblems(entry, { connection, catalog, locked })));
  return problems;
}

/** The snapshots in a bucket whose table the catalog does not name: they are branches of it. */
async function snapshotProblems(found: Entry, { connection, catalog }: Pick<Examined, 'connection' | 'catalog'>): Promise<StoreProblem[]> {
  return (await listNamedBranches(connection, found.table)).map(({ address, name }) => ({
    problem: `The list of collections was lost: it does not name a snapshot in the table ${found.table}.`,
    remedy: 'It is listed again.',
    removes: false,
    mend: async () => void (await catalog.add({ ...found, name, table: address })),
  }));
}

/** The name, or with `-found` and a number where another collection has it. */
function freeName(name: string, entries: readonly Entry[]): string {
  const isTaken = (wanted: string) => entries.some((entry) => entry.name === wanted);
  for (let number = 1, wanted = name; ; number++) {
    if (!isTaken(wanted)) return wanted;
    wanted = `${name}-found${number === 1 ? '' : number}`;
  }
}

async function collectionProblems(entry: Entry, { connection, catalog, locked }: Examined): Promise<StoreProblem[]> {
  const { name, dimensions } = entry;
  const table = await openTable(connection, entry.table).catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
  });
  if (!table) {
    return [
      {
        problem: `The table of the collection «${name}» is gone.`,
        remedy: `«${name}» is removed from the list of collections, so that it can be ingested or restored again.`,
        removes: true,
        mend: () => locked(name, () => catalog.remove(name, async () => {})),
      },
    ];
  }
  if (await isSearched(table, dimensions)) return [];
  if (await isReadable(table)) {
    return [
      {
        problem: `The indexes of «${name}» are broken.`,
        remedy: 'They are built anew from the rows.',
        removes: false,
        mend: () => locked(name, () => mendIndexes(table, dimensions)),
      },
    ];
  }
  return [
    {
      problem: `Files of the collection «${name}» are missing or damaged.`,
      remedy: `Restore a snapshot with «kb snapshot restore», or drop «${name}» and ingest it again.`,
      removes: false,
    },
  ];
}

/** Whether each kind of index answers. */
async function isSearched(table: Table, dimensions: number): Promise<boolean> {
  const { MatchQuery } = await lanceDb();
  if (!(await table.indexStats('terms_idx').catch(() => undefined))) return false;
  const asked = [
    table.query().fullTextSearch(new MatchQuery('kb', 'terms')).select(['id']).limit(1).toArrow(),
    table.query().where("id = 'kb'").select(['id']).toArrow(),
    table.query().where("source = 'kb'").select(['id']).toArrow(),
    ...((await hasLabels(table)) ? [table.query().where(`array_has_any(${LABELS}, ['kb'])`).select(['id']).toArrow()] : []),
    ...(dimensions > 0
      ? [table.query().nearestTo(new Float32Array(dimensions).fill(1)).distanceType('cosine').select(['id']).limit(1).toArrow()]
      : []),
  ];
  return (await Promise.allSettled(asked)).every(({ status }) => status === 'fulfilled');
}

const isReadable = (table: Table): Promise<boolean> =>
  table
    .query()
    .select(['id', 'text'])
    .toArrow()
    .then(
      () => true,
      () => false,
    );

/** What is wrong beside the tables: copies and locks that killed processes have left. */
export async function leftoverProblems(
  { folder, locks }: { folder: string | undefined; locks: readonly string[] },
  release: (name: string) => Promise<void>,
): Promise<StoreProblem[]> {
  const copies = folder === undefined ? [] : await staleCopies(folder);
  return [
    ...copies.map((name) => ({
      problem: `A process that died has left half of a copy, ${name}.`,
      remedy: 'It is removed.',
      removes: true,
      mend: () => rm(join(folder!, name), { recursive: true, force: true }),
    })),
    ...locks.map((name) => ({
      problem: `A process that died has left its lock on «${name}».`,
      remedy: 'It is released.',
      removes: false,
      mend: () => release(name),
    })),
  ];
}
