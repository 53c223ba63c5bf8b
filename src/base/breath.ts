import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from './run.ts';

/** Milliseconds of work in one go after which others have their turn. */
const LONGEST = 10;

/**
 * For long work whose steps wait for nothing: the function made here is awaited with every step. Once the steps have taken 10 ms in one go, it lets the
 * event loop turn, so that other requests are answered and this one can be stopped. Throws a KbError (`aborted`) where it was.
 */
export function breathing(signal: AbortSignal | undefined): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began >= LONGEST) {
      await turn();
      began = performance.now();
    }
    throwIfAborted(signal);
  };
}
