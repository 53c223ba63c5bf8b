import { isAbort, KbError } from '../../../../core/errors.ts';
import { callerHeaders } from '../../../../http/client.ts';
import { parseAddress } from '../../../../http/message.ts';
import type { Stage } from '../../../../schema/items.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource, type FoundAddress, needsPageType, nextHop, normalizeAddress } from '../web-addresses.ts';
import {
  failedPageItem,
  type PageOptions,
  type PageParts,
  type PageRead,
  readPage,
  type Redirect,
  redirectLoopError,
  unreadableError,
} from '../page.ts';
import { type LoadAddress, readRobots, type Robots, type CrawlScope, type Patterns, scopeOf } from './crawl-rules.ts';

/** A requested crawl: its start page, limits and path patterns. */
export interface CrawlEntry extends Patterns {
  url: string;
  max_depth: number;
  max_pages: number;
}

/** The dependencies of a crawl. */
export interface CrawlParts extends PageParts {
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
    const final = 'page' in read ? read.page.url : read.unchanged.found; // a redirect that only sets cookies was followed on the way
    return { ...gate, start, at, read, scope: scopeOf({ start, final: normalizeAddress(final)! }, entry) };
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
