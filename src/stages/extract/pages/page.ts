import { isAbort, KbError } from '../../../core/errors.ts';
import type { DocumentReader, ParsedDocument, Renderer } from '../../../ports/reading.ts';
import { type NetworkParts, urlSource } from './network.ts';
import { givenHeaders } from '../../../http/exchange.ts';
import { statusError } from '../../../http/status-errors.ts';
import { inUtf8, type AnswerHead, type HttpAnswer, type InTurn } from '../../../http/message.ts';
import { hash } from '../../../core/ids.ts';
import type { Config } from '../../../schema/config.ts';
import type { Stage } from '../../../schema/items.ts';
import { keyOf, normalized } from './crawl/page-address.ts';
import { assertIsAsked, hasMoreLetters, needOfBrowser } from './error-page.ts';
import type { PageMemory, RememberedPage } from './page-memory.ts';

/** Of a web page: one of 10 MB takes the gigabyte that a reader has (measured: short paragraphs), and the largest that people write are near it. */
const MOST_HTML = 16 * 2 ** 20;

/** How many bytes a page of this kind may have, whatever the configuration says. */
const mostBytesOf = (file_type: string | undefined, reader: DocumentReader): number =>
  file_type === reader.page.file_type ? MOST_HTML : Infinity;

/** What is said of a page that has more. */
export const tooLarge = (url: string, file_type: string, reader: DocumentReader): KbError =>
  new KbError(
    'too_large',
    `${urlSource(url)} is too large for a web page: it exceeds the limit of ${mostBytesOf(file_type, reader)} bytes.`,
    {
      hint: 'Have it split, or leave it out.',
    },
  );

export interface PageParts extends NetworkParts {
  settings: Config['ingestion']['urls'];
  /** Opens pages in a browser, which starts with the first one. */
  renderer: Renderer;
  /** Absent where nothing is kept between two runs. */
  memory?: PageMemory | undefined;
  /** Told why no browser could be started for a page that may hold more in one, and is taken as it was sent. */
  onUnopened?: ((source: string, reason: KbError) => void) | undefined;
}

export interface PageOptions {
  /** What is sent with an address, and to its origin alone. */
  given?: ((url: string) => Readonly<Record<string, string>>) | undefined;
  /** `manual`: where a page leads elsewhere, that is what is handed back. */
  redirect?: 'follow' | 'manual' | undefined;
  /** Whether the page is wanted, by its media type and what else comes before it; whatever can be read where absent. */
  isWanted?: ((head: AnswerHead) => boolean) | undefined;
  /** Does the work when it is its turn: what the site asks for in manners. */
  inTurn?: InTurn | undefined;
  /** Bytes that the page may have in this try, where that is less than it may have at all. */
  max_bytes?: number | undefined;
}

/** A page that was read just now. */
export interface LoadedPage {
  /** Where it was found in the end. Holds the credentials that it was asked with: `sourceOf` before it goes anywhere. */
  url: string;
  status_code: number;
  file_type: string;
  parsed: ParsedDocument;
  /** Of the bytes that were read. */
  bytes_hash: string;
  isRendered: boolean;
  /** Names in lower case; none where a browser was sent. */
  headers: Readonly<Record<string, string>>;
  /** What the headers `X-Robots-Tag` say, one after another. */
  robots_tags: readonly string[];
  /** It may hold more in a browser, and there was none: the same bytes may be another page the next time. */
  isUnopened?: boolean;
}

/** What came of a page (`isMoved`: its address leads elsewhere for good, and was followed); what is `unreadable` is named by its media type; of what failed once it was there, its kind is known (`isCutOff`: it has more bytes than this try was given, and not more than it may have). */
export type PageRead =
  | { page: LoadedPage; isMoved?: boolean | undefined }
  | { unchanged: RememberedPage; isMoved?: boolean | undefined }
  | Redirect
  | { unreadable: string }
  | { failed: unknown; stage: Stage; file_type?: string | undefined; isCutOff?: boolean };

/** Where a page leads elsewhere. `isLasting`: it is not there any more, and not merely elsewhere for now. */
export interface Redirect {
  redirect: string;
  isLasting: boolean;
}

