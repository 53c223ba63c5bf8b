import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasCode, KbError } from '../core/errors.ts';
import { hash } from '../core/ids.ts';
import { serverAddress } from '../http/server-address.ts';
import { drivers, type StoreDriver } from '../drivers/registry.ts';
import type { CopyRequest } from '../schema/collection-operations.ts';
import type { Config } from '../schema/config.ts';
import { realPath } from '../stages/extract/files/local-path.ts';

type Storage = Pick<Config['storage'], 'url' | 'vector_db'>;

/** Whether it is a URL and not a path. A single letter before the colon is a Windows drive. */
export const isAddress = (url: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(url);

const findDriver = (vector_db: string): StoreDriver | undefined => {
  const rows: Record<string, StoreDriver> = drivers.stores;
  return Object.hasOwn(rows, vector_db) ? rows[vector_db] : undefined;
};

/** Whether stores of this kind are local folders by default. */
export const isFolderStore = (vector_db: string): boolean => findDriver(vector_db)?.lies_in === 'folder';

const hasFolder = ({ vector_db }: Storage, url: string): boolean => findDriver(vector_db) !== undefined && isAbsolute(url);

/** Returns the local folder for files that accompany a store: its own folder, or `.kb` for a remote store. */
export function storeFolder(storage: Storage, home: string): string {
  const url = storeUrl(storage, home);
  return hasFolder(storage, url) ? url : resolve(home, '.kb');
}

/** Returns a named folder beside the tables of a store. Each remote store gets its own. */
export function folderBeside(storage: Storage, { home, name }: { home: string; name: string }): string {
  const url = storeUrl(storage, home);
  return join(storeFolder(storage, home), name, ...(hasFolder(storage, url) ? [] : [hash(storage.vector_db, url).slice(0, 16)]));
}

/**
 * Returns the canonical address of a store, so that each is opened and locked once. Paths are relative to `home`, with links resolved. Throws a KbError
 * (`usage`) for an address that is neither a folder nor object storage, where the driver needs one: a folder of that name would be created.
 */
export function storeUrl({ url, vector_db }: Storage, home: string): string {
  const row = findDriver(vector_db);
  if (!row) return url ?? ''; // only the caller's own driver knows what the URL means
  const address = url ?? row.url;
  if (row.lies_in === 'server') return serverAddress(address, { port: Number(new URL(row.url).port) });
  if (OBJECT_STORAGE.test(address)) return address.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()).replace(/(?<=[^:/])\/+$/, '');
  return realPath(resolve(home, toLocalPath(address)));
}

/** Addresses of object storage, and of a store that is kept in memory. */
const OBJECT_STORAGE = /^(?:s3|gs|az|memory):\/\//i;

/** A path on a drive of Windows. */
const DRIVE = /^[a-z]:[/\\]/i;

/** Returns the path of a store in a folder. */
function toLocalPath(address: string): string {
  const problem = findPathProblem(address);
  if (problem !== undefined)
    throw new KbError('usage', `The address of the store, ${JSON.stringify(shorten(address))}, ${problem.reason}.`, { hint: problem.hint });
  return /^file:/i.test(address) ? fileURLToPath(address) : address;
}

/** Maximum characters of an address in a message. */
const MAX_QUOTED = 100;
const shorten = (address: string): string => (address.length > MAX_QUOTED ? `${address.slice(0, MAX_QUOTED)}…` : address);

const FORMS = 'Write a folder, or an address such as s3://BUCKET/PATH, gs://BUCKET/PATH or az://CONTAINER/PATH.';

/** Says why an address is not a folder; undefined if it is one. */
function findPathProblem(address: string): { reason: string; hint: string } | undefined {
  const [scheme] = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(address) ?? [];
  // oxlint-disable-next-line no-control-regex -- these are what has to be found
  if (/^\s*$|[\u0000-\u001f]/.test(address)) return { reason: 'is blank or has control characters', hint: FORMS };
  if (address.startsWith('~')) return { reason: 'begins with "~", which kb does not replace', hint: 'Write the whole path of the folder.' };
  if (process.platform !== 'win32' && (address.includes('\\') || DRIVE.test(address)))
    return { reason: 'is a path of Windows', hint: 'Write a path with "/".' };
  if (scheme === undefined || (process.platform === 'win32' && DRIVE.test(address))) return undefined;
  if (/^file:\/\//i.test(address)) return isFileUrl(address) ? undefined : { reason: 'is not a file on this machine', hint: FORMS };
  return {
    reason: `begins with "${scheme}:", which is not an address that this database knows`,
    hint: `${FORMS} A folder whose name has a colon is written with "./" before it.`,
  };
}

function isFileUrl(address: string): boolean {
  try {
    return fileURLToPath(address) !== '/'; // "file://" has no path
  } catch {
    return false;
  }
}

/** Whether both are the same store, even if their addresses are spelled differently. */
export const isSameStore = (one: Storage, other: Storage, home: string): boolean =>
  one.vector_db === other.vector_db && storeUrl(one, home) === storeUrl(other, home);

/** Returns the store of a copy: that of the collection unless the request names another. URL and options apply only to the same kind of database. */
export function targetStorage(
  { to_vector_db, to_url, to_options }: Pick<CopyRequest, 'to_vector_db' | 'to_url' | 'to_options'>,
  storage: Config['storage'],
): Config['storage'] {
  const vector_db = to_vector_db ?? storage.vector_db;
  const { url, options } = vector_db === storage.vector_db ? storage : {};
  return { ...storage, vector_db, url: to_url ?? url, options: to_options ?? options };
}

/** Whether the operator configured the store or listed its address for requests. */
export function isOperatorsStore(storage: Storage, { config, home }: { config: Config; home: string }): boolean {
  const { vector_db } = storage;
  const url = storeUrl(storage, home);
  const configured = vector_db === config.storage.vector_db && storeUrl(config.storage, home) === url;
  return configured || config.server.allowed_store_urls.some((listed) => isListed(listed, { vector_db, url, home }));
}

/** Whether a listed address is that of the store. An address of another kind of database is not. */
function isListed(listed: string, { vector_db, url, home }: { vector_db: Storage['vector_db']; url: string; home: string }): boolean {
  try {
    return storeUrl({ vector_db, url: listed }, home) === url;
  } catch (error) {
    if (hasCode(error, 'usage')) return false;
    throw error;
  }
}
