import { advice, call, field, type Hint, optionalAdvice } from '../core/advice/advice.ts';
import { isEmptyFilter } from '../core/filters.ts';
import type { Run } from '../core/run.ts';
import { hash } from '../core/ids.ts';
import { MAX_ENTRIES, MAX_RESULT_BYTES } from '../schema/fields.ts';
import type { Document, EmbedderName, ErrorItem } from '../schema/items.ts';
import type { ChunkRequest, DeleteRequest, EditRequest, EmbedRequest, StoreRequest } from '../schema/requests.ts';
import type { ChunkResult, DeleteResult, EditResult, EmbedResult, StoreResult } from '../schema/results.ts';
import { runChunk } from '../stages/chunk/run-chunk.ts';
import { embedChunks } from '../stages/ingest/embed-chunks.ts';
import { withoutReservedKeys } from '../stages/reserved-metadata.ts';
import { makeDocument } from '../stages/text-thread.ts';
import { UNNAMED_SOURCE, contentId } from '../stages/extract/files/inline-documents.ts';
import { embedderName, existingCollection, openCollection, openEmbedder, targetCollection, withLock } from './collections.ts';
import { withChunkSize } from './chunk-sizes.ts';
import type { Context } from './context.ts';
import { endsWork, KbError, toErrorItem } from '../core/errors.ts';
import { GIVEN_TYPES } from '../ports/reading.ts';
import type { Where } from '../ports/stores.ts';
import { editChunks, deleteChunks, storeChunks, type StoreTarget } from '../stages/ingest/store-chunks.ts';
import { absolutePath, fileSource } from '../stages/extract/files/local-path.ts';

/**
 * Splits texts and documents. One that cannot be a document is an error item. A server makes at most as many chunks as the request of another stage may
 * hold.
 */
export async function* chunk(request: ChunkRequest, context: Context): Run<ChunkResult> {
  const { settings, surface, signal } = await withChunkSize(context);
  const given = [request.markdown].flat().map((entry) => (typeof entry === 'string' ? { text: entry } : entry));
  const refused: ErrorItem[] = [];
  const documents = givenDocuments(given, { ...request, refused });
  const limit = surface === 'server' ? MAX_ENTRIES : undefined;
  const result = yield* runChunk({ documents, total: given.length, chunking: settings.chunking, limit, signal });
  const errors = [...refused, ...result.errors];
  return { ...result, failed: errors.length, errors };
}

/** A text, or a document as `parse` writes it, in a request. */
type ChunkedInput = Exclude<ChunkRequest['markdown'], string>[number] & object;

/** Yields the documents of a request, each when it is needed. Those that cannot be made are added to `refused`. */
async function* givenDocuments(
  given: readonly ChunkedInput[],
  { source, title, refused }: Pick<ChunkRequest, 'source' | 'title'> & { refused: ErrorItem[] },
): AsyncGenerator<Document, void, void> {
  const nameOf = (entry: ChunkedInput) => entry.source || source || UNNAMED_SOURCE;
  const named = Map.groupBy(given, nameOf);
  for (const entry of given) {
    const name = nameOf(entry);
    const isShared = name === UNNAMED_SOURCE || named.get(name)!.length > 1;
    let document: Document;
    try {
      document = await givenDocument(entry, { name, title, isShared });
    } catch (error) {
      if (endsWork(error)) throw error;
      refused.push(toErrorItem(error, { source: name, source_kind: 'markdown', stage: 'validate' }));
      continue;
    }
    yield document;
  }
}

/** Makes a document of a text, or of a document as `parse` writes it. `isShared`: whether another one has its source. */
async function givenDocument(
  { text, ...fields }: ChunkedInput,
  { name, title, isShared }: { name: string; title: string | undefined; isShared: boolean },
): Promise<Document> {
  const metadata = withoutReservedKeys(fields.metadata ?? {}, { source: fields.source });
  const id = fields.id || (isShared ? contentId(text, name) : undefined);
  const document = await makeDocument(
    { text, metadata },
    { id, source: name, source_kind: 'markdown', file_type: GIVEN_TYPES.markdown, content_hash: hash(text), title: fields.title ?? title },
  );
  return { ...document, metadata: { ...document.metadata, ...fields.metadata }, ...(fields.marks ? { marks: fields.marks } : {}) };
}

