import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { systemPath } from '../../../core/file-names.ts';
import { isWithin } from './local-path.ts';

/** Rules of one folder's ignore files; they hold for what lies in it. */
interface FolderRules {
  folder: string;
  rules: Ignore;
}

/** Those that hold in a folder, outermost first. */
export type Rules = readonly FolderRules[];

/** Names of the files that say what is left out of their folders. */
export const IGNORE_FILES = ['.gitignore', '.kbignore'];

/** Of plain files alone: reading a pipe of that name would never end. */
export function rulesOf(folder: string): FolderRules[] {
  const texts = IGNORE_FILES.map((name) => join(folder, name))
    .filter((path) => statSync(systemPath(path), { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(systemPath(path), 'utf8'));
  return texts.length > 0 ? [{ folder, rules: ignore().add(texts.join('\n')) }] : [];
}

function rulesAbove(root: string): FolderRules[] {
  const found: FolderRules[] = [];
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    found.unshift(...rulesOf(folder));
    if (existsSync(systemPath(join(folder, '.git')))) return found;
    if (folder === dirname(folder)) return [];
  }
}

/** The innermost rule that speaks of a path decides, as in git. */
export function isExcluded(rules: Rules, path: string, isFolder: boolean): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(relative(folder, path).split(sep).join('/') + (isFolder ? '/' : ''));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** Paths after which what is known is forgotten: every rule remembers all that it was asked for. */
const MOST_ASKED = 10_000;

/** What ignore files leave out of a folder that is read, as they are when they are first needed. */
export class IgnoreRules {
  readonly #root: string;
  /** What holds in each folder; undefined in one that is left out itself. */
  readonly #known = new Map<string, Rules | undefined>();

  #asked = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The rules from above for the folder that is read, or one in it; undefined where that is left out. A rule for the former does not count: it was named. */
  above(folder: string): Rules | undefined {
    if (folder === this.#root || !isWithin(this.#root, folder)) {
      const rules = rulesAbove(folder);
      return isExcluded(rules, folder, true) ? [] : rules;
    }
    const rules = this.#in(dirname(folder));
    return rules && isExcluded(rules, folder, true) ? undefined : rules;
  }

  /** Whether a path is left out that lies in the folder that is read. Throws what reading an ignore file throws. */
  excludes(path: string, isFolder: boolean): boolean {
    if (++this.#asked % MOST_ASKED === 0) this.#known.clear();
    const rules = this.#in(dirname(path));
    return rules === undefined || isExcluded(rules, path, isFolder);
  }

  #in(folder: string): Rules | undefined {
    if (!this.#known.has(folder)) {
      const above = this.above(folder);
      this.#known.set(folder, above && [...above, ...rulesOf(folder)]);
    }
    return this.#known.get(folder);
  }
}
