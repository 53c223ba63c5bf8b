import { existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Rules of one folder's ignore files; they hold for what lies in it. */
interface Rules {
  folder: string;
  rules: Ignore;
}

const IGNORE_FILES = ['.gitignore', '.kbignore'];

/** What a walk meets: a file, or a folder that could not be read. */
export type Walked = { path: string } | { path: string; error: Error };

/**
 * Every file of a folder and the folders in it, in name order: without hidden ones, `node_modules`, and what `.gitignore` or `.kbignore` excludes,
 * also those of the folders above up to the root of its git repository. A link to a folder that was walked already is not followed again.
 */
export async function* walk(root: string): AsyncGenerator<Walked, void, void> {
  const above = rulesAbove(root);
  const applied = excluded(above, root, true) ? [] : above;
  yield* walkFolder(root, applied, new Set());
}

async function* walkFolder(folder: string, inherited: readonly Rules[], met: Set<string>): AsyncGenerator<Walked, void, void> {
  let names: string[];
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    if (met.has(`${dev}:${ino}`)) return;
    met.add(`${dev}:${ino}`);
    names = await readdir(folder);
  } catch (error) {
    yield { path: folder, error: error as Error };
    return;
  }
  const rules = [...inherited, ...rulesOf(folder)];
  for (const name of names.toSorted(byName)) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const path = join(folder, name);
    const kind = await stat(path).catch((error: Error) => error);
    if (kind instanceof Error) yield { path, error: kind };
    else if (excluded(rules, path, kind.isDirectory())) continue;
    else if (kind.isDirectory()) yield* walkFolder(path, rules, met);
    else if (kind.isFile()) yield { path };
  }
}

/** By code points, so that the order is the same on every machine. */
const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function rulesOf(folder: string): Rules[] {
  const texts = IGNORE_FILES.map((name) => join(folder, name))
    .filter((path) => existsSync(path))
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
