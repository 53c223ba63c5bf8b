/** What is remembered of a page since it was last read. */
export interface RememberedPage {
  /** Final address, after redirects. */
  found: string;
  /** The address that it names as its own (`rel="canonical"`). */
  canonical?: string | undefined;
  /** Its source, also if it was found at another address; absent if it gave no document. */
  source?: string | undefined;
  /** A crawl makes no document of it: it asks for that, or is but a door to other pages. */
  isPassedOver: boolean;
  status_code: number;
  /** `Candidate.content_hash` of what it was then. */
  content_hash: string;
  /** Of what the server sent: the same is the same page, and needs no parsing. */
  bytes_hash?: string | undefined;
  /** As the server gave them, to be sent back (`If-None-Match`, `If-Modified-Since`). */
  etag?: string | undefined;
  last_modified?: string | undefined;
  /** It was opened in a browser: what the server sends says nothing about it. */
  isRendered: boolean;
  /** Hash of what it said since, all at once with other pages: as long as it says just that, it stays what it was. */
  alike?: string | undefined;
  /** Addresses that a crawl goes on to from it. */
  links: readonly string[];
}

/**
 * Memory of the pages of a collection between runs, kept on this machine. With it an unchanged page is not parsed and, if the server
 * supports that, not loaded; and a crawl that was killed is resumed.
 */
export interface PageMemory {
  /** Recalls the page at this address (as requested). `isFresh`: the current crawl read it before it was interrupted. */
  recall(url: string): (RememberedPage & { isFresh: boolean }) | undefined;
  /** The source under which the page at this address was stored last, also if it is not recalled. */
  storedUnder(url: string): string | undefined;
  /** Written at once, so that it outlives the process. */
  remember(url: string, page: RememberedPage): Promise<void>;
  /** The page is gone. */
  forget(url: string): Promise<void>;
  /**
   * Begins a crawl, or resumes the one of the same key that was killed less than two hours ago. Returns when that began, if it has read
   * pages.
   */
  begin(crawl: string): Promise<Date | undefined>;
  end(crawl: string): Promise<void>;
}
