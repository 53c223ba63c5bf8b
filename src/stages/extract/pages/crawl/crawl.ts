import pLimit from 'p-limit';
import { field, optionalAdvice, formatHint } from '../../../../core/advice/advice.ts';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import { KbError } from '../../../../core/errors.ts';
import type { Stage } from '../../../../schema/items.ts';
import { count } from '../../../../text/count.ts';
import type { Extracted } from '../../extract.ts';
import {
  failedPageItem,
  isPageGone,
  listRoutes,
  pageCandidate,
  type PageRead,
  type PlacedPage,
  readPage,
  type Redirect,
  redirectLoopError,
  toRememberedPage,
} from '../page.ts';
import type { RememberedPage } from '../page-memory.ts';
import { urlSource, hasTextlessExtension, isTrap, addressKey, normalizeAddress } from '../web-addresses.ts';
import { Frontier, type QueuedPage, MAX_KNOWN_ADDRESSES, noteSkipped, type SkippedPages, skippedText } from './frontier.ts';
import { type CrawlEntry, type CrawlParts, openSite, type OpenSite } from './open-site.ts';
import { findWholeText, readLlmsText, readSitemaps } from './sitemaps.ts';

/** A page that was read, with its queue entry. */
type CrawledPage = PlacedPage & { page: QueuedPage };

/** Maximum requests per wanted page, so that a crawl ends even if the addresses of a site lead to no pages. */
const REQUESTS_PER_PAGE = 3;
const EXTRA_REQUESTS = 100;

/** A running crawl: its dependencies and its state. */
export class Crawl {
  readonly entry: CrawlEntry;
  readonly site: OpenSite;
  readonly parts: CrawlParts;
  readonly frontier: Frontier;
  /** Maximum addresses that are read. */
  readonly limit: number;
  readonly skipped: SkippedPages = new Map();
  readonly yieldIfBusy: () => Promise<void>;
  /** Number of documents and failures reported as expected. */
  expected = 1;
  /** Number of documents. */
  pages = 0;
  failed = 0;
  /** Consecutive failures of pages that may exist. */
  failed_in_a_row = 0;
  /** Milliseconds of waiting for the site since its last answer. */
  silence = 0;
  /** Number of pages that are requested or read and not processed. */
  in_flight = 0;
  /** Pages whose canonical address may not have been read yet. */
  readonly deferred: CrawledPage[] = [];
  /** Characters of deferred pages that are kept in memory. */
  kept = 0;
  /** Sources of the documents by content hash. */
  readonly sources = new Map<string, string>();
  /** The same by the hash of the text without the targets of its links, which are relative to the page. */
  readonly texts = new Map<string, string>();
  /** Keys of pages that are stored under their own address. */
  readonly owned = new Set<string>();
  /** Pages that turned out to be login pages. */
  logins = 0;
  /** Whether the sitemaps and the llms.txt were read. */
  has_seeds = false;
  /** Pages that ask not to be indexed, by content hash: a site that is down may say so on every page. */
  readonly unindexed = new Map<string, QueuedPage[]>();
  readonly notices: string[];

  constructor(site: OpenSite, entry: CrawlEntry, parts: CrawlParts) {
    const { reader, memory, max_redirects } = parts;
    const { scope, robots } = site;
    this.site = site;
    this.entry = entry;
    this.parts = parts;
    this.limit = REQUESTS_PER_PAGE * entry.max_pages + EXTRA_REQUESTS;
    const { limit, skipped } = this;
    this.frontier = new Frontier({ scope, robots, reader, memory, skipped, limit, max_redirects, max_depth: entry.max_depth });
    this.yieldIfBusy = yieldToEventLoop(parts.signal);
    this.notices = [...site.notices];
  }
}

/** Crawls a site (contract, section 5): from the start page along links, sitemaps and llms.txt, level by level. The failure of a page does not affect others. */
export async function* crawlSite(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const name = JSON.stringify({ ...entry, url: urlSource(entry.url) });
  yield { expected: 1 };
  const since = await parts.memory?.begin(name);
  if (since) yield { notice: resumeNotice(entry, since) };
  const site = await openSite(entry, parts);
  if ('error' in site) yield site.error;
  else yield* readPages(new Crawl(site, entry, parts));
  await parts.memory?.end(name);
}

