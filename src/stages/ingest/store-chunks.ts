import { advice, call, optionalAdvice } from '../../core/advice/advice.ts';
import { cleanChunk } from '../../text/clean-text.ts';
import { KbError, toErrorItem } from '../../core/errors.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Collection, Replacement, StoredChunk, Where } from '../../ports/stores.ts';
import type { EmbedderName, ErrorItem, GivenEmbeddedChunk, Location, Metadata } from '../../schema/items.ts';
import type { DeleteResult, EditResult, StoreResult } from '../../schema/results.ts';
import type { Embedder } from '../../ports/models.ts';
import type { EditRequest } from '../../schema/requests.ts';
import { embedBatches, type EmbedOptions } from './embed-chunks.ts';
import { batchItems, prefetch, yieldToEventLoop } from '../../core/concurrency.ts';
import { assertReservedKeys, reservedMetadata } from '../reserved-metadata.ts';
import type { IngestDocument, DocumentOutcome } from './read-documents.ts';

/** The store and collection that is written to, for the report. */
export interface StoreTarget {
  provider: string;
  collection: string;
}

interface StoreParts extends StoreTarget {
  /** Opens the collection; the first call creates it if it is missing. */
  open: (dimensions: number) => Promise<Collection>;
  /** The embedder that the collection belongs to. */
  embedder: EmbedderName;
  /** The length of its vectors, if it is known before the collection is created. */
  dimensions: number | undefined;
  batch_size: number;
  hasMore?: boolean;
  signal?: AbortSignal | undefined;
}

/** Minimum chunks that are written in one step: each step adds a version to the table and searches for all of its ids. */
const MIN_STEP = 2_500;

/** Writes chunks with their vectors under their ids, with clean texts. A chunk that does not fit the collection is an error item. */
export async function* storeChunks(
  chunks: readonly GivenEmbeddedChunk[],
  { open, embedder, dimensions, batch_size, hasMore = false, signal, ...target }: StoreParts,
): Run<StoreResult> {
  const errors: ErrorItem[] = [];
  const items: { id: string; source: string }[] = [];
  const fail = (chunk: GivenEmbeddedChunk, error: unknown) =>
    errors.push(toErrorItem(error, { source: chunk.source || chunk.id, source_kind: 'embedded_chunk', stage: 'store' }));
  const takeTurns = yieldToEventLoop(signal);
  const matching: GivenEmbeddedChunk[] = [];
  // the last of several with one id
  for (const given of new Map(chunks.map((chunk) => [chunk.id, chunk])).values()) {
    await takeTurns();
    const chunk = cleanChunk(given);
    const error = mismatchError(chunk, embedder) ?? (dimensions === undefined ? undefined : vectorError(chunk, dimensions));
    if (error) fail(chunk, error);
    else matching.push(chunk);
  }
  const [first] = matching;
  const collection = first && (await open(embedder.provider === 'none' ? 0 : first.embedding!.length));
  const step = Math.max(MIN_STEP, batch_size);
  for (let i = 0; collection && i < matching.length; i += step) {
    throwIfAborted(signal);
    const batch = matching.slice(i, i + step).filter((chunk) => {
      const error = vectorError(chunk, collection.info.dimensions);
      if (error) fail(chunk, error);
      return !error;
    });
    await collection.upsert(batch.map(toStored));
    items.push(...batch.map(({ id, source }) => ({ id, source })));
    yield progress('store', { stored: items.length, inputs: chunks.length });
  }
  if (items.length > 0) await collection?.optimize({ hasMore });
  return { inputs: chunks.length, stored: items.length, items, failed: errors.length, ...target, errors };
}

