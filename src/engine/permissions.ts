import { resolve } from 'node:path';
import { KbError } from '../core/errors.ts';
import { type AccessRights, mayUse } from '../core/access-rights.ts';
import { operations, type OperationName } from '../schema/operations.ts';
import { isWithin, type PathPlace, realPath } from '../stages/extract/files/local-path.ts';
import { getPath, type Layer } from '../core/settings.ts';
import type { CopyRequest } from '../schema/collection-operations.ts';
import type { Config } from '../schema/config.ts';
import { isAddress, isOperatorsStore, isSameStore, isFolderStore, storeUrl, targetStorage } from './store-address.ts';

/** The folders that a server may read: `allowed_roots`, relative to `home`; by default `cwd`. */
export interface Roots extends PathPlace {
  allowed_roots: readonly string[] | undefined;
}

/** Returns a predicate for real, absolute paths (`realPath`) inside the roots. The roots are resolved once and need not exist. */
export function rootsFilter({ allowed_roots, home, cwd }: Roots): (path: string) => boolean {
  const folders = allowed_roots?.map((root) => resolve(home, root)) ?? [resolve(cwd)];
  const roots = folders.map((folder) => realPath(folder));
  return (path) => roots.some((root) => isWithin(root, path));
}

/**
 * Returns a function that throws a KbError (`forbidden`) for a real path outside the roots, or of kb's own state (`stateFilter`), worded with the
 * caller's spelling so that it reveals no link target.
 */
export function authorizer(roots: Roots, isState: (path: string) => boolean): (path: string, given?: string) => void {
  const isInRoots = rootsFilter(roots);
  return (path, given = 'The path') => {
    if (!isInRoots(path))
      throw new KbError('forbidden', `${given} lies outside the folders that the server may read.`, {
        hint: 'The operator lists them in server.allowed_roots.',
      });
    if (isState(path))
      throw new KbError('forbidden', `${given} belongs to kb itself or holds credentials; no request may read or write it.`, {
        hint: 'Use another path: stores, configuration files, .env files and keys are refused, whatever server.allowed_roots says.',
      });
  };
}

/** Provider options in the settings. Requests may set them, except the address that a key is sent to. */
const PROVIDER_OPTIONS = ['embedding.options', 'rerank.options', 'chat.llm.options'];

/** Maximum characters of a name from a request in a message. */
const MAX_QUOTED_NAME = 60;

/** Settings that are sent to every API and may hold secrets. */
const API_REQUEST_KEYS = ['headers', 'params', 'body'] as const;

/** Returns the configuration that network requests override: without configured sources, and without values that would be sent to an API of the caller's choice. */
export function requestDefaults(config: Config): Config {
  const api = { ...config.ingestion.api };
  for (const key of API_REQUEST_KEYS) delete api[key];
  return { ...config, ingestion: { ...config.ingestion, api }, sources: {} };
}

/** Lists the collections of a request: those that it names, else the configured one. */
export function requestedCollections(name: OperationName, given: unknown, settings: Config): string[] {
  const { name: own, to, store } = (given ?? {}) as { name?: unknown; to?: unknown; store?: unknown };
  if (name === 'upload' && store !== true) return []; // it is only converted, not stored
  if (operations[name].sections.includes('collection')) return searchedCollections(given, settings);
  return [own, to].filter((collection) => typeof collection === 'string');
}

/** Returns layer and settings for each store of a request: its own and, for a copy, the target. */
export function requestedStores<Place extends Pick<Caller, 'layer' | 'settings'>>(
  name: OperationName,
  given: unknown,
  own: Place,
): Place[] {
  if (name !== 'copy_collection') return [own];
  const request = given as CopyRequest;
  const layer = { storage: { options: request.to_options } };
  return [own, { ...own, layer, settings: { ...own.settings, storage: targetStorage(request, own.settings.storage) } }];
}

/** Lists the collections of a search: those of a list in the request, else the one of the settings. */
export function searchedCollections(given: unknown, { collection }: Pick<Config, 'collection'>): string[] {
  const { collection: flat, retrieval } = (given ?? {}) as { collection?: unknown; retrieval?: { collection?: unknown } };
  const list = [flat, retrieval?.collection].find(Array.isArray) as string[] | undefined;
  return list ? [...new Set(list)] : [collection];
}

/** Throws a KbError (`forbidden`) for a collection that the caller may not use, and for any store but the configured one. */
export function assertCollections(
  access: AccessRights | undefined,
  collections: readonly string[],
  { places: stores, config, home }: { places: readonly Pick<Caller, 'settings'>[] } & Pick<Caller, 'config' | 'home'>,
): void {
  if (access === undefined || access.collections.includes('*')) return;
  const refused = collections.find((name) => !mayUse(access, name));
  const hint = `It may use ${access.collections.join(', ')}; the operator lists them in server.tokens_file.`;
  if (refused !== undefined)
    throw new KbError('forbidden', `The token "${access.name}" may not use the collection "${refused}".`, { hint });
  if (!stores.every(({ settings }) => isSameStore(settings.storage, config.storage, home)))
    throw new KbError('forbidden', `The token "${access.name}" may use the configured store alone.`, {
      hint: 'Leave vector_db and url out.',
    });
}

interface Caller {
  layer: Layer;
  /** The configuration with `layer` merged into it. */
  settings: Config;
  config: Config;
  home: string;
  cwd: string;
  /** Whether a path is of kb's own state. */
  isState(path: string): boolean;
  /** The names of `storage.options` that callers may set. */
  requestOptions: readonly string[];
}

/** Throws a KbError (`forbidden`) for a network request that would send a key to the caller's address, or open or set up a store beyond what is allowed. */
export function assertPermitted(caller: Caller): void {
  for (const path of PROVIDER_OPTIONS) {
    const options = getPath(caller.layer, path);
    if (typeof options !== 'object' || options === null || !Object.hasOwn(options, 'base_url')) continue;
    throw new KbError('forbidden', `${path}.base_url can't be set in a request: a key goes to no address that a caller chose.`, {
      hint: 'The operator sets it in kb.config.yaml.',
    });
  }
  if (caller.layer.storage !== undefined) assertStore(caller); // without storage settings, the configured store is used
}

function assertStore({ layer, settings, config, home, cwd, isState, requestOptions }: Caller): void {
  const { vector_db } = settings.storage;
  const refused = Object.keys(getPath(layer, 'storage.options') ?? {}).find((name) => !requestOptions.includes(name));
  if (refused !== undefined) {
    const open = requestOptions.length > 0 ? ` A request may set ${requestOptions.join(', ')}.` : '';
    throw new KbError(
      'forbidden',
      `storage.options.${refused.slice(0, MAX_QUOTED_NAME)} can't be set in a request: where ${vector_db} is and how it is reached is not a caller's to say.`,
      {
        hint: `The operator sets it in kb.config.yaml.${open}`,
      },
    );
  }
  if (isOperatorsStore(settings.storage, { config, home })) return;
  const url = storeUrl(settings.storage, home);
  if (isFolderStore(vector_db) && !isAddress(url))
    return authorizer({ allowed_roots: config.server.allowed_roots, home, cwd }, isState)(url, 'The store');
  if (!isFolderStore(vector_db) && url === storeUrl({ vector_db }, home)) return; // the default address is on this machine
  throw new KbError('forbidden', 'This server may not use the store named in the request.', {
    hint: 'The operator lists its address in server.allowed_store_urls.',
  });
}
