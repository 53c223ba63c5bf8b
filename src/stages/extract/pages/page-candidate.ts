import type { RememberedPage } from './page-memory.ts';
import { SITE_CREDENTIALS_ADVICE } from '../../../core/advice/advice.ts';
import { KbError, toErrorItem } from '../../../core/errors.ts';
import { type DocumentReader, GIVEN_TYPES } from '../../../ports/reading.ts';
import type { Stage } from '../../../schema/items.ts';
import { type Candidate, contentHash, type Extracted, unreadError } from '../extract.ts';
import { makeDocument } from '../../text-thread.ts';
import { markdownLinks, normalizeAddress, urlSource } from './web-addresses.ts';
import { robotsDirectives } from './crawl/crawl-rules.ts';
import { type LoadedPage, type PageOptions, type PageParts, readPage } from './page.ts';
import type { Progress } from '../../../core/run.ts';

interface PlacedPage {
  source: string;
  depth: number;
}

/** Hashes the text of a page instead of its bytes, which may differ at each visit. */
const pageHash = ({ parsed: { text, title = '', metadata } }: LoadedPage, { frontmatter }: PageParts['settings']): string =>
  contentHash(JSON.stringify([text, title, metadata]), { frontmatter });

/** Makes the candidate of a page that was read. */
export function pageCandidate(page: LoadedPage, { source, depth }: PlacedPage, settings: PageParts['settings']): Candidate {
  return {
    source,
    source_kind: 'url',
    isFetched: true,
    content_hash: pageHash(page, settings),
    document: async () => pageDocument(page, source, settings),
    page: { depth, status_code: page.status_code },
  };
}

/** Makes the candidate of an unchanged page, which is read only if its document is not stored. */
export function unchangedCandidate(
  { content_hash, status_code }: RememberedPage,
  { url, source, depth }: PlacedPage & { url: string },
  { parts, options }: { parts: PageParts; options?: PageOptions },
): Candidate {
  const document = async () => {
    const read = await readPage(url, { ...parts, memory: undefined }, { ...options, redirect: 'follow' });
    if ('page' in read) return pageDocument(read.page, source, parts.settings);
    throw 'failed' in read ? read.failed : unreadableError(source, 'unreadable' in read ? read.unreadable : '', parts.reader);
  };
  return { source, source_kind: 'url', isFetched: true, content_hash, document, page: { depth, status_code } };
}

const pageDocument = ({ parsed, file_type, bytes_hash }: LoadedPage, source: string, { frontmatter }: PageParts['settings']) =>
  makeDocument(parsed, { source, source_kind: 'url', file_type, content_hash: bytes_hash, frontmatter });

/** Maximum different links of a page in Markdown that are followed: far more than any page of links has. */
const MAX_WRITTEN = 100_000;

/** The routes of a page, for which its scripts write other pages of the site. */
export const ownRoutes = ({ url, parsed: { page } }: LoadedPage): string[] =>
  (page?.routes ?? []).filter((address) => new URL(address).origin === new URL(url).origin);

/**
 * The links of a page that a crawl follows: addresses on its own origin, without those that log out, the frames whose content is not in its text, and the
 * routes of a page that a browser had to open.
 */
function outlinks(loaded: LoadedPage): string[] {
  const { url, file_type, isRendered, parsed } = loaded;
  const { page, text } = parsed;
  const { origin } = new URL(url);
  const isMarkdown = page === undefined && file_type === GIVEN_TYPES.markdown;
  const written = isMarkdown ? [...new Set(markdownLinks(text))].slice(0, MAX_WRITTEN) : [];
  const named = [...(page?.links ?? []), ...(page?.frames ?? []), ...(isRendered ? ownRoutes(loaded) : []), ...written];
  const actions = new Set(page?.actions.map((address) => normalizeAddress(address)));
  const own = named.flatMap((address) => normalizeAddress(address, url) ?? []);
  return [...new Set(own)].filter((address) => address.startsWith(`${origin}/`) && !actions.has(address));
}

