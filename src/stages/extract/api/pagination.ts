import { KbError } from '../../../core/errors.ts';
import type { ApiSource } from '../../../schema/source-entries.ts';
import { isFields, valueAt } from './records.ts';

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
      throw new KbError('usage', `pagination of the type «${pagination!.type}» needs «${key}».`, { hint: 'Add it to pagination.' });
  }
}

/** Whether pages are requested by number, and so also after the last one. */
export const isCounted = (pagination: Pagination | undefined): boolean => pagination?.type === 'page' || pagination?.type === 'offset';

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
  if (!pagination || (seen.count === 0 && isCounted(pagination))) return undefined;
  const { type, param, size, cursor_path } = pagination;
  const requestWith = (value: string | number): PageRequest => ({ params: { ...before.params, [param!]: value } });
  if (type === 'page') return requestWith(Number(before.params[param!]) + 1);
  if (type === 'offset') {
    // a server may return fewer records than requested
    const step = seen.count ?? size;
    return step === undefined ? undefined : requestWith(Number(before.params[param!]) + step);
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
export function positionOf(pagination: Pagination | undefined, { params }: PageRequest, number: number): string | undefined {
  const counted = Number(params[pagination?.param ?? '']);
  if (pagination?.type === 'offset') return counted > 0 ? `offset=${counted}` : undefined;
  const page = pagination?.type === 'page' ? counted : number;
  return page > 1 || number > 1 ? `page=${page}` : undefined;
}

/** Whether reading begins at the first page. Only then may missing records count as gone. */
export const isFromStart = (pagination: Pagination | undefined): boolean =>
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
  const [more] = cursor ?? pages ?? [];
  if (type === 'link') return more && `it has «${more}» but no Link header: one page was read, and there may be more.`;
  const along = path.split('.').map((_, i, keys) => valueAt(page.value, keys.slice(0, i + 1).join('.')));
  if (along.some((value) => value !== undefined && !isFilled(value))) return undefined; // it says that there is none
  if (cursor || along.at(-1) !== undefined) throw missingCursorError(name, path, cursor?.[0] ?? fields.map(([field]) => field).join(', '));
  if (more) return `it has «${more}» but nothing at cursor_path «${path}»: one page was read, and there may be more.`;
  const isShort = size !== undefined && page.count !== undefined && page.count < size;
  if (isShort || fields.some(([field]) => SIDE_FIELD.test(field))) return undefined;
  return `it holds nothing at cursor_path «${path}»: it was treated as the only page, but there may be more.`;
}

const missingCursorError = (name: string, path: string, fields: string): KbError =>
  new KbError('invalid', `${name}: cursor_path «${path}» finds no cursor in the first response.`, {
    hint: `The answer has ${fields || 'no fields'}.`,
  });

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
