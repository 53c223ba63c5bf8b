import type { FileTypes } from '../../../../ports/reading.ts';
import {
  urlSource,
  type FoundAddress,
  hasTextlessExtension,
  isHarmful,
  isTrap,
  addressKey,
  nextHop,
  normalizeAddress,
} from '../web-addresses.ts';
import type { PageMemory } from '../page-memory.ts';
import type { Robots, CrawlScope } from './crawl-rules.ts';

/** A page that is queued. */
export interface QueuedPage extends FoundAddress {
  key: string;
  /** Links from the start page. */
  depth: number;
  /** The first page that linked to it, without credentials; undefined if it was not found by a link. */
  from?: string | undefined;
  /** Address of its text as Markdown, which is read if the page does not exist. */
  markdown?: string | undefined;
  /** Nothing led to it: it is read because it is stored, to learn whether it is gone. */
  isUnreached?: boolean | undefined;
}

/** Rules and limits of a crawl. */
export interface FrontierOptions {
  scope: CrawlScope;
  robots: Pick<Robots, 'allows'>;
  reader: Pick<FileTypes, 'fileType'>;
  memory?: PageMemory | undefined;
  /** Collects the pages that exist but are left out. */
  skipped: SkippedPages;
  max_depth: number;
  /** Maximum consecutive redirects (`network.max_redirects`). */
  max_redirects: number;
  /** Maximum addresses that are read. */
  limit: number;
  /** Maximum addresses that are remembered. Default: MAX_KNOWN_ADDRESSES. */
  max_known?: number;
}

interface AddOptions {
  /** The address belongs to the current level: a sitemap, a redirect or a canonical address named it. */
  isSameLevel?: boolean;
  trail?: readonly string[];
  /** The page that links to it. */
  from?: string | undefined;
  markdown?: string | undefined;
  isUnreached?: boolean | undefined;
}

/** Maximum addresses that a crawl remembers; those found later are ignored. */
export const MAX_KNOWN_ADDRESSES = 200_000;
/** Maximum characters of an address that are compared; a longer address is a crawler trap. */
const MAX_COMPARED_LENGTH = 2_000;

/** The queue of a crawl: each address once, level by level. All pages of one depth come before those of the next. */
export class Frontier {
  readonly #options: FrontierOptions;
  readonly #maxKnown: number;
  /** Addresses, as written in links, that need no further check: most links of a page were on the page before. */
  readonly #checked = new Set<string>();
  readonly #known = new Set<string>();
  /** Keys of pages that may exist although they were not read. */
  readonly #protected = new Set<string>();
  /** Keys of the addresses beyond `max_depth`. */
  readonly #deeperKeys = new Set<string>();
  #level: QueuedPage[] = [];
  #nextIndex = 0;
  #nextLevel: QueuedPage[] = [];
  #acceptedCount = 0;
  #beyondLimit = 0;
  /** Whether more addresses were found than are remembered. */
  isOverflowing = false;
  /** Depth of the current level, in links from the start page. */
  depth = 0;

  constructor(options: FrontierOptions) {
    this.#options = options;
    this.#maxKnown = options.max_known ?? MAX_KNOWN_ADDRESSES;
  }

  get queued(): number {
    return this.#level.length - this.#nextIndex + this.#nextLevel.length;
  }

  /** Number of addresses that were accepted so far, besides the start page. */
  get accepted(): number {
    return this.#acceptedCount;
  }

  /** Number of addresses that were found and not read. */
  get unread(): number {
    return this.queued + this.#beyondLimit;
  }

  /** Number of addresses beyond `max_depth`; the pages that they link to are unknown. */
  get deeper(): number {
    return this.#deeperKeys.size;
  }

  /** Queues the start page. Its address and those that redirected to it are not requested again. */
  addStart(at: FoundAddress): QueuedPage {
    for (const address of [...at.trail, at.url]) this.#known.add(addressKey(address));
    const start = { ...at, key: '', depth: 0 };
    this.#level.push(start);
    return start;
  }

