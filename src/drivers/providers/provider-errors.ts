import { advice, setting, operatorAdvice } from '../../core/advice/advice.ts';
import { redactUrl } from '../../core/secrets.ts';
import { parseRetryAfter } from '../../http/status-errors.ts';
import { isAbort, KbError, rootMessage, shortenToSentence, stoppedError } from '../../core/errors.ts';
import type { Access } from './access.ts';

interface Refusal {
  status: number;
  headers: Headers;
  code?: string;
  message: string;
}

/**
 * Reads an error response. Providers write it as `{ error: { message, code } }` (OpenAI), in a list of one (Gemini), as `{ error }` (text-embeddings-inference),
 * `{ message }` (Cohere, Mistral), `{ detail }` (Voyage, Jina), or `{ detail: [{ loc, msg }] }` (what FastAPI finds wrong with a field); a proxy in
 * between as text.
 */
export function refusalIn({ status, headers, statusText }: Response, text: string): Refusal {
  const moved = headers.get('location');
  if (status < 400 && moved) return { status, headers, message: `it is at ${redactUrl(moved)} now` };
  try {
    const body: unknown = JSON.parse(text);
    const code = codeIn(body);
    return { status, headers, message: messageIn(body) || statusText || 'no reason given', ...(code && { code }) };
  } catch {
    return { status, headers, message: text.replace(/<[^<>]*>/g, ' ').trim() || statusText || 'no reason given' };
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function messageIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(messageIn).filter(Boolean).join('; ');
  const { error, message, detail, msg, loc } = fieldsOf(value);
  const reason = messageIn(error ?? message ?? detail ?? msg ?? '');
  return Array.isArray(loc) ? `${loc.join('.')}: ${reason}` : reason;
}

function codeIn(value: unknown): string | undefined {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
  const { error, code } = fieldsOf(first);
  const found = fieldsOf(error).code ?? code;
  return typeof found === 'string' ? found : undefined;
}

/**
 * The fields that are read of an error response, of an error of the `openai` client, or of an error event in a stream; any may be missing.
 */
interface ErrorBody {
  status?: number;
  headers?: Headers;
  code?: string | null;
  message: string;
  error?: { message?: unknown; type?: unknown; code?: unknown };
}

type Asked = Pick<Access, 'provider' | 'model' | 'base_url' | 'key' | 'key_variable'> & { signal?: AbortSignal | undefined };

/**
 * Too many tokens or texts, in the words of OpenAI, Anthropic, Cohere, Gemini, Mistral, Voyage, Groq, vLLM, llama.cpp, Ollama, LM Studio and text-embeddings-inference;
 * some say so with 400, 422 or 429. It becomes `too_large`: with fewer texts, or shorter sources, the same request may succeed.
 */
const TOO_LARGE =
  /maximum (context|input|sequence|array|allowed batch|batch) ?(length|size)|longer than the maximum|max(imum)?[^.]{0,40} tokens|too many (tokens|inputs)|too (large|long)\b|context.length.exceeded|exceeds? (the )?.{0,30}(limit|context|batch size)|context .{0,20}overflow|reduce the length of|must have less than \d+ tokens|at most \d+ (requests|inputs|documents)|(texts|inputs|documents) must be at most \d+|tokens must be reduced/i;

/** Matches the refusal of an answer limit above that of the model, which is not about the length of the question. */
const ANSWER_TOO_LONG =
  /max_(completion_)?tokens\W{0,3}(is )?(too large|exceeds)|at most \d+ (completion|output) tokens|max_tokens: \d+ > \d+/i;

/** Statuses that the same request may not meet again: RFC 9110 and the practice of providers. */
const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/**
 * Converts an error of the client to a KbError: the code tells the stage what to do, `isRetryable` whether to try again. No message
 * contains the key.
 */
export function providerError(error: unknown, asked: Asked): KbError {
  // first, because a client that is stopped ends a stream without an error, as if the answer had broken off
  if (asked.signal?.aborted || isAbort(error)) return stoppedError(error);
  const own = ownError(error);
  if (own) return own;
  const refusal = error as ErrorBody;
  if (refusal.status !== undefined) return refused(refusal, asked, { status: refusal.status });
  return refusal.error ? brokenOff(refusal, asked) : notAnswered(error as Error, asked);
}

/** Unwraps a KbError: the client wraps those that its `fetch` throws. */
function ownError(error: unknown): KbError | undefined {
  if (error instanceof KbError) return error;
  return error instanceof Error && error.cause !== undefined ? ownError(error.cause) : undefined;
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
function brokenOff({ error = {}, message = '' }: ErrorBody, asked: Asked): KbError {
  const { type, code } = error;
  const status = Number(code) || (STATUSES[String(code)] ?? STATUSES[String(type)] ?? 500);
  return refused({ message, error, code: String(code ?? '') }, asked, { status, verb: 'broke off with' });
}

function refused(refusal: ErrorBody, asked: Asked, { status, verb = 'answered' }: { status: number; verb?: string }): KbError {
  const { provider, model, key_variable, base_url } = asked;
  const reason = sentence(refusal, asked);
  const message = `${provider} ${verb} ${status}: ${reason}`;
  if (refusal.code === 'insufficient_quota' || status === 402) {
    return new KbError('unauthorized', message, {
      hint: operatorAdvice`The account of the key in ${key_variable} has nothing left to spend.`,
    });
  }
  // Gemini calls a wrong key a wrong argument.
  if (status === 401 || status === 403 || /api.key not valid/i.test(reason)) {
    return new KbError('unauthorized', message, {
      hint: operatorAdvice`Check the key in ${key_variable}, and that it may use «${model}».`,
    });
  }
  if (ANSWER_TOO_LONG.test(reason)) return new KbError('invalid', message, { hint: advice`Set ${setting('chat.llm.max_tokens')} lower.` });
  // A request above what an account may send in a minute is refused with 429 however long it waits.
  const isTooLarge = status === 413 || (status <= 500 && TOO_LARGE.test(`${reason} ${refusal.code}`));
  if (isTooLarge && (status !== 429 || /must be reduced|request too large/i.test(reason))) return new KbError('too_large', message);
  if (isPassing(status)) return new KbError('unavailable', message, { isRetryable: true, retryAfter: retryAfter(refusal.headers, reason) });
  if (status < 400 || status === 404 || status === 405 || refusal.code === 'model_not_found') {
    return new KbError('configuration', message, {
      hint: operatorAdvice`Check the model (${model}) and the address (${redactUrl(base_url)}).`,
    });
  }
  return new KbError('invalid', message);
}

/** Converts an error without a status: the connection failed or broke off, or the response was of another kind. */
function notAnswered(error: Error, asked: Asked): KbError {
  const { provider, base_url } = asked;
  const reason = sentence({ message: rootMessage(error) }, asked);
  return new KbError('unavailable', `${provider} did not answer at ${redactUrl(base_url)}: ${reason}`, {
    isRetryable: true,
    hint: operatorAdvice`Check that it runs and can be reached from here.`,
    cause: error,
  });
}

/** An address within a sentence, without the marks that end one. */
const ADDRESS = /\bhttps?:\/\/[^\s"'<>]*[^\s"'<>.,:;!?)\]}]/gi;

/**
 * Shortens the message of the provider to 300 characters with a full stop, without the key and other secrets of an address, which some
 * repeat.
 */
function sentence({ error, message }: ErrorBody, { key }: Asked): string {
  const reason = typeof error?.message === 'string' ? error.message : message.replace(/^\d{3} /, '');
  const clean = (key ? reason.replaceAll(key, '…') : reason)
    .replace(/\bsk-[\w*-]{4,}/g, '…') // OpenAI repeats the ends of a key that it refuses
    .replace(/\/\/[^/\s]*@/g, '//')
    .replace(ADDRESS, (address) => redactUrl(address));
  return shortenToSentence(clean || 'no reason was given');
}

/**
 * Seconds to wait: `retry-after-ms` (OpenAI), `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or what a sentence says (Gemini and OpenAI:
 * «try again in 1.5s»).
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
interface Question {
  path: string;
  body: Record<string, unknown>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends one request to a provider, and returns its JSON response. It does not retry (`retry` does). Throws a KbError: `too_large`, `invalid`, `unauthorized`,
 * `unavailable`, `configuration`, `aborted`.
 */
export async function post(access: Access, { path, body, signal }: Question): Promise<unknown> {
  const { base_url, key, account, provider } = access;
  const clock = AbortSignal.timeout(TIMEOUT);
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
      signal: signal ? AbortSignal.any([clock, signal]) : clock,
    });
    const text = await response.text();
    if (!response.ok) throw refusalIn(response, text);
    return parsed(text, provider);
  } catch (error) {
    throw providerError(error, { ...access, signal });
  }
}

function parsed(text: string, provider: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KbError('configuration', `${provider} answered with something else than JSON.`, {
      hint: operatorAdvice`Check that the address is that of its API: options.base_url ends before /embeddings and /rerank.`,
      cause,
    });
  }
}
