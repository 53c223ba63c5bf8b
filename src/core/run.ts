import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { stoppedError } from './errors.ts';
import type { Event } from '../schema/results.ts';
import type { ErrorItem } from '../schema/items.ts';

/** An event before the engine numbers it. */
export type Progress = Omit<Event, 'sequence'>;

/** A running operation: yields progress, returns its result. To stop it, abort its signal, then call `return()`. */
export type Run<R> = AsyncGenerator<Progress, R, void>;

/** An event of a run: `data` is for programs, `message` for people. */
export const progress = (stage: string, data: Record<string, unknown> = {}, message = ''): Progress => ({
  type: 'progress',
  stage,
  message,
  data,
});

/** Makes the event of a failure that is listed among the errors of the result. */
export const errorEvent = (item: ErrorItem): Progress => ({ type: 'error', stage: item.stage, message: item.error, data: { ...item } });

/** Runs to the end, passes each event to `onEvent` (and waits for its promise), returns the result. */
export async function settle<E, R>(run: AsyncGenerator<E, R, void>, onEvent?: (event: E) => void | Promise<void>): Promise<R> {
  for (;;) {
    const step = await run.next();
    if (step.done) return step.value;
    await onEvent?.(step.value);
  }
}

/** Runs to the end, and returns all events and the result. */
export async function collect<E, R>(run: AsyncGenerator<E, R, void>): Promise<{ events: E[]; result: R }> {
  const events: E[] = [];
  const result = await settle(run, (event) => void events.push(event));
  return { events, result };
}

/** Maps the events of a run; undefined leaves one out. Closing the generator closes the run. */
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

/** Throws a KbError (`aborted`) if the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw stoppedError(signal.reason);
}

/** Waits for a number of milliseconds. Throws a KbError (`aborted`) on the signal. */
export const waitFor = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch((cause: unknown) => {
    throw stoppedError(cause);
  });

/** Returns the result of work. Throws a KbError (`aborted`) on the signal, at once: the work goes on, and its result is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(stoppedError(signal.reason));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

// Stores are waited for many calls below the operation, behind ports that take no signal.
const signals = new AsyncLocalStorage<AbortSignal>();

/** Returns the signal of the current run; undefined outside of a run, and in one without a signal. */
export const currentSignal = (): AbortSignal | undefined => signals.getStore();

/** Returns the result of work. Throws a KbError (`aborted`) at once when the run is stopped; work that begins after that is awaited, so that it can clean up. */
export function untilStopped<T>(work: Promise<T>): Promise<T> {
  const signal = currentSignal();
  return untilAborted(work, signal?.aborted ? undefined : signal);
}

/** Runs work in which `currentSignal` returns the signal, except while the run is closed. */
export async function* withSignal<R>(run: Run<R>, signal: AbortSignal | undefined): Run<R> {
  return yield* signal ? runInContext(run, (next) => signals.run(signal, next)) : run;
}

/** Runs each step inside `enter`, which sets up its async context. The run is closed outside of it. */
export async function* runInContext<R>(run: Run<R>, enter: <T>(next: () => T) => T): Run<R> {
  try {
    for (;;) {
      const step = await enter(() => run.next());
      if (step.done) return step.value;
      yield step.value;
    }
  } finally {
    await run.return(undefined as never);
  }
}
