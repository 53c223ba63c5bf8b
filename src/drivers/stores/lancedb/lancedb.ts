import { call, optionalAdvice } from '../../../core/advice/advice.ts';
import { join } from 'node:path';
import type { Collection, CollectionInfo, Draft, StoreProblem, VectorStore } from '../../../ports/stores.ts';
import { assertUnchanged, copyTable } from './table-copies.ts';
import { dropUnlisted, openTable, tableName, unlistedTables } from './tables.ts';
import { type Catalog, type Entry, openCatalog } from './lancedb-catalog.ts';
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
  readStorePlace,
  type StorePlace,
} from './lancedb-connection.ts';
import { translateErrors } from './store-error.ts';
import { hasTables, leftoverProblems, tableProblems, describeBucket, describeFolder } from './lancedb-problems.ts';
import { abandonedRows, lockInTable } from './table-lock.ts';
import { prepare } from './upkeep.ts';
import { KbError } from '../../../core/errors.ts';
import { throwIfAborted, untilAborted } from '../../../core/run.ts';
import { abandonedLocks, lockForWriting, type LockOptions, LOCK_FOLDER, type WriterLock } from '../writer-lock.ts';

type Database = ReturnType<typeof databaseOf>;

/** An open database: its catalog, and its tables by the entries of that. */
function databaseOf(connections: LanceConnections, { url, catalog, mayWrite }: { url: string; catalog: Catalog; mayWrite: MayWrite }) {
  const { connection, pinned } = connections;
  const holders = new Map<string, Promise<TableHolder>>();
  const common = { url, ...connections, mayWrite, chunks: new ChunkCache(), current: catalog.findLatest };
  /** All who open a collection share one queue of writes. */
  const held = (entry: Entry): Promise<TableHolder> => {
    const holder = holders.get(entry.table) ?? holdTable(entry, common);
    holders.set(entry.table, holder);
    holder.catch(() => holders.delete(entry.table));
    return holder;
  };
  return {
    ...connections,
    catalog,
    open: async (entry: Entry): Promise<Collection> => lanceCollection(await held(entry)),
    /** Makes a table for a collection; the catalog does not name it yet. */
    make: async (info: CollectionInfo): Promise<Entry> => {
      const { name, provider, model, dimensions } = info;
      const entry = { name, provider, model, dimensions, table: tableName(name) };
      await prepare(await connection.createEmptyTable(entry.table, await schemaOf(info)));
      return entry;
    },
    /** Opens a table that the catalog does not name. */
    openDraft: async (entry: Entry): Promise<Collection> =>
      lanceCollection(await holdTable(entry, { ...common, current: async () => entry })),
    drop: async ({ table }: Entry): Promise<void> => {
      holders.delete(table);
      await dropUnlisted({ connection, catalog }, table);
    },
    /** Makes writes to the collection's table, and changes of its entry, fail that were begun before. */
    fence: async (entry: Entry | undefined): Promise<void> => {
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
    /** Removes tables that processes which died have left. */
    tidy: async (): Promise<void> => {
      for (const name of (await unlistedTables({ connection, catalog })).orphans) await connection.dropTable(name);
    },
    close: (): void => closeBoth(connections),
  };
}

/** Opens the database when it is first needed, once; errors become KbErrors. */
function accessTo(place: StorePlace, mayWrite: MayWrite) {
  const { url } = place;
  let connections: LanceConnections | undefined;
  let database: Database | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const openNow = async (create: boolean): Promise<Database | undefined> => {
    if (database) return database;
    connections ??= await connectTo(place, { create });
    if (!connections) return undefined;
    const catalog = await openCatalog(connections, { url, create });
    return (database = catalog && databaseOf(connections, { url, catalog, mayWrite }));
  };
  const open = (create: boolean): Promise<Database | undefined> => {
    const opening = last.then(() => openNow(create)); // one after the other: of two at once, the connections of one would never be closed
    last = opening.catch(() => {});
    return opening;
  };
  const translated = <T>(work: () => Promise<T>): Promise<T> => translateErrors(url, work);
  return {
    translated,
    /** Works on an existing store; undefined if nothing was ever stored. */
    reading: <T>(work: (database: Database) => Promise<T>): Promise<T | undefined> =>
      translated(async () => {
        const there = await open(false);
        return there && (await work(there));
      }),
    /** Works on the store, which is made if there is none. */
    writing: <T>(work: (database: Database) => Promise<T>): Promise<T> =>
      translated(async () => {
        const made = (await open(true))!;
        await made.tidy();
        return await work(made);
      }),
  };
}

type Access = ReturnType<typeof accessTo>;

interface LanceDbOptions {
  url: string;
  /** `storage.options`: how what is not a folder is reached (`region`, `endpoint` …), by the names of LanceDB's storage options. */
  options?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A store in a folder, or at s3://, gs:// or az://, by LanceDB; nothing else has to run. The folder is made when something is first written.
 * Throws a KbError that names the address when it is no folder, can't be written, is full, or was made by a later version.
 */
export async function openLanceDb({ url, options, signal }: LanceDbOptions): Promise<VectorStore> {
  throwIfAborted(signal);
  const locks = new Map<string, WriterLock>();
  const place = readStorePlace(url, options);
  const mayWrite: MayWrite = async (name) => {
    const lock = locks.get(name);
    await lock?.assertHeld();
    return lock !== undefined;
  };
  const access = accessTo(place, mayWrite);
  const { translated, reading, writing } = access;
  const lock = lockerOf(url, { access, locks });
  const draftOf = async (made: Database, entry: Entry): Promise<Draft> => ({
    collection: await made.openDraft(entry),
    commit: () => translated(() => putInPlace(made, entry, mayWrite)),
    discard: () => translated(() => made.drop(entry)),
  });
  await reading(async () => {});
  const folder = folderOf(url);
  const verify = async (name: string) => {
    const entry = await reading(({ catalog }) => catalog.find(name));
    if (entry) await translated(() => assertUnchanged(join(folder!, `${entry.table}.lance`)));
  };
  return {
    provider: 'lancedb',
    collections: async () => (await reading(async ({ catalog }) => (await catalog.list()).map(({ table: _table, ...info }) => info))) ?? [],
    open: (name) =>
      reading(async ({ catalog, open }) => {
        const entry = await catalog.find(name);
        return entry && (await open(entry));
      }),
    create: (info) => writing((made) => createCollection(made, info)),
    draft: (info) => writing(async (made) => await draftOf(made, await made.make(info))),
    copy: (name, as, { isSealed = false } = {}) =>
      writing(async (made) => {
        const entry = await made.catalog.findLatest(name);
        const table = entry && (await copyTable(entry.table, { ...made, folder, as, isSealed }));
        return table === undefined ? undefined : await draftOf(made, { ...entry!, name: as, table });
      }),
    ...(folder === undefined ? {} : { verify }),
    drop: async (name) => (await reading((there) => dropCollection(there, name, mayWrite))) ?? false,
    describe: async () =>
      folder === undefined ? { message: await translated(() => describeBucket(place)) } : await describeFolder(folder),
    problems: async () => await findProblems(place, { access, lock }),
    lock,
    close: async () => void (await reading(async ({ close }) => close())),
  };
}

/** Takes locks, in the folder of the store or in a table, and keeps them in `locks`. */
function lockerOf(url: string, { access, locks }: { access: Access; locks: Map<string, WriterLock> }): VectorStore['lock'] {
  const folder = folderOf(url);
  const { translated, reading, writing } = access;
  const take: VectorStore['lock'] = async (name, waiting) => {
    const lock = await (folder === undefined
      ? writing((there) => there.lock(name, waiting))
      : translated(() => lockForWriting(join(folder, LOCK_FOLDER), name, waiting)));
    const takesEffect = reading((there) => beginWriting(there, name, lock));
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
      void taking.then((release) => release()).catch(() => {}); // its last request, which nobody can end, may have taken the lock
      throw error;
    });
  };
}

