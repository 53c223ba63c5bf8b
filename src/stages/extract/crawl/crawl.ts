import pLimit from 'p-limit';
import type { Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { readPage, type PageRead } from '../page.ts';
import { arrive, type CrawlEntry, type CrawlParts, type Site } from './arrive.ts';
import { Beside } from './beside.ts';
import { endNotices } from './ending.ts';
import { Frontier, type Waiting } from './frontier.ts';
import { Harvest } from './harvest.ts';
import { inOrder } from './in-order.ts';
import { LONGEST_SILENCE, Silence } from './silence.ts';
import { LeftOut, type Reason } from './left-out.ts';

/** Pages under way at once, those included that are read and wait for the ones before them. */
const UNDER_WAY = 64;
/** Pages that are loaded or read at once: eight come over the network, and the others wait for a reader. */
const READ_AT_ONCE = 16;
/** Characters of pages that are read and wait for the ones before them: beyond that, no more are read. */
const MOST_HELD = 50_000_000;
/** Requests for each page that is wanted, and a few more: a site whose addresses lead to no pages is left in the end. */
const REQUESTS_PER_PAGE = 3;
const MORE_REQUESTS = 100;
/** Pages that may fail in a row before a site is taken to be down. */
const MOST_FAILED = 20;

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
  readonly #beside: Beside;
  readonly #leftOut = new LeftOut();
  readonly #limit: number;
  readonly #silence = new Silence();
  #feeds: string[] = [];
  /** Pages that are being read, or are read and wait for their turn. */
  #running = 0;
  /** Characters of those that are read and wait. */
  #held = 0;
  readonly #atOnce = pLimit(READ_AT_ONCE);
  /** Pages that the run was told to expect. */
  #told = 1;

  constructor(entry: CrawlEntry, { site, parts, stop }: { site: Site; parts: CrawlParts; stop: AbortController }) {
    this.#entry = entry;
    this.#site = site;
    this.#parts = parts;
    this.#stop = stop;
    this.#limit = REQUESTS_PER_PAGE * entry.max_pages + MORE_REQUESTS;
    const { scope, robots } = site;
    const onLeftOut = (reason: Reason, address: string) => this.#leftOut.note(reason, address);
    const storedUnder = (address: string) => parts.memory?.storedUnder(address);
    this.#frontier = new Frontier({ scope, allows: robots.allows, max_depth: entry.max_depth, limit: this.#limit, storedUnder, onLeftOut });
    this.#harvest = new Harvest({ site, parts, frontier: this.#frontier, leftOut: this.#leftOut });
    const onAddress = (address: string) => this.#frontier.found(address, { isBeside: true });
    this.#beside = new Beside({ site, onAddress, signal: parts.signal });
  }

  async *levels(): AsyncGenerator<Extracted, void, void> {
    yield* this.#start();
    yield* this.#level(); // what the start page names as its own address
    for (let depth = 1; depth <= this.#entry.max_depth && !this.#isOver(); depth++) {
      this.#frontier.deepen();
      this.#feeds = this.#harvest.feeds.splice(0);
      do yield* this.#level();
      while (!this.#isOver() && (await this.#refilled()));
    }
    yield* this.#end();
  }

  async *#start(): AsyncGenerator<Extracted, void, void> {
    const { at, read } = this.#site;
    for (const address of [...at.trail, at.url]) this.#frontier.meet(address);
    yield* this.#taken({ ...at, key: '', depth: 0 }, read);
  }

  async *#level(): AsyncGenerator<Extracted, void, void> {
    const results = inOrder({
      next: () => this.#frontier.next(),
      room: () => (this.#isOver() || this.#held > MOST_HELD ? 0 : Math.min(UNDER_WAY, this.#entry.max_pages - this.#harvest.pages)),
      work: (page: Waiting) => {
        this.#running++;
        return this.#atOnce(() => this.#read(page));
      },
      onStop: () => this.#stop.abort(),
    });
    this.#silence.begin();
    for await (const { page, read } of results) {
      this.#running--;
      this.#held -= lengthOf(read);
      this.#silence.end(!('failed' in read));
      yield* this.#taken(page, read);
      if (this.#isOver()) return;
      this.#silence.begin();
    }
  }

  async #read(page: Waiting): Promise<{ page: Waiting; read: PageRead }> {
    const read = await readPage(page.url, this.#parts, this.#site.options);
    this.#held += lengthOf(read);
    return { page, read };
  }

  async *#taken(page: Waiting, read: Parameters<Harvest['take']>[1]): AsyncGenerator<Extracted, void, void> {
    const made = await this.#harvest.take(page, read);
    yield* this.#expecting(this.#frontier.waiting + this.#running + this.#harvest.deferred);
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
  #isDown = (): boolean => this.#gaveOut() !== undefined;

  /** What a person should know; and the scope, where the crawl came to its end by itself and knows all that its pages lead to. */
  async *#end(): AsyncGenerator<Extracted, void, void> {
    const { scope } = this.#site;
    yield* this.#harvest.released(this.#entry.max_pages);
    yield* this.#expecting(0);
    for (const notice of [...this.#site.notices, ...this.#beside.notices, ...this.#endNotices()]) yield { notice };
    const { unread, deeper, isOverflowing } = this.#frontier;
    const isCut =
      unread + this.#harvest.deferred > 0 ||
      deeper > 0 ||
      isOverflowing ||
      this.#isDown() ||
      !this.#beside.hasSitemaps ||
      this.#isExhausted();
    if (!scope.isAsked) return;
    const covers = (source: string) => URL.canParse(source) && scope.covers(source) && !this.#frontier.spares(source);
    yield {
      scope: {
        source_kind: 'url',
        covers,
        ...(isCut || this.#harvest.unread !== undefined || !this.#beside.isWhole ? { doubt: this.#doubt() } : {}),
      },
    };
  }

  /** Why there may be more than was found. */
  #doubt(): string {
    const { unread } = this.#harvest;
    return unread === undefined
      ? `the crawl of ${sourceOf(this.#entry.url)} is not whole.`
      : `${unread} could not be read, and may lead there.`;
  }

  *#endNotices(): Generator<string, void, void> {
    const { scope, robots } = this.#site;
    const { max_pages, max_depth, url } = this.#entry;
    const { pages, eclipsed, away } = this.#harvest;
    const [limit, frontier, stopped] = [this.#limit, this.#frontier, this.#gaveOut()];
    const hasLongRules = robots.isExhausted();
    yield* endNotices({
      name: sourceOf(url),
      scope,
      pages,
      max_pages,
      max_depth,
      limit,
      frontier,
      stopped,
      hasLongRules,
      eclipsed,
      away,
      leftOut: this.#leftOut.text,
    });
  }

  /** Why the site was left. */
  #gaveOut(): string | undefined {
    if (this.#harvest.failedInARow >= MOST_FAILED) return `${MOST_FAILED} pages in a row could not be read`;
    return this.#silence.isTooLong ? `nothing could be read for ${LONGEST_SILENCE / 60_000} minutes` : undefined;
  }

  /** Once the links of a level are read: the sitemaps, which name pages of the first one, and the feeds that the level before named. Whether that brought anything. */
  async #refilled(): Promise<boolean> {
    const before = this.#frontier.waiting;
    await this.#beside.read(this.#feeds.splice(0));
    return this.#frontier.waiting > before;
  }
}

const lengthOf = (read: PageRead): number => ('page' in read ? read.page.parsed.text.length : 0);
