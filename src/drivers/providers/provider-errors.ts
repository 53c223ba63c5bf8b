import { advice, setting, operatorAdvice } from '../../core/advice/advice.ts';
import { redactUrl } from '../../core/secrets.ts';
import { parseRetryAfter } from '../../http/status-errors.ts';
import { isAbort, KbError, rootMessage, shortenToSentence, stoppedError } from '../../core/errors.ts';
import type { Access } from './access.ts';

interface ErrorResponse {
  status: number;
  headers: Headers;
  code?: string;
  message: string;
}

/**
 * Reads an error response. Providers write it as `{ error: { message, code } }` (OpenAI), the same in a list of one (Gemini), `{ error }`
 * (text-embeddings-inference), `{ message }` (Cohere, Mistral), `{ detail }` (Voyage, Jina), or `{ detail: [{ loc, msg }] }` (FastAPI, for an invalid field);
 * a proxy in between writes text.
 */
export function parseErrorResponse({ status, headers, statusText }: Response, text: string): ErrorResponse {
  const moved = headers.get('location');
  if (status < 400 && moved) return { status, headers, message: `it is at ${redactUrl(moved)} now` };
  try {
    const body: unknown = JSON.parse(text);
    const code = findCode(body);
    return { status, headers, message: findMessage(body) || statusText || 'no reason given', ...(code && { code }) };
  } catch {
    return { status, headers, message: text.replace(/<[^<>]*>/g, ' ').trim() || statusText || 'no reason given' };
  }
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function findMessage(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(findMessage).filter(Boolean).join('; ');
  const { error, message, detail, msg, loc } = asRecord(value);
  const reason = findMessage(error ?? message ?? detail ?? msg ?? '');
  return Array.isArray(loc) ? `${loc.join('.')}: ${reason}` : reason;
}

function findCode(value: unknown): string | undefined {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
  const { error, code } = asRecord(first);
  const found = asRecord(error).code ?? code;
  return typeof found === 'string' ? found : undefined;
}

/**
 * The fields that are read from an error response, an error of the `openai` client, or an error event in a stream; any may be missing.
 */
interface ErrorBody {
  status?: number;
  headers?: Headers;
  code?: string | null;
  message: string;
  error?: { message?: unknown; type?: unknown; code?: unknown };
}

type RequestContext = Pick<Access, 'provider' | 'model' | 'base_url' | 'key' | 'key_variable'> & { signal?: AbortSignal | undefined };

/**
 * Messages about too many tokens or texts, of OpenAI, Anthropic, Cohere, Gemini, Mistral, Voyage, Groq, vLLM, llama.cpp, Ollama, LM Studio and
 * text-embeddings-inference; the status may be 400, 422 or 429. They become `too_large`: with fewer texts or shorter sources the same request may succeed.
 */
const TOO_LARGE =
  /maximum (context|input|sequence|array|allowed batch|batch) ?(length|size)|longer than the (?:maximum|model)|max(imum)?[^.]{0,40} tokens|too many (tokens|inputs)|too (large|long)\b|context.length.exceeded|exceeds? (the )?.{0,30}(limit|context|batch size)|context .{0,20}overflow|reduce the length of|must have less than \d+ tokens|at most \d+ (requests|inputs|documents)|(texts|inputs|documents) must be at most \d+|tokens must be reduced|tokens? to keep from the initial prompt|`inputs` tokens|range of input length|超长|过长/i;

/** Matches the refusal of a `max_tokens` above the model's limit, which is not about the length of the question. */
const ANSWER_TOO_LONG =
  /max_(completion_)?tokens\W{0,3}(is )?(too large|exceeds)|at most \d+ (completion|output) tokens|max_tokens: \d+ > \d+/i;

/** Whether the same request may succeed later (RFC 9110, and the practice of providers). */
const isTransient = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/**
 * Converts an error of the client to a KbError: its code tells the caller what to do, `isRetryable` whether to try again. No message contains the key.
 */
export function providerError(error: unknown, context: RequestContext): KbError {
  // checked first, because an aborted client ends its stream as if the connection had broken off
  if (context.signal?.aborted) return stoppedError(error);
  const thrown = unwrapKbError(error);
  if (thrown) return thrown;
  if (isAbort(error)) return stoppedError(error);
  const refusal = error as ErrorBody;
  if (refusal.status !== undefined) return responseError(refusal, context, { status: refusal.status });
  return refusal.error ? streamError(refusal, context) : noResponseError(error as Error, context);
}

/** Unwraps a KbError: the client wraps those that its `fetch` throws. */
function unwrapKbError(error: unknown): KbError | undefined {
  if (error instanceof KbError) return error;
  return error instanceof Error && error.cause !== undefined ? unwrapKbError(error.cause) : undefined;
}

/** HTTP statuses of the error types of Anthropic and OpenAI, for errors inside a stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  context_length_exceeded: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/** Converts an error within a stream: OpenRouter gives it a status, others a type. An unknown one is an error of the server. */
function streamError({ error = {}, message = '' }: ErrorBody, context: RequestContext): KbError {
  const { type, code } = error;
  const status = Number(code) || (STATUSES[String(code)] ?? STATUSES[String(type)] ?? 500);
  return responseError({ message, error, code: String(code ?? '') }, context, { status, verb: 'broke off with' });
}

function responseError(
  refusal: ErrorBody,
  context: RequestContext,
  { status, verb = 'answered' }: { status: number; verb?: string },
): KbError {
  const { provider, model, key_variable, base_url } = context;
  const reason = shortReason(refusal, context);
  const message = `${provider} ${verb} ${status}: ${reason}`;
  if (refusal.code === 'insufficient_quota' || status === 402) {
    return new KbError('unauthorized', message, {
      hint: operatorAdvice`The account of the key in ${key_variable} has nothing left to spend.`,
    });
  }
  // Gemini reports a wrong key as an invalid argument
  if (status === 401 || status === 403 || /api.key not valid/i.test(reason)) {
    return new KbError('unauthorized', message, {
      hint: operatorAdvice`Check the key in ${key_variable}, and that it may use "${model}".`,
    });
  }
  if (ANSWER_TOO_LONG.test(reason)) return new KbError('invalid', message, { hint: advice`Set ${setting('chat.llm.max_tokens')} lower.` });
  // a request above the account's limit per minute is refused with 429, however long kb waits
  const isTooLarge = status === 413 || (status <= 500 && TOO_LARGE.test(`${reason} ${refusal.code}`));
  if (isTooLarge && (status !== 429 || /must be reduced|request too large/i.test(reason))) return new KbError('too_large', message);
  if (isTransient(status)) return transientError(message, status, retryAfter(refusal.headers, reason));
  if (status < 400 || status === 404 || status === 405 || refusal.code === 'model_not_found') {
    return new KbError('configuration', message, {
      hint: operatorAdvice`Check the model (${model}) and the address (${redactUrl(base_url)}).`,
    });
  }
  return new KbError('invalid', message);
}

const transientError = (message: string, status: number, seconds: number | undefined): KbError =>
  new KbError('unavailable', message, {
    isRetryable: true,
    isThrottled: status === 429 || (status === 503 && seconds !== undefined),
    retryAfter: seconds,
  });

/** Converts an error without a status: the connection failed or broke off, or the response could not be read. */
function noResponseError(error: Error, context: RequestContext): KbError {
  const { provider, base_url } = context;
  const reason = shortReason({ message: rootMessage(error) }, context);
  return new KbError('unavailable', `${provider} did not answer at ${redactUrl(base_url)}: ${reason}`, {
    isRetryable: true,
    hint: operatorAdvice`Check that it runs and can be reached from here.`,
    cause: error,
  });
}

/** An address within a sentence, without the punctuation behind it. */
const ADDRESS = /\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,:;!?)\]}]/gi;

