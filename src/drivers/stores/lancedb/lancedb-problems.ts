import { access, constants, statfs, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeFileError } from '../../../core/file-names.ts';
import type { StoreReport, StoreProblem } from '../../../ports/stores.ts';
import { closeBoth, connectTo, findEndpoint, type StoreLocation, loadLanceDb } from './lancedb-connection.ts';
import { storeError, isTableGone } from './lancedb-errors.ts';
import { lockInTable } from './table-lock.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { readEmbedder } from './columns.ts';
import { LABELS } from './field-entries.ts';
import type { Catalog, CatalogEntry } from './lancedb-catalog.ts';
import { listBranches, listStaleCopies } from './table-copies.ts';
import { openTable, parseTableName, findUnlistedTables } from './lancedb-tables.ts';
import { rebuildIndexes } from './table-maintenance.ts';

/** Free space in MB below which an ingest is likely to fail. */
const MIN_FREE = 100;

/** Reports what would prevent writing to a folder: missing permissions, or a full disk. It writes nothing. */
export async function describeFolder(folder: string): Promise<StoreReport> {
  let existing = folder;
  let writeError = await findWriteError(existing);
  while (writeError?.code === 'ENOENT' && dirname(existing) !== existing) {
    existing = dirname(existing); // the first write creates the folder
    writeError = await findWriteError(existing);
  }
  if (writeError) return { message: '', warnings: [`Nothing can be written to ${existing}: ${describeFileError(writeError, 'write')}`] };
  const { bavail, bsize } = await statfs(existing);
  const free = Math.floor((bavail * bsize) / 1e6);
  return {
    message: '',
    warnings: free < MIN_FREE ? [`The disk of ${existing} has ${free} MB left: free some space before an ingest`] : [],
  };
}

const findWriteError = (path: string): Promise<NodeJS.ErrnoException | undefined> =>
  access(path, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );

/** Name of a lock that no collection can have. */
const PROBE_LOCK = '.doctor';

/** Describes a store in a bucket: its location, how long a request takes, and whether it can be written (tested by taking an unused lock). */
export async function describeBucket(location: StoreLocation): Promise<string> {
  const connections = (await connectTo(location, { create: false }))!;
  const { connection, pinned } = connections;
  try {
    await connection.tableNames(); // opens the connection
    const began = performance.now();
    await connection.tableNames();
    const took = Math.round(performance.now() - began);
    const isWritable = await lockInTable(pinned, PROBE_LOCK).then(
      (lock) => lock.release().then(() => true),
      (error: unknown) => {
        if (/access was denied/.test(storeError(error, location.url).message)) return false;
        throw error;
      },
    );
    return `${describeLocation(location)}; a request takes ${took} ms; it may be ${isWritable ? 'written' : 'read, but not written'}`;
  } finally {
    closeBoth(connections);
  }
}

function describeLocation({ url, storageOptions: given }: StoreLocation): string {
  const scheme = url.slice(0, url.indexOf(':'));
  if (!/^s3/i.test(scheme)) return `reached as ${scheme}://`;
  const region =
    given['region'] ?? given['aws_region'] ?? given['aws_default_region'] ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  return `${findEndpoint(given) ?? 'Amazon S3'}, ${region === undefined ? 'no region is set' : `region ${region}`}`;
}

/** Whether there are tables of collections, listed or not. */
export async function hasTables(location: StoreLocation): Promise<boolean> {
  const connections = await connectTo(location, { create: false });
  if (!connections) return false;
  try {
    return (await connections.connection.tableNames()).some((table) => parseTableName(table) !== undefined);
  } finally {
    closeBoth(connections);
  }
}

/** The parts of a store that are examined. */
interface ExaminedStore {
  connection: Connection;
  catalog: Catalog;
  /** Runs work while holding the lock of the collection. */
  withLock(name: string, work: () => Promise<void>): Promise<void>;
}

/** Finds problems of the tables of a store. */
export async function findTableProblems(store: ExaminedStore): Promise<StoreProblem[]> {
  const { connection, catalog } = store;
  const { orphans, lost } = await findUnlistedTables(store);
  const listed = await catalog.list();
  const entries = [...listed];
  const problems: StoreProblem[] = orphans.map((table) => ({
    problem: `A process that died has left the table ${table}.`,
    repair: { action: 'removes it', outcome: 'It was removed.', removes: true, run: () => connection.dropTable(table) },
  }));
  for (const table of lost.toSorted().toReversed()) {
    const opened = await openOrExplain(connection, table);
    if ('problem' in opened) {
      problems.push(opened);
      continue;
    }
    const { name: originalName } = parseTableName(table)!;
    const entry = { name: chooseFreeName(originalName, entries), ...readEmbedder(await opened.schema()), table };
    entries.push(entry);
    problems.push(
      {
        problem: `The list of collections was lost: it does not name the table ${table} of "${originalName}".`,
        repair: {
          action: `lists it as "${entry.name}"`,
          outcome: `It was listed as "${entry.name}".`,
          removes: false,
          run: async () => void (await catalog.add(entry)),
        },
      },
      ...(await findSnapshotProblems(entry, { connection, catalog })),
    );
  }
  for (const entry of listed) problems.push(...(await findCollectionProblems(entry, store)));
  return problems;
}

