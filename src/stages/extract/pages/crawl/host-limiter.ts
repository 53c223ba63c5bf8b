import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import { stoppedError } from '../../../../core/errors.ts';
import type { InTurn } from '../../../../http/message.ts';
import { throwIfAborted } from '../../../../core/run.ts';

/** Requests to one host at once (contract, section 5). */
export const AT_ONCE = 8;

/** Whose turn it is at each origin: one for an engine, so that all its runs together ask no host for more at once, nor sooner, than one of them may. */
export class HostLimiter {
  readonly #hosts = new Map<string, Host>();

  /**
   * Does work at an origin when it is its turn: at most eight at once, and with a `delay` one after another with so many seconds between them. Throws a KbError (`aborted`)
   * where the signal comes before its turn.
   */
  at(origin: string, { delay = 0 }: { delay?: number } = {}): InTurn {
    return async (work, signal) => {
      throwIfAborted(signal);
      return await whileWaiting(signal, (begun) => {
        const begin = () => {
          begun();
          return work();
        };
        const host = this.#host(origin);
        return delay > 0 ? host.spaced(begin, { delay, signal }) : host.work(begin);
      });
    };
  }

  #host(origin: string): Host {
    const known = this.#hosts.get(origin);
    if (known) return known;
    for (const [other, host] of this.#hosts) if (host.isIdle()) this.#hosts.delete(other);
    const host = new Host();
    this.#hosts.set(origin, host);
    return host;
  }
}

class Host {
  readonly #together = pLimit(AT_ONCE);
  readonly #alone = pLimit(1);
  #next = 0;

  work<T>(work: () => Promise<T>): Promise<T> {
    return this.#together(work);
  }

  spaced<T>(work: () => Promise<T>, { delay, signal }: { delay: number; signal: AbortSignal | undefined }): Promise<T> {
    return this.#alone(async () => {
      throwIfAborted(signal); // one that waits no longer costs those behind it nothing
      const pause = this.#next - performance.now();
      if (pause > 0) await wait(pause, undefined, { signal });
      try {
        return await this.#together(work);
      } finally {
        this.#next = performance.now() + delay * 1000;
      }
    });
  }

  isIdle(): boolean {
    const open = [this.#together, this.#alone].some(({ activeCount, pendingCount }) => activeCount + pendingCount > 0);
    return !open && this.#next <= performance.now();
  }
}

/** Waits no longer for work that has not begun when the signal comes: whoever is before it may belong to another run. */
async function whileWaiting<T>(signal: AbortSignal | undefined, enter: (begun: () => void) => Promise<T>): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(stoppedError(signal?.reason));
  const silence = () => signal?.removeEventListener('abort', stop);
  signal?.addEventListener('abort', stop);
  const begun = () => {
    throwIfAborted(signal);
    silence();
  };
  return await Promise.race([enter(begun), stopped]).finally(silence);
}
