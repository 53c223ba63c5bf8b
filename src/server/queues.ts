import { KbError } from '../base/errors.ts';
import type { Route } from './routes.ts';
import { Slots } from './slots.ts';

/** Requests that may wait in a queue; one more is told to come back. Each holds its body in memory. */
const LONGEST_QUEUE = 1000;

/** Forms whose files are received and read at once: each may fill the disk for temporary files with `max_files` files of `upload_limit`. */
const UPLOADS_AT_ONCE = 4;

/** Seconds after which a request that found the queue full should come back. */
const COME_BACK = 5;

export type QueueName = Route['queue'] | 'upload';

/** Waits for a turn; gives the function that ends it, which may be called again. Throws a KbError: `unavailable` where too many wait already, `aborted` when the signal stops the waiting. */
export type Queues = (queue: QueueName, signal: AbortSignal) => Promise<() => void>;

/** A queue for searches and one for work that may take minutes, so that a search never waits behind that, of each of which `max_concurrent` have their turn at once; and one for uploads. */
export function createQueues(max_concurrent: number): Queues {
  const queues: Record<QueueName, Slots> = {
    search: new Slots(max_concurrent),
    work: new Slots(max_concurrent),
    upload: new Slots(UPLOADS_AT_ONCE),
  };
  return async (queue, signal) => {
    const slots = queues[queue];
    if (slots.waiting >= LONGEST_QUEUE) throw full();
    await slots.enter(signal);
    let isIn = true;
    return () => {
      if (isIn) slots.leave();
      isIn = false;
    };
  };
}

const full = (): KbError =>
  new KbError('unavailable', 'The server is busy: too many requests wait already.', {
    hint: `Try again in ${COME_BACK} seconds.`,
    isRetryable: true,
    retryAfter: COME_BACK,
  });
