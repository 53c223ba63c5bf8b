import { existsSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { throwIfAborted } from '../../base/run.ts';

/** Rules of one folder's ignore files; they hold for what lies in it. */
interface Rules {
  folder: string;
  rules: Ignore;
}

interface WalkOptions {
  /** Why a link must not be followed; undefined where it may be. */
  refused?: (path: string) => Error | undefined;
  signal?: AbortSignal | undefined;
}

interface Walking extends WalkOptions {
  /** The folders that were walked. */
  met: Set<string>;
  refused(path: string): Error | undefined;
}

const IGNORE_FILES = ['.gitignore', '.kbignore'];

/** What a walk meets: a file, or something that could not or must not be read. */
export type Walked = { path: string } | { path: string; error: Error };

/**
 * Every file of a folder and the folders in it, in name order: without hidden ones, `node_modules`, and what `.gitignore` or `.kbignore` excludes,
 * also those of the folders above up to the root of its git repository. A link to a folder that was walked already is not followed again; one that is
 * `refused` is not looked at. Throws a KbError (`aborted`) when the signal stops it.
 */
export async function* walk(root: string, { refused = () => undefined, signal }: WalkOptions = {}): AsyncGenerator<Walked, void, void> {
  let above: Rules[];
  try {
    above = rulesAbove(root);
  } catch (error) {
    return yield { path: root, error: error as Error };
  }
  const applied = excluded(above, root, true) ? [] : above;
  yield* walkFolder(root, applied, { met: new Set(), refused, signal });
}

async function* walkFolder(folder: string, inherited: readonly Rules[], whole: Walking): AsyncGenerator<Walked, void, void> {
  throwIfAborted(whole.signal);
  let entries: Dirent[];
  let rules: Rules[];
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    if (whole.met.has(`${dev}:${ino}`)) return;
    whole.met.add(`${dev}:${ino}`);
    entries = await readdir(folder, { withFileTypes: true });
    rules = [...inherited, ...rulesOf(folder)];
  } catch (error) {
    yield { path: folder, error: error as Error };
    return;
  }
  for (const entry of entries.toSorted(byName)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    const error = entry.isSymbolicLink() ? whole.refused(path) : undefined;
    if (error) {
      // whether it leads to a file or a folder is not looked at, so that a rule for either holds
      if (!excluded(rules, path, false) && !excluded(rules, path, true)) yield { path, error };
      continue;
    }
    const kind = await stat(path).catch((failed: Error) => failed);
    if (kind instanceof Error) yield { path, error: kind };
    else if (excluded(rules, path, kind.isDirectory())) continue;
    else if (kind.isDirectory()) yield* walkFolder(path, rules, whole);
    else if (kind.isFile()) yield { path };
  }
}

/** By code points, so that the order is the same on every machine. */
const byName = ({ name: a }: Dirent, { name: b }: Dirent): number => (a < b ? -1 : a > b ? 1 : 0);

/** Of plain files alone: reading a pipe of that name would never end. */
function rulesOf(folder: string): Rules[] {
  const texts = IGNORE_FILES.map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, 'utf8'));
  return texts.length > 0 ? [{ folder, rules: ignore().add(texts.join('\n')) }] : [];
}

/** The rules of the folders above, from the root of the git repository downwards; none outside a repository. */
function rulesAbove(root: string): Rules[] {
  const found: Rules[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    found.unshift(...rulesOf(folder));
    if (existsSync(join(folder, '.git'))) return found;
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
