import { KbError } from '../../../core/errors.ts';
import { findUnsetReference } from '../../../core/settings.ts';
import { callerHeaders } from '../../../http/client.ts';
import { parseAddress } from '../../../http/message.ts';
import { hash } from '../../../core/ids.ts';
import { redactUrl } from '../../../core/secrets.ts';
import type { Config } from '../../../schema/config.ts';
import type { ApiSource } from '../../../schema/source-entries.ts';
import { isFields, valueAt } from './records.ts';

/** An API with all its settings (service.md 2.2). */
export interface ApiSettings extends NonNullable<Config['ingestion']['api']> {
  url: string;
  /** Hash of its headers, if another API of the request differs in nothing else. */
  headers_mark?: string;
  /** Whether it owns the sources that were stored for this address without `headers_mark`. */
  ownsUnmarked?: boolean;
  /** Why it is not read. */
  conflict?: KbError;
}

/** Merges the settings of an entry over the common ones; headers and parameters are combined. */
export function settingsFor(entry: string | ApiSource, settings: Config['ingestion']['api']): ApiSettings {
  if (typeof entry === 'string') return { ...settings, url: entry };
  const definedFields = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as ApiSource;
  return {
    ...settings,
    ...definedFields,
    headers: { ...settings.headers, ...entry.headers },
    params: { ...settings.params, ...entry.params },
  };
}

/** A method is a token of HTTP (RFC 9110, 5.6.2). */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Throws a KbError (`usage`) that names what cannot be sent, without the value of a header. `isRequested`: the request came over HTTP. */
export function checkApi(api: ApiSettings, given: { isRequested?: boolean } = {}): void {
  const { url, method, headers = {}, params, body, pagination } = api;
  if (api.conflict) throw api.conflict;
  const unset = findUnsetReference({ url, headers, params, body: wholeReferences(body) }, '', given);
  if (unset) throw unset;
  const address = parseAddress(url, params);
  if (!METHOD.test(method))
    throw new KbError('usage', `${JSON.stringify(method)} is not an HTTP method.`, { hint: 'GET and POST are common ones.' });
  callerHeaders(address, headers);
  checkPagination(pagination);
}

/** Keeps only the texts of a body that consist of a reference: in longer texts `${…}` may mean something to the API. */
function wholeReferences(body: unknown): unknown {
  if (typeof body === 'string') return /^\$\{\w+\}$/.test(body.trim()) ? body : undefined;
  if (typeof body !== 'object' || body === null) return undefined;
  return Object.fromEntries(Object.entries(body).map(([key, inner]) => [key, wholeReferences(inner)]));
}

/** The address of an API without its pagination parameters. */
export function addressWithoutPage({ url, pagination }: ApiSettings): string {
  const address = new URL(url);
  for (const name of Object.keys(firstPage(pagination).params).concat(pagination?.param ?? [])) {
    if (address.searchParams.has(name)) address.searchParams.delete(name);
  }
  return address.href;
}

/**
 * The source of an API: its address with the parameters that select content, without credentials. Different bodies make different sources, and so may
 * headers.
 */
export function apiSource(api: ApiSettings): string {
  if (!URL.canParse(api.url)) return redactUrl(api.url);
  const address = new URL(addressWithoutPage(api));
  if (!/^https?:$/.test(address.protocol)) return redactUrl(address);
  const { [api.pagination?.param ?? '']: _page, ...params } = api.params ?? {};
  const source = redactUrl(parseAddress(address.href, params));
  const withBody = hasBody(api.body) ? markedSource(source, `body=${hash(JSON.stringify(api.body)).slice(0, 8)}`) : source;
  return api.headers_mark === undefined ? withBody : markedSource(withBody, `headers=${api.headers_mark}`);
}

/** Names a part of a source by a mark in the fragment, so that the result is still an address. */
export const markedSource = (source: string, mark: string): string => `${source}${source.includes('#') ? '&' : '#'}${mark}`;

/** Whether `source` is that of an API or of a part of it, and not that of an API with the same address but another body or headers. */
export function isPartOf(api: string, source: string): boolean {
  const beginning = markedSource(api, '');
  return source === api || (source.startsWith(beginning) && !/^(body|headers)=[0-9a-f]{8}(&|$)/.test(source.slice(beginning.length)));
}

