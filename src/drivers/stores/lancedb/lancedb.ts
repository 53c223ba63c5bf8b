import { call, optionalAdvice } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import type { Collection, CollectionInfo, Draft, StoreProblem, VectorStore } from '../../../ports/stores.ts';
import { assertUnchanged, copyTable } from './table-copies.ts';
import { dropUnlisted, openTable, newTableName, findUnlistedTables } from './lancedb-tables.ts';
import { type Catalog, type CatalogEntry, openCatalog } from './lancedb-catalog.ts';
import { holdTable, type MayWrite, type TableHolder } from './table-holder.ts';
import { ChunkCache } from '../chunk-cache.ts';
import { lanceCollection } from './lancedb-collection.ts';
import { schemaOf } from './columns.ts';
import {
  closeBoth,
  connectTo,
  fenceTable,
  type LanceConnections,
  folderOf,
  readStoreLocation,
  type StoreLocation,
} from './lancedb-connection.ts';
import { translateErrors } from './lancedb-errors.ts';
import { hasTables, findLeftoverProblems, findTableProblems, describeBucket, describeFolder } from './lancedb-problems.ts';
import { listAbandonedRows, lockInTable } from './table-lock.ts';
import { prepareTable } from './table-maintenance.ts';
import { KbError } from '../../../core/errors.ts';
import { throwIfAborted, untilAborted } from '../../../core/run.ts';
import { listAbandonedLocks, lockForWriting, type LockOptions, LOCK_FOLDER, type WriterLock } from '../writer-lock.ts';

type Database = ReturnType<typeof createDatabase>;

/** Opens the tables of a database by the entries of its catalog. */
function createDatabase(connections: LanceConnections, { url, catalog, mayWrite }: { url: string; catalog: Catalog; mayWrite: MayWrite }) {
  const { connection, pinned } = connections;
  const holders = new Map<string, Promise<TableHolder>>();
  const common = { url, ...connections, mayWrite, chunks: new ChunkCache(), findEntry: catalog.findLatest };
  /** Shared by all callers that open the collection, so that they share one queue of writes. */
  const getHolder = (entry: CatalogEntry): Promise<TableHolder> => {
    const holder = holders.get(entry.table) ?? holdTable(entry, common);
    holders.set(entry.table, holder);
    holder.catch(() => holders.delete(entry.table));
    return holder;
  };
  return {
    ...connections,
    catalog,
    open: async (entry: CatalogEntry): Promise<Collection> => lanceCollection(await getHolder(entry)),
    /** Makes a table for a collection; the catalog does not name it yet. */
    createTable: async (info: CollectionInfo): Promise<CatalogEntry> => {
      const { name, provider, model, dimensions } = info;
      const entry = { name, provider, model, dimensions, table: newTableName(name) };
      await prepareTable(await connection.createEmptyTable(entry.table, await schemaOf(info)));
      return entry;
    },
    /** Opens a table that the catalog does not name. */
    openDraft: async (entry: CatalogEntry): Promise<Collection> =>
      lanceCollection(await holdTable(entry, { ...common, findEntry: async () => entry })),
    drop: async ({ table }: CatalogEntry): Promise<void> => {
      holders.delete(table);
      await dropUnlisted({ connection, catalog }, table);
    },
    /** Makes earlier writes to the collection's table, and earlier changes of its entry, fail if they have not committed. */
    fence: async (entry: CatalogEntry | undefined): Promise<void> => {
      await catalog.fence();
      if (entry) await fenceTable(await openTable(connection, entry.table));
    },
    /** Waits for the lock of a store that has no folder. */
    lock: (name: string, options?: LockOptions): Promise<WriterLock> => lockInTable(pinned, name, options),
    /** Makes the next reads of the collection see all writes so far. */
    refresh: async (name: string): Promise<void> => {
      const entry = await catalog.findLatest(name);
      await (entry && (await holders.get(entry.table))?.refresh());
    },
    /** Removes tables that dead processes have left. */
    removeOrphans: async (): Promise<void> => {
      for (const name of (await findUnlistedTables({ connection, catalog })).orphans) await connection.dropTable(name);
    },
    close: (): void => closeBoth(connections),
  };
}