/**
 * Shortens the message of the provider to 300 characters with a full stop. Removes the key and secrets in addresses, which some providers repeat.
 */
function shortReason({ error, message }: ErrorBody, { key }: RequestContext): string {
  const reason = typeof error?.message === 'string' ? error.message : message.replace(/^\d{3} /, '');
  const clean = (key ? reason.replaceAll(key, '…') : reason)
    .replace(/\bsk-[\w*-]{4,}/g, '…') // OpenAI repeats both ends of a refused key
    .replace(/\/\/[^/\s]*@/g, '//')
    .replace(ADDRESS, (address) => redactUrl(address));
  return shortenToSentence(clean || 'no reason was given');
}

/**
 * Returns the seconds to wait: from `retry-after-ms` (OpenAI), `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or the message (Gemini and OpenAI:
 * "try again in 1.5s").
 */
export function retryAfter(headers: Headers | undefined, reason = ''): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds / 1000;
  const given = headers?.get('retry-after');
  if (given) return parseRetryAfter(given);
  const [, amount, unit] = /\b(?:re)?try (?:again )?in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(reason) ?? [];
  return amount === undefined ? undefined : Number(amount) / (unit === 'ms' ? 1000 : 1);
}

/** Timeout in milliseconds. */
const TIMEOUT = 60_000;

/** A request: its path below the base URL, and its JSON body. */
interface ProviderRequest {
  path: string;
  body: Record<string, unknown>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request to a provider, and returns its JSON response. It does not retry (`retry` does). Throws a KbError: `too_large`, `invalid`, `unauthorized`,
 * `unavailable`, `configuration`, `aborted`.
 */
export async function post(access: Access, { path, body, signal }: ProviderRequest): Promise<unknown> {
  const { base_url, key, account, provider } = access;
  const timeout = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await access.fetch(`${base_url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...account,
        ...(key && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const text = await response.text();
    if (!response.ok) throw parseErrorResponse(response, text);
    return parseBody(text, provider);
  } catch (error) {
    throw providerError(error, { ...access, signal });
  }
}

function parseBody(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KbError('unavailable', `${provider} answered with something else than JSON.`, {
      hint: operatorAdvice`Check that the address is that of its API: options.base_url ends before /embeddings and /rerank.`,
      cause,
    });
  }
}