/** Whether there is a body to send. */
export const hasBody = (body: unknown): boolean => body !== undefined && body !== null;

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** A body and its media type: a text is sent unchanged, anything else as JSON. */
export function sentBody(body: unknown): { body?: string; headers: Record<string, string> } {
  if (!hasBody(body)) return { headers: {} };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, headers: { 'content-type': isJson(text) ? 'application/json' : 'text/plain; charset=utf-8' } };
}

type Pagination = NonNullable<ApiSource['pagination']>;

/** The request for one page. */
export interface PageRequest {
  /** Parameters that override those of the settings. */
  params: Record<string, string | number>;
  /** A `next` link, which replaces the address and its parameters. */
  url?: string;
}

/** The parts of a response that decide about the next page. */
export interface PageSummary {
  /** Number of its records; undefined if unknown. */
  count: number | undefined;
  /** The parsed response, if it is structured. */
  value: unknown;
  link: string | undefined;
  /** Address of the response. */
  url: string;
}

/** Throws a KbError (`usage`) that names a missing setting of the pagination. */
export function checkPagination(pagination: Pagination | undefined): void {
  const needed = { page: ['param'], offset: ['param'], cursor: ['param', 'cursor_path'], link: [] } as const;
  for (const key of pagination ? needed[pagination.type] : []) {
    if (!pagination?.[key])
      throw new KbError('usage', `pagination of the type "${pagination!.type}" needs "${key}".`, { hint: 'Add it to pagination.' });
  }
}

/** Whether pages are requested by number, and so also after the last one. */
export const hasNumberedPages = (pagination: Pagination | undefined): boolean =>
  pagination?.type === 'page' || pagination?.type === 'offset';

/** Makes the request for the first page. */
export function firstPage(pagination: Pagination | undefined): PageRequest {
  if (!pagination) return { params: {} };
  const { type, param, start, size_param, size } = pagination;
  const sized = size_param && size !== undefined ? { [size_param]: size } : {};
  if (type === 'page') return { params: { ...sized, [param!]: start ?? 1 } };
  if (type === 'offset') return { params: { ...sized, [param!]: start ?? 0 } };
  return { params: sized };
}

/** Makes the request for the next page; undefined if the page names no next one, or if it was empty and pages are counted. */
export function nextPage(pagination: Pagination | undefined, before: PageRequest, seen: PageSummary): PageRequest | undefined {
  if (!pagination || (seen.count === 0 && hasNumberedPages(pagination))) return undefined;
  const { type, param, size, cursor_path } = pagination;
  const requestWith = (value: string | number): PageRequest => ({ params: { ...before.params, [param!]: value } });
  if (type === 'page') return requestWith(Number(before.params[param!]) + 1);
  if (type === 'offset') {
    // a server may return fewer records than requested
    const increment = seen.count ?? size;
    return increment === undefined ? undefined : requestWith(Number(before.params[param!]) + increment);
  }
  if (type === 'cursor') {
    const cursor = valueAt(seen.value, cursor_path!);
    if (isAddress(cursor) && URL.canParse(cursor, seen.url)) return { params: {}, url: new URL(cursor, seen.url).href };
    return (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number' ? requestWith(cursor) : undefined;
  }
  const url = nextLink(seen.link, seen.url);
  return url === undefined ? undefined : { params: {}, url };
}

/** Whether a cursor is the address of the next page, as in Django REST, HAL, JSON:API and OData. */
const isAddress = (cursor: unknown): cursor is string =>
  typeof cursor === 'string' && /^(https?:\/\/|(\/[^\s?]*)?\?[^\s=]+=)/i.test(cursor);

/** A link of a `Link` header: its target and its parameters, whose quoted values may contain commas and semicolons (RFC 8288, 3). */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Finds the `rel="next"` address of a `Link` header, resolved against that of the page; undefined if there is none. */
export function nextLink(header: string | undefined, base: string): string | undefined {
  for (const [, target, parameters] of (header ?? '').matchAll(LINK)) {
    const rel = [...(parameters ?? '').matchAll(PARAMETER)].find(([, name]) => name!.toLowerCase() === 'rel');
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes('next') && URL.canParse(target!, base)) return new URL(target!, base).href;
  }
  return undefined;
}

