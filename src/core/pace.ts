import pLimit from 'p-limit';
import { KbError } from './errors.ts';
import { reportPause } from './retry.ts';
import { throwIfAborted, waitFor } from './run.ts';

/** Seconds between two requests after the first refusal that names no time, and at most. A refusal that names a longer time says nothing about other requests. */
const FIRST_PAUSE = 1;
const MAX_PAUSE = 60;
/** Growth of the pause after a refusal: if nothing succeeded since the last one, and else. */
const GROWTH = { steep: 2, gentle: 1.25 };
/** Below this pause, in seconds, requests run at once again. */
const MIN_PAUSE = 0.1;
/** Milliseconds of waiting from which it is reported. */
const MIN_REPORTED = 3000;
/** Successes in a row after which the pause is halved. */
const RECOVERY = 5;

/**
 * The pace of requests to one server. They run as they come until the server refuses one as too many (`KbError.isThrottled`): then one at a time, with a
 * pause that grows with each further refusal and shrinks with successes.
 */
export class Pace {
  readonly #turn = pLimit(1);
  /** Seconds between two requests; 0 while they run as they come. */
  #pause = 0;
  /** When the pause last grew, and when the next request may begin (`performance.now`). */
  #slowedAt = 0;
  #next = 0;
  #successes = 0;
  readonly #server: string;

  /** `server`: its name for people. */
  constructor(server: string) {
    this.#server = server;
  }

  /** Runs a request in its turn, and throws what it throws. */
  async run<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#pause === 0) return this.#watch(request);
    return this.#turn(async () => {
      throwIfAborted(signal);
      const left = this.#next - performance.now();
      if (left > MIN_REPORTED) reportPause({ seconds: left / 1000, reason: `${this.#server} asked for a slower pace.` });
      if (left > 0) await waitFor(left, signal);
      try {
        return await this.#watch(request);
      } finally {
        this.#next = performance.now() + this.#pause * 1000;
      }
    });
  }

  async #watch<T>(request: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      const result = await request();
      if (this.#pause > 0 && began >= this.#slowedAt) this.#recover();
      return result;
    } catch (error) {
      if (error instanceof KbError && error.isThrottled) this.#slowDown(error.retryAfter, began);
      throw error;
    }
  }

  #slowDown(asked: number | undefined, began: number): void {
    // requests that were sent before the pause grew say nothing about it
    if (this.#pause === 0 || began >= this.#slowedAt) {
      const growth = this.#successes > 0 ? GROWTH.gentle : GROWTH.steep;
      const isLong = asked !== undefined && asked > MAX_PAUSE;
      const pause = isLong ? Math.max(FIRST_PAUSE, this.#pause) : Math.max(asked ?? FIRST_PAUSE, this.#pause * growth, MIN_PAUSE);
      this.#pause = Math.min(pause, MAX_PAUSE);
      this.#slowedAt = performance.now();
    }
    this.#successes = 0;
    this.#next = performance.now() + this.#pause * 1000;
  }

  #recover(): void {
    if (++this.#successes % RECOVERY !== 0) return;
    this.#pause = this.#pause / 2 < MIN_PAUSE ? 0 : this.#pause / 2;
  }
}
