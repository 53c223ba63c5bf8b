import { setTimeout as wait } from 'node:timers/promises';
import { describe, isAbort, KbError } from '../core/errors.ts';
import { mapEvents, progress, type Progress, type Run } from '../core/run.ts';
import type { IngestRequest } from '../schema/requests.ts';
import type { IngestResult, WatchResult } from '../schema/results.ts';
import { count, listNames } from '../text/count.ts';
import type { Context } from './context.ts';
import type { KnownChanges } from './ingest.ts';
import { PendingChanges } from './pending-changes.ts';

/** Seconds before a failed run is repeated; doubled each time, up to the interval. */
const FIRST_RETRY = 10;
const MAX_NAMED = 3;

/** Ingests the configured sources; with `changes`, only the files that may have changed. */
type Ingest = (request: IngestRequest, context: Context, changes?: KnownChanges) => Run<IngestResult>;

/**
 * Ingests the configured sources until the signal is aborted: changed files as soon as they have settled, everything at every interval.
 * Documents that are gone are removed. A failure is retried; only a permanent one in the first run ends the watch.
 */
export async function* watchSources(context: Context, ingest: Ingest): Run<WatchResult> {
  const watch = new Watch(context, ingest);
  try {
    yield* watch.runs();
  } catch (error) {
    if (!isAbort(error)) throw error;
  } finally {
    watch.close();
  }
  return watch.result;
}

class Watch {
  readonly result: WatchResult = { runs: 0, stored: 0, pruned: 0, failed: 0, last_run: null, next_run: null };
  readonly #context: Context;
  readonly #ingest: Ingest;
  readonly #files: PendingChanges;
  /** Messages that were reported since the last run of all sources: each is reported once. */
  #reported = new Set<string>();
  #unreadable = new Set<string>();
  /** When all sources are read again, in milliseconds since 1970. */
  #due = Date.now();
  #retries = 0;
  /** Whether the last run failed as a whole: changes then wait for its retry. */
  #isBlocked = false;

  constructor(context: Context, ingest: Ingest) {
    this.#context = context;
    this.#ingest = ingest;
    this.#files = new PendingChanges(context);
  }

  close(): void {
    this.#files.close();
  }

  async *runs(): Run<void> {
    yield* this.#run(true);
    for (;;) {
      yield this.#event('', this.#retries > 0 ? 'failing' : 'waiting');
      const { signal } = this.#context;
      const timer = new AbortController();
      const ended = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
      try {
        const due = wait(Math.max(0, this.#due - Date.now()), undefined, { signal: ended });
        await Promise.race([due, ...(this.#isBlocked ? [] : [this.#files.whenSettled()])]);
      } finally {
        timer.abort();
      }
      yield* this.#run(false);
    }
  }

  async *#run(isFirst: boolean): Run<void> {
    const isWhole = Date.now() >= this.#due;
    if (isWhole || this.#files.hasReplacedFolders) yield* this.#watchFolders(isFirst);
    const changes = this.#files.takeChanges();
    if (isWhole) this.#unreadable = new Set();
    const known = isWhole ? undefined : { isChanged: changes.isChanged, unreadable: this.#unreadable };
    yield this.#event(isWhole ? 'Reading all sources.' : `Changed: ${listNames(changes.names, MAX_NAMED)}.`, 'reading');
    const { tracer } = this.#context;
    const running = this.#ingest({ prune: true }, { ...this.#context, lists: false }, known);
    try {
      const result = yield* onlyProgress(tracer?.run('ingest', running) ?? running);
      this.#isBlocked = false;
      yield* this.#report(result, isWhole);
    } catch (error) {
      if (isAbort(error) || (isFirst && !isTransient(error))) throw error;
      this.#isBlocked = true;
      this.result.failed++;
      yield this.#event(`${describe(error)} Trying again in ${this.#postpone()} s.`, 'failing');
    }
  }

  /** Watches the folders that exist now. */
  async *#watchFolders(isFirst: boolean): Run<void> {
    await this.#files.sync();
    if (isFirst) yield this.#event(`Watching ${this.#files.description}. Everything is read again every ${this.#interval} s.`, 'reading');
    for (const problem of this.#files.problems.splice(0)) yield this.#event(problem, 'failing');
  }

  *#report(
    { sources, stored, unchanged, pruned, passed_over, failed, errors, notices }: IngestResult,
    isWhole: boolean,
  ): Generator<Progress, void, void> {
    this.result.runs++;
    this.result.stored += stored;
    this.result.pruned += pruned.length;
    this.result.failed += failed;
    this.result.last_run = new Date().toISOString();
    const before = this.#reported;
    if (isWhole) this.#reported = new Set();
    for (const source of passed_over) this.#unreadable.add(source);
    for (const { source, error, isRetryable } of errors) {
      if (!isRetryable) this.#unreadable.add(source);
      yield* this.#reportOnce(error.includes(source) ? error : `${source}: ${error}`, before, 'failing');
    }
    for (const notice of notices) yield* this.#reportOnce(notice, before, 'reading');
    const done = [
      ...(stored > 0 ? [`stored ${count(stored, 'chunk')} of ${count(sources, 'document')}`] : []),
      ...(pruned.length > 0 ? [`removed ${count(pruned.length, 'document')}`] : []),
      ...(failed > 0 ? [count(failed, 'failure')] : []),
    ].join(', ');
    const isRetried = errors.some(({ isRetryable }) => isRetryable);
    if (isWhole && !isRetried) this.#scheduleNext();
    const again = isRetried && (isWhole || this.#retries === 0) ? ` Trying again in ${this.#postpone()} s.` : '';
    const text = done === '' ? `Nothing to do: ${count(unchanged, 'document')} unchanged.` : `${done[0]!.toUpperCase()}${done.slice(1)}.`;
    yield this.#event(`${text}${again}`, failed > 0 ? 'failing' : 'reading');
  }

  *#reportOnce(text: string, before: ReadonlySet<string>, state: State): Generator<Progress, void, void> {
    if (!this.#reported.has(text) && !before.has(text)) yield this.#event(text, state);
    this.#reported.add(text);
  }

  get #interval(): number {
    return this.#context.settings.watch.interval;
  }

  #scheduleNext(): void {
    this.#retries = 0;
    this.#due = Date.now() + this.#interval * 1000;
  }

  /** Postpones the next run of all sources; returns by how many seconds. */
  #postpone(): number {
    const seconds = Math.min(this.#interval, FIRST_RETRY * 2 ** this.#retries++);
    this.#due = Date.now() + seconds * 1000;
    return seconds;
  }

  #event(text: string, state: State): Progress {
    this.result.next_run = new Date(this.#due).toISOString();
    return progress('watch', { ...this.result, state }, text);
  }
}

type State = 'reading' | 'waiting' | 'failing';

const isTransient = (error: unknown): boolean => error instanceof KbError && error.isRetryable;

/** Passes on the progress of an ingest, without its items and notices. */
const onlyProgress = <R>(run: Run<R>): Run<R> =>
  mapEvents(run, (event) => (event.type === 'progress' && event.data.notice !== true ? event : undefined));
