import { advice, setting, SITE_CREDENTIALS_ADVICE } from '../../../core/advice/advice.ts';
import { isAbort, KbError, toErrorItem } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { retry } from '../../../core/retry.ts';
import type { Progress } from '../../../core/run.ts';
import { callerHeaders } from '../../../http/client.ts';
import { toUtf8, type ResponseHead, type HttpRequest, type HttpResponse, type RunInTurn } from '../../../http/message.ts';
import { statusError } from '../../../http/status-errors.ts';
import { type DocumentReader, GIVEN_TYPES, MARKDOWN_MEDIA_TYPE, type ParsedDocument, type Renderer } from '../../../ports/reading.ts';
import type { Config } from '../../../schema/config.ts';
import type { Stage } from '../../../schema/items.ts';
import { makeDocument } from '../../text-thread.ts';
import { type Candidate, contentHash, type Extracted, type NetworkParts, unreadError } from '../extract.ts';
import { robotsDirectives } from './crawl/crawl-rules.ts';
import { assertIsContent, hasMoreLetters, browserNeed } from './error-page.ts';
import type { HostLimiter } from './host-limiter.ts';
import type { PageMemory, RememberedPage } from './page-memory.ts';
import { addressKey, isRoute, markdownLinks, normalizeAddress, urlSource } from './web-addresses.ts';

/** Maximum bytes of a web page, whatever the configuration says: a parser needs a gigabyte for a page of 10 MB with short paragraphs. */
const MAX_HTML = 16 * 2 ** 20;

const maxBytes = (file_type: string | undefined, reader: DocumentReader): number =>
  file_type === reader.page.file_type ? MAX_HTML : Infinity;

function assertSize(bytes: Uint8Array, { url, file_type }: { url: string; file_type: string }, reader: DocumentReader): void {
  const limit = maxBytes(file_type, reader);
  if (bytes.length <= limit) return;
  throw new KbError('too_large', `${urlSource(url)} is too large for a web page: it exceeds the limit of ${limit} bytes.`, {
    hint: 'Have it split, or leave it out.',
  });
}

/** The dependencies of reading a page. */
export interface PageParts extends NetworkParts {
  settings: Config['ingestion']['urls'];
  /** Opens pages in a browser, which starts with the first one. */
  renderer: Renderer;
  /** User agent of this program, which robots.txt may name. */
  user_agent: string;
  /** Maximum consecutive redirects in a crawl (`network.max_redirects`; `http` applies it to single pages). */
  max_redirects: number;
  /** Limits requests per host; shared by all runs. */
  host_limiter: HostLimiter;
  /** The memory of earlier runs; absent if nothing is kept between runs. */
  memory?: PageMemory | undefined;
  /** Sources stored before this run, if it removes those that are gone: a crawl asks for each before it counts as gone. */
  prunable?: ReadonlySet<string> | undefined;
  /** Called with the reason if no browser could be started for a page that may need one; the fetched page is used. */
  onBrowserMissing?: ((source: string, reason: KbError) => void) | undefined;
  /** Called with each page that was read. */
  onRead?: ((page: LoadedPage) => void) | undefined;
}

/** Options of one request. */
export interface PageOptions {
  /** Headers to send to an address; they must go to its origin only. */
  given?: ((url: string) => Readonly<Record<string, string>>) | undefined;
  /** `manual`: a redirect is returned instead of followed. */
  redirect?: 'follow' | 'manual' | undefined;
  /** Decides by the head of the response whether the page is read. Default: if there is a parser for it. */
  isWanted?: ((head: ResponseHead) => boolean) | undefined;
  /** Runs a request when the host may get the next one. Default: at most eight at once. */
  inTurn?: RunInTurn | undefined;
  /** Maximum bytes in this attempt, if less than the general limit. */
  max_bytes?: number | undefined;
}