/** Finds what is wrong in the store. If there are tables and no catalog, that is made anew. */
async function findProblems(place: StorePlace, { access, lock }: { access: Access; lock: VectorStore['lock'] }): Promise<StoreProblem[]> {
  const folder = folderOf(place.url);
  const locked = async (name: string, work: () => Promise<void>) => {
    const release = await lock(name);
    await work().finally(release);
  };
  const look = async ({ connection, pinned, catalog }: Database) => {
    const locks = await (folder === undefined ? abandonedRows(pinned) : abandonedLocks(join(folder, LOCK_FOLDER)));
    return [
      ...(await leftoverProblems({ folder, locks }, (name) => locked(name, async () => {}))),
      ...(await tableProblems({ connection, catalog, locked })),
    ];
  };
  return (await access.reading(look)) ?? ((await hasTables(place)) ? await access.writing(look) : []);
}

const existing = (name: string): KbError =>
  new KbError('conflict', `There is a collection «${name}» already.`, {
    hint: ['Choose another name.', optionalAdvice`«${call('drop_collection', { name })}» removes it.`],
  });

async function createCollection({ catalog, make, open, drop }: Database, info: CollectionInfo): Promise<Collection> {
  if (await catalog.find(info.name)) throw existing(info.name);
  const entry = await make(info);
  if (await catalog.add(entry)) return await open(entry);
  await drop(entry); // another process was quicker
  throw existing(info.name);
}

/** Makes earlier writes visible to the new holder of a lock, and stops those of the process from which it was taken. */
async function beginWriting({ catalog, fence, refresh }: Database, name: string, { overtook }: WriterLock): Promise<void> {
  if (overtook) await fence(await catalog.findLatest(name));
  await refresh(name);
}

/** Replaces the table of a collection for all readers at once, by its entry in the catalog. If another process has taken the lock, the old one stays. */
async function putInPlace({ catalog, drop }: Database, entry: Entry, mayWrite: MayWrite): Promise<void> {
  const before = await catalog.findLatest(entry.name);
  await catalog.put(entry, () => mayWrite(entry.name));
  if (before) await drop(before).catch(() => {}); // the new one holds: what is left of the old one is tidied away later
}

async function dropCollection({ catalog, drop }: Database, name: string, mayWrite: MayWrite): Promise<boolean> {
  const entry = await catalog.findLatest(name);
  if (!entry) return false;
  await catalog.remove(name, () => mayWrite(name));
  await drop(entry);
  return true;
}
