import { setTimeout as wait } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { stoppedError } from '../../../core/errors.ts';
import type { RunInTurn } from '../../../http/message.ts';
import { throwIfAborted } from '../../../core/run.ts';

/** Maximum concurrent requests to one host (contract, section 5). */
export const MAX_CONCURRENT = 8;

/** Limits the requests to each host, for all runs of an engine together. */
export class HostLimiter {
  readonly #hosts = new Map<string, Host>();

  /** Returns the limiter of the origin of an address: at most eight requests at once, or one after another with `delay` seconds between. */
  limiterFor(address: string, { delay = 0 }: { delay?: number } = {}): RunInTurn {
    const origin = URL.canParse(address) ? new URL(address).origin : address;
    return async (work, signal) => {
      throwIfAborted(signal);
      return await whileWaiting(signal, (begun) => {
        const begin = () => {
          begun();
          return work();
        };
        const host = this.#host(origin);
        return delay > 0 ? runSpaced(host, begin, { delay, signal }) : host.concurrent(begin);
      });
    };
  }

  #host(origin: string): Host {
    const known = this.#hosts.get(origin);
    if (known) return known;
    for (const [other, host] of this.#hosts) if (isIdle(host)) this.#hosts.delete(other);
    const host: Host = { concurrent: pLimit(MAX_CONCURRENT), serial: pLimit(1), next: 0 };
    this.#hosts.set(origin, host);
    return host;
  }
}

/** Limits of one origin for concurrent and for consecutive work; `next`: when the next consecutive work may begin (`performance.now`). */
interface Host {
  concurrent: LimitFunction;
  serial: LimitFunction;
  next: number;
}

const isIdle = ({ concurrent, serial, next }: Host): boolean =>
  [concurrent, serial].every(({ activeCount, pendingCount }) => activeCount + pendingCount === 0) && next <= performance.now();

const runSpaced = <T>(
  host: Host,
  work: () => Promise<T>,
  { delay, signal }: { delay: number; signal: AbortSignal | undefined },
): Promise<T> =>
  host.serial(async () => {
    throwIfAborted(signal); // stopped work costs no delay
    const pause = host.next - performance.now();
    if (pause > 0) await wait(pause, undefined, { signal });
    try {
      return await host.concurrent(work);
    } finally {
      host.next = performance.now() + delay * 1000;
    }
  });

/** Rejects at once if the signal is aborted before the work has begun: the work before it may belong to another run. */
async function whileWaiting<T>(signal: AbortSignal | undefined, enter: (begun: () => void) => Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(stoppedError(signal?.reason));
  const stopListening = () => signal?.removeEventListener('abort', stop);
  signal?.addEventListener('abort', stop);
  const begun = () => {
    throwIfAborted(signal);
    stopListening();
  };
  return await Promise.race([enter(begun), stopped]).finally(stopListening);
}
