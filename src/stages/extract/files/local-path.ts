import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { KbError } from '../../../core/errors.ts';
import { decodePath, unescapePath, escapePath, encodePath } from '../../../core/file-names.ts';

/** The folders that paths are relative to: `cwd` for paths of requests, `home` (the folder of the configuration file) for stored ones. */
export interface PathPlace {
  cwd: string;
  home: string;
}

/** Throws a KbError (`forbidden`) for an absolute, resolved path that must not be read. `given` is the caller's spelling, for the error. */
export type Authorize = (path: string, given: string) => void;

/** A place with an optional check of the paths that may be read; without `authorize` all may. */
export interface GuardedPlace extends PathPlace {
  authorize?: Authorize | undefined;
  /** Whether a real path is of kb's own state, which no folder or pattern is searched for. */
  isState?: ((path: string) => boolean) | undefined;
}

/** Maximum links that are followed, as many as Linux follows; a path with more leads nowhere. */
const MAX_LINKS = 40;

/** The absolute path of a given path, with links resolved as far as it exists: a file has one path, whatever the spelling. */
export const absolutePath = (given: string, { cwd }: Pick<PathPlace, 'cwd'>): string => realPath(resolve(cwd, given));

/** Resolves the links of an absolute path. If it does not exist: the real path of its nearest existing folder, and the rest. */
export const realPath = (path: string, links = MAX_LINKS): string => existingPath(path) ?? resolveMissing(path, links);

/** Resolves a missing path from the root downwards, so that a path of a million missing names costs no more than one. */
function resolveMissing(path: string, links: number): string {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  let folder = root;
  for (const [i, name] of names.entries()) {
    const step = join(folder, name);
    const found = existingPath(step);
    if (found !== undefined) {
      folder = found;
      continue;
    }
    const target = links > 0 ? linkTarget(step) : undefined;
    if (target === undefined) return join(folder, names.slice(i).join(sep));
    return realPath(resolve(folder, target, names.slice(i + 1).join(sep)), links - 1);
  }
  return folder;
}

/** The real path of an existing path; undefined if it does not exist. */
export function existingPath(path: string): string | undefined {
  try {
    return decodePath(realpathSync.native(encodePath(path), { encoding: 'buffer' }));
  } catch {
    return undefined;
  }
}

/** The target of a link, as written; undefined if the path is not a link. */
export function linkTarget(path: string): string | undefined {
  try {
    return decodePath(readlinkSync(encodePath(path), { encoding: 'buffer' }));
  } catch {
    return undefined;
  }
}

/** Whether a path is the folder or in it, by whole names: `project-old` is not in `project`. Both are absolute and real. */
export function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Makes the error for a path (absolute, its links resolved) that must not be read; undefined if it may be. */
export function pathRefusal(path: string, given: string, { authorize }: GuardedPlace): KbError | undefined {
  try {
    authorize?.(path, given);
    return undefined;
  } catch (error) {
    if (error instanceof KbError) return error;
    throw error;
  }
}

/** The absolute path of the file of a `source`. */
export const filePathOf = (source: string, place: PathPlace): string =>
  spelledPath(resolve(realPath(resolve(place.home)), unescapePath(source)));

/**
 * An absolute path as it is spelled on disk: with letters and accents as one character each or apart (NFC, NFD; macOS and some archives write the latter).
 * If neither exists, the one whose folder does; else the path as given.
 */
export function spelledPath(path: string): string {
  const apart = path.normalize('NFD');
  if (apart === path || existsSync(encodePath(path))) return path;
  const spelled = join(spelledPath(dirname(path)), basename(path));
  return [spelled, join(dirname(spelled), basename(apart))].find((candidate) => existsSync(encodePath(candidate))) ?? spelled;
}

/**
 * The `source` of a local file: relative to `home` with `/`, absolute if it is outside, in its readable form. Its name is in NFC, unless that is the name of
 * another file.
 */
export function fileSource(path: string, { home }: PathPlace): string {
  const folder = realPath(resolve(home));
  const source = path !== folder && isWithin(folder, path) ? relative(folder, path) : path;
  const composed = path.normalize('NFC');
  const isFree = composed === path || [path, undefined].includes(existingPath(composed));
  return escapePath((isFree ? source.normalize('NFC') : source).split(sep).join('/'));
}
