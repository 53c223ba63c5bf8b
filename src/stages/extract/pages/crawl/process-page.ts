import type { RememberedPage } from '../page-memory.ts';
import type { LoadedPage, PageRead, Redirect } from '../page.ts';
import { type Frontier, type QueuedPage, noteSkipped, type SkippedPages } from './frontier.ts';
import { KbError } from '../../../../core/errors.ts';
import type { Extracted } from '../../extract.ts';
import { urlSource, hasTextlessExtension, isTrap, addressKey, normalizeAddress } from '../web-addresses.ts';
import {
  failedPageItem,
  isPageGone,
  ownRoutes,
  rememberedPage,
  pageCandidate,
  redirectLoopError,
  unchangedCandidate,
} from '../page-candidate.ts';
import type { CrawlEntry, CrawlParts, OpenSite } from './open-site.ts';
import type { Stage } from '../../../../schema/items.ts';

/** A page that was read, with its queue entry and its source. */
export interface CrawledPage {
  page: QueuedPage;
  known: RememberedPage;
  /** Its canonical address, or the address at which it was found. */
  source: string;
  /** Absent if the page is unchanged or too large to keep; then it is read again. */
  loaded?: LoadedPage | undefined;
}

/** The first page of a kind, which a notice names, and their number. */
interface Counted {
  first: string;
  count: number;
}

/** A running crawl: its dependencies and its state. */
export interface Crawl {
  readonly entry: CrawlEntry;
  readonly site: OpenSite;
  readonly parts: CrawlParts;
  readonly frontier: Frontier;
  /** Maximum addresses that are read. */
  readonly limit: number;
  readonly skipped: SkippedPages;
  yieldIfBusy(): Promise<void>;
  /** Number of documents and failures reported as expected. */
  expected: number;
  /** Number of documents. */
  pages: number;
  failed: number;
  /** Consecutive failures of pages that may exist. */
  failed_in_a_row: number;
  /** Milliseconds of waiting for the site since its last answer. */
  silence: number;
  /** Number of pages that are requested or read and not processed. */
  in_flight: number;
  /** Characters of pages that are read and not processed. */
  buffered: number;
  /** Pages whose canonical address may not have been read yet. */
  readonly deferred: CrawledPage[];
  /** Characters of deferred pages that are kept in memory. */
  kept: number;
  /** Sources of the documents by content hash. */
  readonly sources: Map<string, string>;
  /** Keys of pages that are stored under their own address. */
  readonly owned: Set<string>;
  /** Pages that turned out to be login pages. */
  logins: number;
  /** Pages with a canonical address whose content is different. */
  contradicted?: Counted;
  /** Pages that redirect out of the scope. */
  redirected?: Counted;
  has_sitemaps: boolean;
  /** Whether all sitemaps could be read. */
  has_complete_seeds: boolean;
  readonly notices: string[];
}

/** Processes a page that was read, and queues its links. Returns the item to yield, if any: each page becomes a document once. */
export async function processPage(page: QueuedPage, read: PageRead, crawl: Crawl): Promise<Extracted | undefined> {
  if ('failed' in read) return recordFailure(page, read, crawl);
  if ('redirect' in read) return recordRedirect(page, read, crawl);
  crawl.failed_in_a_row = 0;
  const { parts, site, frontier, skipped } = crawl;
  if ('unreadable' in read) {
    frontier.miss(page);
    return noteSkipped(skipped, 'other', urlSource(page.url));
  }
  const loaded = 'page' in read ? read.page : undefined;
  const known = 'page' in read ? rememberedPage(read.page, parts) : read.unchanged;
  for (const action of loaded?.parsed.page?.actions ?? []) noteSkipped(skipped, 'harmful', urlSource(action));
  if (loaded && !loaded.isRendered) for (const route of ownRoutes(loaded)) noteSkipped(skipped, 'routes', urlSource(route));
  await queueLinks(known.links, known.found, crawl);
  if (known.isPassedOver) noteSkipped(skipped, 'passed_over', known.found);
  if (known.isPassedOver || !site.scope.covers(known.found)) return rememberWithoutSource(page, known, crawl);
  const source = sourceOf(known, crawl);
  if (addressKey(source) === addressKey(ownSource(known))) {
    crawl.owned.add(addressKey(source));
    return storePage({ page, known, source, loaded }, crawl);
  }
  frontier.add(source, { isSameLevel: true, from: known.found });
  return void deferPage({ page, known, source, loaded }, crawl);
}

async function queueLinks(links: readonly string[], from: string, { frontier, yieldIfBusy }: Crawl): Promise<void> {
  for (const link of links) {
    await yieldIfBusy();
    frontier.add(link, { from });
  }
}

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

const lengthOf = ({ loaded }: Pick<CrawledPage, 'loaded'>): number => loaded?.parsed.text.length ?? 0;