function mismatchError({ id, text, embedding, embedder, source, metadata }: GivenEmbeddedChunk, wanted: EmbedderName): KbError | undefined {
  if (text.trim() === '') return new KbError('invalid', `The chunk "${id}" has no text.`);
  const reserved = reservedKeyError(metadata, source ? { source } : {});
  if (reserved) return reserved;
  // also for a new collection, which could never have vectors otherwise
  if (wanted.provider !== 'none' && !embedding?.length)
    return new KbError('invalid', `The chunk "${id}" has no vector; the collection is one of ${wanted.provider} / ${wanted.model}.`, {
      hint: advice`Embed it first: ${call('embed')}.`,
    });
  if (!embedder || (embedder.provider === wanted.provider && embedder.model === wanted.model)) return undefined;
  return new KbError(
    'invalid',
    `The chunk "${id}" was embedded with ${embedder.provider} / ${embedder.model}; the collection belongs to ${wanted.provider} / ${wanted.model}.`,
    {
      hint: 'Embed it with the model of the collection.',
    },
  );
}

/** Explains why metadata cannot be stored: it sets a key of kb. Undefined if it does not. */
function reservedKeyError(metadata: Metadata, expected: Metadata): KbError | undefined {
  try {
    assertReservedKeys(metadata, expected);
    return undefined;
  } catch (error) {
    return error as KbError;
  }
}

/** Explains why a vector cannot be stored in a collection; undefined if it can. */
function vectorError({ id, embedding }: GivenEmbeddedChunk, dimensions: number): KbError | undefined {
  const length = embedding?.length ?? 0;
  const hint = 'Embed it with the model of the collection.';
  if (length !== dimensions)
    return new KbError(
      'invalid',
      `The vector of the chunk "${id}" has the length ${length}; those of its model and collection have the length ${dimensions}.`,
      { hint },
    );
  if (embedding?.some((number) => !Number.isFinite(Math.fround(number))))
    return new KbError('invalid', `The vector of the chunk "${id}" has a number that is too large for 32 bits.`, { hint });
  return undefined;
}

const toStored = ({ id, text, embed_text, source, metadata, embedding }: GivenEmbeddedChunk): StoredChunk => ({
  id,
  text,
  source,
  metadata: { ...metadata, ingested_at: new Date().toISOString() },
  ...(embed_text === undefined ? {} : { embed_text }),
  ...(embedding ? { vector: embedding instanceof Float32Array ? embedding : new Float32Array(embedding) } : {}),
});

/** Removes chunks by their ids, by their source, or by a filter. `requested` counts the ids, or the chunks that were found. */
export async function deleteChunks(collection: Collection, where: Where, target: StoreTarget): Promise<DeleteResult> {
  const items = await collection.delete(where);
  const requested = 'ids' in where ? new Set(where.ids).size : items.length;
  if (items.length > 0) await collection.optimize();
  return { requested, deleted: items.length, items, failed: 0, ...target, errors: [] };
}

interface EditParts {
  target: StoreTarget;
  collection: Collection;
  /** Undefined if the collection is searched by keyword only. */
  embedder: Embedder | undefined;
  /** Chunks written in one step. */
  batch_size: number;
  /** Texts in one request to the embedder. */
  embedded_at_once: number;
  hasMore?: boolean;
  signal?: AbortSignal | undefined;
}

type Given = EditRequest['chunks'][number];

/**
 * Changes the text or metadata of stored chunks, embeds them again and writes them under their ids. An unknown id is an error item, and
 * creates no chunk.
 */
