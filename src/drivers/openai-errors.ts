import { KbError, isAbort } from '../base/errors.ts';
import { shown } from '../base/secrets.ts';
import type { Access } from './providers.ts';

/** What is read of an error of the `openai` client; anything may be missing. */
interface Refusal {
  status?: number;
  headers?: Headers;
  code?: string | null;
  message: string;
  error?: { message?: unknown };
}

type Asked = Pick<Access, 'provider' | 'model' | 'base_url' | 'key' | 'key_variable'> & { signal?: AbortSignal | undefined };

/** Too many tokens or texts, in the words of OpenAI, vLLM, llama.cpp and text-embeddings-inference; some say so with 400 or 422. */
const TOO_LARGE =
  /maximum (context|input|sequence|array|allowed batch|batch) ?(length|size)|max(imum)?[^.]{0,40} tokens|too many (tokens|inputs)|too (large|long)\b|context.length.exceeded|exceeds? the .{0,30}(limit|context|batch size)|must have less than \d+ tokens/i;

/** Statuses that the same request may not meet again: RFC 9110 and the practice of providers. */
const isPassing = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500;

/** What the client threw, as an error of ours: the code tells the stage what to do, `isRetryable` whether to try again. The key is in none of them. */
export function toKbError(error: unknown, asked: Asked): KbError {
  // First: the client ends a stream without an error when it is stopped, which looks like an answer that broke off.
  if (asked.signal?.aborted || isAbort(error)) return new KbError('aborted', 'The work was stopped.', { cause: error });
  if (error instanceof KbError) return error;
  const refusal = error as Refusal;
  return refusal.status === undefined ? notAnswered(error as Error, asked) : refused(refusal, refusal.status, asked);
}

function refused(refusal: Refusal, status: number, asked: Asked): KbError {
  const { provider, model, key_variable, base_url } = asked;
  const said = sentence(refusal, asked);
  const message = `${provider} answered ${status}: ${said}`;
  if (refusal.code === 'insufficient_quota' || status === 402) {
    return new KbError('unauthorized', message, { hint: `The account of the key in ${key_variable} has nothing left to spend.` });
  }
  if (status === 401 || status === 403) {
    return new KbError('unauthorized', message, { hint: `Check the key in ${key_variable}, and that it may use ${model}.` });
  }
  if (isPassing(status)) return new KbError('unavailable', message, { isRetryable: true, retryAfter: retryAfter(refusal.headers) });
  if (status === 413 || TOO_LARGE.test(`${said} ${refusal.code}`)) return new KbError('too_large', message);
  if (status === 404 || status === 405 || refusal.code === 'model_not_found') {
    return new KbError('configuration', message, { hint: `Check the model (${model}) and the address (${shown(base_url)}).` });
  }
  return new KbError('invalid', message);
}

/** No status: the connection failed, or broke off, or what came was not an answer of this kind. */
function notAnswered(error: Error, asked: Asked): KbError {
  const { provider, base_url } = asked;
  let root: unknown = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const reason = sentence({ message: (root as Error).message || (root as { code?: string }).code || error.message }, asked);
  return new KbError('unavailable', `${provider} did not answer at ${shown(base_url)}: ${reason}`, {
    isRetryable: true,
    hint: 'Check that it runs and can be reached from here.',
    cause: error,
  });
}

/** What the provider said, in at most 300 characters, ending in a full stop, without the key: some repeat it. */
function sentence({ error, message }: Refusal, { key }: Asked): string {
  const said = typeof error?.message === 'string' ? error.message : message.replace(/^\d{3} /, '');
  const clean = (key ? said.replaceAll(key, '…') : said)
    .replace(/\bsk-[\w*-]{4,}/g, '…') // OpenAI repeats the ends of a key that it refuses
    .replace(/\s+/g, ' ')
    .trim();
  const short = clean.length > 300 ? `${clean.slice(0, 299)}…` : clean;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** Seconds to wait: `retry-after-ms` (OpenAI), or `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds / 1000;
  const given = headers?.get('retry-after');
  if (!given) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : (Date.parse(given) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
