import { operatorAdvice } from '../../core/advice/advice.ts';
import type { Page } from 'playwright';
import { type AddressPolicy, AddressRefusedError } from '../../http/address-policy.ts';
import { KbError, stoppedError } from '../../core/errors.ts';
import { connectionError, statusError, addressRefusal, redirectsError, timeoutError } from '../../http/status-errors.ts';
import { redactUrl } from '../../core/secrets.ts';
import { siteHeaders, mayCarryCredentials } from '../../http/site-headers.ts';
import type { RenderedPage } from '../../ports/reading.ts';
import type { Network } from '../../schema/config-sources.ts';
import type { TabCredentials, GivenRequest, Traffic } from './traffic.ts';
import { type Snapshot, waitUntilSettled } from './settle.ts';

/** A page to be opened. */
export interface Visit {
  /** Without user name, password and fragment. */
  url: URL;
  /** For its origin and no other. */
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
  /** Settles when the scripts of the page yield; never fails. */
  isAlive(): Promise<unknown>;
}

/** The browser, or the tab, ended while a page was opened: with another one the same page may be shown. */
export class BrowserGone extends Error {}

/** Seconds within which the scripts of a page must yield once. */
const STUCK = 10;

/** Opens a page, waits until its scripts have written it, and takes its HTML. Throws a KbError, or BrowserGone. */
export async function render(visit: Visit, parts: TabParts): Promise<RenderedPage> {
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => {}); // it may be rejected when nobody waits any more
  const over = new AbortController();
  const release = watch(visit, parts, stop);
  try {
    return await Promise.race([readPage(visit, parts, over.signal), stopped]);
  } finally {
    over.abort();
    release();
  }
}

/** Names the page in messages: the requested address, and the one that it redirected to. */
function nameOf({ url }: Visit, { traffic }: TabParts): string {
  const at = traffic.address ?? url.href;
  return at === url.href ? redactUrl(url) : `${redactUrl(url)} (redirected to ${redactUrl(at)})`;
}

/** Returns the headers of the caller, with those of the operator if they may be sent. */
function givenIn({ url, headers }: Visit, { network, surface }: TabParts): GivenRequest {
  const operators = siteHeaders(url, network.sites);
  return {
    origin: url.origin,
    headers: (method) => (mayCarryCredentials(surface, { method, headers }) ? { ...operators, ...headers } : headers),
  };
}

/** Whether a tab suits a page: one with credentials needs a tab that has shown no other site, whose scripts could still send requests. */
export const suits = (visit: Visit, parts: TabParts): boolean =>
  parts.traffic.isOf(visit.url.origin) || Object.keys(givenIn(visit, parts).headers('GET')).length === 0;

/** Stops a page at the first limit that it exceeds. Returns the function to call at its end. */
function watch(visit: Visit, parts: TabParts, stop: (error: Error) => void): () => void {
  const { page, pass, traffic, network } = parts;
  const name = () => nameOf(visit, parts);
  const tooLarge = () => stop(tooLargeError(name(), network));
  pass.begin(network.max_bytes, tooLarge);
  traffic.begin({
    given: givenIn(visit, parts),
    max_redirects: network.max_redirects,
    max_bytes: network.max_bytes,
    onTooManyBytes: tooLarge,
    onTooManyRedirects: () => stop(redirectsError(name(), network.max_redirects)),
  });
  const listeners = {
    crash: () => stop(finalError(`${name()} was not opened: it brought its tab of the browser down.`)),
    close: () => stop(new BrowserGone('The browser ended.')),
    download: () => stop(finalError(`${name()} is a file to download and no page.`)),
  };
  const aborted = () => stop(stoppedError(visit.signal?.reason));
  for (const [event, listener] of Object.entries(listeners)) page.on(event as 'close', listener);
  visit.signal?.addEventListener('abort', aborted);
  const timer = setTimeout(() => stop(timeoutError(name(), network.timeout)), network.timeout * 1000);
  const endBeats = watchBeat(parts, () => stop(finalError(`${name()} was not read: its scripts come to no end.`)));
  return () => {
    clearTimeout(timer);
    endBeats();
    visit.signal?.removeEventListener('abort', aborted);
    for (const [event, listener] of Object.entries(listeners)) page.off(event as 'close', listener);
  };
}

/** Watches for a page whose script never yields: it does not answer, and may fill the memory. */
function watchBeat({ isAlive }: TabParts, onStuck: () => void): () => void {
  let last = Date.now();
  const beat = () => void isAlive().then(() => (last = Date.now()));
  beat();
  const timer = setInterval(() => (Date.now() - last > STUCK * 1000 ? onStuck() : beat()), 1000);
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
    await page.goto(visit.url.href, { waitUntil: 'domcontentloaded', timeout: 0 });
  } catch (error) {
    if (!/interrupted by another navigation/.test((error as Error).message)) throw failure(error as Error, visit, parts);
    await page.waitForLoadState('domcontentloaded', { timeout: 0 }); // a script has navigated elsewhere
  }
  checkedResponse(visit, parts);
  await waitUntilSettled(parts, signal);
  const { text, length } = await snapshot.html(network.max_bytes);
  const { url, status, robots_tags } = checkedResponse(visit, parts);
  const bytes = Buffer.from(`\uFEFF${text ?? ''}`); // the byte order mark overrides the encoding that the page declares
  if (text === undefined || Math.max(length, bytes.length) > network.max_bytes) throw tooLargeError(nameOf(visit, parts), network);
  return { url, status, robots_tags, bytes };
}

function checkedResponse(visit: Visit, parts: TabParts) {
  const answer = parts.traffic.response;
  if (!answer) throw finalError(`${nameOf(visit, parts)} is no page that was sent by a server.`);
  const { url, status, retry_after, isFromProxy } = answer;
  const trouble = isFromProxy ? parts.pass.trouble(new URL(url)) : undefined;
  if (trouble) throw failure(trouble, visit, parts);
  if (status < 200 || status > 299) throw statusError(nameOf(visit, parts), status, { retry_after });
  return answer;
}

/** Errors after which a retry cannot succeed. */
const FINAL = /ERR_(CERT|SSL|UNSAFE_PORT|INVALID|UNKNOWN_URL|DISALLOWED|BLOCKED|BAD_SSL)/;

/** Converts the error of the browser or of the proxy. */
function failure(error: Error, visit: Visit, parts: TabParts): Error {
  const name = nameOf(visit, parts);
  const at = parts.traffic.address;
  const trouble = at === undefined ? undefined : parts.pass.trouble(new URL(at));
  if (trouble instanceof KbError) return trouble;
  if (trouble) return trouble instanceof AddressRefusedError ? addressRefusal(name, trouble) : connectionError(name, trouble);
  if (!parts.page.isClosed() && /Download is starting/.test(error.message)) return finalError(`${name} is a file to download and no page.`);
  const [code] = /net::(ERR_\w+)/.exec(error.message) ?? [];
  if (code === undefined) return parts.page.isClosed() ? new BrowserGone('The browser ended.', { cause: error }) : error;
  return new KbError('unavailable', `${name} was not opened by the browser: ${code}.`, {
    hint: 'Check that it is up and that this machine has a way to it.',
    cause: error,
    isRetryable: !FINAL.test(code),
  });
}
