/** A question about addresses that may take so long in all. */
export interface Bounded {
  /** No, once the time is spent. */
  ask(address: string): boolean;
  isSpent(): boolean;
}

/** Bounds what rules cost that a stranger wrote: `milliseconds` for all answers of a crawl together. Those that mean well take a hundredth of a second. */
export function within(milliseconds: number, answer: (address: string) => boolean): Bounded {
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
