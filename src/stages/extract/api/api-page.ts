import { yieldToEventLoop } from '../../../core/concurrency.ts';
import { SITE_CREDENTIALS_ADVICE } from '../../../core/advice/advice.ts';
import { KbError } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { findUnsafeJson } from '../../../core/parse-request.ts';
import { holdsSecret } from '../../../core/secrets.ts';
import { declaredCharset, detectCharset, type HttpRequest, type HttpResponse, toUtf8 } from '../../../http/message.ts';
import { apiErrorMessage } from '../../../http/status-errors.ts';
import { type DocumentReader, GIVEN_TYPES, type ParsedDocument } from '../../../ports/reading.ts';
import type { NetworkParts } from '../extract.ts';
import { assertIsContent } from '../pages/error-page.ts';
import {
  addressWithoutPage,
  type ApiSettings,
  apiSource,
  hasNumberedPages,
  markedSource,
  type PageRequest,
  type PageSummary,
  describePosition,
  sentBody,
} from './api-settings.ts';
import { isFields, recordCount, recordsIn, valueAt } from './records.ts';

/** The dependencies of reading a response. */
type Reading = Pick<NetworkParts, 'reader' | 'signal'>;

/** A response of fields and records. */
export interface Structure {
  file_type: typeof GIVEN_TYPES.json | typeof GIVEN_TYPES.xml;
  value: unknown;
  /** The lines of JSON Lines that are not JSON, the first as 1; `value` lists the others. */
  broken?: { line: number; error: KbError }[];
}

const JSON_TYPE = /[/+]json$/;
const LINES_TYPE = /ndjson|jsonl|json-?lines|json-seq|stream\+json/;
const XML_TYPE = /[/+]xml$/;
const STRUCTURED = [JSON_TYPE, LINES_TYPE, XML_TYPE];

/** Media types under which servers send JSON: HTML is the default of PHP. */
const POSSIBLE_JSON_TYPE = /^(text\/(plain|html|javascript)|application\/(octet-stream|(x-)?javascript))?$/;
const POSSIBLE_XML_TYPE = /^(text\/plain|application\/octet-stream)?$/;

/**
 * Parses JSON, JSON Lines and XML, the last by the reader; undefined for other responses. Throws a KbError (`invalid`, `too_large`) if the content
 * contradicts its type.
 */
