import { isAbort, KbError } from '../../base/errors.ts';
import { givenHeaders } from '../../base/http-exchange.ts';
import { statusError } from '../../base/http-error.ts';
import type { AnswerHead, HttpAnswer } from '../../base/http-message.ts';
import { hash } from '../../base/ids.ts';
import type { ParsedDocument, Renderer } from '../../ports/reading.ts';
import type { Config } from '../../schema/config.ts';
import type { Stage } from '../../schema/results.ts';
import { fileTypeOf, inUtf8 } from './media.ts';
import { sourceOf, type NetworkParts } from './network.ts';
import type { PageMemory, RememberedPage } from './page-memory.ts';
import { lettersOf, needOfBrowser } from './page-shell.ts';

export interface PageParts extends NetworkParts {
  settings: Config['ingestion']['urls'];
  /** Opens pages in a browser, which starts with the first one. */
  renderer: Renderer;
  /** Absent where nothing is kept between two runs. */
  memory?: PageMemory | undefined;
}

export interface PageOptions {
  /** Sent to the origin of the page. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** `manual`: where a page leads elsewhere, that is what is handed back. */
  redirect?: 'follow' | 'manual' | undefined;
  /** Whether the page is wanted, by its media type and what else comes before it; whatever can be read where absent. */
  isWanted?: ((head: AnswerHead) => boolean) | undefined;
  /** Does the work when it is its turn: what the site asks for in manners. */
  inTurn?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
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
}

/** What came of a page; what is `unreadable` is named by its media type; of what failed once it was there, its kind is known. */
export type PageRead =
  | { page: LoadedPage }
  | { unchanged: RememberedPage; url: string }
  | { redirect: string }
  | { unreadable: string }
  | { failed: unknown; stage: Stage; file_type?: string | undefined };

/** Reads one page: fetched first, and opened in a browser where the configuration or the page asks for it. One that is as it was remembered is not parsed. */
export async function readPage(url: string, parts: PageParts, options: PageOptions = {}): Promise<PageRead> {
  const remembered = parts.memory?.recall(sourceOf(url));
  if (remembered?.isFresh) return { unchanged: remembered, url };
  const at: At = { stage: 'fetch' };
  try {
    if (remembered?.isRendered && parts.settings.render !== 'never') return await renderedPage(url, parts, { ...options, at });
    const answer = await answerOf(url, remembered, { parts, options });
    return await readAnswer(url, answer, { parts, options, remembered, at });
  } catch (error) {
    if (isAbort(error)) throw error;
    return { failed: error, ...at };
  }
}

/** How far the work has come. */
interface At {
  stage: Stage;
  file_type?: string;
}

interface Way {
  parts: PageParts;
  options: PageOptions;
}

const atOnce = <T>(work: () => Promise<T>): Promise<T> => work();

/** The answer to a request that, with something remembered, need not be answered in full where nothing has changed. */
async function answerOf(url: string, remembered: RememberedPage | undefined, { parts, options }: Way): Promise<HttpAnswer> {
  const { http, reader, signal } = parts;
  const { inTurn = atOnce, isWanted = () => true } = options;
  const { etag, last_modified } = remembered?.isRendered ? {} : (remembered ?? {});
  const headers = {
    accept: 'text/html, application/xhtml+xml, */*;q=0.8',
    ...options.headers,
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(last_modified === undefined ? {} : { 'if-modified-since': last_modified }),
  };
  const reads = (head: AnswerHead) => isWanted(head) && fileTypeOf({ ...head, bytes: new Uint8Array() }, reader) !== undefined;
  const accepts = etag === undefined && last_modified === undefined ? [] : [304];
  const answer = await inTurn(() => http.request(url, { signal, headers, accepts, reads, redirect: options.redirect }));
  const isTrusted = answer.status !== 304 || isOf(remembered, url, answer);
  return isTrusted ? answer : answerOf(url, undefined, { parts, options });
}

/** Whether what is remembered of an address is of the page that it leads to today. */
const isOf = (remembered: RememberedPage | undefined, url: string, answer: HttpAnswer): remembered is RememberedPage =>
  remembered !== undefined && (sourceOf(answer.url) === sourceOf(url) || sourceOf(answer.url) === remembered.source);

interface Reading extends Way {
  remembered: RememberedPage | undefined;
  at: At;
}

async function readAnswer(url: string, answer: HttpAnswer, { parts, options, remembered, at }: Reading): Promise<PageRead> {
  const { reader, signal, settings } = parts;
  const { status, content_type, headers } = answer;
  if (status === 304 && remembered) return { unchanged: remembered, url: answer.url };
  if (status >= 300) return { redirect: locationOf(answer) };
  const file_type = options.isWanted?.(answer) === false ? undefined : fileTypeOf(answer, reader);
  if (file_type === undefined) return { unreadable: content_type };
  const bytes = inUtf8(answer);
  const bytes_hash = hash(bytes).slice(0, 32);
  if (remembered?.bytes_hash === bytes_hash && isOf(remembered, url, answer)) return { unchanged: remembered, url: answer.url };
  Object.assign(at, { stage: 'convert', file_type });
  const parsed = await reader.read(bytes, { source: sourceOf(answer.url), file_type, signal });
  const page: LoadedPage = { url: answer.url, status_code: status, file_type, parsed, bytes_hash, isRendered: false, headers };
  return file_type === reader.fileType('page.html') && settings.render !== 'never' ? bestOf(page, bytes, { parts, options, at }) : { page };
}

/** The page as it was fetched, or as a browser shows it where that is asked for or holds more. */
async function bestOf(page: LoadedPage, html: Uint8Array, { parts, options, at }: Omit<Reading, 'remembered'>): Promise<PageRead> {
  const isAlways = parts.settings.render === 'always';
  const need = isAlways ? 'surely' : needOfBrowser(html, page.parsed);
  if (need === 'none') return { page };
  try {
    const read = await renderedPage(page.url, parts, { ...options, at });
    const isMore = isAlways || !('page' in read) || lettersOf(read.page.parsed.text) > lettersOf(page.parsed.text);
    return isMore ? read : { page };
  } catch (error) {
    if (need === 'surely' || isAbort(error)) throw error;
    return { page };
  }
}

function locationOf({ url, status, headers }: HttpAnswer): string {
  const { location } = headers;
  if (location !== undefined && URL.canParse(location, url)) return new URL(location, url).href;
  throw new KbError('invalid', `${sourceOf(url)} answered with status ${status} and does not say where it leads.`, {
    hint: 'Tell those who run the site.',
  });
}

async function renderedPage(url: string, parts: PageParts, options: PageOptions & { at: At }): Promise<PageRead> {
  const { renderer, reader, signal } = parts;
  const { inTurn = atOnce, at } = options;
  at.stage = 'fetch';
  const headers = { ...givenHeaders(new URL(url)), ...options.headers };
  const rendered = await inTurn(() => renderer.render(url, { given: { headers }, signal }));
  const source = sourceOf(rendered.url);
  if (rendered.status >= 400) throw statusError(source, rendered.status, undefined);
  if (options.redirect === 'manual' && source !== sourceOf(url)) return { redirect: rendered.url };
  at.stage = 'convert';
  const file_type = reader.fileType('page.html')!;
  const parsed = await reader.read(rendered.bytes, { source, file_type, signal });
  const bytes_hash = hash(rendered.bytes).slice(0, 32);
  return { page: { url: rendered.url, status_code: rendered.status, file_type, parsed, bytes_hash, isRendered: true, headers: {} } };
}
