import type { Run } from '../core/run.ts';

/** How a call is recorded: the name of its span, and what its arguments add to it, which must hold no text. */
export type CallSpan = string | { name: string; about(...args: readonly unknown[]): Record<string, string | number> };

/** Records spans: what ran, when and how long, with counts and names of models; no text. */
export interface Tracer {
  /** Runs work as a span; spans that begin in it are its children. `traceparent`: the caller's span, as W3C Trace Context writes it. */
  run<R>(name: string, run: Run<R>, options?: { traceparent?: string | undefined }): Run<R>;
  /** The same object; calls of these methods are spans. */
  instrument<T extends object>(target: T, stages: { readonly [Method in keyof T]?: CallSpan }): T;
  /** Sends what is left. */
  close(): Promise<void>;
}
