import type { FileTypes } from '../../../../ports/reading.ts';
import { urlSource } from '../network.ts';
import { type FoundAddress, isOtherKind, isTrap, keyOf, nextHop, normalized } from './page-address.ts';
import type { PageMemory } from '../page-memory.ts';
import type { Robots } from './robots.ts';
import type { CrawlScope } from './scope.ts';

/** A page that waits to be read. */
export interface Waiting extends FoundAddress {
  key: string;
  /** Links from the start page. */
  depth: number;
  /** The page that linked to it first, as it may be shown; undefined where something else named it. */
  from?: string | undefined;
}

export interface FrontierOptions {
  scope: CrawlScope;
  robots: Pick<Robots, 'allows'>;
  reader: Pick<FileTypes, 'fileType'>;
  memory?: PageMemory | undefined;
  /** Takes what is not read, though it is there. */
  skipped: SkippedPages;
  max_depth: number;
  /** Redirects that are followed, one after another (`network.max_redirects`). */
  max_redirects: number;
  /** Addresses that are read at most. */
  limit: number;
  /** Addresses that are kept apart at most; MOST_KNOWN where absent. */
  most_known?: number;
}

interface Found {
  isBeside?: boolean;
  trail?: readonly string[];
  from?: string | undefined;
}

/** Addresses that are kept apart at most: what comes after them is not looked at. */
export const MOST_KNOWN = 200_000;
/** Characters of an address that are kept apart; longer ones are a trap. */
const LONGEST = 2_000;

/** What a crawl has found, each address once, level by level: all pages of one depth come before those of the next. */
export class Frontier {
  readonly #options: FrontierOptions;
  readonly #mostKnown: number;
  /** Addresses as they were found, for which everything is decided: most links of a page are those of the page before. */
  readonly #decided = new Set<string>();
  readonly #met = new Set<string>();
  /** Keys of what is there for all that is known, though it was not read. */
  readonly #spared = new Set<string>();
  /** Keys of what lies deeper than the crawl goes. */
  readonly #deeperKeys = new Set<string>();
  /** Addresses of theirs as they were found. */
  readonly #tooDeep = new Set<string>();
  #level: Waiting[] = [];
  #at = 0;
  #deeper: Waiting[] = [];
  #taken = 0;
  #beyond = 0;
  /** Whether more was found than is kept apart. */
  isOverflowing = false;
  /** Links from the start page, of the level that is read. */
  depth = 0;
  /** Addresses that a site makes without end. */
  traps = 0;

  constructor(options: FrontierOptions) {
    this.#options = options;
    this.#mostKnown = options.most_known ?? MOST_KNOWN;
  }

  get waiting(): number {
    return this.#level.length - this.#at + this.#deeper.length;
  }

  /** How many addresses were found that are not read, for there are too many. */
  get unread(): number {
    return this.waiting + this.#beyond;
  }

  /** How many addresses were found that are too many links away: what they lead to in turn is not known. */
  get deeper(): number {
    return this.#deeperKeys.size;
  }

  /** The start page, as the first one to be read; neither its address nor those that led to it are asked for again. */
  begin(at: FoundAddress): Waiting {
    for (const address of [...at.trail, at.url]) this.#met.add(keyOf(address));
    const start = { ...at, key: '', depth: 0 };
    this.#level.push(start);
    return start;
  }

