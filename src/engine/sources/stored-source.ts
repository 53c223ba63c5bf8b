import { documentId } from '../../core/ids.ts';
import { KbError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Collection, SourceContent, StoredChunk } from '../../ports/stores.ts';
import { type Metadata, Location } from '../../schema/items.ts';
import { isOwnKey } from '../../schema/stored/given-metadata.ts';
import type {
  StoredSourceSummary,
  DeleteSourceRequest,
  GetSourceRequest,
  GetSourceResult,
  ListSourcesRequest,
  ListSourcesResult,
} from '../../schema/stored/stored-sources.ts';
import { absolutePath, fileSource } from '../../stages/extract/files/local-path.ts';
import { type Context, inCollection } from '../context.ts';
import type { Run } from '../../core/run.ts';
import type { DeleteResult } from '../../schema/results.ts';
import type { Passage } from '../../stages/chunk/join-chunks.ts';
import { deleteChunks } from '../../stages/ingest/store-chunks.ts';
import { existingCollection, withLock } from '../collections.ts';
import { narrowText } from './narrow-text.ts';

const textAt = (metadata: Metadata, key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');

function describeSource(source: string, { metadata, characters, chunks }: SourceContent): StoredSourceSummary {
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

/** Finds a stored source by id (which reads all names), name, or another spelling of its path. Throws a KbError (`not_found`) with the nearest name. */
async function findSource(id: string, collection: Collection, context: Context): Promise<string> {
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

interface OrderedChunk extends Passage {
  id: string;
}

/** Returns a stored document: its text or the requested part, and its chunks. */
export async function* getSource({ name, id, ...part }: GetSourceRequest, context: Context): Run<GetSourceResult> {
  const collection = await existingCollection(context, name);
  const source = await findSource(id, collection, context);
  const stored: StoredChunk[] = [];
  for await (const page of collection.all({ source })) stored.push(...page);
  const documents = documentsIn(stored);
  const characters = stored.reduce((sum, { text }) => sum + text.length, 0);
  const described = describeSource(source, { metadata: stored[0]?.metadata ?? {}, characters, chunks: stored.length });
  const text = narrowText(part, documents, source);
  return { ...described, text, chunks: documents.flat() };
}

/** «message 2» stands before «message 10». */
const byNumber = new Intl.Collator('en', { numeric: true });

/** Chunks in the order of the text. Documents with the same source follow each other. */
function documentsIn(stored: readonly StoredChunk[]): OrderedChunk[][] {
  const memberOf = ({ metadata }: StoredChunk): string => (typeof metadata.member === 'string' ? metadata.member : '');
  const documents = [...Map.groupBy(stored, (chunk) => `${chunk.metadata.content_hash}\n${memberOf(chunk)}`).values()];
  const inOrder = documents.toSorted(([one], [other]) => byNumber.compare(memberOf(one!), memberOf(other!)));
  return inOrder.map((chunks) =>
    chunks
      .map(({ id, text, metadata }) => ({ id, text, location: Location.safeParse(metadata.location ?? {}).data ?? {} }))
      .toSorted((a, b) => (a.location.offset ?? Infinity) - (b.location.offset ?? Infinity) || 0),
  );
}

/** Removes a document with its chunks. The next ingest of its source stores it again. */
export async function* deleteSource({ name, id }: DeleteSourceRequest, context: Context): Run<DeleteResult> {
  const { settings } = context;
  const its = inCollection(context, name);
  return yield* withLock(its, async function* () {
    const collection: Collection = await existingCollection(its, name);
    const source = await findSource(id, collection, its);
    return await deleteChunks(collection, { source }, { provider: settings.storage.vector_db, collection: name });
  });
}

/** Returns a page of the documents of a collection, ordered by source. It begins after the source of the cursor, even if that was removed. */
export async function* listSources(request: ListSourcesRequest, context: Context): Run<ListSourcesResult> {
  const { name, prefix = '', kind, filter, limit, cursor } = request;
  const after = cursor === undefined ? undefined : sourceOf(cursor);
  const collection = await existingCollection(context, name);
  const conditions = [
    ...(filter ? [filter] : []),
    ...(prefix === '' ? [] : [{ source: { prefix } }]),
    ...(kind === undefined ? [] : [{ source_kind: kind }]),
  ];
  const { sources: found, total } = await collection.sourcePage({
    filter: conditions.length > 0 ? { and: conditions } : undefined,
    after,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const contents = await collection.contents(page);
  return {
    sources: page.flatMap((source) => {
      const content = contents.get(source); // it may have been removed meanwhile
      return content ? [describeSource(source, content)] : [];
    }),
    total,
    cursor: found.length > page.length ? cursorAt(page.at(-1)!) : null,
  };
}

const cursorAt = (source: string): string => Buffer.from(JSON.stringify([source])).toString('base64url');

function sourceOf(cursor: string): string {
  try {
    const [source] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (typeof source === 'string' && cursorAt(source) === cursor) return source;
  } catch {
    // what is no JSON is no cursor either
  }
  throw new KbError('usage', 'cursor: the cursor of a page is expected.', { hint: 'Leave it out to begin at the first page.' });
}