/** Names a page of an API by its position, regardless of the page at which reading began; undefined for the first. */
export function describePosition(pagination: Pagination | undefined, { params }: PageRequest, number: number): string | undefined {
  const counted = Number(params[pagination?.param ?? '']);
  if (pagination?.type === 'offset') return counted > 0 ? `offset=${counted}` : undefined;
  const page = pagination?.type === 'page' ? counted : number;
  return page > 1 || number > 1 ? `page=${page}` : undefined;
}

/** Whether reading begins at the first page. Only then may missing records count as gone. */
export const startsAtFirstPage = (pagination: Pagination | undefined): boolean =>
  (pagination?.start ?? 0) <= (pagination?.type === 'page' ? 1 : 0);

/** Dotted paths of fields that lead to further pages, perhaps by an address in an object (HAL, JSON:API). */
const NEXT_FIELD =
  /(^|\.)(@?odata\.)?_*(next(_?(page|link|url|uri|href|cursor|token|offset|key|id|marker|batch|results?|records?))*|(end_?)?cursor|after|continue|continuation(_?token)?|page_?token|has_?(more|next(_?page)?))(\.(href|url))?$/i;
/** Fields beside the next page in formats that omit it on the last page (HAL, JSON:API, OData). */
const SIDE_FIELD = /(^|\.)(self|first|last|prev(ious)?)(\.(href|url))?$|^@?odata\.(context|count|metadata)$/i;
/** Fields with the number of pages, and with the number of the current page. */
const PAGE_COUNT_FIELD = /(^|\.)(total_?pages?|pages?_?(count|total)|num_?pages|nb_?pages|last_?page|pages)$/i;
const PAGE_NUMBER_FIELD = /(^|\.)((current_?)?page(_?(no|num|number|index))?|current|number)$/i;
/** Maximum depth of the fields that are examined: fields of the response and its objects, not of records. */
const MAX_DEPTH = 3;

/**
 * Describes why an API may have more pages although its first response leads to none. Throws a KbError (`invalid`) if there is a cursor elsewhere than
 * at `cursor_path`.
 */
export function describeUncertainEnd(pagination: Pagination | undefined, page: PageSummary, name: string): string | undefined {
  const { type, cursor_path: path = '', size } = pagination ?? {};
  if (type !== 'cursor' && type !== 'link') return undefined;
  const fields = fieldsIn(page.value);
  const cursor = fields.find(([field, value]) => NEXT_FIELD.test(field) && isFilled(value));
  const isNumbered = fields.some(([field]) => PAGE_NUMBER_FIELD.test(field));
  const pages = fields.find(([field, value]) => isNumbered && PAGE_COUNT_FIELD.test(field) && Number(value) > 1);
  const [nextField] = cursor ?? pages ?? [];
  if (type === 'link') return nextField && `it has "${nextField}" but no Link header: one page was read, and there may be more.`;
  const along = path.split('.').map((_, i, keys) => valueAt(page.value, keys.slice(0, i + 1).join('.')));
  if (along.some((value) => value !== undefined && !isFilled(value))) return undefined; // it says that there is none
  if (cursor || along.at(-1) !== undefined)
    throw new KbError('invalid', `${name}: cursor_path "${path}" finds no cursor in the first response.`, {
      hint: `The answer has ${cursor?.[0] ?? fields.map(([field]) => field).join(', ')}.`,
    });
  if (nextField) return `it has "${nextField}" but nothing at cursor_path "${path}": one page was read, and there may be more.`;
  const isShort = size !== undefined && page.count !== undefined && page.count < size;
  if (isShort || fields.some(([field]) => SIDE_FIELD.test(field))) return undefined;
  return `it holds nothing at cursor_path "${path}": it was treated as the only page, but there may be more.`;
}

/** Whether a value is more than a way to express that there is nothing. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);

/** Lists the fields of a response with their dotted paths, without those of records. */
function fieldsIn(value: unknown, depth = 1): [path: string, value: unknown][] {
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (typeof inner !== 'object') return [[key, inner]];
    return depth < MAX_DEPTH ? fieldsIn(inner, depth + 1).map(([path, field]) => [`${key}.${path}`, field]) : [];
  });
}
