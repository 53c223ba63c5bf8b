import { KbError } from '../base/errors.ts';
import { throwIfAborted } from '../base/run.ts';

/** Lets a number of works run at once; the others wait, first come first served. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a place, which `leave` gives back; calls `onWait` where there is none. Throws a KbError (`aborted`), without a place, when the signal stops the waiting. */
  async enter(signal: AbortSignal, onWait = (): void => {}): Promise<void> {
    throwIfAborted(signal);
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    onWait();
    await this.#turn(signal);
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(new KbError('aborted', 'The work was stopped before it began.', { cause: signal.reason }));
      };
      this.#waiting.push(begin);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