const resumeNotice = ({ url }: CrawlEntry, since: Date): string =>
  `The crawl of ${urlSource(url)} that began on ${since.toISOString().slice(0, 16).replace('T', ' at ')} UTC and was cut off resumes: pages that it has read ` +
  `are not requested again. ${formatHint(optionalAdvice`${field('force')} reads them all.`)}`.trimEnd();

/** Maximum pages that are requested or parsed at once: eight over the network, the others in the parsers. */
const MAX_READING = 16;
/** Maximum pages in flight, including those that wait for earlier ones. With 16, a site with some slow pages takes twice as long. */
const MAX_IN_FLIGHT = 64;
/** Maximum characters of pages that wait for earlier ones; with more, no request begins. */
const MAX_BUFFERED = 50_000_000;
/** Maximum bytes of a page that is read at the same time as others; a larger one is requested again, one at a time. */
const MAX_SHARED_BYTES = 16 * 2 ** 20;

/** A page that is being read, or has been and waits for earlier ones (`answer`). */
interface RunningRead {
  page: QueuedPage;
  end: Promise<void>;
  answer?: PageRead;
}

/** Whether another page may be requested, if this many are still wanted. */
export function mayRequestPage(running: readonly RunningRead[], wanted: number): boolean {
  const answers = running.flatMap(({ answer }) => answer ?? []);
  const buffered = answers.reduce((sum, answer) => sum + ('page' in answer ? answer.page.parsed.text.length : 0), 0);
  return running.length < Math.min(MAX_IN_FLIGHT, wanted) && running.length - answers.length < MAX_READING && buffered <= MAX_BUFFERED;
}

/** Reads the pages of the frontier, several at once, and processes them in order, so that the same site is always crawled the same way. */
async function* readPages(crawl: Crawl): AsyncGenerator<Extracted, void, void> {
  const { entry, site, parts, frontier } = crawl;
  const start = frontier.addStart(site.at);
  const stop = new AbortController(); // stops requests only: pages that were read are still processed
  const stoppable = { ...parts, signal: parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal };
  const alone = pLimit(1);
  const read = async (page: QueuedPage): Promise<PageRead> => {
    if (page === start) return site.read;
    const load = (limits: { max_bytes?: number }) => readPage(page.url, stoppable, { ...site.options, ...limits });
    const result = await load({ max_bytes: MAX_SHARED_BYTES });
    return 'failed' in result && result.isCutOff ? alone(() => load({})) : result;
  };
  const running: RunningRead[] = [];
  const fill = (): void => {
    while (mayRequestPage(running, entry.max_pages - crawl.pages)) {
      const page = frontier.next();
      if (!page) return;
      const reading: RunningRead = { page, end: read(page).then((answer) => void (reading.answer = answer)) };
      reading.end.catch(() => {}); // it is thrown in its turn, or the crawl has ended
      running.push(reading);
    }
  };
  try {
    do {
      let since = performance.now();
      while (!isOver(crawl)) {
        fill();
        const [first] = running;
        if (!first) break;
        if (!first.answer) {
          await Promise.race(running.flatMap(({ end, answer }) => (answer ? [] : [end]))); // any page that is read may make room
          continue;
        }
        running.shift();
        crawl.in_flight = running.length;
        crawl.silence = addSilence(crawl.silence, first.answer, performance.now() - since);
        const item = await processPage(first.page, first.answer, crawl);
        yield* reportExpected(frontier.queued + crawl.in_flight + crawl.deferred.length, crawl);
        if (item) yield item;
        since = performance.now();
      }
    } while (await advance(crawl));
  } finally {
    stop.abort();
    await Promise.allSettled(running.map(({ end }) => end));
  }
  yield* finishCrawl(crawl);
}

const isOver = (crawl: Crawl): boolean => crawl.pages >= crawl.entry.max_pages || siteFailure(crawl) !== undefined;

/** Reports a change of the number of documents and failures, if `open` pages are still to be processed. */
function* reportExpected(open: number, crawl: Crawl): Generator<Extracted, void, void> {
  const expected = crawl.failed + Math.min(crawl.pages + open, crawl.entry.max_pages);
  if (expected !== crawl.expected) yield { expected: expected - crawl.expected };
  crawl.expected = expected;
}

