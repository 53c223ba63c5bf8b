import type { Network } from '../schema/config-sources.ts';
import { type AddressPolicy, type Lookup, Refused } from './address-policy.ts';
import { openConnections, systemLookup, type PinnedConnections } from './connections.ts';
import { KbError, stoppedError } from '../core/errors.ts';
import {
  addressRefusal,
  connectionError,
  retryAfterReset,
  statusError,
  type Credentials,
  apiErrorMessage,
  secretsSent,
  redirectsError,
  timeoutError,
} from './status-errors.ts';
import { addressOf, type Http, type HttpAnswer, type HttpRequest, decodePart, type AnswerHead } from './message.ts';
import { retry, type RetryOptions } from '../core/retry.ts';
import { redactUrl, holdsSecret } from '../core/secrets.ts';
import type { Dispatcher } from 'undici';
import { ACCEPTED_ENCODINGS, discardBody, readBody, readInTime, decodeContent } from './response-body.ts';
import { faultyHeader, givenTo, isLent } from './site-headers.ts';

/** Options of the HTTP client of one run. */
export interface HttpOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  /** Origins that the user named. */
  named: readonly string[];
  environment?: NodeJS.ProcessEnv;
  lookup?: Lookup;
  retries?: Pick<RetryOptions, 'attempts' | 'base' | 'longest'>;
}

/**
 * Creates the HTTP client of one run. Which private addresses it may fetch depends on the origins that its user named. Nothing is loaded or
 * connected before the first request.
 */
