import { type CrawlEntry, type CrawlParts, openSite, type OpenSite } from './open-site.ts';
import { Seeds } from './seeds.ts';
import { Frontier, MOST_KNOWN, type Waiting } from './frontier.ts';
import { isUnanswered, PageCollector } from './page-collector.ts';
import { type Reason, SkippedPages } from './skipped-pages.ts';
import type { Extracted } from '../../candidate.ts';
import { urlSource } from '../network.ts';
import { type PageRead, readPage } from '../page.ts';
import { InFlightPages, READ_AT_ONCE, workInOrder } from './in-flight.ts';
import { IdleTimeout, LONGEST_SILENCE } from './time-limits.ts';

/** A crawl that goes no further. */
export interface CrawlEnd {
  /** The address that it was given, as it may be shown. */
  name: string;
  max_pages: number;
  max_depth: number;
  /** Addresses that it reads at most. */
  limit: number;
  /** Why it did not go on, as the end of a sentence: where the site gave out. */
  stopped: string | undefined;
  /** Pages that were asked for, and whose answers nobody waits for any more. */
  underWay: number;
  site: Pick<OpenSite, 'notices'> & { scope: Pick<OpenSite['scope'], 'origin' | 'folder' | 'isAsked' | 'unmatched' | 'isExhausted'> } & {
    robots: Pick<OpenSite['robots'], 'isExhausted'>;
  };
  frontier: Pick<Frontier, 'unread' | 'deeper' | 'traps' | 'isOverflowing'>;
  harvest: Pick<PageCollector, 'pages' | 'deferred' | 'unread' | 'eclipsed' | 'away'>;
  beside: Pick<Seeds, 'hasSitemaps' | 'isWhole' | 'notices'>;
  leftOut: Pick<SkippedPages, 'text'>;
}

/** What a person should know of a crawl that has ended; and why there may be more than it found, as a part of a sentence: absent where it knows all that there is. */
export function endingOf(ended: CrawlEnd): { notices: string[]; doubt?: string } {
  const { site, beside, harvest } = ended;
  const name = `The crawl of ${ended.name}`;
  const gaps = [...gapsIn(ended, name)];
  const told = gaps.filter((gap) => gap !== undefined);
  const notices = [...site.notices, ...beside.notices, ...told, ...remarks(ended, name)];
  if (harvest.unread !== undefined) return { notices, doubt: `${harvest.unread} could not be read, and may lead there.` };
  return gaps.length > 0 ? { notices, doubt: `the crawl of ${ended.name} is incomplete.` } : { notices };
}

/** Each reason why there may be more than was found: what is to be told of it, where nothing else tells it. */
function* gapsIn(ended: CrawlEnd, name: string): Generator<string | undefined, void, void> {
  const { frontier, site, beside } = ended;
  const left = notRead(ended, name);
  if (left !== undefined) yield left;
  if (frontier.deeper > 0)
    yield `${name} ended at max_depth = ${ended.max_depth}: ${counted(frontier.deeper, 'address', 'addresses')} further away ${frontier.deeper === 1 ? 'was' : 'were'} not read.`;
  if (site.robots.isExhausted()) yield `${name} is incomplete: robots.txt has too many rules to check every address.`;
  if (site.scope.isExhausted()) yield `${name} is incomplete: include and exclude take too long to check every address.`;
  if (!beside.hasSitemaps || !beside.isWhole) yield undefined;
}

/** What was left out on purpose. */
function* remarks({ site: { scope }, harvest, frontier, leftOut }: CrawlEnd, name: string): Generator<string, void, void> {
  const { eclipsed, away } = harvest;
  if (leftOut.text !== undefined) yield `${name} left out ${leftOut.text}.`;
  for (const pattern of scope.unmatched()) yield `${name}: include «${pattern}» matches no address that was found.`;
  if (!scope.isAsked)
    yield `${name} was redirected by its start page to ${scope.origin}${scope.folder}. To remove deleted pages, crawl that address itself.`;
  if (eclipsed)
    yield `${name} left out ${counted(eclipsed.count, 'page', 'pages')} that name another page as their address (rel="canonical") but say something else, such as ${eclipsed.first}.`;
  if (away)
    yield `${name} left ${counted(away.count, 'page', 'pages')} as ${away.count === 1 ? 'it is that leads' : 'they are that lead'} out of it, such as ${away.first}.`;
  if (frontier.traps > 0)
    yield `${name} left out ${counted(frontier.traps, 'address', 'addresses')} of the kind that sites generate without end: very long, or with repeating parts.`;
}

