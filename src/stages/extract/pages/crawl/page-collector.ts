import type { LoadedPage, PageRead, Redirect } from '../page.ts';
import type { RememberedPage } from '../page-memory.ts';
import { circle, type Frontier, type Waiting } from './frontier.ts';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import { KbError } from '../../../../core/errors.ts';
import type { Extracted } from '../../candidate.ts';
import { urlSource } from '../network.ts';
import { failedPage, isPageGone, knownOf, pageCandidate, unchangedCandidate } from '../page-candidate.ts';
import { keyOf } from './page-address.ts';
import type { CrawlParts, OpenSite } from './open-site.ts';
import type { SkippedPages } from './skipped-pages.ts';
import { addressSource, feedIn, pageSource } from './outlinks.ts';

/** A page and where it belongs. */
export interface QueuedPage {
  page: Waiting;
  known: RememberedPage;
  /** What it is stored under: the address that it names as its own, or the one that it was found at. */
  place: string;
  /** As it was read; absent where it is as it was remembered, or would take too much space: then it is read again. */
  loaded?: LoadedPage | undefined;
}

/** Characters of pages that are kept as they were read. */
const MOST_KEPT = 20_000_000;

/** Pages that name another address as their own, of which it is not known yet what stands there: first come, first served. */
export class RetryQueue {
  readonly #pages: QueuedPage[] = [];
  #kept = 0;

  get count(): number {
    return this.#pages.length;
  }

  add(placed: QueuedPage): void {
    const loaded = this.#kept > MOST_KEPT ? undefined : placed.loaded;
    this.#kept += loaded?.parsed.text.length ?? 0;
    this.#pages.push({ ...placed, loaded });
  }

  take(): QueuedPage {
    const placed = this.#pages.shift()!;
    this.#kept -= placed.loaded?.parsed.text.length ?? 0;
    return placed;
  }
}

interface PageCollectorOptions {
  site: OpenSite;
  parts: CrawlParts;
  frontier: Frontier;
  leftOut: SkippedPages;
}

type Failed = Extract<PageRead, { failed: unknown }>;

/** Pages of a kind that a person should know about: the first, and how many. */
interface Counted {
  first: string;
  count: number;
}

/** What becomes of the pages of a crawl that were read: each is a document once, wherever it is found, and what it links to is found. */
export class PageCollector {
  readonly #options: PageCollectorOptions;
  /** What the documents are stored under, by what they say. */
  readonly #sources = new Map<string, string>();
  /** Hashes of what the pages of these documents said before, by what they say: absent where that is not known. */
  readonly #before = new Map<string, string>();
  /** Keys of the addresses at which a page stands that names no other. */
  readonly #owned = new Set<string>();
  readonly #deferred = new RetryQueue();
  readonly #breathe: () => Promise<void>;
  /** Documents. */
  pages = 0;
  failed = 0;
  /** Pages that failed one after another, though they may be there. */
  failedInARow = 0;
  /** The first page that could not be read and may lead to others, as it may be shown: without one, all that the pages lead to is known. */
  unread: string | undefined;
  /** Pages that name another one as their own address although they say something else than it. */
  eclipsed: Counted | undefined;
  /** Pages that are told to be where this crawl does not go. */
  away: Counted | undefined;
  /** Feeds that were named and not read yet. */
  feeds: string[] = [];

  constructor(options: PageCollectorOptions) {
    this.#options = options;
    this.#breathe = yieldToEventLoop(options.parts.signal);
  }

  /** Pages that are read and wait for what stands at the addresses that they name. */
  get deferred(): number {
    return this.#deferred.count;
  }

  /** Takes in what came of a page: what is to be told of it, if anything. */
  async take(page: Waiting, read: PageRead): Promise<Extracted | undefined> {
    if ('failed' in read) return this.#fail(page, read);
    if ('redirect' in read) return this.#move(page, read);
    this.failedInARow = 0;
    const { parts, site, frontier, leftOut } = this.#options;
    if ('unreadable' in read) {
      await this.#stays(page);
      return void leftOut.note('other', urlSource(page.url));
    }
    const loaded = 'page' in read ? read.page : undefined;
    const known = 'page' in read ? knownOf(read.page, parts) : read.unchanged;
    await this.#follow([...known.links, ...this.#linksBefore(page, known)], known.found);
    if (known.isPassedOver) leftOut.note('passed_over', known.found);
    if (known.isPassedOver || !site.scope.covers(known.found)) return this.#leave(page, known);
    const place = pageSource(known, { ...site, reader: parts.reader });
    if (keyOf(place) === keyOf(addressSource(known))) {
      this.#owned.add(keyOf(place));
      return this.#keep({ page, known, place, loaded });
    }
    frontier.found(place, { isBeside: true, from: known.found });
    this.#deferred.add({ page, known, place, loaded });
    return undefined;
  }

