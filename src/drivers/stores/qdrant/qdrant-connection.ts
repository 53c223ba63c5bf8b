import { operatorAdvice } from '../../../core/advice/advice.ts';
import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import { keepUnlessFailed } from '../../../core/concurrency.ts';
import { KbError, rootMessage, shortenToSentence, stoppedError } from '../../../core/errors.ts';
import { retry, type RetryOptions } from '../../../core/retry.ts';
import { currentSignal } from '../../../core/run.ts';
import { redactUrl } from '../../../core/secrets.ts';
import type { Parameters } from './qdrant-options.ts';

/** A condition of a filter of Qdrant. */
export type Condition = Schemas['Condition'];
/** A filter of Qdrant. */
export type QdrantFilter = Schemas['Filter'];
/** A point to write. */
export type Point = Schemas['PointStruct'];
/** A query of Qdrant. */
export type Query = Schemas['QueryRequest'];
/** A point that was read. */
export type PointRecord = Schemas['Record'];
type Api = ReturnType<QdrantClient['api']>;

type Request<T> = (api: Api, init: RequestInit) => Promise<{ data: { result?: T } }>;

/** Kind of a request, which decides its timeout and retries. */
export type RequestKind = 'read' | 'write';

/** Sends a request to the server, of kind `read` by default. Throws a KbError, after several attempts if the failure may be temporary. */
export type Ask = <T>(request: Request<T>, kind?: RequestKind) => Promise<T>;

/** Default timeouts in seconds: someone waits for what is read, and what is written was expensive to compute. */
const TIMEOUTS: Record<RequestKind, number> = { read: 10, write: 60 };
/** Default port of the REST interface. */
export const REST_PORT = 6333;
/** Retries for a server that restarts or is busy for a moment: up to 8 seconds for reading, half a minute for writing. */
export const PATIENCE: Record<RequestKind, RetryOptions> = {
  read: { attempts: 6, firstWait: 0.25, giveUpAfter: 15 },
  write: { attempts: 8, firstWait: 0.25, giveUpAfter: 120 },
};
/** No redirect is followed: the key and texts go to the configured address only. */
const INIT: RequestInit = { redirect: 'error' };

/** Loads the dispatcher of connections, which several servers share. */
type Dispatcher = () => Promise<RequestInit['dispatcher']>;

interface ServerOptions {
  url: string;
  key: string | undefined;
  /** Timeout in seconds. Default: 10 for reading, 60 for writing. */
  timeout?: number | undefined;
  /** Parameters that are added to requests. */
  parameters: Parameters;
  dispatcher: Dispatcher;
  patience: Record<RequestKind, RetryOptions>;
}

/**
 * Opens the server at an address. Nothing is sent, and the client is not loaded, before the first request. Throws a KbError
 * (`configuration`) for an invalid address.
 */
export function serverAt({ url, key, timeout, parameters, dispatcher, patience }: ServerOptions): Ask {
  const address = parsed(url);
  const shown = redactUrl(address).replace(/\/$/, '');
  const api = keepUnlessFailed(async () => withParameters(await openApi(address, url, key), parameters));
  return (request, kind = 'read') => {
    const call = { shown, key, timeout: (timeout ?? TIMEOUTS[kind]) * 1000 };
    const current = currentSignal();
    const stop = current?.aborted ? undefined : current; // a run that was stopped still cleans up
    return retry(async () => {
      const clock = AbortSignal.timeout(call.timeout);
      try {
        const connections = await dispatcher(); // the key itself, even undefined, would replace what the client connects with
        const init = { ...INIT, signal: stop ? AbortSignal.any([clock, stop]) : clock, ...(connections && { dispatcher: connections }) };
        const { data } = await request(await api(), init);
        if (typeof data !== 'object' || data?.result === undefined) throw notQdrant(call);
        return data.result;
      } catch (error) {
        if (error instanceof KbError) throw error;
        if (stop?.aborted) throw stoppedError(stop.reason);
        throw clock.aborted ? tooLate(call) : qdrantError(error, call, await import('./qdrant-library.ts'));
      }
    }, patience[kind]);
  };
}

async function openApi(address: URL, url: string, key: string | undefined): Promise<Api> {
  const { QdrantClient } = await import('./qdrant-library.ts');
  const prefix = address.pathname.replace(/(?<!\/)\/+$/, '');
  // Without a port the default of the REST interface is used, as Qdrant's own clients do. URL drops an explicit 80 or 443, so the text is tested.
  const port = /^https?:\/\/[^/]*:\d+(?:\/|$)/i.test(url) ? null : REST_PORT;
  return new QdrantClient({
    url: address.origin,
    ...(prefix ? { prefix } : {}),
    port,
    timeout: Infinity, // each request has a signal with its timeout
    checkCompatibility: false, // it would ask, and print, by itself
    // Compressed responses stall for some 40 ms on a kept connection. The option `apiKey` prints a warning for http.
    headers: { 'accept-encoding': 'identity', ...(key === undefined ? {} : { 'api-key': key }) },
  }).api();
}

type Call = (given: never, init: RequestInit) => Promise<unknown>;

