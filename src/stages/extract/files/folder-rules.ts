import ignore, { type Ignore } from 'ignore';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep, resolve } from 'node:path';
import { encodePath, describeFileError } from '../../../core/file-names.ts';
import { isWithin, absolutePath, fileSource, type GuardedPlace, pathRefusal, realPath } from './local-path.ts';
import { z } from 'zod';
import { KbError } from '../../../core/errors.ts';
import { parsePart } from '../../../core/parse-request.ts';
import { parseYaml } from '../../../core/yaml.ts';
import { hasWildcards, parseWildcards } from '../../../core/wildcards.ts';
import { GivenMetadata } from '../../../schema/source-entries.ts';

/** The rules of an ignore file, which apply to everything in its folder. */
interface FolderRules {
  folder: string;
  name: IgnoreFile;
  rules: Ignore;
  /** The number of rules by how many `**` they have. */
  rulesByAnyFolders: ReadonlyMap<number, number>;
}

/** The rules that apply in a folder, outermost first. */
export type Rules = readonly FolderRules[];

/** Names of ignore files; the rules of a later one win. */
export const IGNORE_FILES = ['.gitignore', '.kbignore'] as const;
type IgnoreFile = (typeof IGNORE_FILES)[number];

/** Maximum bytes of an ignore file: each file of its folder is tested against all of its rules. */
const MAX_IGNORE_BYTES = 256 * 2 ** 10;
/** Maximum steps of a test against the rules of one file, which takes a few hundredths of a second: each `**` of a rule multiplies them by the depth. */
const MAX_TEST_STEPS = 1e7;

/**
 * Reads the ignore files of a folder. A pipe of that name is skipped: reading it might never end. Throws a KbError (`usage`) for a file that is too
 * large, and the system error for an unreadable one.
 */
const rulesOf = (folder: string, names: readonly IgnoreFile[]): FolderRules[] =>
  names.flatMap((name) => {
    const path = encodePath(join(folder, name));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return [];
    if (stats.size > MAX_IGNORE_BYTES)
      throw new KbError('usage', `${name} is larger than ${MAX_IGNORE_BYTES / 1024} KiB, the most that is read.`, {
        hint: 'Write fewer rules, such as one for a whole folder.',
      });
    const text = readFileSync(path, 'utf8');
    const counts = Map.groupBy(text.split('\n'), (rule) => rule.split('**').length - 1);
    const rulesByAnyFolders = new Map([...counts].map(([count, rules]) => [count, rules.length]));
    return [{ folder, name, rules: ignore().add(text), rulesByAnyFolders }];
  });

function rulesAbove(root: string, names: readonly IgnoreFile[]): FolderRules[] {
  const found: FolderRules[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    found.unshift(...rulesOf(folder, names));
    if (existsSync(encodePath(join(folder, '.git')))) return found;
    if (folder === dirname(folder)) return [];
  }
}

/** Returns the rules if a path can be tested in a short time. Throws a KbError (`usage`) if it is too deep for them. */
function testable(rules: Rules, path: string): Rules {
  for (const { folder, name, rulesByAnyFolders } of rules) {
    const depth = relative(folder, path).split(sep).length;
    const steps = [...rulesByAnyFolders].reduce((sum, [count, ofCount]) => sum + ofCount * depth ** count, 0);
    if (steps > MAX_TEST_STEPS)
      throw new KbError('usage', `The rules of ${name} have too many "**" for a path of ${depth} folders.`, {
        hint: 'Write the rules with fewer of them, such as one for a whole folder.',
      });
  }
  return rules;
}

/** The ignore file that excludes a path; undefined if none does. The innermost rule that matches decides, as in git. */
export function excludedBy(rules: Rules, path: string, isFolder: boolean): IgnoreFile | undefined {
  for (const { folder, name, rules: matcher } of rules.toReversed()) {
    const { ignored, unignored } = matcher.test(relative(folder, path).split(sep).join('/') + (isFolder ? '/' : ''));
    if (ignored || unignored) return ignored ? name : undefined;
  }
  return undefined;
}

/** Number of tests after which the cache is cleared, because every rule remembers all paths that it has tested. */
const MAX_CACHED_TESTS = 10_000;

/** The ignore rules of a folder, read on first use. */
export class IgnoreRules {
  readonly #root: string;
  readonly #names: readonly IgnoreFile[];
  /** Rules of each folder; undefined for an excluded one. */
  readonly #rulesByFolder = new Map<string, Rules | undefined>();

  #testCount = 0;

  /** `gitignore`: whether `.gitignore` counts. */
  constructor(root: string, gitignore: boolean) {
    this.#root = root;
    this.#names = IGNORE_FILES.filter((name) => gitignore || name !== '.gitignore');
  }

