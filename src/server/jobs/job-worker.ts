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
  endedRecord,
  EVENT_STAGE,
  type JobEnd,
  type JobRecord,
  type JobResult,
  lastEvents,
} from './job-files.ts';
import type { Slots } from '../queues.ts';

/** How many events of a running job are kept for its readers. */
export const MOST_EVENTS = 1_000;

/**
 * The events of one job, for any number of readers. They share one bounded buffer, each at its own place: a reader that is slow, or gone,
 * holds nobody up and costs nothing; one that falls behind misses what was dropped meanwhile — progress first, which is superseded anyway.
 */
export class JobEvents {
  readonly #events: Event[] = [];
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #sequence = 0;
  #hasEnded = false;

  push(event: Progress): void {
    this.#add(event);
    if (this.#events.length > MOST_EVENTS) {
      const superseded = this.#events.findIndex(({ type }, place) => type === 'progress' && place < MOST_EVENTS);
      this.#events.splice(Math.max(0, superseded), 1);
    }
    this.#changes.emit('change');
  }

  /** Adds the last events, which are never dropped; then every reader is at its end. */
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

/** How often the file of a running job is written at most, in milliseconds. */
const SAVED_EVERY = 1_000;

/** Types of events that are kept for readers; documents and chunks (`item`) are not. */
const KEPT_TYPES: ReadonlySet<Event['type']> = new Set<Event['type']>(['progress', 'page', 'error']);

interface WorkParts {
  /** The run; nothing begins before it has a slot. */
  run(signal: AbortSignal): AsyncGenerator<Event, object, void>;
  slots: Slots;
  files: JobFiles;
  onProblem: OnProblem;
}

/** The work of one job of this process: it goes on whether or not anyone listens. */
export class JobWorker {
  record: JobRecord;
  /** The result, also a partial one. */
  #result: JobResult | undefined;
  /** Whether it has ended and the files hold all of it. */
  isKept = false;
  readonly #parts: WorkParts;
  readonly #events = new JobEvents();
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;
  #isChanged = false;
  #saved = Date.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(record: JobRecord, parts: WorkParts) {
    this.record = record;
    this.#parts = parts;
  }

  /** Starts the work, and waits until the job is in its file. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => this.#refresh(), SAVED_EVERY).unref();
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

  /** Asks it to stop; it ends in this state, unless it is done before it notices. */
  stop(why: Stop): void {
    this.#stop.abort(why);
  }

  /** Ends a job that was stopped and has not ended. Its work may go on for a while; its events and its result are ignored. */
  async abandon(): Promise<void> {
    await this.#settle(stoppedEnd(this.#stop.signal.reason as Stop, this.record.operation));
  }

  /** Yields the events so far and those to come, to the end. */
  events(signal: AbortSignal): AsyncGenerator<Event, void, void> {
    return this.#events.read(signal);
  }

  /** Writes the job and its result once it has ended; again if that failed before. */
  async keep(): Promise<void> {
    await this.#keep(this.record, this.#result);
  }

  #settle(ending: JobEnd): Promise<void> {
    return (this.#ending ??= this.#finish(ending));
  }

  async #finish(ending: JobEnd): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    const record = endedRecord(this.record, ending);
    const result = ending.state === 'done' ? ending.result : (ending.unfinished as JobResult | undefined);
    await this.#keep(record, result); // first, so that whoever learns of the end finds it, also from another process
    this.record = record;
    this.#result = result;
    this.#events.end(lastEvents(record, result));
    this.#end.resolve();
  }

  async #keep(record: JobRecord, result: JobResult | undefined): Promise<void> {
    const { files } = this.#parts;
    const hasResult = !result || (await files.writeResult(record.id, result));
    this.isKept = (await files.write(record)) && hasResult;
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

  /** Draws the run to its end. A run that was stopped in the middle is closed before this ends. */
  async #follow(): Promise<object> {
    const { signal } = this.#stop;
    const run = this.#parts.run(signal);
    try {
      for (;;) {
        throwIfAborted(signal);
        const step = await run.next();
        if (step.done) return step.value;
        this.#take(step.value);
      }
    } finally {
      await run.return(undefined as never);
    }
  }

  #take({ type, stage, message, data }: Event): void {
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
