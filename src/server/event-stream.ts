import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { withHeartbeat } from '../core/concurrency.ts';
import type { Event } from '../schema/results.ts';
import type { ErrorItem } from '../schema/items.ts';
import { isForeseen, KbError, partialResultOf, toErrorItem } from '../core/errors.ts';
import { errorEvent, type Progress } from '../core/run.ts';
import { type ResultHolder, writeResult } from './json-result.ts';
import type { OperationName } from '../schema/operations.ts';

/** Milliseconds between heartbeats of an idle stream: proxies close a connection that is silent for a minute. */
export const HEARTBEAT = 15_000;

/** Answers with server-sent events (contract, section 4), no faster than the client reads. When the client leaves, `events` is closed. */
export function sendEvents(reply: FastifyReply, events: AsyncGenerator<Event, void, void>, write: FrameWriter = writeFrames): FastifyReply {
  const stream = Readable.from(write(events), { objectMode: false, highWaterMark: 65_536 });
  reply.raw.once('close', () => void events.return()); // the stream itself would end only after the next event
  return reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
    .send(stream);
}

/** Serializes events. */
export type FrameWriter = (events: AsyncIterable<Event>) => AsyncIterable<string | Buffer>;

async function* writeFrames(events: AsyncIterable<Event>): AsyncGenerator<string, void, void> {
  yield ': kb\n\n'; // sends the headers at once
  for await (const event of withHeartbeat(events, HEARTBEAT)) yield event ? formatFrame(event) : ': still here\n\n';
}

const formatFrame = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Makes a writer whose last event, which holds the whole result, is written in slices and counted as unread (see `writeResult`). */
export const framesWithResult = (holder: ResultHolder): FrameWriter =>
  async function* (events) {
    yield ': kb\n\n';
    for await (const event of withHeartbeat(events, HEARTBEAT)) {
      if (event?.type !== 'final') yield event ? formatFrame(event) : ': still here\n\n';
      else {
        const { pieces } = await writeResult(event, holder).catch((error: unknown) => writeResult(withoutLists(event, error), holder));
        yield `event: final\ndata: `;
        yield* pieces;
        yield '\n\n';
      }
    }
  };

/** A last event with the counts of its result and the reason why the rest is missing. */
function withoutLists(event: Event, error: unknown): Event {
  if (!isForeseen(error)) throw error;
  const { errors: _, ...fields } = event.data;
  const counts = Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value !== 'object'));
  return { ...event, data: { ...counts, errors: [toErrorItem(error, { source: '', source_kind: 'chunk', stage: 'store' })] } };
}

/** The last event of a stream, with the result. */
export const finalEvent = (data: Event['data']): Progress => ({ type: 'final', stage: 'complete', message: '', data });

/** Makes the last events of work that failed: the error, and the partial result with that error among its items. */
export function endingEvents(item: ErrorItem, unfinished: object | undefined): [Progress, Progress] {
  const { errors = [], failed, ...rest } = (unfinished ?? {}) as { errors?: readonly ErrorItem[]; failed?: number };
  const whole = { ...rest, ...(failed === undefined ? {} : { failed: failed + 1 }), errors: [...errors, item] };
  return [errorEvent(item), finalEvent(whole)];
}

/** Source kind and stage of the failure of a whole run. Default: storing, because an ingest fails as a whole only if its store does. */
const FAILURE_PLACES: Partial<Record<OperationName, Pick<ErrorItem, 'source_kind' | 'stage'>>> = {
  chat: { source_kind: 'chat', stage: 'generate' },
  scrape: { source_kind: 'url', stage: 'crawl' },
};

/** The failure of a whole run as an error item. */
export function failureItem(error: KbError, operation: OperationName): ErrorItem {
  const { source_kind, stage } = FAILURE_PLACES[operation] ?? { source_kind: 'chunk', stage: 'store' };
  return toErrorItem(error, { source: '', source_kind, stage: error.code === 'usage' ? 'validate' : stage });
}

const unexpectedError = (): KbError => new KbError('internal', 'Something went wrong inside kb. The log of the server says what.');

/** A run whose first step has begun. */
interface StartedRun<R> {
  run: AsyncGenerator<Event, R, void>;
  first: Promise<IteratorResult<Event, R>>;
}

/**
 * Yields the events of a run and, whatever happens, exactly one `final` event with its result or partial result. Records that are also in
 * the result (`item`) are left out. The caller must return the run. `onFailure` gets an error that the run threw, and returns the one to
 * report.
 */
export async function* withFinalEvent<R extends object>(
  { run, first }: StartedRun<R>,
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
    const reported = isForeseen(reason) ? reason : unexpectedError();
    for (const event of endingEvents(failureItem(reported, operation), partialResultOf(error))) yield { ...event, sequence: sequence++ };
  }
}
