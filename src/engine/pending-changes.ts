import type { Context } from './context.ts';
import { count } from '../text/count.ts';
import { FileWatcher, watchedPlaces, watchedSteps } from '../stages/extract/files/file-watcher.ts';
import { fileSource } from '../stages/extract/files/local-path.ts';
import { storeFolder } from './store-address.ts';
import { dirname } from 'node:path';

/** Maximum paths that are kept separately. */
const MOST_PATHS = 10_000;

/** Paths that have changed, in bounded memory: where there are too many, their folders stand for them. */
export class ChangedPaths {
  #paths = new Set<string>();

  get size(): number {
    return this.#paths.size;
  }

  add(path: string): void {
    if (this.has(path)) return;
    if (this.#paths.size >= MOST_PATHS) this.#paths = new Set([...this.#paths].map((one) => dirname(one)));
    this.#paths.add(path);
  }

  /** Whether the path or a folder above it has changed. */
  has(path: string): boolean {
    return this.#paths.has(path) || (path !== dirname(path) && this.has(dirname(path)));
  }

  /** Those that lie in no other one. */
  outermost(): string[] {
    return [...this.#paths].filter((path) => path === dirname(path) || !this.has(dirname(path)));
  }
}

/** Milliseconds without a change after which files have settled, and after which files that change on and on are read all the same. */
const SETTLED = 1_000;
const LONGEST_BURST = 30_000;

/** Calls back once changes have settled, or have gone on for long. */
export class Settling {
  readonly #onSettled: () => void;
  /** When the first change came, in milliseconds. */
  #first: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  /** Whether the last change is not long ago. */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Something has changed. */
  note(): void {
    const now = Date.now();
    this.#first ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#onSettled();
      },
      Math.max(0, Math.min(SETTLED, this.#first + LONGEST_BURST - now)),
    );
  }

  /** The next change is the first one again. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#first = undefined;
  }
}

/** Changes of the files of the configured sources since they were last taken. */
export class PendingChanges {
  /** What could not be watched, as sentences; the reporter empties it. */
  readonly problems: string[] = [];
  readonly #context: Context;
  #watcher: FileWatcher | undefined;
  /** What is watched, as JSON. */
  #watched = '';
  #hasReplacedFolders = false;
  #changed = new ChangedPaths();
  readonly #settling = new Settling(() => this.#wake?.());
  #wake: (() => void) | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** What is watched, such as `3 folders`. */
  get description(): string {
    return this.#watcher ? count(this.#watcher.folders, 'folder') : 'sites and APIs';
  }

  /** Whether folders were replaced, which are not watched until the next `sync`. */
  get hasReplacedFolders(): boolean {
    return this.#hasReplacedFolders;
  }

  async sync(): Promise<void> {
    this.#hasReplacedFolders = false;
    const { settings, home, signal } = this.#context;
    const { docs } = settings.sources;
    if (docs === undefined) return;
    const place = { cwd: home, home };
    const [places, steps] = [watchedPlaces(docs, place), watchedSteps(docs, place)];
    const watched = JSON.stringify([places, steps]);
    if (watched !== this.#watched) {
      this.#watcher?.close();
      this.#watcher = undefined;
      this.#watched = watched;
      for (const { folder, file = folder } of places) this.#noteChange(file); // it may have changed while it was not watched
    }
    this.#watcher ??= new FileWatcher({
      places,
      steps,
      excluded: storeFolder(settings.storage, home),
      follow_links: settings.ingestion.docs.follow_links,
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

  /** Resolves when something has changed and nothing more does. */
  whenSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#changed.size > 0 && !this.#settling.isWaiting) resolve();
    });
  }

  /** Takes the changes so far: a test for paths, and their names. */
  takeChanges(): { isChanged(path: string): boolean; names: string[] } {
    const changed = this.#changed;
    this.#changed = new ChangedPaths();
    this.#settling.reset();
    return { isChanged: (path) => changed.has(path), names: changed.outermost().map((path) => fileSource(path, this.#context)) };
  }

  close(): void {
    this.#settling.reset();
    this.#watcher?.close();
  }

  #noteChange(path: string): void {
    this.#changed.add(path);
    this.#settling.note();
  }
}