export function createHttp({ network, surface, named, environment = process.env, lookup = systemLookup, retries }: HttpOptions): Http {
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  let opened: Promise<PinnedConnections> | undefined;
  const open = () => (opened ??= openConnections({ policy, lookup, timeout: network.timeout, environment }));
  return {
    async request(address, options = {}) {
      const url = addressOf(address, options.params);
      const connections = await open();
      const { inTurn = (work) => work(), signal } = options;
      return retry(() => inTurn(() => attempt(url, options, { network, connections, surface }), signal), { ...retries, signal });
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

async function attempt(url: URL, options: HttpRequest, context: ClientContext): Promise<HttpAnswer> {
  const seconds = options.timeout ?? context.network.timeout;
  const clock = AbortSignal.timeout(seconds * 1000);
  const signal = options.signal ? AbortSignal.any([clock, options.signal]) : clock;
  let at = url;
  const name = () => (at === url ? redactUrl(url) : `${redactUrl(url)} (redirected to ${redactUrl(at)})`);
  try {
    return await follow(url, { ...options, signal }, { ...context, name, onRedirect: (next) => (at = next) });
  } catch (error) {
    if (options.signal?.aborted) throw stoppedError(error);
    if (error instanceof KbError) throw error;
    if (clock.aborted) throw timeoutError(name(), seconds, error);
    throw error instanceof Refused ? addressRefusal(name(), error) : connectionError(name(), error);
  }
}

/** Settings and connections that every request uses. */
interface ClientContext {
  network: Network;
  connections: PinnedConnections;
  surface: AddressPolicy['surface'];
}

type TimedRequest = HttpRequest & { signal: AbortSignal };

interface Exchange extends ClientContext {
  /** The requested address and where it has redirected to, without credentials. */
  name(): string;
  onRedirect(url: URL): void;
}

/** Sends a request and follows redirects: each hop is checked, and gets only the headers for its origin. */
async function follow(start: URL, request: TimedRequest, exchange: Exchange): Promise<HttpAnswer> {
  let sent = { url: start, method: request.method ?? 'GET', body: request.body };
  let isMoved = false;
  for (let redirects = 0; ; redirects++) {
    const given = givenFor(sent, { start, request }, exchange);
    const response = await send(sent, given, { ...exchange, signal: request.signal });
    const location = isFollowed(response, request) ? headerOf(response, 'location') : undefined;
    if (location === undefined) return { ...(await readResponse(response, request, { ...exchange, sent, given })), isMoved };
    if (redirects === 0) isMoved = PERMANENT.has(response.statusCode);
    await discardBody(response.body, request.signal);
    if (redirects >= exchange.network.max_redirects) throw redirectsError(exchange.name(), exchange.network.max_redirects);
    sent = redirected(sent, { location, status: response.statusCode, name: exchange.name() });
    exchange.onRedirect(sent.url);
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Permanent redirects (RFC 9110, 15.4.2 and 15.4.9). */
const PERMANENT = new Set([301, 308]);

const isFollowed = ({ statusCode }: Dispatcher.ResponseData, { redirect = 'follow' }: HttpRequest): boolean =>
  REDIRECTS.has(statusCode) && redirect === 'follow';

/** Whether the caller accepts a status. */
const isAccepted = (status: number, { accepts = [], redirect }: HttpRequest): boolean =>
  (status >= 200 && status <= 299) || accepts.includes(status) || (redirect === 'manual' && REDIRECTS.has(status));

interface Sent {
  url: URL;
  method: string;
  body: HttpRequest['body'];
}

/** Makes the request after a redirect (RFC 9110, 15.4). A body was meant for its origin and goes to no other. */
function redirected({ url, method, body }: Sent, { location, status, name }: { location: string; status: number; name: string }): Sent {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (!next || !/^https?:$/.test(next.protocol))
    throw new KbError('forbidden', `${name} redirects to «${redactUrl(location)}», which kb does not fetch.`, {
      hint: 'Only http: and https: are followed.',
    });
  next.hash = '';
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (becomesGet) return { url: next, method: 'GET', body: undefined };
  if (body !== undefined && next.origin !== url.origin)
    throw new KbError('forbidden', `${name} redirects to ${next.origin}; the request body is not sent to another origin.`, {
      hint: 'If that origin may receive the body, use its address.',
    });
  return { url: next, method, body };
}

async function send(sent: Sent, { own, lent }: GivenHeaders, { network, connections, signal }: Exchange & { signal: AbortSignal }) {
  const dispatcher = await connections.for(sent.url);
  const headers = { 'user-agent': network.user_agent, accept: '*/*', 'accept-encoding': ACCEPTED_ENCODINGS, ...lent, ...own };
  const { origin, pathname, search } = sent.url;
  return dispatcher.request({
    origin,
    path: pathname + search,
    method: sent.method as Dispatcher.HttpMethod,
    headers,
    body: sent.body ?? null,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** Headers that a request is given: by its caller, for the first origin alone, and by `network.sites`. */
interface GivenHeaders {
  own: Record<string, string>;
  lent: Readonly<Record<string, string>>;
}

function givenFor(
  { url, method, body }: Sent,
  { start, request }: { start: URL; request: TimedRequest },
  { network, surface }: Pick<Exchange, 'network' | 'surface'>,
): GivenHeaders {
  const own = url.origin === start.origin ? givenHeaders(start, request.headers) : {};
  return { own, lent: isLent(surface, { method, headers: own, hasBody: body !== undefined }) ? givenTo(url, network.sites) : {} };
}

function credentialsOf({ url }: Sent, { own, lent }: GivenHeaders): Credentials {
  const named = [...Object.entries(own), ...url.searchParams];
  if (named.some(([name, value]) => holdsSecret(name, value))) return 'request';
  return Object.keys(lent).length > 0 ? 'sites' : 'none';
}

/**
 * Makes the headers for the first address: those of the caller, and the user name and password in the address. Throws a KbError (`usage`)
 * for an invalid header.
 */
export function givenHeaders({ username, password }: URL, headers: HttpRequest['headers'] = {}): Record<string, string> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const faulty = faultyHeader(given);
  if (faulty !== undefined)
    throw new KbError('usage', `The header «${faulty}» has a name or a value that no header can have.`, {
      hint: 'Look for a line break, often at its end, and for letters beyond Latin-1.',
    });
  if (!username && !password) return given;
  const credentials = Buffer.from(`${decodePart(username)}:${decodePart(password)}`).toString('base64');
  return { authorization: `Basic ${credentials}`, ...given };
}

const headerOf = ({ headers }: Dispatcher.ResponseData, name: string): string | undefined => [headers[name]].flat().join(', ') || undefined;

interface ReceivedResponse extends Exchange {
  sent: Sent;
  given: GivenHeaders;
}

async function readResponse(response: Dispatcher.ResponseData, request: TimedRequest, exchange: ReceivedResponse): Promise<HttpAnswer> {
  const { sent, name, network } = exchange;
  const { statusCode: status, body } = response;
  const head = headOf(response, sent.url);
  if (!isAccepted(status, request)) throw await readRefusal(response, head, { ...exchange, signal: request.signal });
  if (REDIRECTS.has(status) || request.reads?.(head) === false) {
    await discardBody(body, request.signal);
    return { ...head, bytes: new Uint8Array() };
  }
  const max_bytes = byteLimit(request, head, network);
  const limits = { name: name(), max_bytes, cuts: request.cuts, isConfigured: max_bytes === network.max_bytes };
  const packed = await readBody(body, headerOf(response, 'content-length'), limits);
  return { ...head, bytes: await decodeContent(packed, headerOf(response, 'content-encoding'), limits) };
}

/** Maximum bytes of an error response that are read. */
const ERROR_BYTES = 16_384;

/** Makes the error of a response that is not accepted, with the message of an API. */
async function readRefusal(
  response: Dispatcher.ResponseData,
  { status, content_type }: AnswerHead,
  { sent, given, name, signal }: ReceivedResponse & { signal: AbortSignal },
): Promise<KbError> {
  const { body } = response;
  const limits = { name: name(), max_bytes: ERROR_BYTES, cuts: true };
  const reads = async (): Promise<string | undefined> => {
    const bytes = await decodeContent(await readBody(body, undefined, limits), headerOf(response, 'content-encoding'), limits);
    const headers = { ...given.lent, ...given.own };
    return apiErrorMessage(JSON.parse(new TextDecoder().decode(bytes)), secretsSent(sent.url, { headers, body: sent.body }));
  };
  const isJson = /[/+]json$/.test(content_type);
  const reason = await (isJson ? readInTime(body, reads) : discardBody(body, signal).then(() => undefined)).catch(() => undefined);
  const reset = headerOf(response, 'ratelimit-reset') ?? headerOf(response, 'x-ratelimit-reset');
  const retry_after = headerOf(response, 'retry-after') ?? (status === 429 ? retryAfterReset(reset) : undefined);
  return statusError(name(), status, { retry_after, credentials: credentialsOf(sent, given), reason });
}

const byteLimit = ({ max_bytes: most }: HttpRequest, head: AnswerHead, { max_bytes }: Network): number =>
  typeof most === 'function' ? Math.min(most(head), max_bytes) : (most ?? max_bytes);

function headOf(response: Dispatcher.ResponseData, url: URL): AnswerHead {
  const headers = Object.fromEntries(Object.keys(response.headers).map((header) => [header, headerOf(response, header) ?? '']));
  const repeated = Object.fromEntries(
    Object.entries(response.headers).filter((header): header is [string, string[]] => Array.isArray(header[1])),
  );
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = /charset\s*=\s*["']?([^\s"';]+)/.exec(parameters.join(';'))?.[1];
  return { url: url.href, status: response.statusCode, headers, repeated, content_type: type.trim(), charset };
}