/** A page that was fetched and parsed. */
export interface LoadedPage {
  /** Final address, after redirects. It may contain credentials: use `urlSource` before it is stored or shown. */
  url: string;
  status_code: number;
  file_type: string;
  parsed: ParsedDocument;
  /** Hash of the content. */
  bytes_hash: string;
  isRendered: boolean;
  /** Whether it loads more as one scrolls than was read. */
  isCut?: boolean;
  /** Response headers with lower-case names; empty if a browser fetched the page. */
  headers: Readonly<Record<string, string>>;
  /** Values of the `X-Robots-Tag` headers, in order. */
  robots_tags: readonly string[];
  /** Whether it may need a browser but none could be started: the same bytes may give another page next time. */
  isBrowserMissing?: boolean;
}

/**
 * Result of reading a page. `isMoved`: its address redirected permanently. `unreadable`: its media type, which has no parser. `failed`: the
 * error, its stage, and the file type if known; `isCutOff`: the page exceeds the limit of this attempt, but not the general one.
 */
export type PageRead =
  | { page: LoadedPage; isMoved?: boolean | undefined }
  | { unchanged: RememberedPage; isMoved?: boolean | undefined }
  | Redirect
  | { unreadable: string }
  | { failed: unknown; stage: Stage; file_type?: string | undefined; isCutOff?: boolean };

/** A redirect that was not followed. `isLasting`: it is permanent. */
export interface Redirect {
  redirect: string;
  isLasting: boolean;
}

/**
 * Reads a page, in a browser if the configuration or the page requires that. An unchanged page is not parsed. Failures are returned; it throws only if
 * aborted.
 */
export async function readPage(url: string, parts: PageParts, options: PageOptions = {}): Promise<PageRead> {
  const remembered = parts.memory?.recall(urlSource(url));
  if (remembered?.isFresh) {
    const { found } = remembered; // the interrupted crawl has already read it
    return options.redirect === 'manual' && found !== urlSource(url) ? { redirect: found, isLasting: false } : { unchanged: remembered };
  }
  const read = async (): Promise<PageRead> => {
    const needsBrowser = URL.canParse(url) && isRoute(new URL(url));
    const mayRender = parts.settings.render !== 'never';
    if (needsBrowser && !mayRender)
      throw new KbError('setup', `${urlSource(url)} is a route after #, which scripts of the site write: only a browser reads it.`, {
        hint: advice`Set ${setting('ingestion.urls.render', 'auto')}.`,
      });
    if (needsBrowser || (remembered?.isRendered && remembered.passed_over === undefined && mayRender))
      return renderPage(url, parts, options);
    const answer = await requestPage(url, { parts, options, remembered });
    return 'failed' in answer ? answer : readAnswer(answer, { parts, options, remembered });
  };
  const result = await catchFailure(read, { stage: 'fetch' });
  if ('page' in result) parts.onRead?.(result.page);
  return result;
}

type FailedPage = Extract<PageRead, { failed: unknown }>;

/** Returns the result of the work, or its failure as data. Throws if aborted. */
async function catchFailure<T>(work: () => Promise<T>, at: Omit<FailedPage, 'failed'>): Promise<T | FailedPage> {
  try {
    return await work();
  } catch (error) {
    if (isAbort(error)) throw error;
    return { failed: error, ...at };
  }
}

/** Parses a page. `headers`: those of the response; absent if a browser has opened the page. */
const parsePage = (
  bytes: Uint8Array,
  { source, file_type, headers }: { source: string; file_type: string; headers?: HttpResponse['headers'] },
  { reader, signal, settings }: PageParts,
) =>
  catchFailure(
    async () => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      const isUnfinished = headers !== undefined && settings.render !== 'never' && browserNeed(bytes, parsed) !== 'none';
      if (file_type === reader.page.file_type) assertIsContent(source, { ...parsed, html: bytes, headers, isUnfinished });
      else if (/^text\//i.test(headers?.['content-type'] ?? '')) assertIsContent(source, { ...parsed, html: new Uint8Array(), headers });
      return parsed;
    },
    { stage: 'convert', file_type },
  );

