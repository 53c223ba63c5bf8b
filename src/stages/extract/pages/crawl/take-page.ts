import type { RememberedPage } from '../page-memory-file.ts';
import type { LoadedPage, PageRead, Redirect } from '../page.ts';
import { type Frontier, type Waiting, noteSkipped, type SkippedPages } from './frontier.ts';
import { KbError } from '../../../../core/errors.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource, isOtherKind, isTrap, keyOf, normalized } from '../web-addresses.ts';
import { failedPage, feedIn, isPageGone, knownOf, pageCandidate, redirectLoop, unchangedCandidate } from '../page-candidate.ts';
import type { CrawlEntry, CrawlParts, OpenSite } from './open-site.ts';

/** A page that was read, with its place in the crawl. */
export interface PlacedRead {
  page: Waiting;
  known: RememberedPage;
  /** Its source: the address that it names as its own, or the one that it was found at. */
  place: string;
  /** As it was read; absent where it is as it was remembered, or would take too much space: then it is read again. */
  loaded?: LoadedPage | undefined;
}

/** Pages of a kind that a person should know about: the first, and how many. */
interface Counted {
  first: string;
  count: number;
}

/** A running crawl: what it works with, and what it has found so far. */
export interface Crawl {
  readonly entry: CrawlEntry;
  readonly site: OpenSite;
  readonly parts: CrawlParts;
  readonly frontier: Frontier;
  /** Addresses that it reads at most. */
  readonly limit: number;
  readonly skipped: SkippedPages;
  /** Lets others have their turn. */
  yieldIfBusy(): Promise<void>;
  /** Pages that the run was told to expect. */
  told: number;
  /** Documents. */
  pages: number;
  failed: number;
  /** Pages that failed one after another, though they may be there. */
  failed_in_a_row: number;
  /** Milliseconds that were waited for the site since its last answer. */
  silence: number;
  /** Pages that are asked for, or read and wait for those before them; and the characters of the latter. */
  under_way: number;
  held: number;
  /** Pages that name another address as their own, of which it is not known yet what stands there; and the characters that are kept of them. */
  readonly deferred: PlacedRead[];
  kept: number;
  /** Sources of the documents, by their content hash. */
  readonly sources: Map<string, string>;
  /** Hashes of what the pages of these documents said before, by what they say: absent where that is not known. */
  readonly before: Map<string, string>;
  /** Keys of the addresses at which a page stands that names no other. */
  readonly owned: Set<string>;
  /** The first page that could not be read and may lead to others, as it may be shown: without one, all that the pages lead to is known. */
  unread?: string;
  /** Pages that name another one as their own address although they say something else than it. */
  eclipsed?: Counted;
  /** Pages whose canonical address is outside of this crawl. */
  away?: Counted;
  /** Feeds that pages have named and that are not due yet, those of the level before, and how many more may be read. */
  readonly feeds: { named: string[]; due: string[]; left: number };
  has_sitemaps: boolean;
  /** Whether all sitemaps and feeds could be read. */
  is_whole: boolean;
  /** Notices about these pages, and about the site. */
  readonly notices: string[];
}

/**
 * Processes a page that was read; returns the item to yield, if any. Each page becomes a document once, wherever it is found, and its links
 * are queued.
 */
export async function takePage(page: Waiting, read: PageRead, crawl: Crawl): Promise<Extracted | undefined> {
  if ('failed' in read) return takeFailure(page, read, crawl);
  if ('redirect' in read) return takeRedirect(page, read, crawl);
  crawl.failed_in_a_row = 0;
  const { parts, site, frontier, skipped } = crawl;
  if ('unreadable' in read) {
    await stays(page, crawl);
    return noteSkipped(skipped, 'other', urlSource(page.url));
  }
  const loaded = 'page' in read ? read.page : undefined;
  const known = 'page' in read ? knownOf(read.page, parts) : read.unchanged;
  await follow([...known.links, ...linksBefore(page, known, crawl)], known.found, crawl);
  if (known.isPassedOver) noteSkipped(skipped, 'passed_over', known.found);
  if (known.isPassedOver || !site.scope.covers(known.found)) return leave(page, known, crawl);
  const place = placeOf(known, crawl);
  if (keyOf(place) === keyOf(ownPlace(known))) {
    crawl.owned.add(keyOf(place));
    return keep({ page, known, place, loaded }, crawl);
  }
  frontier.found(place, { isBeside: true, from: known.found });
  return void deferPage({ page, known, place, loaded }, crawl);
}

