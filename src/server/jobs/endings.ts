import { isForeseen, KbError } from '../../base/errors.ts';
import { unfinishedOf } from '../../base/unfinished.ts';
import type { JobOperation } from '../../schema/server.ts';
import type { Ending } from './record.ts';

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
export function stopped(stop: Stop, operation: JobOperation, error?: unknown): Ending {
  const kept = error instanceof KbError && error.code === 'aborted' ? error.hint : undefined;
  const again = stop === 'interrupted' ? AGAIN[operation] : undefined;
  const hint = kept ?? again;
  const ending = new KbError('aborted', STOPPED[stop], { ...(hint && { hint }), cause: error, isRetryable: true });
  return { state: stop, error: ending, unfinished: unfinishedOf(error) };
}

/** The end of work whose process is gone. */
export function abandoned(operation: JobOperation): Ending {
  const message = 'The job was interrupted: the server that ran it ended before it was done.';
  return { state: 'interrupted', error: new KbError('aborted', message, { hint: AGAIN[operation], isRetryable: true }) };
}

/** The end of work that failed. */
export function failed(error: unknown): Ending {
  const unfinished = unfinishedOf(error);
  if (isForeseen(error)) return { state: 'failed', error, unfinished };
  const hint = 'The log of the server tells more.';
  return { state: 'failed', error: new KbError('internal', 'The work failed unexpectedly.', { hint, cause: error }), unfinished };
}
