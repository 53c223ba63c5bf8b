import { advice, setting } from '../../../core/advice/advice.ts';
import type { NetworkParts } from '../extract.ts';
import { isAbort, KbError } from '../../../core/errors.ts';
import { type DocumentReader, GIVEN_TYPES, MARKDOWN_MEDIA_TYPE, type ParsedDocument, type Renderer } from '../../../ports/reading.ts';
import { urlSource, addressKey, isRoute, normalizeAddress } from './web-addresses.ts';
import { callerHeaders } from '../../../http/client.ts';
import { statusError } from '../../../http/status-errors.ts';
import { toUtf8, type ResponseHead, type HttpRequest, type HttpResponse, type RunInTurn } from '../../../http/message.ts';
import { hash } from '../../../core/ids.ts';
import { retry } from '../../../core/retry.ts';
import type { Config } from '../../../schema/config.ts';
import type { Stage } from '../../../schema/items.ts';
import { assertIsContent, hasMoreLetters, browserNeed } from './error-page.ts';
import type { HostLimiter } from './host-limiter.ts';
import type { PageMemory, RememberedPage } from './page-memory.ts';

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
  if (remembered?.isFresh) return resumedPage(url, remembered, options);
  const read = async (): Promise<PageRead> => {
    if (URL.canParse(url) && isRoute(new URL(url))) return readRoute(url, parts, options);
    if (remembered?.isRendered && !remembered.isPassedOver && parts.settings.render !== 'never') return renderPage(url, parts, options);
    const answer = await requestPage(url, remembered, { parts, options });
    return 'failed' in answer ? answer : readAnswer(answer, { parts, options, remembered });
  };
  const result = await catchFailure(read, { stage: 'fetch' });
  if ('page' in result) parts.onRead?.(result.page);
  return result;
}

/** Reads a route, which only a browser can. */
async function readRoute(url: string, parts: PageParts, options: PageOptions): Promise<PageRead> {
  if (parts.settings.render !== 'never') return renderPage(url, parts, options);
  throw new KbError('setup', `${urlSource(url)} is a route after #, which scripts of the site write: only a browser reads it.`, {
    hint: advice`Set ${setting('ingestion.urls.render', 'auto')}.`,
  });
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

interface SentBytes {
  source: string;
  file_type: string;
  headers?: Readonly<Record<string, string>>;
  content_type: string;
  isRendered?: boolean;
}

const parsePage = (
  bytes: Uint8Array,
  { source, file_type, headers = {}, content_type, isRendered = false }: SentBytes,
  { reader, signal, settings }: PageParts,
) =>
  catchFailure(
    async () => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      const isPage = file_type === reader.page.file_type;
      const isUnfinished = !isRendered && settings.render !== 'never' && browserNeed(bytes, parsed) !== 'none';
      if (isPage) assertIsContent(source, { ...parsed, html: bytes, headers, isUnfinished });
      else if (content_type.startsWith('text/')) assertIsContent(source, { ...parsed, html: new Uint8Array(), headers });
      return parsed;
    },
    { stage: 'convert', file_type },
  );

/** Makes the result of a page that the interrupted crawl has already read. */
const resumedPage = (url: string, remembered: RememberedPage, { redirect }: PageOptions): PageRead =>
  redirect === 'manual' && remembered.found !== urlSource(url)
    ? { redirect: remembered.found, isLasting: false }
    : { unchanged: remembered };

interface PageTask {
  parts: PageParts;
  options: PageOptions;
}

/** Requests a page, conditionally (ETag, Last-Modified) if it is remembered. */
async function requestPage(
  url: string,
  remembered: RememberedPage | undefined,
  { parts, options }: PageTask,
): Promise<HttpResponse | FailedPage> {
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
  return isTrusted ? answer : requestPage(url, undefined, { parts, options });
}

/** Whether the address still leads to the remembered page. */
const isRemembered = (remembered: RememberedPage | undefined, { url }: HttpResponse): remembered is RememberedPage =>
  remembered?.found === urlSource(url);

/** The robots tags that forbid indexing the page or following its links. */
const robotsTagsOf = ({ headers, repeated }: ResponseHead): readonly string[] =>
  (repeated?.['x-robots-tag'] ?? [headers['x-robots-tag'] ?? '']).filter((tag) => /noindex|nofollow|none/i.test(tag));

/** The texts of a site for language models (llmstxt.org), which are Markdown. */
const LLMS_TEXT = /\/llms(?:-full)?\.txt$/;

interface RememberedTask extends PageTask {
  remembered: RememberedPage | undefined;
}

async function readAnswer(answer: HttpResponse, { parts, options, remembered }: RememberedTask): Promise<PageRead> {
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
  const parsed = await parsePage(bytes, { source: urlSource(answer.url), file_type, headers, content_type }, parts);
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
  const parsed = await parsePage(rendered.bytes, { source, file_type, content_type: '', isRendered: true }, parts);
  if ('failed' in parsed) return parsed;
  const bytes_hash = hash(rendered.bytes).slice(0, 32);
  const { status: status_code, robots_tags = [], isCut = false } = rendered;
  return { page: { url: found, status_code, file_type, parsed, bytes_hash, isRendered: true, isCut, headers: {}, robots_tags } };
}

/** Whether two addresses are of the same page: a script may add a slash or analytics parameters. */
const isSamePage = (asked: string, found: string): boolean => pageKey(asked) === pageKey(found);

function pageKey(address: string): string | undefined {
  const url = normalizeAddress(address);
  return url && addressKey(url);
}
