import { KbError } from '../../../core/errors.ts';
import type { ApiSource } from '../../../schema/source-entries.ts';
import { valueAt } from './records.ts';

type Pagination = NonNullable<ApiSource['pagination']>;

/** The request for one page. */
export interface PageRequest {
  /** Laid over the parameters given. */
  params: Record<string, string | number>;
  /** Takes the place of the address and of its parameters: a `next` link. */
  url?: string;
}

/** The parts of a response that decide about the next page. */
export interface PageSeen {
  /** Number of its records; undefined if unknown. */
  count: number | undefined;
  /** The parsed response, if it is structured. */
  value: unknown;
  link: string | undefined;
  /** Address of the response. */
  url: string;
}

/** Throws a KbError (`usage`) that names what a kind of pagination needs and was not given. */
export function checkPagination(pagination: Pagination | undefined): void {
  const needed = { page: ['param'], offset: ['param'], cursor: ['param', 'cursor_path'], link: [] } as const;
  for (const key of pagination ? needed[pagination.type] : []) {
    if (!pagination?.[key])
      throw new KbError('usage', `pagination of the type «${pagination!.type}» needs «${key}».`, { hint: 'Add it to pagination.' });
  }
}

/** Whether pages are asked for by numbers, beyond the last one too. */
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

/** Makes the request for the next page; undefined if there is none: the page was empty, or nothing leads on. */
export function nextPage(pagination: Pagination | undefined, before: PageRequest, seen: PageSeen): PageRequest | undefined {
  if (!pagination || seen.count === 0) return undefined;
  const { type, param, size, cursor_path } = pagination;
  const further = (value: string | number): PageRequest => ({ params: { ...before.params, [param!]: value } });
  if (type === 'page') return further(Number(before.params[param!]) + 1);
  if (type === 'offset') {
    // a server may hand out fewer than it was asked for: the records that came are what was passed
    const step = seen.count ?? size;
    return step === undefined ? undefined : further(Number(before.params[param!]) + step);
  }
  if (type === 'cursor') {
    const cursor = valueAt(seen.value, cursor_path!);
    if (isAddress(cursor) && URL.canParse(cursor, seen.url)) return { params: {}, url: new URL(cursor, seen.url).href };
    return (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number' ? further(cursor) : undefined;
  }
  const url = nextLink(seen.link, seen.url);
  return url === undefined ? undefined : { params: {}, url };
}

/** Many answers hold the address of the next page where others hold a cursor (Django REST, HAL, JSON:API, OData). */
const isAddress = (cursor: unknown): cursor is string =>
  typeof cursor === 'string' && /^(https?:\/\/|(\/[^\s?]*)?\?[^\s=]+=)/i.test(cursor);

/** One link of a `Link` header: its target and its parameters, whose quoted values may hold commas and semicolons (RFC 8288, 3). */
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

/** Names a page of an API by its position, so that its name does not depend on the page at which reading began; undefined for the first. */
export function positionOf(pagination: Pagination | undefined, { params }: PageRequest, number: number): string | undefined {
  const counted = Number(params[pagination?.param ?? '']);
  if (pagination?.type === 'offset') return counted > 0 ? `offset=${counted}` : undefined;
  const page = pagination?.type === 'page' ? counted : number;
  return page > 1 || number > 1 ? `page=${page}` : undefined;
}

/** Whether the pages were asked for from the first one on: only then can it be told what is not there any more. */
export const isFromStart = (pagination: Pagination | undefined): boolean =>
  (pagination?.start ?? 0) <= (pagination?.type === 'page' ? 1 : 0);
