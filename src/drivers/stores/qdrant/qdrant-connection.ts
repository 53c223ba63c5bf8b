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

/** Kind of a request, which determines its timeout and retries. */
export type RequestKind = 'read' | 'write';

/** Sends a request to the server, of kind `read` by default. Throws a KbError, after several attempts if the failure may be temporary. */
export type SendRequest = <T>(request: Request<T>, kind?: RequestKind) => Promise<T>;

/** Default timeouts in seconds: users wait for reads, and the written data was expensive to compute. */
const TIMEOUTS: Record<RequestKind, number> = { read: 10, write: 60 };
/** Default port of the REST interface. */
export const REST_PORT = 6333;
/** Retries while a server restarts or is busy: for up to 8 seconds when reading, half a minute when writing. */
export const RETRY_LIMITS: Record<RequestKind, RetryOptions> = {
  read: { attempts: 6, firstWait: 0.25, giveUpAfter: 15 },
  write: { attempts: 8, firstWait: 0.25, giveUpAfter: 120 },
};
/** Redirects are not followed: the key and texts must reach the configured address only. */
const REQUEST_INIT: RequestInit = { redirect: 'error' };

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
  retryLimits: Record<RequestKind, RetryOptions>;
}

/**
 * Opens the server at an address. Nothing is sent, and the client is not loaded, before the first request. Throws a KbError
 * (`configuration`) for an invalid address.
 */
export function openServer({ url, key, timeout, parameters, dispatcher, retryLimits }: ServerOptions): SendRequest {
  const address = parseAddress(url);
  const displayUrl = redactUrl(address).replace(/\/$/, '');
  const api = keepUnlessFailed(async () => withParameters(await openApi(address, url, key), parameters));
  return (request, kind = 'read') => {
    const call = { displayUrl, key, timeout: (timeout ?? TIMEOUTS[kind]) * 1000 };
    const current = currentSignal();
    const stop = current?.aborted ? undefined : current; // an aborted run may still send requests to clean up
    return retry(async () => {
      const timeoutSignal = AbortSignal.timeout(call.timeout);
      try {
        const connections = await dispatcher(); // a key `dispatcher`, even undefined, would override that of the client
        const init = {
          ...REQUEST_INIT,
          signal: stop ? AbortSignal.any([timeoutSignal, stop]) : timeoutSignal,
          ...(connections && { dispatcher: connections }),
        };
        const { data } = await request(await api(), init);
        if (typeof data !== 'object' || data?.result === undefined) throw notQdrantError(call);
        return data.result;
      } catch (error) {
        if (error instanceof KbError) throw error;
        if (stop?.aborted) throw stoppedError(stop.reason);
        throw timeoutSignal.aborted ? timeoutError(call) : qdrantError(error, call, await import('./qdrant-library.ts'));
      }
    }, retryLimits[kind]);
  };
}

async function openApi(address: URL, url: string, key: string | undefined): Promise<Api> {
  const { QdrantClient } = await import('./qdrant-library.ts');
  const prefix = address.pathname.replace(/(?<!\/)\/+$/, '');
  // without a port, the REST port is used, as Qdrant's own clients do; the text is tested, because URL drops an explicit 80 or 443
  const port = /^https?:\/\/[^/]*:\d+(?:\/|$)/i.test(url) ? null : REST_PORT;
  return new QdrantClient({
    url: address.origin,
    ...(prefix ? { prefix } : {}),
    port,
    timeout: Infinity, // each request has a signal with its timeout
    checkCompatibility: false, // it would send a request, and print warnings
    // compressed responses stall for some 40 ms on a kept connection; the option `apiKey` would print a warning for http
    headers: { 'accept-encoding': 'identity', ...(key === undefined ? {} : { 'api-key': key }) },
  }).api();
}

type Call = (given: never, init: RequestInit) => Promise<unknown>;

