import { field, optionalAdvice, formatHint } from '../../../../core/advice/advice.ts';
import pLimit from 'p-limit';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource } from '../web-addresses.ts';
import { type PageRead, readPage } from '../page.ts';
import { summarizeCrawl, siteFailure } from './crawl-report.ts';
import { Frontier, type QueuedPage, noteSkipped, type SkippedPages } from './frontier.ts';
import { type CrawlEntry, type CrawlParts, openSite, type OpenSite } from './open-site.ts';
import { findWholeText, readLlmsText, readSitemaps } from './sitemaps.ts';
import { type Crawl, resolveDeferred, silenceAfter, processPage } from './process-page.ts';

/** Maximum requests per wanted page, so that a crawl ends even if the addresses of a site lead to no pages. */
const REQUESTS_PER_PAGE = 3;
const EXTRA_REQUESTS = 100;

/** Crawls a site (contract, section 5): from the start page along links, sitemaps and llms.txt, level by level. The failure of a page does not affect others. */
export async function* crawlSite(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const name = JSON.stringify({ ...entry, url: urlSource(entry.url) });
  yield { expected: 1 };
  const since = await parts.memory?.begin(name);
  if (since) yield { notice: resumeNotice(entry, since) };
  const site = await openSite(entry, parts);
  if ('error' in site) yield site.error;
  else yield* readPages(startCrawl(site, entry, parts));
  await parts.memory?.end(name);
}

const resumeNotice = ({ url }: CrawlEntry, since: Date): string =>
  `The crawl of ${urlSource(url)} that began on ${since.toISOString().slice(0, 16).replace('T', ' at ')} UTC and was cut off resumes: pages that it has read ` +
  `are not requested again. ${formatHint(optionalAdvice`${field('force')} reads them all.`)}`.trimEnd();

function startCrawl(site: OpenSite, entry: CrawlEntry, parts: CrawlParts): Crawl {
  const { max_redirects, reader, memory, signal } = parts;
  const limit = REQUESTS_PER_PAGE * entry.max_pages + EXTRA_REQUESTS;
  const skipped: SkippedPages = new Map();
  const { scope, robots } = site;
  const given = { entry, site, parts, limit, skipped };
  const counts = { expected: 1, pages: 0, failed: 0, failed_in_a_row: 0, silence: 0, in_flight: 0, buffered: 0, kept: 0, logins: 0 };
  return {
    ...given,
    ...counts,
    frontier: new Frontier({ scope, robots, reader, memory, skipped, limit, max_redirects, max_depth: entry.max_depth }),
    yieldIfBusy: yieldToEventLoop(signal),
    deferred: [],
    sources: new Map(),
    owned: new Set(),
    has_sitemaps: false,
    has_complete_seeds: true,
    notices: [...site.notices],
  };
}

