import { SITE_CREDENTIALS_ADVICE, type Hint, operatorAdvice } from '../core/advice/advice.ts';
import { KbError, type ErrorCode } from '../core/errors.ts';
import type { AddressRefusedError } from './address-policy.ts';
import { holdsSecret } from '../core/secrets.ts';
import { removeInvisible } from '../text/clean-text.ts';
import { count } from '../text/count.ts';

/** Statuses after which a retry may succeed (contract, section 6; 425: RFC 8470). */
const RETRYABLE = new Set([408, 409, 425, 429]);

const STATUS_CODES: Record<number, ErrorCode> = { 401: 'unauthorized', 403: 'unauthorized', 404: 'not_found', 410: 'not_found' };

const STATUS_HINTS: Record<number, Hint> = {
  404: 'Check the address.',
  403: ['Check whether it may be read without credentials.', SITE_CREDENTIALS_ADVICE],
  410: 'It is gone for good: leave it out.',
  429: 'It is asked too often: try again later.',
};

/** Origin of the credentials of a request. */
export type Credentials = 'none' | 'request' | 'sites';

const CREDENTIAL_HINTS: Record<Credentials | 'unknown', Hint> = {
  unknown: ['It wants credentials, or others than it was given: headers give them to an API.', SITE_CREDENTIALS_ADVICE],
  none: ['It was given no credentials: headers give them to an API.', SITE_CREDENTIALS_ADVICE],
  request: 'It was given credentials, and refuses them: check whether they are right and may read it.',
  sites: 'It was given what network.sites says of its origin, and refuses that: check whether it is right and may read it.',
};

interface StatusOptions {
  /** The header `Retry-After`. */
  retry_after?: string | undefined;
  /** Whether the response says that no requests remain (`X-RateLimit-Remaining: 0`). */
  isExhausted?: boolean;
  credentials?: Credentials;
  /** Message of the response, safe to show (`apiErrorMessage`). */
  reason?: string | undefined;
}

/** Seconds that are waited for; a longer time is named in the error. */
const MAX_NAMED_WAIT = 60;

/** `40 minutes`, `2 hours`; rounded up. */
const describeSeconds = (seconds: number): string =>
  seconds <= 5400 ? count(Math.ceil(seconds / 60), 'minute') : count(Math.ceil(seconds / 3600), 'hour');

/** Makes the error for a non-2xx status. */
export function statusError(
  name: string,
  status: number,
  { retry_after, isExhausted = false, credentials, reason }: StatusOptions = {},
): KbError {
  const seconds = parseRetryAfter(retry_after);
  const isThrottled =
    status === 429 || (status === 503 && seconds !== undefined) || (status === 403 && (isExhausted || seconds !== undefined));
  const isRetryable = isThrottled || RETRYABLE.has(status) || status >= 500;
  const later =
    isThrottled && seconds !== undefined && seconds > MAX_NAMED_WAIT ? `It allows more in ${describeSeconds(seconds)}.` : undefined;
  const isRefused = status === 401 || (status === 403 && credentials !== 'none' && !isThrottled);
  const hint =
    later ??
    (isRefused ? CREDENTIAL_HINTS[credentials ?? 'unknown'] : STATUS_HINTS[isThrottled ? 429 : status]) ??
    (isRetryable ? 'Try again later.' : 'Check the address and what is sent.');
  const message = `${name} answered with status ${status}${reason === undefined ? '' : `: "${reason}"`}.`;
  const code = isThrottled ? 'unavailable' : (STATUS_CODES[status] ?? (isRetryable ? 'unavailable' : 'invalid'));
  return new KbError(code, message, { hint, isRetryable, isThrottled, retryAfter: isRetryable ? seconds : undefined });
}

/** Parses a `Retry-After` header to seconds: a number or a date (RFC 9110, 10.2.3); undefined if it is neither. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

/** Larger values are seconds since 1970, smaller ones seconds to wait. */
const EPOCH = 1e9;

/**
 * Converts a `RateLimit-Reset` or `X-RateLimit-Reset` header (seconds from now, or since 1970) to the form of `Retry-After`: at least a
 * second, because clocks differ.
 */
export function resetToRetryAfter(header: string | undefined, now = Date.now()): string | undefined {
  const value = Number(header?.trim() || NaN);
  if (!Number.isFinite(value)) return undefined;
  return String(Math.max(1, value > EPOCH ? value - now / 1000 : value));
}

