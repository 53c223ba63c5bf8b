import { cleanChunk } from '../../text/clean-text.ts';
import { KbError, toErrorItem } from '../../core/errors.ts';
import { progress, throwIfAborted, type Run } from '../../core/run.ts';
import type { Collection, StoredChunk, Where } from '../../ports/stores.ts';
import type { EmbeddedChunk, EmbedderName, ErrorItem } from '../../schema/items.ts';
import type { DeleteResult, StoreResult } from '../../schema/results.ts';

/** The identity of what is written to: for the report. */
export interface StoreTarget {
  provider: string;
  collection: string;
}

interface StoreParts extends StoreTarget {
  /** Makes the collection at the first call where there is none. */
  open: (dimensions: number) => Promise<Collection>;
  /** The embedder that the collection belongs to. */
  embedder: EmbedderName;
  batch_size: number;
  signal?: AbortSignal | undefined;
}

/** Writes chunks with their vectors under their ids, with clean texts. A chunk that does not fit is refused by itself. */
export async function* storeChunks(
  chunks: readonly EmbeddedChunk[],
  { open, embedder, batch_size, signal, ...target }: StoreParts,
): Run<StoreResult> {
  const errors: ErrorItem[] = [];
  const items: { id: string; source: string }[] = [];
  const fail = (chunk: EmbeddedChunk, error: unknown) =>
    errors.push(toErrorItem(error, { source: chunk.source || chunk.id, source_kind: 'embedded_chunk', stage: 'store' }));
  const each = new Map(chunks.map((chunk) => [chunk.id, cleanChunk(chunk)])).values(); // of several with one id the last
  const fitting = [...each].filter((chunk) => {
    const error = misfit(chunk, embedder);
    if (error) fail(chunk, error);
    return !error;
  });
  const [first] = fitting;
  const collection = first && (await open(embedder.provider === 'none' ? 0 : first.embedding!.length));
  for (let i = 0; collection && i < fitting.length; i += batch_size) {
    throwIfAborted(signal);
    const batch = fitting.slice(i, i + batch_size).filter((chunk) => {
      const error = wrongLength(chunk, collection.info.dimensions);
      if (error) fail(chunk, error);
      return !error;
    });
    await collection.upsert(batch.map(toStored));
    items.push(...batch.map(({ id, source }) => ({ id, source })));
    yield progress('store', { stored: items.length, inputs: chunks.length });
  }
  if (items.length > 0) await collection?.optimize();
  return { inputs: chunks.length, stored: items.length, items, failed: errors.length, ...target, errors };
}

function misfit({ id, text, embedding, embedder }: EmbeddedChunk, wanted: EmbedderName): KbError | undefined {
  if (text.trim() === '') return new KbError('invalid', `The chunk «${id}» has no text.`);
  // also where the collection is yet to be made: it would hold no vectors for good
  if (wanted.provider !== 'none' && !embedding?.length)
    return new KbError('invalid', `The chunk «${id}» has no vector; the collection is one of ${wanted.provider} / ${wanted.model}.`, {
      hint: 'Embed it first: kb embed, or /v1/embed.',
    });
  if (!embedder || (embedder.provider === wanted.provider && embedder.model === wanted.model)) return undefined;
  return new KbError(
    'invalid',
    `The chunk «${id}» was embedded with ${embedder.provider} / ${embedder.model}; the collection belongs to ${wanted.provider} / ${wanted.model}.`,
    {
      hint: 'Embed it with the model of the collection.',
    },
  );
}

function wrongLength({ id, embedding }: EmbeddedChunk, dimensions: number): KbError | undefined {
  const length = embedding?.length ?? 0;
  if (length === dimensions) return undefined;
  return new KbError(
    'invalid',
    `The vector of the chunk «${id}» has the length ${length}; the collection holds vectors of length ${dimensions}.`,
    { hint: 'Embed it with the model of the collection.' },
  );
}

const toStored = ({ id, text, embed_text, source, metadata, embedding }: EmbeddedChunk): StoredChunk => ({
  id,
  text,
  source,
  metadata: { ...metadata, ingested_at: new Date().toISOString() },
  ...(embed_text === undefined ? {} : { embed_text }),
  ...(embedding ? { vector: Float32Array.from(embedding) } : {}),
});

/** Removes chunks: those of these ids, of a source, or that a filter holds for. `requested` counts the ids, or what was found. */
export async function deleteChunks(collection: Collection, where: Where, target: StoreTarget): Promise<DeleteResult> {
  const items = await collection.delete(where);
  const requested = 'ids' in where ? new Set(where.ids).size : items.length;
  if (items.length > 0) await collection.optimize();
  return { requested, deleted: items.length, items, failed: 0, ...target, errors: [] };
}