interface PageTask {
  parts: PageParts;
  options: PageOptions;
  /** What is known of the page from earlier runs. */
  remembered?: RememberedPage | undefined;
}

/** Requests a page, conditionally (ETag, Last-Modified) if it is remembered. */
async function requestPage(url: string, { parts, options, remembered }: PageTask): Promise<HttpResponse | FailedPage> {
  const { http, reader, host_limiter, signal } = parts;
  const { inTurn = host_limiter.limiterFor(url), isWanted = () => true, max_bytes: attemptLimit = Infinity } = options;
  const { etag, last_modified } = remembered?.isRendered ? {} : (remembered ?? {});
  const headers = {
    accept: `${MARKDOWN_MEDIA_TYPE}, ${reader.page.media_types.map((type) => `${type};q=0.9`).join(', ')}, */*;q=0.8`,
    ...options.given?.(url),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(last_modified === undefined ? {} : { 'if-modified-since': last_modified }),
  };
  const readsBody = (head: ResponseHead) => isWanted(head) && (reader.fileTypeOf(head) !== undefined || reader.needsBytesForType(head));
  const accepts = etag === undefined && last_modified === undefined ? [] : [304];
  let isReduced = false;
  const max_bytes = (head: ResponseHead) => {
    const generalLimit = maxBytes(reader.fileTypeOf(head), reader);
    isReduced = attemptLimit < generalLimit;
    return Math.min(attemptLimit, generalLimit);
  };
  const request: HttpRequest = { signal, headers, accepts, readsBody, max_bytes, inTurn, redirect: options.redirect };
  const answer = await catchFailure(() => http.request(url, request), { stage: 'fetch' });
  if ('failed' in answer)
    return { ...answer, isCutOff: isReduced && answer.failed instanceof KbError && answer.failed.code === 'too_large' };
  const isTrusted = answer.status !== 304 || (isRemembered(remembered, answer) && robotsTagsOf(answer).length === 0);
  return isTrusted ? answer : requestPage(url, { parts, options });
}

/** Whether the address still leads to the remembered page. */
const isRemembered = (remembered: RememberedPage | undefined, { url }: HttpResponse): remembered is RememberedPage =>
  remembered?.found === urlSource(url);

/** The robots tags that forbid indexing the page or following its links. */
const robotsTagsOf = ({ headers, repeated }: ResponseHead): readonly string[] =>
  (repeated?.['x-robots-tag'] ?? [headers['x-robots-tag'] ?? '']).filter((tag) => /noindex|nofollow|none/i.test(tag));

/** The texts of a site for language models (llmstxt.org), which are Markdown. */
const LLMS_TEXT = /\/llms(?:-full)?\.txt$/;

async function readAnswer(answer: HttpResponse, { parts, options, remembered }: PageTask): Promise<PageRead> {
  const { reader, settings } = parts;
  const { status, content_type, headers, isMoved } = answer;
  if (status === 304 && remembered) return { unchanged: remembered, isMoved };
  if (status >= 300) return { redirect: redirectTarget(answer), isLasting: status === 301 || status === 308 };
  const known = options.isWanted?.(answer) === false ? undefined : reader.fileTypeOf(answer);
  const file_type = known !== undefined && LLMS_TEXT.test(new URL(answer.url).pathname) ? GIVEN_TYPES.markdown : known;
  if (file_type === undefined) return { unreadable: content_type };
  assertSize(answer.bytes, { url: answer.url, file_type }, reader);
  const bytes = toUtf8(answer);
  const robots_tags = robotsTagsOf(answer);
  const bytes_hash = hash(bytes, ...robots_tags).slice(0, 32);
  if (remembered?.bytes_hash === bytes_hash && isRemembered(remembered, answer)) return { unchanged: remembered, isMoved };
  const parsed = await parsePage(bytes, { source: urlSource(answer.url), file_type, headers }, parts);
  if ('failed' in parsed) return parsed;
  const page: LoadedPage = { url: answer.url, status_code: status, file_type, parsed, bytes_hash, isRendered: false, headers, robots_tags };
  if (file_type !== reader.page.file_type || settings.render === 'never') return { page, isMoved };
  const best = await renderIfNeeded(page, bytes, { parts, options });
  return 'page' in best ? { ...best, isMoved } : best;
}