const CONNECTION_REASONS: Record<string, string> = {
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

/** Error codes after which a retry cannot succeed: an unknown host, an invalid certificate, invalid HTTP. */
const PERMANENT_ERRORS =
  /^(ENOTFOUND|UND_ERR_INVALID_ARG|UND_ERR_REQ_CONTENT_LENGTH_MISMATCH|UND_ERR_NOT_SUPPORTED|HPE_|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** Makes the error for a request without a response. */
export function connectionError(name: string, cause: unknown): KbError {
  const code = codeOf(cause);
  const reason = CONNECTION_REASONS[code] ?? `${(cause as Error).message || 'the connection failed'}`;
  const isRetryable = !PERMANENT_ERRORS.test(code);
  return new KbError('unavailable', `${name} was not read: ${reason}${code in CONNECTION_REASONS ? ` (${code})` : ''}.`, {
    hint: isRetryable ? 'Check that it is up and that this machine has a way to it.' : 'Check the address and what is sent.',
    cause,
    isRetryable,
  });
}

/** Finds the code of an error; if several addresses were tried, that of the first. */
function codeOf(error: unknown): string {
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  if (typeof code === 'string') return code;
  if (errors?.length) return codeOf(errors[0]);
  return cause instanceof Error ? codeOf(cause) : '';
}

/** Makes the error for a response that took longer than the limit. */
export const timeoutError = (name: string, seconds: number, cause?: unknown): KbError =>
  new KbError('unavailable', `${name} was not read in time: the limit is ${seconds} seconds.`, {
    hint: 'Try again, or raise the timeout.',
    cause,
    isRetryable: true,
  });

/** Makes the error for an address with too many redirects. */
export const redirectsError = (name: string, most: number): KbError =>
  new KbError('invalid', `${name} redirects more than ${most} times.`, { hint: 'Check whether it redirects in a loop.' });

/** Makes the error for an address that the guard refused. */
export const addressRefusal = (name: string, { message }: AddressRefusedError): KbError =>
  new KbError('forbidden', `${name} was not fetched: ${message}.`, {
    hint: operatorAdvice`To allow it, list its origin in network.allow_private.`,
  });

/**
 * Fields in which APIs report errors (RFC 9457, OAuth 2, JSON:API, GraphQL, SOAP and the habits of frameworks), the most specific first.
 */
const MESSAGE_FIELDS = 'detail message msg error_description errormessage faultstring reason description title error errors fault'.split(
  ' ',
);
const MAX_DEPTH = 4;
/** Maximum characters of a quoted message. */
const MAX_MESSAGE_LENGTH = 200;
/** Minimum characters of a secret; shorter values may be ordinary words. */
const MIN_SECRET_LENGTH = 4;
/** A text that looks like a key: letters and digits mixed. */
const KEY = /(?<![\w+=~-])(?=[\w+=~-]*\d)(?=[\w+=~-]*[a-z])[\w+=~-]{16,}/gi;
const NAMED = /(?<![\w-])([\w-]{2,})["']?\s*[=:]\s*["']?([^\s"',;&]+)/g;

/**
 * Extracts the error message of a response on one line: bounded, printable, without `secrets` and what looks like one. Undefined if there
 * is none.
 */
export function apiErrorMessage(response: unknown, secrets: readonly string[] = []): string | undefined {
  const found = findMessage(response, 0);
  if (found === undefined) return undefined;
  const cleaned = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).reduce((text, secret) => text.replaceAll(secret, '…'), found);
  const line = removeInvisible(cleaned.slice(0, MAX_MESSAGE_LENGTH * 10))
    .replace(NAMED, (named, name: string, value: string) => (holdsSecret(name, value) ? `${named.slice(0, -value.length)}…` : named))
    .replace(KEY, '…')
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? undefined : line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH - 1).trimEnd()}…` : line;
}

function findMessage(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return findMessage(value[0], depth + 1);
  const own = new Map(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner as unknown]));
  for (const name of MESSAGE_FIELDS) {
    const found = findMessage(own.get(name), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Headers without secrets. */
const PUBLIC_HEADERS = /^(accept(-.*)?|content-type|user-agent)$/;
const SCHEME = /^(basic|bearer|digest|token|api-?key)$/i;

/**
 * Lists the secrets sent with a request, the longest first: values of headers (whole, word by word, and decoded), and of credential
 * parameters and fields of a JSON body. Header names are in lower case.
 */
export function secretsSent(url: URL, { headers, body }: { headers: Readonly<Record<string, string>>; body?: unknown }): string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (PUBLIC_HEADERS.test(name) ? [] : value));
  const params = [...url.searchParams].flatMap(([name, value]) => (holdsSecret(name, value) ? value : []));
  return [...new Set([...values.flatMap(headerSecrets), ...params, ...bodySecrets(body)])].toSorted((a, b) => b.length - a.length);
}

function headerSecrets(value: string): string[] {
  const words = value.split(/[\s;,]+/).filter((word) => !SCHEME.test(word));
  const [, basic = ''] = /^basic\s+(\S+)/i.exec(value) ?? [];
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  return [value, ...words, ...words.map((word) => word.slice(word.indexOf('=') + 1)), password];
}

function bodySecrets(body: unknown): string[] {
  const found: string[] = [];
  const keep = (name: string, value: unknown): unknown => {
    if (typeof value === 'string' && holdsSecret(name, value)) found.push(value);
    return value;
  };
  try {
    if (typeof body === 'string') JSON.parse(body, keep);
  } catch {
    // not JSON
  }
  return found;
}
