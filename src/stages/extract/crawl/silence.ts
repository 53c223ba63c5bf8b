/** Milliseconds that a crawl waits for a site in vain. */
export const LONGEST_SILENCE = 600_000;

/** How long a site has not answered, while someone waited for it: what is done with its pages in between does not count. */
export class Silence {
  readonly #now: () => number;
  #since: number;
  #milliseconds = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** An answer is waited for from now on. */
  begin(): void {
    this.#since = this.#now();
  }

  /** What was waited for is there, and is an answer or a failure. */
  end(isAnswer: boolean): void {
    this.#milliseconds = isAnswer ? 0 : this.#milliseconds + this.#now() - this.#since;
    this.#since = this.#now();
  }

  get isTooLong(): boolean {
    return this.#milliseconds >= LONGEST_SILENCE;
  }
}
