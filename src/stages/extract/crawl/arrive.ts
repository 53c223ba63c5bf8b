import { isAbort, KbError } from '../../../base/errors.ts';
import { givenHeaders } from '../../../base/http-exchange.ts';
import { addressOf } from '../../../base/http-message.ts';
import type { Stage } from '../../../schema/results.ts';
import type { Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { failedPage, unreadable } from '../page-candidate.ts';
import { readPage, type PageOptions, type PageParts, type PageRead } from '../page.ts';
import { normalized } from './address.ts';
import { takingTurns } from './in-turn.ts';
import type { Load } from './load.ts';
import { readRobots, type Robots } from './robots.ts';
import { scopeOf, type CrawlScope, type Patterns } from './scope.ts';

/** A crawl, as it was asked for. */
export interface CrawlEntry extends Patterns {
  url: string;
  max_depth: number;
  max_pages: number;
}

export interface CrawlParts extends PageParts {
  /** Whom robots.txt speaks to. */
  user_agent: string;
  /** Sources that pages are stored under in this run. */
  stored: Set<string>;
}

/** A site that a crawl has come to: its rules, its bounds, its start page. */
export interface Site {
  start: string;
  read: Extract<PageRead, { page: unknown } | { unchanged: unknown }>;
  scope: CrawlScope;
  robots: Robots;
  load: Load;
  /** How its other pages are read. */
  options(url: string): PageOptions;
  notices: string[];
}

/** Seconds between two requests that a site can ask for. */
const LONGEST_DELAY = 60;

/** Media types that are read where someone names the file, but are no page of a site. */
const NO_PAGE = /^text\/(css|javascript|ecmascript|x-|calendar|vcard|vtt|cache-manifest|event-stream|xml|xsl)/;

/** Reads what the site asks for in its robots.txt, and the start page. Hands back an error item where the crawl ends with that. */
export async function arrive(entry: CrawlEntry, parts: CrawlParts): Promise<Site | { error: Extracted }> {
  try {
    const start = normalized(addressOf(entry.url).href)!;
    const first = await gateOf(start, entry, parts);
    const read = await readPage(start, parts, { ...first.options(start), redirect: 'follow' });
    if ('failed' in read) return { error: failedCrawl(read.failed, entry, read.stage === 'fetch' ? 'crawl' : read.stage) };
    if ('unreadable' in read) throw unreadable(sourceOf(start), read.unreadable, parts.reader);
    if ('redirect' in read) throw new KbError('internal', `${sourceOf(start)} was not followed.`);
    const final = normalized('page' in read ? read.page.url : read.url)!;
    const gate = new URL(final).origin === new URL(start).origin ? first : await gateOf(final, entry, parts);
    return { ...gate, start, read, scope: scopeOf({ start, final }, entry) };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { error: failedCrawl(error, entry, 'crawl') };
  }
}

/** The failure of a whole crawl: what is to be sent again is the crawl, and not its start page alone. */
function failedCrawl(error: unknown, entry: CrawlEntry, stage: Stage): Extracted {
  const failed = failedPage(error, entry.url, stage);
  if (!failed.error.isRetryable) return failed;
  return { ...failed, error: { ...failed.error, retry_input: { ...entry, url: sourceOf(entry.url), mode: 'full' } } };
}

/** The way into an origin. Throws a KbError where its rules can't be read, or forbid the page. */
async function gateOf(page: string, entry: CrawlEntry, parts: CrawlParts): Promise<Pick<Site, 'robots' | 'load' | 'options' | 'notices'>> {
  const { http, signal, user_agent } = parts;
  const { origin } = new URL(page);
  const given = givenTo(entry.url);
  const ask: Load = (address, request) => http.request(address, { signal, headers: given(address), ...request });
  const robots = await readRobots(origin, { load: ask, user_agent });
  if (!robots.allows(page))
    throw new KbError('forbidden', `${sourceOf(page)} is not crawled: ${origin}/robots.txt forbids it.`, {
      hint: 'Ask those who run the site, or give the pages themselves (mode each).',
    });
  const inTurn = takingTurns({ delay: Math.min(robots.delay, LONGEST_DELAY), signal });
  const options = (url: string): PageOptions => ({
    headers: given(url),
    redirect: 'manual',
    inTurn,
    isWanted: ({ content_type }) => !NO_PAGE.test(content_type),
  });
  return { robots, load: (address, request) => inTurn(() => ask(address, request)), options, notices: delayNotices(origin, robots) };
}

/** User name and password of an address are for its origin, and no other. */
function givenTo(address: string): (url: string) => Record<string, string> {
  const given = new URL(address);
  const headers = givenHeaders(given);
  return (url) => (new URL(url).origin === given.origin ? headers : {});
}

function delayNotices(origin: string, { delay }: Robots): string[] {
  if (delay <= LONGEST_DELAY) return [];
  return [`${origin}/robots.txt asks for ${delay} s between two requests: the crawl waits ${LONGEST_DELAY} s.`];
}