/** Wraps the API so that each request gets the parameters of its kind. */
function withParameters(api: Api, { reads, writes, searches, newCollection }: Parameters): Api {
  const adding = (names: readonly (keyof Api)[], more: object) =>
    names.map((name) => [name, (given: object, init: RequestInit) => (api[name] as Call)({ ...given, ...more } as never, init)]);
  return {
    ...api,
    ...Object.fromEntries([
      ...adding(['getPoints', 'scrollPoints', 'countPoints'], reads),
      ...adding(['upsertPoints', 'setPayload', 'deletePoints', 'createFieldIndex'], writes.ordering === 'weak' ? {} : writes),
    ]),
    queryBatchPoints: (async ({ searches: queries, ...given }, init) =>
      await api.queryBatchPoints(
        {
          ...given,
          ...reads,
          searches: queries.map((query) => (Array.isArray(query.query) ? { ...query, params: searches } : query)),
        },
        init,
      )) as Api['queryBatchPoints'],
    createCollection: (async (given, init) => await api.createCollection(newCollection(given), init)) as Api['createCollection'],
  };
}

function parsed(url: string): URL {
  const hint = operatorAdvice`Set storage.url to an address such as http://127.0.0.1:6333.`;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new KbError('configuration', `«${redactUrl(url)}» is no address of a Qdrant server.`, { hint });
  if (address.username || address.password)
    throw new KbError('configuration', `The address of Qdrant (${redactUrl(url)}) holds a user name or a password.`, {
      hint: operatorAdvice`Leave them out: a key comes from QDRANT_API_KEY in the environment.`,
    });
  return address;
}

interface Refusal {
  message?: string;
  status?: number;
  headers?: Headers;
  data?: { status?: { error?: unknown } };
  /** Seconds of `Retry-After`, as the client has parsed it. */
  retry_after?: number;
  cause?: unknown;
}

/** The called server: its address without secrets, and the key, so that no message repeats it. */
interface QdrantCall {
  shown: string;
  key: string | undefined;
  /** Timeout in milliseconds. */
  timeout: number;
}

/** Environment variable of the API key. */
export const KEY_VARIABLE = 'QDRANT_API_KEY';

/**
 * Converts an error of the client to a KbError; `isRetryable` if the same request may succeed later. `not_found`: the table does not exist.
 */
function qdrantError(error: unknown, call: QdrantCall, library: typeof import('./qdrant-library.ts')): KbError {
  const refusal = error as Refusal;
  // 429 with Retry-After: the client parses only its first character, and throws a plain Error if that is no digit
  if (error instanceof library.QdrantClientResourceExhaustedError || refusal.message?.startsWith('Invalid retryAfter'))
    return temporary(429, 'too many requests', { call, error, retryAfter: refusal.retry_after });
  return refusal.status === undefined ? notAnswered(error, call) : refused(refusal, refusal.status, call);
}

const tooLate = ({ shown, timeout }: QdrantCall): KbError =>
  new KbError('unavailable', `Qdrant at ${shown} did not answer within ${timeout / 1000} seconds.`, {
    hint: ['Run it again.', operatorAdvice`Check how busy it is.`],
    isRetryable: true,
  });

function refused(refusal: Refusal, status: number, call: QdrantCall): KbError {
  const reported = refusal.data?.status?.error ?? refusal.data;
  const reason = sentence(typeof reported === 'string' && reported ? reported : (refusal.message ?? ''), call);
  if (status === 401 || status === 403) return keyRefused(status, reason, call);
  if (status === 408 || status === 429 || status >= 500) return temporary(status, reason, { call, error: refusal });
  if (status === 413)
    return new KbError('too_large', `Qdrant at ${call.shown} refused what is too large for it: ${reason}`, { cause: refusal });
  if (typeof refusal.data?.status?.error !== 'string') return notQdrant(call, refusal);
  return new KbError(
    status === 404 ? 'not_found' : status === 409 ? 'conflict' : 'invalid',
    `Qdrant at ${call.shown} answered ${status}: ${reason}`,
    {
      cause: refusal,
    },
  );
}

const keyRefused = (status: number, reason: string, { shown, key }: QdrantCall): KbError =>
  new KbError('setup', `Qdrant at ${shown} ${key ? 'refused the key' : 'asks for a key'} (${status}): ${reason}`, {
    hint: operatorAdvice`Set ${KEY_VARIABLE} in the environment, or in a file .env beside kb.config.yaml, to a key that may read and write${/global/i.test(reason) ? ', and has global access: making and replacing collections needs it' : ''}.`,
  });

const temporary = (
  status: number,
  reason: string,
  { call, error, retryAfter }: { call: QdrantCall; error: unknown; retryAfter?: number | undefined },
): KbError =>
  new KbError('unavailable', `Qdrant at ${call.shown} answered ${status}: ${reason}`, {
    hint: 'Run it again: it goes on from what is stored.',
    cause: error,
    isRetryable: true,
    retryAfter,
  });

/** Makes the error for a server that is not Qdrant. */
const notQdrant = ({ shown }: QdrantCall, cause?: unknown): KbError =>
  new KbError('configuration', `What answers at ${shown} is not Qdrant.`, {
    hint: operatorAdvice`Set storage.url to the address of its REST interface, such as http://127.0.0.1:6333.`,
    cause,
  });

/** Makes the error for a request without a status: the connection failed or broke off, or the server redirected, which is not followed. */
const notAnswered = (error: unknown, call: QdrantCall): KbError =>
  new KbError('unavailable', `Qdrant did not answer at ${call.shown}: ${sentence(rootMessage(error), call)}`, {
    hint: operatorAdvice`Start it (for example «docker run -p 6333:6333 qdrant/qdrant»), or set storage.url to where it runs.`,
    cause: error,
    isRetryable: true,
  });

/** Makes one short sentence of a message without the key, which some messages repeat. */
const sentence = (reason: string, { key }: QdrantCall): string =>
  shortenToSentence(key ? reason.replaceAll(key, '…') : reason) || 'no reason given.';
