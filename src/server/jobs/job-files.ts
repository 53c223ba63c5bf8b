import { redactUrl } from '../../core/secrets.ts';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { toEnvelope, KbError, isForeseen, partialResultOf } from '../../core/errors.ts';
import type { Progress } from '../../core/run.ts';
import type { PagesResult } from '../../schema/results.ts';
import { ErrorItem } from '../../schema/items.ts';
import { Job, type JobOperation } from '../../schema/http-bodies.ts';
import { IngestReport } from '../../stages/ingest/ingest-report.ts';
import { type AccessRights, mayUse } from '../../core/access-rights.ts';
import { endingEvents, failureItem, finalEvent } from '../event-stream.ts';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { replaceFile } from '../../core/replace-file.ts';
import { join } from 'node:path';
import { createFolder } from '../../core/create-folder.ts';
import { HeartbeatWatch } from '../../core/process-owner.ts';

/** Maximum sources that are listed for a job. */
const MAX_NAMED = 20;

type Entry = string | Record<string, unknown>;

/**
 * Lists the sources of a request: files, folders, addresses without credentials, names of texts. The request itself may hold keys and is not
 * stored.
 */
export function jobSources(request: object): string[] {
  const { docs, urls, url, api, markdown } = request as Record<string, Entry | Entry[] | undefined>;
  const named = [docs, urls, url, api].flatMap((given) => [given ?? []].flat().map(nameOf));
  const texts = [markdown ?? []].flat().map((entry) => (typeof entry === 'string' ? 'markdown' : String(entry.source ?? 'markdown')));
  return [...new Set([...named, ...texts])].slice(0, MAX_NAMED);
}

function nameOf(entry: Entry): string {
  const name = typeof entry === 'string' ? entry : String(entry.path ?? entry.folder ?? entry.url ?? '');
  return /^https?:/i.test(name) || name.includes('://') ? redactUrl(name) : name;
}

/** The file of a job: the job without its result, its process, its caller, and its failure as data. */
export const JobRecord = Job.omit({ result: true }).extend({
  owner: z.object({ pid: z.int().positive(), host: z.string(), process: z.string() }),
  /** Name of the token that asked for it. */
  token: z.string().optional(),
  collections: z.array(z.string()).optional(),
  failure: ErrorItem.optional(),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** The result of a job. */
export type JobResult = Record<string, unknown>;

/**
 * Reduces the documents and chunks of a result to references (id and source): a job outlives the documents that it read, and must not keep the text of
 * a deleted one.
 */
export const withoutTexts = (result: JobResult): JobResult => mapValues(result, toReference);

const mapValues = (value: object, change: (value: unknown) => unknown): JobResult =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));

function toReference(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toReference);
  if (typeof value !== 'object' || value === null) return value;
  if (!('text' in value)) return mapValues(value, toReference);
  const { id, source } = value as { id?: unknown; source?: unknown };
  return { id, source, ...('title' in value && { title: '' }), text: '', metadata: {} };
}

/** End of a job; `unfinished` is its partial result. */
export type JobEnd =
  | { state: 'done'; result: JobResult }
  | { state: 'failed' | 'cancelled' | 'interrupted'; error: KbError; unfinished?: object | undefined };

/** Stage of the progress events of a job. */
export const EVENT_STAGE: Record<JobOperation, string> = { ingest: 'ingest', scrape: 'crawl' };

const ID = /^([0-9a-z]{8})-[0-9a-z]{12}$/;
const RANDOM_LENGTH = 12;

/** Makes an id that sorts by time (milliseconds since 1970) and cannot be guessed: 62 random bits. */
export function makeJobId(time: number): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => randomInt(36).toString(36)).join('');
  return `${time.toString(36).padStart(8, '0')}-${random}`;
}

/** Returns the start of a job from its id, in milliseconds since 1970; undefined for an invalid id. */
export function jobStartTime(id: string): number | undefined {
  const time = ID.exec(id)?.[1];
  return time === undefined ? undefined : parseInt(time, 36);
}

/** The record of a job at its end. */
export function finishRecord(record: JobRecord, ending: JobEnd, ended = new Date()): JobRecord {
  const end = { ...record, state: ending.state, ended: ended.toISOString() };
  return ending.state === 'done' ? end : { ...end, ...failureOf(record.operation, ending.error) };
}

/**
 * Whether a caller may see a job: it may use the collections of the job; a job that writes to none is visible to its own token only, and a token with
 * a filter sees only its own jobs.
 */