/** Extracts what is remembered of a page that was read, except its source. */
export function rememberedPage(
  page: LoadedPage,
  { settings, user_agent }: Pick<PageParts, 'settings'> & { user_agent: string },
): RememberedPage {
  const { parsed, status_code, bytes_hash, isRendered, isBrowserMissing = false, headers, robots_tags } = page;
  const isAlwaysRead = isRendered || isBrowserMissing; // the server cannot say that it is unchanged
  const { noindex, nofollow } = robotsDirectives({ page: parsed.page, robots_tags }, user_agent);
  const links = nofollow ? [] : outlinks(page);
  const canonical = parsed.page?.canonical === undefined ? undefined : normalizeAddress(parsed.page.canonical);
  const isLinkList = parsed.page !== undefined && parsed.text.trim() === '' && links.length > 0;
  return {
    found: urlSource(page.url),
    canonical: canonical && urlSource(canonical) === canonical ? canonical : undefined, // without its credentials it could not be requested
    isPassedOver: isLinkList || noindex,
    status_code,
    content_hash: pageHash(page, settings),
    bytes_hash: isAlwaysRead ? undefined : bytes_hash,
    // a 304 response does not say whether the robots header is still there
    ...(isAlwaysRead || robots_tags.length > 0 ? {} : { etag: headers.etag, last_modified: headers['last-modified'] }),
    isRendered,
    links,
  };
}

/**
 * Makes the error item of a page that could not be read; with 404 or 410 it is gone. `stored_as`: the source it is stored under; `from`: the page that
 * links to it.
 */
export function failedPageItem(
  error: unknown,
  url: string,
  { stage, stored_as, from }: { stage: Stage; stored_as?: string | undefined; from?: string | undefined },
): Extract<Extracted, { error: unknown }> {
  const source = urlSource(url);
  const known = unreadError(source, error);
  const item = toErrorItem(from !== undefined && isPageGone(known) ? withLinkingPage(known, from) : known, {
    source,
    source_kind: 'url',
    stage,
  });
  return {
    error: item.isRetryable ? { ...item, retry_input: { url: source } } : item,
    ...(isPageGone(error) ? { isGone: true } : {}),
    ...(stored_as === undefined ? {} : { stored_as }),
  };
}

/** Adds the page with the broken link to an error. */
const withLinkingPage = ({ code, message, attempts, cause }: KbError, from: string): KbError =>
  new KbError(code, `${message.replace(/\.$/, '')} (linked from ${from}).`, {
    hint: 'Fix that link, or leave the page out (exclude).',
    attempts,
    cause,
  });

/** Whether a failure says that the page no longer exists: by its status. A page that only says so may be back soon. */
export const isPageGone = (error: unknown): boolean => error instanceof KbError && error.code === 'not_found' && !error.isRetryable;

/** Makes the error for a page of a media type that kb cannot read. */
export const unreadableError = (source: string, content_type: string, { extensions }: DocumentReader): KbError =>
  new KbError('invalid', `${source} is «${content_type || 'of no named type'}», which kb cannot read.`, {
    hint: `It reads web pages and ${extensions.join(', ')}.`,
  });

/** Makes the error for an address with too many redirects or a loop. */
export const redirectLoopError = (url: string, max_redirects: number): KbError =>
  new KbError('invalid', `${urlSource(url)} redirects in a loop, or more than ${max_redirects} times.`, {
    hint: ['Open it in a browser: it may need a cookie or a login.', SITE_CREDENTIALS_ADVICE],
  });

/** A page in the events of a stream (contract, section 4). */
export interface PageEventData {
  url: string;
  /** Empty if the page has none, or was not read because it is unchanged. */
  title: string;
  depth: number;
  status_code: number;
  document_id: string;
}

/** Makes the event of a page; with `verbose` it has a message: `200  depth 1  https://…  Title`. */
export const pageEvent = (page: PageEventData, { verbose }: { verbose: boolean }): Progress => ({
  type: 'page',
  stage: 'crawl',
  message: verbose ? [page.status_code, `depth ${page.depth}`, page.url, page.title].join('  ').trimEnd() : '',
  data: { ...page },
});