export async function parseStructure(answer: HttpResponse, name: string, { reader, signal }: Reading): Promise<Structure | undefined> {
  const { content_type } = answer;
  const isDeclared = !reader.page.media_types.includes(content_type) && STRUCTURED.some((type) => type.test(content_type));
  if (!isDeclared && !POSSIBLE_JSON_TYPE.test(content_type)) return undefined;
  const text = decodeText(answer);
  if (LINES_TYPE.test(content_type)) return await readJsonLines(text, name, signal);
  const isJson = JSON_TYPE.test(content_type);
  if (!isJson && (isDeclared || (POSSIBLE_XML_TYPE.test(content_type) && /^\s*<\?xml\s/.test(text)))) {
    const { value } = await reader.read(Buffer.from(text), { source: name, file_type: GIVEN_TYPES.value, signal });
    return { file_type: GIVEN_TYPES.xml, value };
  }
  if (isJson && text.trim() === '') return { file_type: GIVEN_TYPES.json, value: [] };
  if (!isJson && !/^\s*[[{]/.test(text)) return undefined;
  const result = parseBounded(text, name);
  if (!('problem' in result)) return { file_type: GIVEN_TYPES.json, value: result.value };
  if (hasJsonLines(text)) return await readJsonLines(text, name, signal);
  if (!isJson && result.problem.code === 'invalid') return undefined;
  throw result.problem;
}

/** Parses JSON within bounds, or says why it cannot be read. */
function parseBounded(text: string, name: string): { value: unknown } | { problem: KbError } {
  const excess = findUnsafeJson(text, BOUNDS);
  if (excess !== undefined) {
    const hint = 'Ask for less, for example in pages (ingestion.api.pagination), or for JSON Lines.';
    return { problem: new KbError('too_large', `${name} has too much at once: ${excess} can be read.`, { hint }) };
  }
  try {
    return { value: parseLosslessly(text) };
  } catch (cause) {
    return { problem: new KbError('invalid', `${name} is JSON that cannot be read.`, { hint: CHECK_HINT, cause }) };
  }
}

const CHECK_HINT = 'Check its response, for example with curl.';
/** Maximum broken lines that are reported one by one; the others are counted. */
const MAX_REPORTED = 100;

/** Reads JSON Lines, or a sequence of JSON texts (RFC 7464), a record each. Throws a KbError (`invalid`) if no line is JSON. */
async function readJsonLines(text: string, name: string, signal: AbortSignal | undefined): Promise<Structure> {
  const takeTurns = yieldToEventLoop(signal);
  const records: unknown[] = [];
  const broken: { line: number; error: KbError }[] = [];
  let failed = 0;
  for (const [i, line] of text.split(text.includes('\x1e') ? '\x1e' : '\n').entries()) {
    await takeTurns();
    if (line.trim() === '') continue;
    const result = parseBounded(line, `${name}: line ${i + 1} of its answer`);
    if (!('problem' in result)) records.push(result.value);
    else if (++failed <= MAX_REPORTED) broken.push({ line: i + 1, error: result.problem });
  }
  if (records.length === 0 && broken[0])
    throw new KbError('invalid', `${name} answered with lines of which none is JSON.`, { hint: CHECK_HINT, cause: broken[0].error });
  if (failed > MAX_REPORTED) {
    const { line } = broken.at(-1)!;
    const message = `${name}: ${failed - MAX_REPORTED} more lines after line ${line} are not JSON.`;
    broken.push({ line: line + 1, error: new KbError('invalid', message, { hint: CHECK_HINT }) });
  }
  return { file_type: GIVEN_TYPES.json, value: records, broken };
}

/** A character of two to four bytes in UTF-8. */
const UTF8_SEQUENCE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

/** Decodes a response by its bytes, else by its label; as windows-1252 if most bytes beyond ASCII are invalid UTF-8. */
function decodeText(answer: HttpResponse): string {
  const bytes = toUtf8({
    ...answer,
    charset: answer.charset ?? (XML_TYPE.test(answer.content_type) ? declaredCharset(answer.bytes) : undefined),
  });
  const text = new TextDecoder(detectCharset(bytes)).decode(bytes);
  const broken = text.split('\ufffd').length - 1;
  if (broken === 0) return text;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').match(UTF8_SEQUENCE)?.length ?? 0;
  return broken > whole ? new TextDecoder('windows-1252').decode(bytes) : text;
}

/** Bounds of one JSON text: beyond them, parsing it would keep a server from everything else. */
const BOUNDS = { depth: 200, keys: 50_000, entries: 200_000, containers: 400_000 };

/** Whether the first two lines are records of their own. */
function hasJsonLines(text: string): boolean {
  const lines = text
    .trim()
    .split(/\r?\n/, 2)
    .map((line) => parseBounded(line, 'A line'));
  return lines.length === 2 && lines.every((line) => !('problem' in line) && typeof line.value === 'object');
}

/** Parses JSON; a number that JavaScript would round or shorten (a long id, `49.90`) stays as written. */
function parseLosslessly(text: string): unknown {
  if (!/\d{16}|\.\d*0(?!\d)/.test(text)) return JSON.parse(text);
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value) ? context.source : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

const ERROR_FIELD = /^(errors?|error_?(message|description|code|type)|fault)$/i;
/** Fields beside an error that do not count as content. */
const SIDE_FIELD =
  /^(status(_?code)?|code|message|msg|details?|reason|success|ok|timestamp|path|(request|trace|correlation)_?id|documentation_?url|jsonrpc)$/i;
const FAILED_STATUS = /^(error|fail(ed|ure)?)$/i;

/**
 * Finds the error in JSON that was sent with a success status (`{"errors": […], "data": null}`, `{"ok": false, "error": "…"}`); undefined if there is none.
 * `lacksRecords`: it has no records although there should be some, so that a message alone is an error.
 */
export function findApiFailure(value: unknown, lacksRecords = false): string | undefined {
  if (!isFields(value)) return undefined;
  const filled = Object.entries(value).filter(([, inner]) => !isBlank(inner));
  const isCall = filled.some(([name]) => name === 'jsonrpc');
  const hasError = filled.some(([name]) => ERROR_FIELD.test(name));
  const hasFailed = Object.entries(value).some(([name, inner]) =>
    /^(ok|success)$/i.test(name) ? inner === false : /^status$/i.test(name) && FAILED_STATUS.test(String(inner)),
  );
  if (
    !(hasError || hasFailed || lacksRecords) ||
    !filled.every(([name]) => ERROR_FIELD.test(name) || SIDE_FIELD.test(name) || (isCall && name === 'id'))
  )
    return undefined;
  return apiErrorMessage(value) ?? (hasError ? 'error' : undefined);
}

/** What an error says that stands for an empty page after the last one. */
const NO_MORE = /\bno (more|further|results?|records?|data|items?|entries)\b|\bnot found\b|\bout of (range|bounds)\b|\bpage\b/i;

const isBlank = (value: unknown): boolean => !value || value === '0' || (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether an error message is about a temporary failure. */
export const isTemporary = (message: string): boolean =>
  /^(429|5\d\d)|rate.?limit|throttl|unavailable|gateway|timed?.?out|too many|moment|try again/i.test(message);

/** Statuses of APIs for pages after the last one. */
const PAST_LAST_STATUSES = [400, 404, 416, 422];

/** Whether an error response says, as Django REST and WordPress do, that the page does not exist; other messages may be about limits. */
export function saysNoPage({ status, bytes, content_type }: Pick<HttpResponse, 'status' | 'bytes' | 'content_type'>): boolean {
  if (!/[/+]json$/.test(content_type)) return false;
  const text = new TextDecoder().decode(bytes.subarray(0, 4096));
  return /"rest_post_invalid_page_number"/.test(text) || (status === 404 && /"Invalid page\."/.test(text));
}

/** A response of an API. */
export interface ApiPage extends PageSummary {
  /** 1 for the first. */
  number: number;
  /** Source of the page, or the base of the sources of its records. */
  source: string;
  answer: HttpResponse;
  /** Undefined if the response is a document: text, HTML, CSV … */
  structure: Structure | undefined;
  /** The records, each of which becomes a document; undefined if the page is one document. */
  records: unknown[] | undefined;
  /** The list that earlier pages had is missing: this is the end, or an error with a success status. */
  is_without_list: boolean;
  /** Hash of the content. */
  digest: string;
}

/**
 * Requests a page; `number` is 1 for the first. Counted pages may end with an error status. Headers and body are not sent to a `next` link on another
 * origin.
 */
export function fetchPage(
  api: ApiSettings,
  page: PageRequest,
  { http, signal, number }: NetworkParts & { number: number },
): Promise<HttpResponse> {
  const { body, headers } = sentBody(api.body);
  const common: HttpRequest = { signal, timeout: api.timeout };
  const given: HttpRequest = {
    ...common,
    method: api.method.toUpperCase(),
    headers: { accept: 'application/json, */*;q=0.8', ...headers, ...api.headers },
    body,
    accepts: number > 1 && hasNumberedPages(api.pagination) ? PAST_LAST_STATUSES : [],
  };
  if (page.url === undefined) return http.request(addressWithoutPage(api), { ...given, params: { ...api.params, ...page.params } });
  const [next, { origin, username, password }] = [new URL(page.url), new URL(api.url)];
  if (next.origin !== origin) return http.request(page.url, common);
  if (next.username === '') Object.assign(next, { username, password });
  return http.request(next.href, { ...given, params: credentialsFor(page.url, api) });
}

/** Collects the credentials among the parameters that a `next` link lacks: APIs often leave the key out. */
function credentialsFor(url: string, api: ApiSettings): Record<string, unknown> {
  const present = new URL(url).searchParams;
  const given = [...Object.entries(api.params ?? {}), ...new URL(api.url).searchParams];
  return Object.fromEntries(given.filter(([name, value]) => holdsSecret(name, String(value)) && !present.has(name)));
}

interface ReadPageOptions extends Reading {
  number: number;
  request: PageRequest;
  /** Whether the pages before were lists of records. */
  had_records: boolean;
}

/** Parses a response. Throws a KbError (`invalid`) if it is unreadable or an error, or has nothing at `items_path`. */
export async function readApiPage(
  answer: HttpResponse,
  api: ApiSettings,
  { number, request, had_records, ...reading }: ReadPageOptions,
): Promise<ApiPage> {
  const base = apiSource(api);
  const structure = await parseStructure(answer, base, reading);
  const items_path = api.pagination?.items_path;
  const position = describePosition(api.pagination, request, number);
  if (!structure && answer.bytes.length > 0) await assertIsDocument(answer, api, { had_records, ...reading });
  const value = structure?.value;
  const items = items_path === undefined ? undefined : valueAt(value, items_path);
  const hasNoList =
    items_path === undefined
      ? had_records && structure !== undefined && !Array.isArray(value)
      : answer.bytes.length > 0 && items === undefined;
  const failure = Array.isArray(items) && items.length > 0 ? undefined : findApiFailure(value, number > 1 && hasNoList); // a list of errors may be the content
  if (failure !== undefined && !(number > 1 && hasNumberedPages(api.pagination) && NO_MORE.test(failure)))
    throw new KbError('invalid', `${base} returned an error with a success status: "${failure}".`, {
      hint: 'Check the address and the credentials, or ask again later.',
      isRetryable: isTemporary(failure),
    });
  const is_without_list = hasNoList || failure !== undefined;
  if (structure && items_path && number === 1 && is_without_list)
    throw new KbError('invalid', `${base}: items_path "${items_path}" was not found in the response.`, {
      hint: isFields(value)
        ? `The answer has ${Object.keys(value).slice(0, 20).join(', ') || 'no fields'}.`
        : 'The answer is no object: leave items_path out.',
    });
  const records = structure && isOfRecords(structure, api) ? recordsIn(value, items_path) : undefined;
  return {
    number,
    source: position === undefined ? base : markedSource(base, position),
    answer,
    structure,
    records,
    count: structure ? recordCount(value, items_path) : answer.bytes.length === 0 ? 0 : undefined,
    value,
    link: answer.headers.link,
    url: answer.url,
    is_without_list,
    digest: hash(structure ? (JSON.stringify(records ?? value) ?? '') : answer.bytes),
  };
}

/**
 * Throws a KbError for a document in the place of records: a web page where there are pages, and any document where `items_path` or the pages before say that
 * there are records.
 */
async function assertIsDocument(
  answer: HttpResponse,
  api: ApiSettings,
  { had_records, ...reading }: Reading & { had_records: boolean },
): Promise<void> {
  const [source, items_path] = [apiSource(api), api.pagination?.items_path];
  const isPage = api.pagination !== undefined && reading.reader.fileTypeOf(answer) === reading.reader.page.file_type;
  if (!isPage && !had_records && items_path === undefined) return;
  const { title = '' } = await readContent(answer, source, reading);
  const type = `"${answer.content_type || 'no named type'}"`;
  if (!isPage && !had_records)
    throw new KbError('invalid', `${source} answered with ${type}, which has nothing at items_path "${items_path}".`, {
      hint: 'Leave items_path out where the answer is a document, or check the address.',
    });
  const kind = isPage ? 'a web page' : type;
  throw new KbError('unavailable', `${source} answered with ${kind}${title === '' ? '' : ` ("${title}")`} in the place of records.`, {
    hint: ['It may be a login, a block or a notice of the server: open it in a browser, or try again later.', SITE_CREDENTIALS_ADVICE],
    isRetryable: true,
  });
}

/** Whether each record becomes a document: if `items_path` names them, if pages are lists of records, or in JSON Lines. */
const isOfRecords = ({ value, broken }: Structure, { pagination }: ApiSettings): boolean =>
  pagination?.items_path !== undefined ||
  broken !== undefined ||
  (pagination !== undefined && Array.isArray(value) && value.every((record) => typeof record === 'object' && record !== null));

/**
 * Reads a response that is a document. Throws a KbError for one of a kind that kb cannot read, and for a page that stands in the place of content although it
 * has a success status.
 */
export async function readContent(answer: HttpResponse, source: string, { reader, signal }: Reading): Promise<ParsedDocument> {
  const file_type = requireFileType(answer, source, reader);
  const bytes = toUtf8(answer);
  const parsed = await reader.read(bytes, { source, file_type, signal });
  if (file_type === reader.page.file_type) assertIsContent(source, { ...parsed, html: bytes, headers: answer.headers });
  return parsed;
}

/** The file type of a response that is a document. Throws a KbError (`invalid`) for one that kb cannot read. */
export function requireFileType(answer: HttpResponse, source: string, reader: DocumentReader): string {
  const file_type = reader.fileTypeOf(answer);
  if (file_type !== undefined) return file_type;
  throw new KbError('invalid', `${source} answered with "${answer.content_type || 'no named type'}", which kb cannot read.`, {
    hint: `It reads JSON, XML, text, web pages and ${reader.extensions.join(', ')}.`,
  });
}
