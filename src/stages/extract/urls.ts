import { mapOrdered } from '../../base/pool.ts';
import type { UrlsEntry, UrlsInput } from '../../schema/requests.ts';
import type { Extracted } from './candidate.ts';
import { crawl } from './crawl/crawl.ts';
import type { CrawlEntry } from './crawl/arrive.ts';
import { pathPattern } from './crawl/scope.ts';
import { sourceOf } from './network.ts';
import { failedPage, isGone, knownOf, pageCandidate, unchangedCandidate, unreadable } from './page-candidate.ts';
import { readPage, type PageParts, type PageRead } from './page.ts';

/** Pages fetched at once; no host is asked for more than 8 (contract, section 5), and all may be of one. */
const AT_ONCE = 8;

export interface UrlsParts extends PageParts {
  /** What robots.txt files may speak to by its name. */
  user_agent: string;
}

/** The pages given, and the sites that are crawled, in their order; each page once. Throws a KbError (`usage`) for a pattern that can't be read, before anything is fetched. */
export async function* extractUrls(urls: UrlsInput, parts: UrlsParts): AsyncGenerator<Extracted, void, void> {
  const entries = entriesIn(urls, parts.settings);
  const stored = new Set<string>();
  for (const pages of groupedIn(entries)) {
    if (Array.isArray(pages)) yield* readEach(pages, { parts, stored });
    else yield* crawl(pages, { ...parts, stored });
  }
}

/** Entries with what the configuration says where they don't: a crawl, or the address of a page. */
function entriesIn(urls: UrlsInput, settings: PageParts['settings']): (CrawlEntry | string)[] {
  const entries = [urls].flat().map((entry) => asCrawl(entry, settings));
  for (const entry of entries)
    if (typeof entry !== 'string') for (const pattern of [...entry.include, ...entry.exclude]) pathPattern(pattern);
  return entries;
}

function asCrawl(entry: UrlsEntry, settings: PageParts['settings']): CrawlEntry | string {
  const { url, mode = settings.mode, ...own }: Exclude<UrlsEntry, string> = typeof entry === 'string' ? { url: entry } : entry;
  if (mode === 'each') return url;
  const { max_depth = settings.max_depth, max_pages = settings.max_pages } = own;
  return { url, max_depth, max_pages, include: own.include ?? settings.include, exclude: own.exclude ?? settings.exclude };
}

/** Pages that follow each other are read together. */
function groupedIn(entries: readonly (CrawlEntry | string)[]): (CrawlEntry | string[])[] {
  const groups: (CrawlEntry | string[])[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (typeof entry !== 'string') groups.push(entry);
    else if (Array.isArray(last)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

interface Run {
  parts: UrlsParts;
  stored: Set<string>;
}

async function* readEach(pages: readonly string[], { parts, stored }: Run): AsyncGenerator<Extracted, void, void> {
  const addresses = [...new Set(pages)];
  yield { expected: addresses.length };
  const read = async (url: string) => ({ url, read: await readPage(url, parts) });
  for await (const page of mapOrdered(addresses, AT_ONCE, read)) yield await extracted(page, { parts, stored });
}

async function extracted({ url, read }: { url: string; read: PageRead }, { parts, stored }: Run): Promise<Extracted> {
  const { memory, settings, reader } = parts;
  if ('failed' in read) {
    const stored_as = memory?.storedUnder(sourceOf(url));
    if (isGone(read.failed)) await memory?.forget(sourceOf(url));
    return failedPage(read.failed, url, { stage: read.stage, stored_as });
  }
  if ('redirect' in read || 'unreadable' in read)
    return failedPage(unreadable(sourceOf(url), 'unreadable' in read ? read.unreadable : '', reader), url, { stage: 'convert' });
  const known = 'page' in read ? knownOf(read.page, parts) : read.unchanged;
  const source = known.found;
  await memory?.remember(sourceOf(url), { ...known, source });
  if (stored.has(source)) return { expected: -1 };
  stored.add(source);
  const place = { source, depth: 0 };
  const candidate = 'page' in read ? pageCandidate(read.page, place, settings) : unchangedCandidate(known, { url, ...place }, { parts });
  return { candidate };
}
