import type { Network } from '../schema/config-sources.ts';
import { type AddressPolicy, type Lookup, AddressRefusedError } from './address-policy.ts';
import { openConnections, systemLookup, type PinnedConnections } from './connections.ts';
import { KbError, stoppedError } from '../core/errors.ts';
import {
  addressRefusal,
  connectionError,
  resetToRetryAfter,
  statusError,
  type Credentials,
  apiErrorMessage,
  secretsSent,
  redirectsError,
  timeoutError,
} from './status-errors.ts';
import { parseAddress, type Http, type HttpResponse, type HttpRequest, decodeUrlPart, type ResponseHead } from './message.ts';
import { Pace } from '../core/pace.ts';
import { CookieJar } from './cookies.ts';
import { retry, type RetryOptions } from '../core/retry.ts';
import { redactUrl, holdsSecret } from '../core/secrets.ts';
import type { Dispatcher } from 'undici';
import { ACCEPTED_ENCODINGS, discardBody, readBody, readInTime, decodeContent } from './response-body.ts';
import { findInvalidHeader, siteHeaders, mayCarryCredentials } from './site-headers.ts';

/** Options of the HTTP client of one run. */
export interface HttpOptions {
  network: Network;
  surface: AddressPolicy['surface'];
  /** Origins that the user named. */
  named: readonly string[];
  environment?: NodeJS.ProcessEnv | undefined;
  lookup?: Lookup;
  retries?: Pick<RetryOptions, 'attempts' | 'firstWait' | 'maxWait' | 'refusals'>;
}

/**
 * Creates the HTTP client of one run. Its user's origins (`named`) decide which private addresses it may fetch. Nothing is loaded or connected
 * before the first request.
 */
