import { progress, type Progress, throwIfAborted } from '../../core/run.ts';
import type { Event } from '../../schema/results.ts';
import { SIGN_OF_LIFE } from '../../core/process-owner.ts';
import { isForeseen } from '../../core/errors.ts';
import {
  failedRecord,
  type JobFiles,
  type OnProblem,
  type Stop,
  stopped,
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
  readonly #waiting = new Set<() => void>();
  #sequence = 0;
  #hasEnded = false;

  tell(event: Progress): void {
    this.#add(event);
    if (this.#events.length > MOST_EVENTS) {
      const superseded = this.#events.findIndex(({ type }, place) => type === 'progress' && place < MOST_EVENTS);
      this.#events.splice(Math.max(0, superseded), 1);
    }
    this.#wake();
  }

  /** Tells the last events, which are never dropped; then every reader is at its end. */
  end(events: readonly Progress[]): void {
    for (const event of events) this.#add(event);
    this.#hasEnded = true;
    this.#wake();
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
      else await this.#news(signal);
    }
  }

  #add(event: Progress): void {
    this.#events.push({ ...event, sequence: this.#sequence++ });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #news(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener('abort', wake);
  }
}

/** How often the file of a running job is written at most, in milliseconds. */
const SAVED_EVERY = 1_000;

/** Types of events that are kept for readers; documents and chunks (`item`) are not. */
const TOLD: ReadonlySet<Event['type']> = new Set<Event['type']>(['progress', 'page', 'error']);

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
  #brought: JobResult | undefined;
  /** Whether the files hold all of it, since it ended. */
  isKept = false;
  readonly #parts: WorkParts;
  readonly #feed = new JobEvents();
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

  /** Begins, and waits until the job is in its file. */
  async begin(): Promise<void> {
    this.#timer = setInterval(() => this.#refresh(), SAVED_EVERY).unref();
    const first = this.#save();
    void this.#work().then((ending) => this.#settle(ending));
    await first;
  }

  /** The result, once the job is done. */
  get result(): JobResult | undefined {
    return this.record.state === 'done' ? this.#brought : undefined;
  }

  /** Fulfilled when it has ended, and its end is kept as well as it could be; never rejected. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Asks it to stop; it ends in this state unless it is done before it hears of it. */
  stop(why: Stop): void {
    this.#stop.abort(why);
  }

  /** Ends a job that was stopped and has not ended. Its work may go on for a while; nothing that comes of it is heard any more. */
  async abandon(): Promise<void> {
    await this.#settle(stopped(this.#stop.signal.reason as Stop, this.record.operation));
  }

  /** Yields the events so far and those to come, to the end. */
  events(signal: AbortSignal): AsyncGenerator<Event, void, void> {
    return this.#feed.read(signal);
  }

  /** Writes the job and its result once it has ended; again if that failed before. */
  async keep(): Promise<void> {
    await this.#keep(this.record, this.#brought);
  }

  #settle(ending: JobEnd): Promise<void> {
    return (this.#ending ??= this.#finish(ending));
  }

  async #finish(ending: JobEnd): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    const record = endedRecord(this.record, ending);
    const brought = ending.state === 'done' ? ending.result : (ending.unfinished as JobResult | undefined);
    await this.#keep(record, brought); // first, so that who hears of the end finds it, also from another process
    this.record = record;
    this.#brought = brought;
    this.#feed.end(lastEvents(record, brought));
    this.#end.resolve();
  }

  async #keep(record: JobRecord, result: JobResult | undefined): Promise<void> {
    const { files } = this.#parts;
    const hasResult = !result || (await files.writeResult(record.id, result));
    this.isKept = (await files.write(record)) && hasResult;
  }

  async #work(): Promise<JobEnd> {
    const { slots, onProblem } = this.#parts;
    const { signal } = this.#stop;
    const { id, operation } = this.record;
    try {
      await slots.enter(signal, () => this.#waits());
      try {
        this.#at({});
        return { state: 'done', result: (await this.#follow()) as JobResult };
      } finally {
        slots.leave();
      }
    } catch (error) {
      if (signal.aborted) return stopped(signal.reason as Stop, operation, error);
      if (!isForeseen(error)) onProblem(`The job ${id} failed.`, error);
      return failedRecord(error);
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
        this.#hear(step.value);
      }
    } finally {
      await run.return(undefined as never);
    }
  }

  #hear({ type, stage, message, data }: Event): void {
    if (!TOLD.has(type) || this.#ending) return;
    this.#feed.tell({ type, stage, message, data });
    if (type === 'progress' && Object.keys(data).length > 0) this.#at(data);
  }

  #at(data: JobRecord['progress']): void {
    this.record = { ...this.record, progress: data };
    this.#isChanged = true;
  }

  #waits(): void {
    const waiting = progress(EVENT_STAGE[this.record.operation], { waiting: true }, 'Waiting until fewer jobs are running.');
    this.#feed.tell(waiting);
    this.#at(waiting.data);
  }

  #refresh(): void {
    if (this.#saving || (!this.#isChanged && Date.now() - this.#saved < SIGN_OF_LIFE)) return;
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
