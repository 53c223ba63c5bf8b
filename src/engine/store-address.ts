import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hash } from '../core/ids.ts';
import { serverAddress } from '../http/server-address.ts';
import { drivers } from '../drivers/registry.ts';
import type { Config } from '../schema/config.ts';
import { realPath } from '../stages/extract/files/local-path.ts';

type Storage = Pick<Config['storage'], 'url' | 'vector_db'>;

/** What is an address, and no path: with more than one letter before the colon, which could name a disk. */
export const isAddress = (url: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(url);

const hasAddressOf = (vector_db: string): vector_db is keyof typeof drivers.stores => Object.hasOwn(drivers.stores, vector_db);

const hasFolder = (storage: Storage, url: string): boolean => hasAddressOf(storage.vector_db) && isAbsolute(url);

/** The folder of this machine where what belongs to a store and not into it may lie: the store's own, or `.kb` where it is elsewhere. */
export function storeFolder(storage: Storage, home: string): string {
  const url = storeUrl(storage, home);
  return hasFolder(storage, url) ? url : resolve(home, '.kb');
}

/** A folder of that name beside the tables of a store; each store that is elsewhere has one of its own. */
export function folderBeside(storage: Storage, { home, name }: { home: string; name: string }): string {
  const url = storeUrl(storage, home);
  return join(storeFolder(storage, home), name, ...(hasFolder(storage, url) ? [] : [hash(storage.vector_db, url).slice(0, 16)]));
}

/** The address of a store: the same however it is spelled, so that one store is opened and locked once. A path is relative to `home`, and its links are resolved as far as it exists. */
export function storeUrl({ url, vector_db }: Storage, home: string): string {
  if (!hasAddressOf(vector_db)) return url ?? ''; // one's own: what it means is its driver's affair
  const given = url ?? drivers.stores[vector_db].url;
  if (vector_db === 'qdrant') return serverAddress(given, { port: Number(new URL(drivers.stores.qdrant.url).port) });
  const path = pathIn(given);
  if (path === undefined) return given.replace(/^[^:]+/, (scheme) => scheme.toLowerCase()).replace(/(?<=[^:/])\/+$/, '');
  return realPath(resolve(home, path));
}

/** The path of a folder, given as one or as `file:`; undefined for what lies elsewhere. */
function pathIn(given: string): string | undefined {
  if (isAbsolute(given) || !/^[a-z][a-z0-9+.-]+:\/\//i.test(given)) return given;
  try {
    return fileURLToPath(given);
  } catch {
    return undefined;
  }
}

/** Whether the operator named the store: by configuring it, or by listing its address for requests. */
export function isOperators(asked: Storage, { config, home }: { config: Config; home: string }): boolean {
  const { vector_db } = asked;
  const url = storeUrl(asked, home);
  const own = vector_db === config.storage.vector_db ? [config.storage.url] : [];
  return [...own, ...config.server.allowed_store_urls].some((known) => storeUrl({ vector_db, url: known }, home) === url);
}
