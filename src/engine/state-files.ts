import { type BigIntStats, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { encodePath } from '../core/file-names.ts';
import { LOCK_FOLDER } from '../drivers/stores/writer-lock.ts';
import { userFolder } from '../core/user-folders.ts';
import type { Config } from '../schema/config.ts';
import { isWithin, realPath } from '../stages/extract/files/local-path.ts';
import { isAddress, storeFolder } from './store-address.ts';

/** Prefix of the temporary folders of uploads. */
export const UPLOAD_PREFIX = 'kb-upload-';

/** Names of files that belong to kb or hold credentials, in any folder: configuration, environment files, TLS keys. */
const FILE_NAMES = /^(?:kb\.config\.ya?ml|\.env.*|.+\.(?:key|pem|p12|pfx))$/;

/** Name of the folder of a store in its default place. */
const STORE_FOLDER = '.kb';

/** Names of the folders beside the tables of a store. */
const STATE_FOLDERS = ['.jobs', '.pages', '.sources', LOCK_FOLDER];

/** What decides where kb keeps its state. */
export interface StatePlace {
  config: Pick<Config, 'storage' | 'server'>;
  /** The folder of the configuration file. */
  home: string;
  /** The configuration file. */
  file?: string | undefined;
}

/**
 * Returns a predicate for real, absolute paths (`realPath`) of kb's own state: stores with their jobs, snapshots and page memory, configuration and
 * environment files, the tokens file, TLS keys, uploads in progress, and the folders of kb in the home directory (conversations). A hard link to
 * the configuration, an environment file or the tokens file counts too. No request reads or writes these files, and no search of a folder finds them.
 */
export function stateFilter(place: StatePlace): (path: string) => boolean {
  let rules: Rules | undefined;
  return (path) => matches(path, (rules ??= findRules(place)));
}

interface Rules {
  home: string;
  uploads: string;
  folders: readonly string[];
  files: ReadonlySet<string>;
  /** Device and inode of each of the files. */
  inodes: ReadonlySet<string>;
}

function findRules({ config, home, file }: StatePlace): Rules {
  const { storage, server } = config;
  const allowed = server.allowed_store_urls.filter((url) => !isAddress(url)).map((url) => resolve(home, url));
  const stores = [storeFolder(storage, home), ...allowed].flatMap((store) => stateFolders(store, home));
  const users = (['config', 'data', 'state'] as const).map((kind) => userFolder(kind));
  const environmentFiles = listNames(home).filter((name) => FILE_NAMES.test(fold(name)));
  const files = [...environmentFiles, ...[file, server.tokens_file].filter((path) => path !== undefined)].map((path) =>
    resolve(home, path),
  );
  return {
    home: foldedPath(home),
    uploads: foldedPath(tmpdir()),
    folders: [...stores, ...users].map(foldedPath),
    files: new Set(files.map(foldedPath)),
    inodes: new Set(files.flatMap((path) => inodeOf(statsOf(path)) ?? [])),
  };
}

/** Lists the folders of a store that hold state: the store itself, unless the documents may be in it too. */
const stateFolders = (store: string, home: string): string[] =>
  isWithin(store, realPath(resolve(home))) ? STATE_FOLDERS.map((name) => join(store, name)) : [store];

function matches(path: string, { home, uploads, folders, files, inodes }: Rules): boolean {
  const folded = fold(path);
  return (
    FILE_NAMES.test(basename(folded)) ||
    files.has(folded) ||
    folders.some((folder) => isWithin(folder, folded)) ||
    relative(home, folded).split(sep).includes(STORE_FOLDER) ||
    relative(uploads, folded).startsWith(UPLOAD_PREFIX) ||
    isHardLink(statsOf(path), inodes)
  );
}

/** Folds the case of a path: where names differ only in it, many file systems have one file. */
const fold = (path: string): string => path.normalize('NFC').toLowerCase();

const foldedPath = (path: string): string => fold(realPath(resolve(path)));

/** Whether a file has one of the inodes. A file with one name has that of no other. */
function isHardLink(stats: BigIntStats | undefined, inodes: ReadonlySet<string>): boolean {
  return stats !== undefined && stats.isFile() && stats.nlink > 1n && inodes.has(inodeOf(stats)!);
}

const inodeOf = (stats: BigIntStats | undefined): string | undefined => stats && `${stats.dev}:${stats.ino}`;

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(encodePath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
