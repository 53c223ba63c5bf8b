import { isAbort, KbError, describe } from '../../../../core/errors.ts';
import { callerHeaders } from '../../../../http/client.ts';
import { parseAddress } from '../../../../http/message.ts';
import type { Stage } from '../../../../schema/items.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource, type FoundAddress, needsPageType, nextHop, normalizeAddress } from '../web-addresses.ts';
import { failedPageItem, redirectLoopError, unreadableError, isPageGone } from '../page-candidate.ts';
import { type PageOptions, type PageParts, type PageRead, readPage, type Redirect } from '../page.ts';
import type { HostLimiter } from './host-limiter.ts';
import { type LoadAddress, readRobots, type Robots, type CrawlScope, type Patterns, scopeOf, loadText } from './crawl-rules.ts';
import { decodeXML } from 'entities/decode';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';

/** A requested crawl: its start page, limits and path patterns. */
export interface CrawlEntry extends Patterns {
  url: string;
  max_depth: number;
  max_pages: number;
}

/** The dependencies of a crawl. */
export interface CrawlParts extends PageParts {
  /** User agent of this program, which robots.txt may name. */
  user_agent: string;
  /** Maximum consecutive redirects (`network.max_redirects`). */
  max_redirects: number;
  host_limiter: HostLimiter;
  /** Sources that pages are stored under in this run. */
  stored: Set<string>;
}

/** A site that is ready to be crawled: its robots rules, scope and start page. */
export interface OpenSite {
  start: string;
  /** Final address of the start page, with the redirects that led there. */
  at: FoundAddress;
  read: Extract<PageRead, { page: unknown } | { unchanged: unknown }>;
  scope: CrawlScope;
  robots: Robots;
  load: LoadAddress;
  /** Options for reading its other pages. */
  options: PageOptions;
  notices: string[];
}

/** Maximum crawl delay that is respected, in seconds. */
const MAX_DELAY = 60;

/** Text types that are read if a user names the file, but that do not count as pages of a site unless a parser claims their media type. */
const NON_PAGE_TYPE = /^text\/(css|javascript|ecmascript|x-|calendar|vcard|vtt|cache-manifest|event-stream|xml|xsl)/;

/** Reads robots.txt and the start page. Returns an error item if the crawl cannot begin; throws only if aborted. */
export async function openSite(entry: CrawlEntry, parts: CrawlParts): Promise<OpenSite | { error: Extracted }> {
  try {
    const start = normalizeAddress(parseAddress(entry.url).href)!;
    const { gate, read, ...at } = await startPage(start, entry, parts);
    if ('failed' in read) return { error: failedCrawl(read.failed, entry, read.stage === 'fetch' ? 'crawl' : read.stage) };
    if ('unreadable' in read) throw unreadableError(urlSource(at.url), read.unreadable, parts.reader);
    return { ...gate, start, at, read, scope: scopeOf({ start, final: normalizeAddress(at.url)! }, entry) };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { error: failedCrawl(error, entry, 'crawl') };
  }
}

/** Follows the redirects of the start page, each under the robots rules of the site that it leads to. */
async function startPage(
  start: string,
  entry: CrawlEntry,
  parts: CrawlParts,
): Promise<FoundAddress & { gate: SiteAccess; read: Exclude<PageRead, Redirect> }> {
  const gates = new Map<string, SiteAccess>();
  const trail: string[] = [];
  for (let url = start; ;) {
    const { origin } = new URL(url);
    const gate = gates.get(origin) ?? (await openAccess(origin, entry, parts));
    gates.set(origin, gate);
    if (!gate.robots.allows(url))
      throw new KbError('forbidden', `${urlSource(url)} is not crawled: ${origin}/robots.txt forbids it.`, {
        hint: 'Ask those who run the site, or give the pages themselves (mode each).',
      });
    const read = await readPage(url, parts, gate.options);
    if (!('redirect' in read)) return { gate, read, url, trail };
    trail.push(url);
    const next = nextHop(read.redirect, trail, parts.max_redirects);
    if (next === undefined) throw redirectLoopError(start, parts.max_redirects);
    url = next;
  }
}

/** Makes the error item of a whole crawl: a retry repeats the crawl, not only its start page. */
function failedCrawl(error: unknown, entry: CrawlEntry, stage: Stage): Extracted {
  const failed = failedPageItem(error, entry.url, { stage });
  if (!failed.error.isRetryable) return failed;
  return { ...failed, error: { ...failed.error, retry_input: { ...entry, url: urlSource(entry.url), mode: 'full' } } };
}

