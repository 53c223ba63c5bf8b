import { AsyncLocalStorage } from 'node:async_hooks';
import { KbError } from './errors.ts';
import { currentSignal, progress, type Progress, type Run, waitFor } from './run.ts';

export interface RetryOptions {
  /** How often at most, the first try counted in. */
  attempts?: number;
  /** Seconds before the second try, unless `Retry-After` says otherwise; doubled each time, with jitter. */
  base?: number;
  /** Seconds that one wait lasts at most; a `Retry-After` beyond it gives up at once. */
  longest?: number;
  /** Seconds from the beginning after which no further try begins. */
  within?: number;
  /** That of the run where nothing is said. */
  signal?: AbortSignal | undefined;
}

/** Tries again what fails with a retryable KbError, and tells of each pause before that. The error thrown in the end knows how often it was tried. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 4, base = 0.5, longest = 60, within = Infinity, signal = currentSignal() } = options;
  const end = performance.now() + within * 1000;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KbError)) throw error;
      error.attempts = attempt;
      const seconds = error.retryAfter ?? base * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      if (!error.isRetryable || attempt >= attempts || seconds > longest || performance.now() > end || signal?.aborted) throw error;
      reportPause({ seconds, attempt: attempt + 1, attempts, reason: error.message });
      await waitFor(seconds * 1000, signal);
    }
  }
}

interface RetryPause {
  seconds: number;
  /** Which try it will be, and of how many. */
  attempt: number;
  attempts: number;
  /** Why, as a sentence. */
  reason: string;
}

// What waits lies many calls below who asked, behind ports that only give back what was asked for: so it is told along the way of the calls.
const listeners = new AsyncLocalStorage<(pause: RetryPause) => void>();

/** Tells of a pause, where somebody listens. */
export const reportPause = (pause: RetryPause): void => listeners.getStore()?.(pause);

/** `Waiting 12 s, then trying again (2 of 4): openai answered 429: Too many requests.` */
const sentence = ({ seconds, attempt, attempts, reason }: RetryPause): string =>
  `Waiting ${Math.ceil(seconds)} s, then trying again (${attempt} of ${attempts}): ${reason}`;

const toProgress = (pause: RetryPause, { stage, data }: Pick<Progress, 'stage' | 'data'>): Progress =>
  progress(stage, { ...data, wait: pause.seconds, attempt: pause.attempt, attempts: pause.attempts }, sentence(pause));

/** Milliseconds that work which is left while it waits has to close: it was not told to stop, and may wait for a minute. */
const LONGEST_CLOSING = 500;

/** The same work; each pause before another try is an event of its stage with `wait` (seconds), `attempt`, `attempts`. `first`: what it is told with before any stage. */
export async function* withRetryProgress<R>(run: Run<R>, first: Pick<Progress, 'stage' | 'data'>): Run<R> {
  const waits: RetryPause[] = [];
  let wake = () => {};
  const hear = (pause: RetryPause) => {
    waits.push(pause);
    wake();
  };
  const heard = () => new Promise<false>((resolve) => (waits.length > 0 ? resolve(false) : (wake = () => resolve(false))));
  let last = first;
  let isOver = false;
  let isPending = false;
  try {
    for (;;) {
      const next = listeners.run(hear, () => run.next());
      isPending = true;
      const ended = next.then(
        () => true,
        () => true,
      );
      for (let isAhead = false; !isAhead;) {
        isAhead = await Promise.race([ended, heard()]);
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
    if (!isOver) await closed(run.return(undefined as never), isPending ? LONGEST_CLOSING : Infinity);
  }
}

/** Waits until a run is closed, or for so many milliseconds; how it fails then is nobody's business any more. */
async function closed(closing: Promise<unknown>, longest: number): Promise<void> {
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