/** Opens a table; returns a problem instead if a development version has made it. */
const openOrExplain = (connection: Connection, address: string): Promise<Table | StoreProblem> =>
  openTable(connection, address).catch((error: unknown) => {
    if (!(error instanceof KbError)) throw error;
    return { problem: error.message, advice: error.hint };
  });

/** Finds the snapshots (branches) of a table in a bucket that the catalog has lost. */
async function findSnapshotProblems(
  found: CatalogEntry,
  { connection, catalog }: Pick<ExaminedStore, 'connection' | 'catalog'>,
): Promise<StoreProblem[]> {
  return (await listBranches(connection, found.table)).map(({ address, name }) => ({
    problem: `The list of collections was lost: it does not name a snapshot in the table ${found.table}.`,
    repair: {
      action: 'lists it again',
      outcome: 'It was listed again.',
      removes: false,
      run: async () => void (await catalog.add({ ...found, name, table: address })),
    },
  }));
}

/** Returns the name, with `-found` and a number if another collection has it. */
function chooseFreeName(name: string, entries: readonly CatalogEntry[]): string {
  const isTaken = (wanted: string) => entries.some((entry) => entry.name === wanted);
  for (let number = 1, wanted = name; ; number++) {
    if (!isTaken(wanted)) return wanted;
    wanted = `${name}-found${number === 1 ? '' : number}`;
  }
}

async function findCollectionProblems(entry: CatalogEntry, { connection, catalog, withLock }: ExaminedStore): Promise<StoreProblem[]> {
  const { name, dimensions } = entry;
  const gone: StoreProblem = {
    problem: `The table of the collection "${name}" is gone.`,
    repair: {
      action: `removes "${name}" from the list of collections, so that it can be ingested or restored again`,
      outcome: `"${name}" was removed from the list of collections. It can be ingested or restored again.`,
      removes: true,
      run: () => withLock(name, () => catalog.remove(name, async () => {})),
    },
  };
  const table = await openOrExplain(connection, entry.table).catch((error: unknown) => {
    if (!isTableGone(error)) throw error;
    return gone;
  });
  if ('problem' in table) return [table];
  if (await isSearchable(table, dimensions)) return [];
  if (!(await isReadable(table))) {
    const problem = `Files of the collection "${name}" are missing or damaged.`;
    return [{ problem, advice: `Restore a snapshot with "kb snapshot restore", or drop "${name}" and ingest it again.` }];
  }
  const run = () => withLock(name, () => rebuildIndexes(table, dimensions));
  const repair = { action: 'rebuilds them from the rows', outcome: 'They were rebuilt from the rows.', removes: false, run };
  return [{ problem: `The indexes of "${name}" are broken.`, repair }];
}

/** Whether queries succeed with each kind of index. */
async function isSearchable(table: Table, dimensions: number): Promise<boolean> {
  const { MatchQuery } = await loadLanceDb();
  if (!(await table.indexStats('terms_idx').catch(() => undefined))) return false;
  const queries = [
    table.query().fullTextSearch(new MatchQuery('kb', 'terms')).select(['id']).limit(1).toArrow(),
    table.query().where("id = 'kb'").select(['id']).toArrow(),
    table.query().where("source = 'kb'").select(['id']).toArrow(),
    table.query().where(`array_has_any(${LABELS}, ['kb'])`).select(['id']).toArrow(),
    ...(dimensions > 0
      ? [table.query().nearestTo(new Float32Array(dimensions).fill(1)).distanceType('cosine').select(['id']).limit(1).toArrow()]
      : []),
  ];
  return (await Promise.allSettled(queries)).every(({ status }) => status === 'fulfilled');
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

/** Finds copies and locks that dead processes have left. */
export async function findLeftoverProblems(
  { folder, locks }: { folder: string | undefined; locks: readonly string[] },
  release: (name: string) => Promise<void>,
): Promise<StoreProblem[]> {
  const copies = folder === undefined ? [] : await listStaleCopies(folder);
  return [
    ...copies.map((name) => ({
      problem: `A process that died has left half of a copy, ${name}.`,
      repair: {
        action: 'removes it',
        outcome: 'It was removed.',
        removes: true,
        run: () => rm(join(folder!, name), { recursive: true, force: true }),
      },
    })),
    ...locks.map((name) => ({
      problem: `A process that was killed has left its lock on "${name}".`,
      advice: 'Nothing needs to be done: the next write takes it over.',
      repair: { action: 'releases it now', outcome: 'It was released.', removes: false, run: () => release(name) },
    })),
  ];
}