/** Where a page led that says now what another one says, when it said something else. */
function linksBefore({ url }: Waiting, { content_hash }: RememberedPage, { sources, parts }: Crawl): readonly string[] {
  const before = sources.has(content_hash) ? parts.memory?.recall(urlSource(url)) : undefined;
  return before && before.content_hash !== content_hash ? before.links : [];
}

/** `from`: the page that they stand on. */
async function follow(links: readonly string[], from: string, { frontier, feeds, yieldIfBusy }: Crawl): Promise<void> {
  for (const link of links) {
    await yieldIfBusy();
    const feed = feedIn(link);
    if (feed !== undefined) feeds.named.push(feed);
    else frontier.found(link, { from });
  }
}

/** What a page is stored under: its canonical address if that lies in the scope, else its own. A site whose pages all name the start page is not believed. */
function placeOf(known: RememberedPage, { site: { scope, robots }, parts: { reader } }: Crawl): string {
  const { found, canonical } = known;
  const isBelieved =
    canonical !== undefined &&
    scope.covers(canonical) &&
    !isTrap(canonical) &&
    !isOtherKind(canonical, reader) &&
    robots.allows(canonical) &&
    (new URL(canonical).pathname !== '/' || new URL(found).pathname === '/');
  return isBelieved ? canonical : ownPlace(known);
}

/** What a page is stored under whatever it names. */
const ownPlace = ({ found }: RememberedPage): string => urlSource(normalized(found) ?? found);

/** Characters of deferred pages that are kept as they were read. */
const MOST_KEPT = 20_000_000;

const lengthOf = ({ loaded }: Pick<PlacedRead, 'loaded'>): number => loaded?.parsed.text.length ?? 0;

/** Puts a page off until everything is read; without what was read where too much is kept. */
export function deferPage(placed: PlacedRead, crawl: Pick<Crawl, 'deferred' | 'kept'>): void {
  const loaded = crawl.kept > MOST_KEPT ? undefined : placed.loaded;
  crawl.kept += lengthOf({ loaded });
  crawl.deferred.push({ ...placed, loaded });
}

/** The page that was put off first. */
export function takeDeferred(crawl: Pick<Crawl, 'deferred' | 'kept'>): PlacedRead {
  const placed = crawl.deferred.shift()!;
  crawl.kept -= lengthOf(placed);
  return placed;
}

/**
 * The pages that name another address as their own, once everything is read: where that is a page's own, they are that page. Where it is not, they are kept under
 * the address that they were found at. What is more than `max_pages` documents in all is left, and where the site is asked for nothing more (`asks`), so is what would have to be.
 */
export async function* releaseDeferred(crawl: Crawl, { asks }: { asks: boolean }): AsyncGenerator<Extracted, void, void> {
  for (let open = crawl.deferred.length; open > 0 && crawl.pages < crawl.entry.max_pages; open--) {
    const placed = takeDeferred(crawl);
    const { page, known, place, loaded } = placed;
    if (crawl.owned.has(keyOf(place)) && !crawl.sources.has(known.content_hash)) {
      crawl.eclipsed = counted(crawl.eclipsed, known.found);
      await leave(page, known, crawl);
    } else if (asks || loaded) {
      const kept = await keep({ ...placed, place: ownPlace(known) }, crawl);
      if (kept) yield kept;
    } else deferPage(placed, crawl);
  }
}

