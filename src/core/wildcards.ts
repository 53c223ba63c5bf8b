import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { KbError } from './errors.ts';
import { pathFrom, systemPath } from './file-names.ts';
import { throwIfAborted } from './run.ts';

/** The longest pattern (characters): what it costs to hold one against a name grows with both. */
const MAX_LENGTH = 500;
/** The longest path that a pattern is held against (characters): as long as Linux lets one be. */
const MAX_PATH = 4096;

const SEPARATOR = sep === '\\' ? /[\\/]/ : '/';

export const hasWildcards = (given: string): boolean => /[*?]/.test(given);

/**
 * A pattern of `*` and `?` (within a name) and `**` (any folders, but hidden ones); every other character stands for itself. It has no regular
 * expression, brace or escape, so that what a stranger wrote is held against a name in a time that is bounded by the lengths of the two.
 */
export interface Wildcards {
  /** The folder that it begins at, as it was spelled. */
  base: string;
  /** Whether it holds for a path from the base, with `/`. */
  matches(inside: string): boolean;
  /** The files below `root` that it holds for, absolute. Links are not followed, and node_modules are left out. Throws a KbError (`aborted`) when the signal stops it. */
  files(root: string, signal?: AbortSignal): Promise<string[]>;
}

/** Reads a pattern. Gives the error where it is too long, or climbs (`..`). */
export function wildcards(pattern: string): Wildcards | KbError {
  if (pattern.length > MAX_LENGTH)
    return new KbError('usage', `The pattern ${pattern.slice(0, 60)}… is longer than ${MAX_LENGTH} characters.`, {
      hint: 'Name the folder instead.',
    });
  const parts = pattern.split(SEPARATOR);
  if (parts.includes('..'))
    return new KbError('usage', `${pattern}: a pattern must not hold «..».`, { hint: 'Begin it at a folder that the server may read.' });
  const first = parts.findIndex(hasWildcards);
  const base = first > 0 ? `${parts.slice(0, first).join('/')}/` : isAbsolute(pattern) ? sep : '.';
  const named = parts.slice(first).filter((name) => name !== '' && name !== '.');
  const single = named.filter((name, i) => name !== '**' || named[i + 1] !== '**'); // any folders of any folders are any folders
  const names = single.flatMap((name, i) => (name !== '**' || i + 1 < single.length ? name : [name, '*'])); // a file has a name of its own
  const places = standing(names);
  return {
    base,
    matches: (inside) => inside.length <= MAX_PATH && inside.split('/').reduce(places.after, places.first).has(names.length),
    files: (root, signal) => Array.fromAsync(filesIn(root, places.first, { places, end: names.length, signal })),
  };
}

/** Where in the names of a pattern a path may stand: several places at once, for `**` stands for any number of folders. */
interface Places {
  first: ReadonlySet<number>;
  after(places: ReadonlySet<number>, name: string): ReadonlySet<number>;
}

function standing(names: readonly string[]): Places {
  const withNext = (place: number): number[] => (names[place] === '**' ? [place, ...withNext(place + 1)] : [place]);
  const step = (place: number, name: string): number[] => {
    const wanted = names[place];
    if (wanted === undefined) return [];
    if (wanted === '**') return name.startsWith('.') ? [] : withNext(place);
    return matchesName(wanted, name) ? withNext(place + 1) : [];
  };
  return {
    first: new Set(withNext(0)),
    after: (places, name) => new Set([...places].flatMap((place) => step(place, name))),
  };
}

async function* filesIn(
  folder: string,
  places: ReadonlySet<number>,
  pattern: { places: Places; end: number; signal: AbortSignal | undefined },
): AsyncGenerator<string, void, void> {
  throwIfAborted(pattern.signal);
  const entries: Dirent<Buffer>[] = await readdir(systemPath(folder), { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  for (const entry of entries) {
    const name = pathFrom(entry.name);
    if (name === 'node_modules') continue;
    const after = pattern.places.after(places, name);
    const path = join(folder, name);
    if (entry.isDirectory() && after.size > 0) yield* filesIn(path, after, pattern);
    else if (entry.isFile() && after.has(pattern.end)) yield path;
  }
}

/** A hidden name is matched by what begins with a dot alone. After a failure it goes back to the last `*` and no further: the ones before it can gain nothing. */
function matchesName(wanted: string, name: string): boolean {
  if (name.startsWith('.') && !wanted.startsWith('.')) return false;
  let at = 0;
  let star = -1;
  let starred = 0;
  for (let i = 0; i < name.length;) {
    if (wanted[at] === '*') {
      star = at++;
      starred = i;
    } else if (wanted[at] === '?' || wanted[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++starred;
    } else return false;
  }
  return /^\**$/.test(wanted.slice(at));
}
