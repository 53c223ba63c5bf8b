import { setTimeout as wait } from 'node:timers/promises';
import { KbError, stoppedError } from './errors.ts';
import { reportPause } from './retry-progress.ts';

export interface RetryOptions {
  /** How often at most, the first try counted in. */
  attempts?: number;
  /** Seconds before the second try, unless `Retry-After` says otherwise; doubled each time, with jitter. */
  base?: number;
  /** Seconds that one wait lasts at most; a `Retry-After` beyond it gives up at once. */
  longest?: number;
  signal?: AbortSignal | undefined;
}

/** Tries again what fails with a retryable KbError, and tells of each pause before that (core/retry-progress.ts). The error thrown in the end knows how often it was tried. */
export async function retry<T>(work: () => Promise<T>, { attempts = 4, base = 0.5, longest = 60, signal }: RetryOptions = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KbError)) throw error;
      error.attempts = attempt;
      const seconds = error.retryAfter ?? base * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
      if (!error.isRetryable || attempt >= attempts || seconds > longest || signal?.aborted) throw error;
      reportPause({ seconds, attempt: attempt + 1, attempts, reason: error.message });
      await wait(seconds * 1000, undefined, { signal }).catch((cause) => {
        throw stoppedError(cause);
      });
    }
  }
}