/** What was found and did not get its turn. */
function notRead({ frontier, harvest, underWay, stopped, max_pages, limit }: CrawlEnd, name: string): string | undefined {
  const unread = frontier.unread + underWay;
  const { pages, deferred } = harvest;
  const more = frontier.isOverflowing ? 'more than ' : '';
  const left = [
    ...(unread > 0 || deferred === 0
      ? [`${more}${counted(unread, 'further address was', 'further addresses were')} found and not read`]
      : []),
    ...(deferred > 0 ? [`${counted(deferred, 'page was', 'pages were')} read and not stored`] : []),
  ].join(', and ');
  if (stopped !== undefined) return `${name} stopped because ${stopped}: ${left}.`;
  if (unread + deferred > 0 && pages >= max_pages) return `${name} stopped at max_pages = ${max_pages}: ${left}.`;
  if (unread + deferred > 0)
    return `${name} stopped after ${counted(limit, 'address', 'addresses')} that led to ${counted(pages, 'page', 'pages')}: ${left}.`;
  if (frontier.isOverflowing)
    return `${name} is incomplete: it found more than ${MOST_KNOWN.toLocaleString('en')} addresses and ignored further ones.`;
  return undefined;
}

const counted = (count: number, one: string, several: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

/** Requests for each page that is wanted, and a few more: a site whose addresses lead to no pages is left in the end. */
const REQUESTS_PER_PAGE = 3;
const MORE_REQUESTS = 100;
/** Pages that may fail in a row before a site is taken to be down. */
const MOST_FAILED = 20;

/** The pages of a site (contract, section 5): from the start page along the links, sitemaps and feeds, level by level. What fails at one page costs the others nothing. */
export async function* crawl(entry: CrawlEntry, parts: CrawlParts): AsyncGenerator<Extracted, void, void> {
  const name = JSON.stringify({ ...entry, url: urlSource(entry.url) });
  yield { expected: 1 };
  const since = await parts.memory?.begin(name);
  if (since) yield { notice: goesOnNotice(entry, since) };
  const site = await openSite(entry, parts);
  if ('error' in site) yield site.error;
  else yield* new Walk(entry, site, parts).levels();
  await parts.memory?.end(name);
}

const goesOnNotice = ({ url }: CrawlEntry, since: Date): string =>
  `The crawl of ${urlSource(url)} that began on ${since.toISOString().slice(0, 16).replace('T', ' at ')} UTC and was cut off resumes: pages that it has read ` +
  'are not requested again. --force (force) reads them all.';

/** A crawl that has come to its site. */
class Walk {
  readonly #entry: CrawlEntry;
  readonly #site: OpenSite;
  /** Ends what is under way where nobody waits for it any more: that alone, and not what is still to be done with pages that were read. */
  readonly #stop = new AbortController();
  readonly #reading: CrawlParts;
  readonly #frontier: Frontier;
  readonly #harvest: PageCollector;
  readonly #beside: Seeds;
  readonly #leftOut = new SkippedPages();
  readonly #limit: number;
  readonly #silence = new IdleTimeout();
  readonly #underWay = new InFlightPages();
  #feeds: string[] = [];
  /** Pages that the run was told to expect. */
  #told = 1;

  constructor(entry: CrawlEntry, site: OpenSite, parts: CrawlParts) {
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
    this.#frontier = new Frontier({ scope, allows: robots.allows, reader: parts.reader, ...bounds, storedUnder, onLeftOut });
    this.#harvest = new PageCollector({ site, parts, frontier: this.#frontier, leftOut: this.#leftOut });
    const onAddress = (address: string) => this.#frontier.found(address, { isBeside: true });
    this.#beside = new Seeds({ site, onAddress, onForeign: (address) => onLeftOut('foreign', urlSource(address)), signal });
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
    const results = workInOrder({
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

  async *#taken(page: Waiting, read: Parameters<PageCollector['take']>[1]): AsyncGenerator<Extracted, void, void> {
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
      name: urlSource(url),
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