export function createHttp({ network, surface, named, environment = process.env, lookup = systemLookup, retries }: HttpOptions): Http {
  const policy: AddressPolicy = { allow_private: network.allow_private, surface, named };
  let opened: Promise<PinnedConnections> | undefined;
  const open = () => (opened ??= openConnections({ policy, lookup, timeout: network.timeout, environment }));
  const paces = new Map<string, Pace>();
  const refused = new Map<string, number>();
  const cookies = new CookieJar();
  return {
    async request(address, options = {}) {
      const url = parseAddress(address, options.params);
      const context = { network, connections: await open(), surface, cookies };
      const { inTurn = (work) => work(), signal } = options;
      const pace = paces.get(url.origin) ?? new Pace(url.origin);
      paces.set(url.origin, pace);
      const attemptOnce = () =>
        attempt(url, options, context).catch((error: unknown) => {
          if (error instanceof KbError && error.isThrottled) refused.set(url.origin, (refused.get(url.origin) ?? 0) + 1);
          throw error;
        });
      return retry(() => inTurn(() => pace.run(attemptOnce, signal), signal), { refusals: MAX_REFUSALS, ...retries, signal });
    },
    carriesCredentials: (address) => Object.keys(siteHeaders(new URL(address), network.sites)).length > 0,
    takeRefusals() {
      const taken = [...refused];
      refused.clear();
      return taken;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** Maximum refusals of a request by a host that asks for a slower pace: then it is given up. */
const MAX_REFUSALS = 6;

async function attempt(url: URL, options: HttpRequest, context: ClientContext): Promise<HttpResponse> {
  const seconds = options.timeout ?? context.network.timeout;
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  let current = url;
  const name = () => (current === url ? redactUrl(url) : `${redactUrl(url)} (redirected to ${redactUrl(current)})`);
  try {
    return await sendFollowingRedirects(url, { ...options, signal }, { ...context, name, onRedirect: (next) => (current = next) });
  } catch (error) {
    if (options.signal?.aborted) throw stoppedError(error);
    if (error instanceof KbError) throw error;
    if (timeout.aborted) throw timeoutError(name(), seconds, error);
    throw error instanceof AddressRefusedError ? addressRefusal(name(), error) : connectionError(name(), error);
  }
}

/** Settings and connections that every request uses. */
interface ClientContext {
  network: Network;
  connections: PinnedConnections;
  surface: AddressPolicy['surface'];
  cookies: CookieJar;
}

type TimedRequest = HttpRequest & { signal: AbortSignal };

interface Exchange extends ClientContext {
  /** The requested address and the target of its redirects, without credentials. */
  name(): string;
  onRedirect(url: URL): void;
}

/** Sends a request and follows redirects: each hop is checked, and gets only the headers for its origin. */
async function sendFollowingRedirects(start: URL, request: TimedRequest, exchange: Exchange): Promise<HttpResponse> {
  let sent = { url: start, method: request.method ?? 'GET', body: request.body };
  let isMoved = false;
  for (let redirects = 0; ; redirects++) {
    const given = headersFor(sent, { start, request }, exchange);
    const response = await send(sent, given, { ...exchange, signal: request.signal });
    const hasNewCookies = exchange.cookies.keep(sent.url, response.headers['set-cookie']);
    const location = isFollowed(response, { request, url: sent.url, hasNewCookies }) ? headerOf(response, 'location') : undefined;
    if (location === undefined) return { ...(await readResponse(response, request, { ...exchange, sent, given })), isMoved };
    if (redirects === 0) isMoved = PERMANENT.has(response.statusCode);
    await discardBody(response.body, request.signal);
    if (redirects >= exchange.network.max_redirects) throw redirectsError(exchange.name(), exchange.network.max_redirects);
    sent = redirectRequest(sent, { location, status: response.statusCode, name: exchange.name() });
    exchange.onRedirect(sent.url);
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Permanent redirects (RFC 9110, 15.4.2 and 15.4.9). */
const PERMANENT = new Set([301, 308]);

/** Whether a redirect is followed here: also for a caller that follows redirects itself, if it only sets cookies that another page of the origin wants. */
function isFollowed(
  response: Dispatcher.ResponseData,
  { request: { redirect = 'follow' }, url, hasNewCookies }: { request: HttpRequest; url: URL; hasNewCookies: boolean },
): boolean {
  if (!REDIRECTS.has(response.statusCode)) return false;
  const target = headerOf(response, 'location') ?? '';
  return redirect === 'follow' || (hasNewCookies && URL.canParse(target, url.href) && new URL(target, url).origin === url.origin);
}

/** Whether the caller accepts a status. */
const isAccepted = (status: number, { accepts = [], redirect }: HttpRequest): boolean =>
  (status >= 200 && status <= 299) || accepts.includes(status) || (redirect === 'manual' && REDIRECTS.has(status));

interface SentRequest {
  url: URL;
  method: string;
  body: HttpRequest['body'];
}

/** Makes the request after a redirect (RFC 9110, 15.4). Throws a KbError rather than send a body to another origin. */
function redirectRequest(
  { url, method, body }: SentRequest,
  { location, status, name }: { location: string; status: number; name: string },
): SentRequest {
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (!next || !/^https?:$/.test(next.protocol))
    throw new KbError('forbidden', `${name} redirects to "${redactUrl(location)}", which kb does not fetch.`, {
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

async function send(
  sent: SentRequest,
  { caller, site }: RequestHeaders,
  { network, connections, signal }: Exchange & { signal: AbortSignal },
) {
  const dispatcher = await connections.for(sent.url);
  const headers = { 'user-agent': network.user_agent, accept: '*/*', 'accept-encoding': ACCEPTED_ENCODINGS, ...site, ...caller };
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

/** Headers of a request: those of the caller, for the first origin only, and those of `network.sites`. */
interface RequestHeaders {
  caller: Record<string, string>;
  site: Readonly<Record<string, string>>;
}

function headersFor(
  { url, method, body }: SentRequest,
  { start, request }: { start: URL; request: TimedRequest },
  { network, surface, cookies }: Pick<Exchange, 'network' | 'surface' | 'cookies'>,
): RequestHeaders {
  const caller = url.origin === start.origin ? callerHeaders(start, request.headers) : {};
  if (!mayCarryCredentials(surface, { method, headers: caller, hasBody: body !== undefined })) return { caller, site: {} };
  const site = siteHeaders(url, network.sites);
  const cookie = cookies.header(url, caller.cookie ?? site.cookie);
  if (caller.cookie !== undefined) return { caller: { ...caller, cookie: cookie! }, site };
  return { caller, site: cookie === undefined ? site : { ...site, cookie } };
}

function credentialsOf({ url }: SentRequest, { caller, site }: RequestHeaders): Credentials {
  const named = [...Object.entries(caller), ...url.searchParams];
  if (named.some(([name, value]) => holdsSecret(name, value))) return 'request';
  return Object.keys(site).length > 0 ? 'sites' : 'none';
}

/**
 * Makes the headers for the first address: those of the caller, and the user name and password in the address. Throws a KbError (`usage`)
 * for an invalid header.
 */
export function callerHeaders({ username, password }: URL, headers: HttpRequest['headers'] = {}): Record<string, string> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const faulty = findInvalidHeader(given);
  if (faulty !== undefined)
    throw new KbError('usage', `The header "${faulty}" has a name or a value that no header can have.`, {
      hint: 'Look for a line break, often at its end, and for letters beyond Latin-1.',
    });
  if (!username && !password) return given;
  const credentials = Buffer.from(`${decodeUrlPart(username)}:${decodeUrlPart(password)}`).toString('base64');
  return { authorization: `Basic ${credentials}`, ...given };
}

const headerOf = ({ headers }: Dispatcher.ResponseData, name: string): string | undefined => [headers[name]].flat().join(', ') || undefined;

interface ReceivedResponse extends Exchange {
  sent: SentRequest;
  given: RequestHeaders;
}

async function readResponse(response: Dispatcher.ResponseData, request: TimedRequest, exchange: ReceivedResponse): Promise<HttpResponse> {
  const { sent, name, network } = exchange;
  const { statusCode: status, body } = response;
  const head = headOf(response, sent.url);
  if (!isAccepted(status, request)) throw await readErrorResponse(response, head, { ...exchange, signal: request.signal });
  if (REDIRECTS.has(status) || request.readsBody?.(head) === false) {
    await discardBody(body, request.signal);
    return { ...head, bytes: new Uint8Array() };
  }
  const max_bytes = byteLimit(request, head, network);
  const limits = { name: name(), max_bytes, truncates: request.truncates, isConfigured: max_bytes === network.max_bytes };
  const packed = await readBody(body, headerOf(response, 'content-length'), limits);
  return { ...head, bytes: await decodeContent(packed, headerOf(response, 'content-encoding'), limits) };
}

/** Maximum bytes of an error response that are read. */
const ERROR_BYTES = 16_384;

/** Makes the error of a response that is not accepted, with the message of an API. */
async function readErrorResponse(
  response: Dispatcher.ResponseData,
  { status, content_type }: ResponseHead,
  { sent, given, name, signal }: ReceivedResponse & { signal: AbortSignal },
): Promise<KbError> {
  const { body } = response;
  const limits = { name: name(), max_bytes: ERROR_BYTES, truncates: true };
  const readMessage = async (): Promise<string | undefined> => {
    const bytes = await decodeContent(await readBody(body, undefined, limits), headerOf(response, 'content-encoding'), limits);
    const headers = { ...given.site, ...given.caller };
    return apiErrorMessage(JSON.parse(new TextDecoder().decode(bytes)), secretsSent(sent.url, { headers, body: sent.body }));
  };
  const isJson = /[/+]json$/.test(content_type);
  const reason = await (isJson ? readInTime(body, readMessage) : discardBody(body, signal).then(() => undefined)).catch(() => undefined);
  const reset = headerOf(response, 'ratelimit-reset') ?? headerOf(response, 'x-ratelimit-reset');
  const isExhausted = /^0+$/.test(headerOf(response, 'x-ratelimit-remaining') ?? headerOf(response, 'ratelimit-remaining') ?? '');
  const isLimited = status === 429 || (status === 403 && isExhausted);
  const retry_after = headerOf(response, 'retry-after') ?? (isLimited ? resetToRetryAfter(reset) : undefined);
  return statusError(name(), status, { retry_after, isExhausted, credentials: credentialsOf(sent, given), reason });
}

const byteLimit = ({ max_bytes: requested }: HttpRequest, head: ResponseHead, { max_bytes }: Network): number =>
  typeof requested === 'function' ? Math.min(requested(head), max_bytes) : (requested ?? max_bytes);

function headOf(response: Dispatcher.ResponseData, url: URL): ResponseHead {
  const headers = Object.fromEntries(Object.keys(response.headers).map((header) => [header, headerOf(response, header) ?? '']));
  const repeated = Object.fromEntries(
    Object.entries(response.headers).filter((header): header is [string, string[]] => Array.isArray(header[1])),
  );
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = /charset\s*=\s*["']?([^\s"';]+)/.exec(parameters.join(';'))?.[1];
  return { url: url.href, status: response.statusCode, headers, repeated, content_type: type.trim(), charset };
}
