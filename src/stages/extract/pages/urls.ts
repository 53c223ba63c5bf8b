import { SITE_CREDENTIALS_ADVICE, field, optionalAdvice } from '../../../core/advice/advice.ts';
import { extname } from 'node:path';
import { describe, isAbort, KbError, toErrorItem } from '../../../core/errors.ts';
import { type HttpResponse, toUtf8 } from '../../../http/message.ts';
import { hash } from '../../../core/ids.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import { type Candidate, contentHash, type Extracted, type GivenContent, type NetworkParts } from '../extract.ts';
import { makeDocument } from '../../text-thread.ts';
import { assertIsContent } from './error-page.ts';
import { urlSource } from './web-addresses.ts';
import { mapOrdered } from '../../../core/concurrency.ts';
import type { UrlsEntry, UrlsInput } from '../../../schema/source-entries.ts';
import { crawlSite } from './crawl/crawl.ts';
import type { CrawlEntry } from './crawl/open-site.ts';
import { MAX_CONCURRENT } from './host-limiter.ts';
import { pathPattern } from './crawl/crawl-rules.ts';
import type { PageMemory } from './page-memory.ts';
import {
  failedPageItem,
  isPageGone,
  type LoadedPage,
  ownFrames,
  pageCandidate,
  type PageParts,
  type PageRead,
  readPage,
  toRememberedPage,
  unreadableError,
} from './page.ts';

/** The dependencies of reading a link. */
type LinkParts = NetworkParts & Pick<PageParts, 'host_limiter'>;

/** Extracts the document behind a link (service.md 2.1). The extension of the address decides its file type. */
export async function* extractLink(url: string, given: GivenContent, parts: LinkParts): AsyncGenerator<Extracted, void, void> {
  const source = urlSource(url);
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const file_type = parts.reader.fileType(path);
  try {
    if (file_type === undefined)
      throw new KbError('usage', `${source}: a link to a document must end in a supported extension, which "${extname(path)}" is not.`, {
        hint: [`Supported: ${parts.reader.extensions.join(', ')}.`, optionalAdvice`A web page is given as ${field('urls')}.`],
      });
    yield { candidate: await fetchLink(url, { ...given, source, file_type }, parts) };
  } catch (error) {
    if (isAbort(error)) throw error;
    yield { error: toErrorItem(error, { source, source_kind: 'bytes', stage: file_type === undefined ? 'validate' : 'fetch' }) };
  }
}

/** Whether a response is a web page by both media type and content: either alone is often wrong. */
const isWebPage = ({ content_type, bytes }: HttpResponse, { page }: DocumentReader): boolean =>
  page.media_types.includes(content_type) && page.signature!.test(Buffer.from(bytes.subarray(0, 2_048)).toString('latin1'));

function webPageError(source: string, { url }: HttpResponse): KbError {
  const found = urlSource(url);
  const led = found === source ? 'is' : `leads to ${found}, which is`;
  return new KbError('invalid', `${source} ${led} a web page, and no document as its address says.`, {
    hint: [
      'Open it in a browser: it may need a login, or no longer exist.',
      SITE_CREDENTIALS_ADVICE,
      optionalAdvice`A web page is given as ${field('urls')}.`,
    ],
  });
}

async function fetchLink(
  url: string,
  { source, file_type, ...given }: GivenContent & { source: string; file_type: string },
  { http, reader, signal, host_limiter }: LinkParts,
): Promise<Candidate> {
  const answer = await http.request(url, { signal, inTurn: host_limiter.limiterFor(url) });
  const bytes = toUtf8(answer);
  const isPage = file_type === reader.page.file_type;
  if (!isPage && isWebPage(answer, reader)) throw webPageError(source, answer);
  const document = async () => {
    const parsed = await reader.read(bytes, { source, file_type, signal });
    const { content_type, headers } = answer;
    if (isPage || content_type.startsWith('text/'))
      assertIsContent(source, { ...parsed, html: isPage ? bytes : new Uint8Array(), headers });
    return makeDocument(parsed, { ...given, source, source_kind: 'bytes', file_type, content_hash: hash(bytes) });
  };
  return {
    source,
    source_kind: 'bytes',
    isFetched: true,
    content_hash: contentHash(bytes, { ...given, revision: reader.revisionOf?.(file_type) }),
    document,
  };
}

/** Reads pages and crawls sites, in order; each page once. Throws a KbError (`usage`) for an invalid pattern before anything is fetched. */
export async function* extractUrls(urls: UrlsInput, parts: PageParts): AsyncGenerator<Extracted, void, void> {
  const entries = [urls].flat().map((entry) => toCrawlEntry(entry, parts.settings));
  const stored = new Set<string>();
  const [redirects, moves] = [new Map<string, Set<string>>(), new Map<string, string>()];
  const unopened = new Map<string, KbError>();
  const cut = new Set<string>();
  const framed = new Set<string>();
  const onRead = ({ url, isCut }: LoadedPage) => void (isCut && cut.add(urlSource(url)));
  const reading: PageParts = { ...parts, onRead, onBrowserMissing: (source, reason) => void unopened.set(source, reason) };
  for (const pages of groupPages(entries)) {
    if (Array.isArray(pages)) yield* readEach(pages, { parts: reading, stored, redirects, moves, framed });
    else {
      yield { input: urlSource(pages.url) };
      yield* crawlSite(pages, { ...reading, stored });
    }
  }
  const [reason] = unopened.values();
  yield* notePages([...unopened.keys()], `taken as sent, though a browser may show more, and will be read again: ${describe(reason)}`);
  yield* notePages([...cut], 'read only in part: more is loaded as one scrolls.');
  yield* notePages([...framed], 'read without the frames of their site: name their addresses, or crawl the site, which follows them.');
}

