import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { OperationName, RequestOf, ResultOf } from '../src/schema/operations.ts';
import type { Event } from '../src/schema/results.ts';
import type { Envelope } from '../src/schema/http-bodies.ts';
import type { StoredSourceSummary } from '../src/schema/stored/stored-sources.ts';

/** A non-2xx response, with the server's message. Status 0: the server could not be reached. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the message of an error. */
export const errorText = (error: unknown): string => (error instanceof RequestError ? error.message : String(error));

const UNREACHABLE = 'The server does not answer. Check that kb serve is running and that this device is online.';

const TOKEN_KEY = 'kb-token';
const POST_PATHS = { retrieve: 'v1/retrieve', chat: 'v1/chat/stream' } as const satisfies Partial<Record<OperationName, string>>;

/** Dispatches events that concern the whole page: `unauthorized` (the token is missing or refused), `unreachable` (no response). */
export const connection = new EventTarget();

/** Stores the access token in the session storage of this tab. */
export const accessToken = {
  get: (): string | undefined => sessionStorage.getItem(TOKEN_KEY) ?? undefined,
  set: (value: string): void => sessionStorage.setItem(TOKEN_KEY, value),
  forget: (): void => sessionStorage.removeItem(TOKEN_KEY),
};

let scopes: string | null = null;

/** Whether the current token may store and remove documents; without tokens, everyone may. */
export const mayWrite = (): boolean => scopes === null || scopes.split(' ').includes('write');

const authorization = (): Record<string, string> => (accessToken.get() ? { authorization: `Bearer ${accessToken.get()}` } : {});

/** The message of an error response. A proxy may respond without the envelope. */
function messageOf(status: number, body: string): string {
  try {
    return (JSON.parse(body) as Envelope).error.message;
  } catch {
    return `The server answered with status ${status}.`;
  }
}

/** Makes the error of a non-2xx response, or of a missing response (status 0), and dispatches the events for the whole page. */
function makeRequestError(status: number, body = ''): RequestError {
  if (status === 401) connection.dispatchEvent(new CustomEvent('unauthorized'));
  if (status === 0) connection.dispatchEvent(new CustomEvent('unreachable'));
  return new RequestError(status, status === 0 ? UNREACHABLE : messageOf(status, body));
}

/** Sends a request to a path relative to the page. Throws a RequestError, or the reason of an abort. */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...authorization(), ...(init.body ? { 'content-type': 'application/json' } : {}) };
  const response = await fetch(path, { ...init, headers, redirect: 'error' }).catch((error: unknown) => {
    throw init.signal?.aborted ? error : makeRequestError(0);
  });
  scopes = response.headers.get('x-kb-scopes');
  if (!response.ok) throw makeRequestError(response.status, await response.text());
  return response;
}

/** Reads JSON from a path. Throws as `send` does. */
export async function read<Result>(path: string, init?: RequestInit): Promise<Result> {
  return (await (await send(path, init)).json()) as Result;
}

/** Searches passages for a query. */
export const searchPassages = (request: RequestOf<'retrieve'>, signal: AbortSignal): Promise<ResultOf<'retrieve'>> =>
  read(POST_PATHS.retrieve, { method: 'POST', body: JSON.stringify(request), signal });

/** Asks a question and yields the events of the answer. The last one, `final`, holds the whole result. */
export async function* askForAnswer(request: RequestOf<'chat'>, signal: AbortSignal): AsyncGenerator<Event> {
  const { body } = await send(POST_PATHS.chat, { method: 'POST', body: JSON.stringify(request), signal });
  const reader = body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  for (;;) {
    const step = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? error : makeRequestError(0);
    });
    if (step.done) return;
    yield JSON.parse(step.value.data) as Event;
  }
}

/** Whether the server responds; needs no token. */
export const isReachable = (): Promise<boolean> =>
  fetch('v1/health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

interface Upload {
  file: File;
  collection: string | undefined;
  signal: AbortSignal;
  /** Called with the share of the file that was sent, 0 to 1. */
  onProgress(share: number): void;
}

/** Uploads a file and stores it. Uses XMLHttpRequest because `fetch` does not report the progress of an upload. */
export function uploadFile({ file, collection, signal, onProgress }: Upload): Promise<ResultOf<'ingest'>> {
  const form = new FormData();
  form.append('files', file, file.name);
  form.append('store', 'true');
  if (collection !== undefined) form.append('collection', collection);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', 'v1/ingest/docs/upload');
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0));
    request.upload.addEventListener('load', () => onProgress(1));
    request.addEventListener('error', () => reject(makeRequestError(0)));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    request.addEventListener('load', () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as ResultOf<'ingest'>);
      else reject(makeRequestError(request.status, request.responseText));
    });
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}

/** Documents per request when all of them are read. */
const PAGE_SIZE = 1000;

const pathOf = (collection: string): string => `v1/collections/${encodeURIComponent(collection)}/sources`;

/** Reads the list of collections. Throws a RequestError, as all requests here do. */
export const fetchCollections = (): Promise<ResultOf<'list_collections'>> => read('v1/collections');

/** Reads one page of the documents of a collection, in the order of their sources. */
export function fetchSources(
  collection: string,
  query: Omit<RequestOf<'list_sources'>, 'name' | 'filter'> = {},
): Promise<ResultOf<'list_sources'>> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return read(`${pathOf(collection)}?${new URLSearchParams(given)}`);
}

/** Reads all documents of a collection, page by page. */
export async function fetchAllSources(collection: string): Promise<StoredSourceSummary[]> {
  const found: StoredSourceSummary[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await fetchSources(collection, { limit: PAGE_SIZE, cursor });
    found.push(...page.sources);
    if (!page.cursor) return found;
    cursor = page.cursor;
  }
}

/** Reads a document with its text, by its id or source: all of it, or one page (from 1). */
export const fetchSource = (collection: string, id: string, page?: number): Promise<ResultOf<'get_source'>> =>
  read(`${pathOf(collection)}/${encodeURIComponent(id)}${page === undefined ? '' : `?page=${page}`}`);

/** Removes a document from a collection, by its id or source. */
export const removeSource = (collection: string, id: string): Promise<unknown> =>
  read(`${pathOf(collection)}/${encodeURIComponent(id)}`, { method: 'DELETE' });