export async function* editChunks(
  chunks: readonly Given[],
  { collection, embedder, batch_size, embedded_at_once, hasMore = false, signal, target }: EditParts,
): Run<EditResult> {
  const errors: ErrorItem[] = [];
  const items: { id: string; source: string }[] = [];
  const fail = (id: string, error: unknown) => errors.push(toErrorItem(error, { source: id, source_kind: 'stored_chunk', stage: 'edit' }));
  const takeTurns = yieldToEventLoop(signal);
  for (let i = 0; i < chunks.length; i += batch_size) {
    await takeTurns();
    const batch = chunks.slice(i, i + batch_size).map(cleanChunk);
    const stored = new Map((await collection.get(batch.map(({ id }) => id))).map((chunk) => [chunk.id, chunk]));
    const edited: StoredChunk[] = [];
    for (const given of batch) {
      const before = stored.get(given.id);
      const problem = before ? editError(before, given) : unknownChunkError(given.id, target);
      if (problem) fail(given.id, problem);
      else edited.push(applyEdit(before!, given));
    }
    throwIfAborted(signal);
    const ready = embedder ? await embedEdited(edited, { embedder, batch_size: embedded_at_once, signal, fail }) : edited;
    await collection.upsert(ready, { edited: true });
    items.push(...ready.map(({ id, source }) => ({ id, source })));
    yield progress('edit', { edited: items.length, requested: chunks.length });
  }
  if (items.length > 0) await collection.optimize({ hasMore });
  return { requested: chunks.length, edited: items.length, items, failed: errors.length, ...target, errors };
}

const unknownChunkError = (id: string, { collection }: StoreTarget): KbError =>
  new KbError('not_found', `There is no chunk "${id}" in the collection "${collection}".`, {
    hint: optionalAdvice`The items of a retrieval (${call('retrieve')}) have the ids of their chunks.`,
  });

const emptyTextError = (id: string): KbError =>
  new KbError('invalid', `The new text of the chunk "${id}" is empty.`, {
    hint: advice`To remove the chunk, delete it by its id: ${call('delete', { ids: [id] })}.`,
  });

const editError = (before: StoredChunk, { id, text, source, metadata = {} }: Given): KbError | undefined =>
  text.trim() === '' ? emptyTextError(id) : reservedKeyError(metadata, { ...before.metadata, source: source || before.source });

/** Applies an edit to a stored chunk. The text before the passage in `embed_text` (title and headings) stays. */
function applyEdit(before: StoredChunk, { text, embed_text, source, metadata }: Given): StoredChunk {
  const context = before.embed_text?.endsWith(before.text) ? before.embed_text.slice(0, before.embed_text.length - before.text.length) : '';
  return {
    ...before,
    text,
    embed_text: embed_text ?? context + text,
    source: source || before.source,
    metadata: adjustOverlap(
      { ...before, metadata: metadata ? { ...metadata, ...reservedMetadata(before.metadata) } : before.metadata },
      text,
    ),
  };
}

/** The metadata of a chunk with a new text, without `overlap` if the text no longer begins with the overlap. */
function adjustOverlap({ text: old, metadata }: StoredChunk, text: string): Metadata {
  const location = metadata.location as Location | undefined;
  if (!location?.overlap || text.startsWith(old.slice(0, location.overlap))) return metadata;
  const { overlap: _overlap, ...rest } = location;
  return { ...metadata, location: rest };
}

async function embedEdited(
  chunks: readonly StoredChunk[],
  { fail, ...options }: Pick<EmbedOptions, 'embedder' | 'signal'> & { batch_size: number; fail: (id: string, error: unknown) => void },
): Promise<StoredChunk[]> {
  const texts = chunks.map(({ embed_text, text }) => embed_text ?? text);
  const vectors = (await Array.fromAsync(embedBatches(texts, { ...options, input_type: 'document' }))).flat();
  return chunks.flatMap((chunk, i) => {
    const vector = vectors[i]!;
    if (!(vector instanceof KbError)) return [{ ...chunk, vector }];
    fail(chunk.id, vector);
    return [];
  });
}

interface StoreDocumentsOptions {
  /** Returns the collection, which the first call creates with the dimensions of the vectors. */
  collection: (dimensions: number) => Promise<Collection>;
  /** Whether nothing was stored before this run. Otherwise chunks of new documents are searched for as well: an edit may have changed their source. */
  was_empty: boolean;
  /** Approximate number of chunks written in one step. */
  batch_size: number;
  /** Called for each document, in order, as soon as its outcome is known. */
  onWritten: (written: DocumentOutcome) => void;
  /** Called with the fatal error before the input iterator is closed (closing waits for in-flight work). */
  onFailure?: (error: unknown) => void;
}

