import { type Hint, sayHint } from './advice/advice.ts';
import type { ErrorItem, ErrorSourceKind, Stage } from '../schema/items.ts';

/** The kind of failure: it decides the exit code, the status over HTTP and the envelope's `type`. usage: the request; configuration; setup: something is missing. */
export type ErrorCode =
  | 'usage'
  | 'configuration'
  | 'setup'
  | 'not_found'
  | 'forbidden'
  | 'conflict'
  | 'too_large'
  | 'unauthorized'
  | 'unavailable'
  | 'invalid'
  | 'aborted'
  | 'internal';

interface KbErrorOptions {
  /** What to do about it. */
  hint?: Hint | undefined;
  cause?: unknown;
  isRetryable?: boolean;
  attempts?: number;
  /** Seconds that the other side asked to wait (`Retry-After`). */
  retryAfter?: number;
}

/** An error with a code, a sentence for people and, where there is one, the way out. Retryability is decided where it is made. */
export class KbError extends Error {
  readonly code: ErrorCode;
  /** In the words of the face for which the work is done. */
  readonly hint: string | undefined;
  /** What the hint was made of, for another process. */
  readonly advice: Hint | undefined;
  readonly isRetryable: boolean;
  readonly retryAfter: number | undefined;
  attempts: number;

  constructor(code: ErrorCode, message: string, { hint, cause, isRetryable = false, attempts = 1, retryAfter }: KbErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KbError';
    this.code = code;
    this.hint = hint === undefined ? undefined : sayHint(hint);
    this.advice = hint;
    this.isRetryable = isRetryable;
    this.attempts = attempts;
    this.retryAfter = retryAfter;
  }
}

/** The envelope's `type` for each code (contract, section 4). */
export const ERROR_TYPES: Record<ErrorCode, string> = {
  usage: 'ValueError',
  configuration: 'ValueError',
  invalid: 'ValueError',
  setup: 'SetupError',
  not_found: 'NotFoundError',
  forbidden: 'PermissionError',
  conflict: 'ValueError',
  too_large: 'PayloadTooLargeError',
  unauthorized: 'AuthenticationError',
  unavailable: 'RuntimeError',
  aborted: 'RuntimeError',
  internal: 'RuntimeError',
};

/** Message and, where there is one, hint: what a person is shown. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof KbError && error.hint ? `${error.message} ${error.hint}` : error.message;
}

/** The exception envelope of service.md 7. */
export function envelope(error: unknown): { error: { type: string; message: string } } {
  return { error: { type: error instanceof KbError ? ERROR_TYPES[error.code] : 'RuntimeError', message: describe(error) } };
}

/** A failure as data: one item of an `errors` list. */
export function toErrorItem(error: unknown, where: { source: string; source_kind: ErrorSourceKind; stage: Stage }): ErrorItem {
  const known = error instanceof KbError ? error : undefined;
  return { ...where, error: describe(error), isRetryable: known?.isRetryable ?? false, attempts: known?.attempts ?? 1 };
}

/** Whether an error was foreseen: the text of any other is for the log, never for who asks. */
export const isForeseen = (error: unknown): error is KbError => error instanceof KbError && error.code !== 'internal';

/** What is said of work that its own signal, or the end of what it works with, has cut short. */
export const stoppedError = (cause?: unknown): KbError => new KbError('aborted', 'The work was stopped.', { cause });

/** Whether the run was stopped from outside. */
export const isAbort = (error: unknown): boolean =>
  (error instanceof KbError && error.code === 'aborted') || (error instanceof Error && error.name === 'AbortError');

const ENDING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['usage', 'configuration', 'setup', 'forbidden']);

/** Whether a failure must end the work instead of becoming an item of its errors: a stop, and what the caller has to mend before the same request can succeed. */
export const endsWork = (error: unknown): boolean => isAbort(error) || (error instanceof KbError && ENDING.has(error.code));

const results = new WeakMap<object, object>();

/** Notes what had come of work by the time this error ended it: a whole result of the operation, as far as that got. Hands the error back, to be thrown. */
export function attachPartialResult<E>(error: E, result: object): E {
  if (typeof error === 'object' && error !== null) results.set(error, result);
  return error;
}

/** What was noted with the error; undefined where nothing was. */
export const partialResultOf = (error: unknown): object | undefined =>
  typeof error === 'object' && error !== null ? results.get(error) : undefined;