export function maySeeJob({ token, collections = [] }: JobRecord, access: AccessRights | undefined): boolean {
  if (access === undefined) return true;
  if (access.filter) return token === access.name;
  if (access.collections.includes('*')) return true;
  return collections.length > 0 ? collections.every((name) => mayUse(access, name)) : token === access.name;
}

/** The job as its readers see it. Without `result` it is one of a list. */
export function publicJob(
  { owner: _owner, failure: _failure, token: _token, collections: _collections, ...job }: JobRecord,
  result?: JobResult,
): Job {
  return result ? { ...job, result } : job;
}

/** Adds the result to a job. */
export function jobWithResult(record: JobRecord, result: JobResult | undefined): Job {
  const isLost = record.state === 'done' && !result;
  return { ...publicJob(record, result), ...(isLost && toEnvelope(resultLost())) };
}

/** Makes the last events of the stream of a job: an `error` if it did not succeed, and `final` with its result. */
export function lastEvents(record: JobRecord, result: JobResult | undefined): Progress[] {
  if (record.state === 'done' && result) return [finalEvent(result)];
  const { failure = failureOf(record.operation, resultLost()).failure } = record;
  return endingEvents(failure, result ?? EMPTY_RESULTS[record.operation]());
}

/** Results of jobs without a known result. */
const EMPTY_RESULTS: Record<JobOperation, () => object> = {
  ingest: () => new IngestReport({ names: [], provider: '', collection: '', lists: false }).result,
  scrape: (): PagesResult => ({ pages: 0, outputs: [], notices: [], dlq: null, failed: 0, errors: [] }),
};

const failureOf = (operation: JobOperation, error: KbError): Required<Pick<JobRecord, 'error' | 'failure'>> => ({
  ...toEnvelope(error),
  failure: failureItem(error, operation),
});

const resultLost = (): KbError =>
  new KbError('internal', 'The job finished, but its result could not be saved.', {
    hint: 'Everything that it stored is kept. Run it again for its report.',
    isRetryable: true,
  });

/** The error of an id that no job has. */
export const jobNotFoundError = (): KbError =>
  new KbError('not_found', 'There is no job with this id.', {
    hint: 'GET /v1/jobs lists all jobs; finished ones are kept for 7 days.',
  });

/** Why a job is stopped, and the state that it ends in. */
export type Stop = 'cancelled' | 'interrupted';

const RETRY_HINT: Record<JobOperation, string> = {
  ingest: 'Run it again: what was stored stays, and the same request goes on from there.',
  scrape: 'Run it again.',
};
const STOP_MESSAGE: Record<Stop, string> = {
  cancelled: 'The job was cancelled.',
  interrupted: 'The job was interrupted: the server stopped before it was done.',
};

/** Makes the end of stopped work; `error`: what it threw, with its partial result. */
export function stoppedEnd(stop: Stop, operation: JobOperation, error?: unknown): JobEnd {
  const kept = error instanceof KbError && error.code === 'aborted' ? error.hint : undefined;
  const hint = kept ?? (stop === 'interrupted' ? RETRY_HINT[operation] : undefined);
  const ending = new KbError('aborted', STOP_MESSAGE[stop], { ...(hint && { hint }), cause: error, isRetryable: true });
  return { state: stop, error: ending, unfinished: partialResultOf(error) };
}

/** Makes the end of work whose process died. */
function abandonedEnd(operation: JobOperation): JobEnd {
  const message = 'The job was interrupted: the server that ran it ended before it was done.';
  return { state: 'interrupted', error: new KbError('aborted', message, { hint: RETRY_HINT[operation], isRetryable: true }) };
}

/** Makes the end of failed work. */
export function failedEnd(error: unknown): JobEnd {
  const unfinished = partialResultOf(error);
  if (isForeseen(error)) return { state: 'failed', error, unfinished };
  const hint = 'The log of the server tells more.';
  return { state: 'failed', error: new KbError('internal', 'The work failed unexpectedly.', { hint, cause: error }), unfinished };
}

/** Milliseconds that ended jobs are kept: 7 days. */
export const KEEP_TIME = 7 * 24 * 60 * 60 * 1_000;
/** Maximum ended jobs that are kept. */
export const MAX_ENDED_JOBS = 200;

/** Reports problems to the log of the server. */
export type OnProblem = (message: string, cause: unknown) => void;

const RECORD = '.json';
const RESULT = '.result.json';

/**
 * The jobs in a folder, which several processes may share: one file per job and one per result, each written atomically. Never throws; problems
 * are reported.
 */