/** Maximum documents that wait to be written while the embedder continues. */
const MAX_WAITING = 64;

/** Maximum milliseconds that a document waits for others of its group, so that slow input is stored even if the run is killed. */
const MAX_WAIT = 1_000;
const chunkWeight = ({ chunks }: IngestDocument): number => Math.max(1, chunks.length);

/**
 * Writes documents in groups, each in one step, while the embedder works on the next. Yields after each group; if the reader stops, nothing more is
 * written.
 */
export async function* storeDocuments(
  documents: AsyncIterable<IngestDocument>,
  { collection, was_empty, batch_size, onWritten, onFailure }: StoreDocumentsOptions,
): AsyncGenerator<void, void, void> {
  for await (const group of batchItems(prefetch(documents, MAX_WAITING), batch_size, { weight: chunkWeight, maxWait: MAX_WAIT })) {
    const ready = group.filter(shouldStore);
    const refused = await writeReady(ready, { collection, was_empty }).catch((error: unknown) => {
      onFailure?.(error);
      throw error;
    });
    for (const document of group) {
      const error = refused.get(document);
      onWritten({ document, stored: ready.includes(document) && !error, ...(error ? { error } : {}) });
    }
    yield;
  }
}

const writeReady = async (
  ready: readonly IngestDocument[],
  { collection, was_empty }: Pick<StoreDocumentsOptions, 'collection' | 'was_empty'>,
): Promise<Map<IngestDocument, KbError>> =>
  ready.length > 0 ? writeGroup(ready, await collection(dimensionsOf(ready)), { was_empty }) : new Map();

const dimensionsOf = (documents: readonly IngestDocument[]): number =>
  documents.flatMap(({ chunks }) => chunks).find(({ vector }) => vector)?.vector?.length ?? 0;

/**
 * Whether to store a document. If chunks could not be embedded, an old version exists and a retry may help, the old version stays. Otherwise the
 * other chunks are stored, and the document counts as incomplete until a later run completes it.
 */
function shouldStore({ status, chunks, lost }: IngestDocument): boolean {
  if (status === 'unchanged' || chunks.length === 0) return false;
  return lost.length === 0 || status !== 'changed' || lost.every(({ error }) => !error.isRetryable);
}

type WriteOptions = Pick<StoreDocumentsOptions, 'was_empty'>;

/** Writes a group in one step; if the store rejects its contents, one by one, so that one document does not affect the others. */
async function writeGroup(
  documents: readonly IngestDocument[],
  collection: Collection,
  how: WriteOptions,
): Promise<Map<IngestDocument, KbError>> {
  try {
    await writeDocuments(documents, collection, how);
    return new Map();
  } catch (error) {
    if (!(error instanceof KbError) || error.code !== 'invalid') throw error;
    if (documents.length === 1) return new Map([[documents[0]!, error]]);
  }
  const refused = new Map<IngestDocument, KbError>();
  for (const document of documents) for (const [key, error] of await writeGroup([document], collection, how)) refused.set(key, error);
  return refused;
}

async function writeDocuments(documents: readonly IngestDocument[], collection: Collection, { was_empty }: WriteOptions): Promise<void> {
  const sharing = documents.filter((document) => document.shares_source);
  const own: Replacement[] = documents
    .filter((document) => !document.shares_source)
    .map(({ source, chunks, status }) => ({ source, chunks, isNew: was_empty && status === 'new' }));
  if (own.length > 0) await collection.replace(own);
  // delete first: if this is interrupted, the next run finds missing chunks and writes them, but would not find outdated ones
  await collection.delete({ ids: sharing.flatMap(({ outdated }) => outdated) });
  await collection.upsert(sharing.flatMap(({ chunks }) => chunks));
}
