import { breathing } from '../../../base/breath.ts';
import { KbError } from '../../../base/errors.ts';
import type { Candidate, Extracted } from '../candidate.ts';
import { sourceOf } from '../network.ts';
import { failedPage, isGone, pageCandidate, pageHash, remembered, unchangedCandidate } from '../page-candidate.ts';
import type { PageRead } from '../page.ts';
import type { CrawlParts, Site } from './arrive.ts';
import { MAX_HOPS, type Frontier, type Waiting } from './frontier.ts';
import { feedIn, leaveOf, onwardOf, placeOf } from './onward.ts';

export interface HarvestOptions {
  site: Site;
  parts: CrawlParts;
  frontier: Frontier;
}

type Failed = Extract<PageRead, { failed: unknown }>;
type Kept = Site['read'];

/** What becomes of the pages of a crawl that were read: each is a document once, wherever it is found, and what it links to is found. */
export class Harvest {
  readonly #options: HarvestOptions;
  readonly #hashes = new Set<string>();
  readonly #breathe: () => Promise<void>;
  /** Documents. */
  pages = 0;
  failed = 0;
  /** Pages that failed one after another, though they may be there. */
  failedInARow = 0;
  /** Whether all that the pages lead to is known. */
  isWhole = true;
  /** Pages that name another one as their own address although they say something else than it: the first, and how many. */
  eclipsed: { first: string; count: number } | undefined;
  /** Feeds that were named and not read yet. */
  feeds: string[] = [];

  constructor(options: HarvestOptions) {
    this.#options = options;
    this.#breathe = breathing(options.parts.signal);
  }

  /** Takes in what came of a page: what is to be told of it, if anything. */
  async take(page: Waiting, read: PageRead): Promise<Extracted | undefined> {
    if ('failed' in read) return this.#fail(page, read);
    if ('redirect' in read && page.hops >= MAX_HOPS) return this.#fail(page, { failed: circle(page), stage: 'crawl' });
    this.failedInARow = 0;
    if ('redirect' in read) this.#options.frontier.moved(page, read.redirect);
    if ('unreadable' in read || 'redirect' in read) return undefined;
    const candidate = 'unchanged' in read ? await this.#unchanged(page, read) : await this.#changed(page, read);
    if (!candidate) return undefined;
    this.pages++;
    return { candidate };
  }

  async #changed({ url, depth }: Waiting, { page }: Extract<Kept, { page: unknown }>): Promise<Candidate | undefined> {
    const { site, parts } = this.#options;
    const { noindex } = leaveOf(page, parts.user_agent);
    const links = onwardOf(page, parts.user_agent);
    await this.#follow(links);
    const isBare = page.parsed.page !== undefined && page.parsed.text.trim() === '' && links.length > 0; // a door to other pages
    if (noindex || isBare || !site.scope.covers(page.url)) return undefined;
    const source = placeOf(page, site);
    const content_hash = pageHash(page, parts.settings);
    if (parts.stored.has(source) && source !== sourceOf(page.url) && !this.#hashes.has(content_hash)) this.#eclipse(sourceOf(page.url));
    if (!this.#isNew(source, content_hash)) return undefined;
    await parts.memory?.remember(sourceOf(url), remembered(page, { source, links, settings: parts.settings }));
    return pageCandidate(page, { source, depth }, parts.settings);
  }

  async #unchanged({ url, depth }: Waiting, read: Extract<Kept, { unchanged: unknown }>): Promise<Candidate | undefined> {
    const { site, parts } = this.#options;
    const { unchanged } = read;
    await this.#follow(unchanged.links);
    if (!site.scope.covers(unchanged.source) || !this.#isNew(unchanged.source, unchanged.content_hash)) return undefined;
    await parts.memory?.remember(sourceOf(url), unchanged);
    return unchangedCandidate(unchanged, { url, depth }, { parts, options: site.options(url) });
  }

  #eclipse(first: string): void {
    this.eclipsed = { first, ...this.eclipsed, count: (this.eclipsed?.count ?? 0) + 1 };
  }

  /** Notes a document. False where it is one already: under the same address, or with the same content under another. */
  #isNew(source: string, content_hash: string): boolean {
    const { stored } = this.#options.parts;
    if (stored.has(source) || this.#hashes.has(content_hash)) return false;
    stored.add(source);
    this.#hashes.add(content_hash);
    return true;
  }

  async #fail(page: Waiting, { failed, stage, file_type }: Failed): Promise<Extracted> {
    const { memory, reader } = this.#options.parts;
    const key = sourceOf(page.url);
    this.failed++;
    this.failedInARow = isGone(failed) || stage === 'convert' ? 0 : this.failedInARow + 1;
    if (isGone(failed)) await memory?.forget(key);
    else this.#options.frontier.spare(page);
    const known = isGone(failed) ? undefined : memory?.recall(key);
    if (known) await this.#follow(known.links);
    const hasLinks = file_type === undefined || file_type === reader.fileType('page.html');
    if (!known && hasLinks && !isGone(failed)) this.isWhole = false;
    return failedPage(failed, page.url, stage === 'fetch' ? 'crawl' : stage);
  }

  async #follow(links: readonly string[]): Promise<void> {
    for (const link of links) {
      await this.#breathe();
      const feed = feedIn(link);
      if (feed !== undefined) this.feeds.push(feed);
      else this.#options.frontier.found(link);
    }
  }
}

const circle = ({ url }: Waiting): KbError =>
  new KbError('invalid', `${sourceOf(url)} leads nowhere: it redirects more than ${MAX_HOPS} times.`, {
    hint: 'Check whether it redirects in a circle.',
  });
