import { documentId } from '../../core/ids.ts';
import { KbError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Collection, SourceContent } from '../../ports/stores.ts';
import type { Metadata } from '../../schema/items.ts';
import { isOwnKey } from '../../schema/stored/given-metadata.ts';
import type { StoredSourceSummary } from '../../schema/stored/stored-sources.ts';
import { absolutePath, fileSource } from '../../stages/extract/files/local-path.ts';
import type { Context } from '../context.ts';

const textAt = (metadata: Metadata, key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');

/** The public view of a stored document. */
export function describeSource(source: string, { metadata, characters, chunks }: SourceContent): StoredSourceSummary {
  const text = (key: string) => textAt(metadata, key);
  return {
    id: documentId(source),
    source,
    title: text('title') || source,
    source_kind: text('source_kind'),
    file_type: text('file_type'),
    chunks,
    characters,
    content_hash: text('content_hash'),
    ingested_at: text('ingested_at') || null,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !isOwnKey(key))),
  };
}

/** Most sources that a misspelt name is compared with: more would take seconds. */
const MOST_COMPARED = 20_000;

/**
 * Finds a stored source by id or name, or by another spelling of its path. Throws a KbError (`not_found`) with the nearest name. A search by id reads
 * the names of all sources.
 */
export async function findSource(id: string, collection: Collection, context: Context): Promise<string> {
  const path = context.surface === 'cli' ? fileSource(absolutePath(id, context), context) : id;
  const named = await collection.contents([...new Set([id, path])]);
  if (named.size > 0) return named.has(id) ? id : path;
  const sources = [...(await collection.sources()).keys()];
  const found = /^[0-9a-f]{16}$/.test(id) ? sources.find((source) => documentId(source) === id) : undefined;
  if (found !== undefined) return found;
  const ending = sources.find((source) => source.endsWith(`/${id}`));
  const meant = ending ?? nearest(id, sources.slice(0, MOST_COMPARED));
  throw new KbError('not_found', `The collection «${collection.info.name}» has no source «${id}».`, {
    hint: meant ? `Did you mean «${meant}»?` : 'kb sources lists them all.',
  });
}