/** The frames of a page whose content a browser can read with it: those of its own origin. */
export const ownFrames = ({ url, parsed: { page } }: Pick<LoadedPage, 'url' | 'parsed'>): string[] =>
  page?.frames.filter((address) => new URL(address).origin === new URL(url).origin) ?? [];

/** Returns the fetched page, or the page as a browser shows it if that is required or has more text. */
async function renderIfNeeded(page: LoadedPage, html: Uint8Array, { parts, options }: PageTask): Promise<PageRead> {
  const isAlways = parts.settings.render === 'always';
  const textNeed = isAlways ? 'surely' : browserNeed(html, page.parsed);
  const need = textNeed === 'none' && ownFrames(page).length > 0 ? 'perhaps' : textNeed;
  if (need === 'none') return { page };
  const read = await catchFailure(() => renderPage(page.url, parts, options), { stage: 'fetch', file_type: page.file_type });
  if ('failed' in read) {
    const { failed } = read;
    if (need === 'surely') return read;
    if (!(failed instanceof KbError && failed.code === 'setup')) return { page };
    parts.onBrowserMissing?.(urlSource(page.url), failed);
    return { page: { ...page, isBrowserMissing: true } };
  }
  const isMore = isAlways || !('page' in read) || hasMoreLetters(read.page.parsed.text, page.parsed.text);
  if (!isMore) return { page };
  return 'page' in read ? { page: { ...read.page, robots_tags: [...page.robots_tags, ...read.page.robots_tags] } } : read;
}

function redirectTarget({ url, status, headers }: HttpResponse): string {
  const { location } = headers;
  if (location !== undefined && URL.canParse(location, url)) return new URL(location, url).href;
  throw new KbError('invalid', `${urlSource(url)} answered with status ${status} and does not say where it leads.`, {
    hint: 'Tell those who run the site.',
  });
}

/** Maximum refusals of a page in the browser by a host that asks for a slower pace. */
const MAX_REFUSALS = 3;

