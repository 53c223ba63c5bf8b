/** A question about addresses that may take so long in all. */
interface TimeLimited {
  /** No, once the time is spent. */
  ask(address: string): boolean;
  isSpent(): boolean;
}

/** Bounds what rules cost that a stranger wrote: `milliseconds` for all answers of a crawl together. Those that mean well take a hundredth of a second. */
export function timeLimited(milliseconds: number, answer: (address: string) => boolean): TimeLimited {
  let spent = 0;
  return {
    ask(address) {
      if (spent >= milliseconds) return false;
      const began = performance.now();
      const isYes = answer(address);
      spent += performance.now() - began;
      return isYes;
    },
    isSpent: () => spent >= milliseconds,
  };
}

/** Milliseconds that a crawl waits for a site in vain. */
export const LONGEST_SILENCE = 600_000;

/** How long a site has not answered, while someone waited for it: what is done with its pages in between does not count. */
export class IdleTimeout {
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