/** Says what happened to pages, if there are any: how many, and the first of them. */
function* notePages({ length, 0: first }: readonly string[], happened: string): Generator<Extracted, void, void> {
  if (length > 0) yield { notice: `${length === 1 ? `1 page (${first}) was` : `${length} pages (such as ${first}) were`} ${happened}` };
}

/** Completes an entry by the configuration: a crawl, or the address of a page. Throws a KbError (`usage`) for an invalid pattern. */
function toCrawlEntry(entry: UrlsEntry, settings: PageParts['settings']): CrawlEntry | string {
  const { url, mode = settings.mode, ...own }: Exclude<UrlsEntry, string> = typeof entry === 'string' ? { url: entry } : entry;
  if (mode === 'each') return url;
  const { max_depth = settings.max_depth, max_pages = settings.max_pages, include = settings.include, exclude = settings.exclude } = own;
  for (const pattern of [...include, ...exclude]) pathPattern(pattern);
  return { url, max_depth, max_pages, include, exclude };
}

function groupPages(entries: readonly (CrawlEntry | string)[]): (CrawlEntry | string[])[] {
  const groups: (CrawlEntry | string[])[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (typeof entry !== 'string') groups.push(entry);
    else if (Array.isArray(last)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

interface PagesRun {
  parts: PageParts;
  stored: Set<string>;
  /** Addresses that redirect permanently, by the source of their target. */
  redirects: Map<string, Set<string>>;
  /** New sources of pages that moved within their host, by the old source. */
  moves: Map<string, string>;
  /** Pages whose frames were not read. */
  framed: Set<string>;
}

async function* readEach(pages: readonly string[], run: PagesRun): AsyncGenerator<Extracted, void, void> {
  const { parts } = run;
  const addresses = [...new Set(pages)];
  yield { expected: addresses.length };
  const read = async (url: string) => ({ url, read: await readPage(url, parts) });
  for await (const page of mapOrdered(addresses, MAX_CONCURRENT, read)) {
    yield { input: urlSource(page.url) };
    yield await toItem(page, run);
  }
  if (run.moves.size > 0) yield { scope: { source_kind: 'url', covers: (source) => hasMoved(source, run) } };
}

/** Whether the page of a stored source has moved. Its target must have no other redirects to it: then it may be a login page or an outage notice. */
const hasMoved = (source: string, { redirects, moves }: PagesRun): boolean => redirects.get(moves.get(source) ?? '')?.size === 1;

function recordMove(url: string, source: string, { parts, redirects, moves }: PagesRun): void {
  const own = urlSource(url);
  redirects.set(source, new Set(redirects.get(source)).add(own));
  for (const before of [own, storedSourceOf(url, parts.memory)])
    if (before !== undefined && before !== source && new URL(before).host === new URL(source).host) moves.set(before, source);
}

/** The source under which the page of an address was stored, unless that source is the address of a page of its own. */
function storedSourceOf(url: string, memory: PageMemory | undefined): string | undefined {
  const own = urlSource(url);
  const source = memory?.storedUnder(own);
  return source === undefined || source === own || memory?.storedUnder(source) !== source ? source : undefined;
}

async function toItem({ url, read }: { url: string; read: PageRead }, run: PagesRun): Promise<Extracted> {
  const { parts, stored } = run;
  const { memory, reader } = parts;
  if ('failed' in read) {
    const stored_as = isPageGone(read.failed) ? storedSourceOf(url, memory) : memory?.storedUnder(urlSource(url));
    if (isPageGone(read.failed)) await memory?.forget(urlSource(url));
    return failedPageItem(read.failed, url, { stage: read.stage, stored_as });
  }
  if ('redirect' in read || 'unreadable' in read)
    return failedPageItem(unreadableError(urlSource(url), 'unreadable' in read ? read.unreadable : '', reader), url, { stage: 'convert' });
  const known = 'page' in read ? toRememberedPage(read.page, parts) : read.unchanged;
  const source = known.found;
  if ('page' in read && !read.page.isRendered && ownFrames(read.page).length > 0) run.framed.add(source);
  if (read.isMoved) recordMove(url, source, run);
  await memory?.remember(urlSource(url), { ...known, source });
  if (stored.has(source)) return { expected: -1 };
  stored.add(source);
  const loaded = 'page' in read ? read.page : undefined;
  return { candidate: pageCandidate({ page: { url, depth: 0 }, source, known, loaded }, parts) };
}
