import { KbError } from '../base/errors.ts';
import { throwIfAborted } from '../base/run.ts';

interface Waiting {
  client: string;
  begin(): void;
}

/** Lets a number of works run at once; the others wait, first come first served, but for clients that have their share already: these let others go first. */
export class Slots {
  #free: number;
  readonly #share: number;
  /** How many each client has. */
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  constructor(size: number, share = size) {
    this.#free = size;
    this.#share = share;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How many of a client wait. */
  waitingOf(client: string): number {
    return this.#waiting.filter((one) => one.client === client).length;
  }

  /** Waits for a place, which `leave` gives back; calls `onWait` where there is none. Throws a KbError (`aborted`), without a place, when the signal stops the waiting. */
  async enter(signal: AbortSignal, onWait = (): void => {}, client = ''): Promise<void> {
    throwIfAborted(signal);
    if (this.#mayEnter(client)) return this.#take(client);
    onWait();
    await this.#turn(signal, client);
  }

  leave(client = ''): void {
    const left = (this.#held.get(client) ?? 0) - 1;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
    this.#free++;
    const next = this.#waiting.findIndex((one) => this.#mayEnter(one.client));
    if (next >= 0) this.#waiting.splice(next, 1)[0]!.begin();
  }

  #mayEnter(client: string): boolean {
    return this.#free > 0 && (this.#held.get(client) ?? 0) < this.#share;
  }

  #take(client: string): void {
    this.#free--;
    this.#held.set(client, (this.#held.get(client) ?? 0) + 1);
  }

  #turn(signal: AbortSignal, client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        client,
        begin: () => {
          signal.removeEventListener('abort', giveUp);
          this.#take(client);
          resolve();
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new KbError('aborted', 'The work was stopped before it began.', { cause: signal.reason }));
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
