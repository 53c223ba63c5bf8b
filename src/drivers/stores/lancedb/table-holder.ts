import type { ChunkCache } from '../chunk-cache.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { untilStopped } from '../../../core/run.ts';
import type { Entry } from './lancedb-catalog.ts';
import { retryConflicts } from './lancedb-connection.ts';
import { isTableGone, translateErrors } from './store-error.ts';
import { openTable, readTableName } from './tables.ts';

/** Holds the table of a collection open, whatever other processes do to it. */
export interface TableHolder {
  readonly url: string;
  /** Entry of the catalog; it changes if another table replaces this one. */
  readonly entry: Entry;
  /** When the table was made, in milliseconds. */
  readonly created: number;
  /** Cache of the chunks that searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  /** Runs a query; again, on the table that has replaced it, if the table or its files are gone. */
  read<T>(work: (table: Table) => Promise<T>): Promise<T>;
  /** Opens the table again, fixed at its present version; the caller closes it. */
  pin(): Promise<Table>;
  /** Makes the next reads see all writes so far, also if reads check for writes only at intervals. */
  refresh(): Promise<void>;
  /** Runs writes one at a time, and again if another process interfered. `isAlone`: the lock is held, so that none can. */
  write<T>(work: (table: Table, isAlone: boolean) => Promise<T>): Promise<T>;
}

/** Returns whether the lock of the collection is held, so that nobody else writes. Throws if another process has taken it over. */
export type MayWrite = (name: string) => Promise<boolean>;

interface HolderOptions {
  url: string;
  connection: Connection;
  /** Connection whose tables stay at the version that was last checked out. */
  pinned: Connection;
  mayWrite: MayWrite;
  chunks: ChunkCache;
  /** Reads the current entry of the catalog. */
  current: (name: string) => Promise<Entry | undefined>;
}

/** Opens the table of the collection. */
export async function holdTable(entry: Entry, { url, connection, pinned, mayWrite, chunks, current }: HolderOptions): Promise<TableHolder> {
  let now = entry;
  let opened = await openTable(connection, entry.table);
  let writable: Table | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const reopen = async (cause: unknown): Promise<void> => {
    const found = await current(entry.name);
    if (!found) throw new KbError('not_found', `The collection «${entry.name}» was removed meanwhile.`, { cause });
    opened = await openTable(connection, found.table);
    writable = undefined;
    now = found;
  };
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isTableGone(error)) throw error;
      await reopen(error);
      return await work();
    }
  };
  /** Checks the lock after opening the table: who takes over the lock makes a later version, behind which nothing commits. */
  const toWrite = async (): Promise<[Table, boolean]> => {
    writable ??= await openTable(pinned, now.table);
    await writable.checkoutLatest();
    return [writable, await mayWrite(now.name)];
  };
  const translated = <T>(work: () => Promise<T>): Promise<T> => translateErrors(url, () => attempt(work));
  return {
    url,
    chunks,
    get entry() {
      return now;
    },
    get created() {
      return readTableName(now.table)?.created ?? 0;
    },
    read: (work) => untilStopped(translated(() => work(opened))),
    pin: () => translated(() => openTable(pinned, now.table)),
    refresh: () => translated(() => opened.checkoutLatest()),
    write: (work) => {
      const writing = last.then(() => translateErrors(url, () => retryConflicts(() => attempt(async () => work(...(await toWrite()))))));
      const turn = writing.finally(() => opened.checkoutLatest().catch(() => {})); // this process reads its own writes at once
      last = turn.catch(() => {});
      return turn;
    },
  };
}
