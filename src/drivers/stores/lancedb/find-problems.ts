import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { StoreProblem } from '../../../ports/stores.ts';
import { embedderIn } from './columns.ts';
import { LABELS } from './field-entries.ts';
import type { Catalog, Entry } from './lancedb-catalog.ts';
import { closeBoth, connectTo, lanceDb, type StorePlace } from './lancedb-connection.ts';
import { isTableGone } from './store-error.ts';
import { listBranches, staleCopies } from './table-copies.ts';
import { openTable, readTableName, unlistedTables } from './tables.ts';
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

/** The examined parts of a database. */
interface Examined {
  connection: Connection;
  catalog: Catalog;
  /** Runs work while holding the lock of the collection. */
  locked(name: string, work: () => Promise<void>): Promise<void>;
}

/** Finds what is wrong with the tables of a store. */
export async function tableProblems(examined: Examined): Promise<StoreProblem[]> {
  const { connection, catalog } = examined;
  const { orphans, lost } = await unlistedTables(examined);
  const listed = await catalog.list();
  const entries = [...listed];
  const problems: StoreProblem[] = orphans.map((table) => ({
    problem: `A process that died has left the table ${table}.`,
    remedy: 'It is removed.',
    removes: true,
    mend: () => connection.dropTable(table),
  }));
  for (const table of lost.toSorted().toReversed()) {
    const opened = await openOrExplain(connection, table);
    if ('problem' in opened) {
      problems.push(opened);
      continue;
    }
    const { name: given } = readTableName(table)!;
    const entry = { name: freeName(given, entries), ...embedderIn(await opened.schema()), table };
    entries.push(entry);
    problems.push(
      {
        problem: `The list of collections was lost: it does not name the table ${table} of «${given}».`,
        remedy: `It is listed as «${entry.name}».`,
        removes: false,
        mend: async () => void (await catalog.add(entry)),
      },
      ...(await snapshotProblems(entry, { connection, catalog })),
    );
  }
  for (const entry of listed) problems.push(...(await collectionProblems(entry, examined)));
  return problems;
}

/** Opens a table; returns the problem of one that a development version has made. */
const openOrExplain = (connection: Connection, address: string): Promise<Table | StoreProblem> =>
  openTable(connection, address).catch((error: unknown) => {
    if (!(error instanceof KbError)) throw error;
    return { problem: error.message, remedy: error.hint ?? '', removes: false };
  });

/** The snapshots in a bucket whose table the catalog does not name: they are branches of it. */
async function snapshotProblems(found: Entry, { connection, catalog }: Pick<Examined, 'connection' | 'catalog'>): Promise<StoreProblem[]> {
  return (await listBranches(connection, found.table)).map(({ address, name }) => ({
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
  const gone: StoreProblem = {
    problem: `The table of the collection «${name}» is gone.`,
    remedy: `«${name}» is removed from the list of collections, so that it can be ingested or restored again.`,
    removes: true,
    mend: () => locked(name, () => catalog.remove(name, async () => {})),
  };
  const table = await openOrExplain(connection, entry.table).catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
    return gone;
  });
  if ('problem' in table) return [table];
  if (await isSearched(table, dimensions)) return [];
  if (!(await isReadable(table))) {
    const problem = `Files of the collection «${name}» are missing or damaged.`;
    const remedy = `Restore a snapshot with «kb snapshot restore», or drop «${name}» and ingest it again.`;
    return [{ problem, remedy, removes: false }];
  }
  const mend = () => locked(name, () => mendIndexes(table, dimensions));
  return [{ problem: `The indexes of «${name}» are broken.`, remedy: 'They are built anew from the rows.', removes: false, mend }];
}

/** Whether each kind of index answers. */
async function isSearched(table: Table, dimensions: number): Promise<boolean> {
  const { MatchQuery } = await lanceDb();
  if (!(await table.indexStats('terms_idx').catch(() => undefined))) return false;
  const asked = [
    table.query().fullTextSearch(new MatchQuery('kb', 'terms')).select(['id']).limit(1).toArrow(),
    table.query().where("id = 'kb'").select(['id']).toArrow(),
    table.query().where("source = 'kb'").select(['id']).toArrow(),
    table.query().where(`array_has_any(${LABELS}, ['kb'])`).select(['id']).toArrow(),
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
