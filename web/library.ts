import { read } from './api.ts';
import type { StoredSourceSummary } from '../src/schema/stored/stored-sources.ts';
import type { RequestOf, ResultOf } from '../src/schema/operations.ts';

/** Documents per request when all of them are read. */
const MOST = 1000;

const pathOf = (collection: string): string => `v1/collections/${encodeURIComponent(collection)}/sources`;

/** Reads the list of collections. Throws a RequestError, as all requests here do. */
export const fetchCollections = (): Promise<ResultOf<'list_collections'>> => read('v1/collections');

/** Reads one page of the documents of a collection, in the order of their sources. */
export function fetchSources(
  collection: string,
  query: Omit<RequestOf<'list_sources'>, 'name' | 'filter'> = {},
): Promise<ResultOf<'list_sources'>> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return read(`${pathOf(collection)}?${new URLSearchParams(given)}`);
}

/** Reads all documents of a collection, page by page. */
export async function fetchAllSources(collection: string): Promise<StoredSourceSummary[]> {
  const found: StoredSourceSummary[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await fetchSources(collection, { limit: MOST, cursor });
    found.push(...page.sources);
    if (!page.cursor) return found;
    cursor = page.cursor;
  }
}

/** Reads a document with its text, by its id or source: all of it, or one page (from 1). */
export const fetchSource = (collection: string, id: string, page?: number): Promise<ResultOf<'get_source'>> =>
  read(`${pathOf(collection)}/${encodeURIComponent(id)}${page === undefined ? '' : `?page=${page}`}`);

/** Removes a document from a collection, by its id or source. */
export const removeSource = (collection: string, id: string): Promise<unknown> =>
  read(`${pathOf(collection)}/${encodeURIComponent(id)}`, { method: 'DELETE' });
