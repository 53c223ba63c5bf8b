import { fileURLToPath } from 'node:url';
import { BUCKET_VARIABLES } from './bucket-variables.ts';
import { createFolder } from '../../../core/create-folder.ts';
import { KbError } from '../../../core/errors.ts';
import { operatorAdvice } from '../../../core/advice/advice.ts';
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection, Table } from '@lancedb/lancedb';
import { waitFor } from '../../../core/run.ts';

/** Address of a store, its connection options if it is a bucket, and sizes of its caches. */
export interface StoreLocation {
  url: string;
  /** LanceDB's storage options: `region`, `endpoint` … */
  storageOptions: Record<string, string>;
  /** Bytes of memory for indexes and for metadata; LanceDB's own defaults are 6 GB and 1 GB. */
  cache: { index: number; metadata: number };
  /** Seconds after which a read checks for writes of others; with 0, each read does. */
  readInterval: number;
}

/** Returns the folder of a store on this machine; undefined for an address (s3://, gs://, az://, memory://). */
export function folderOf(url: string): string | undefined {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? undefined : url;
}

/** Options that kb itself reads: all others are LanceDB's. */
const OWN_OPTIONS = {
  index_cache_mb: { default: 256, least: 1 },
  metadata_cache_mb: { default: 64, least: 1 },
  read_interval: { default: 0, least: 0 },
} as const;

/** Each check is a request to the object storage: with half a second, readers see writes within a second. */
const REMOTE_READ_INTERVAL = 0.5;

/** Reads `storage.options` for the store at the address. Throws a KbError (`configuration`) for an invalid option. */
export function readStoreLocation(
  url: string,
  options: Record<string, unknown> = {},
  environment: NodeJS.ProcessEnv = process.env,
): StoreLocation {
  const readNumber = (name: keyof typeof OWN_OPTIONS, fallback: number = OWN_OPTIONS[name].default): number => {
    const value = Number(options[name] ?? fallback);
    if (Number.isFinite(value) && value >= OWN_OPTIONS[name].least) return value;
    throw new KbError('configuration', `storage.options.${name} must be a number of at least ${OWN_OPTIONS[name].least}.`);
  };
  const isRemote = folderOf(url) === undefined;
  return {
    url,
    storageOptions: isRemote ? toStorageOptions(options, environment) : {},
    cache: { index: readNumber('index_cache_mb') * 2 ** 20, metadata: readNumber('metadata_cache_mb') * 2 ** 20 },
    readInterval: readNumber('read_interval', isRemote ? REMOTE_READ_INTERVAL : undefined),
  };
}

/** Returns the address of a server other than Amazon's, from options or environment. */
export const findEndpoint = (options: Record<string, string>): string | undefined =>
  options['endpoint'] ??
  options['aws_endpoint'] ??
  options['aws_endpoint_url'] ??
  process.env['AWS_ENDPOINT_URL'] ??
  process.env['AWS_ENDPOINT'];

/** The setting that an option or variable is a name of: `region`, `aws_region` and `AWS_REGION` are one. */
const settingOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(?:aws|azure_storage|azure|google)_/, '')
    .replace(/^endpoint_url$/, 'endpoint')
    .replace(/^default_region$/, 'region');

/** Makes options of the variables that this process was not started with, unless an option sets the same. */
function toOptions(environment: NodeJS.ProcessEnv, options: Record<string, string>): Record<string, string> {
  const taken = new Set(Object.keys(options).map(settingOf));
  const variables = BUCKET_VARIABLES.filter((name) => environment[name] && process.env[name] === undefined && !taken.has(settingOf(name)));
  return Object.fromEntries(variables.map((name) => [name.toLowerCase(), environment[name]!]));
}

