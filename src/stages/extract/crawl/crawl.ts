import { describe, isAbort } from '../../../base/errors.ts';
import type { Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { isGone } from '../page-candidate.ts';
import { readPage } from '../page.ts';
import { arrive, type CrawlEntry, type CrawlParts, type Site } from './arrive.ts';
import { readFeed } from './feeds.ts';
import { Frontier, type Waiting } from './frontier.ts';
import { Harvest } from './harvest.ts';
import { inOrder } from './in-order.ts';
import { readSitemaps } from './sitemaps.ts';

/** Pages under way at once, those included that are read and wait for the ones before them. */
const UNDER_WAY = 64;
/** Requests for each page that is wanted, and a few more: a site whose addresses lead to no pages is left in the end. */
const REQUESTS_PER_PAGE = 3;
const MORE_REQUESTS = 100;
/** Pages that may fail in a row before a site is taken to be down. */
const MOST_FAILED = 20;
const MOST_FEEDS = 10;

/** The pages of a site (contract, section 5): from the start page along the links, sitemaps and feeds, level by level. What fails at one page costs the others nothing. */
export async function* crawl(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const stop = new AbortController();
  const signal = parts.signal ? AbortSignal.any([parts.signal, stop.signal]) : stop.signal;
  const name = JSON.stringify({ ...entry, url: sourceOf(entry.url) });
  yield { expected: 1 };
  await parts.memory?.begin(name);
  const site = await arrive(entry, { ...parts, signal });
  if ('error' in site) yield site.error;
  else yield* new Walk(entry, { site, parts: { ...parts, signal }, stop }).levels();
  await parts.memory?.end(name);
}

/** A crawl that has come to its site. */
class Walk {
  readonly #entry: CrawlEntry;
  readonly #site: Site;
  readonly #parts: CrawlParts;
  readonly #stop: AbortController;
  readonly #frontier: Frontier;
  readonly #harvest: Harvest;
  readonly #notices: string[];
  readonly #limit: number;
  #feeds: string[] = [];
  #feedsRead = 0;
  #hasSitemaps = false;
  /** Pages that are being read, or are read and wait for their turn. */
  #running = 0;
  /** Pages that the run was told to expect. */
  #told = 1;

  constructor(entry: CrawlEntry, { site, parts, stop }: { site: Site; parts: CrawlParts; stop: AbortController }) {
    this.#entry = entry;
    this.#site = site;
    this.#parts = parts;
    this.#stop = stop;
    this.#limit = REQUESTS_PER_PAGE * entry.max_pages + MORE_REQUESTS;
    this.#frontier = new Frontier({ scope: site.scope, allows: site.robots.allows, max_depth: entry.max_depth, limit: this.#limit });
    this.#harvest = new Harvest({ site, parts, frontier: this.#frontier });
    this.#notices = [...site.notices];
  }

  async *levels(): AsyncGenerator<Extracted, void, void> {
    yield* this.#start();
    for (let depth = 1; depth <= this.#entry.max_depth && !this.#isOver(); depth++) {
      this.#frontier.deepen();
      this.#feeds = this.#harvest.feeds.splice(0);
      do yield* this.#level();
      while (!this.#isOver() && (await this.#refilled()));
    }
    yield* this.#end();
  }

  async *#start(): AsyncGenerator<Extracted, void, void> {
    const { start, read } = this.#site;
    for (const address of [start, 'page' in read ? read.page.url : read.url]) this.#frontier.meet(address);
    yield* this.#taken({ url: start, key: '', depth: 0, hops: 0 }, read);
  }

  async *#level(): AsyncGenerator<Extracted, void, void> {
    const results = inOrder({
      next: () => this.#frontier.next(),
      room: () => (this.#isOver() ? 0 : Math.min(UNDER_WAY, this.#entry.max_pages - this.#harvest.pages)),
      work: async (page: Waiting) => {
        this.#running++;
        return { page, read: await readPage(page.url, this.#parts, this.#site.options(page.url)) };
      },
      onStop: () => this.#stop.abort(),
    });
    for await (const { page, read } of results) {
      this.#running--;
      yield* this.#taken(page, read);
      if (this.#isOver()) return;
    }
  }

  async *#taken(page: Waiting, read: Parameters<Harvest['take']>[1]): AsyncGenerator<Extracted, void, void> {
    const made = await this.#harvest.take(page, read);
    yield* this.#expecting(this.#frontier.waiting + this.#running);
    if (made) yield made;
  }

  /** Tells how many pages are coming in all, where so many may. */
  *#expecting(open: number): Generator<Extracted, void, void> {
    const { pages, failed } = this.#harvest;
    const coming = failed + Math.min(pages + open, this.#entry.max_pages);
    if (coming !== this.#told) yield { expected: coming - this.#told };
    this.#told = coming;
  }

  #isOver = (): boolean => this.#isFull() || this.#isDown();
  #isFull = (): boolean => this.#harvest.pages >= this.#entry.max_pages;
  #isExhausted = (): boolean => this.#site.robots.isExhausted() || this.#site.scope.isExhausted();
  #isDown = (): boolean => this.#harvest.failedInARow >= MOST_FAILED;

  /** What a person should know; and the scope, where the crawl came to its end by itself and knows all that its pages lead to. */
  async *#end(): AsyncGenerator<Extracted, void, void> {
    const { scope } = this.#site;
    yield* this.#expecting(0);
    for (const notice of [...this.#notices, ...this.#endNotices()]) yield { notice };
    const { unread, isOverflowing } = this.#frontier;
    const isCut = unread > 0 || isOverflowing || this.#isDown() || !this.#hasSitemaps || this.#isExhausted();
    if (isCut || !this.#harvest.isWhole) return;
    const covers = (source: string) => URL.canParse(source) && scope.covers(source) && !this.#frontier.spares(source);
    yield { scope: { source_kind: 'url', covers } };
  }

  *#endNotices(): Generator<string, void, void> {
    const { unread, traps, isOverflowing } = this.#frontier;
    const name = `The crawl of ${sourceOf(this.#entry.url)}`;
    const { pages } = this.#harvest;
    const left = `${isOverflowing ? 'more than ' : ''}${counted(unread, 'further address was', 'further addresses were')} found and not read.`;
    if (this.#isDown()) yield `${name} stopped because ${MOST_FAILED} pages in a row could not be read: ${left}`;
    else if (this.#isFull() && unread > 0) yield `${name} stopped at max_pages = ${this.#entry.max_pages}: ${left}`;
    else if (unread > 0)
      yield `${name} stopped after ${counted(this.#limit, 'address', 'addresses')} that led to ${counted(pages, 'page', 'pages')}: ${left}`;
    const { eclipsed } = this.#harvest;
    if (eclipsed)
      yield `${name} left out ${counted(eclipsed.count, 'page', 'pages')} that name another page as their address (rel="canonical") but say something else, such as ${eclipsed.first}.`;
    if (this.#site.robots.isExhausted())
      yield `${name} is not whole: the rules of robots.txt are too many to be held against every address.`;
    if (traps > 0)
      yield `${name} left out ${counted(traps, 'address', 'addresses')} of the kind that sites make without end: very long, or with a part that comes back again and again.`;
  }

  /** Once the links of a level are read: the sitemaps, which name pages of the first one, and the feeds that the level before named. Whether that brought anything. */
  async #refilled(): Promise<boolean> {
    const before = this.#frontier.waiting;
    if (!this.#hasSitemaps) await this.#readSitemaps();
    for (const feed of new Set(this.#feeds.splice(0))) await this.#readFeed(feed);
    return this.#frontier.waiting > before;
  }

  async #readSitemaps(): Promise<void> {
    const { scope, robots, start, load } = this.#site;
    this.#hasSitemaps = true;
    const usual = [...new Set(['/sitemap.xml', new URL('sitemap.xml', start).pathname])];
    const places = { origin: scope.origin, named: robots.sitemaps, usual };
    const { isWhole, notices } = await readSitemaps(places, { load, onAddress: this.#beside, signal: this.#parts.signal });
    this.#harvest.isWhole &&= isWhole;
    this.#notices.push(...notices);
  }

  async #readFeed(feed: string): Promise<void> {
    if (this.#feedsRead++ >= MOST_FEEDS || !this.#site.robots.allows(feed)) return;
    try {
      await readFeed(feed, { load: this.#site.load, onAddress: this.#beside, signal: this.#parts.signal });
    } catch (error) {
      if (isAbort(error)) throw error;
      if (isGone(error)) return;
      this.#harvest.isWhole = false;
      this.#notices.push(`The feed ${sourceOf(feed)} was left out: ${describe(error)}`);
    }
  }

  #beside = (address: string): boolean => this.#frontier.found(address, { isBeside: true });
}

const counted = (count: number, one: string, several: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
