import { setTimeout as wait } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { InTurn } from '../../../base/http-message.ts';

/** Requests to one host at once (contract, section 5). */
const AT_ONCE = 8;

/** Does work when it is its turn: at most eight at once, or one after another with `delay` seconds between them. */
export function takingTurns({ delay, signal }: { delay: number; signal: AbortSignal | undefined }): InTurn {
  const limit = pLimit(delay > 0 ? 1 : AT_ONCE);
  let next = 0;
  const spaced = async <T>(work: () => Promise<T>): Promise<T> => {
    const pause = next - performance.now();
    if (pause > 0) await wait(pause, undefined, { signal });
    try {
      return await work();
    } finally {
      next = performance.now() + delay * 1000;
    }
  };
  return (work) => limit(() => (delay > 0 ? spaced(work) : work()));
}