/** Reads the pages of the frontier and processes them in order, which adds further pages to it. */
async function* readPages(crawl: Crawl): AsyncGenerator<Extracted, void, void> {
  const { entry, site, parts, frontier } = crawl;
  const start = frontier.addStart(site.at);
  const stop = new AbortController(); // stops requests only: pages that were read are still processed
  const reading = { ...parts, signal: parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal };
  const readSmallOrAlone = readLargeAlone();
  const read = async (page: QueuedPage): Promise<PageRead> =>
    page === start ? site.read : readSmallOrAlone((limits) => readPage(page.url, reading, { ...site.options, ...limits }));
  let since = performance.now();
  const results = processInOrder({
    next: () => frontier.next(),
    more: async () => {
      const isMore = await advance(crawl);
      since = performance.now();
      return isMore;
    },
    room: () => (isOver(crawl) ? 0 : roomFor(entry.max_pages - crawl.pages, crawl.buffered)),
    at_once: MAX_READING,
    work: async (page: QueuedPage) => {
      crawl.in_flight++;
      const result = await read(page);
      crawl.buffered += charactersIn(result);
      return { page, result };
    },
    onStop: () => stop.abort(),
  });
  for await (const { page, result } of results) {
    crawl.in_flight--;
    crawl.buffered -= charactersIn(result);
    crawl.silence = silenceAfter(crawl.silence, result, performance.now() - since);
    const item = await processPage(page, result, crawl);
    yield* reportExpected(frontier.queued + crawl.in_flight + crawl.deferred.length, crawl);
    if (item) yield item;
    if (isOver(crawl)) break;
    since = performance.now();
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
  if (frontier.depth > 0 && !crawl.has_sitemaps && (await readSeeds(crawl))) return true;
  if (frontier.depth >= entry.max_depth) return false;
  frontier.deepen();
  return true;
}

/** Reads the sitemaps and the llms.txt of the site. Returns whether they added pages. */
async function readSeeds(crawl: Crawl): Promise<boolean> {
  const { site, frontier, skipped, parts } = crawl;
  const before = frontier.queued;
  crawl.has_sitemaps = true;
  const sitemaps = await readSitemaps(site, {
    signal: parts.signal,
    onAddress: (address) => frontier.add(address, { isSameLevel: true }),
    onForeign: (address) => noteSkipped(skipped, 'foreign', urlSource(address)),
  });
  crawl.has_complete_seeds = sitemaps.isComplete;
  crawl.notices.push(...sitemaps.notices);
  if (!sitemaps.isComplete && isOver(crawl)) return frontier.queued > before;
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
  const { scope } = crawl.site;
  yield* resolveDeferred(crawl, { mayRequest: siteFailure(crawl) === undefined });
  yield* reportExpected(0, crawl);
  const { notices, doubt } = summarizeCrawl(crawl);
  for (const page of crawl.frontier.missed) await crawl.parts.memory?.forget(page); // if it is left out again, that is how the site is now
  for (const notice of notices) yield { notice };
  const covers = (source: string): boolean => isGone(source, crawl);
  if (scope.isUnmoved) yield { scope: { source_kind: 'url', covers, ...(doubt === undefined ? {} : { doubt }) } };
}

/** Whether a stored source that was not found is gone, if the crawl is complete. */
function isGone(source: string, { site: { scope }, frontier }: Crawl): boolean {
  if (!URL.canParse(source)) return false;
  const found = scope.currentAddress(source);
  return scope.covers(found) && !frontier.isProtected(found);
}

/** Maximum pages in flight, including those that were read and wait for earlier ones. */
const MAX_IN_FLIGHT = 64;
/** Maximum pages that are requested or parsed at once: eight over the network, the others in the parsers. */
const MAX_READING = 16;
/** Maximum characters of pages that wait for earlier ones; with more, no request begins. */
export const MAX_BUFFERED = 50_000_000;
/** Maximum bytes of a page that is read at the same time as others. */
export const MAX_SHARED_BYTES = 16 * 2 ** 20;

/** Returns how many pages may be in flight, by the number of wanted pages and of buffered characters. */
export const roomFor = (wanted: number, buffered: number): number => (buffered > MAX_BUFFERED ? 0 : Math.min(MAX_IN_FLIGHT, wanted));

/** Counts the characters that a page holds while it waits. */
export const charactersIn = (read: PageRead): number => ('page' in read ? read.page.parsed.text.length : 0);

type Load = (limits: { max_bytes?: number }) => Promise<PageRead>;

/** Returns a function that loads a page with a limit of bytes. A page that exceeds it is loaded again without limit, one at a time. */
export function readLargeAlone(): (load: Load) => Promise<PageRead> {
  const alone = pLimit(1);
  return async (load) => {
    const read = await load({ max_bytes: MAX_SHARED_BYTES });
    return 'failed' in read && read.isCutOff ? await alone(() => load({})) : read;
  };
}

interface OrderedProcessing<Item, Result> {
  /** Takes the next item; undefined if there is none for now: processing a result may add some. */
  next(): Item | undefined;
  /** Finds more items; false if there are none. Called if nothing is in flight and `next` returned nothing. */
  more?(): Promise<boolean>;
  /** Maximum items in flight, including results that wait for their turn. */
  room(): number;
  at_once: number;
  work(item: Item): Promise<Result>;
  /** Called if the reader stops while work is in flight. */
  onStop(): void;
}

/** Processes several items at once and yields the results in their order, so that the same site is always crawled the same way. */
export async function* processInOrder<Item, Result>(options: OrderedProcessing<Item, Result>): AsyncGenerator<Result, void, void> {
  const { next, more, room, at_once, work, onStop } = options;
  const running: { result: Promise<Result>; isDone: boolean }[] = [];
  let wake = (): void => {};
  const begin = (item: Item): void => {
    const job = { result: work(item), isDone: false };
    const end = (): void => {
      job.isDone = true;
      wake();
    };
    job.result.then(end, end);
    running.push(job);
  };
  try {
    for (;;) {
      while (running.filter(({ isDone }) => !isDone).length < at_once && running.length < room()) {
        const item = next();
        if (item === undefined) break;
        begin(item);
      }
      const [first] = running;
      if (first?.isDone) yield await running.shift()!.result;
      else if (first) await new Promise<void>((done) => (wake = done)); // any job that ends may make room
      else if (!(await more?.())) return;
    }
  } finally {
    if (running.length > 0) onStop();
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
