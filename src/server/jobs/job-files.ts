import { isForeseen, KbError, partialResultOf } from '../../core/errors.ts';
import type { JobOperation } from '../../schema/server-results.ts';
import { endedRecord, type JobEnd, JobRecord, type JobResult, timeOf } from './job-record.ts';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLiving } from '../../core/process-owner.ts';

/** Why work is stopped from outside, and so the state that it ends in. */
export type Stop = 'cancelled' | 'interrupted';

const AGAIN: Record<JobOperation, string> = {
  ingest: 'Run it again: what was stored stays, and the same request goes on from there.',
  scrape: 'Run it again.',
};
const STOPPED: Record<Stop, string> = {
  cancelled: 'The job was cancelled.',
  interrupted: 'The job was interrupted: the server stopped before it was done.',
};

/** The end of work that was stopped; `error` is what it ended with, which may know what had been stored by then. */
export function stopped(stop: Stop, operation: JobOperation, error?: unknown): JobEnd {
  const kept = error instanceof KbError && error.code === 'aborted' ? error.hint : undefined;
  const again = stop === 'interrupted' ? AGAIN[operation] : undefined;
  const hint = kept ?? again;
  const ending = new KbError('aborted', STOPPED[stop], { ...(hint && { hint }), cause: error, isRetryable: true });
  return { state: stop, error: ending, unfinished: partialResultOf(error) };
}

/** The end of work whose process is gone. */
function abandoned(operation: JobOperation): JobEnd {
  const message = 'The job was interrupted: the server that ran it ended before it was done.';
  return { state: 'interrupted', error: new KbError('aborted', message, { hint: AGAIN[operation], isRetryable: true }) };
}

/** The end of work that failed. */
export function failedRecord(error: unknown): JobEnd {
  const unfinished = partialResultOf(error);
  if (isForeseen(error)) return { state: 'failed', error, unfinished };
  const hint = 'The log of the server tells more.';
  return { state: 'failed', error: new KbError('internal', 'The work failed unexpectedly.', { hint, cause: error }), unfinished };
}

/** How long a job that has ended is kept, in milliseconds: 7 days. */
export const KEPT_FOR = 7 * 24 * 60 * 60 * 1_000;
/** How many jobs that have ended are kept. */
export const MOST_KEPT = 200;

/** Called with problems that no response reports: for the log of the server. */
export type OnProblem = (message: string, cause: unknown) => void;

const RECORD = '.json';
const RESULT = '.result.json';

/**
 * The jobs in a folder, which several processes may share: a file per job and one for its result, each written atomically. Never throws;
 * problems are reported.
 */
export class JobFiles {
  readonly #folder: string;
  readonly #onProblem: OnProblem;
  /** Files that were reported as broken: once is enough. */
  readonly #reported = new Set<string>();
  #isUnwritable = false;

  constructor(folder: string, onProblem: OnProblem) {
    this.#folder = folder;
    this.#onProblem = onProblem;
  }

  /** Whether it was written. */
  write = (record: JobRecord): Promise<boolean> => this.#write(record.id + RECORD, record);

  /** Whether it was written. */
  writeResult = (id: string, result: JobResult): Promise<boolean> => this.#write(id + RESULT, result);

  /** Reads a job; undefined if there is none, or only a broken file. A running job whose process is gone is interrupted. */
  async read(id: string): Promise<JobRecord | undefined> {
    const record = await this.#record(id);
    if (record?.state !== 'running') return record;
    const sign = await this.#lastSign(id);
    if (sign !== undefined && isLiving(record.owner, sign)) return record;
    const again = await this.#record(id); // it may have ended between the two looks
    if (again?.state !== 'running') return again;
    const ended = endedRecord(again, abandoned(again.operation), new Date(sign ?? Date.now()));
    await this.write(ended);
    return ended;
  }

  async readResult(id: string): Promise<JobResult | undefined> {
    const result = await this.#json(id + RESULT);
    return typeof result === 'object' && result !== null ? (result as JobResult) : undefined;
  }

  /** All jobs but those whose ids are in `except`. */
  async all(except: { has(id: string): boolean }): Promise<JobRecord[]> {
    const ids = [...(await this.#names()).keys()].filter((id) => !except.has(id));
    const records = await Promise.all(ids.map((id) => this.read(id)));
    return records.filter((record) => record !== undefined);
  }

  /** Removes jobs that ended too long ago or exceed the limit, and files of unreadable jobs. Those of `except` stay. */
  async tidy(except: { has(id: string): boolean }): Promise<void> {
    const names = await this.#names();
    const records = new Map((await this.all(except)).map((record) => [record.id, record]));
    const isOld = (time: number) => Date.now() - time > KEPT_FOR;
    const ended = [...records.values()]
      .filter(({ state }) => state !== 'running')
      .toSorted((a, b) => Date.parse(b.ended!) - Date.parse(a.ended!));
    const over = ended.filter((record, place) => place >= MOST_KEPT || isOld(Date.parse(record.ended!))).map(({ id }) => id);
    const stray = [...names.keys()].filter((id) => !records.has(id) && !except.has(id) && isOld(timeOf(id)!));
    const gone = [...over, ...stray].flatMap((id) => names.get(id) ?? []);
    for (const name of gone) await rm(join(this.#folder, name), { force: true }).catch((cause: unknown) => this.#tell(name, cause));
  }

  async #write(name: string, value: unknown): Promise<boolean> {
    const file = join(this.#folder, name);
    const draft = `${file}.${Math.random().toString(36).slice(2)}.new`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(draft, JSON.stringify(value));
      await rename(draft, file);
      this.#isUnwritable = false;
      return true;
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => {});
      if (!this.#isUnwritable) this.#onProblem(`The state of jobs can't be kept in ${this.#folder}; they go on in memory.`, cause);
      this.#isUnwritable = true;
      return false;
    }
  }

  async #record(id: string): Promise<JobRecord | undefined> {
    const value = await this.#json(id + RECORD);
    if (value === undefined) return undefined;
    const { data, error } = JobRecord.safeParse(value);
    if (data?.id === id) return data;
    this.#tell(id + RECORD, error ?? new Error('It is the file of another job.'));
    return undefined;
  }

  async #json(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(join(this.#folder, name), 'utf8'));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') this.#tell(name, cause);
      return undefined;
    }
  }

  async #lastSign(id: string): Promise<number | undefined> {
    return (await stat(join(this.#folder, id + RECORD)).catch(() => undefined))?.mtimeMs;
  }

  /** The names of the files of each job. */
  async #names(): Promise<Map<string, string[]>> {
    const names = await readdir(this.#folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') this.#tell(this.#folder, cause);
      return [];
    });
    const named = names.filter((name) => timeOf(name.split('.')[0]!) !== undefined);
    return Map.groupBy(named, (name) => name.split('.')[0]!);
  }

  #tell(name: string, cause: unknown): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    this.#onProblem(`The file ${name} of the jobs can't be read or removed.`, cause);
  }
}
