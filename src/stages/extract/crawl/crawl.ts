import type { Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { readPage, type PageRead } from '../page.ts';
import { arrive, type CrawlEntry, type CrawlParts, type Site } from './arrive.ts';
import { Beside } from './beside.ts';
import { endingOf } from './ending.ts';
import { Frontier, type Waiting } from './frontier.ts';
import { Harvest, isUnanswered } from './harvest.ts';
import { inOrder } from './in-order.ts';
import { LONGEST_SILENCE, Silence } from './silence.ts';
import { LeftOut, type Reason } from './left-out.ts';
import { READ_AT_ONCE, UnderWay } from './under-way.ts';

/** Requests for each page that is wanted, and a few more: a site whose addresses lead to no pages is left in the end. */
const REQUESTS_PER_PAGE = 3;
const MORE_REQUESTS = 100;
/** Pages that may fail in a row before a site is taken to be down. */
const MOST_FAILED = 20;

/** The pages of a site (contract, section 5): from the start page along the links, sitemaps and feeds, level by level. What fails at one page costs the others nothing. */
export async function* crawl(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const name = JSON.stringify({ ...entry, url: sourceOf(entry.url) });
  yield { expected: 1 };
  const since = await parts.memory?.begin(name);
  if (since) yield { notice: goesOnNotice(entry, since) };
  const site = await arrive(entry, parts);
  if ('error' in site) yield site.error;
  else yield* new Walk(entry, site, parts).levels();
  await parts.memory?.end(name);
}

const goesOnNotice = ({ url }: CrawlEntry, since: Date): string =>
  `The crawl of ${sourceOf(url)} that began on ${since.toISOString().slice(0, 16).replace('T', ' at ')} UTC and was cut off goes on: pages that it has read ` +
  'are not asked for again. With --force (force) they are.';

/** A crawl that has come to its site. */
class Walk {
  readonly #entry: CrawlEntry;
  readonly #site: Site;
  /** Ends what is under way where nobody waits for it any more: that alone, and not what is still to be done with pages that were read. */
  readonly #stop = new AbortController();
  readonly #reading: CrawlParts;
  readonly #frontier: Frontier;
  readonly #harvest: Harvest;
  readonly #beside: Beside;
  readonly #leftOut = new LeftOut();
  readonly #limit: number;
  readonly #silence = new Silence();
  readonly #underWay = new UnderWay();
  #feeds: string[] = [];
  /** Pages that the run was told to expect. */
  #told = 1;

  constructor(entry: CrawlEntry, site: Site, parts: CrawlParts) {
    this.#entry = entry;
    this.#site = site;
    this.#reading = { ...parts, signal: parts.signal ? AbortSignal.any([parts.signal, this.#stop.signal]) : this.#stop.signal };
    this.#limit = REQUESTS_PER_PAGE * entry.max_pages + MORE_REQUESTS;
    const { scope, robots } = site;
    const { max_redirects, signal, memory } = parts;
    const { max_depth } = entry;
    const onLeftOut = (reason: Reason, address: string) => this.#leftOut.note(reason, address);
    const storedUnder = (address: string) => memory?.storedUnder(address);
    const bounds = { max_depth, max_redirects, limit: this.#limit };
    this.#frontier = new Frontier({ scope, allows: robots.allows, ...bounds, storedUnder, onLeftOut });
    this.#harvest = new Harvest({ site, parts, frontier: this.#frontier, leftOut: this.#leftOut });
    const onAddress = (address: string) => this.#frontier.found(address, { isBeside: true });
    this.#beside = new Beside({ site, onAddress, onForeign: (address) => onLeftOut('foreign', sourceOf(address)), signal });
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
      room: () => (this.#isOver() ? 0 : this.#underWay.room(this.#entry.max_pages - this.#harvest.pages)),
      at_once: READ_AT_ONCE,
      work: (page: Waiting) => this.#read(page),
      onStop: () => this.#stop.abort(),
    });
    this.#silence.begin();
    for await (const { page, read } of results) {
      this.#underWay.taken(read);
      this.#silence.end(!isUnanswered(read));
      yield* this.#taken(page, read);
      if (this.#isOver()) return;
      this.#silence.begin();
    }
  }

  async #read(page: Waiting): Promise<{ page: Waiting; read: PageRead }> {
    const { options } = this.#site;
    const read = await this.#underWay.read((limits) => readPage(page.url, this.#reading, { ...options, ...limits }));
    return { page, read };
  }

  async *#taken(page: Waiting, read: Parameters<Harvest['take']>[1]): AsyncGenerator<Extracted, void, void> {
    const made = await this.#harvest.take(page, read);
    yield* this.#expecting(this.#frontier.waiting + this.#underWay.count + this.#harvest.deferred);
    if (made) yield made;
  }

  /** Tells how many pages are coming in all, where so many may. */
  *#expecting(open: number): Generator<Extracted, void, void> {
    const { pages, failed } = this.#harvest;
    const coming = failed + Math.min(pages + open, this.#entry.max_pages);
    if (coming !== this.#told) yield { expected: coming - this.#told };
    this.#told = coming;
  }

  #isOver = (): boolean => this.#harvest.pages >= this.#entry.max_pages || this.#gaveOut() !== undefined;

  /** What a person should know; and the scope, with the reason why there may be more in it than was found. */
  async *#end(): AsyncGenerator<Extracted, void, void> {
    const { url, max_pages, max_depth } = this.#entry;
    const { scope } = this.#site;
    const stopped = this.#gaveOut();
    yield* this.#harvest.released({ max_pages, asks: stopped === undefined });
    yield* this.#expecting(0);
    const { notices, doubt } = endingOf({
      name: sourceOf(url),
      max_pages,
      max_depth,
      limit: this.#limit,
      stopped,
      underWay: this.#underWay.count,
      site: this.#site,
      frontier: this.#frontier,
      harvest: this.#harvest,
      beside: this.#beside,
      leftOut: this.#leftOut,
    });
    for (const notice of notices) yield { notice };
    if (scope.isAsked) yield { scope: { source_kind: 'url', covers: this.#covers, ...(doubt === undefined ? {} : { doubt }) } };
  }

  /** Whether a stored source that was not met is gone, where the crawl is whole. */
  #covers = (source: string): boolean => {
    if (!URL.canParse(source)) return false;
    const found = this.#site.scope.asFound(source);
    return this.#site.scope.covers(found) && !this.#frontier.spares(found);
  };

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