/** Reads one page: fetched first, and opened in a browser where the configuration or the page asks for it. One that is as it was remembered is not parsed. */
export async function readPage(url: string, parts: PageParts, options: PageOptions = {}): Promise<PageRead> {
  const remembered = parts.memory?.recall(urlSource(url));
  if (remembered?.isFresh) return freshPage(url, remembered, options);
  const read = async (): Promise<PageRead> => {
    if (remembered?.isRendered && !remembered.isPassedOver && parts.settings.render !== 'never') return renderedPage(url, parts, options);
    const answer = await answerOf(url, remembered, { parts, options });
    return 'failed' in answer ? answer : readAnswer(answer, { parts, options, remembered });
  };
  return attempted(read, { stage: 'fetch' });
}

type FailedPage = Extract<PageRead, { failed: unknown }>;

/** What the work gives, or its failure as data. Throws where it was aborted. */
async function attempted<T>(work: () => Promise<T>, at: Omit<FailedPage, 'failed'>): Promise<T | FailedPage> {
  try {
    return await work();
  } catch (error) {
    if (isAbort(error)) throw error;
    return { failed: error, ...at };
  }
}

const convert = (bytes: Uint8Array, { source, file_type }: { source: string; file_type: string }, { reader, signal }: PageParts) =>
  attempted(
    async () => {
      const parsed = await reader.read(bytes, { source, file_type, signal });
      if (file_type === reader.page.file_type) assertIsAsked(source, bytes, parsed);
      return parsed;
    },
    { stage: 'convert', file_type },
  );

/** A page that needs not be asked for. */
const freshPage = (url: string, remembered: RememberedPage, { redirect }: PageOptions): PageRead =>
  redirect === 'manual' && remembered.found !== urlSource(url)
    ? { redirect: remembered.found, isLasting: false }
    : { unchanged: remembered };

interface Way {
  parts: PageParts;
  options: PageOptions;
}

const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();

/** The answer to a request that, with something remembered, need not be answered in full where nothing has changed. */
async function answerOf(url: string, remembered: RememberedPage | undefined, { parts, options }: Way): Promise<HttpAnswer | FailedPage> {
  const { http, reader, signal } = parts;
  const { inTurn, isWanted = () => true, max_bytes: most = Infinity } = options;
  const { etag, last_modified } = remembered?.isRendered ? {} : (remembered ?? {});
  const headers = {
    accept: `${reader.page.media_types.join(', ')}, */*;q=0.8`,
    ...options.given?.(url),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(last_modified === undefined ? {} : { 'if-modified-since': last_modified }),
  };
  const reads = (head: AnswerHead) => isWanted(head) && (reader.fileTypeOf(head) !== undefined || reader.isToldByBytes(head));
  const accepts = etag === undefined && last_modified === undefined ? [] : [304];
  let isLess = false;
  const max_bytes = (head: AnswerHead) => {
    const may = mostBytesOf(reader.fileTypeOf(head), reader);
    isLess = most < may;
    return Math.min(most, may);
  };
  const given = { signal, headers, accepts, reads, max_bytes, inTurn, redirect: options.redirect };
  const answer = await attempted(() => http.request(url, given), { stage: 'fetch' });
  if ('failed' in answer) return { ...answer, isCutOff: isLess && answer.failed instanceof KbError && answer.failed.code === 'too_large' };
  const isTrusted = answer.status !== 304 || (isOf(remembered, answer) && tagsOf(answer).length === 0);
  return isTrusted ? answer : answerOf(url, undefined, { parts, options });
}

/** Whether what is remembered of an address is of the page that it leads to today. */
const isOf = (remembered: RememberedPage | undefined, { url }: HttpAnswer): remembered is RememberedPage =>
  remembered?.found === urlSource(url);

/** Those that ask for something to be left. */
const tagsOf = ({ headers, repeated }: AnswerHead): readonly string[] =>
  (repeated?.['x-robots-tag'] ?? [headers['x-robots-tag'] ?? '']).filter((tag) => /noindex|nofollow|none/i.test(tag));

interface Asked extends Way {
  remembered: RememberedPage | undefined;
}

