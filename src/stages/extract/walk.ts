import { existsSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { pathFrom, systemPath } from '../../base/file-names.ts';
import { throwIfAborted } from '../../base/run.ts';
import { isWithin, realPath } from './local-path.ts';

/** Rules of one folder's ignore files; they hold for what lies in it. */
interface Rules {
  folder: string;
  rules: Ignore;
}

interface WalkOptions {
  /** Why a link must not be followed; undefined where it may be. */
  refused?: (path: string) => Error | undefined;
  /** Whether links that lead out of the folder are followed. */
  follow_links?: boolean;
  signal?: AbortSignal | undefined;
}

interface Walking extends WalkOptions {
  /** The folders that were walked. */
  met: Set<string>;
  refused(path: string): Error | undefined;
  /** Whether a link leads to a place that is not to be walked. */
  leadsOut(path: string): boolean;
}

const IGNORE_FILES = ['.gitignore', '.kbignore'];

/** What a walk meets: a file, something that could not or must not be read, or a link that leads out of the folder and was not followed. */
export type Walked = { path: string } | { path: string; error: Error } | { path: string; leadsOut: true };

/**
 * Every file of a folder and the folders in it, in name order: without hidden ones, `node_modules`, and what `.gitignore` or `.kbignore` excludes,
 * also those of the folders above up to the root of its git repository. A link to a folder that was walked already is not followed again; one that leads
 * out of the folder is followed with `follow_links` alone; one that is `refused` is not looked at. Throws a KbError (`aborted`) when the signal stops it.
 */
export async function* walk(
  root: string,
  { refused = () => undefined, follow_links = false, signal }: WalkOptions = {},
): AsyncGenerator<Walked, void, void> {
  let above: Rules[];
  try {
    above = rulesAbove(root);
  } catch (error) {
    return yield { path: root, error: error as Error };
  }
  const applied = excluded(above, root, true) ? [] : above;
  const real = realPath(root);
  const leadsOut = (path: string): boolean => !follow_links && !isWithin(real, realPath(path));
  yield* walkFolder(root, applied, { met: new Set(), refused, leadsOut, signal });
}

async function* walkFolder(folder: string, inherited: readonly Rules[], whole: Walking): AsyncGenerator<Walked, void, void> {
  throwIfAborted(whole.signal);
  let entries: { name: string; isLink: boolean }[];
  let rules: Rules[];
  try {
    const { dev, ino } = await stat(systemPath(folder), { bigint: true });
    if (whole.met.has(`${dev}:${ino}`)) return;
    whole.met.add(`${dev}:${ino}`);
    entries = (await readdir(systemPath(folder), { withFileTypes: true, encoding: 'buffer' })).map(entryOf);
    rules = [...inherited, ...rulesOf(folder)];
  } catch (error) {
    yield { path: folder, error: error as Error };
    return;
  }
  for (const { name, isLink } of entries.toSorted(byName)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = join(folder, name);
    const left = isLink ? unfollowed(path, whole) : undefined;
    if (left) {
      // whether it leads to a file or a folder is not looked at, so that a rule for either holds
      if (!excluded(rules, path, false) && !excluded(rules, path, true)) yield left;
      continue;
    }
    const kind = await stat(systemPath(path)).catch((failed: Error) => failed);
    if (kind instanceof Error) yield { path, error: kind };
    else if (excluded(rules, path, kind.isDirectory())) continue;
    else if (kind.isDirectory()) yield* walkFolder(path, rules, whole);
    else if (kind.isFile()) yield { path };
  }
}

const entryOf = (entry: Dirent<Buffer>) => ({ name: pathFrom(entry.name), isLink: entry.isSymbolicLink() });

/** What is said of a link that is not followed; undefined where it is. */
function unfollowed(path: string, { refused, leadsOut }: Walking): Walked | undefined {
  const error = refused(path);
  if (error) return { path, error };
  return leadsOut(path) ? { path, leadsOut: true } : undefined;
}

/** By code points, so that the order is the same on every machine. */
const byName = ({ name: a }: { name: string }, { name: b }: { name: string }): number => (a < b ? -1 : a > b ? 1 : 0);

/** Of plain files alone: reading a pipe of that name would never end. */
function rulesOf(folder: string): Rules[] {
  const texts = IGNORE_FILES.map((name) => join(folder, name))
    .filter((path) => statSync(systemPath(path), { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(systemPath(path), 'utf8'));
  return texts.length > 0 ? [{ folder, rules: ignore().add(texts.join('\n')) }] : [];
}

/** The rules of the folders above, from the root of the git repository downwards; none outside a repository. */
function rulesAbove(root: string): Rules[] {
  const found: Rules[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    found.unshift(...rulesOf(folder));
    if (existsSync(systemPath(join(folder, '.git')))) return found;
    if (folder === dirname(folder)) return [];
  }
}

/** The innermost rule that speaks of a path decides, as in git. */
function excluded(rules: readonly Rules[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(relative(folder, path).split(sep).join('/') + (isFolder ? '/' : ''));
    if (ignored || unignored) return ignored;
  }
  return false;
}
