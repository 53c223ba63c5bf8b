import { KbError, type ErrorCode } from '../core/errors.ts';
import type { Refused } from './address-policy.ts';

/** An answer with one of these may be another one in a moment (contract, section 6; 425: RFC 8470). */
const RETRYABLE = new Set([408, 409, 425, 429]);

const STATUS_CODES: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'unauthorized', 404: 'not_found', 410: 'not_found' };

const STATUS_HINTS: Record<number, string> = {
  404: 'Check the address.',
  403: 'Check whether it may be read without credentials; network.sites gives them to an origin.',
  410: 'It is gone for good: leave it out.',
  429: 'It is asked too often: try again later.',
};

/** Who gave the credentials that a request went out with. */
export type Credentials = 'none' | 'request' | 'sites';

const REFUSED: Record<Credentials | 'unknown', string> = {
  unknown: 'It wants credentials, or others than it was given: network.sites gives them to an origin, headers to an API.',
  none: 'It was given no credentials: network.sites gives them to an origin, headers to an API.',
  request: 'It was given credentials, and refuses them: check whether they are right and may read it.',
  sites: 'It was given what network.sites says of its origin, and refuses that: check whether it is right and may read it.',
};

interface StatusOptions {
  /** The header of that name. */
  retry_after?: string | undefined;
  credentials?: Credentials;
  /** What the answer says about it, as it may be shown (`saidIn`). */
  said?: string | undefined;
}

/** What a status that is no success says. */
export function statusError(name: string, status: number, { retry_after, credentials, said }: StatusOptions = {}): KbError {
  const isRetryable = RETRYABLE.has(status) || status >= 500;
  const isRefused = status === 401 || (status === 403 && credentials !== 'none');
  const hint =
    (isRefused ? REFUSED[credentials ?? 'unknown'] : STATUS_HINTS[status]) ??
    (isRetryable ? 'Try again later.' : 'Check the address and what is sent.');
  const retryAfter = isRetryable ? secondsIn(retry_after) : undefined;
  const message = `${name} answered with status ${status}${said === undefined ? '' : `: «${said}»`}.`;
  return new KbError(STATUS_CODES[status] ?? (isRetryable ? 'unavailable' : 'invalid'), message, {
    hint,
    isRetryable,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Seconds to wait by a `Retry-After` header: a number or a date (RFC 9110, 10.2.3); undefined where it is neither. */
export function secondsIn(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

/** Seconds since 1970 are more than this, seconds to wait are less. */
const EPOCH = 1e9;

/** What a `RateLimit-Reset` or `X-RateLimit-Reset` header (seconds from now, or since 1970) says, as `Retry-After` says it: a second at least, for clocks differ. */
export function retryAfterReset(header: string | undefined, now = Date.now()): string | undefined {
  const value = Number(header?.trim() || NaN);
  if (!Number.isFinite(value)) return undefined;
  return String(Math.max(1, value > EPOCH ? value - now / 1000 : value));
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  EHOSTUNREACH: 'no way leads there',
  ENETUNREACH: 'no way leads there',
  ENOTFOUND: 'no host has that name',
  EAI_AGAIN: 'its name cannot be resolved now',
};

/** The same again cannot succeed: the name does not exist, the certificate is wrong, or what is to be sent is no HTTP. */
const FINAL =
  /^(ENOTFOUND|UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|UND_ERR_NOT_SUPPORTED|HPE_|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** What a request that came to no answer says. */
export function connectionError(name: string, cause: unknown): KbError {
  const code = codeOf(cause);
  const reason = REASONS[code] ?? `${(cause as Error).message || 'the connection failed'}`;
  const isRetryable = !FINAL.test(code);
  return new KbError('unavailable', `${name} was not read: ${reason}${code in REASONS ? ` (${code})` : ''}.`, {
    hint: isRetryable ? 'Check that it is up and that this machine has a way to it.' : 'Check the address and what is sent.',
    cause,
    isRetryable,
  });
}

/** Several addresses were tried: the first one's failure stands for all. */
function codeOf(error: unknown): string {
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  if (typeof code === 'string') return code;
  if (errors?.length) return codeOf(errors[0]);
  return cause instanceof Error ? codeOf(cause) : '';
}

/** What is said of an address that the guard refused. */
export const addressRefusal = (name: string, { message }: Refused): KbError =>
  new KbError('forbidden', `${name} was not fetched: ${message}.`, { hint: 'To allow it, list its origin in network.allow_private.' });
