import { access, constants, statfs, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeFileError } from '../../../core/file-names.ts';
import type { StoreReport, StoreProblem } from '../../../ports/stores.ts';
import { closeBoth, connectTo, endpointOf, type StorePlace, lanceDb } from './lancedb-connection.ts';
import { storeError, isTableGone } from './store-error.ts';
import { lockInTable } from './table-lock.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { embedderIn } from './columns.ts';
import { LABELS } from './field-entries.ts';
import type { Catalog, Entry } from './lancedb-catalog.ts';
import { listBranches, staleCopies } from './table-copies.ts';
import { openTable, readTableName, unlistedTables } from './tables.ts';
import { mendIndexes } from './upkeep.ts';

/** Free space in MB below which an ingest is likely to fail. */
const LEAST_FREE = 100;

/** Reports what would prevent writing to a folder: missing rights, or a full disk. It writes nothing. */
export async function describeFolder(folder: string): Promise<StoreReport> {
  let there = folder;
  let refused = await writeRefusal(there);
  while (refused?.code === 'ENOENT' && dirname(there) !== there) {
    there = dirname(there); // the folder is made when something is first written
    refused = await writeRefusal(there);
  }
  if (refused) return { message: '', warnings: [`Nothing can be written to ${there}: ${describeFileError(refused, 'write')}`] };
  const { bavail, bsize } = await statfs(there);
  const free = Math.floor((bavail * bsize) / 1e6);
  return { message: '', warnings: free < LEAST_FREE ? [`The disk of ${there} has ${free} MB left: free some space before an ingest`] : [] };
}

const writeRefusal = (path: string): Promise<NodeJS.ErrnoException | undefined> =>
  access(path, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );

/** Name of a lock; no collection can have it. */
const PROBE = '.doctor';

/** Describes a store in a bucket: where it is, how long a request takes, and whether it can be written, by taking a lock that nobody else needs. */
export async function describeBucket(place: StorePlace): Promise<string> {
  const connections = (await connectTo(place, { create: false }))!;
  const { connection, pinned } = connections;
  try {
    await connection.tableNames(); // opens the connection
    const began = performance.now();
    await connection.tableNames();
    const took = Math.round(performance.now() - began);
    const isWritable = await lockInTable(pinned, PROBE).then(
      (lock) => lock.release().then(() => true),
      (error: unknown) => {
        if (/access was denied/.test(storeError(error, place.url).message)) return false;
        throw error;
      },
    );
    return `${whereIs(place)}; a request takes ${took} ms; it may be ${isWritable ? 'written' : 'read, but not written'}`;
  } finally {
    closeBoth(connections);
  }
}

function whereIs({ url, storageOptions: given }: StorePlace): string {
  const scheme = url.slice(0, url.indexOf(':'));
  if (!/^s3/i.test(scheme)) return `reached as ${scheme}://`;
  const region = given['region'] ?? given['aws_region'] ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  return `${endpointOf(given) ?? 'Amazon S3'}, ${region === undefined ? 'no region is set' : `region ${region}`}`;
}

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

/** Finds the snapshots in a bucket, which are branches, of a table that the catalog does not name. */
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

/** Whether queries with each kind of index succeed. */
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

/** Finds copies and locks that killed processes have left. */
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
