import { FileWatcher, type WatchedPlace, watchedPlaces } from '../../stages/extract/files/file-watcher.ts';
import { fileSource } from '../../stages/extract/files/local-path.ts';
import { count } from '../../text/count.ts';
import type { Context } from '../context.ts';
import { storeFolder } from '../store-address.ts';
import { ChangedPaths } from './changed-paths.ts';

/** Milliseconds without a change after which files have settled, and after which a file that is written without end is read all the same. */
const SETTLED = 1_000;
const LONGEST_BURST = 30_000;

/** Changes of the files of the configured sources since they were last taken. */
export class PendingChanges {
  /** What could not be watched, as sentences; whoever tells it empties it. */
  readonly problems: string[] = [];
  readonly #context: Context;
  #watcher: FileWatcher | undefined;
  #places: WatchedPlace[] = [];
  #changed = new ChangedPaths();
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  /** What is watched, such as `3 folders`. */
  get description(): string {
    return this.#watcher ? count(this.#watcher.folders, 'folder') : 'sites and APIs';
  }

  /** Watches the folders that there are now. */
  async sync(): Promise<void> {
    const { settings, home } = this.#context;
    const { docs } = settings.sources;
    if (docs === undefined) return;
    const places = watchedPlaces(docs, { cwd: home, home });
    if (JSON.stringify(places) !== JSON.stringify(this.#places)) {
      this.#watcher?.close();
      this.#watcher = undefined;
      this.#places = places;
    }
    this.#watcher ??= new FileWatcher({
      places,
      except: storeFolder(settings.storage, home),
      follow_links: settings.ingestion.docs.follow_links,
      onChange: (path) => this.#note(path),
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
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#changed.size > 0 && this.#timer === undefined) resolve();
    });
  }

  /** What has changed: a test for paths, and what to call it. */
  take(): { isChanged(path: string): boolean; names: string[] } {
    const changed = this.#changed;
    this.#changed = new ChangedPaths();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return { isChanged: (path) => changed.has(path), names: changed.outermost().map((path) => fileSource(path, this.#context)) };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #note(path: string): void {
    const now = Date.now();
    if (this.#changed.size === 0) this.#first = now;
    this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#wake?.();
      },
      Math.max(0, Math.min(SETTLED, this.#first + LONGEST_BURST - now)),
    );
  }
}
