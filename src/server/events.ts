import { envelope, KbError, toErrorItem } from '../base/errors.ts';
import type { OperationName } from '../engine/operations.ts';
import type { Event } from '../schema/events.ts';
import type { ErrorItem } from '../schema/results.ts';

/** The last event of a stream, with the result. */
export const finalEvent = (data: Event['data'], sequence: number): Event => ({
  type: 'final',
  stage: 'complete',
  message: '',
  data,
  sequence,
});

/** How a stream ends that ends without a result: an `error` event, and a `final` one with the exception envelope. */
export function failureEvents(error: unknown, { operation, sequence }: { operation: OperationName; sequence: number }): [Event, Event] {
  const told = error instanceof KbError && error.code !== 'internal' ? error : unexpected();
  const where = told.code === 'usage' ? { ...WHERE[operation], stage: 'validate' as const } : WHERE[operation];
  const item = toErrorItem(told, { source: '', source_kind: 'chunk', stage: 'store', ...where });
  return [{ type: 'error', stage: item.stage, message: item.error, data: item, sequence }, finalEvent(envelope(told), sequence + 1)];
}

/** Where a run failed that ended as a whole; an ingest ends so where its store fails. */
const WHERE: Partial<Record<OperationName, Pick<ErrorItem, 'source_kind' | 'stage'>>> = {
  chat: { source_kind: 'chat', stage: 'generate' },
  scrape: { source_kind: 'url', stage: 'crawl' },
};

const unexpected = (): KbError => new KbError('internal', 'Something went wrong inside kb. The log of the server says what.');

/** A run, of which the first step was taken already. */
export interface Begun<R> {
  run: AsyncGenerator<Event, R, void>;
  first: Promise<IteratorResult<Event, R>>;
}

/**
 * What a run says, and as the last event what came of it. Records that are in the result as well (`item`) are left out. Whatever happens, exactly one
 * `final` event ends it. `onFailure` hears of an error that the run threw and gives back the one that is told.
 */
export async function* narrated<R extends object>(
  { run, first }: Begun<R>,
  { operation, onFailure }: { operation: OperationName; onFailure: (error: unknown) => unknown },
): AsyncGenerator<Event, void, void> {
  let sequence = 0;
  try {
    for (let step = await first; ; step = await run.next()) {
      if (step.done) return yield finalEvent(step.value as Event['data'], sequence);
      sequence = step.value.sequence + 1;
      if (step.value.type !== 'item') yield step.value;
    }
  } catch (error) {
    yield* failureEvents(onFailure(error), { operation, sequence });
  } finally {
    await run.return(undefined as never);
  }
}
