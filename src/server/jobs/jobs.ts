import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from '../../schema/results.ts';
import { httpWording } from '../routes.ts';
import {
  JobFiles,
  type OnProblem,
  EVENT_STAGE,
  maySeeJob,
  type JobRecord,
  jobSources,
  lastEvents,
  makeJobId,
  jobNotFoundError,
  publicJob,
  jobWithResult,
  jobStartTime,
} from './job-files.ts';
import { THIS_PROCESS } from '../../core/process-owner.ts';
import { KbError } from '../../core/errors.ts';
import type { AccessRights } from '../../core/access-rights.ts';
import type { Engine } from '../../ports/engines.ts';
import type { Job, JobOperation } from '../../schema/http-bodies.ts';
import { Slots } from '../queues.ts';
import { JobWorker } from './job-worker.ts';

/** Milliseconds between reads of the file of a job of another process, which is written as often. */
const POLL_INTERVAL = 1_000;

/** Yields the events of a job of another process, from its files: progress and the end. Throws a KbError (`not_found`). */
async function* watchJob(id: string, files: JobFiles, signal: AbortSignal): AsyncGenerator<Event, void, void> {
  let sent = '{}';
  for (let sequence = 0; !signal.aborted;) {
    const record = await files.read(id);
    if (!record) throw jobNotFoundError();
    if (record.state !== 'running') {
      for (const event of lastEvents(record, await files.readResult(id))) yield { ...event, sequence: sequence++ };
      return;
    }
    const data = record.progress;
    if (JSON.stringify(data) !== sent)
      yield { type: 'progress', stage: EVENT_STAGE[record.operation], message: '', data, sequence: sequence++ };
    sent = JSON.stringify(data);
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => {}); // the reader has left
  }
}

