import { operatorAdvice } from '../../core/advice/advice.ts';
import type { Page } from 'playwright';
import { type AddressPolicy, AddressRefusedError } from '../../http/address-policy.ts';
import { KbError, stoppedError } from '../../core/errors.ts';
import { connectionError, statusError, addressRefusal, redirectsError, timeoutError } from '../../http/status-errors.ts';
import { redactUrl } from '../../core/secrets.ts';
import { siteHeaders, mayCarryCredentials } from '../../http/site-headers.ts';
import type { RenderedPage } from '../../ports/reading.ts';
import type { Network } from '../../schema/config-sources.ts';
import type { TabCredentials, OriginHeaders, Traffic } from './traffic.ts';
import { scrollToEnd, type Snapshot, waitUntilSettled } from './settle.ts';

/** A page to be opened. */
export interface Visit {
  /** Without user name and password. A fragment is a route for the scripts of the page. */
  url: URL;
  /** For requests to its origin only. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
}

/** Parts of a tab. */
export interface TabParts {
  page: Page;
  pass: TabCredentials;
  traffic: Traffic;
  snapshot: Snapshot;
  network: Network;
  surface: AddressPolicy['surface'];
  /** Resolves when the scripts of the page yield; never rejects. */
  ping(): Promise<unknown>;
}

/** Thrown if the browser or the tab ends while a page is opened: with a new browser the same page may succeed. */
export class BrowserEndedError extends Error {}

/** Seconds within which the scripts of a page must yield once. */
const STUCK_AFTER = 10;

/** Opens a page, waits until its scripts have written it, and takes its HTML. Throws a KbError, or BrowserEndedError. */
export async function render(visit: Visit, parts: TabParts): Promise<RenderedPage> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => {}); // it may be rejected after the race is over
  const ended = new AbortController();
  const release = enforceLimits(visit, parts, stop);
  try {
    return await Promise.race([readPage(visit, parts, ended.signal), stopped]);
  } finally {
    ended.abort();
    release();
  }
}

/** Describes the page in messages: the requested address, and the one that it redirected to. */
function describePage({ url }: Visit, { traffic }: TabParts): string {
  const at = traffic.address ?? url.href;
  return at === url.href || at === url.href.replace(url.hash, '') ? redactUrl(url) : `${redactUrl(url)} (redirected to ${redactUrl(at)})`;
}

/** Returns the headers of the request, and those of the operator's configuration if they may be sent. */
function headersFor({ url, headers }: Visit, { network, surface }: TabParts): OriginHeaders {
  const operators = siteHeaders(url, network.sites);
  return {
    origin: url.origin,
    headers: (method) => (mayCarryCredentials(surface, { method, headers }) ? { ...operators, ...headers } : headers),
  };
}

/** Whether a tab is safe for a page: a page with credentials needs one that has shown no other site, whose scripts could still send requests. */
export const isSafeFor = (visit: Visit, parts: TabParts): boolean =>
  parts.traffic.hasShownOnly(visit.url.origin) || Object.keys(headersFor(visit, parts).headers('GET')).length === 0;

/** Stops a page as soon as it exceeds a limit. Returns a function that removes the listeners. */
function enforceLimits(visit: Visit, parts: TabParts, stop: (error: Error) => void): () => void {
  const { page, pass, traffic, network } = parts;
  const name = () => describePage(visit, parts);
  const tooLarge = () => stop(tooLargeError(name(), network));
  pass.begin(network.max_bytes, tooLarge);
  traffic.begin({
    originHeaders: headersFor(visit, parts),
    max_redirects: network.max_redirects,
    max_bytes: network.max_bytes,
    onTooManyBytes: tooLarge,
    onTooManyRedirects: () => stop(redirectsError(name(), network.max_redirects)),
  });
  const listeners = {
    crash: () => stop(finalError(`${name()} was not opened: it brought its tab of the browser down.`)),
    close: () => stop(new BrowserEndedError('The browser ended.')),
    download: () => stop(finalError(`${name()} is a file to download and no page.`)),
  };
  const aborted = () => stop(stoppedError(visit.signal?.reason));
  for (const [event, listener] of Object.entries(listeners)) page.on(event as 'close', listener);
  visit.signal?.addEventListener('abort', aborted);
  const timer = setTimeout(() => stop(timeoutError(name(), network.timeout)), network.timeout * 1000);
  const stopPings = watchResponsiveness(parts, () => stop(finalError(`${name()} was not read: its scripts come to no end.`)));
  return () => {
    clearTimeout(timer);
    stopPings();
    visit.signal?.removeEventListener('abort', aborted);
    for (const [event, listener] of Object.entries(listeners)) page.off(event as 'close', listener);
  };
}

