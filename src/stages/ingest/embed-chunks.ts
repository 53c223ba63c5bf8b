import { KbError, toErrorItem } from '../../core/errors.ts';
import { mapOrdered, prefetch, withHeartbeat } from '../../core/concurrency.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Embedder } from '../../ports/models.ts';
import type { Chunk, EmbeddedChunk, ErrorItem } from '../../schema/items.ts';
import type { EmbedResult } from '../../schema/results.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import type { IngestDocument } from './read-documents.ts';

export interface EmbedOptions {
  embedder: Embedder;
  input_type: 'document' | 'query';
  signal?: AbortSignal | undefined;
}

/** Failures that every further text would meet again. */
const ENDING: ReadonlySet<string> = new Set(['unauthorized', 'setup', 'configuration', 'aborted']);
/** Texts refused one by one, none accepted, after which the fault is not taken to be theirs: the rest of the batch is not asked for singly. */
const REFUSED_ALONE = 3;

/**
 * A vector or an error for each text, in their order: one bad text does not lose its batch. Texts that are refused as too much, or one of which is
 * refused, are sent again in halves; an error that outlasted the embedder's retries is that of every text in the request.
 * @throws KbError where every further text would fail as well (`unauthorized`, `setup`, `configuration`), or the work was stopped.
 */
export async function embedTexts(texts: readonly string[], options: EmbedOptions): Promise<(Float32Array | KbError)[]> {
  const filled = texts.filter((text) => text.trim() !== '');
  const found = (await embedHalving(filled, { ...options, tally: { accepted: 0, refused: 0 } })).values();
  return texts.map((text) =>
    text.trim() === '' ? new KbError('invalid', 'The text is empty: there is nothing to embed.') : found.next().value!,
  );
}

type Attempt = EmbedOptions & { tally: { accepted: number; refused: number } };

async function embedHalving(texts: readonly string[], attempt: Attempt): Promise<(Float32Array | KbError)[]> {
  if (texts.length === 0) return [];
  const { embedder, input_type, signal, tally } = attempt;
  try {
    throwIfAborted(signal);
    const vectors = await embedder.embed(texts, { input_type, signal });
    tally.accepted += texts.length;
    return vectors;
  } catch (error) {
    if (!(error instanceof KbError) || ENDING.has(error.code)) throw error;
    const mayHalve = error.code === 'too_large' || (error.code === 'invalid' && (tally.accepted > 0 || tally.refused < REFUSED_ALONE));
    if (mayHalve && texts.length > 1) return halves(texts, attempt);
    if (texts.length === 1) tally.refused++;
    return texts.map(() => error);
  }
}

async function halves(texts: readonly string[], attempt: Attempt): Promise<(Float32Array | KbError)[]> {
  const middle = Math.ceil(texts.length / 2);
  const first = await embedHalving(texts.slice(0, middle), attempt);
  return [...first, ...(await embedHalving(texts.slice(middle), attempt))];
}

/** The same for any number of texts, in batches, several at once: yields what came of each batch, in their order. */
export async function* embedBatches(
  texts: readonly string[],
  { batch_size, ...options }: EmbedOptions & { batch_size: number },
): AsyncGenerator<(Float32Array | KbError)[], void, void> {
  yield* mapOrdered(sliceIntoBatches(texts, batch_size), options.embedder.concurrency, (batch) => embedTexts(batch, options));
}

interface EmbedChunksOptions extends EmbedOptions {
  chunks: readonly Chunk[];
  batch_size: number;
}

/** Embeds chunks in batches, several at once; a chunk that can't be embedded is an error item beside the others. Throws as `embedTexts` does. */
export async function* embedChunks({ chunks, batch_size, ...options }: EmbedChunksOptions): Run<EmbedResult> {
  const { embedder } = options;
  const items: EmbeddedChunk[] = [];
  const errors: ErrorItem[] = [];
  const embed = async (batch: readonly Chunk[]) => ({
    batch,
    vectors: await embedTexts(
      batch.map(({ embed_text, text }) => embed_text ?? text),
      options,
    ),
  });
  for await (const { batch, vectors } of mapOrdered(sliceIntoBatches(chunks, batch_size), embedder.concurrency, embed)) {
    for (const [i, chunk] of batch.entries()) {
      const vector = vectors[i]!;
      if (vector instanceof KbError)
        errors.push(toErrorItem(vector, { source: chunk.source || chunk.id, source_kind: 'chunk', stage: 'embed' }));
      else
        items.push({ ...chunk, embedding: Array.from(vector, shortest), embedder: { provider: embedder.provider, model: embedder.model } });
    }
    yield progress('embed', { embedded: items.length, failed: errors.length, total: chunks.length });
  }
  return { inputs: chunks.length, embedded: items.length, items, failed: errors.length, errors };
}

function* sliceIntoBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** As few digits as a 32-bit float needs to come back the same: nine (IEEE 754). Half the bytes of a JSON that spells out the double. */
const shortest = (value: number): number => Number(value.toPrecision(9));

/** Documents that may pass without a text to embed before they are handed on. */
const MOST_PASSING = 256;
/** Milliseconds that a text waits for others to be embedded with it. */
const PATIENCE = 1_000;
/** Batches that fail whole, one after another, before the embedder is taken to be down: what follows would wait through every retry again. */
const FAILED_BATCHES = 3;

interface Slot {
  work: IngestDocument;
  chunk: StoredChunk;
}

interface Batch {
  slots: Slot[];
  /** The documents of which this batch holds the last text. */
  completes: IngestDocument[];
}

interface EmbedDocumentsOptions {
  embedder: Embedder;
  batch_size: number;
  signal?: AbortSignal | undefined;
  onBatch?: (embedded: number) => void;
  /** Told what ends the work, before what feeds it is let go of: that waits for what is under way. */
  onFailure?: (error: unknown) => void;
}

/**
 * Gives every chunk without a vector one. Batches are filled across documents and embedded several at once; documents leave in the order in which
 * they came. A chunk that can't be embedded moves from `chunks` to `lost`. Throws when the embedder refuses everything (`unauthorized`, `setup`)
 * or is down.
 */
export async function* embedDocuments(
  works: AsyncIterable<IngestDocument>,
  { embedder, batch_size, signal, onBatch, onFailure }: EmbedDocumentsOptions,
): AsyncGenerator<IngestDocument, void, void> {
  let failedBatches = 0;
  const embed = async ({ slots, completes }: Batch): Promise<Batch> => {
    const vectors = await embedTexts(
      slots.map(({ chunk }) => chunk.embed_text ?? chunk.text),
      { embedder, input_type: 'document', signal },
    );
    const failed = vectors.filter((vector) => vector instanceof KbError && vector.isRetryable).length;
    if (slots.length > 0) failedBatches = failed === slots.length ? failedBatches + 1 : 0;
    if (failedBatches >= FAILED_BATCHES) throw vectors[0];
    for (const [i, { work, chunk }] of slots.entries()) settle(work, chunk, vectors[i]!);
    onBatch?.(slots.length - vectors.filter((vector) => vector instanceof KbError).length);
    return { slots, completes };
  };
  const embedOrTell = (batch: Batch) =>
    embed(batch).catch((error: unknown) => {
      onFailure?.(error);
      throw error;
    });
  const batches = mapOrdered(prefetch(fill(works, batch_size), 2), embedder.concurrency, embedOrTell);
  for await (const { completes } of batches) yield* completes;
}

function settle(work: IngestDocument, chunk: StoredChunk, vector: Float32Array | KbError): void {
  if (vector instanceof KbError) {
    work.lost.push({ chunk, error: vector });
    work.chunks = work.chunks.filter((other) => other !== chunk);
  } else chunk.vector = vector;
}

async function* fill(works: AsyncIterable<IngestDocument>, size: number): AsyncGenerator<Batch, void, void> {
  let batch: Batch = { slots: [], completes: [] };
  let began = Date.now();
  for await (const work of withHeartbeat(works, PATIENCE)) {
    if (batch.completes.length === 0) began = Date.now();
    for (const chunk of work ? work.chunks.filter((candidate) => candidate.vector === undefined) : []) {
      if (batch.slots.length === size) {
        yield batch;
        batch = { slots: [], completes: [] };
      }
      batch.slots.push({ work: work!, chunk });
    }
    if (work) batch.completes.push(work);
    const isFull = batch.completes.length >= MOST_PASSING || batch.slots.length >= size;
    if (isFull || (batch.completes.length > 0 && Date.now() - began >= PATIENCE)) {
      yield batch;
      batch = { slots: [], completes: [] };
    }
  }
  if (batch.completes.length > 0) yield batch;
}
