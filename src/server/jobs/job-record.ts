import { redactUrl } from '../../core/secrets.ts';
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { envelope, KbError } from '../../core/errors.ts';
import type { Progress } from '../../core/run.ts';
import type { PagesResult } from '../../schema/results.ts';
import { ErrorItem } from '../../schema/items.ts';
import { Job, type JobOperation } from '../../schema/server-results.ts';
import { IngestReport } from '../../stages/ingest/ingest-report.ts';
import { type AccessRights, mayUse } from '../../core/access-rights.ts';
import { endingEvents, failureItem, finalEvent } from '../event-stream.ts';

/** Sources that a job names. */
const MOST_NAMED = 20;

type Entry = string | Record<string, unknown>;

/**
 * Lists the sources of a job for lists of jobs: files, folders, addresses without credentials, names of texts. The request may hold keys
 * and is not kept.
 */
export function jobSources(request: object): string[] {
  const { docs, urls, url, api, markdown } = request as Record<string, Entry | Entry[] | undefined>;
  const named = [docs, urls, url, api].flatMap((given) => [given ?? []].flat().map(nameOf));
  const texts = [markdown ?? []].flat().map((entry) => (typeof entry === 'string' ? 'markdown' : String(entry.source ?? 'markdown')));
  return [...new Set([...named, ...texts])].slice(0, MOST_NAMED);
}

function nameOf(entry: Entry): string {
  const name = typeof entry === 'string' ? entry : String(entry.path ?? entry.folder ?? entry.url ?? '');
  return /^[a-z]+:\/\//i.test(name) ? redactUrl(name) : name;
}

/** The file of a job: the job without its result, the process that works on it, its owner, and its failure as data. */
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

/** How a job ended; `unfinished` is its partial result. */
export type JobEnd =
  | { state: 'done'; result: JobResult }
  | { state: 'failed' | 'cancelled' | 'interrupted'; error: KbError; unfinished?: object | undefined };

/** The stage that the events of a job's progress name. */
export const EVENT_STAGE: Record<JobOperation, string> = { ingest: 'ingest', scrape: 'crawl' };

const ID = /^([0-9a-z]{8})-[0-9a-z]{12}$/;
const RANDOM = 12;

/** An id that sorts by its time (milliseconds since 1970) and that nobody guesses: 62 random bits. */
export function makeId(time: number): string {
  const random = Array.from({ length: RANDOM }, () => randomInt(36).toString(36)).join('');
  return `${time.toString(36).padStart(8, '0')}-${random}`;
}

/** Reads from an id when its job began, in milliseconds since 1970; undefined for an invalid id. */
export function timeOf(id: string): number | undefined {
  const time = ID.exec(id)?.[1];
  return time === undefined ? undefined : parseInt(time, 36);
}

/** The record of a job at its end. */
export function endedRecord(record: JobRecord, ending: JobEnd, ended = new Date()): JobRecord {
  const end = { ...record, state: ending.state, ended: ended.toISOString() };
  return ending.state === 'done' ? end : { ...end, ...failureOf(record.operation, ending.error) };
}

/** Whether a caller may see a job: it may use the collections of the job; a job that writes to none is visible to its own token only. */
export function isVisible({ token, collections = [] }: JobRecord, access: AccessRights | undefined): boolean {
  if (access === undefined || access.collections.includes('*')) return true;
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
export function shownWhole(record: JobRecord, result: JobResult | undefined): Job {
  const isLost = record.state === 'done' && !result;
  return { ...publicJob(record, result), ...(isLost && envelope(resultLost())) };
}

/** Makes the last events of the stream of a job: an `error` if it did not succeed, and `final` with its result. */
export function lastEvents(record: JobRecord, result: JobResult | undefined): Progress[] {
  if (record.state === 'done' && result) return [finalEvent(result)];
  const { failure = failureOf(record.operation, resultLost()).failure } = record;
  return endingEvents(failure, result ?? NOTHING[record.operation]());
}

/** Results of jobs that are not known to have begun. */
const NOTHING: Record<JobOperation, () => object> = {
  ingest: () => new IngestReport({ names: [], provider: '', collection: '', lists: false }).result,
  scrape: (): PagesResult => ({ pages: 0, outputs: [], notices: [], dlq: null, failed: 0, errors: [] }),
};

const failureOf = (operation: JobOperation, error: KbError): Required<Pick<JobRecord, 'error' | 'failure'>> => ({
  ...envelope(error),
  failure: failureItem(error, operation),
});

const resultLost = (): KbError =>
  new KbError('internal', 'The job finished, but its result could not be saved.', {
    hint: 'Everything that it stored is kept. Run it again for its report.',
    isRetryable: true,
  });

/** The error of an id that no job has. */
export const noSuchJob = (): KbError =>
  new KbError('not_found', 'There is no job with this id.', {
    hint: 'GET /v1/jobs lists all jobs; finished ones are kept for 7 days.',
  });
