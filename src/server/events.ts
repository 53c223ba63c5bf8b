import { isForeseen, KbError, toErrorItem } from '../base/errors.ts';
import { errorEvent, type Progress } from '../base/run.ts';
import { unfinishedOf } from '../base/unfinished.ts';
import type { OperationName } from '../engine/operations.ts';
import type { Event } from '../schema/events.ts';
import type { ErrorItem } from '../schema/results.ts';

/** The last event of a stream, with the result. */
export const finalEvent = (data: Event['data']): Progress => ({ type: 'final', stage: 'complete', message: '', data });

/** The last events of work that ended before it was done: the failure, and what had come of the work by then with that failure among its errors. */
export function endingEvents(item: ErrorItem, unfinished: object | undefined): [Progress, Progress] {
  const { errors = [], failed, ...rest } = (unfinished ?? {}) as { errors?: readonly ErrorItem[]; failed?: number };
  const whole = { ...rest, ...(failed === undefined ? {} : { failed: failed + 1 }), errors: [...errors, item] };
  return [errorEvent(item), finalEvent(whole)];
}

/** Where a run failed that ended as a whole; an ingest ends so where its store fails. */
const WHERE: Partial<Record<OperationName, Pick<ErrorItem, 'source_kind' | 'stage'>>> = {
  chat: { source_kind: 'chat', stage: 'generate' },
  scrape: { source_kind: 'url', stage: 'crawl' },
};

/** The failure of a whole run as an error item. */
export function failureItem(error: KbError, operation: OperationName): ErrorItem {
  const { source_kind, stage } = WHERE[operation] ?? { source_kind: 'chunk', stage: 'store' };
  return toErrorItem(error, { source: '', source_kind, stage: error.code === 'usage' ? 'validate' : stage });
}

const unexpected = (): KbError => new KbError('internal', 'Something went wrong inside kb. The log of the server says what.');

/** A run, of which the first step was taken already. */
export interface Begun<R> {
  run: AsyncGenerator<Event, R, void>;
  first: Promise<IteratorResult<Event, R>>;
}

/**
 * What a run says, and as the last event what came of it, also where that is not all. Records that are in the result as well (`item`) are left out. Whatever
 * happens, exactly one `final` event ends it; the run itself is its caller's to return. `onFailure` hears of an error that the run threw and gives back the one that is told.
 */
export async function* narrated<R extends object>(
  { run, first }: Begun<R>,
  { operation, onFailure }: { operation: OperationName; onFailure: (error: unknown) => unknown },
): AsyncGenerator<Event, void, void> {
  let sequence = 0;
  try {
    for (let step = await first; ; step = await run.next()) {
      if (step.done) return yield { ...finalEvent(step.value as Event['data']), sequence };
      sequence = step.value.sequence + 1;
      if (step.value.type !== 'item') yield step.value;
    }
  } catch (error) {
    const reason = onFailure(error);
    const told = isForeseen(reason) ? reason : unexpected();
    for (const event of endingEvents(failureItem(told, operation), unfinishedOf(error))) yield { ...event, sequence: sequence++ };
  }
}
