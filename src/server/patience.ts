import type { FastifyReply } from 'fastify';
import { isAbort, KbError } from '../base/errors.ts';

/** What ends the work of a request before it is done. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Rejects when the work is to stop. */
  readonly over: Promise<never>;
  /** What the request ends with: why its work was stopped, else the error that it threw itself. */
  reasonFor(error: unknown): unknown;
  release(): void;
}

/** Stops work when its client leaves, when it takes longer than `seconds`, and all work when `stopAll` is called. */
export function createPatience(seconds: number): { patienceFor(reply: FastifyReply): Patience; stopAll(): void } {
  const live = new Set<AbortController>();
  return {
    patienceFor(reply) {
      const controller = new AbortController();
      const { signal } = controller;
      const left = () => {
        if (!reply.raw.writableFinished) controller.abort(new KbError('aborted', 'The client left.'));
      };
      const timer = setTimeout(() => controller.abort(tooSlow(seconds)), seconds * 1000);
      const over = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
      over.catch(() => {}); // nobody may be waiting for it
      reply.raw.once('close', left);
      live.add(controller);
      return {
        signal,
        over,
        reasonFor: (error) => (signal.aborted && isAbort(error) ? signal.reason : error),
        release: () => {
          clearTimeout(timer);
          reply.raw.off('close', left);
          live.delete(controller);
        },
      };
    },
    stopAll: () => {
      for (const controller of live) controller.abort(serverStops());
    },
  };
}

const tooSlow = (seconds: number): KbError =>
  new KbError('unavailable', `The request took longer than ${seconds} seconds, and was stopped.`, {
    hint: 'Ingest in the background («background: true»), or ask for less at once; the operator can raise server.request_timeout.',
    isRetryable: true,
  });

const serverStops = (): KbError =>
  new KbError('unavailable', 'The server is stopping.', { hint: 'Try again when it is up.', isRetryable: true });
