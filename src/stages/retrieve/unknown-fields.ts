import { didYouMean } from '../../core/nearest.ts';
import { listNames } from '../../text/count.ts';
import { filteredFields, toFilterTree } from '../../core/filters.ts';
import type { Collection } from '../../ports/stores.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { Filter } from '../../schema/stored/filter.ts';

/** Maximum chunks that are read, so that the check stays fast. */
const MAX_READ = 5000;

/** Yields the filterable paths of metadata: nested keys as dotted paths, items of a list under the path of the list. */
function* metadataPaths(value: unknown, path = ''): Generator<string, void, void> {
  if (Array.isArray(value)) for (const item of value) yield* metadataPaths(item, path);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [key, item] of Object.entries(value)) yield* metadataPaths(item, path ? `${path}.${key}` : key);
  } else if (path) yield path;
}

/** Maximum fields that a notice names. */
const MAX_NAMED = 12;
/** Fields that nobody filters by on purpose. */
const INTERNAL_FIELDS = /^(?:content_hash|ingested_at|location\..*)$/;

/**
 * Writes the notice that no chunk has a field of the filter, which is usually a typo; undefined if all fields exist. It checks the hits, then
 * reads chunks until every field was seen.
 */
export async function unknownFieldsNotice(
  filter: Filter,
  collection: Collection,
  items: readonly RetrievedItem[] = [],
): Promise<string | undefined> {
  const missing = filteredFields(toFilterTree(filter));
  const known = new Set(['source']);
  const addPaths = (metadata: object): void => {
    for (const path of metadataPaths(metadata)) known.add(path);
  };
  const hasSeenAll = (): boolean => {
    for (const field of known) missing.delete(field);
    return missing.size === 0;
  };
  for (const { metadata } of items) addPaths(metadata);
  if (hasSeenAll()) return undefined;
  let read = 0;
  for await (const chunks of collection.all()) {
    for (const { metadata } of chunks) addPaths(metadata);
    read += chunks.length;
    if (hasSeenAll() || read >= MAX_READ) break;
  }
  const [field] = missing;
  if (field === undefined || read === 0) return undefined;
  const none = read >= MAX_READ ? `none of the first ${read.toLocaleString('en')} chunks` : 'no chunk';
  const reason = `${none} of "${collection.info.name}" has the field "${field}"`;
  return `${items.length > 0 ? 'The filter names an unknown field' : 'The filter lets nothing through'}: ${reason}.${fieldHint(field, known)}`;
}

/** Suggests the nearest field, or lists the fields that exist. */
function fieldHint(field: string, known: ReadonlySet<string>): string {
  const meant = didYouMean(field, [...known]);
  if (meant !== undefined) return ` ${meant}`;
  const there = [...known].filter((name) => !INTERNAL_FIELDS.test(name)).toSorted();
  return ` There are ${listNames(there, MAX_NAMED)}.`;
}
