import type { ChunkCache } from '../chunk-cache.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { untilStopped } from '../../../core/run.ts';
import type { Entry } from './lancedb-catalog.ts';
import { isTableGone, retryConflicts, storeError } from './lancedb-connection.ts';
import { openTable } from './branches.ts';

/** Holds the table of a collection open, whatever other processes do to it. */
export interface TableHolder {
  readonly url: string;
  /** What the catalog says; it changes where another table takes the place of this one. */
  readonly entry: Entry;
  /** When the table was made, in milliseconds. */
  readonly created: number;
  /** What searches have read, of all collections of the store. */
  readonly chunks: ChunkCache;
  /** Runs a query; once more on the table that has taken its place, where the table or its files are gone. */
  read<T>(work: (table: Table) => Promise<T>): Promise<T>;
  /** Opens the table once more, at its present version, where it stays; close it. */
  pin(): Promise<Table>;
  /** Has what is read next be what all have written until now, also where reads look for that only now and then. */
  refresh(): Promise<void>;
  /** Runs a write, one at a time, and again where another process came between; `isAlone`: the lock is held, so that none can. */
  write<T>(work: (table: Table, isAlone: boolean) => Promise<T>): Promise<T>;
}

/** Throws where the lock of the collection was taken and another has it by now; whether it is held, so that nobody else writes. */
export type MayWrite = (name: string) => Promise<boolean>;

interface HolderOptions {
  url: string;
  connection: Connection;
  /** Where tables stay at the version that was last checked out. */
  pinned: Connection;
  mayWrite: MayWrite;
  chunks: ChunkCache;
  /** The collection as the catalog has it now. */
  current: (name: string) => Promise<Entry | undefined>;
}

/** The name of a new table of a collection; it tells whose it is and when it was made. */
export const tableName = (name: string): string =>
  `kb.${name}.${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}`;

/** Whose table it is and when it was made (milliseconds), by its name; undefined for a table that is not of ours. */
export function readTableName(table: string): { name: string; created: number } | undefined {
  const [, name, time] = /^kb\.(.+)\.([0-9a-z]+)-[0-9a-z]{6}$/.exec(table) ?? [];
  return time === undefined ? undefined : { name: name!, created: Number.parseInt(time, 36) };
}

/** Milliseconds after which a table or a copy that nobody writes to is no work in progress any more. */
export const ORPHANED_AFTER = 3_600_000;

export const createdAt = (table: string): number | undefined => readTableName(table)?.created;

const translatedFor =
  (url: string) =>
  <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw storeError(error, url);
    });

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
  /** The table at its present version, from before it is known that the lock is held: who takes the lock over then makes a later one, behind which nothing commits. */
  const toWrite = async (): Promise<[Table, boolean]> => {
    writable ??= await openTable(pinned, now.table);
    await writable.checkoutLatest();
    return [writable, await mayWrite(now.name)];
  };
  const translated = translatedFor(url);
  return {
    url,
    chunks,
    get entry() {
      return now;
    },
    get created() {
      return createdAt(now.table) ?? 0;
    },
    read: (work) => untilStopped(translated(() => attempt(() => work(opened)))),
    pin: () => translated(() => attempt(() => openTable(pinned, now.table))),
    refresh: () => translated(() => attempt(() => opened.checkoutLatest())),
    write: (work) => {
      const writing = last.then(() => translated(() => retryConflicts(() => attempt(async () => work(...(await toWrite()))))));
      const turn = writing.finally(() => opened.checkoutLatest().catch(() => {})); // what was written here is read here at once
      last = turn.catch(() => {});
      return turn;
    },
  };
}