type SiteAccess = Pick<OpenSite, 'robots' | 'load' | 'options' | 'notices'>;

/** Reads the robots rules of an origin, and prepares requests to it. Throws a KbError if the rules cannot be read. */
async function openAccess(origin: string, entry: CrawlEntry, parts: CrawlParts): Promise<SiteAccess> {
  const { http, reader, signal, user_agent } = parts;
  const given = credentialsIn(entry.url);
  const send: LoadAddress = (address, request) => http.request(address, { signal, headers: given(address), ...request });
  const robots = await readRobots(origin, { load: send, user_agent });
  const inTurn = parts.host_limiter.limiterFor(origin, { delay: Math.min(robots.delay, MAX_DELAY) });
  const options: PageOptions = {
    given,
    redirect: 'manual',
    inTurn,
    isWanted: ({ content_type, url: found }) =>
      needsPageType(found, reader)
        ? reader.page.media_types.includes(content_type)
        : reader.fileTypeOfMedia(content_type) !== undefined || !NON_PAGE_TYPE.test(content_type),
  };
  const slow = `${origin}/robots.txt asks for ${robots.delay} s between two requests: the crawl waits ${MAX_DELAY} s.`;
  const notices = robots.delay > MAX_DELAY ? [slow] : [];
  return { robots, load: (address, request) => send(address, { ...request, inTurn }), options, notices };
}

/** Returns a function for the headers with the user name and password of an address, for requests to its origin only. */
function credentialsIn(address: string): (url: string) => Record<string, string> {
  const given = new URL(address);
  const headers = callerHeaders(given);
  return (url) => (new URL(url).origin === given.origin ? headers : {});
}

/** An address of a sitemap or a feed, and the name of its element. */
interface XmlLink {
  element: string;
  address: string;
}