/** Makes a stream whose `return()`, unlike that of a generator, works during a pending `next()`: it aborts the signal given to `make`. */
function makeCancellable<Item>(make: (signal: AbortSignal) => AsyncGenerator<Item, void, void>): AsyncGenerator<Item, void, void> {
  const hasLeft = new AbortController();
  const inner = make(hasLeft.signal);
  const leave = async (): Promise<IteratorResult<Item, void>> => {
    hasLeft.abort();
    return await inner.return();
  };
  const stream: AsyncGenerator<Item, void, void> = {
    next: () => inner.next(),
    return: leave,
    throw: async (error) => {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: async () => void (await leave()),
  };
  return stream;
}

/** Milliseconds for cancelled work to stop; then it is abandoned, and its result ignored. */
const STOP_TIMEOUT = 5_000;

/** Maximum jobs of a server that run at once. */
export const MAX_RUNNING = 4;
/** Maximum jobs that wait, and maximum bytes of requests in memory. */
export const MAX_WAITING_JOBS = 100;
const MAX_REQUEST_BYTES = 128 * 2 ** 20;
/** Seconds after which a rejected job may be requested again. */
const RETRY_AFTER = 10;
/** Maximum ended jobs that are kept in memory with their results if they cannot be written. */
export const MAX_UNWRITTEN = 20;

/** The caller and the request of a job. */
interface JobOrigin {
  bytes: number;
  access?: AccessRights | undefined;
  collections?: readonly string[];
}

interface JobsOptions {
  engine: Pick<Engine, 'run'>;
  /** Folder of the jobs; created with the first one. Several servers may share it. */
  folder: string;
  /** Called with files that cannot be read or written, and with unforeseen errors of jobs. */
  onProblem?: OnProblem;
}

/** Opens the jobs of a folder: marks those of dead servers as interrupted and removes old ones. Never throws because of a file. */
export async function openJobs({ engine, folder, onProblem = () => {} }: JobsOptions): Promise<Jobs> {
  const files = new JobFiles(folder, onProblem);
  await files.removeExpired(new Set());
  return new Jobs(files, engine, onProblem);
}

/** Background jobs, which outlive their connections; their results outlive the server. */
export class Jobs {
  readonly #files: JobFiles;
  readonly #engine: Pick<Engine, 'run'>;
  readonly #onProblem: OnProblem;
  readonly #slots = new Slots(MAX_RUNNING);
  readonly #bytes = new WeakMap<JobWorker, number>();
  /** Jobs of this process that run, or have ended but could not be written. */
  readonly #workers = new Map<string, JobWorker>();
  #lastTime = 0;
  #isClosed = false;

  constructor(files: JobFiles, engine: Pick<Engine, 'run'>, onProblem: OnProblem) {
    this.#files = files;
    this.#engine = engine;
    this.#onProblem = onProblem;
  }

  /** Starts a job and returns it (state `running`). Throws a KbError (`unavailable`) if too many are waiting or the server is stopping. */
  async start(operation: JobOperation, request: object, { bytes, access, collections = [] }: JobOrigin = { bytes: 0 }): Promise<Job> {
    this.#assertRoom(bytes);
    const record = { ...this.#record(operation), sources: jobSources(request), token: access?.name, collections: [...collections] };
    const run = (signal: AbortSignal) =>
      this.#engine.run(operation, request as never, { signal, access, wording: httpWording(operation, { access }) });
    const worker = new JobWorker(record, { run, slots: this.#slots, files: this.#files, onProblem: this.#onProblem });
    this.#workers.set(record.id, worker);
    this.#bytes.set(worker, bytes);
    void worker.ended.then(() => this.#forget(worker));
    await worker.begin();
    await this.#tidy();
    return publicJob(record);
  }

  /** Lists the jobs that the caller may see, latest first, without results. */
  async list(access?: AccessRights): Promise<Job[]> {
    const own = [...this.#workers.values()].map(({ record }) => record);
    const records = [...own, ...(await this.#files.all(this.#workers))];
    const unique = new Map(records.filter((record) => maySeeJob(record, access)).map((record) => [record.id, record])); // a job may end between the two reads, and is then in both
    return [...unique.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)).map((record) => publicJob(record));
  }

  /** Returns a job with its result. Throws a KbError (`not_found`), also if the caller may not see it. */
  async get(id: string, access?: AccessRights): Promise<Job> {
    const worker = this.#findWorker(id, access);
    if (worker) return jobWithResult(worker.record, worker.result);
    const record = await this.#read(id, access);
    return jobWithResult(record, record.state === 'done' ? await this.#files.readResult(id) : undefined);
  }

  /** Stops a job and waits until it has ended (`cancelled` or `done`). Throws a KbError: `not_found`, or `conflict` if another process runs it. */
  async cancel(id: string, access?: AccessRights): Promise<Job> {
    const worker = this.#findWorker(id, access);
    if (worker) {
      worker.stop('cancelled');
      await Promise.race([worker.ended, wait(STOP_TIMEOUT, undefined, { ref: false })]);
      if (worker.record.state === 'running') await worker.abandon();
      return jobWithResult(worker.record, worker.result);
    }
    const { state, owner } = await this.#read(id, access);
    if (state !== 'running') return await this.get(id, access);
    throw new KbError('conflict', `The job runs in another process (${owner.pid} on ${owner.host}); only that process can stop it.`, {
      hint: 'Cancel it on the server that started it.',
    });
  }

  /**
   * Yields the kept events and those to come; ends after exactly one `final` event. For a job of another process only progress and the end.
   * The first `next()` throws a KbError (`not_found`). `return()` ends it at once, also while nothing happens.
   */
  events(id: string): AsyncGenerator<Event, void, void> {
    return makeCancellable((signal) => this.#events(id, signal));
  }

  /** Interrupts running jobs, waits at most `seconds` for them, and accepts no more. */
  async close({ seconds }: { seconds: number }): Promise<void> {
    this.#isClosed = true;
    const running = this.#running();
    for (const worker of running) worker.stop('interrupted');
    const inTime = new AbortController();
    const late = wait(seconds * 1_000, undefined, { signal: inTime.signal }).catch(() => {});
    await Promise.race([Promise.all(running.map(({ ended }) => ended)), late]);
    inTime.abort();
    await Promise.all(running.map((worker) => worker.abandon()));
  }

  async *#events(id: string, signal: AbortSignal): AsyncGenerator<Event, void, void> {
    if (jobStartTime(id) === undefined) throw jobNotFoundError();
    const worker = this.#workers.get(id);
    yield* worker ? worker.events(signal) : watchJob(id, this.#files, signal);
  }

  /** Finds a job of this process: running, or not yet written. Throws a KbError (`not_found`) if the caller may not see it. */
  #findWorker(id: string, access: AccessRights | undefined): JobWorker | undefined {
    const worker = this.#workers.get(id);
    if (worker && !maySeeJob(worker.record, access)) throw jobNotFoundError();
    return worker;
  }

  async #read(id: string, access: AccessRights | undefined): Promise<JobRecord> {
    const record = jobStartTime(id) === undefined ? undefined : await this.#files.read(id); // an invalid id must not be used as a path
    if (!record || !maySeeJob(record, access)) throw jobNotFoundError();
    return record;
  }

  #record(operation: JobOperation): Omit<JobRecord, 'sources'> {
    const time = (this.#lastTime = Math.max(Date.now(), this.#lastTime + 1)); // unique, so that ids sort by start
    const started = new Date(time).toISOString();
    return { id: makeJobId(time), operation, state: 'running', progress: {}, started, ended: null, owner: THIS_PROCESS };
  }

  #running(): JobWorker[] {
    return [...this.#workers.values()].filter(({ record }) => record.state === 'running');
  }

  #assertRoom(bytes: number): void {
    const later = { isRetryable: true, retryAfter: RETRY_AFTER };
    if (this.#isClosed) throw new KbError('unavailable', 'The server is stopping.', { ...later, hint: 'Try again when it is back.' });
    const running = this.#running();
    const heldBytes = running.reduce((sum, worker) => sum + this.#bytes.get(worker)!, 0);
    if (heldBytes > 0 && heldBytes + bytes > MAX_REQUEST_BYTES)
      throw new KbError('unavailable', 'The waiting jobs already hold as much request data as is allowed.', {
        ...later,
        hint: 'Try again when some have finished.',
      });
    if (running.length >= MAX_RUNNING + MAX_WAITING_JOBS)
      throw new KbError('unavailable', `${MAX_WAITING_JOBS} jobs are waiting already.`, {
        ...later,
        hint: 'Try again when some have finished.',
      });
  }

  /** Drops a job from memory once its files hold it. */
  #forget(worker: JobWorker): void {
    if (worker.isSaved) this.#workers.delete(worker.record.id);
    const [oldest, ...rest] = this.#unwritten();
    if (oldest && rest.length >= MAX_UNWRITTEN) this.#workers.delete(oldest.record.id);
  }

  #unwritten(): JobWorker[] {
    return [...this.#workers.values()].filter(({ record }) => record.state !== 'running');
  }

  async #tidy(): Promise<void> {
    for (const worker of this.#unwritten()) {
      await worker.saveEnd();
      this.#forget(worker);
    }
    await this.#files.removeExpired(this.#workers);
  }
}