  /** An address that a page of this level links to, or (`isBeside`) that belongs to this level itself. False where no more will be read. */
  found(address: string, { isBeside = false, trail = [], from }: Found = {}): boolean {
    if (this.#decided.has(address) || (!isBeside && this.#tooDeep.has(address))) return true;
    const url = normalized(address);
    const isWanted = url !== undefined && this.#options.scope.covers(url) && !isOtherKind(url, this.#options.reader);
    const key = isWanted ? keyOf(url).slice(0, LONGEST) : '';
    if (url !== undefined && !isWanted && this.#options.scope.isFiltered(url))
      noteSkipped(this.#options.skipped, 'filtered', urlSource(url));
    if (!isWanted || this.#met.has(key)) return this.#decide(address);
    if (this.#met.size >= this.#mostKnown) return !(this.isOverflowing = true);
    const depth = isBeside ? this.depth : this.depth + 1;
    if (depth <= this.#options.max_depth) this.#take({ url, key, depth, trail, from });
    else this.#leaveDeeper(address, key);
    return this.#taken < this.#options.limit;
  }

  #leaveDeeper(address: string, key: string): void {
    if (this.#deeperKeys.size < this.#mostKnown) this.#deeperKeys.add(key);
    if (this.#tooDeep.size < this.#mostKnown && address.length <= LONGEST) this.#tooDeep.add(address);
  }

  #decide(address: string): true {
    if (this.#decided.size < this.#mostKnown && address.length <= LONGEST) this.#decided.add(address);
    return true;
  }

  #take(page: Waiting): void {
    this.#met.add(page.key);
    this.#deeperKeys.delete(page.key); // a sitemap can name on the first level what a page of it links to
    if (isTrap(page.url)) {
      this.traps++;
      return void this.#spared.add(page.key);
    }
    if (this.#taken >= this.#options.limit) {
      this.#beyond++;
      return void this.#spared.add(page.key);
    }
    if (!this.#options.robots.allows(page.url)) {
      noteSkipped(this.#options.skipped, 'robots', urlSource(page.url));
      return this.spare(page);
    }
    this.#taken++;
    (page.depth === this.depth ? this.#level : this.#deeper).push(page);
  }

  /** A page that is told to be elsewhere: under another spelling of its own address it is asked for again. What came of that; `circle`: it has been there. */
  moved(page: Waiting, address: string): 'followed' | 'left' | 'circle' {
    const url = normalized(address);
    if (url === undefined || !this.#options.scope.covers(url)) return 'left';
    const trail = [...page.trail, page.url];
    const next = nextHop(address, trail, this.#options.max_redirects);
    if (next === undefined) return 'circle';
    if (keyOf(url) === keyOf(page.url)) this.#level.push({ ...page, url: next, trail });
    else this.found(next, { isBeside: true, trail, from: page.from });
    return 'followed';
  }

  /** A page of this level. */
  next(): Waiting | undefined {
    return this.#at < this.#level.length ? this.#level[this.#at++] : undefined;
  }

  deepen(): void {
    this.depth++;
    this.#level = this.#deeper;
    this.#deeper = [];
    this.#at = 0;
  }

  /** Notes that a page could not be read, though it is there, and so is what led to it and what it was stored under. */
  spare({ url, trail }: FoundAddress): void {
    for (const address of [...trail, url]) {
      this.#spared.add(keyOf(address));
      const source = this.#options.memory?.storedUnder(urlSource(address));
      if (source !== undefined) this.#spared.add(keyOf(source));
    }
  }

  /** Whether a source lies in what was crawled and is known to be there, or was not asked about. To be asked once everything is read that is not spared. */
  spares(source: string): boolean {
    return this.isOverflowing || isOtherKind(source, this.#options.reader) || this.#spared.has(keyOf(source));
  }
}

/** Why an address of a site became no document, in the order in which it is told; nothing failed there. */
const REASONS = {
  filtered: 'that include or exclude keeps out',
  robots: 'that robots.txt forbids',
  passed_over: 'marked noindex, or with nothing but links',
  same: 'with the content of another',
  alike: 'now with the content of another, and stored as before',
  foreign: 'that a sitemap names on another origin',
  other: 'of a kind that kb does not read',
} as const;

type Reason = keyof typeof REASONS;

/** Addresses that are told apart for each reason. */
export const MOST_TOLD = 10_000;

/** What a crawl found and left out, by reason: the first address as it may be shown, and the keys of all, each once. */
export type SkippedPages = Map<Reason, { first: string; keys: Set<string> }>;

/** `address`: as it may be shown. */
export function noteSkipped(skipped: SkippedPages, reason: Reason, address: string): undefined {
  const { first, keys } = skipped.get(reason) ?? { first: address, keys: new Set<string>() };
  if (keys.size < MOST_TOLD) keys.add(keyOf(address));
  skipped.set(reason, { first, keys });
}

/** `2 addresses that robots.txt forbids (such as …)`, `3 addresses: 2 that robots.txt forbids (such as …), 1 …`; undefined where nothing was left out. */
export function skippedText(skipped: SkippedPages): string | undefined {
  const parts = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const { first, keys: { size } = new Set() } = skipped.get(reason) ?? {};
    const number = `${size.toLocaleString('en')}${size === MOST_TOLD ? ' or more' : ''}`;
    return size === 0 ? [] : [{ size, number, text: `${REASONS[reason]} (${size === 1 ? '' : 'such as '}${first})` }];
  });
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  const addresses = all === 1 ? 'address' : 'addresses';
  if (parts.length <= 1) return parts[0] && `${parts[0].number} ${addresses} ${parts[0].text}`;
  return `${all.toLocaleString('en')} ${addresses}: ${parts.map(({ number, text }) => `${number} ${text}`).join(', ')}`;
}
