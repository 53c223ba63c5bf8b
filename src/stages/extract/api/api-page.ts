import type { NetworkParts } from '../extract.ts';
import type { HttpRequest, HttpResponse } from '../../../http/message.ts';
import { apiErrorMessage } from '../../../http/status-errors.ts';
import { isFields, recordCount, recordsIn, valueAt } from './records.ts';
import { KbError } from '../../../core/errors.ts';
import { hash } from '../../../core/ids.ts';
import { holdsSecret } from '../../../core/secrets.ts';
import { addressWithoutPage, type ApiSettings, apiSource, markedSource, sentBody } from './api-settings.ts';
import { errorHeadline } from '../pages/error-page.ts';
import { isCounted, type PageRequest, type PageSummary, positionOf } from './pagination.ts';
import { type ParseParts, type Structure, structureOf } from './structure.ts';

const ERROR_FIELD = /^(errors?|error_?(message|description|code|type)|fault)$/i;
/** Fields beside an error that do not count as content. */
const SIDE_FIELD =
  /^(status(_?code)?|code|message|msg|details?|reason|success|ok|timestamp|path|(request|trace|correlation)_?id|documentation_?url|jsonrpc)$/i;
const FAILED_STATUS = /^(error|fail(ed|ure)?)$/i;

/** Finds the error in JSON that was sent with a success status (`{"errors": […], "data": null}`, `{"ok": false, "error": "…"}`); undefined if there is none. */
export function failureIn(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  const filled = Object.entries(value).filter(([, inner]) => !isBlank(inner));
  const isCall = filled.some(([name]) => name === 'jsonrpc');
  const hasError = filled.some(([name]) => ERROR_FIELD.test(name));
  const hasFailed = Object.entries(value).some(([name, inner]) =>
    /^(ok|success)$/i.test(name) ? inner === false : /^status$/i.test(name) && FAILED_STATUS.test(String(inner)),
  );
  if (!(hasError || hasFailed) || !filled.every(([name]) => ERROR_FIELD.test(name) || SIDE_FIELD.test(name) || (isCall && name === 'id')))
    return undefined;
  return apiErrorMessage(value) ?? (hasError ? 'error' : undefined);
}

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
    accepts: number > 1 && isCounted(api.pagination) ? PAST_LAST_STATUSES : [],
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

interface ReadPageOptions extends ParseParts {
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
  const structure = await structureOf(answer, base, reading);
  const items_path = api.pagination?.items_path;
  const position = positionOf(api.pagination, request, number);
  if (!structure && answer.bytes.length > 0) assertContent(answer, { base, items_path, reader: reading.reader });
  const value = structure?.value;
  const items = items_path === undefined ? undefined : valueAt(value, items_path);
  const failure = Array.isArray(items) && items.length > 0 ? undefined : failureIn(value); // a list of errors may be the content
  if (failure !== undefined && number === 1) throw reportedError(base, failure);
  const hasNoList =
    items_path === undefined
      ? had_records && structure !== undefined && !Array.isArray(value)
      : answer.bytes.length > 0 && items === undefined;
  const is_without_list = hasNoList || failure !== undefined;
  if (structure && items_path && number === 1 && is_without_list) throw missingItemsError(base, items_path, value);
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
    digest: structure ? digestOf(records ?? value, base) : hash(answer.bytes),
  };
}

/** Whether each record becomes a document: if `items_path` names them, if pages are lists of records, or in JSON Lines. */
const isOfRecords = ({ value, broken }: Structure, { pagination }: ApiSettings): boolean =>
  pagination?.items_path !== undefined ||
  broken !== undefined ||
  (pagination !== undefined && Array.isArray(value) && value.every(isRecord));

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Throws for an error page with a success status, and for a document if records were expected. */
function assertContent(
  answer: HttpResponse,
  { base, items_path, reader }: { base: string; items_path: string | undefined; reader: ParseParts['reader'] },
): void {
  const message = errorHeadline(answer, reader);
  if (message !== undefined)
    throw new KbError('invalid', `${base} answered with a web page that says «${message}» instead of content.`, {
      hint: 'Check the address and the credentials, or ask again later.',
      isRetryable: isTemporary(message),
    });
  if (items_path)
    throw new KbError(
      'invalid',
      `${base} answered with «${answer.content_type || 'no named type'}», which has nothing at items_path «${items_path}».`,
      {
        hint: 'Leave items_path out where the answer is a document, or check the address.',
      },
    );
}

const reportedError = (base: string, message: string): KbError =>
  new KbError('invalid', `${base} returned an error with a success status: «${message}».`, {
    hint: 'Check the address and the credentials, or ask again later.',
    isRetryable: isTemporary(message),
  });

const missingItemsError = (base: string, items_path: string, value: unknown): KbError =>
  new KbError('invalid', `${base}: items_path «${items_path}» was not found in the response.`, {
    hint:
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? `The answer has ${Object.keys(value).slice(0, 20).join(', ') || 'no fields'}.`
        : 'The answer is no object: leave items_path out.',
  });

function digestOf(value: unknown, base: string): string {
  try {
    return hash(JSON.stringify(value) ?? '');
  } catch (cause) {
    throw new KbError('invalid', `${base} returned data that is nested too deeply to be read.`, { cause });
  }
}