/** Wraps the API so that each request gets the parameters of its kind. */
function withParameters(api: Api, { reads, writes, searches, withCollectionOptions }: Parameters): Api {
  const withExtra = (names: readonly (keyof Api)[], extra: object) =>
    names.map((name) => [name, (given: object, init: RequestInit) => (api[name] as Call)({ ...given, ...extra } as never, init)]);
  return {
    ...api,
    ...Object.fromEntries([
      ...withExtra(['getPoints', 'scrollPoints', 'countPoints'], reads),
      ...withExtra(['upsertPoints', 'setPayload', 'deletePoints', 'createFieldIndex'], writes.ordering === 'weak' ? {} : writes),
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
    createCollection: (async (given, init) => await api.createCollection(withCollectionOptions(given), init)) as Api['createCollection'],
  };
}

function parseAddress(url: string): URL {
  const hint = operatorAdvice`Set storage.url to an address such as http://127.0.0.1:6333.`;
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new KbError('configuration', `"${redactUrl(url)}" is no address of a Qdrant server.`, { hint });
  if (address.username || address.password)
    throw new KbError('configuration', `The address of Qdrant (${redactUrl(url)}) holds a user name or a password.`, {
      hint: operatorAdvice`Leave them out: a key comes from QDRANT_API_KEY in the environment.`,
    });
  return address;
}

interface ClientError {
  message?: string;
  status?: number;
  headers?: Headers;
  data?: { status?: { error?: unknown } };
  /** Seconds of `Retry-After`, as the client has parsed it. */
  retry_after?: number;
  cause?: unknown;
}

/** The called server: its address without secrets, and the key, which is removed from messages. */
interface QdrantCall {
  displayUrl: string;
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
  const clientError = error as ClientError;
  // 429 with Retry-After: the client parses only the first character, and throws a plain Error if that is not a digit
  if (error instanceof library.QdrantClientResourceExhaustedError || clientError.message?.startsWith('Invalid retryAfter'))
    return temporaryError(429, 'too many requests', { call, error, retryAfter: clientError.retry_after });
  return clientError.status === undefined ? noResponseError(error, call) : responseError(clientError, clientError.status, call);
}

const timeoutError = ({ displayUrl, timeout }: QdrantCall): KbError =>
  new KbError('unavailable', `Qdrant at ${displayUrl} did not answer within ${timeout / 1000} seconds.`, {
    hint: ['Run it again.', operatorAdvice`Check how busy it is.`],
    isRetryable: true,
  });

function responseError(clientError: ClientError, status: number, call: QdrantCall): KbError {
  const reported = clientError.data?.status?.error ?? clientError.data;
  const reason = shortReason(typeof reported === 'string' && reported ? reported : (clientError.message ?? ''), call);
  if (status === 401 || status === 403) return keyError(status, reason, call);
  if (status === 408 || status === 429 || status >= 500) return temporaryError(status, reason, { call, error: clientError });
  if (status === 413)
    return new KbError('too_large', `Qdrant at ${call.displayUrl} refused what is too large for it: ${reason}`, { cause: clientError });
  if (typeof clientError.data?.status?.error !== 'string') return notQdrantError(call, clientError);
  return new KbError(
    status === 404 ? 'not_found' : status === 409 ? 'conflict' : 'invalid',
    `Qdrant at ${call.displayUrl} answered ${status}: ${reason}`,
    {
      cause: clientError,
    },
  );
}

const keyError = (status: number, reason: string, { displayUrl, key }: QdrantCall): KbError =>
  new KbError('setup', `Qdrant at ${displayUrl} ${key ? 'refused the key' : 'asks for a key'} (${status}): ${reason}`, {
    hint: operatorAdvice`Set ${KEY_VARIABLE} in the environment, or in a file .env beside kb.config.yaml, to a key that may read and write${/global/i.test(reason) ? ', and has global access: making and replacing collections needs it' : ''}.`,
  });

const temporaryError = (
  status: number,
  reason: string,
  { call, error, retryAfter }: { call: QdrantCall; error: unknown; retryAfter?: number | undefined },
): KbError =>
  new KbError('unavailable', `Qdrant at ${call.displayUrl} answered ${status}: ${reason}`, {
    hint: 'Run it again: it goes on from what is stored.',
    cause: error,
    isRetryable: true,
    retryAfter,
  });

/** Makes the error for a server that is not Qdrant. */
const notQdrantError = ({ displayUrl }: QdrantCall, cause?: unknown): KbError =>
  new KbError('configuration', `What answers at ${displayUrl} is not Qdrant.`, {
    hint: operatorAdvice`Set storage.url to the address of its REST interface, such as http://127.0.0.1:6333.`,
    cause,
  });

/** Makes the error for a request without a status: the connection failed or broke off, or the server redirected. */
const noResponseError = (error: unknown, call: QdrantCall): KbError =>
  new KbError('unavailable', `Qdrant did not answer at ${call.displayUrl}: ${shortReason(rootMessage(error), call)}`, {
    hint: operatorAdvice`Start it (for example "docker run -p 6333:6333 qdrant/qdrant"), or set storage.url to where it runs.`,
    cause: error,
    isRetryable: true,
  });

/** Shortens a message to one sentence, and removes the key, which some messages repeat. */
const shortReason = (reason: string, { key }: QdrantCall): string =>
  shortenToSentence(key ? reason.replaceAll(key, '…') : reason) || 'no reason given.';