/** Defers a page until everything is read; drops its content if too much is kept. */
export function deferPage(placed: CrawledPage, crawl: Pick<Crawl, 'deferred' | 'kept'>): void {
  const loaded = crawl.kept > MAX_KEPT_CHARACTERS ? undefined : placed.loaded;
  crawl.kept += lengthOf({ loaded });
  crawl.deferred.push({ ...placed, loaded });
}

/** Takes the page that was deferred first. */
export function nextDeferred(crawl: Pick<Crawl, 'deferred' | 'kept'>): CrawledPage {
  const placed = crawl.deferred.shift()!;
  crawl.kept -= lengthOf(placed);
  return placed;
}

/**
 * Processes the deferred pages once everything is read. A page is left out if another document has its canonical address, else stored under its own
 * address. It stays deferred beyond `max_pages`, or if it would have to be read again and `mayRequest` is false.
 */
export async function* resolveDeferred(crawl: Crawl, { mayRequest }: { mayRequest: boolean }): AsyncGenerator<Extracted, void, void> {
  for (let open = crawl.deferred.length; open > 0 && crawl.pages < crawl.entry.max_pages; open--) {
    const placed = nextDeferred(crawl);
    const { page, known, source, loaded } = placed;
    if (crawl.owned.has(addressKey(source)) && !crawl.sources.has(known.content_hash)) {
      crawl.contradicted = addToCount(crawl.contradicted, known.found);
      await rememberWithoutSource(page, known, crawl);
    } else if (mayRequest || loaded) {
      const stored = await storePage({ ...placed, source: ownSource(known) }, crawl);
      if (stored) yield stored;
    } else deferPage(placed, crawl);
  }
}

/** Makes a document of a page, unless there is one with the same address or content. */
async function storePage(placed: CrawledPage, crawl: Crawl): Promise<Extracted | undefined> {
  const { page, known, source: own, loaded } = placed;
  const { site, parts, skipped, sources } = crawl;
  const { url, depth } = page;
  const source = sources.get(known.content_hash) ?? own;
  const before = parts.memory?.recall(urlSource(url));
  const isStored = parts.stored.has(source);
  await parts.memory?.remember(urlSource(url), { ...known, source });
  if (isStored) {
    noteSkipped(skipped, 'same', known.found);
    const isNew = before !== undefined && before.source === own && before.source !== source && before.content_hash !== known.content_hash;
    return isNew ? failPage(page, { failed: identicalError(own, source), stage: 'crawl' }, crawl) : undefined;
  }
  crawl.pages++;
  parts.stored.add(source);
  sources.set(known.content_hash, source);
  if (loaded) return { candidate: pageCandidate(loaded, { source, depth }, parts.settings) };
  return { candidate: unchangedCandidate(known, { url, source, depth }, { parts, options: site.options }) };
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
    crawl.redirected = addToCount(crawl.redirected, urlSource(page.url));
    frontier.miss(page);
  } else if (!isLasting) frontier.protect(page);
  return undefined;
}

type FailedRead = Extract<PageRead, { failed: unknown }>;

async function recordFailure(page: QueuedPage, read: FailedRead, crawl: Crawl): Promise<Extracted | undefined> {
  const { failed, stage } = read;
  const isGone = isPageGone(failed);
  if (isGone && page.markdown !== undefined) return void crawl.frontier.add(page.markdown, { isSameLevel: true, from: page.from });
  crawl.failed_in_a_row = isUnanswered(read) ? crawl.failed_in_a_row + 1 : 0;
  if (failed instanceof KbError && failed.code === 'unauthorized' && stage === 'convert') crawl.logins++;
  const item = failPage(page, { failed, stage: stage === 'fetch' ? 'crawl' : stage }, crawl);
  if (isGone) await crawl.parts.memory?.forget(urlSource(page.url));
  return item;
}

/** Makes the error item of a page. Its stored version stays, unless it is gone. */
function failPage(page: QueuedPage, { failed, stage }: { failed: unknown; stage: Stage }, crawl: Crawl): Extracted {
  crawl.failed++;
  const stored_as = isPageGone(failed) ? undefined : crawl.parts.memory?.storedUnder(urlSource(page.url));
  return failedPageItem(failed, page.url, { stage, stored_as, from: page.from });
}

const addToCount = (before: Counted | undefined, first: string): Counted => ({ first, ...before, count: (before?.count ?? 0) + 1 });

/** Whether the site may be down. A site that refuses the page (401, 403, 404) has answered. */
const isUnanswered = (read: PageRead): boolean =>
  'failed' in read && read.stage !== 'convert' && (!(read.failed instanceof KbError) || read.failed.code === 'unavailable');

/** Adds the time of waiting for `read` to the silence, or resets it if the site has answered. Milliseconds, without the time for processing. */
export const silenceAfter = (silence: number, read: PageRead, waited: number): number => (isUnanswered(read) ? silence + waited : 0);