  /** Adds an address of the next level, or of this one (`isSameLevel`). Returns false once no more will be read. */
  add(address: string, { isSameLevel = false, trail = [], from, markdown, isUnreached }: AddOptions = {}): boolean {
    if (this.#checked.has(address)) return true;
    const { scope, reader, skipped, max_depth, limit } = this.#options;
    const url = normalizeAddress(address);
    const place = url === undefined || isHarmful(url) ? 'harmful' : scope.placeOf(url);
    const isTextless = url !== undefined && hasTextlessExtension(url, reader);
    const isWanted = url !== undefined && place === 'inside' && !isTextless;
    const key = isWanted ? addressKey(url).slice(0, MAX_COMPARED_LENGTH) : '';
    const isReported = place === 'harmful' || place === 'filtered' || (place === 'outside' && !isTextless);
    if (url !== undefined && isReported) noteSkipped(skipped, place, urlSource(url));
    if (!isWanted || this.#known.has(key)) {
      if (this.#checked.size < this.#maxKnown && address.length <= MAX_COMPARED_LENGTH) this.#checked.add(address);
      return true;
    }
    if (this.#known.size >= this.#maxKnown) return !(this.isOverflowing = true);
    const depth = isSameLevel ? this.depth : this.depth + 1;
    if (depth <= max_depth) this.#queue({ url, key, depth, trail, from, markdown, isUnreached });
    else if (this.#deeperKeys.size < this.#maxKnown) this.#deeperKeys.add(key);
    return this.#acceptedCount < limit;
  }

  #queue(page: QueuedPage): void {
    const { limit, robots, skipped } = this.#options;
    this.#known.add(page.key);
    this.#deeperKeys.delete(page.key); // a sitemap may name a page that was too deep before
    if (isTrap(page.url)) {
      noteSkipped(skipped, 'trap', urlSource(page.url));
      return void this.#protected.add(page.key);
    }
    if (this.#acceptedCount >= limit) {
      this.#beyondLimit++;
      return void this.#protected.add(page.key);
    }
    if (!robots.allows(page.url)) {
      noteSkipped(skipped, 'robots', urlSource(page.url));
      return this.protect(page);
    }
    this.#acceptedCount++;
    (page.depth === this.depth ? this.#level : this.#nextLevel).push(page);
  }

  /**
   * Queues the target of a redirect, unless it is outside the scope or a loop. A different spelling of the page's own address is requested again. A page whose
   * target is left out may not be gone.
   */
  followRedirect(page: QueuedPage, address: string): 'followed' | 'outside' | 'loop' {
    const url = normalizeAddress(address);
    if (url === undefined || !this.#options.scope.covers(url)) return 'outside';
    const trail = [...page.trail, page.url];
    const next = nextHop(address, trail, this.#options.max_redirects);
    if (next === undefined) return 'loop';
    if (addressKey(url) === addressKey(page.url)) this.#level.push({ ...page, url: next, trail });
    else this.add(next, { isSameLevel: true, trail, from: page.from, isUnreached: page.isUnreached });
    if (!this.mayBeGone(url)) this.protect(page);
    return 'followed';
  }

  /** Takes the next page of this level; undefined at its end. */
  next(): QueuedPage | undefined {
    return this.#nextIndex < this.#level.length ? this.#level[this.#nextIndex++] : undefined;
  }

  deepen(): void {
    this.depth++;
    this.#level = this.#nextLevel;
    this.#nextLevel = [];
    this.#nextIndex = 0;
  }

  /** Records that a page exists although it was not read, with the addresses that redirected to it and the source that it is stored under. */
  protect({ url, trail }: FoundAddress): void {
    for (const address of [...trail, url]) {
      this.#protected.add(addressKey(address));
      const source = this.#options.memory?.storedUnder(urlSource(address));
      if (source !== undefined) this.#protected.add(addressKey(source));
    }
  }

  /** Whether this crawl has asked for the page of a stored source, and nothing says that the page exists. Call it after the crawl has read everything else. */
  mayBeGone(source: string): boolean {
    const key = addressKey(source);
    return this.#known.has(key) && !this.#protected.has(key);
  }

  /** Whether this crawl has left out the page of a stored source on purpose. */
  isProtected(source: string): boolean {
    return hasTextlessExtension(source, this.#options.reader) || this.#protected.has(addressKey(source));
  }
}

/** Reasons why an address became no document although nothing failed, in the order of the report. */
const REASONS = {
  filtered: 'that include or exclude keeps out',
  outside: 'of the site outside its path',
  harmful: 'that log out, delete or change something',
  robots: 'that robots.txt forbids',
  routes: 'after # (routes), which are read only of pages that need a browser',
  passed_over: 'marked noindex, or with nothing but links',
  same: 'with the content of another',
  contradicted: 'whose page names another one (rel="canonical") but says something else',
  redirected: 'whose page leads out of the crawl',
  foreign: 'that a sitemap names on another origin',
  other: 'of a kind that kb does not read',
  trap: 'of the kind that sites generate without end: very long, or with repeating parts',
} as const;

type Reason = keyof typeof REASONS;

/** Maximum addresses that are counted for a reason. */
export const MAX_COUNTED_ADDRESSES = 10_000;

/** Pages that a crawl left out, by reason: the first address without credentials, and the keys of all. */
export type SkippedPages = Map<Reason, { first: string; keys: Set<string> }>;

/** Records a page that is left out. `address` must hold no credentials. */
export function noteSkipped(skipped: SkippedPages, reason: Reason, address: string): undefined {
  const { first, keys } = skipped.get(reason) ?? { first: address, keys: new Set<string>() };
  if (keys.size < MAX_COUNTED_ADDRESSES) keys.add(addressKey(address));
  skipped.set(reason, { first, keys });
}

/** Describes the pages that were left out, such as `2 addresses that robots.txt forbids (such as …)`; undefined if there are none. */
export function skippedText(skipped: SkippedPages): string | undefined {
  const parts = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const { first, keys: { size } = new Set() } = skipped.get(reason) ?? {};
    const number = `${size.toLocaleString('en')}${size === MAX_COUNTED_ADDRESSES ? ' or more' : ''}`;
    return size === 0 ? [] : [{ size, number, text: `${REASONS[reason]} (${size === 1 ? '' : 'such as '}${first})` }];
  });
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  const addresses = all === 1 ? 'address' : 'addresses';
  if (parts.length <= 1) return parts[0] && `${parts[0].number} ${addresses} ${parts[0].text}`;
  return `${all.toLocaleString('en')} ${addresses}: ${parts.map(({ number, text }) => `${number} ${text}`).join(', ')}`;
}