async function readAnswer(answer: HttpAnswer, { parts, options, remembered }: Asked): Promise<PageRead> {
  const { reader, settings } = parts;
  const { status, content_type, headers, isMoved } = answer;
  if (status === 304 && remembered) return { unchanged: remembered, isMoved };
  if (status >= 300) return { redirect: locationOf(answer), isLasting: status === 301 || status === 308 };
  const file_type = options.isWanted?.(answer) === false ? undefined : reader.fileTypeOf(answer);
  if (file_type === undefined) return { unreadable: content_type };
  if (answer.bytes.length > mostBytesOf(file_type, reader)) throw tooLarge(answer.url, file_type, reader);
  const bytes = inUtf8(answer);
  const robots_tags = tagsOf(answer);
  const bytes_hash = hash(bytes, ...robots_tags).slice(0, 32);
  if (remembered?.bytes_hash === bytes_hash && isOf(remembered, answer)) return { unchanged: remembered, isMoved };
  const parsed = await convert(bytes, { source: urlSource(answer.url), file_type }, parts);
  if ('failed' in parsed) return parsed;
  const page: LoadedPage = { url: answer.url, status_code: status, file_type, parsed, bytes_hash, isRendered: false, headers, robots_tags };
  if (file_type !== reader.page.file_type || settings.render === 'never') return { page, isMoved };
  const best = await bestOf(page, bytes, { parts, options });
  return 'page' in best ? { ...best, isMoved } : best;
}

/** The page as it was fetched, or as a browser shows it where that is asked for or holds more. */
async function bestOf(page: LoadedPage, html: Uint8Array, { parts, options }: Way): Promise<PageRead> {
  const isAlways = parts.settings.render === 'always';
  const need = isAlways ? 'surely' : needOfBrowser(html, page.parsed);
  if (need === 'none') return { page };
  const read = await attempted(() => renderedPage(page.url, parts, options), { stage: 'fetch', file_type: page.file_type });
  if ('failed' in read) {
    const { failed } = read;
    if (need === 'surely') return read;
    if (!(failed instanceof KbError && failed.code === 'setup')) return { page };
    parts.onUnopened?.(urlSource(page.url), failed);
    return { page: { ...page, isUnopened: true } };
  }
  const isMore = isAlways || !('page' in read) || hasMoreLetters(read.page.parsed.text, page.parsed.text);
  if (!isMore) return { page };
  return 'page' in read ? { page: { ...read.page, robots_tags: [...page.robots_tags, ...read.page.robots_tags] } } : read;
}

function locationOf({ url, status, headers }: HttpAnswer): string {
  const { location } = headers;
  if (location !== undefined && URL.canParse(location, url)) return new URL(location, url).href;
  throw new KbError('invalid', `${urlSource(url)} answered with status ${status} and does not say where it leads.`, {
    hint: 'Tell those who run the site.',
  });
}

async function renderedPage(url: string, parts: PageParts, options: PageOptions): Promise<PageRead> {
  const { renderer, reader, signal } = parts;
  const { inTurn = atOnce } = options;
  const headers = { ...givenHeaders(new URL(url)), ...options.given?.(url) };
  const rendered = await inTurn(() => renderer.render(url, { given: { headers }, signal }), signal);
  const found = isSamePage(url, rendered.url) ? url : rendered.url;
  const source = urlSource(found);
  if (rendered.status >= 400) throw statusError(source, rendered.status);
  if (options.redirect === 'manual' && found !== url) return { redirect: found, isLasting: false };
  const file_type = reader.page.file_type;
  if (rendered.bytes.length > mostBytesOf(file_type, reader)) throw tooLarge(found, file_type, reader);
  const parsed = await convert(rendered.bytes, { source, file_type }, parts);
  if ('failed' in parsed) return parsed;
  const bytes_hash = hash(rendered.bytes).slice(0, 32);
  const { status: status_code, robots_tags = [] } = rendered;
  return { page: { url: found, status_code, file_type, parsed, bytes_hash, isRendered: true, headers: {}, robots_tags } };
}

/** A script may write a slash or what analytics add into the address of its page. */
const isSamePage = (asked: string, found: string): boolean => pageKey(asked) === pageKey(found);

function pageKey(address: string): string | undefined {
  const url = normalized(address);
  return url && keyOf(url);
}