/** Converts the options to texts, as LanceDB requires. An endpoint with http:// is used without TLS. */
function toStorageOptions(options: Record<string, unknown>, environment: NodeJS.ProcessEnv): Record<string, string> {
  const pairs = Object.entries(options)
    .filter(([name]) => !Object.hasOwn(OWN_OPTIONS, name))
    .map(([name, value]): [string, string] => {
      if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)];
      throw new KbError('configuration', `storage.options.${name} is no text, number, true or false.`, {
        hint: 'LanceDB knows region, endpoint, allow_http and the like.',
      });
    });
  const configured = Object.fromEntries(pairs);
  const all = { ...toOptions(environment, configured), ...configured };
  return findEndpoint(all)?.startsWith('http://') && !('aws_allow_http' in all) ? { allow_http: 'true', ...all } : all;
}

/** Imports LanceDB, and restricts its logging to errors. */
export async function loadLanceDb(): Promise<typeof import('./lancedb-library.ts')> {
  process.env['LANCEDB_LOG'] ??= 'error';
  return await import('./lancedb-library.ts');
}

/** Makes the error for an address that is not a folder. */
export const notAFolderError = (url: string, cause?: unknown): KbError =>
  new KbError('configuration', `The store ${url} is not a folder.`, {
    hint: operatorAdvice`Set storage.url to a folder; it is made when it is first written.`,
    cause,
  });

/** A connection whose tables follow writes of others (after `readInterval`), and one whose tables stay at the version that was last checked out. */
export interface LanceConnections {
  connection: Connection;
  pinned: Connection;
}

/** Closes both connections. LanceDB refuses that during an abandoned request: such a connection ends with the process. */
export function closeBoth({ connection, pinned }: LanceConnections): void {
  for (const one of [connection, pinned]) {
    try {
      one.close();
    } catch {}
  }
}

/** Opens the database. With `create`, its folder is created if missing; without, the result is undefined if there is none. */
export async function connectTo(
  { url, storageOptions, cache, readInterval }: StoreLocation,
  { create }: { create: boolean },
): Promise<LanceConnections | undefined> {
  const folder = folderOf(url);
  if (folder !== undefined) {
    if (create) await createFolder(folder);
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return undefined;
    if (!found.isDirectory()) throw notAFolderError(url);
  }
  const { connect, Session } = await loadLanceDb();
  const session = new Session(BigInt(cache.index), BigInt(cache.metadata));
  const options = { session, storageOptions, ...(folder === undefined ? { namespaceClientProperties: NO_MANIFEST } : {}) };
  const connection = await withTimeout(connect(folder ?? url, { readConsistencyInterval: readInterval, ...options }));
  if (folder === undefined) await withTimeout(connection.tableNames()); // so that errors of the bucket are reported now
  return { connection, pinned: await withTimeout(connect(folder ?? url, options)) };
}

/** Keeps LanceDB from looking for a manifest, which stores of kb do not have: if the key is refused, it would try six times in three seconds. */
const NO_MANIFEST = { manifest_enabled: 'false' };

/** Milliseconds to wait for the first response of a store: LanceDB would retry requests to a frozen server for ten minutes. */
const RESPONSE_TIMEOUT = 30_000;

const withTimeout = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    wait(RESPONSE_TIMEOUT, undefined, { ref: false }).then(() => {
      throw new Error('operation timed out');
    }),
  ]);

const MAX_ATTEMPTS = 8;

/** Repeats work that conflicted with another writer. Throws a KbError (`aborted`) on the signal. */
export async function retryConflicts<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await work();
    } catch (error) {
      if (attempts >= MAX_ATTEMPTS || !/commit conflict|conflict(?:(?!conflict).)*retry|concurrent/i.test(String(error))) throw error;
      await waitFor(20 * 2 ** attempts * (0.5 + Math.random()), signal);
    }
  }
}

/** Makes writes fail that were begun before: LanceDB does not commit them after a restore. It restores the current version, so no data changes. */
export const fenceTable = (table: Table): Promise<void> =>
  retryConflicts(async () => {
    await table.checkoutLatest();
    await table.checkout(await table.version());
    await table.restore();
  });
