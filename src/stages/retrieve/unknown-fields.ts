import { nearest } from '../../core/nearest.ts';
import type { Collection } from '../../ports/stores.ts';
import type { Filter } from '../../schema/requests.ts';

/** Chunks that are looked at; reading more would make whoever found nothing wait for it. */
const MOST_READ = 5000;

/** The paths of what can be filtered by: nested keys as dotted paths, of a list the path of the list. */
function* paths(value: unknown, path = ''): Generator<string, void, void> {
  if (Array.isArray(value)) for (const item of value) yield* paths(item, path);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [key, item] of Object.entries(value)) yield* paths(item, path ? `${path}.${key}` : key);
  } else if (path) yield path;
}

/**
 * What is to be said where a filter let nothing through because no chunk has one of its fields: a slip, mostly. Undefined where all are there. It reads chunks until each field was
 * seen, so it is for a search that found nothing.
 */
export async function unknownFieldsNotice(filter: Filter, collection: Collection): Promise<string | undefined> {
  const missing = new Set(Object.keys(filter));
  const known = new Set(['source']);
  let read = 0;
  for await (const chunks of collection.all()) {
    for (const { metadata } of chunks) for (const path of paths(metadata)) known.add(path);
    for (const field of known) missing.delete(field);
    read += chunks.length;
    if (missing.size === 0 || read >= MOST_READ) break;
  }
  const [field] = missing;
  if (field === undefined || read === 0) return undefined;
  const meant = nearest(field, [...known]);
  const none = read >= MOST_READ ? `none of the first ${read.toLocaleString('en')} chunks` : 'no chunk';
  return `The filter lets nothing through: ${none} of «${collection.info.name}» has the field «${field}».${meant ? ` Did you mean «${meant}»?` : ''}`;
}
