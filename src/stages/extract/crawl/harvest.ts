import { breathing } from '../../../base/breath.ts';
import { KbError } from '../../../base/errors.ts';
import type { Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { failedPage, isGone, knownOf, pageCandidate, unchangedCandidate } from '../page-candidate.ts';
import type { RememberedPage } from '../page-memory.ts';
import type { LoadedPage, PageRead, Redirect } from '../page.ts';
import { keyOf } from './address.ts';
import type { CrawlParts, Site } from './arrive.ts';
import { circle, type Frontier, type Waiting } from './frontier.ts';
import type { LeftOut } from './left-out.ts';
import { feedIn, ownPlace, placeOf } from './onward.ts';

export interface HarvestOptions {
  site: Site;
  parts: CrawlParts;
  frontier: Frontier;
  leftOut: LeftOut;
}

type Failed = Extract<PageRead, { failed: unknown }>;

/** A page that names another address as its own, of which it is not known yet what stands there. */
interface Deferred {
  page: Waiting;
  known: RememberedPage;
  place: string;
}

/** Pages of a kind that a person should know about: the first, and how many. */
export interface Counted {
  first: string;
  count: number;
}

/** What becomes of the pages of a crawl that were read: each is a document once, wherever it is found, and what it links to is found. */
export class Harvest {
  readonly #options: HarvestOptions;
  /** What the documents are stored under, by what they say. */
  readonly #sources = new Map<string, string>();
  /** Keys of the addresses at which a page stands that names no other. */
  readonly #owned = new Set<string>();
  readonly #deferred: Deferred[] = [];
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
  /** Pages that are told to be, for now, where this crawl does not go. */
  away: Counted | undefined;
  /** Feeds that were named and not read yet. */
  feeds: string[] = [];

  constructor(options: HarvestOptions) {
    this.#options = options;
    this.#breathe = breathing(options.parts.signal);
  }

  /** Pages that are read and wait for what stands at the addresses that they name. */
  get deferred(): number {
    return this.#deferred.length;
  }

  /** Takes in what came of a page: what is to be told of it, if anything. */
  async take(page: Waiting, read: PageRead): Promise<Extracted | undefined> {
    if ('failed' in read) return this.#fail(page, read);
    if ('redirect' in read) return this.#move(page, read);
    this.failedInARow = 0;
    const { parts, site, frontier, leftOut } = this.#options;
    if ('unreadable' in read) return void leftOut.note('other', sourceOf(page.url));
    const known = 'page' in read ? knownOf(read.page, parts) : read.unchanged;
    await this.#follow(known.links, known.found);
    if (known.isPassedOver) leftOut.note('passed_over', known.found);
    if (known.isPassedOver || !site.scope.covers(known.found)) return this.#leave(page, known);
    const place = placeOf(known, site);
    if (keyOf(place) === keyOf(ownPlace(known))) {
      this.#owned.add(keyOf(place));
      return this.#keep({ page, known, place }, 'page' in read ? read.page : undefined);
    }
    frontier.found(place, { isBeside: true });
    this.#deferred.push({ page, known, place });
    return undefined;
  }

  /**
   * The pages that name another address as their own, once everything is read: where that is a page's own, they are that page. Where it is not, they are kept under
   * the address that they were found at. What is more than so many documents in all is left.
   */
  async *released(max_pages: number): AsyncGenerator<Extracted, void, void> {
    while (this.#deferred.length > 0 && this.pages < max_pages) {
      const { page, known, place } = this.#deferred.shift()!;
      if (this.#owned.has(keyOf(place)) && !this.#sources.has(known.content_hash)) {
        this.eclipsed = counted(this.eclipsed, known.found);
        await this.#leave(page, known);
        continue;
      }
      const kept = await this.#keep({ page, known, place: ownPlace(known) });
      if (kept) yield kept;
    }
  }

  /** A document, unless it is one already: under the same address, or with the same content under another. */
  async #keep({ page: { url, depth }, known, place }: Deferred, loaded?: LoadedPage): Promise<Extracted | undefined> {
    const { site, parts, leftOut } = this.#options;
    const source = this.#sources.get(known.content_hash) ?? place;
    const isNew = !parts.stored.has(source);
    await parts.memory?.remember(sourceOf(url), { ...known, source });
    if (!isNew) return void leftOut.note('same', known.found);
    this.pages++;
    parts.stored.add(source);
    this.#sources.set(known.content_hash, source);
    if (loaded) return { candidate: pageCandidate(loaded, { source, depth }, parts.settings) };
    return { candidate: unchangedCandidate(known, { url, source, depth }, { parts, options: site.options }) };
  }

  /** A page that becomes no document, which is worth knowing the next time. */
  async #leave({ url }: Waiting, known: RememberedPage): Promise<undefined> {
    await this.#options.parts.memory?.remember(sourceOf(url), { ...known, source: undefined });
  }

  async #move(page: Waiting, { redirect, isLasting }: Redirect): Promise<Extracted | undefined> {
    const { frontier, leftOut } = this.#options;
    const way = frontier.moved(page, redirect);
    if (way === 'circle') return this.#fail(page, { failed: circle(page.trail[0] ?? page.url), stage: 'crawl' });
    this.failedInARow = 0;
    if (isLasting && way === 'left') leftOut.note('elsewhere', sourceOf(page.url));
    if (isLasting) return undefined;
    frontier.spare(page);
    if (way === 'left') this.away = counted(this.away, sourceOf(page.url));
    return undefined;
  }

  async #fail(page: Waiting, { failed, stage, file_type }: Failed): Promise<Extracted> {
    const { parts, frontier } = this.#options;
    const { memory, reader } = parts;
    const key = sourceOf(page.url);
    const wasGone = isGone(failed);
    this.failed++;
    this.failedInARow = stage !== 'convert' && isDown(failed) ? this.failedInARow + 1 : 0;
    if (!wasGone) frontier.spare(page);
    const known = wasGone ? undefined : memory?.recall(key);
    const stored_as = wasGone ? undefined : memory?.storedUnder(key);
    if (wasGone) await memory?.forget(key);
    if (known) await this.#follow(known.links, key);
    const hasLinks = file_type === undefined || file_type === reader.fileType('page.html');
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

/** Whether a failure may be that of the whole site: an answer that refuses this page (401, 403, 404) is none. */
const isDown = (failed: unknown): boolean => !(failed instanceof KbError) || failed.code === 'unavailable';
