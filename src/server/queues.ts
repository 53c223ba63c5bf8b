import { KbError } from '../core/errors.ts';
import { throwIfAborted } from '../core/run.ts';
import type { Route } from './routes.ts';

interface Waiting {
  client: string;
  begin(): void;
}

/** Limits how many tasks run at once. Others wait in order, but clients at their limit are skipped. */
export class Slots {
  readonly #size: number;
  #free: number;
  readonly #perClient: number;
  /** Number of slots of each client. */
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  constructor(size: number, share = size) {
    this.#size = size;
    this.#free = size;
    this.#perClient = share;
  }

  get running(): number {
    return this.#size - this.#free;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  waitingOf(client: string): number {
    return this.#waiting.filter((one) => one.client === client).length;
  }

  /**
   * Waits for a slot, which `leave` frees; calls `onWait` if none is free. Throws a KbError (`aborted`) if the signal stops the wait.
   */
  async enter(signal: AbortSignal, onWait = (): void => {}, client = ''): Promise<void> {
    throwIfAborted(signal);
    if (this.#mayEnter(client)) return this.#take(client);
    onWait();
    await this.#waitForSlot(signal, client);
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
    return this.#free > 0 && (this.#held.get(client) ?? 0) < this.#perClient;
  }

  #take(client: string): void {
    this.#free--;
    this.#held.set(client, (this.#held.get(client) ?? 0) + 1);
  }

  #waitForSlot(signal: AbortSignal, client: string): Promise<void> {
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

/** Maximum requests in a queue; a further one is rejected. */
const MAX_QUEUE_LENGTH = 1000;

/**
 * Maximum requests at once that chunk and embed the texts they send, and maximum of one client: their results are large, and more at once would not be
 * done sooner.
 */
const MAX_STAGES = 4;
const MAX_STAGES_PER_CLIENT = 3;

/** Maximum forms that are received at once; each may need `max_files` times `upload_limit` of temporary disk space. */
const MAX_UPLOADS = 4;
/** Maximum uploads of one client at once, so that a slow client does not block others, and maximum that may wait. */
const MAX_UPLOADS_PER_CLIENT = 3;
const MAX_WAITING_PER_CLIENT = 100;

/** Seconds after which a rejected request should be retried. */
const RETRY_AFTER = 5;

type QueueName = Route['queue'] | 'upload';

interface Waiter {
  signal: AbortSignal;
  client: string;
}

/** Waits for a turn, and returns the function that ends it (may be called twice). Throws a KbError: `unavailable` if the queue is full, `aborted` by the signal. */
export type EnterQueue = (queue: QueueName, waiter: Waiter) => Promise<() => void>;

interface QueueTable {
  enter: EnterQueue;
  /** Returns how many requests run and wait in each queue. */
  lengths(): { queue: QueueName; running: number; waiting: number }[];
}

/** Makes the queues of searches and of long work (`max_concurrent` turns each), and those of single stages and of uploads, where no client gets all turns. */
export function createQueues(max_concurrent: number): QueueTable {
  const queues: Record<QueueName, Slots> = {
    search: new Slots(max_concurrent),
    work: new Slots(max_concurrent),
    stage: new Slots(Math.min(MAX_STAGES, max_concurrent), MAX_STAGES_PER_CLIENT),
    upload: new Slots(MAX_UPLOADS, MAX_UPLOADS_PER_CLIENT),
  };
  const enter: EnterQueue = async (queue, { signal, client }) => {
    const slots = queues[queue];
    if (slots.waiting >= MAX_QUEUE_LENGTH || (queue === 'upload' && slots.waitingOf(client) >= MAX_WAITING_PER_CLIENT))
      throw busyError('too many requests wait already');
    await slots.enter(signal, () => {}, client);
    let holdsSlot = true;
    return () => {
      if (holdsSlot) slots.leave(client);
      holdsSlot = false;
    };
  };
  const lengths = () => Object.entries(queues).map(([queue, { running, waiting }]) => ({ queue: queue as QueueName, running, waiting }));
  return { enter, lengths };
}

/** Makes the error of a rejected request. `reason` completes "The server is busy: …". */
export const busyError = (reason: string): KbError =>
  new KbError('unavailable', `The server is busy: ${reason}.`, {
    hint: `Try again in ${RETRY_AFTER} seconds.`,
    isRetryable: true,
    retryAfter: RETRY_AFTER,
  });