/** A document, unless it is one already: under the same address, or with the same content under another. */
async function keep(placed: PlacedRead, crawl: Crawl): Promise<Extracted | undefined> {
  const { page, known, place, loaded } = placed;
  const { site, parts, frontier, skipped, sources } = crawl;
  const { url, depth } = page;
  const source = sources.get(known.content_hash) ?? place;
  const before = parts.memory?.recall(urlSource(url));
  if (source !== place && isAlikeAllAtOnce(before, placed, crawl)) {
    frontier.spare(page);
    if (before) await parts.memory?.remember(urlSource(url), { ...before, alike: known.content_hash });
    return noteSkipped(skipped, 'alike', known.found);
  }
  const isStored = parts.stored.has(source);
  await parts.memory?.remember(urlSource(url), { ...known, source, alike: undefined });
  if (isStored) return noteSkipped(skipped, 'same', known.found);
  crawl.pages++;
  parts.stored.add(source);
  sources.set(known.content_hash, source);
  if (before && !before.isFresh) crawl.before.set(known.content_hash, before.content_hash);
  if (loaded) return { candidate: pageCandidate(loaded, { source, depth }, parts.settings) };
  return { candidate: unchangedCandidate(known, { url, source, depth }, { parts, options: site.options }) };
}

/**
 * Whether what is stored under a page's own address is not what it says now, and the page that says so, too, has changed with it, though they were not one before: the
 * site may be down, or want a login, and say so with every page. What is stored stays then, and is remembered.
 */
function isAlikeAllAtOnce(
  remembered: RememberedPage | undefined,
  { page: { url }, known: { content_hash }, place }: PlacedRead,
  { parts: { memory }, before }: Crawl,
): boolean {
  if (memory?.storedUnder(urlSource(url)) !== place || remembered?.content_hash === content_hash) return false;
  const other = before.get(content_hash);
  return remembered?.alike === content_hash || other === undefined || (other !== content_hash && other !== remembered?.content_hash);
}

/** A page that becomes no document, which is worth knowing the next time. */
async function leave({ url }: Waiting, known: RememberedPage, { parts: { memory } }: Crawl): Promise<undefined> {
  await memory?.remember(urlSource(url), { ...known, source: undefined });
}

async function takeRedirect(page: Waiting, { redirect, isLasting }: Redirect, crawl: Crawl): Promise<Extracted | undefined> {
  const { frontier, parts } = crawl;
  const way = frontier.moved(page, redirect);
  if (way === 'circle')
    return takeFailure(page, { failed: redirectLoop(page.trail[0] ?? page.url, parts.max_redirects), stage: 'crawl' }, crawl);
  crawl.failed_in_a_row = 0;
  if (way === 'left') {
    crawl.away = counted(crawl.away, urlSource(page.url));
    await stays(page, crawl);
  } else if (!isLasting) frontier.spare(page);
  return undefined;
}

/** Keeps what is stored and known of a page that exists, but gives no document this time. */
async function stays(page: Waiting, crawl: Crawl): Promise<RememberedPage | undefined> {
  crawl.frontier.spare(page);
  const key = urlSource(page.url);
  const known = crawl.parts.memory?.recall(key);
  if (known) await follow(known.links, key, crawl);
  return known;
}

async function takeFailure(page: Waiting, read: Extract<PageRead, { failed: unknown }>, crawl: Crawl): Promise<Extracted> {
  const { memory, reader } = crawl.parts;
  const { failed, stage, file_type } = read;
  const key = urlSource(page.url);
  const wasGone = isPageGone(failed);
  crawl.failed++;
  crawl.failed_in_a_row = isUnanswered(read) ? crawl.failed_in_a_row + 1 : 0;
  const known = wasGone ? undefined : await stays(page, crawl);
  const stored_as = wasGone ? undefined : memory?.storedUnder(key);
  if (wasGone) await memory?.forget(key);
  const hasLinks = file_type === undefined || file_type === reader.page.file_type;
  if (!known && hasLinks && !wasGone) crawl.unread ??= key;
  return failedPage(failed, page.url, { stage: stage === 'fetch' ? 'crawl' : stage, stored_as, from: page.from });
}

const counted = (before: Counted | undefined, first: string): Counted => ({ first, ...before, count: (before?.count ?? 0) + 1 });

/** Whether the whole site may have failed to answer: one that refuses this page (401, 403, 404) has answered. */
const isUnanswered = (read: PageRead): boolean =>
  'failed' in read && read.stage !== 'convert' && (!(read.failed instanceof KbError) || read.failed.code === 'unavailable');

/** Milliseconds without an answer, once `read` was `waited` for: what is done with pages in between does not count. */
export const silenceAfter = (silence: number, read: PageRead, waited: number): number => (isUnanswered(read) ? silence + waited : 0);
