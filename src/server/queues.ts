import pLimit from 'p-limit';
import { KbError } from '../base/errors.ts';
import type { Route } from './routes.ts';

/** Requests that may wait in a queue; one more is told to come back. Each holds its body in memory. */
const LONGEST_QUEUE = 1000;

/** Seconds after which a request that found the queue full should come back. */
const COME_BACK = 5;

/** Waits for a turn; gives the function that ends it. Throws a KbError (`unavailable`) where too many wait already, and the signal's reason. */
export type Queues = (queue: Route['queue'], signal: AbortSignal) => Promise<() => void>;

/** Two queues, for searches and for work that may take minutes, so that a search never waits behind that; `max_concurrent` of each have their turn at once. */
export function createQueues(max_concurrent: number): Queues {
  const queues = { search: pLimit(max_concurrent), work: pLimit(max_concurrent) };
  return (queue, signal) => {
    const turns = queues[queue];
    if (turns.pendingCount >= LONGEST_QUEUE) return Promise.reject(full());
    return new Promise((enter, refuse) => {
      void turns(async () => {
        if (signal.aborted) return refuse(signal.reason as Error); // whoever asked has left while it waited
        await new Promise<void>((leave) => enter(leave));
      });
    });
  };
}

const full = (): KbError =>
  new KbError('unavailable', 'The server is busy: too many requests wait already.', {
    hint: `Try again in ${COME_BACK} seconds.`,
    isRetryable: true,
    retryAfter: COME_BACK,
  });
