import { fileURLToPath } from 'node:url';
import { KbError } from '../../../core/errors.ts';
import { operatorAdvice } from '../../../core/advice/advice.ts';
import { mkdir, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { dirname } from 'node:path';
import type { Connection, Table } from '@lancedb/lancedb';
import { waitFor } from '../../../core/run.ts';

/** Address of a store, options to reach it if it is no folder, and sizes of its caches. */
export interface StorePlace {
  url: string;
  /** LanceDB's storage options: `region`, `endpoint` … */
  storageOptions: Record<string, string>;
  /** Bytes of indexes and of metadata kept in memory; LanceDB's own default is 6 GB and 1 GB. */
  cache: { index: number; metadata: number };
  /** Seconds after which a read checks for writes of others; 0: each read does. */
  readInterval: number;
}

/** Returns the folder of a store on this machine; undefined for an address (s3://, gs://, az://, memory://). */
export function folderOf(url: string): string | undefined {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? undefined : url;
}

/** Options of kb itself: all others are LanceDB's. */
const OWN = {
  index_cache_mb: { default: 256, least: 1 },
  metadata_cache_mb: { default: 64, least: 1 },
  read_interval: { default: 0, least: 0 },
} as const;

/** Each check is a request to the object storage: with half a second, readers see writes within a second. */
const REMOTE_READ_INTERVAL = 0.5;

/** Reads `storage.options` for the store at the address. Throws a KbError (`configuration`) for an invalid option. */
export function readStorePlace(url: string, options: Record<string, unknown> = {}): StorePlace {
  const own = (name: keyof typeof OWN, otherwise: number = OWN[name].default): number => {
    const value = Number(options[name] ?? otherwise);
    if (Number.isFinite(value) && value >= OWN[name].least) return value;
    throw new KbError('configuration', `storage.options.${name} must be a number of at least ${OWN[name].least}.`);
  };
  const isRemote = folderOf(url) === undefined;
  return {
    url,
    storageOptions: isRemote ? storageOptionsOf(options) : {},
    cache: { index: own('index_cache_mb') * 2 ** 20, metadata: own('metadata_cache_mb') * 2 ** 20 },
    readInterval: own('read_interval', isRemote ? REMOTE_READ_INTERVAL : undefined),
  };
}

/** Returns the address of a server other than Amazon's, from options or environment. */
export const endpointOf = (given: Record<string, string>): string | undefined =>
  given['endpoint'] ?? given['aws_endpoint'] ?? process.env['AWS_ENDPOINT_URL'] ?? process.env['AWS_ENDPOINT'];

/** Converts the options to texts, which LanceDB takes. An endpoint with http:// is to be reached without TLS. */
function storageOptionsOf(options: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(options)
    .filter(([name]) => !Object.hasOwn(OWN, name))
    .map(([name, value]): [string, string] => {
      if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)];
      throw new KbError('configuration', `storage.options.${name} is no text, number, true or false.`, {
        hint: 'LanceDB knows region, endpoint, allow_http and the like.',
      });
    });
  const given = Object.fromEntries(pairs);
  return endpointOf(given)?.startsWith('http://') ? { allow_http: 'true', ...given } : given;
}

/** Imports LanceDB, which prints nothing but errors to standard error. */
export async function lanceDb(): Promise<typeof import('./lancedb-library.ts')> {
  process.env['LANCEDB_LOG'] ??= 'error';
  return await import('./lancedb-library.ts');
}

/** Makes the error of an address that is no folder. */
export const notAFolder = (url: string, cause?: unknown): KbError =>
  new KbError('configuration', `The store ${url} is not a folder.`, {
    hint: operatorAdvice`Set storage.url to a folder; it is made when it is first written.`,
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
    hint: operatorAdvice`Set storage.url to a folder that you may write to.`,
    cause: error,
  });
}

/** A connection whose tables show writes of others (after `readInterval`), and one whose tables stay at the version that was last checked out. */
export interface LanceConnections {
  connection: Connection;
  pinned: Connection;
}

/** Closes both. LanceDB refuses that during a request that nobody waits for any more: such a connection ends with the process. */
export function closeBoth({ connection, pinned }: LanceConnections): void {
  for (const one of [connection, pinned]) {
    try {
      one.close();
    } catch {}
  }
}

/** Opens the database. Without `create`, undefined if there is none; with it, its folder is made. */
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
  if (folder === undefined) await inTime(connection.tableNames()); // an error of the bucket is reported now
  return { connection, pinned: await inTime(connect(folder ?? url, options)) };
}

/** Otherwise LanceDB looks for a manifest, which stores of kb do not have: six times in three seconds if the key is refused. */
const PLAIN = { manifest_enabled: 'false' };

/** Milliseconds for the first response of a store: LanceDB would repeat requests to a frozen server for ten minutes. */
const ANSWERS_WITHIN = 30_000;

const inTime = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    wait(ANSWERS_WITHIN, undefined, { ref: false }).then(() => {
      throw new Error('operation timed out');
    }),
  ]);

const TRIES = 8;

/** Repeats work that conflicted with another writer. Throws a KbError (`aborted`) on the signal. */
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

/** Makes writes to the table fail that were begun before: LanceDB commits none behind a restored version, which is the present one here. */
export const fenceTable = (table: Table): Promise<void> =>
  retryConflicts(async () => {
    await table.checkoutLatest();
    await table.checkout(await table.version());
    await table.restore();
  });
