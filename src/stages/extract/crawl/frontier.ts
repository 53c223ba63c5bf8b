import { isOtherKind, isTrap, keyOf, normalized } from './address.ts';
import type { CrawlScope } from './scope.ts';

/** A page that waits to be read. */
export interface Waiting {
  url: string;
  key: string;
  /** Links from the start page. */
  depth: number;
  /** How often it has been told to be elsewhere. */
  hops: number;
}

export interface FrontierOptions {
  scope: CrawlScope;
  allows(address: string): boolean;
  max_depth: number;
  /** Addresses that are read at most. */
  limit: number;
}

/** Redirects that are followed, one after another. */
export const MAX_HOPS = 10;

/** Addresses that are kept apart at most: what comes after them is not looked at. */
const MOST_KNOWN = 200_000;

/** What a crawl has found, each address once, level by level: all pages of one depth come before those of the next. */
export class Frontier {
  readonly #options: FrontierOptions;
  /** Addresses as they were found, for which everything is decided: most links of a page are those of the page before. */
  readonly #decided = new Set<string>();
  readonly #met = new Set<string>();
  /** Keys of what is there for all that is known, though it was not read. */
  readonly #spared = new Set<string>();
  #level: Waiting[] = [];
  #at = 0;
  #deeper: Waiting[] = [];
  #taken = 0;
  #beyond = 0;
  #isOverflowing = false;
  #depth = 0;
  /** Addresses that a site makes without end. */
  traps = 0;

  constructor(options: FrontierOptions) {
    this.#options = options;
  }

  /** How many pages wait. */
  get waiting(): number {
    return this.#level.length - this.#at + this.#deeper.length;
  }

  /** How many addresses were found that are not read, for there are too many. */
  get unread(): number {
    return this.waiting + this.#beyond;
  }

  /** Whether more was found than is kept apart. */
  get isOverflowing(): boolean {
    return this.#isOverflowing;
  }

  /** Counts an address as read, without asking for it. */
  meet(address: string): void {
    this.#met.add(keyOf(address));
  }

  /** An address that a page of this level links to, or (`isBeside`) that belongs to this level itself. False where no more will be read. */
  found(address: string, { isBeside = false, hops = 0 }: { isBeside?: boolean; hops?: number } = {}): boolean {
    if (this.#decided.has(address)) return true;
    const url = normalized(address);
    const isWanted = url !== undefined && this.#options.scope.covers(url) && !isOtherKind(url);
    const key = isWanted ? keyOf(url) : '';
    if (!isWanted || this.#met.has(key)) return this.#decided.size >= MOST_KNOWN || Boolean(this.#decided.add(address));
    if (this.#met.size >= MOST_KNOWN) return !(this.#isOverflowing = true);
    const depth = isBeside ? this.#depth : this.#depth + 1;
    if (depth > this.#options.max_depth) this.#spared.add(key);
    else this.#take({ url, key, depth, hops });
    return this.#taken < this.#options.limit;
  }

  #take(page: Waiting): void {
    this.#met.add(page.key);
    if (isTrap(page.url)) return void this.traps++;
    if (this.#taken >= this.#options.limit) {
      this.#beyond++;
      return void this.#spared.add(page.key);
    }
    if (!this.#options.allows(page.url)) return void this.#spared.add(page.key);
    this.#taken++;
    (page.depth === this.#depth ? this.#level : this.#deeper).push(page);
  }

  /** A page that is told to be elsewhere: under another spelling of its own address it is asked for again. */
  moved(page: Waiting, address: string): void {
    const hops = page.hops + 1;
    const url = normalized(address);
    if (url !== undefined && url !== page.url && keyOf(url) === page.key && this.#options.scope.covers(url))
      this.#level.push({ ...page, url, hops });
    else this.found(address, { isBeside: true, hops });
  }

  /** A page of this level. */
  next(): Waiting | undefined {
    return this.#at < this.#level.length ? this.#level[this.#at++] : undefined;
  }

  /** Goes on to the next level. */
  deepen(): void {
    this.#depth++;
    this.#level = this.#deeper;
    this.#deeper = [];
    this.#at = 0;
  }

  /** Notes that a page could not be read, though it is there. */
  spare(page: Waiting): void {
    this.#spared.add(page.key);
  }

  /** Whether a source lies in what was crawled and is known to be there. To be asked once everything is read that is not spared. */
  spares(source: string): boolean {
    return this.#isOverflowing || this.#spared.has(keyOf(source));
  }
}