export class JobFiles {
  readonly #folder: string;
  readonly #onProblem: OnProblem;
  /** Broken files that were reported already. */
  readonly #reported = new Set<string>();
  /** Watches over the running jobs of other processes, by their ids. */
  readonly #watches = new Map<string, HeartbeatWatch>();
  #isUnwritable = false;

  constructor(folder: string, onProblem: OnProblem) {
    this.#folder = folder;
    this.#onProblem = onProblem;
  }

  /** Returns whether the file was written. */
  write = (record: JobRecord): Promise<boolean> => this.#write(record.id + RECORD, record);

  /** Returns whether the file was written. */
  writeResult = (id: string, result: JobResult): Promise<boolean> => this.#write(id + RESULT, result);

  /** Reads a job; undefined if there is none, or only a broken file. A running job whose process is gone, or silent while this one watches, is interrupted. */
  async read(id: string): Promise<JobRecord | undefined> {
    const record = await this.#record(id);
    if (record?.state !== 'running') {
      this.#watches.delete(id);
      return record;
    }
    const heartbeat = await this.#lastHeartbeat(id);
    const watch = this.#watches.get(id) ?? new HeartbeatWatch();
    this.#watches.set(id, watch);
    if (heartbeat !== undefined && !watch.isDead(record.owner, String(heartbeat))) return record;
    const reread = await this.#record(id); // the job may have ended meanwhile
    if (reread?.state !== 'running') return reread;
    const ended = finishRecord(reread, abandonedEnd(reread.operation), new Date(heartbeat ?? Date.now()));
    await this.write(ended);
    return ended;
  }

  async readResult(id: string): Promise<JobResult | undefined> {
    const result = await this.#json(id + RESULT);
    return typeof result === 'object' && result !== null ? (result as JobResult) : undefined;
  }

  /** Reads all jobs except those with ids in `except`. */
  async all(except: { has(id: string): boolean }): Promise<JobRecord[]> {
    const ids = [...(await this.#names()).keys()].filter((id) => !except.has(id));
    const records = await Promise.all(ids.map((id) => this.read(id)));
    return records.filter((record) => record !== undefined);
  }

  /** Removes jobs that ended too long ago or exceed the limit, and old files of unreadable jobs, except those with ids in `except`. */
  async removeExpired(except: { has(id: string): boolean }): Promise<void> {
    const names = await this.#names();
    const records = new Map((await this.all(except)).map((record) => [record.id, record]));
    const isOld = (time: number) => Date.now() - time > KEEP_TIME;
    const ended = [...records.values()]
      .filter(({ state }) => state !== 'running')
      .toSorted((a, b) => Date.parse(b.ended!) - Date.parse(a.ended!));
    const surplus = ended.filter((record, place) => place >= MAX_ENDED_JOBS || isOld(Date.parse(record.ended!))).map(({ id }) => id);
    const stray = [...names.keys()].filter((id) => !records.has(id) && !except.has(id) && isOld(jobStartTime(id)!));
    const gone = [...surplus, ...stray].flatMap((id) => names.get(id) ?? []);
    for (const name of gone) await rm(join(this.#folder, name), { force: true }).catch((cause: unknown) => this.#reportOnce(name, cause));
  }

  async #write(name: string, value: unknown): Promise<boolean> {
    const file = join(this.#folder, name);
    try {
      await createFolder(this.#folder);
      await replaceFile(file, JSON.stringify(value));
      this.#isUnwritable = false;
      return true;
    } catch (cause) {
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
    this.#reportOnce(id + RECORD, error ?? new Error('It is the file of another job.'));
    return undefined;
  }

  async #json(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(join(this.#folder, name), 'utf8'));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') this.#reportOnce(name, cause);
      return undefined;
    }
  }

  async #lastHeartbeat(id: string): Promise<number | undefined> {
    return (await stat(join(this.#folder, id + RECORD)).catch(() => undefined))?.mtimeMs;
  }

  /** The names of the files of each job. */
  async #names(): Promise<Map<string, string[]>> {
    const names = await readdir(this.#folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') this.#reportOnce(this.#folder, cause);
      return [];
    });
    const named = names.filter((name) => jobStartTime(name.split('.')[0]!) !== undefined);
    return Map.groupBy(named, (name) => name.split('.')[0]!);
  }

  #reportOnce(name: string, cause: unknown): void {
    if (this.#reported.has(name)) return;
    this.#reported.add(name);
    this.#onProblem(`The file ${name} of the jobs can't be read or removed.`, cause);
  }
}