/** Opens the database when it is first needed, once; errors become KbErrors. */
function createAccess(location: StoreLocation, mayWrite: MayWrite) {
  const { url } = location;
  let connections: LanceConnections | undefined;
  let database: Database | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const openNow = async (create: boolean): Promise<Database | undefined> => {
    if (database) return database;
    connections ??= await connectTo(location, { create });
    if (!connections) return undefined;
    const catalog = await openCatalog(connections, { url, create });
    return (database = catalog && createDatabase(connections, { url, catalog, mayWrite }));
  };
  const open = (create: boolean): Promise<Database | undefined> => {
    const opening = last.then(() => openNow(create)); // one at a time: of two concurrent connections, one would never be closed
    last = opening.catch(() => {});
    return opening;
  };
  const translate = <T>(work: () => Promise<T>): Promise<T> => translateErrors(url, work);
  return {
    translate,
    /** Runs work on an existing store; undefined if nothing was ever stored. */
    readStore: <T>(work: (database: Database) => Promise<T>): Promise<T | undefined> =>
      translate(async () => {
        const existing = await open(false);
        return existing && (await work(existing));
      }),
    /** Runs work on the store, which is created if there is none. */
    writeStore: <T>(work: (database: Database) => Promise<T>): Promise<T> =>
      translate(async () => {
        const store = (await open(true))!;
        await store.removeOrphans();
        return await work(store);
      }),
  };
}

type Access = ReturnType<typeof createAccess>;

