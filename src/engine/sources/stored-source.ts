import { documentId } from '../../core/ids.ts';
import { KbError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Collection, SourceContent } from '../../ports/stores.ts';
import type { Metadata } from '../../schema/items.ts';
import type { StoredSourceSummary } from '../../schema/stored/stored-sources.ts';
import { absolutePath, fileSource } from '../../stages/extract/files/local-path.ts';
import type { Context } from '../context.ts';

/** Metadata that kb itself keeps of a chunk; the rest is the document's own. */
const OWN_KEYS = new Set(['title', 'source', 'source_kind', 'file_type', 'content_hash', 'location', 'page_kind', 'ingested_at']);

const textAt = (metadata: Metadata, key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');

/** A stored document as its callers see it. */
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
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !OWN_KEYS.has(key))),
  };
}

/** Sources among which a misspelt one is looked for: comparing more takes seconds. */
const MOST_COMPARED = 20_000;

/**
 * The stored source of that id, or of that name; a path may be spelled in another way. Throws a KbError (`not_found`) that names the nearest one. Looking
 * for an id reads the names of all sources.
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