async function renderPage(url: string, parts: PageParts, options: PageOptions): Promise<PageRead> {
  const { renderer, reader, host_limiter, signal } = parts;
  const { inTurn = host_limiter.limiterFor(url) } = options;
  const headers = { ...callerHeaders(new URL(url)), ...options.given?.(url) };
  const render = () => inTurn(() => renderer.render(url, { site: { headers }, signal }), signal);
  const rendered = await retry(render, { attempts: 1, refusals: MAX_REFUSALS, signal });
  const found = isSamePage(url.replace(/#.*/s, ''), rendered.url) ? url : rendered.url;
  const source = urlSource(found);
  if (rendered.status >= 400) throw statusError(source, rendered.status);
  if (options.redirect === 'manual' && found !== url) return { redirect: found, isLasting: false };
  const file_type = reader.page.file_type;
  assertSize(rendered.bytes, { url: found, file_type }, reader);
  const parsed = await parsePage(rendered.bytes, { source, file_type }, parts);
  if ('failed' in parsed) return parsed;
  const bytes_hash = hash(rendered.bytes).slice(0, 32);
  const { status: status_code, robots_tags = [], isCut = false } = rendered;
  return { page: { url: found, status_code, file_type, parsed, bytes_hash, isRendered: true, isCut, headers: {}, robots_tags } };
}

/** Whether two addresses are of the same page: a script may add a slash or analytics parameters. */
function isSamePage(...addresses: [asked: string, found: string]): boolean {
  const [asked, found] = addresses.map((address) => normalizeAddress(address)).map((address) => address && addressKey(address));
  return asked === found;
}

/** A page that was read now, or is unchanged, and where its document belongs. */
export interface PlacedPage {
  /** The address that was requested, and its distance in links from the start of the crawl. */
  page: { url: string; depth: number };
  /** Its canonical address, or the address at which it was found. */
  source: string;
  known: RememberedPage;
  /** Absent if it is unchanged or was too large to keep: then it is read again if its document is not stored. */
  loaded?: LoadedPage | undefined;
}

/** Makes the candidate of a page. */
export function pageCandidate({ page, source, known, loaded }: PlacedPage, parts: PageParts, options: PageOptions = {}): Candidate {
  const { content_hash, status_code } = known;
  const { reader, settings } = parts;
  const document = async () => {
    const read = loaded ? { page: loaded } : await readPage(page.url, { ...parts, memory: undefined }, { ...options, redirect: 'follow' });
    if (!('page' in read))
      throw 'failed' in read ? read.failed : unreadableError(source, 'unreadable' in read ? read.unreadable : '', reader);
    const { parsed, file_type, bytes_hash } = read.page;
    const { frontmatter } = settings;
    return makeDocument(parsed, { source, source_kind: 'url', file_type, content_hash: bytes_hash, frontmatter });
  };
  return { source, source_kind: 'url', isFetched: true, content_hash, document, page: { depth: page.depth, status_code } };
}

/** Maximum different links of a page in Markdown that are followed: far more than any page of links has. */
const MAX_WRITTEN = 100_000;

/** The routes of a page, for which its scripts write other pages of the site. */
export const listRoutes = ({ url, parsed: { page } }: LoadedPage): string[] =>
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
  const named = [...(page?.links ?? []), ...(page?.frames ?? []), ...(isRendered ? listRoutes(loaded) : []), ...written];
  const actions = new Set(page?.actions.map((address) => normalizeAddress(address)));
  const addresses = named.flatMap((address) => normalizeAddress(address, url) ?? []);
  return [...new Set(addresses)].filter((address) => address.startsWith(`${origin}/`) && !actions.has(address));
}

/** The target of a Markdown link, without a title. */
const LINK_TARGET = /\]\([^()\s]{0,2000}\)/g;

/** Extracts what is remembered of a page that was read, except its source. */
export function toRememberedPage(page: LoadedPage, { settings, user_agent }: Pick<PageParts, 'settings' | 'user_agent'>): RememberedPage {
  const { parsed, status_code, bytes_hash, isRendered, isBrowserMissing = false, headers, robots_tags } = page;
  const { text, title = '', metadata } = parsed;
  const isAlwaysRead = isRendered || isBrowserMissing; // the server cannot say that it is unchanged
  const { noindex, nofollow } = robotsDirectives({ page: parsed.page, robots_tags }, user_agent);
  const links = nofollow ? [] : outlinks(page);
  const canonical = parsed.page?.canonical === undefined ? undefined : normalizeAddress(parsed.page.canonical);
  const isLinkList = parsed.page !== undefined && text.trim() === '' && links.length > 0;
  const passed_over = noindex ? ('noindex' as const) : isLinkList ? ('links' as const) : undefined;
  return {
    found: urlSource(page.url),
    canonical: canonical && urlSource(canonical) === canonical ? canonical : undefined, // without its credentials it could not be requested
    ...(passed_over === undefined ? {} : { passed_over }),
    status_code,
    // of the text instead of the bytes, which may differ at each visit
    content_hash: contentHash(JSON.stringify([text, title, metadata]), { frontmatter: settings.frontmatter }),
    text_hash: hash(text.replace(LINK_TARGET, ']')).slice(0, 32),
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
  const failure = unreadError(source, error);
  const item = toErrorItem(from !== undefined && isPageGone(failure) ? withLinkingPage(failure, from) : failure, {
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
  new KbError('invalid', `${source} is "${content_type || 'of no named type'}", which kb cannot read.`, {
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
