import { EventEmitter, once } from 'node:events';
import { progress, type Progress, throwIfAborted } from '../../core/run.ts';
import type { Event } from '../../schema/results.ts';
import { HEARTBEAT_INTERVAL } from '../../core/process-owner.ts';
import { isForeseen } from '../../core/errors.ts';
import {
  failedEnd,
  type JobFiles,
  type OnProblem,
  type Stop,
  stoppedEnd,
  finishRecord,
  EVENT_STAGE,
  type JobEnd,
  type JobRecord,
  type JobResult,
  lastEvents,
  withoutTexts,
} from './job-files.ts';
import type { Slots } from '../queues.ts';

/** Maximum events of a running job that are kept for its readers. */
export const MAX_EVENTS = 1_000;

/**
 * The events of one job for any number of readers, which share one bounded buffer. A slow reader blocks nobody, but misses events that were
 * dropped meanwhile: progress first, because later progress supersedes it.
 */
export class JobEvents {
  readonly #events: Event[] = [];
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #sequence = 0;
  #hasEnded = false;

  push(event: Progress): void {
    this.#add(event);
    if (this.#events.length > MAX_EVENTS) {
      const superseded = this.#events.findIndex(({ type }, place) => type === 'progress' && place < MAX_EVENTS);
      this.#events.splice(Math.max(0, superseded), 1);
    }
    this.#changes.emit('change');
  }

  /** Adds the last events, which are never dropped, and ends all readers. */
  end(events: readonly Progress[]): void {
    for (const event of events) this.#add(event);
    this.#hasEnded = true;
    this.#changes.emit('change');
  }

  /** Yields the events so far and those to come, until the end or until the signal says that the reader has left. */
  async *read(signal: AbortSignal): AsyncGenerator<Event, void, void> {
    for (let next = 0; !signal.aborted;) {
      const place = this.#events.findLastIndex(({ sequence }) => sequence < next) + 1;
      const event = this.#events[place];
      if (event) {
        next = event.sequence + 1;
        yield event;
      } else if (this.#hasEnded) return;
      else await once(this.#changes, 'change', { signal }).catch(() => {}); // the reader has left
    }
  }

  #add(event: Progress): void {
    this.#events.push({ ...event, sequence: this.#sequence++ });
  }
}

/** Minimum milliseconds between two writes of the file of a running job. */
const SAVE_INTERVAL = 1_000;

/** Types of events that are kept for readers; documents and chunks (`item`) are not. */
const KEPT_TYPES: ReadonlySet<Event['type']> = new Set<Event['type']>(['progress', 'page', 'error']);

interface WorkerParts {
  /** Starts the run, once a slot is free. */
  run(signal: AbortSignal): AsyncGenerator<Event, object, void>;
  slots: Slots;
  files: JobFiles;
  onProblem: OnProblem;
}

/** Runs one job in this process, whether or not anyone reads its events. */
export class JobWorker {
  record: JobRecord;
  /** The result without texts, also a partial one. */
  #result: JobResult | undefined;
  /** Whether the job has ended and its files are complete. */
  isSaved = false;
  readonly #parts: WorkerParts;
  readonly #events = new JobEvents();
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;
  #isChanged = false;
  #saved = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(record: JobRecord, parts: WorkerParts) {
    this.record = record;
    this.#parts = parts;
  }

  /** Starts the work, and waits until the file of the job is written. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => this.#refresh(), SAVE_INTERVAL).unref();
    const first = this.#save();
    void this.#run().then((ending) => this.#settle(ending));
    await first;
  }

  /** The result, once the job is done. */
  get result(): JobResult | undefined {
    return this.record.state === 'done' ? this.#result : undefined;
  }

  /** Resolves when it has ended and its end is written, as far as possible; never rejects. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Asks the work to stop. The job ends in this state, unless it is done before. */
  stop(state: Stop): void {
    this.#stop.abort(state);
  }

  /** Ends a stopped job whose work has not ended. The work may continue for a while; its events and result are ignored. */
  async abandon(): Promise<void> {
    await this.#settle(stoppedEnd(this.#stop.signal.reason as Stop, this.record.operation));
  }

  /** Yields the events so far and those to come, to the end. */
  events(signal: AbortSignal): AsyncGenerator<Event, void, void> {
    return this.#events.read(signal);
  }

  /** Writes an ended job and its result, again if that failed before. */
  async saveEnd(): Promise<void> {
    await this.#writeEnd(this.record, this.#result);
  }

  #settle(ending: JobEnd): Promise<void> {
    return (this.#ending ??= this.#finish(ending));
  }

  async #finish(ending: JobEnd): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    const record = finishRecord(this.record, ending);
    const result = ending.state === 'done' ? ending.result : (ending.unfinished as JobResult | undefined);
    this.#result = result && withoutTexts(result);
    await this.#writeEnd(record, this.#result); // before the end is announced, so that other processes find it, too
    this.record = record;
    this.#events.end(lastEvents(record, result));
    this.#end.resolve();
  }

  async #writeEnd(record: JobRecord, result: JobResult | undefined): Promise<void> {
    const { files } = this.#parts;
    const hasResult = !result || (await files.writeResult(record.id, result));
    this.isSaved = (await files.write(record)) && hasResult;
  }

  async #run(): Promise<JobEnd> {
    const { slots, onProblem } = this.#parts;
    const { signal } = this.#stop;
    const { id, operation } = this.record;
    try {
      await slots.enter(signal, () => this.#reportWaiting());
      try {
        this.#setProgress({});
        return { state: 'done', result: (await this.#follow()) as JobResult };
      } finally {
        slots.leave();
      }
    } catch (error) {
      if (signal.aborted) return stoppedEnd(signal.reason as Stop, operation, error);
      if (!isForeseen(error)) onProblem(`The job ${id} failed.`, error);
      return failedEnd(error);
    }
  }

  /** Runs to the end. A run that is stopped in the middle is closed first. */
  async #follow(): Promise<object> {
    const { signal } = this.#stop;
    const run = this.#parts.run(signal);
    try {
      for (;;) {
        throwIfAborted(signal);
        const step = await run.next();
        if (step.done) return step.value;
        this.#handleEvent(step.value);
      }
    } finally {
      await run.return(undefined as never);
    }
  }

  #handleEvent({ type, stage, message, data }: Event): void {
    if (!KEPT_TYPES.has(type) || this.#ending) return;
    this.#events.push({ type, stage, message, data });
    if (type === 'progress' && Object.keys(data).length > 0) this.#setProgress(data);
  }

  #setProgress(data: JobRecord['progress']): void {
    this.record = { ...this.record, progress: data };
    this.#isChanged = true;
  }

  #reportWaiting(): void {
    const waiting = progress(EVENT_STAGE[this.record.operation], { waiting: true }, 'Waiting until fewer jobs are running.');
    this.#events.push(waiting);
    this.#setProgress(waiting.data);
  }

  #refresh(): void {
    if (this.#saving || (!this.#isChanged && Date.now() - this.#saved < HEARTBEAT_INTERVAL)) return;
    void this.#save();
  }

  async #save(): Promise<void> {
    this.#isChanged = false;
    this.#saved = Date.now();
    this.#saving = this.#parts.files.write(this.record);
    await this.#saving;
    this.#saving = undefined;
  }
}