  /** The rules of the folders above a folder, the root or one in it; undefined if the folder is excluded. The root was named, so that no rule excludes it. */
  #above(folder: string): Rules | undefined {
    if (folder === this.#root || !isWithin(this.#root, folder)) {
      const rules = testable(rulesAbove(folder, this.#names), folder);
      return excludedBy(rules, folder, true) ? [] : rules;
    }
    const rules = this.rulesIn(dirname(folder));
    return rules && excludedBy(rules, folder, true) ? undefined : rules;
  }

  /** Whether a path in the root is excluded. Throws the system error for an unreadable ignore file. */
  excludes(path: string, isFolder: boolean): boolean {
    if (++this.#testCount % MAX_CACHED_TESTS === 0) this.#rulesByFolder.clear();
    const rules = this.rulesIn(dirname(path));
    return rules === undefined || excludedBy(rules, path, isFolder) !== undefined;
  }

  /**
   * The rules that apply in a folder, with its own; undefined if it is excluded. Throws a KbError (`usage`) if they would take too long to test, and the
   * system error for an unreadable ignore file.
   */
  rulesIn(folder: string): Rules | undefined {
    if (!this.#rulesByFolder.has(folder)) {
      const above = this.#above(folder);
      this.#rulesByFolder.set(folder, above && testable([...above, ...rulesOf(folder, this.#names)], join(folder, 'any')));
    }
    return this.#rulesByFolder.get(folder);
  }
}

/** Name of the file with metadata for the files of its folder and of those below it. */
export const SIDECAR = 'kb.meta.yaml';

const MAX_BYTES = 2 ** 20;
/** Maximum patterns of a metadata file, and characters of all: each file of its folder is tested against all of them. */
const MAX_PATTERNS = 1_000;
const MAX_PATTERN_CHARACTERS = 30_000;
const HINT = 'It holds metadata by pattern, such as "guides/**": {audience: user}.';

const SidecarRules = z.record(z.string().min(1), GivenMetadata);

/** A pattern of a metadata file with its metadata. */
interface SidecarRule {
  /** Whether it matches a path relative to the folder, with `/`. */
  matches(inside: string): boolean;
  metadata: GivenMetadata;
}

/**
 * Returns a function that collects the metadata of a file from the `kb.meta.yaml` files of its folder and those above it, up to `home`: inner files
 * and later patterns win. Each is read once. The function throws a KbError (`usage`) that names a faulty metadata file and the fault.
 */
export function sidecarReader(place: GuardedPlace): (path: string) => GivenMetadata {
  const home = realPath(resolve(place.home));
  const rulesByFolder = new Map<string, readonly SidecarRule[]>();
  const rulesIn = (folder: string): readonly SidecarRule[] => {
    const rules = rulesByFolder.get(folder) ?? readRules(join(folder, SIDECAR), place);
    rulesByFolder.set(folder, rules);
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

/** The folders that contain a file, outermost first: from `home` on, or all if the file is not in `home`. */
function foldersAbove(path: string, home: string): string[] {
  const folder = dirname(path);
  const above = folder === home || dirname(folder) === folder ? [] : foldersAbove(folder, home);
  return [...above, folder].filter((one) => isWithin(home, one) || !isWithin(home, path));
}

function readRules(file: string, place: GuardedPlace): SidecarRule[] {
  if (!statSync(encodePath(file), { throwIfNoEntry: false })?.isFile()) return [];
  const real = absolutePath(file, place);
  const source = fileSource(file, place);
  if (pathRefusal(real, source, place)) return [];
  const value = parseYaml(readText(real, source), { where: source, hint: HINT }) ?? {};
  const patterns = Object.keys(value);
  const hint = 'A pattern such as "guides/**" holds for many files; folders may have a file of their own.';
  if (patterns.length > MAX_PATTERNS)
    throw new KbError('usage', `${source}: at most ${MAX_PATTERNS} patterns are expected, not ${patterns.length}.`, { hint });
  if (patterns.join('').length > MAX_PATTERN_CHARACTERS)
    throw new KbError('usage', `${source}: at most ${MAX_PATTERN_CHARACTERS} characters of patterns are expected.`, { hint });
  const rules = parsePart(SidecarRules, value, { where: source, whole: 'the file', hint: HINT });
  return Object.entries(rules).map(([pattern, metadata]) => ({ matches: matcherOf(pattern, source), metadata }));
}

function readText(file: string, source: string): string {
  try {
    if (statSync(encodePath(file)).size <= MAX_BYTES) return readFileSync(encodePath(file), 'utf8');
  } catch (cause) {
    throw new KbError('usage', `${source} cannot be read: ${describeFileError(cause, 'read')}.`, { hint: HINT, cause });
  }
  throw new KbError('usage', `${source} has more than ${MAX_BYTES} bytes.`, { hint: HINT });
}

/** Compiles a pattern: as in .gitignore, one without a slash matches at any depth, and the name of a folder everything in it. */
function matcherOf(pattern: string, source: string): SidecarRule['matches'] {
  const path = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  const anywhere = path.includes('/') ? path : `**/${path}`;
  const [file, below] = [anywhere, `${anywhere}/**`].map((one) => {
    if (!hasWildcards(one)) return (inside: string) => inside === one;
    const read = parseWildcards(one);
    if (read instanceof KbError) throw new KbError('usage', `${source}: ${read.message}`, { hint: HINT, cause: read });
    const base = read.base === '.' ? '' : read.base;
    return (inside: string) => inside.startsWith(base) && read.matches(inside.slice(base.length));
  });
  return (inside) => file!(inside) || below!(inside);
}
