import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { KbError } from './errors.ts';
import { decodePath, encodePath } from './file-names.ts';
import { throwIfAborted } from './run.ts';

/** Maximum characters of a pattern: the cost of matching grows with pattern and path. */
const MAX_LENGTH = 500;
/** Maximum characters of a path that is matched: PATH_MAX of Linux. */
const MAX_PATH = 4096;

const SEPARATOR = sep === '\\' ? /[\\/]/ : '/';

/** Whether a path contains `*` or `?`. */
export const hasWildcards = (given: string): boolean => /[*?]/.test(given);

/**
 * A pattern of `*` and `?` (within a name) and `**` (any folders except hidden ones); every other character stands for itself. It has no regular
 * expressions, braces or escapes, so that the time for matching an untrusted pattern is bounded by its length and that of the path.
 */
export interface Wildcards {
  /** The folder before its first wildcard, as written. */
  base: string;
  /** Whether it matches a path relative to the base, with `/`. */
  matches(inside: string): boolean;
  /**
   * Lists the matching files below `root`, a real path, as absolute paths. Links are not followed; node_modules and `isState` folders are
   * skipped. Throws a KbError (`aborted`) if the signal stops it.
   */
  files(root: string, options?: WalkOptions): Promise<string[]>;
}

interface WalkOptions {
  isState?: ((path: string) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}

/** Parses a pattern. Returns an error if it is too long, or contains `..`. */
export function parseWildcards(pattern: string): Wildcards | KbError {
  if (pattern.length > MAX_LENGTH)
    return new KbError('usage', `The pattern ${pattern.slice(0, 60)}… is longer than ${MAX_LENGTH} characters.`, {
      hint: 'Name the folder instead.',
    });
  const parts = pattern.split(SEPARATOR);
  if (parts.includes('..'))
    return new KbError('usage', `${pattern}: a pattern must not hold "..".`, { hint: 'Begin it at a folder that the server may read.' });
  const first = parts.findIndex(hasWildcards);
  const base = first > 0 ? `${parts.slice(0, first).join('/')}/` : isAbsolute(pattern) ? sep : '.';
  const named = parts.slice(first).filter((name) => name !== '' && name !== '.');
  const single = named.filter((name, i) => name !== '**' || named[i + 1] !== '**'); // `**/**` means the same as `**`
  const names = single.flatMap((name, i) => (name !== '**' || i + 1 < single.length ? name : [name, '*'])); // `**` at the end matches files, too
  const matcher = createMatcher(names);
  return {
    base,
    matches: (inside) => inside.length <= MAX_PATH && inside.split('/').reduce(matcher.advance, matcher.start).has(names.length),
    files: (root, options) => Array.fromAsync(walkFiles(root, matcher.start, { matcher, end: names.length, ...options })),
  };
}

/** Matches a path name by name. Its state is a set of positions in the pattern, because `**` stands for any number of folders. */
interface Matcher {
  start: ReadonlySet<number>;
  advance(positions: ReadonlySet<number>, name: string): ReadonlySet<number>;
}

function createMatcher(names: readonly string[]): Matcher {
  const withFollowing = (position: number): number[] =>
    names[position] === '**' ? [position, ...withFollowing(position + 1)] : [position];
  const step = (position: number, name: string): number[] => {
    const expected = names[position];
    if (expected === undefined) return [];
    if (expected === '**') return name.startsWith('.') ? [] : withFollowing(position);
    return matchesName(expected, name) ? withFollowing(position + 1) : [];
  };
  return {
    start: new Set(withFollowing(0)),
    advance: (positions, name) => new Set([...positions].flatMap((position) => step(position, name))),
  };
}

async function* walkFiles(
  folder: string,
  positions: ReadonlySet<number>,
  pattern: { matcher: Matcher; end: number } & WalkOptions,
): AsyncGenerator<string, void, void> {
  throwIfAborted(pattern.signal);
  const entries: Dirent<Buffer>[] = await readdir(encodePath(folder), { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  for (const entry of entries) {
    const name = decodePath(entry.name);
    if (name === 'node_modules') continue;
    const after = pattern.matcher.advance(positions, name);
    const path = join(folder, name);
    if (entry.isDirectory() && after.size > 0 && !pattern.isState?.(path)) yield* walkFiles(path, after, pattern);
    else if (entry.isFile() && after.has(pattern.end)) yield path;
  }
}

/**
 * Matches one name. A hidden name needs a dot at the beginning of the pattern. After a mismatch it goes back to the last `*` only: earlier
 * ones cannot help.
 */
function matchesName(expected: string, name: string): boolean {
  if (name.startsWith('.') && !expected.startsWith('.')) return false;
  let at = 0;
  let star = -1;
  let starred = 0;
  for (let i = 0; i < name.length;) {
    if (expected[at] === '*') {
      star = at++;
      starred = i;
    } else if (expected[at] === '?' || expected[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++starred;
    } else return false;
  }
  return /^\**$/.test(expected.slice(at));
}
