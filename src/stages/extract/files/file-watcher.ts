import picomatch from 'picomatch';
import { type FSWatcher, type Stats, statSync, watch, existsSync } from 'node:fs';
import { basename, dirname, join, resolve, sep, parse } from 'node:path';
import { decodePath, encodePath } from '../../../core/file-names.ts';
import { throwIfAborted } from '../../../core/run.ts';
import { IGNORE_FILES, IgnoreRules, SIDECAR } from './folder-rules.ts';
import { walk, docsEntries, isPattern } from './list-files.ts';
import { isWithin, realPath, type PathPlace, existingPath, linkTarget } from './local-path.ts';
import type { DocsInput } from '../../../schema/source-entries.ts';
import { isUrl } from '../pages/web-addresses.ts';

/** Whether watchers are recursive. On Linux, Node would use a watcher for every file, and their number is limited. */
const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

/** Files that affect others: a change of one counts as a change of its folder. */
const FOLDER_RULE_FILES: ReadonlySet<string> = new Set([...IGNORE_FILES, SIDECAR]);

/** Files that editors write beside an open file: backups, locks, and the test file of Vim. Hidden ones are excluded anyway. */
const EDITOR_FILE = /^(?:4913|#.*#|.*~|~\$.*|.*___jb_(?:tmp|old)___|.*\.(?:tmp|kate-swp|crswap))$/;

interface WatcherOptions {
  places: readonly WatchedPlace[];
  /** Paths whose replacement changes where the places are. */
  steps: readonly string[];
  /** Whether a real path is of kb's own state, whose changes are ignored. */
  isState(path: string): boolean;
  follow_links: boolean;
  /** Whether `.gitignore` excludes files of folders. */
  gitignore: boolean;
  /** Stops the walk through the folders. */
  signal?: AbortSignal | undefined;
  /** Called with the real path of each changed file or folder. */
  onChange(path: string): void;
  /** Called with a step that was created, moved or removed: nothing below it is watched until the next `sync`. */
  onReplaced(step: string): void;
  /** Called once with the reason why not all folders can be watched. */
  onProblem(error: NodeJS.ErrnoException): void;
}

/** Watches folders by events of the file system, without hidden files, `node_modules` and what ignore files exclude. */
export class FileWatcher {
  readonly #options: WatcherOptions;
  /** Folders first: a recursive watcher makes one for a file in it unnecessary. */
  readonly #places: readonly WatchedPlace[];
  readonly #watchers = new Map<string, { watcher: FSWatcher; inode: number | undefined }>();
  /** Watchers of the folders that contain steps. */
  readonly #stepWatchers = new Map<string, FSWatcher>();
  /** Ignore rules by the folder of their place; cleared when an ignore file may have changed. */
  readonly #ignored = new Map<string, IgnoreRules>();
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  #hasReported = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#places = options.places.toSorted((a, b) => Number(a.file !== undefined) - Number(b.file !== undefined));
    this.#signal = AbortSignal.any([this.#closed.signal, ...(options.signal ? [options.signal] : [])]);
  }

  get folders(): number {
    return this.#watchers.size;
  }

  /** Watches new folders, and stops watching those that are gone. Throws a KbError (`aborted`) when it is stopped or closed. */
  async sync(): Promise<void> {
    this.#ignored.clear();
    for (const [folder, { inode }] of this.#watchers) if (statsOf(folder)?.ino !== inode) this.#unwatch(folder);
    for (const folder of new Set(this.#options.steps.map((step) => dirname(step)))) this.#watchSteps(folder);
    for (const place of this.#places) await this.#watchPlace(place);
  }

  close(): void {
    this.#closed.abort();
    for (const folder of this.#watchers.keys()) this.#unwatch(folder);
    for (const watcher of this.#stepWatchers.values()) watcher.close();
  }

  /** Watches the steps in a folder. A folder that may not be read is skipped: its changes are found at the next interval. */
  #watchSteps(folder: string): void {
    this.#stepWatchers.get(folder)?.close(); // the folder may have been replaced
    this.#stepWatchers.delete(folder);
    try {
      const watcher = watch(encodePath(folder), { encoding: 'buffer' }, (event, name) => {
        const step = name && join(folder, decodePath(name));
        if (event === 'rename' && step && this.#options.steps.includes(step)) this.#handleReplacedStep(step);
      });
      watcher.on('error', () => watcher.close());
      this.#stepWatchers.set(folder, watcher);
    } catch {}
  }

  /** Stops watching the folders below a replaced step, where other folders may have the same names. */
  #handleReplacedStep(step: string): void {
    for (const folder of this.#watchers.keys()) if (isWithin(step, folder)) this.#unwatch(folder);
    this.#options.onReplaced(step);
  }

  async #watchPlace(place: WatchedPlace): Promise<void> {
    if (place.file !== undefined || IS_RECURSIVE) this.#watch(place.folder, place);
    else await this.#watchAll(place);
  }

  /** Watches a folder and all folders in it, each before its files are listed, so that no change is missed. */
  async #watchAll(place: WatchedPlace, folder = place.folder): Promise<void> {
    const { follow_links, gitignore, isState } = this.#options;
    const onFolder = (path: string) => this.#watch(path, place);
    for await (const _found of walk(folder, { follow_links, gitignore, isState, onFolder, signal: this.#signal, within: place.folder }))
      throwIfAborted(this.#signal);
  }

  #watch(folder: string, place: WatchedPlace): void {
    if (this.#signal.aborted || this.#watchers.has(folder) || this.#options.isState(realPath(folder))) return;
    try {
      const watcher = watch(encodePath(folder), { recursive: IS_RECURSIVE && place.file === undefined, encoding: 'buffer' }, (_, name) => {
        if (name) for (const one of this.#placesOf(folder)) this.#handleChange(join(folder, decodePath(name)), one);
        else this.#options.onChange(folder);
      });
      watcher.on('error', () => this.#unwatch(folder)); // on Windows, a folder that is gone
      this.#watchers.set(folder, { watcher, inode: statsOf(folder)?.ino });
    } catch (error) {
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isGone || this.#hasReported) return;
      this.#hasReported = true;
      this.#options.onProblem(error as NodeJS.ErrnoException);
    }
  }

  /** The places in a folder: the folder itself and files in it may have been named separately. */
  #placesOf(folder: string): WatchedPlace[] {
    return this.#places.filter((place) => (place.file === undefined ? isWithin(place.folder, folder) : place.folder === folder));
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }

  #handleChange(path: string, place: WatchedPlace): void {
    const { onChange, isState } = this.#options;
    const name = basename(path);
    if (place.file === undefined ? isState(realPath(path)) : path !== place.file) return;
    if (FOLDER_RULE_FILES.has(name)) {
      onChange(realPath(dirname(path)));
      if (name !== SIDECAR) this.#refresh(dirname(path), place);
      return;
    }
    if (
      path
        .slice(place.folder.length)
        .split(sep)
        .some((part) => part.startsWith('.') || part === 'node_modules') ||
      this.#isIgnored(path, place)
    )
      return;
    if (place.file === undefined && EDITOR_FILE.test(name)) return;
    onChange(realPath(path));
    this.#refresh(path, place);
  }

  /** Whether ignore files exclude a path. A path that is gone may have been a file or a folder, so both must be excluded. */
  #isIgnored(path: string, { folder, ...place }: WatchedPlace): boolean {
    if (place.file !== undefined || place.isPattern) return false;
    const rules = this.#ignored.get(folder) ?? new IgnoreRules(folder, this.#options.gitignore);
    this.#ignored.set(folder, rules);
    const found = statsOf(path);
    try {
      return (found ? [found.isDirectory()] : [true, false]).every((isFolder) => rules.excludes(path, isFolder));
    } catch {
      return false; // an unreadable ignore file: the ingest reports it
    }
  }

  /** Watches the folders that now exist at a path, which may differ from those before and have other ignore files. */
  #refresh(path: string, place: WatchedPlace): void {
    const found = statsOf(path);
    if (!found?.isFile()) this.#ignored.delete(place.folder);
    if (IS_RECURSIVE || place.file !== undefined) return;
    for (const folder of this.#watchers.keys()) if (isWithin(path, folder)) this.#unwatch(folder);
    if (!found?.isDirectory()) return;
    const again = this.#watchAgain(path).then(() => this.#options.onChange(realPath(path)));
    again.catch(() => {}); // the watcher was closed
  }

  /** Watches a folder again for every place that contains it: each has its own ignore rules. */
  async #watchAgain(folder: string): Promise<void> {
    for (const place of this.#places) {
      if (isWithin(folder, place.folder)) await this.#watchPlace(place);
      else if (place.file === undefined && isWithin(place.folder, folder)) await this.#watchAll(place, folder);
    }
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(encodePath(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // a link that leads to itself, or a folder that must not be looked into
  }
}

/** A watched folder, absolute and real, with all folders in it, or a single file of it. */
export interface WatchedPlace {
  folder: string;
  /** The only watched file; absent: all files, also those of the folders in it. */
  file?: string;
  /** Whether the files are those that a pattern matches, which ignore files do not exclude. */
  isPattern?: boolean;
}

/** Lists the folders of a `docs` input that exist. Links to the web have none. */
export function watchedPlaces(docs: DocsInput, place: PathPlace): WatchedPlace[] {
  return docsEntries(docs).flatMap(({ path: given }): WatchedPlace[] => {
    if (isUrl(given)) return [];
    const begin = resolveStart(given, place);
    const path = realPath(begin.path);
    if (isFolder(path)) return [{ folder: path, ...(begin.isPattern && { isPattern: true }) }];
    return !begin.isPattern && isFolder(dirname(path)) ? [{ folder: dirname(path), file: path }] : [];
  });
}

/** Lists the paths that decide where the places of a `docs` input are: links, and folders that may be replaced or created. */
export function watchedSteps(docs: DocsInput, place: PathPlace): string[] {
  const seen = new Set<string>();
  const home = realPath(place.home);
  const given = docsEntries(docs).flatMap(({ path }) => (isUrl(path) ? [] : [path]));
  return given.flatMap((path) => [...pathSteps(resolveStart(path, place).path, home, seen)]);
}

/** The path of an entry, or the folder that a pattern begins at, without resolving links. */
function resolveStart(given: string, place: PathPlace): { path: string; isPattern: boolean } {
  const path = resolve(place.cwd, given);
  if (existsSync(encodePath(path)) || !isPattern(given, place)) return { path, isPattern: false };
  return { path: resolve(place.cwd, picomatch.scan(given).base), isPattern: true };
}

const isFolder = (path: string): boolean => statSync(encodePath(path), { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Yields the paths whose replacement makes an absolute path lead elsewhere: its end, its links and their targets, its first missing part, and all
 * folders below `home`. Each is in a real folder. Paths in `seen` are skipped, new ones are added to it.
 */
function* pathSteps(path: string, home: string, seen: Set<string>): Generator<string, void, void> {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep).filter(Boolean);
  let folder = root;
  for (const [i, name] of names.entries()) {
    const step = join(folder, name);
    const [found, target] = [existingPath(step), linkTarget(step)];
    const matters = found === undefined || target !== undefined || i === names.length - 1 || isWithin(home, folder);
    if (matters && !seen.has(step)) {
      seen.add(step);
      yield step;
      if (target !== undefined) yield* pathSteps(resolve(folder, target), home, seen);
    }
    if (found === undefined) return;
    folder = found;
  }
}
