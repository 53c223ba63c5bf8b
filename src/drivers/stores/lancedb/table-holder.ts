import type { ChunkCache } from '../chunk-cache.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { untilStopped } from '../../../core/run.ts';
import type { CatalogEntry } from './lancedb-catalog.ts';
import { retryConflicts } from './lancedb-connection.ts';
import { isTableGone, translateErrors } from './lancedb-errors.ts';
import { openTable, parseTableName } from './lancedb-tables.ts';

/** Holds the table of a collection open, and follows its replacement by other processes. */
export interface TableHolder {
  readonly url: string;
  /** Entry of the catalog; it changes if another table replaces this one. */
  readonly entry: CatalogEntry;
  /** When the table was made, in milliseconds. */
  readonly created: number;
  /** Cache of the chunks that searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  /** Runs a query. If the table or its files are gone, runs it again on the table that has replaced it. */
  read<T>(work: (table: Table) => Promise<T>): Promise<T>;
  /** Opens the table again, pinned to its current version; the caller closes it. */
  pin(): Promise<Table>;
  /** Makes the next reads see all writes so far, even if reads check for writes only at intervals. */
  refresh(): Promise<void>;
  /** Runs writes one at a time, and retries those that conflict with another process. `isExclusive`: the lock is held, so that no process can interfere. */
  write<T>(work: (table: Table, isExclusive: boolean) => Promise<T>): Promise<T>;
}

/** Returns whether this process holds the lock of the collection, so that no other writes. Throws if another process has taken it over. */
export type MayWrite = (name: string) => Promise<boolean>;

interface HolderOptions {
  url: string;
  connection: Connection;
  /** Connection whose tables stay at the version that was last checked out. */
  pinned: Connection;
  mayWrite: MayWrite;
  chunks: ChunkCache;
  /** Reads the current entry of the catalog. */
  findEntry: (name: string) => Promise<CatalogEntry | undefined>;
}

/** Opens the table of the collection. */
export async function holdTable(entry: CatalogEntry, options: HolderOptions): Promise<TableHolder> {
  const { url, connection, pinned, mayWrite, chunks, findEntry } = options;
  let currentEntry = entry;
  let tableToRead = await openTable(connection, entry.table);
  let tableToWrite: Table | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const reopen = async (cause: unknown): Promise<void> => {
    const newEntry = await findEntry(entry.name);
    if (!newEntry) throw new KbError('not_found', `The collection "${entry.name}" was removed meanwhile.`, { cause });
    tableToRead = await openTable(connection, newEntry.table);
    tableToWrite = undefined;
    currentEntry = newEntry;
  };
  const reopenIfGone = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isTableGone(error)) throw error;
      await reopen(error);
      return await work();
    }
  };
  /** Checks the lock after the version is checked out: a process that takes the lock over creates a later version, so that the commit fails. */
  const writeOnce = async <T>(work: (table: Table, isExclusive: boolean) => Promise<T>): Promise<T> => {
    tableToWrite ??= await openTable(pinned, currentEntry.table);
    await tableToWrite.checkoutLatest();
    return await work(tableToWrite, await mayWrite(currentEntry.name));
  };
  const translate = <T>(work: () => Promise<T>): Promise<T> => translateErrors(url, () => reopenIfGone(work));
  return {
    url,
    chunks,
    get entry() {
      return currentEntry;
    },
    get created() {
      return parseTableName(currentEntry.table)?.created ?? 0;
    },
    read: (work) => untilStopped(translate(() => work(tableToRead))),
    pin: () => translate(() => openTable(pinned, currentEntry.table)),
    refresh: () => translate(() => tableToRead.checkoutLatest()),
    write: (work) => {
      const writing = last.then(() => translateErrors(url, () => retryConflicts(() => reopenIfGone(() => writeOnce(work)))));
      const turn = writing.finally(() => tableToRead.checkoutLatest().catch(() => {})); // this process reads its own writes at once
      last = turn.catch(() => {});
      return turn;
    },
  };
}