/** An element of a sitemap or feed with its attributes and its text. Elements of other formats (`image:loc`) do not match. */
const ELEMENT =
  /<(?:(?:sm|sitemap|atom|ns\d):)?(sitemapindex|loc|link)\b([^<>]{0,4000}?)(\/?)>(?:\s*<!\[CDATA\[([^\]]{0,4000})|([^<]{0,4000}))?/gi;
const REL = /\brel\s*=\s*["']([^"']*)["']/i;
const HREF = /\bhref\s*=\s*["']([^"']*)["']/i;

/**
 * Yields the addresses of a sitemap (`loc`) or a feed (`link`; RSS 2.0, RFC 4287); first `sitemapindex` for an index. It scans the text, which may
 * have 50 MB or be broken.
 */
export function* xmlLinks(xml: string): Generator<XmlLink, void, void> {
  for (const [, name, attributes = '', , quoted, text] of xml.matchAll(ELEMENT)) {
    const element = name!.toLowerCase();
    const rel = REL.exec(attributes)?.[1] ?? 'alternate';
    const named = element === 'link' && rel === 'alternate' ? HREF.exec(attributes)?.[1] : undefined;
    const address = decodeXML((named ?? quoted ?? text ?? '').trim());
    if (element === 'sitemapindex' || (address !== '' && rel === 'alternate')) yield { element, address };
  }
}

/** Maximum bytes of a sitemap (sitemaps.org: 50 MB unpacked) and of a feed. */
const MAX_SITEMAP_BYTES = 50 * 2 ** 20;
const MAX_FEED_BYTES = 10 * 2 ** 20;
/** Maximum depth of sitemap indexes. */
const MAX_DEPTH = 3;
/** Maximum sitemaps of a site. */
const MAX_SITEMAPS = 100;
/** Unreadable sitemaps after which the others are skipped. */
const MAX_FAILED = 3;
/** Maximum feeds of a crawl. */
export const MAX_FEEDS = 10;

interface SeedOptions {
  /** Called with every address, in order. Returns false if no more are wanted. */
  onAddress(address: string): boolean;
  /** Called with addresses of a sitemap on other origins. */
  onForeign(address: string): void;
  signal?: AbortSignal | undefined;
}

interface SeedsResult {
  isComplete: boolean;
  /** Notices for the user. */
  notices: string[];
}

interface Sitemap {
  address: string;
  depth: number;
  /** Whether the site named it; otherwise its address was guessed. */
  isNamed: boolean;
}

/** Reads the sitemaps of a site and those that they name, on any origin (sitemaps.org, «Cross Submits»). A missing one at the usual address is no failure. */
export async function readSitemaps(
  { scope: { origin }, robots, start, load }: OpenSite,
  { onAddress, onForeign, signal }: SeedOptions,
): Promise<SeedsResult> {
  const sitemaps = createSitemapQueue(origin);
  const { add, notices } = sitemaps;
  for (const address of robots.sitemaps) if (!add(address, origin, { depth: 1, isNamed: true })) break;
  for (const address of ['/sitemap.xml', new URL('sitemap.xml', start).pathname]) add(address, origin, { depth: 1, isNamed: false });
  const yieldIfBusy = yieldToEventLoop(signal);
  let failed = 0;
  const found = { own: 0, foreign: 0 };
  for (let next = sitemaps.next(); next; next = sitemaps.next()) {
    if (next.depth > MAX_DEPTH || failed === MAX_FAILED) return { isComplete: false, notices };
    const xml = await loadSitemap(next, load);
    if ('reason' in xml) {
      failed++;
      notices.push(`The sitemap ${urlSource(next.address)} was left out: ${xml.reason}`);
      continue;
    }
    let isIndex = false;
    for (const { element, address } of xmlLinks(xml.text)) {
      await yieldIfBusy();
      if (element === 'sitemapindex') isIndex = true;
      else if (element !== 'loc') continue;
      else if (isIndex && !add(address, next.address, { depth: next.depth + 1, isNamed: true })) break;
      else if (isIndex || !/^https?:/i.test(address) || !URL.canParse(address)) continue;
      else if (new URL(address).origin !== origin) {
        found.foreign++;
        onForeign(address);
      } else {
        found.own++;
        if (!onAddress(address)) return { isComplete: false, notices };
      }
    }
  }
  const isElsewhere = found.foreign > 0 && found.own === 0; // these may be pages of this site under another host name
  return { isComplete: !isElsewhere && failed === 0 && !sitemaps.isFull(), notices };
}

/** Queues the sitemaps of a site, each once, up to a maximum. */
function createSitemapQueue(origin: string) {
  const seen = new Set<string>();
  const waiting: Sitemap[] = [];
  const notices: string[] = [];
  const full = `${origin} names more than ${MAX_SITEMAPS} sitemaps: the others were left out.`;
  return {
    notices,
    /** Takes the next sitemap; those on the site's own origin first, since several sites may share a robots.txt. */
    next(): Sitemap | undefined {
      const own = waiting.findIndex(({ address }) => new URL(address).origin === origin);
      return waiting.splice(Math.max(own, 0), 1)[0];
    },
    isFull: () => notices.includes(full),
    /** Returns false if no more are wanted. */
    add(address: string, base: string, place: Omit<Sitemap, 'address'>): boolean {
      const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
      if (!url || !/^https?:$/.test(url.protocol) || seen.has(url.href)) return true;
      if (seen.size === MAX_SITEMAPS) {
        if (!notices.includes(full)) notices.push(full);
        return false;
      }
      seen.add(url.href);
      waiting.push({ address: url.href, ...place });
      return true;
    },
  };
}

const SITEMAP = /<(?:\w+:)?(urlset|sitemapindex)[\s>/]/i;

/** Loads a sitemap, or returns why it cannot be used, such as a maintenance page in its place. */
async function loadSitemap({ address, isNamed }: Sitemap, load: LoadAddress): Promise<{ text: string } | { reason: string }> {
  try {
    const text = await loadText(address, { load, max_bytes: MAX_SITEMAP_BYTES });
    return SITEMAP.test(text) ? { text } : { reason: 'it is no sitemap but something else.' };
  } catch (error) {
    if (isAbort(error)) throw error;
    return isPageGone(error) && !isNamed ? { text: '' } : { reason: describe(error) };
  }
}

/** Reads the addresses that entries of feeds name. */
export async function readFeeds(
  feeds: readonly string[],
  { robots, load }: OpenSite,
  { onAddress, signal }: SeedOptions,
): Promise<SeedsResult> {
  const yieldIfBusy = yieldToEventLoop(signal);
  const notices: string[] = [];
  for (const feed of feeds.filter((address) => robots.allows(address))) {
    try {
      for (const { element, address } of xmlLinks(await loadText(feed, { load, max_bytes: MAX_FEED_BYTES }))) {
        await yieldIfBusy();
        if (element === 'link' && URL.canParse(address, feed) && !onAddress(new URL(address, feed).href)) break;
      }
    } catch (error) {
      if (isAbort(error)) throw error;
      if (!isPageGone(error)) notices.push(`The feed ${urlSource(feed)} was left out: ${describe(error)}`);
    }
  }
  return { isComplete: notices.length === 0, notices };
}
