import type { StoredChunk } from '../../../ports/stores.ts';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import type { Entry } from './lancedb-catalog.ts';
import { isTableGone, persistent, storeError } from './lancedb-connection.ts';

/** Bytes of decoded chunks that a store keeps, of all its collections together: some 15,000 chunks of 1,000 characters with 384 dimensions. */
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Chunks that searches have read, within a bound of bytes: the one that was not asked for longest goes first. Reading a row takes LanceDB a quarter of a
 * millisecond of processor time, and a hybrid search reads 200 of them; most searches find what others found before. A `snapshot` names a table and its
 * version: what another version holds under an id is another chunk.
 */
export class ChunkCache {
  readonly #chunks = new Map<string, StoredChunk>();
  readonly #most: number;
  #bytes = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  /** Bytes that the chunks take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  get(snapshot: string, id: string): StoredChunk | undefined {
    const key = keyOf(snapshot, id);
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#chunks.set(key, chunk); // a Map keeps its entries in the order in which they were set
    return chunk;
  }

  add(snapshot: string, chunk: StoredChunk): void {
    const key = keyOf(snapshot, chunk.id);
    this.#remove(key);
    this.#chunks.set(key, chunk);
    this.#bytes += bytesOf(chunk);
    for (const oldest of this.#chunks.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const chunk = this.#chunks.get(key);
    if (chunk && this.#chunks.delete(key)) this.#bytes -= bytesOf(chunk);
  }
}

const keyOf = (snapshot: string, id: string): string => `${snapshot} ${id}`;

/** Texts at two bytes a character, and as much again as small objects take. */
function bytesOf({ text, embed_text = '', metadata, vector }: StoredChunk): number {
  return 2 * (text.length + embed_text.length + JSON.stringify(metadata).length) + (vector?.byteLength ?? 0) + 500;
}

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
  /** Runs a write, one at a time, and again where another process came between. */
  write<T>(work: (table: Table) => Promise<T>): Promise<T>;
}

/** Throws where the lock of the collection was taken and another has it by now. */
export type MayWrite = (name: string) => Promise<void>;

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

/** When a table was made, by its name, in milliseconds; undefined for a table that is not of ours. */
export function createdAt(table: string): number | undefined {
  const time = /^kb\..+\.([0-9a-z]+)-[0-9a-z]{6}$/.exec(table)?.[1];
  return time === undefined ? undefined : Number.parseInt(time, 36);
}

const translatedFor =
  (url: string) =>
  <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw storeError(error, url);
    });

/** Opens the table of the collection. */
export async function holdTable(entry: Entry, { url, connection, pinned, mayWrite, chunks, current }: HolderOptions): Promise<TableHolder> {
  let now = entry;
  let opened = await connection.openTable(entry.table);
  let writable: Table | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const reopen = async (cause: unknown): Promise<void> => {
    const found = await current(entry.name);
    if (!found) throw new KbError('not_found', `The collection «${entry.name}» was removed meanwhile.`, { cause });
    opened = await connection.openTable(found.table);
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
  const toWrite = async (): Promise<Table> => {
    writable ??= await pinned.openTable(now.table);
    await writable.checkoutLatest();
    await mayWrite(now.name);
    return writable;
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
    read: (work) => translated(() => attempt(() => work(opened))),
    pin: () => translated(() => attempt(() => pinned.openTable(now.table))),
    write: (work) => {
      const turn = last.then(() => translated(() => persistent(() => attempt(async () => work(await toWrite())))));
      last = turn.catch(() => {});
      return turn;
    },
  };
}
