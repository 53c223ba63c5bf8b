import { call, toOperator } from '../../../core/advice/advice.ts';
import { mkdir, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { dirname } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { KbError } from '../../../core/errors.ts';
import { waitFor } from '../../../core/run.ts';
import { folderOf, type StorePlace } from './lancedb-settings.ts';
import { objectStorageError } from './object-storage-error.ts';

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
  const remote = folderOf(url) === undefined ? objectStorageError(message, { url, cause: error }) : undefined;
  if (remote) return remote;
  if (/no space left|ENOSPC|os error 28|EDQUOT|os error 122/i.test(message)) {
    return new KbError('unavailable', `The disk that holds the store ${url} is full.`, {
      hint: toOperator`Free some space and run it again: what was stored before is kept.`,
      cause: error,
      isRetryable: true,
    });
  }
  if (/permission denied|access is denied|EACCES|EPERM|EROFS|read-only file system|os error (?:13|30)\b/i.test(message)) {
    return new KbError('configuration', `The store ${url} can't be used: permission denied.`, {
      hint: toOperator`Set storage.url to a folder that you may read and write.`,
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
  const reason = message
    .split(/(?:^|, ?| )\/[^ ,]*\.rs:|\n/)[0]!
    .replace(/^Failed to get next batch from stream: |\blance error: /g, '')
    .slice(0, 300);
  return new KbError('internal', `The store ${url} failed: ${reason.replace(/\.?$/, '.')}`, {
    hint: toOperator`It may be damaged: ${call('doctor')} says where, and how to mend it.`,
    cause: error,
  });
}

const notAFolder = (url: string, cause?: unknown): KbError =>
  new KbError('configuration', `The store ${url} is not a folder.`, {
    hint: toOperator`Set storage.url to a folder; it is made when it is first written.`,
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
    hint: toOperator`Set storage.url to a folder that you may write to.`,
    cause: error,
  });
}

/** A connection whose tables show what others write (after `readInterval`), and one whose tables stay at the version that was last checked out. */
export interface LanceConnections {
  connection: Connection;
  pinned: Connection;
}

/** Closes both. LanceDB refuses that while a request is under way that nobody waits for any more: such a connection ends with the process. */
export function closeBoth({ connection, pinned }: LanceConnections): void {
  for (const one of [connection, pinned]) {
    try {
      one.close();
    } catch {}
  }
}

/** Opens the database. Without `create`, undefined where there is none yet; with it, its folder is made. */
export async function connectTo(
  { url, storageOptions, cache, readInterval }: StorePlace,
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
  const session = new Session(BigInt(cache.index), BigInt(cache.metadata));
  const options = { session, storageOptions, ...(folder === undefined ? { namespaceClientProperties: PLAIN } : {}) };
  const connection = await inTime(connect(folder ?? url, { readConsistencyInterval: readInterval, ...options }));
  if (folder === undefined) await inTime(connection.tableNames()); // what keeps a bucket from being used is told now
  return { connection, pinned: await inTime(connect(folder ?? url, options)) };
}

/** LanceDB would look for a list of its own, which kb's stores do not have: six times in three seconds where the key is refused. */
const PLAIN = { manifest_enabled: 'false' };

/** Milliseconds in which a store answers for the first time: LanceDB would ask a frozen server again and again, for ten minutes. */
const ANSWERS_WITHIN = 30_000;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    wait(ANSWERS_WITHIN, undefined, { ref: false }).then(() => {
      throw new Error('operation timed out');
    }),
  ]);

const TRIES = 8;

/** Tries again where LanceDB says that another writer's step came first. Throws a KbError (`aborted`) on the signal. */
export async function retryConflicts<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= TRIES || !/commit conflict|conflict(?:(?!conflict).)*retry|concurrent/i.test(String(error))) throw error;
      await waitFor(20 * 2 ** tries * (0.5 + Math.random()), signal);
    }
  }
}

/**
 * Makes every write to the table fail to commit that was begun before: LanceDB lets none come through behind a restored version, the present one in this
 * case.
 */
export const fenceTable = (table: Table): Promise<void> =>
  retryConflicts(async () => {
    await table.checkoutLatest();
    await table.checkout(await table.version());
    await table.restore();
  });