/** Maximum numbers of all vectors in the result of a server, each of some twelve characters. */
const MAX_RESULT_NUMBERS = MAX_RESULT_BYTES / 12;

/** Embeds chunks; with the provider `none` they pass as they are. */
export async function* embed({ chunks, input_type = 'document' }: EmbedRequest, context: Context): Run<EmbedResult> {
  const embedder = await openEmbedder(context);
  if (!embedder) return { inputs: chunks.length, embedded: 0, items: chunks, failed: 0, errors: [] };
  const { settings, surface, signal } = context;
  const maxNumbers = surface === 'server' ? MAX_RESULT_NUMBERS : undefined;
  return yield* embedChunks({ chunks, embedder, batch_size: settings.embedding.batch_size, input_type, maxNumbers, signal });
}

const target = ({ settings }: Context): StoreTarget => ({ provider: settings.storage.vector_db, collection: settings.collection });

/** Writes chunks with vectors. */
export async function* storeEmbedded({ embedded_chunks }: StoreRequest, context: Context): Run<StoreResult> {
  return yield* withLock(context, async function* () {
    const given = embedded_chunks.find(({ embedder }) => embedder)?.embedder;
    const { existing, get } = await targetCollection(context, given);
    const { settings, signal, hasMore } = context;
    const embedder = await embedderName(context, existing?.info ?? given);
    return yield* storeChunks(embedded_chunks, {
      ...target(context),
      open: get,
      embedder,
      dimensions: existing?.info.dimensions ?? (await dimensionsOf(embedder, context)),
      batch_size: settings.storage.batch_size,
      hasMore,
      signal,
    });
  });
}

/** The length of the vectors of a model; undefined if it cannot be told without a request to its provider, or the model cannot be opened here. */
async function dimensionsOf(embedder: EmbedderName, { resources, settings }: Context): Promise<number | undefined> {
  if (embedder.provider === 'none') return 0;
  try {
    return (await resources.embedder({ ...embedder, options: settings.embedding.options })).dimensions || undefined;
  } catch (error) {
    if (!(error instanceof KbError)) throw error;
    return undefined; // vectors may be stored where their model is not set up
  }
}

/** Changes stored chunks, and embeds their new texts. */
export async function* editStored({ chunks }: EditRequest, context: Context): Run<EditResult> {
  return yield* withLock(context, async function* () {
    const collection = await openCollection(context);
    const embedder = await openEmbedder(context, collection.info);
    return yield* editChunks(chunks, {
      target: target(context),
      collection,
      embedder,
      batch_size: context.settings.storage.batch_size,
      embedded_at_once: context.settings.embedding.batch_size,
      hasMore: context.hasMore,
      signal: context.signal,
    });
  });
}

/** Removes stored chunks of any embedder. A source that is not stored may be another spelling of a stored path. */
export async function* deleteStored(request: DeleteRequest, context: Context): Run<DeleteResult> {
  const where = whereOf(request);
  return yield* withLock(context, async function* () {
    const collection = await existingCollection(context, context.settings.collection);
    const result = await deleteChunks(collection, where, target(context));
    const path = 'source' in where && result.deleted === 0 ? fileSource(absolutePath(where.source, context), context) : undefined;
    return path === undefined ? result : await deleteChunks(collection, { source: path }, target(context));
  });
}

/** Requires exactly one non-empty selector: an empty filter would remove everything. */
function whereOf({ ids, source, filter }: DeleteRequest): Where {
  const given = [ids, source, filter].filter((value) => value !== undefined);
  const hint = advice`Give one of ${field('ids')}, ${field('source')} and ${field('filter')}.`;
  if (given.length !== 1)
    throw new KbError(
      'usage',
      given.length === 0 ? 'Nothing says what is to be deleted.' : 'Only one of ids, source and filter can be given.',
      { hint },
    );
  if (ids) return ids.length > 0 ? { ids } : refuse('ids', hint);
  if (source !== undefined) return source ? { source } : refuse('source', hint);
  return !isEmptyFilter(filter!)
    ? { filter: filter! }
    : refuse('filter', ['An empty filter would delete everything.', optionalAdvice`${call('drop_collection')} does that.`]);
}

function refuse(name: string, hint: Hint): never {
  throw new KbError('usage', `"${name}" is empty.`, { hint });
}
