import { type Hint, formatHint } from './advice/advice.ts';
import type { ErrorItem, ErrorSourceKind, Stage } from '../schema/items.ts';

/** Kind of a failure. It decides the exit code, the HTTP status and the envelope's `type`. usage: the request is wrong; setup: something is not installed or set. */
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
  /** What to do, as a sentence. */
  hint?: Hint | undefined;
  cause?: unknown;
  isRetryable?: boolean;
  attempts?: number;
  /** Seconds to wait (`Retry-After`). */
  retryAfter?: number | undefined;
  /** Whether a server asks for a slower pace: the same request succeeds later. */
  isThrottled?: boolean;
  /** Whether the error only says that an intact file has no text. */
  hasNoText?: boolean;
  /** Whether the error only says that the format of a file is not read. */
  isUnsupported?: boolean;
}

/** An error with a code, a message for people, an optional hint, and whether a retry may succeed. */
export class KbError extends Error {
  readonly code: ErrorCode;
  /** The hint as text, worded for the interface that runs the work. */
  readonly hint: string | undefined;
  /** The hint as data, for another process. */
  readonly advice: Hint | undefined;
  readonly isRetryable: boolean;
  readonly retryAfter: number | undefined;
  readonly isThrottled: boolean;
  readonly hasNoText: boolean;
  readonly isUnsupported: boolean;
  attempts: number;

  constructor(code: ErrorCode, message: string, options: KbErrorOptions = {}) {
    const { hint, cause, isRetryable = false, attempts = 1, retryAfter } = options;
    const { isThrottled = false, hasNoText = false, isUnsupported = false } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KbError';
    this.code = code;
    this.hint = hint === undefined ? undefined : formatHint(hint);
    this.advice = hint;
    this.isRetryable = isRetryable;
    this.attempts = attempts;
    this.retryAfter = retryAfter;
    this.isThrottled = isThrottled;
    this.hasNoText = hasNoText;
    this.isUnsupported = isUnsupported;
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

/** Maximum characters of an error message: it may quote what a caller sent. */
const MAX_MESSAGE_LENGTH = 20_000;

/** The message of an error with its hint, as shown to people. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error instanceof KbError && error.hint ? `${error.message} ${error.hint}` : error.message;
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : message;
}

/** Returns the message of the first cause of an error, or its code if it has none. */
export function rootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const { message, code } = root as { message?: string; code?: string };
  return message || code || String(error);
}

/** Shortens a message to one line of at most 300 characters, with a full stop. Empty if it is blank. */
export function shortenToSentence(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 299)}…` : line;
  return short === '' || /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** The exception envelope of service.md 7. */
export function toEnvelope(error: unknown): { error: { type: string; message: string } } {
  return { error: { type: error instanceof KbError ? ERROR_TYPES[error.code] : 'RuntimeError', message: describe(error) } };
}

/** A failure as data: one item of an `errors` list. */
export function toErrorItem(error: unknown, where: { source: string; source_kind: ErrorSourceKind; stage: Stage }): ErrorItem {
  const known = error instanceof KbError ? error : undefined;
  return { ...where, error: describe(error), isRetryable: known?.isRetryable ?? false, attempts: known?.attempts ?? 1 };
}

/** Whether an error is a KbError with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): error is KbError =>
  error instanceof KbError && codes.includes(error.code);

/** Makes a handler for rejections that returns `value` for errors with one of these codes, and throws all others. */
export const ifCode =
  <T>(codes: readonly ErrorCode[], value: T) =>
  (error: unknown): T => {
    if (hasCode(error, ...codes)) return value;
    throw error;
  };

/** Whether an error was foreseen. The message of any other is for the log, never for the caller. */
export const isForeseen = (error: unknown): error is KbError => error instanceof KbError && error.code !== 'internal';

/** Makes the error of work that was stopped by its signal or by closing what it uses. */
export const stoppedError = (cause?: unknown): KbError => new KbError('aborted', 'The work was stopped.', { cause });

/** Whether the run was stopped from outside. */
export const isAbort = (error: unknown): boolean => hasCode(error, 'aborted') || (error instanceof Error && error.name === 'AbortError');

/**
 * Whether a failure must end the work instead of becoming an error item: an abort, or something that the caller must fix before the same
 * request can succeed.
 */
export const endsWork = (error: unknown): boolean => isAbort(error) || hasCode(error, 'usage', 'configuration', 'setup', 'forbidden');

const results = new WeakMap<object, object>();

/** Attaches the result so far to the error that ended an operation, as a complete result object. Returns the error, to be thrown. */
export function attachPartialResult<E>(error: E, result: object): E {
  if (typeof error === 'object' && error !== null) results.set(error, result);
  return error;
}

/** Returns the partial result attached to an error; undefined if there is none. */
export const partialResultOf = (error: unknown): object | undefined =>
  typeof error === 'object' && error !== null ? results.get(error) : undefined;
