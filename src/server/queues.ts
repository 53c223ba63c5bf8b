import { KbError } from '../base/errors.ts';
import type { Route } from './routes.ts';
import { Slots } from './slots.ts';

/** Requests that may wait in a queue; one more is told to come back. */
const LONGEST_QUEUE = 1000;

/** Forms whose files are received and read at once: each may fill the disk for temporary files with `max_files` files of `upload_limit`. */
const UPLOADS_AT_ONCE = 4;
/** Those of one client, so that one that sends slowly leaves others a way; and those of it that may wait. */
const UPLOADS_OF_ONE = 3;
const WAITING_UPLOADS_OF_ONE = 100;

/** Seconds after which a request that found no room should come back. */
const COME_BACK = 5;

export type QueueName = Route['queue'] | 'upload';

/** Who waits: for how long, and by which address. */
export interface Waiter {
  signal: AbortSignal;
  client: string;
}

/** Waits for a turn; gives the function that ends it, which may be called again. Throws a KbError: `unavailable` where too many wait already, `aborted` when the signal stops the waiting. */
export type Queues = (queue: QueueName, waiter: Waiter) => Promise<() => void>;

/**
 * A queue for searches and one for work that may take minutes, so that a search never waits behind that, of each of which `max_concurrent` have their turn at
 * once; and one for uploads, of which no client has all turns.
 */
export function createQueues(max_concurrent: number): Queues {
  const queues: Record<QueueName, Slots> = {
    search: new Slots(max_concurrent),
    work: new Slots(max_concurrent),
    upload: new Slots(UPLOADS_AT_ONCE, UPLOADS_OF_ONE),
  };
  return async (queue, { signal, client }) => {
    const slots = queues[queue];
    if (slots.waiting >= LONGEST_QUEUE || (queue === 'upload' && slots.waitingOf(client) >= WAITING_UPLOADS_OF_ONE))
      throw busy('too many requests wait already');
    await slots.enter(signal, () => {}, client);
    let isIn = true;
    return () => {
      if (isIn) slots.leave(client);
      isIn = false;
    };
  };
}

/** The error of a request for which there is no room now. `why` ends the sentence «The server is busy: …». */
export const busy = (why: string): KbError =>
  new KbError('unavailable', `The server is busy: ${why}.`, {
    hint: `Try again in ${COME_BACK} seconds.`,
    isRetryable: true,
    retryAfter: COME_BACK,
  });
