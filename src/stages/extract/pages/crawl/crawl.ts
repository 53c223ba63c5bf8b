import { field, pointer, sayHint } from '../../../../core/advice/advice.ts';
import pLimit from 'p-limit';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource } from '../web-addresses.ts';
import { type PageRead, readPage } from '../page.ts';
import { endingOf, failureOf } from './crawl-report.ts';
import { Frontier, type Waiting, noteSkipped, type SkippedPages } from './frontier.ts';
import { type CrawlEntry, type CrawlParts, openSite, type OpenSite, MOST_FEEDS, readFeeds, readSitemaps } from './open-site.ts';
import { type Crawl, releaseDeferred, silenceAfter, takePage } from './take-page.ts';

/** Maximum requests per wanted page: a crawl of a site whose addresses lead to no pages ends. */
const REQUESTS_PER_PAGE = 3;
const MORE_REQUESTS = 100;

/** The pages of a site (contract, section 5): from the start page along the links, sitemaps and feeds, level by level. What fails at one page costs the others nothing. */
export async function* crawlSite(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const name = JSON.stringify({ ...entry, url: urlSource(entry.url) });
  yield { expected: 1 };
  const since = await parts.memory?.begin(name);
  if (since) yield { notice: goesOnNotice(entry, since) };
  const site = await openSite(entry, parts);
  if ('error' in site) yield site.error;
  else yield* pagesOf(beginAt(site, entry, parts));
  await parts.memory?.end(name);
}

const goesOnNotice = ({ url }: CrawlEntry, since: Date): string =>
  `The crawl of ${urlSource(url)} that began on ${since.toISOString().slice(0, 16).replace('T', ' at ')} UTC and was cut off resumes: pages that it has read ` +
  `are not requested again. ${sayHint(pointer`${field('force')} reads them all.`)}`.trimEnd();

function beginAt(site: OpenSite, entry: CrawlEntry, parts: CrawlParts): Crawl {
  const { max_redirects, reader, memory, signal } = parts;
  const limit = REQUESTS_PER_PAGE * entry.max_pages + MORE_REQUESTS;
  const skipped: SkippedPages = new Map();
  const { scope, robots } = site;
  return {
    entry,
    site,
    parts,
    limit,
    skipped,
    frontier: new Frontier({ scope, robots, reader, memory, skipped, limit, max_redirects, max_depth: entry.max_depth }),
    yieldIfBusy: yieldToEventLoop(signal),
    told: 1,
    pages: 0,
    failed: 0,
    failed_in_a_row: 0,
    silence: 0,
    under_way: 0,
    held: 0,
    deferred: [],
    kept: 0,
    sources: new Map(),
    before: new Map(),
    owned: new Set(),
    feeds: { named: [], due: [], left: MOST_FEEDS },
    has_sitemaps: false,
    is_whole: true,
    notices: [...site.notices],
  };
}

/**
 * Runs the crawl: takes addresses from the frontier, reads their pages, and processes the results in order, which fills the frontier again.
 */
async function* pagesOf(crawl: Crawl): AsyncGenerator<Extracted, void, void> {
  const { entry, site, parts, frontier } = crawl;
  const start = frontier.begin(site.at);
  const stop = new AbortController(); // ends what is under way where nobody waits for it any more: that alone, and not what is still to be done with pages that were read
  const reading = { ...parts, signal: parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal };
  const bounded = largeOnesAlone();
  const read = (page: Waiting): Promise<PageRead> =>
    page === start ? Promise.resolve(site.read) : bounded((limits) => readPage(page.url, reading, { ...site.options, ...limits }));
  let since = performance.now();
  const results = workInOrder({
    next: () => frontier.next(),
    more: async () => {
      const isMore = await goOn(crawl);
      since = performance.now();
      return isMore;
    },
    room: () => (isOver(crawl) ? 0 : roomFor(entry.max_pages - crawl.pages, crawl.held)),
    at_once: READ_AT_ONCE,
    work: async (page: Waiting) => {
      crawl.under_way++;
      const came = await read(page);
      crawl.held += charactersIn(came);
      return { page, came };
    },
    onStop: () => stop.abort(),
  });
  for await (const { page, came } of results) {
    crawl.under_way--;
    crawl.held -= charactersIn(came);
    crawl.silence = silenceAfter(crawl.silence, came, performance.now() - since);
    const made = await takePage(page, came, crawl);
    yield* expecting(frontier.waiting + crawl.under_way + crawl.deferred.length, crawl);
    if (made) yield made;
    if (isOver(crawl)) break;
    since = performance.now();
  }
  yield* endOf(crawl);
}

const isOver = (crawl: Crawl): boolean => crawl.pages >= crawl.entry.max_pages || failureOf(crawl) !== undefined;

/** Tells how many pages are coming in all, where so many (`open`) may. */
function* expecting(open: number, crawl: Crawl): Generator<Extracted, void, void> {
  const coming = crawl.failed + Math.min(crawl.pages + open, crawl.entry.max_pages);
  if (coming !== crawl.told) yield { expected: coming - crawl.told };
  crawl.told = coming;
}

