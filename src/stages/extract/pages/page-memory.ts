/** What is remembered of a page since it was last read. */
export interface RememberedPage {
  /** Where its address led. */
  found: string;
  /** The address that it names as its own (`rel="canonical"`). */
  canonical?: string | undefined;
  /** What it is stored under, be it found at another address too; absent where no document came of it. */
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
  /** What is known of the page at this address (as it is asked for). `isFresh`: it was read by the crawl that goes on now, before that was killed. */
  recall(url: string): (RememberedPage & { isFresh: boolean }) | undefined;
  /** What the page at this address was stored under when it was last read, also where it is not recalled. */
  storedUnder(url: string): string | undefined;
  /** Written at once, so that it outlives the process. */
  remember(url: string, page: RememberedPage): Promise<void>;
  /** The page is gone. */
  forget(url: string): Promise<void>;
  /** A crawl begins, or goes on where the one of the same key was killed less than two hours ago: since when it has been going on, where there are pages that it has read by then. */
  begin(crawl: string): Promise<Date | undefined>;
  end(crawl: string): Promise<void>;
}
