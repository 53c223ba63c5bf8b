import { setTimeout as wait } from 'node:timers/promises';
import { stoppedError } from './errors.ts';
import type { Event } from '../schema/results.ts';
import type { ErrorItem } from '../schema/items.ts';

/** An event before the door numbers it. */
export type Progress = Omit<Event, 'sequence'>;

/** Work: yields what happens, returns what came of it. To stop it, abort its signal, then `return()` it. */
export type Run<R> = AsyncGenerator<Progress, R, void>;

export const progress = (stage: string, data: Record<string, unknown> = {}, message = ''): Progress => ({
  type: 'progress',
  stage,
  message,
  data,
});

/** Tells of a failure that is listed among the errors of the result. */
export const errorEvent = (item: ErrorItem): Progress => ({ type: 'error', stage: item.stage, message: item.error, data: { ...item } });

/** Runs to the end, tells the events to who listens, hands back the result. The run waits for a listener that hands back a promise. */
export async function settle<E, R>(run: AsyncGenerator<E, R, void>, onEvent?: (event: E) => void | Promise<void>): Promise<R> {
  for (;;) {
    const step = await run.next();
    if (step.done) return step.value;
    await onEvent?.(step.value);
  }
}

/** Runs to the end: `{ events, result }`. */
export async function collect<E, R>(run: AsyncGenerator<E, R, void>): Promise<{ events: E[]; result: R }> {
  const events: E[] = [];
  const result = await settle(run, (event) => void events.push(event));
  return { events, result };
}

/** The run with what `change` makes of each event; undefined leaves it out. Who stops listening stops the run. */
export async function* mapEvents<E, F, R>(
  run: AsyncGenerator<E, R, void>,
  change: (event: E) => F | undefined,
): AsyncGenerator<F, R, void> {
  try {
    for (;;) {
      const step = await run.next();
      if (step.done) return step.value;
      const event = change(step.value);
      if (event !== undefined) yield event;
    }
  } finally {
    await run.return(undefined as never);
  }
}

/** Throws where the work was stopped. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw stoppedError(signal.reason);
}

/** Waits so many milliseconds. Throws a KbError (`aborted`) on the signal. */
export const waitFor = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch((cause: unknown) => {
    throw stoppedError(cause);
  });
