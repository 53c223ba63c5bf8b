import type { Context } from './context.ts';
import { count } from '../text/count.ts';
import { FileWatcher, watchedPlaces, watchedSteps } from '../stages/extract/files/file-watcher.ts';
import { fileSource } from '../stages/extract/files/local-path.ts';
import { dirname } from 'node:path';

/** Maximum paths that are kept one by one. */
const MAX_PATHS = 10_000;

/** Changed paths in bounded memory: too many are replaced by their folders. */
export class ChangedPaths {
  #paths = new Set<string>();

  get size(): number {
    return this.#paths.size;
  }

  add(path: string): void {
    if (this.has(path)) return;
    if (this.#paths.size >= MAX_PATHS) this.#paths = new Set([...this.#paths].map((one) => dirname(one)));
    this.#paths.add(path);
  }

  /** Whether the path or a folder above it has changed. */
  has(path: string): boolean {
    return this.#paths.has(path) || (path !== dirname(path) && this.has(dirname(path)));
  }

  /** Returns the paths that are not inside another one. */
  outermost(): string[] {
    return [...this.#paths].filter((path) => path === dirname(path) || !this.has(dirname(path)));
  }
}

/** Milliseconds without a change after which files have settled, and milliseconds after which continually changing files are read nevertheless. */
const SETTLE_TIME = 1_000;
const MAX_BURST_TIME = 30_000;

/** Calls back when changes have settled, or have continued for MAX_BURST_TIME. */
export class ChangeDebouncer {
  readonly #onSettled: () => void;
  /** Time of the first change, in milliseconds since 1970. */
  #first: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  /** Whether changes have not settled yet. */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Records a change. */
  note(): void {
    const now = Date.now();
    this.#first ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#onSettled();
      },
      Math.max(0, Math.min(SETTLE_TIME, this.#first + MAX_BURST_TIME - now)),
    );
  }

  /** Forgets earlier changes: the next one counts as the first. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#first = undefined;
  }
}

/** Changes of the configured files since the last call of `takeChanges`. */
export class PendingChanges {
  /** What could not be watched, as sentences; the reader empties it. */
  readonly problems: string[] = [];
  readonly #context: Context;
  #watcher: FileWatcher | undefined;
  /** The watched paths, as JSON. */
  #watched = '';
  #hasReplacedFolders = false;
  #changed = new ChangedPaths();
  readonly #debouncer = new ChangeDebouncer(() => this.#wake?.());
  #wake: (() => void) | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Describes what is watched: `3 folders`. */
  get description(): string {
    return this.#watcher ? count(this.#watcher.folders, 'folder') : 'sites and APIs';
  }

  /** Whether folders were replaced, which are not watched until the next `sync`. */
  get hasReplacedFolders(): boolean {
    return this.#hasReplacedFolders;
  }

  async sync(): Promise<void> {
    this.#hasReplacedFolders = false;
    const { settings, home, signal, isState } = this.#context;
    const { docs } = settings.sources;
    if (docs === undefined) return;
    const place = { cwd: home, home };
    const [places, steps] = [watchedPlaces(docs, place), watchedSteps(docs, place)];
    const watched = JSON.stringify([places, steps]);
    if (watched !== this.#watched) {
      this.#watcher?.close();
      this.#watcher = undefined;
      this.#watched = watched;
      for (const { folder, file = folder } of places) this.#noteChange(file); // it may have changed before it was watched
    }
    this.#watcher ??= new FileWatcher({
      places,
      steps,
      isState,
      follow_links: settings.ingestion.docs.follow_links,
      gitignore: settings.ingestion.docs.gitignore,
      signal,
      onChange: (path) => this.#noteChange(path),
      onReplaced: (step) => {
        this.#hasReplacedFolders = true;
        this.#noteChange(step);
      },
      onProblem: ({ code, message }) =>
        this.problems.push(
          code === 'ENOSPC' || code === 'EMFILE'
            ? 'The system lets no more folders be watched (on Linux raise fs.inotify.max_user_watches): changes in the others are found at the next interval.'
            : `Not all folders can be watched (${message}): changes in these are found at the next interval.`,
        ),
    });
    await this.#watcher.sync();
  }

  /** Resolves when there are changes and they have settled. */
  whenSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#changed.size > 0 && !this.#debouncer.isWaiting) resolve();
    });
  }

  /** Returns the changes so far (a predicate for paths, and their sources) and forgets them. */
  takeChanges(): { isChanged(path: string): boolean; names: string[] } {
    const changed = this.#changed;
    this.#changed = new ChangedPaths();
    this.#debouncer.reset();
    return { isChanged: (path) => changed.has(path), names: changed.outermost().map((path) => fileSource(path, this.#context)) };
  }

  close(): void {
    this.#debouncer.reset();
    this.#watcher?.close();
  }

  #noteChange(path: string): void {
    this.#changed.add(path);
    this.#debouncer.note();
  }
}
