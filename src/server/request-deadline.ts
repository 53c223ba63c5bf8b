import type { FastifyReply } from 'fastify';
import { isAbort, KbError } from '../core/errors.ts';

/** Milliseconds that a client has to read the last words of work that was stopped. */
const CLOSING_MILLISECONDS = 5_000;

interface RequestDeadline {
  readonly signal: AbortSignal;
  /** Rejects when the work is to stop. */
  readonly over: Promise<never>;
  /** The error of the request: why its work was stopped, else the one that it threw. */
  reasonFor(error: unknown): unknown;
  release(): void;
}

/** Makes the deadline for a request, which ends when its connection does; `isBounded: false` for one that only listens to what a job does. */
export type DeadlineFor = (reply: FastifyReply, options?: { isBounded: boolean }) => RequestDeadline;

/** Stops work when its client leaves or after `seconds`, and all present and later work on `stopAll`. A client that does not read on is cut off. */
export function createDeadlines(seconds: number): { deadlineFor: DeadlineFor; stopAll(): void } {
  const live = new Set<AbortController>();
  let isStopping = false;
  return {
    deadlineFor(reply, { isBounded } = { isBounded: true }) {
      const controller = new AbortController();
      const { signal } = controller;
      const timers = isBounded ? [setTimeout(() => controller.abort(tooSlow(seconds)), seconds * 1000)] : [];
      const left = () => {
        if (!reply.raw.writableFinished) controller.abort(new KbError('aborted', 'The client disconnected.'));
      };
      const over = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => {
          timers.push(setTimeout(() => reply.raw.destroy(), CLOSING_MILLISECONDS));
          reject(signal.reason as Error);
        }),
      );
      over.catch(() => {}); // nobody may be waiting for it
      reply.raw.once('close', left);
      live.add(controller);
      if (reply.raw.destroyed) left(); // it had left before anybody listened
      if (isStopping) controller.abort(serverStopsError()); // its body was still on its way when the others were stopped
      return {
        signal,
        over,
        reasonFor: (error) => (signal.aborted && isAbort(error) ? signal.reason : error),
        release: () => {
          for (const timer of timers) clearTimeout(timer);
          reply.raw.off('close', left);
          live.delete(controller);
        },
      };
    },
    stopAll: () => {
      isStopping = true;
      for (const controller of live) controller.abort(serverStopsError());
    },
  };
}

const tooSlow = (seconds: number): KbError =>
  new KbError('unavailable', `The request took longer than ${seconds} seconds, and was stopped.`, {
    hint: 'Ingest in the background («background: true»), or ask for less at once; the operator can raise server.request_timeout.',
    isRetryable: true,
  });

/** Makes the error of a request that arrives or runs while the server stops. */
export const serverStopsError = (): KbError =>
  new KbError('unavailable', 'The server is stopping.', { hint: 'Try again when it is up.', isRetryable: true });
