import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Where paths begin: what is given is relative to `cwd`, what is stored is relative to `home` (the configuration file's folder). */
export interface Place {
  cwd: string;
  home: string;
}

/** The absolute path of what was given, its links resolved as far as it exists: one file has one path however it is spelled. */
export function absolutePath(given: string, { cwd }: Place): string {
  const path = resolve(cwd, given);
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The absolute path of the file that a `source` stands for. */
export const pathOf = (source: string, place: Place): string => resolve(realHome(place), source);

const realHome = ({ home }: Place): string => absolutePath(home, { cwd: home, home });

/** The `source` of a local file: relative to `home` with `/`, absolute when it lies outside. */
export function sourceOf(path: string, place: Place): string {
  const inside = relative(realHome(place), path);
  const isOutside = inside === '' || inside.startsWith('..') || isAbsolute(inside);
  return (isOutside ? path : inside).split(sep).join('/');
}
