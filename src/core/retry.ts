import { AsyncLocalStorage } from 'node:async_hooks';
import { KbError } from './errors.ts';
import { currentSignal, progress, type Progress, type Run, waitFor } from './run.ts';

/** Limits of `retry`. */
export interface RetryOptions {
  /** Maximum attempts, including the first. Default: 4. */
  attempts?: number;
  /** Seconds before the second attempt, unless `Retry-After` says otherwise; doubled each time, with jitter. Default: 0.5. */
  firstWait?: number;
  /** Maximum seconds of one wait; a longer `Retry-After` gives up at once. Default: 60. */
  maxWait?: number;
  /** Maximum refusals of the work by a server that asks for a slower pace, instead of attempts. Default: each counts as an attempt. */
  refusals?: number;
  /** Seconds after which no further attempt begins. Default: no limit. */
  giveUpAfter?: number;
  /** Stops the waits. Default: the signal of the run. */
  signal?: AbortSignal | undefined;
}

/**
 * Repeats work that fails with a retryable KbError, and reports each wait. The error that is thrown in the end holds the number of
 * attempts.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 4, firstWait = 0.5, maxWait = 60, refusals, giveUpAfter = Infinity, signal = currentSignal() } = options;
  const end = performance.now() + giveUpAfter * 1000;
  let refused = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KbError)) throw error;
      error.attempts = attempt + refused;
      const isRefused = error.isThrottled && refusals !== undefined;
      const seconds = error.retryAfter ?? firstWait * 2 ** (attempt + refused - 1) * (0.75 + Math.random() / 2);
      const isOver = (isRefused ? refused >= refusals : attempt >= attempts) || seconds > maxWait || performance.now() > end;
      if (!error.isRetryable || isOver || signal?.aborted) throw error;
      if (isRefused) {
        refused++;
        attempt--;
      }
      reportPause({ seconds, attempt: attempt + 1, attempts, reason: error.message });
      await waitFor(seconds * 1000, signal);
    }
  }
}

export interface RetryPause {
  seconds: number;
  /** Number of the next attempt, and the maximum; absent before a first attempt. */
  attempt?: number;
  attempts?: number;
  /** The reason, as a sentence. */
  reason: string;
}

// Pauses occur many calls below the operation, behind ports that return results only. They are reported through the async context.
const listeners = new AsyncLocalStorage<(pause: RetryPause) => void>();

/** Reports a pause to the listener of the run, if there is one. */
export const reportPause = (pause: RetryPause): void => listeners.getStore()?.(pause);

/** Runs an operation, and calls `onPause` at each pause in it. */
export async function* listenToPauses<R>(run: Run<R>, onPause: (pause: RetryPause) => void): Run<R> {
  try {
    for (;;) {
      const result = await listeners.run(onPause, () => run.next());
      if (result.done) return result.value;
      yield result.value;
    }
  } finally {
    await run.return(undefined as never);
  }
}

/** `Waiting 12 s, then trying again (2 of 4): openai answered 429: Too many requests.` */
const formatPause = ({ seconds, attempt, attempts, reason }: RetryPause): string =>
  `Waiting ${Math.ceil(seconds)} s${attempt === undefined ? '' : `, then trying again (${attempt} of ${attempts})`}: ${reason}`;

const toProgress = (pause: RetryPause, { stage, data }: Pick<Progress, 'stage' | 'data'>): Progress =>
  progress(
    stage,
    { ...data, wait: pause.seconds, ...(pause.attempt === undefined ? {} : { attempt: pause.attempt, attempts: pause.attempts }) },
    formatPause(pause),
  );

/** Maximum milliseconds to close an abandoned run: without an abort, it may be in a pause of a minute. */
const MAX_CLOSING_TIME = 500;

/**
 * Yields the events of a run. Each pause before another attempt becomes an event of the current stage with `wait` (seconds), `attempt` and
 * `attempts`. `first`: stage and data until the first event.
 */
export async function* withRetryProgress<R>(run: Run<R>, first: Pick<Progress, 'stage' | 'data'>): Run<R> {
  const waits: RetryPause[] = [];
  let wake = () => {};
  const listener = (pause: RetryPause) => {
    waits.push(pause);
    wake();
  };
  const nextPause = () => new Promise<false>((resolve) => (waits.length > 0 ? resolve(false) : (wake = () => resolve(false))));
  let last = first;
  let isOver = false;
  let isPending = false;
  try {
    for (;;) {
      const next = listeners.run(listener, () => run.next());
      isPending = true;
      const ended = next.then(
        () => true,
        () => true,
      );
      for (let hasSettled = false; !hasSettled;) {
        hasSettled = await Promise.race([ended, nextPause()]);
        for (const pause of waits.splice(0)) yield toProgress(pause, last);
      }
      isPending = false;
      const step = await next;
      isOver = step.done === true;
      if (step.done) return step.value;
      if (step.value.type === 'progress') last = step.value;
      yield step.value;
    }
  } finally {
    if (!isOver) await waitForClosing(run.return(undefined as never), isPending ? MAX_CLOSING_TIME : Infinity);
  }
}

/** Waits until a run is closed, for at most `longest` milliseconds. With such a limit, errors are ignored. */
async function waitForClosing(closing: Promise<unknown>, longest: number): Promise<void> {
  if (longest === Infinity) return void (await closing);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longest);
  });
  try {
    await Promise.race([closing.catch(() => {}), late]);
  } finally {
    clearTimeout(timer);
  }
}