interface LanceDbOptions {
  url: string;
  /** `storage.options`: for a bucket, LanceDB's storage options (`region`, `endpoint` …). */
  options?: Record<string, unknown> | undefined;
  /** Credentials of a bucket. Default: `process.env`. */
  environment?: NodeJS.ProcessEnv | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a LanceDB store in a folder, or at s3://, gs:// or az://; it needs no server. The folder is created by the first write. Throws a KbError with the
 * address if it is not a folder, can't be written, is full, or was written by a later version.
 */
export async function openLanceDb({ url, options, environment, signal }: LanceDbOptions): Promise<VectorStore> {
  throwIfAborted(signal);
  const locks = new Map<string, WriterLock>();
  const location = readStoreLocation(url, options, environment);
  const mayWrite: MayWrite = async (name) => {
    const lock = locks.get(name);
    await lock?.assertHeld();
    return lock !== undefined;
  };
  const access = createAccess(location, mayWrite);
  const { translate, readStore, writeStore } = access;
  const lock = createLocker(url, { access, locks });
  const createDraft = async (store: Database, entry: CatalogEntry): Promise<Draft> => ({
    collection: await store.openDraft(entry),
    commit: () => translate(() => commitDraft(store, entry, mayWrite)),
    discard: () => translate(() => store.drop(entry)),
  });
  await readStore(async () => {});
  const folder = folderOf(url);
  const verify = async (name: string) => {
    const entry = await readStore(({ catalog }) => catalog.find(name));
    if (entry) await translate(() => assertUnchanged(join(folder!, `${entry.table}.lance`)));
  };
  return {
    provider: 'lancedb',
    collections: async () =>
      (await readStore(async ({ catalog }) => (await catalog.list()).map(({ table: _table, ...info }) => info))) ?? [],
    open: (name) =>
      readStore(async ({ catalog, open }) => {
        const entry = await catalog.find(name);
        return entry && (await open(entry));
      }),
    create: (info) => writeStore((store) => createCollection(store, info)),
    draft: (info) => writeStore(async (store) => await createDraft(store, await store.createTable(info))),
    copy: (name, as, { isSealed = false } = {}) =>
      writeStore(async (store) => {
        const entry = await store.catalog.findLatest(name);
        const table = entry && (await copyTable(entry.table, { ...store, folder, as, isSealed }));
        return table === undefined ? undefined : await createDraft(store, { ...entry!, name: as, table });
      }),
    ...(folder === undefined ? {} : { verify }),
    drop: async (name) => (await readStore((store) => dropCollection(store, name, mayWrite))) ?? false,
    describe: async () =>
      folder === undefined ? { message: await translate(() => describeBucket(location)) } : await describeFolder(folder),
    problems: async () => await findProblems(location, { access, lock }),
    lock,
    close: async () => void (await readStore(async ({ close }) => close())),
  };
}

/** Makes the function that takes locks, in the folder of the store or in a table, and keeps them in `locks`. */
function createLocker(url: string, { access, locks }: { access: Access; locks: Map<string, WriterLock> }): VectorStore['lock'] {
  const folder = folderOf(url);
  const { translate, readStore, writeStore } = access;
  const take: VectorStore['lock'] = async (name, options) => {
    const lock = await (folder === undefined
      ? writeStore((store) => store.lock(name, options))
      : translate(() => lockForWriting(join(folder, LOCK_FOLDER), name, options)));
    const takesEffect = readStore((store) => beginWriting(store, name, lock));
    await takesEffect.catch((error: unknown) => lock.release().then(() => Promise.reject(error)));
    locks.set(name, lock);
    return async () => {
      if (locks.get(name) === lock) locks.delete(name);
      await lock.release();
    };
  };
  return async (name, waiting) => {
    const taking = take(name, waiting);
    return await untilAborted(taking, waiting?.signal).catch((error: unknown) => {
      void taking.then((release) => release()).catch(() => {}); // its last request cannot be aborted, and may have taken the lock
      throw error;
    });
  };
}

/** Finds problems of the store. If it has tables but no catalog, the catalog is recreated. */
async function findProblems(
  location: StoreLocation,
  { access, lock }: { access: Access; lock: VectorStore['lock'] },
): Promise<StoreProblem[]> {
  const folder = folderOf(location.url);
  const withLock = async (name: string, work: () => Promise<void>) => {
    const release = await lock(name);
    await work().finally(release);
  };
  const findAll = async ({ connection, pinned, catalog }: Database) => {
    const locks = await (folder === undefined ? listAbandonedRows(pinned) : listAbandonedLocks(join(folder, LOCK_FOLDER)));
    return [
      ...(await findLeftoverProblems({ folder, locks }, (name) => withLock(name, async () => {}))),
      ...(await findTableProblems({ connection, catalog, withLock })),
    ];
  };
  return (await access.readStore(findAll)) ?? ((await hasTables(location)) ? await access.writeStore(findAll) : []);
}

const collectionExistsError = (name: string): KbError =>
  new KbError('conflict', `There is a collection "${name}" already.`, {
    hint: ['Choose another name.', optionalAdvice`"${call('drop_collection', { name })}" removes it.`],
  });

async function createCollection({ catalog, createTable, open, drop }: Database, info: CollectionInfo): Promise<Collection> {
  if (await catalog.find(info.name)) throw collectionExistsError(info.name);
  const entry = await createTable(info);
  if (await catalog.add(entry)) return await open(entry);
  await drop(entry); // another process has just created the collection
  throw collectionExistsError(info.name);
}

/** Makes earlier writes visible to the new holder of a lock, and stops those of the process from which it was taken. */
async function beginWriting({ catalog, fence, refresh }: Database, name: string, { needsFencing }: WriterLock): Promise<void> {
  if (needsFencing) await fence(await catalog.findLatest(name));
  await refresh(name);
}

/** Atomically replaces the table of a collection, by its entry in the catalog. If another process has taken the lock over, the old table stays. */
async function commitDraft({ catalog, drop }: Database, entry: CatalogEntry, mayWrite: MayWrite): Promise<void> {
  const previous = await catalog.findLatest(entry.name);
  await catalog.put(entry, () => mayWrite(entry.name));
  if (previous) await drop(previous).catch(() => {}); // the draft is committed: leftovers of the old table are removed later
}

async function dropCollection({ catalog, drop }: Database, name: string, mayWrite: MayWrite): Promise<boolean> {
  const entry = await catalog.findLatest(name);
  if (!entry) return false;
  await catalog.remove(name, () => mayWrite(name));
  await drop(entry);
  return true;
}
