import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { KbError } from '../../../core/errors.ts';
import { describeFileError, systemPath } from '../../../core/file-names.ts';
import { parsePart } from '../../../core/parse-request.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { hasWildcards, wildcards } from '../../../core/wildcards.ts';
import { GivenMetadata } from '../../../schema/stored/given-metadata.ts';
import { absolutePath, fileSource, type GuardedPlace, isWithin, pathRefusal, realPath } from './local-path.ts';

/** The file that gives metadata to the files of its folder and those below it. */
export const SIDECAR = 'kb.meta.yaml';

const MAX_BYTES = 2 ** 20;
/** Patterns of one file, at most: each file of its folder is held against all of them. */
const MOST_PATTERNS = 1_000;
const HINT = 'It holds metadata by pattern, such as "guides/**": {audience: user}.';

const Rules = z.record(z.string().min(1), GivenMetadata);

/** What one pattern of a file gives. */
interface Rule {
  /** Whether it holds for a path from the folder, with `/`. */
  matches(inside: string): boolean;
  metadata: GivenMetadata;
}

/**
 * Tells what the `kb.meta.yaml` of a file's folder and of those above it, up to `home`, give to the file: those further in win, and in one file the later
 * patterns. Each is read once. Throws a KbError (`usage`) that names the file and what is wrong with it.
 */
export function sidecarReader(place: GuardedPlace): (path: string) => GivenMetadata {
  const home = realPath(resolve(place.home));
  const known = new Map<string, readonly Rule[]>();
  const rulesIn = (folder: string): readonly Rule[] => {
    const rules = known.get(folder) ?? readRules(join(folder, SIDECAR), place);
    known.set(folder, rules);
    return rules;
  };
  return (path) => {
    const folders = foldersAbove(path, home);
    const given = folders.flatMap((folder) => {
      const inside = relative(folder, path).split(sep).join('/');
      return rulesIn(folder).flatMap((rule) => (rule.matches(inside) ? [rule.metadata] : []));
    });
    return Object.assign({}, ...given) as GivenMetadata;
  };
}

/** The folders that a file lies in, outermost first: from `home`, or all of a file that does not lie there. */
function foldersAbove(path: string, home: string): string[] {
  const folder = dirname(path);
  const above = folder === home || dirname(folder) === folder ? [] : foldersAbove(folder, home);
  return [...above, folder].filter((one) => isWithin(home, one) || !isWithin(home, path));
}

function readRules(file: string, place: GuardedPlace): Rule[] {
  if (!statSync(systemPath(file), { throwIfNoEntry: false })?.isFile()) return [];
  const real = absolutePath(file, place);
  const source = fileSource(file, place);
  if (pathRefusal(real, source, place)) return [];
  const value = readYaml(real, source) ?? {};
  const { length } = Object.keys(value);
  if (length > MOST_PATTERNS)
    throw new KbError('usage', `${source}: at most ${MOST_PATTERNS} patterns are expected, not ${length}.`, {
      hint: 'A pattern such as "guides/**" holds for many files; folders may have a file of their own.',
    });
  const rules = parsePart(Rules, value, { where: source, whole: 'the file', hint: HINT });
  return Object.entries(rules).map(([pattern, metadata]) => ({ matches: matcherOf(pattern, source), metadata }));
}

function readYaml(file: string, source: string): unknown {
  return parseYaml(textOf(file, source), { where: source, hint: HINT });
}

function textOf(file: string, source: string): string {
  try {
    if (statSync(systemPath(file)).size <= MAX_BYTES) return readFileSync(systemPath(file), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `${source} cannot be read: ${describeFileError(cause, 'read')}.`, { hint: HINT, cause });
  }
  throw new KbError('usage', `${source} has more than ${MAX_BYTES} bytes.`, { hint: HINT });
}

/** As in .gitignore, a pattern without a slash holds at any depth, and a folder's name for all that is in it. */
function matcherOf(pattern: string, source: string): Rule['matches'] {
  const path = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  const anywhere = path.includes('/') ? path : `**/${path}`;
  const [file, below] = [anywhere, `${anywhere}/**`].map((one) => {
    if (!hasWildcards(one)) return (inside: string) => inside === one;
    const read = wildcards(one);
    if (read instanceof KbError) throw new KbError('usage', `${source}: ${read.message}`, { hint: HINT, cause: read });
    const base = read.base === '.' ? '' : read.base;
    return (inside: string) => inside.startsWith(base) && read.matches(inside.slice(base.length));
  });
  return (inside) => file!(inside) || below!(inside);
}
