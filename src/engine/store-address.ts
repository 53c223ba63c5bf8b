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

const rowOf = (vector_db: string): StoreDriver | undefined => {
  const rows: Record<string, StoreDriver> = drivers.stores;
  return Object.hasOwn(rows, vector_db) ? rows[vector_db] : undefined;
};

/** Whether stores of this kind are local folders by default. */
export const liesInFolder = (vector_db: string): boolean => rowOf(vector_db)?.lies_in === 'folder';

const hasFolder = ({ vector_db }: Storage, url: string): boolean => rowOf(vector_db) !== undefined && isAbsolute(url);

/** The local folder for files that accompany a store: the store's own folder, or `.kb` if the store is elsewhere. */
export function storeFolder(storage: Storage, home: string): string {
  const url = storeUrl(storage, home);
  return hasFolder(storage, url) ? url : resolve(home, '.kb');
}

/** A named folder beside the tables of a store. Stores that are elsewhere get one each. */
export function folderBeside(storage: Storage, { home, name }: { home: string; name: string }): string {
  const url = storeUrl(storage, home);
  return join(storeFolder(storage, home), name, ...(hasFolder(storage, url) ? [] : [hash(storage.vector_db, url).slice(0, 16)]));
}

/** The canonical address of a store, so that each is opened and locked once. Paths are relative to `home`, with links resolved. */
export function storeUrl({ url, vector_db }: Storage, home: string): string {
  const row = rowOf(vector_db);
  if (!row) return url ?? ''; // one's own: what it means is its driver's affair
  const given = url ?? row.url;
  if (row.lies_in === 'server') return serverAddress(given, { port: Number(new URL(row.url).port) });
  const path = pathIn(given);
  if (path === undefined) return given.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()).replace(/(?<=[^:/])\/+$/, '');
  return realPath(resolve(home, path));
}

function pathIn(given: string): string | undefined {
  if (isAbsolute(given) || !/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return given;
  try {
    return fileURLToPath(given);
  } catch {
    return undefined;
  }
}

/** Whether both are the same store, however their addresses are spelled. */
export const isSameStore = (one: Storage, other: Storage, home: string): boolean =>
  one.vector_db === other.vector_db && storeUrl(one, home) === storeUrl(other, home);

/** Where a copy goes: to the store of the collection, if the request names no other. An address and options hold for one kind of database. */
export function targetStorage(
  { to_vector_db, to_url, to_options }: Pick<CopyRequest, 'to_vector_db' | 'to_url' | 'to_options'>,
  storage: Config['storage'],
): Config['storage'] {
  const vector_db = to_vector_db ?? storage.vector_db;
  const { url, options } = vector_db === storage.vector_db ? storage : {};
  return { ...storage, vector_db, url: to_url ?? url, options: to_options ?? options };
}

/** Whether the operator configured the store or listed its address for requests. */
export function isOperators(asked: Storage, { config, home }: { config: Config; home: string }): boolean {
  const { vector_db } = asked;
  const url = storeUrl(asked, home);
  const own = vector_db === config.storage.vector_db ? [config.storage.url] : [];
  return [...own, ...config.server.allowed_store_urls].some((known) => storeUrl({ vector_db, url: known }, home) === url);
}
