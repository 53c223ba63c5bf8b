import { afterEach } from 'vitest';
import { parseDocument } from '../../../../../packages/documents/src/parse.ts';
import { KbError } from '../../../../../src/core/errors.ts';
import type { HttpOptions } from '../../../../../src/http/client.ts';
import type { DocumentReader } from '../../../../../src/ports/reading.ts';
import { DEFAULTS } from '../../../../../src/schema/config.ts';
import type { Network } from '../../../../../src/schema/config-sources.ts';
import type { Document, ErrorItem } from '../../../../../src/schema/items.ts';
import type { UrlsInput } from '../../../../../src/schema/source-entries.ts';
import type { Extracted } from '../../../../../src/stages/extract/extract.ts';
import type { PageMemory, RememberedPage } from '../../../../../src/stages/extract/pages/page-memory.ts';
import { HostLimiter } from '../../../../../src/stages/extract/pages/host-limiter.ts';
import type { PageParts } from '../../../../../src/stages/extract/pages/page.ts';
import { extractUrls } from '../../../../../src/stages/extract/pages/urls.ts';
import { openSite, type Site, type SiteRoute } from '../../../../support/site.ts';
import { openDoor } from '../../fetching.ts';
import { plainReader } from '../../plain-reader.ts';

/** Sites of a test, closed after it. */
export function siteKeeper(): (routes: Record<string, SiteRoute>) => Promise<Site> {
  const opened: Site[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((web) => web.close()));
  });
  return async (routes) => {
    const web = await openSite(routes);
    opened.push(web);
    return web;
  };
}

/** A text that is no other's, long enough to be a page. */
const textOf = (title: string): string =>
  `${title} is described here in as many words as a page needs to be one: what it is, what it does, how it is cleaned once a month, and whom to ask for spare parts of ${title}.`;

/** A page with links. */
export const article = (title: string, links: readonly string[] = [], head = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${textOf(title)}</p>${links
    .map((link) => `<p><a href="${link}">More</a></p>`)
    .join('')}</main></body></html>`;

/** Reads web pages as kb does, in this process, and all else as plain text. */
export function pageReader(): ReturnType<typeof plainReader> {
  const plain = plainReader();
  const read: DocumentReader['read'] = async (bytes, options) => {
    if (options.file_type !== 'html') return plain.read(bytes, options);
    plain.given.push(options);
    return parseDocument({ bytes, ...options });
  };
  return { ...plain, read };
}

/** What a crawl gave, its documents read. */
export interface Crawled {
  documents: Document[];
  errors: ErrorItem[];
  gone: string[];
  notices: string[];
  scopes: ((source: string) => boolean)[];
  /** Of sites that may not have been read whole: why. */
  doubts: string[];
  /** How many were expected in the end. */
  expected: number;
  hashes: string[];
  depths: number[];
}

export const noBrowser: PageParts['renderer'] = {
  render: (url) => Promise.reject(new KbError('setup', `${url} needs a browser.`, { hint: 'kb setup-browser installs one.' })),
  close: async () => {},
};

interface Options extends Partial<Omit<PageParts, 'settings'>> {
  settings?: Partial<PageParts['settings']>;
  door?: Partial<HttpOptions>;
  /** Everything is stored as it is: no document is asked for. */
  isStored?: boolean;
}

/** Extracts pages with what a test does not say as the defaults are, but for the mode, which is full. */
export const crawled = (webs: readonly Site[], urls: UrlsInput, { isStored = false, ...options }: Options = {}): Promise<Crawled> =>
  taken(extracting(webs, urls, options), { isStored });

/** The same, piece by piece. */
export const extracting = (
  webs: readonly Site[],
  urls: UrlsInput,
  { settings = {}, door = {}, ...over }: Omit<Options, 'isStored'> = {},
): AsyncIterable<Extracted> =>
  extractUrls(urls, {
    http: openDoor(webs, door),
    reader: pageReader(),
    renderer: noBrowser,
    user_agent: 'kb',
    host_limiter: new HostLimiter(),
    max_redirects: (door.network ?? (DEFAULTS.network as Network)).max_redirects,
    ...over,
    settings: { ...(DEFAULTS.ingestion.urls as PageParts['settings']), mode: 'full', ...settings },
  });

async function taken(items: AsyncIterable<Extracted>, { isStored }: { isStored: boolean }): Promise<Crawled> {
  const all: Crawled = { documents: [], errors: [], gone: [], notices: [], scopes: [], doubts: [], expected: 0, hashes: [], depths: [] };
  for await (const item of items) {
    if ('error' in item) {
      all.errors.push(item.error);
      if (item.isGone) all.gone.push(item.error.source);
    } else if ('scope' in item && item.scope.doubt !== undefined) all.doubts.push(item.scope.doubt);
    else if ('gone' in item) all.gone.push(item.gone);
    else if ('scope' in item && all.errors.some(({ source }) => !all.gone.includes(source)))
      all.doubts.push('something could not be read.');
    else if ('scope' in item) all.scopes.push(item.scope.covers);
    else if ('expected' in item) all.expected += item.expected;
    else if ('notice' in item) all.notices.push(item.notice);
    else if ('candidate' in item) {
      all.hashes.push(item.candidate.content_hash);
      all.depths.push(item.candidate.page!.depth);
      if (!isStored) all.documents.push(await item.candidate.document());
    }
  }
  return all;
}

/** The paths of the documents, in the order in which they came. */
export const paths = ({ documents }: Pick<Crawled, 'documents'>): string[] =>
  documents.map(({ source }) => new URL(source).pathname + new URL(source).search);

/** How often a path was asked for. */
export const asked = ({ hits }: Site, path: string): number => hits.filter(({ url }) => url === path).length;

/** A memory that lasts as long as the test. What is remembered counts as stored, but for what `isStored` says. */
export function memoryOf(): PageMemory & { pages: Map<string, RememberedPage>; fresh: Set<string>; crawls: string[] } {
  const pages = new Map<string, RememberedPage>();
  const fresh = new Set<string>();
  const crawls: string[] = [];
  return {
    pages,
    fresh,
    crawls,
    recall: (url) => {
      const page = pages.get(url);
      return page && { ...page, isFresh: fresh.has(url) };
    },
    storedUnder: (url) => pages.get(url)?.source,
    remember: async (url, page) => void pages.set(url, structuredClone(page)),
    forget: async (url) => void pages.delete(url),
    begin: async (crawl) => void crawls.push(`begin ${crawl}`),
    end: async (crawl) => void crawls.push(`end ${crawl}`),
  };
}
