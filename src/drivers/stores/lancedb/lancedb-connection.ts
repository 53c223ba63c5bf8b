import { mkdir, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connection } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';

/** Bytes of index and of metadata kept in memory; LanceDB's own default is 6 GB and 1 GB. */
const INDEX_CACHE = 256n << 20n;
const METADATA_CACHE = 64n << 20n;

/** Where a store is, and how it is reached where that is no folder. */
export interface StorePlace {
  url: string;
  /** LanceDB's storage options: `region`, `endpoint` … */
  storageOptions: Record<string, string>;
}

/** The options of a store as LanceDB takes them: texts. Throws a KbError (`configuration`) for what is none. */
export function storageOptionsOf(options: Record<string, unknown> = {}): Record<string, string> {
  const pairs = Object.entries(options).map(([name, value]): [string, string] => {
    if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)];
    throw new KbError('configuration', `storage.options.${name} is no text, number, true or false.`, {
      hint: 'LanceDB knows region, endpoint, allow_http and the like.',
    });
  });
  return Object.fromEntries(pairs);
}

/** The folder of a store on this machine; undefined for one that is reached by an address (s3://, gs://, az://, memory://). */
export function folderOf(url: string): string | undefined {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? undefined : url;
}

/** LanceDB, imported when it is needed; silent on standard error but for its errors. */
export async function lanceDb(): Promise<typeof import('./lancedb-library.ts')> {
  process.env['LANCEDB_LOG'] ??= 'error';
  return await import('./lancedb-library.ts');
}

/** Whether LanceDB says that a table or its files are not there. */
export const isTableGone = (error: unknown): boolean =>
  !(error instanceof KbError) && /not found|no such file|os error 2\b/i.test(String(error));

/** What went wrong in LanceDB or in its folder, as a sentence for people. */
export function storeError(error: unknown, url: string): KbError {
  if (error instanceof KbError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (/no space left|ENOSPC|os error 28|EDQUOT|os error 122/i.test(message)) {
    return new KbError('unavailable', `The disk that holds the store ${url} is full.`, {
      hint: 'Free some space and run it again: what was stored before is kept.',
      cause: error,
      isRetryable: true,
    });
  }
  if (/permission denied|access is denied|EACCES|EPERM|EROFS|read-only file system|os error (?:13|30)\b/i.test(message)) {
    return new KbError('configuration', `The store ${url} can't be written: permission denied.`, {
      hint: 'Set storage.url to a folder that you may write to.',
      cause: error,
    });
  }
  if (/ENOTDIR|EEXIST|not a directory|os error 20\b/i.test(message)) return notAFolder(url, error);
  if (/regexp_like|regex_match/.test(message)) {
    return new KbError('usage', 'The filter is too large: it has too many values, or a bound that is too long.', {
      hint: 'Give fewer values (some thousands are possible) or a shorter bound.',
      cause: error,
    });
  }
  const reason = message.split(/(?:^|, ?| )\/[^ ,]*\.rs:|\n/)[0]!.slice(0, 300);
  return new KbError('internal', `The store ${url} failed: ${reason}`, { cause: error });
}

const notAFolder = (url: string, cause?: unknown): KbError =>
  new KbError('configuration', `The store ${url} is not a folder.`, {
    hint: 'Set storage.url to a folder; it is made when it is first written.',
    cause,
  });

/** Makes a folder and those above it. Node's own recursive `mkdir` never ends where the folder above refuses with «no such file», as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (!(made instanceof Error) || made.code === 'EEXIST') return;
  if (made.code !== 'ENOENT' || dirname(folder) === folder || (await isFolder(dirname(folder)))) throw unwritable(folder, made);
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

const isFolder = async (path: string): Promise<boolean> =>
  await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function unwritable(folder: string, error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  return new KbError('configuration', `The store can't be made: no folder can be made at ${folder}.`, {
    hint: 'Set storage.url to a folder that you may write to.',
    cause: error,
  });
}

/** A connection whose tables show what others write, and one whose tables stay at the version that was last checked out. */
export interface LanceConnections {
  connection: Connection;
  pinned: Connection;
}

/** Opens the database. Without `create`, undefined where there is none yet; with it, its folder is made. */
export async function connectTo(
  { url, storageOptions }: StorePlace,
  { create }: { create: boolean },
): Promise<LanceConnections | undefined> {
  const folder = folderOf(url);
  if (folder !== undefined) {
    if (create) await makeFolder(folder);
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return undefined;
    if (!found.isDirectory()) throw notAFolder(url);
  }
  const { connect, Session } = await lanceDb();
  const session = new Session(INDEX_CACHE, METADATA_CACHE);
  const options = { session, ...(folder === undefined ? { storageOptions } : {}) };
  const connection = await connect(folder ?? url, { readConsistencyInterval: 0, ...options });
  return { connection, pinned: await connect(folder ?? url, options) };
}

const TRIES = 8;

/** Tries again where LanceDB says that another writer's step came first. */
export async function persistent<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !/commit conflict|conflict(?:(?!conflict).)*retry|concurrent/i.test(String(error))) throw error;
      await wait(20 * 2 ** tries * (0.5 + Math.random()));
    }
  }
}