  /** Where a page led that says now what another one says, when it said something else. */
  #linksBefore({ url }: Waiting, { content_hash }: RememberedPage): readonly string[] {
    const before = this.#sources.has(content_hash) ? this.#options.parts.memory?.recall(urlSource(url)) : undefined;
    return before && before.content_hash !== content_hash ? before.links : [];
  }

  /**
   * The pages that name another address as their own, once everything is read: where that is a page's own, they are that page. Where it is not, they are kept under
   * the address that they were found at. What is more than so many documents in all is left, and where the site is asked for nothing more, so is what would have to be.
   */
  async *released({ max_pages, asks }: { max_pages: number; asks: boolean }): AsyncGenerator<Extracted, void, void> {
    for (let open = this.#deferred.count; open > 0 && this.pages < max_pages; open--) {
      const placed = this.#deferred.take();
      const { page, known, place, loaded } = placed;
      if (this.#owned.has(keyOf(place)) && !this.#sources.has(known.content_hash)) {
        this.eclipsed = counted(this.eclipsed, known.found);
        await this.#leave(page, known);
      } else if (asks || loaded) {
        const kept = await this.#keep({ ...placed, place: addressSource(known) });
        if (kept) yield kept;
      } else this.#deferred.add(placed);
    }
  }

  /** A document, unless it is one already: under the same address, or with the same content under another. */
  async #keep({ page, known, place, loaded }: QueuedPage): Promise<Extracted | undefined> {
    const { site, parts, frontier, leftOut } = this.#options;
    const { url, depth } = page;
    const source = this.#sources.get(known.content_hash) ?? place;
    const isNew = !parts.stored.has(source);
    const before = parts.memory?.recall(urlSource(url));
    if (source !== place && this.#isAlikeAllAtOnce(before, { page, known, place })) {
      frontier.spare(page);
      if (before) await parts.memory?.remember(urlSource(url), { ...before, alike: known.content_hash });
      return void leftOut.note('alike', known.found);
    }
    await parts.memory?.remember(urlSource(url), { ...known, source, alike: undefined });
    if (!isNew) return void leftOut.note('same', known.found);
    this.pages++;
    parts.stored.add(source);
    this.#sources.set(known.content_hash, source);
    if (before && !before.isFresh) this.#before.set(known.content_hash, before.content_hash);
    if (loaded) return { candidate: pageCandidate(loaded, { source, depth }, parts.settings) };
    return { candidate: unchangedCandidate(known, { url, source, depth }, { parts, options: site.options }) };
  }

  /**
   * Whether what is stored under a page's own address is not what it says now, and the page that says so, too, has changed with it, though they were not one before: the
   * site may be down, or want a login, and say so with every page. What is stored stays then, and is remembered.
   */
  #isAlikeAllAtOnce(before: RememberedPage | undefined, { page: { url }, known: { content_hash }, place }: QueuedPage): boolean {
    if (this.#options.parts.memory?.storedUnder(urlSource(url)) !== place || before?.content_hash === content_hash) return false;
    const other = this.#before.get(content_hash);
    return before?.alike === content_hash || other === undefined || (other !== content_hash && other !== before?.content_hash);
  }

  /** A page that becomes no document, which is worth knowing the next time. */
  async #leave({ url }: Waiting, known: RememberedPage): Promise<undefined> {
    await this.#options.parts.memory?.remember(urlSource(url), { ...known, source: undefined });
  }

  async #move(page: Waiting, { redirect, isLasting }: Redirect): Promise<Extracted | undefined> {
    const { frontier, parts } = this.#options;
    const way = frontier.moved(page, redirect);
    if (way === 'circle') {
      const failed = circle(page.trail[0] ?? page.url, parts.max_redirects);
      return this.#fail(page, { failed, stage: 'crawl' });
    }
    this.failedInARow = 0;
    if (way === 'left') {
      this.away = counted(this.away, urlSource(page.url));
      await this.#stays(page);
    } else if (!isLasting) frontier.spare(page);
    return undefined;
  }

  /** A page that is there, though nothing comes of it this time, stays as it is stored and leads where it did. What is known of it. */
  async #stays(page: Waiting): Promise<RememberedPage | undefined> {
    const { parts, frontier } = this.#options;
    frontier.spare(page);
    const key = urlSource(page.url);
    const known = parts.memory?.recall(key);
    if (known) await this.#follow(known.links, key);
    return known;
  }

  async #fail(page: Waiting, read: Failed): Promise<Extracted> {
    const { memory, reader } = this.#options.parts;
    const { failed, stage, file_type } = read;
    const key = urlSource(page.url);
    const wasGone = isPageGone(failed);
    this.failed++;
    this.failedInARow = isUnanswered(read) ? this.failedInARow + 1 : 0;
    const known = wasGone ? undefined : await this.#stays(page);
    const stored_as = wasGone ? undefined : memory?.storedUnder(key);
    if (wasGone) await memory?.forget(key);
    const hasLinks = file_type === undefined || file_type === reader.page.file_type;
    if (!known && hasLinks && !wasGone) this.unread ??= key;
    return failedPage(failed, page.url, { stage: stage === 'fetch' ? 'crawl' : stage, stored_as, from: page.from });
  }

  /** `from`: the page that they stand on. */
  async #follow(links: readonly string[], from: string): Promise<void> {
    for (const link of links) {
      await this.#breathe();
      const feed = feedIn(link);
      if (feed !== undefined) this.feeds.push(feed);
      else this.#options.frontier.found(link, { from });
    }
  }
}

const counted = (before: Counted | undefined, first: string): Counted => ({ first, ...before, count: (before?.count ?? 0) + 1 });

/** Whether the whole site may have failed to answer: one that refuses this page (401, 403, 404) has answered. */
export const isUnanswered = (read: PageRead): boolean =>
  'failed' in read && read.stage !== 'convert' && (!(read.failed instanceof KbError) || read.failed.code === 'unavailable');