/** Finds further pages of a level once its pages are read, or goes on to the next level. Returns false if there is none. */
async function goOn(crawl: Crawl): Promise<boolean> {
  const { frontier, feeds, entry } = crawl;
  if (isOver(crawl)) return false;
  if (frontier.depth > 0 && (await findSeeds(crawl))) return true;
  if (frontier.depth >= entry.max_depth) return false;
  frontier.deepen();
  feeds.due = feeds.named.splice(0);
  return true;
}

/** Reads the sitemaps, once, which name pages of the first level, and the feeds that the level before named. Whether that brought anything. */
async function findSeeds(crawl: Crawl): Promise<boolean> {
  const { site, frontier, skipped, feeds, parts } = crawl;
  const before = frontier.waiting;
  const options = {
    signal: parts.signal,
    onAddress: (address: string) => frontier.found(address, { isBeside: true }),
    onForeign: (address: string) => noteSkipped(skipped, 'foreign', urlSource(address)),
  };
  const due = [...new Set(feeds.due.splice(0))].slice(0, feeds.left);
  feeds.left -= due.length;
  const sitemaps = crawl.has_sitemaps ? [] : [await readSitemaps(site, options)];
  const seeds = [...sitemaps, await readFeeds(due, site, options)];
  crawl.has_sitemaps = true;
  crawl.is_whole &&= seeds.every(({ isWhole }) => isWhole);
  crawl.notices.push(...seeds.flatMap(({ notices }) => notices));
  return frontier.waiting > before;
}

/** What a person should know; and the scope, with the reason why there may be more in it than was found. */
async function* endOf(crawl: Crawl): AsyncGenerator<Extracted, void, void> {
  const { scope } = crawl.site;
  yield* releaseDeferred(crawl, { asks: failureOf(crawl) === undefined });
  yield* expecting(0, crawl);
  const { notices, doubt } = endingOf(crawl);
  for (const notice of notices) yield { notice };
  const covers = (source: string): boolean => isGone(source, crawl);
  if (scope.isAsked) yield { scope: { source_kind: 'url', covers, ...(doubt === undefined ? {} : { doubt }) } };
}

/** Whether a stored source that was not met is gone, if the crawl is complete. */
function isGone(source: string, { site: { scope }, frontier }: Crawl): boolean {
  if (!URL.canParse(source)) return false;
  const found = scope.asFound(source);
  return scope.covers(found) && !frontier.spares(found);
}

/** Pages under way at once, those included that are read and wait for the ones before them. */
const MOST = 64;
/** Pages that are loaded or read at once: eight come over the network, and the others wait for a reader. */
const READ_AT_ONCE = 16;
/** Characters of pages that are read and wait for the ones before them: beyond that, no more are begun. */
export const MOST_HELD = 50_000_000;
/** Bytes of a page that is read beside others, which is what a web page may have: sixteen of them are a quarter of a gigabyte. */
export const MOST_BESIDE = 16 * 2 ** 20;

/** How many pages may be under way where so many are wanted, and those that are read and wait have so many characters. */
export const roomFor = (wanted: number, held: number): number => (held > MOST_HELD ? 0 : Math.min(MOST, wanted));

/** Characters that a page holds while it waits. */
export const charactersIn = (read: PageRead): number => ('page' in read ? read.page.parsed.text.length : 0);

type Load = (limits: { max_bytes?: number }) => Promise<PageRead>;

/** Reads pages by a function that fails with `isCutOff` beyond the bytes allowed; larger pages are asked for again, one at a time. */
export function largeOnesAlone(): (load: Load) => Promise<PageRead> {
  const alone = pLimit(1);
  return async (load) => {
    const read = await load({ max_bytes: MOST_BESIDE });
    return 'failed' in read && read.isCutOff ? await alone(() => load({})) : read;
  };
}

interface OrderedWork<Item, Result> {
  /** Takes the next item; undefined if there is none for now: results may bring more. */
  next(): Item | undefined;
  /** Whether there is more; called if nothing is in flight and `next` returned nothing. */
  more?(): Promise<boolean>;
  /** How many may be under way, those included that are finished and wait for their turn. */
  room(): number;
  at_once: number;
  work(item: Item): Promise<Result>;
  /** Called where results are not wanted any more while work is under way. */
  onStop(): void;
}

/**
 * Processes several items at once and yields the results in their order, so that the same site is always crawled the same way. Ends if no
 * item is left.
 */
export async function* workInOrder<Item, Result>(options: OrderedWork<Item, Result>): AsyncGenerator<Result, void, void> {
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
      else if (first) await new Promise<void>((done) => (wake = done)); // what ends meanwhile may make room
      else if (!(await more?.())) return;
    }
  } finally {
    if (running.length > 0) onStop();
    await Promise.allSettled(running.map(({ result }) => result));
  }
}
