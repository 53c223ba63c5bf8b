import type { QdrantClient, Schemas } from '@qdrant/js-client-rest';
import { KbError } from '../../../core/errors.ts';
import { retry, type RetryOptions } from '../../../core/retry.ts';
import { redactUrl } from '../../../core/secrets.ts';
import { notQdrant, type QdrantCall, qdrantError } from './qdrant-errors.ts';
import type { Parameters } from './qdrant-options.ts';

export type Condition = Schemas['Condition'];
export type QdrantFilter = Schemas['Filter'];
export type Point = Schemas['PointStruct'];
export type PointRecord = Schemas['Record'];
type Api = ReturnType<QdrantClient['api']>;

type Request<T> = (api: Api, init: RequestInit) => Promise<{ data: { result?: T } }>;

/** The server, asked. Throws a KbError; what may pass was tried several times before. */
export type Ask = <T>(request: Request<T>) => Promise<T>;

/** Seconds that an answer may take where nobody says otherwise. */
const TIMEOUT = 30;
/** The port of the REST interface where an address has none. */
export const REST_PORT = 6333;
/** A server that is down is down for longer than that; one that is busy for a moment is waited for. */
const PATIENCE: RetryOptions = { attempts: 4, base: 0.25 };
/** No redirect is followed: key and text go to the address that was configured, and to no other. */
const INIT: RequestInit = { redirect: 'error' };

interface ServerOptions {
  url: string;
  key: string | undefined;
  /** Seconds that an answer may take; 30 where absent. */
  timeout?: number | undefined;
  /** What is added to the requests. */
  parameters: Parameters;
  patience?: RetryOptions | undefined;
}

/** Ways to the server at this address. Nothing is sent, and the client is not loaded, before the first request. Throws a KbError (`configuration`) where it is no address. */
export function serverAt({ url, key, timeout = TIMEOUT, parameters, patience = PATIENCE }: ServerOptions): Ask {
  const address = parsed(url);
  const asked = { shown: redactUrl(address).replace(/\/$/, ''), key, timeout: timeout * 1000 };
  let api: Promise<Api> | undefined;
  return (request) =>
    retry(async () => {
      try {
        api ??= openApi(address, url, asked).then((plain) => withParameters(plain, parameters));
        const { data } = await request(await api, INIT);
        if (typeof data !== 'object' || data?.result === undefined) throw notQdrant(asked);
        return data.result;
      } catch (error) {
        throw qdrantError(error, asked);
      }
    }, patience);
}

async function openApi(address: URL, url: string, { key, timeout }: QdrantCall): Promise<Api> {
  const { QdrantClient } = await import('./qdrant-library.ts');
  const prefix = address.pathname.replace(/(?<!\/)\/+$/, '');
  // As Qdrant's own clients do, without a port the REST interface's own is taken; an explicit 80 or 443 is what URL leaves out.
  const port = /^https?:\/\/[^/]*:\d+(?:\/|$)/i.test(url) ? null : REST_PORT;
  return new QdrantClient({
    url: address.origin,
    ...(prefix ? { prefix } : {}),
    port,
    timeout,
    checkCompatibility: false, // it would ask, and print, by itself
    // Compressed answers on a connection that is kept stall for some 40 ms. As `apiKey` the key prints a warning for http.
    headers: { 'accept-encoding': 'identity', ...(key === undefined ? {} : { 'api-key': key }) },
  }).api();
}

type Call = (given: never, init: RequestInit) => Promise<unknown>;

/** The same ways to the server, on each of which what belongs to its kind goes along. */
function withParameters(api: Api, { reads, writes, collections }: Parameters): Api {
  const adding = (names: readonly (keyof Api)[], more: object) =>
    names.map((name) => [name, (given: object, init: RequestInit) => (api[name] as Call)({ ...given, ...more } as never, init)]);
  return {
    ...api,
    ...Object.fromEntries([
      ...adding(['getPoints', 'scrollPoints', 'queryPoints', 'countPoints'], reads),
      ...adding(['upsertPoints', 'deletePoints', 'createFieldIndex'], writes),
      ...adding(['createCollection'], collections),
    ]),
  };
}

function parsed(url: string): URL {
  const hint = 'Set storage.url to an address such as http://127.0.0.1:6333.';
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new KbError('configuration', `«${redactUrl(url)}» is no address of a Qdrant server.`, { hint });
  if (address.username || address.password)
    throw new KbError('configuration', `The address of Qdrant (${redactUrl(url)}) holds a user name or a password.`, {
      hint: 'Leave them out: a key comes from QDRANT_API_KEY in the environment.',
    });
  return address;
}