/** Finds further pages of a level once its pages are read, or begins the next level. Returns false if there is none. */
async function advance(crawl: Crawl): Promise<boolean> {
  const { frontier, entry } = crawl;
  if (isOver(crawl)) return false;
  if (frontier.depth > 0 && !crawl.has_seeds && (await readSeeds(crawl))) return true;
  if (frontier.depth >= entry.max_depth) return queueUnreached(crawl);
  frontier.deepen();
  return true;
}

/** Queues the stored pages of the site that nothing led to: a page is gone only if it says so itself. Returns whether any page is queued. */
async function queueUnreached({ site: { scope }, frontier, parts, yieldIfBusy }: Crawl): Promise<boolean> {
  for (const source of scope.isUnmoved ? (parts.prunable ?? []) : []) {
    await yieldIfBusy();
    const address = URL.canParse(source) ? normalizeAddress(scope.currentAddress(source)) : undefined;
    if (address !== undefined && scope.covers(address)) frontier.add(address, { isSameLevel: true, isUnreached: true });
  }
  return frontier.queued > 0;
}

/** Reads the sitemaps and the llms.txt of the site. Returns whether they added pages. */
async function readSeeds(crawl: Crawl): Promise<boolean> {
  const { site, frontier, skipped, parts } = crawl;
  const before = frontier.queued;
  crawl.has_seeds = true;
  const notices = await readSitemaps(site, {
    signal: parts.signal,
    onAddress: (address) => frontier.add(address, { isSameLevel: true }),
    onForeign: (address) => noteSkipped(skipped, 'foreign', urlSource(address)),
  });
  crawl.notices.push(...notices);
  for await (const address of readLlmsText(site)) {
    await crawl.yieldIfBusy();
    const isText = /\.md$/i.test(new URL(address).pathname);
    // the Markdown of a page has its address with .md at the end (llmstxt.org); the page itself is asked for Markdown first
    const page = address.replace(/(?:(?<=\/)index\.html|(?<=\/)index)?\.md(?=$|[?#])/i, '');
    if (new URL(address).origin === site.scope.origin) frontier.add(page, { isSameLevel: true, ...(isText ? { markdown: address } : {}) });
  }
  const whole = frontier.accepted === 0 ? await findWholeText(site) : undefined;
  if (whole !== undefined) frontier.add(whole, { isSameLevel: true });
  return frontier.queued > before;
}

/** Yields the deferred pages, the notices, and the scope with the reason why it may have more pages. */
async function* finishCrawl(crawl: Crawl): AsyncGenerator<Extracted, void, void> {
  const { frontier, site } = crawl;
  yield* resolveDeferred(crawl, { mayRequest: siteFailure(crawl) === undefined });
  yield* reportExpected(0, crawl);
  for (const alike of crawl.unindexed.values()) if (alike.length > 1) for (const page of alike) frontier.protect(page);
  const { notices, doubt } = summarizeCrawl(crawl);
  for (const notice of notices) yield { notice };
  const covers = (source: string): boolean => {
    const address = URL.canParse(source) ? site.scope.currentAddress(source) : undefined;
    if (address === undefined || !site.scope.covers(address)) return false;
    return doubt === undefined ? frontier.mayBeGone(address) : !frontier.isProtected(address);
  };
  if (site.scope.isUnmoved) yield { scope: { source_kind: 'url', covers, ...(doubt === undefined ? {} : { doubt }) } };
}

/** Processes a page that was read, and queues its links. Returns the item to yield, if any: each page becomes a document once. */
async function processPage(page: QueuedPage, read: PageRead, crawl: Crawl): Promise<Extracted | undefined> {
  if ('failed' in read) return recordFailure(page, read, crawl);
  if ('redirect' in read) return recordRedirect(page, read, crawl);
  crawl.failed_in_a_row = 0;
  const { parts, site, frontier, skipped } = crawl;
  if ('unreadable' in read) {
    frontier.protect(page);
    return noteSkipped(skipped, 'other', urlSource(page.url));
  }
  const loaded = 'page' in read ? read.page : undefined;
  const known = 'page' in read ? toRememberedPage(read.page, parts) : read.unchanged;
  for (const action of loaded?.parsed.page?.actions ?? []) noteSkipped(skipped, 'harmful', urlSource(action));
  if (loaded && !loaded.isRendered) for (const route of listRoutes(loaded)) noteSkipped(skipped, 'routes', urlSource(route));
  for (const link of page.isUnreached ? [] : known.links) {
    await crawl.yieldIfBusy();
    frontier.add(link, { from: known.found });
  }
  if (known.passed_over !== undefined) return passOver(page, known, crawl);
  if (!site.scope.covers(known.found)) return rememberWithoutSource(page, known, crawl);
  const source = sourceOf(known, crawl);
  if (addressKey(source) === addressKey(ownSource(known))) {
    crawl.owned.add(addressKey(source));
    return storePage({ page, known, source, loaded }, crawl);
  }
  frontier.add(source, { isSameLevel: true, from: known.found });
  deferPage({ page, known, source, loaded }, crawl);
  return undefined;
}

/** Leaves out a page that has only links or asks not to be indexed. What is stored of it stays until it asks so twice in the same words. */
async function passOver(page: QueuedPage, known: RememberedPage, crawl: Crawl): Promise<Extracted | undefined> {
  const { memory, prunable } = crawl.parts;
  const address = urlSource(page.url);
  const isStored = memory?.storedUnder(address) !== undefined || prunable?.has(known.found);
  if (known.passed_over === 'links' && isStored) return failPage(page, { failed: emptiedError(known.found), stage: 'convert' }, crawl);
  noteSkipped(crawl.skipped, 'passed_over', known.found);
  if (memory?.recall(address)?.content_hash !== known.content_hash) crawl.frontier.protect(page);
  crawl.unindexed.set(known.content_hash, [...(crawl.unindexed.get(known.content_hash) ?? []), page]);
  return rememberWithoutSource(page, known, crawl);
}

/** A stored page that suddenly has no text: what writes its text may have failed. */
const emptiedError = (source: string): KbError =>
  new KbError('unavailable', `${source} has nothing but links now.`, {
    hint: 'If that is right, delete what is stored of it: no ingest does.',
    isRetryable: true,
  });

/** The canonical address of a page if it is in the scope, else its own. The root page is accepted for no other page: some sites name it on all pages. */
function sourceOf(known: RememberedPage, { site: { scope, robots }, parts: { reader } }: Crawl): string {
  const { found, canonical } = known;
  const isAccepted =
    canonical !== undefined &&
    scope.covers(canonical) &&
    !isTrap(canonical) &&
    !hasTextlessExtension(canonical, reader) &&
    robots.allows(canonical) &&
    (new URL(canonical).pathname !== '/' || new URL(found).pathname === '/');
  return isAccepted ? canonical : ownSource(known);
}

const ownSource = ({ found }: RememberedPage): string => urlSource(normalizeAddress(found) ?? found);

/** Maximum characters of deferred pages that are kept in memory. */
const MAX_KEPT_CHARACTERS = 20_000_000;

/** Defers a page until everything is read; drops its content if too much is kept. */
function deferPage(placed: CrawledPage, crawl: Crawl): void {
  crawl.kept += placed.loaded?.parsed.text.length ?? 0;
  crawl.deferred.push(crawl.kept > MAX_KEPT_CHARACTERS ? { ...placed, loaded: undefined } : placed);
}

/**
 * Processes the deferred pages once everything is read. A page is left out if another document has its canonical address, else stored under its own
 * address. It stays deferred beyond `max_pages`, or if it would have to be read again and `mayRequest` is false.
 */
async function* resolveDeferred(crawl: Crawl, { mayRequest }: { mayRequest: boolean }): AsyncGenerator<Extracted, void, void> {
  for (let open = crawl.deferred.length; open > 0 && crawl.pages < crawl.entry.max_pages; open--) {
    const placed = crawl.deferred.shift()!;
    const { page, known, source, loaded } = placed;
    if (crawl.owned.has(addressKey(source)) && !crawl.sources.has(known.content_hash)) {
      noteSkipped(crawl.skipped, 'contradicted', known.found);
      await rememberWithoutSource(page, known, crawl);
    } else if (mayRequest || loaded) {
      const stored = await storePage({ ...placed, source: ownSource(known) }, crawl);
      if (stored) yield stored;
    } else crawl.deferred.push(placed);
  }
}

/** Makes a document of a page, unless there is one with the same address or content. */
async function storePage(placed: CrawledPage, crawl: Crawl): Promise<Extracted | undefined> {
  const { page, known, source: own } = placed;
  const { site, parts, skipped, sources } = crawl;
  const { url } = page;
  const source = sources.get(known.content_hash) ?? own;
  const alike = sources.get(known.content_hash) ?? crawl.texts.get(known.text_hash);
  const remembered = parts.memory?.recall(urlSource(url));
  const isStored = parts.stored.has(source);
  const isReplaced = alike !== undefined && alike !== own && remembered?.source === own && remembered.text_hash !== known.text_hash;
  await parts.memory?.remember(urlSource(url), { ...known, source: isReplaced ? alike : source });
  if (isStored) noteSkipped(skipped, 'same', known.found);
  if (isReplaced) return failPage(page, { failed: identicalError(own, alike), stage: 'crawl' }, crawl);
  if (isStored) return undefined;
  crawl.pages++;
  parts.stored.add(source);
  sources.set(known.content_hash, source);
  if (!crawl.texts.has(known.text_hash)) crawl.texts.set(known.text_hash, source);
  return { candidate: pageCandidate({ ...placed, source }, parts, site.options) };
}

/** A stored page that suddenly says what another one says: a site that is down or wants a login may say so on every page. */
const identicalError = (source: string, other: string): KbError =>
  new KbError('unavailable', `${source} suddenly has the content of ${other}.`, {
    hint: 'If it still has at the next run, that is taken for true.',
    isRetryable: true,
  });

/** Remembers a page that does not become a document. */
async function rememberWithoutSource({ url }: QueuedPage, known: RememberedPage, { parts: { memory } }: Crawl): Promise<undefined> {
  await memory?.remember(urlSource(url), { ...known, source: undefined });
}

async function recordRedirect(page: QueuedPage, { redirect, isLasting }: Redirect, crawl: Crawl): Promise<Extracted | undefined> {
  const { frontier, parts } = crawl;
  const outcome = frontier.followRedirect(page, redirect);
  if (outcome === 'loop')
    return recordFailure(page, { failed: redirectLoopError(page.trail[0] ?? page.url, parts.max_redirects), stage: 'crawl' }, crawl);
  crawl.failed_in_a_row = 0;
  if (outcome === 'outside') {
    noteSkipped(crawl.skipped, 'redirected', urlSource(page.url));
    frontier.protect(page);
  } else if (!isLasting) frontier.protect(page);
  return undefined;
}

type FailedRead = Extract<PageRead, { failed: unknown }>;

async function recordFailure(page: QueuedPage, read: FailedRead, crawl: Crawl): Promise<Extracted | undefined> {
  const { failed, stage } = read;
  const isGone = isPageGone(failed);
  if (isGone && page.markdown !== undefined) return void crawl.frontier.add(page.markdown, { isSameLevel: true, from: page.from });
  if (isGone) await crawl.parts.memory?.forget(urlSource(page.url));
  if (isGone && page.isUnreached) return { gone: urlSource(page.url) };
  crawl.failed_in_a_row = isUnanswered(read) ? crawl.failed_in_a_row + 1 : 0;
  if (failed instanceof KbError && failed.code === 'unauthorized' && stage === 'convert') crawl.logins++;
  return failPage(page, { failed, stage: stage === 'fetch' ? 'crawl' : stage }, crawl);
}

/** Makes the error item of a page. Its stored version stays, unless it is gone. */
function failPage(page: QueuedPage, { failed, stage }: { failed: unknown; stage: Stage }, crawl: Crawl): Extracted {
  crawl.failed++;
  const stored_as = isPageGone(failed) ? undefined : crawl.parts.memory?.storedUnder(urlSource(page.url));
  return failedPageItem(failed, page.url, { stage, stored_as, from: page.from });
}

/** Whether the site may be down. A site that refuses the page (401, 403, 404) has answered. */
const isUnanswered = (read: PageRead): boolean =>
  'failed' in read && read.stage !== 'convert' && (!(read.failed instanceof KbError) || read.failed.code === 'unavailable');

/** Adds the time of waiting for `read` to the silence, or resets it if the site has answered. Milliseconds, without the time for processing. */
export const addSilence = (silence: number, read: PageRead, waited: number): number => (isUnanswered(read) ? silence + waited : 0);

/** Milliseconds without an answer after which a crawl gives up. */
export const MAX_SILENCE = 600_000;
/** Consecutive failures after which a site counts as down. */
const MAX_FAILED = 20;

/** Says why a crawl gives up its site, as the end of a sentence; undefined if it continues. */
export function siteFailure({ failed_in_a_row, silence }: Pick<Crawl, 'failed_in_a_row' | 'silence'>): string | undefined {
  if (failed_in_a_row >= MAX_FAILED) return `${MAX_FAILED} pages in a row could not be read`;
  return silence >= MAX_SILENCE ? `nothing could be read for ${MAX_SILENCE / 60_000} minutes` : undefined;
}

/** Makes the notices of a crawl that has ended; `doubt` says why pages that moved may not be stored elsewhere, as a part of a sentence. */
export function summarizeCrawl(crawl: Crawl): { notices: string[]; doubt?: string } {
  const address = urlSource(crawl.entry.url);
  const name = `The crawl of ${address}`;
  const unread = describeUnread(crawl, name);
  const notices = [
    ...crawl.notices,
    ...(unread === undefined ? [] : [unread]),
    ...describeLimits(crawl, name),
    ...describeOmissions(crawl, name),
  ];
  return unread === undefined ? { notices } : { notices, doubt: `the crawl of ${address} is incomplete.` };
}

/** Describes the limits that kept pages from being found. */
function* describeLimits({ frontier, site, entry }: Crawl, name: string): Generator<string, void, void> {
  if (frontier.deeper > 0)
    yield `${name} ended at max_depth = ${entry.max_depth}: ${count(frontier.deeper, 'address', 'addresses')} further away ${frontier.deeper === 1 ? 'was' : 'were'} not read.`;
  if (site.robots.isExhausted()) yield `${name} is incomplete: robots.txt has too many rules to check every address.`;
  if (site.scope.isExhausted()) yield `${name} is incomplete: include and exclude take too long to check every address.`;
}

/** Describes what was left out on purpose. */
function* describeOmissions({ site: { scope }, skipped, logins, pages, parts }: Crawl, name: string): Generator<string, void, void> {
  if (logins > 0 && pages > 0 && parts.http.carriesCredentials?.(scope.origin))
    yield `${name}: the session ended on the way, or was not accepted everywhere: ${count(logins, 'page')} turned into a login page. Renew the credentials in network.sites, and crawl again.`;
  const text = skippedText(skipped);
  if (text !== undefined) yield `${name} left out ${text}.`;
  for (const pattern of scope.unmatchedIncludes()) yield `${name}: include "${pattern}" matches no address that was found.`;
  if (!scope.isUnmoved)
    yield `${name} was redirected by its start page to ${scope.origin}${scope.folder}. To remove deleted pages, crawl that address itself.`;
}

/** Describes what was found and not read; undefined if everything was read. */
function describeUnread(crawl: Crawl, name: string): string | undefined {
  const { frontier, pages, limit, entry } = crawl;
  const unread = frontier.unread + crawl.in_flight;
  const deferred = crawl.deferred.length;
  const stopped = siteFailure(crawl);
  const prefix = frontier.isOverflowing ? 'more than ' : '';
  const left = [
    ...(unread > 0 || deferred === 0
      ? [`${prefix}${count(unread, 'further address was', 'further addresses were')} found and not read`]
      : []),
    ...(deferred > 0 ? [`${count(deferred, 'page was', 'pages were')} read and not stored`] : []),
  ].join(', and ');
  const limits =
    pages >= entry.max_pages
      ? `at max_pages = ${entry.max_pages}`
      : `after ${count(limit, 'address', 'addresses')} that led to ${count(pages, 'page')}`;
  if (stopped !== undefined || unread + deferred > 0)
    return `${name} stopped ${stopped === undefined ? limits : `because ${stopped}`}: ${left}.`;
  if (frontier.isOverflowing)
    return `${name} is incomplete: it found more than ${MAX_KNOWN_ADDRESSES.toLocaleString('en')} addresses and ignored further ones.`;
  return undefined;
}
