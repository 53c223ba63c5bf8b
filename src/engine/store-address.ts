import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
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

/** Returns the canonical address of a store, so that each is opened and locked once. Paths are relative to `home`, with links resolved. */
export function storeUrl({ url, vector_db }: Storage, home: string): string {
  const row = findDriver(vector_db);
  if (!row) return url ?? ''; // only the caller's own driver knows what the URL means
  const given = url ?? row.url;
  if (row.lies_in === 'server') return serverAddress(given, { port: Number(new URL(row.url).port) });
  const path = toLocalPath(given);
  if (path === undefined) return given.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()).replace(/(?<=[^:/])\/+$/, '');
  return realPath(resolve(home, path));
}

function toLocalPath(given: string): string | undefined {
  if (isAbsolute(given) || !/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return given;
  try {
    return fileURLToPath(given);
  } catch {
    return undefined;
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
  const own = vector_db === config.storage.vector_db ? [config.storage.url] : [];
  return [...own, ...config.server.allowed_store_urls].some((known) => storeUrl({ vector_db, url: known }, home) === url);
}