/** Detects a page whose script never yields, and which may fill the memory. */
function watchResponsiveness({ ping }: TabParts, onStuck: () => void): () => void {
  let last = Date.now();
  const beat = () => void ping().then(() => (last = Date.now()));
  beat();
  const timer = setInterval(() => (Date.now() - last > STUCK_AFTER * 1000 ? onStuck() : beat()), 1000);
  return () => clearInterval(timer);
}

const finalError = (message: string): KbError => new KbError('invalid', message, { hint: 'Leave it out, or see it in a browser.' });

const tooLargeError = (name: string, { max_bytes }: Network): KbError =>
  new KbError('too_large', `${name} is too large: with all that it loads it is more than ${max_bytes} bytes.`, {
    hint: operatorAdvice`Raise network.max_bytes if it is to be read.`,
  });

async function readPage(visit: Visit, parts: TabParts, signal: AbortSignal): Promise<RenderedPage> {
  const { page, snapshot, network } = parts;
  try {
    if (visit.url.hash !== '') await page.goto('about:blank'); // another route of the shown page would load nothing
    await page.goto(visit.url.href, { waitUntil: 'domcontentloaded', timeout: 0 });
  } catch (error) {
    if (!/interrupted by another navigation/.test((error as Error).message)) throw convertError(error as Error, visit, parts);
    await page.waitForLoadState('domcontentloaded', { timeout: 0 }); // a script has navigated elsewhere
  }
  checkResponse(visit, parts);
  await waitUntilSettled(parts, signal);
  const isCut = await scrollToEnd(parts, signal);
  const { text, length } = await snapshot.html(network.max_bytes);
  const { url, status, robots_tags } = checkResponse(visit, parts);
  const bytes = Buffer.from(`\uFEFF${text ?? ''}`); // the byte order mark overrides the encoding that the page declares
  if (text === undefined || Math.max(length, bytes.length) > network.max_bytes) throw tooLargeError(describePage(visit, parts), network);
  return { url, status, robots_tags, bytes, isCut };
}

function checkResponse(visit: Visit, parts: TabParts) {
  const answer = parts.traffic.response;
  if (!answer) throw finalError(`${describePage(visit, parts)} is no page that was sent by a server.`);
  const { url, status, retry_after, isFromProxy } = answer;
  const proxyFailure = isFromProxy ? parts.pass.findFailure(new URL(url)) : undefined;
  if (proxyFailure) throw convertError(proxyFailure, visit, parts);
  if (status < 200 || status > 299) throw statusError(describePage(visit, parts), status, { retry_after });
  return answer;
}

/** Errors that a retry cannot fix. */
const PERMANENT_ERRORS = /ERR_(CERT|SSL|UNSAFE_PORT|INVALID|UNKNOWN_URL|DISALLOWED|BLOCKED|BAD_SSL)/;

/** Converts an error of the browser; the reason that the proxy has noted takes precedence. */
function convertError(error: Error, visit: Visit, parts: TabParts): Error {
  const name = describePage(visit, parts);
  const at = parts.traffic.address;
  const proxyFailure = at === undefined ? undefined : parts.pass.findFailure(new URL(at));
  if (proxyFailure instanceof KbError) return proxyFailure;
  if (proxyFailure)
    return proxyFailure instanceof AddressRefusedError ? addressRefusal(name, proxyFailure) : connectionError(name, proxyFailure);
  if (!parts.page.isClosed() && /Download is starting/.test(error.message)) return finalError(`${name} is a file to download and no page.`);
  const [code] = /net::(ERR_\w+)/.exec(error.message) ?? [];
  if (code === undefined) return parts.page.isClosed() ? new BrowserEndedError('The browser ended.', { cause: error }) : error;
  return new KbError('unavailable', `${name} was not opened by the browser: ${code}.`, {
    hint: 'Check that it is up and that this machine has a way to it.',
    cause: error,
    isRetryable: !PERMANENT_ERRORS.test(code),
  });
}
