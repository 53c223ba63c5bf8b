/** Milliseconds without a change after which files have settled, and after which a file that is written without end is read all the same. */
const SETTLED = 1_000;
const LONGEST_BURST = 30_000;

/** Calls back once changes have settled, or have gone on for long. */
export class Settling {
  readonly #onSettled: () => void;
  /** When the first change came, in milliseconds. */
  #first: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  /** Whether the last change is not long ago. */
  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  /** Something has changed. */
  note(): void {
    const now = Date.now();
    this.#first ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#onSettled();
      },
      Math.max(0, Math.min(SETTLED, this.#first + LONGEST_BURST - now)),
    );
  }

  /** The next change is the first one again. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#first = undefined;
  }
}
