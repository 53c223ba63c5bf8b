import { describe, isAbort } from '../../../base/errors.ts';
import { sourceOf } from '../network.ts';
import { isGone } from '../page-candidate.ts';
import type { Site } from './arrive.ts';
import { readFeed } from './feeds.ts';
import { readSitemaps } from './sitemaps.ts';

/** Of one crawl. */
const MOST_FEEDS = 10;

export interface BesideOptions {
  site: Site;
  /** Told of every address, in order. False: no more are wanted. */
  onAddress(address: string): boolean;
  /** Told of what a sitemap names on other origins. */
  onForeign(address: string): void;
  signal?: AbortSignal | undefined;
}

/** What names the pages of a site beside their links: its sitemaps and feeds. */
export class Beside {
  readonly #options: BesideOptions;
  #feeds = 0;
  hasSitemaps = false;
  /** Whether all of it could be read. */
  isWhole = true;
  /** What a person should know. */
  readonly notices: string[] = [];

  constructor(options: BesideOptions) {
    this.#options = options;
  }

  /** Reads the sitemaps, once, and feeds that were named. */
  async read(feeds: readonly string[]): Promise<void> {
    if (!this.hasSitemaps) await this.#readSitemaps();
    for (const feed of new Set(feeds)) await this.#readFeed(feed);
  }

  async #readSitemaps(): Promise<void> {
    const { scope, robots, start, load } = this.#options.site;
    this.hasSitemaps = true;
    const usual = [...new Set(['/sitemap.xml', new URL('sitemap.xml', start).pathname])];
    const places = { origin: scope.origin, named: robots.sitemaps, usual };
    const { isWhole, notices } = await readSitemaps(places, { ...this.#options, load });
    this.isWhole &&= isWhole;
    this.notices.push(...notices);
  }

  async #readFeed(feed: string): Promise<void> {
    const { site } = this.#options;
    if (this.#feeds++ >= MOST_FEEDS || !site.robots.allows(feed)) return;
    try {
      await readFeed(feed, { ...this.#options, load: site.load });
    } catch (error) {
      if (isAbort(error)) throw error;
      if (isGone(error)) return;
      this.isWhole = false;
      this.notices.push(`The feed ${sourceOf(feed)} was left out: ${describe(error)}`);
    }
  }
}
