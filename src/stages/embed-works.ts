import { KbError } from '../base/errors.ts';
import { ahead, mapOrdered, pulsed } from '../base/pool.ts';
import type { Embedder } from '../ports/models.ts';
import type { StoredChunk } from '../ports/stores.ts';
import { embedTexts } from './embed.ts';
import type { Work } from './ingest-work.ts';

/** Documents that may pass without a text to embed before they are handed on. */
const MOST_PASSING = 256;
/** Milliseconds that a text waits for others to be embedded with it. */
const PATIENCE = 1_000;
/** Batches that fail whole, one after another, before the embedder is taken to be down: what follows would wait through every retry again. */
const FAILED_BATCHES = 3;

interface Slot {
  work: Work;
  chunk: StoredChunk;
}

interface Batch {
  slots: Slot[];
  /** The documents of which this batch holds the last text. */
  completes: Work[];
}

export interface EmbedWorksOptions {
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
export async function* embedWorks(
  works: AsyncIterable<Work>,
  { embedder, batch_size, signal, onBatch, onFailure }: EmbedWorksOptions,
): AsyncGenerator<Work, void, void> {
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
  const batches = mapOrdered(ahead(fill(works, batch_size), 2), embedder.concurrency, embedOrTell);
  for await (const { completes } of batches) yield* completes;
}

function settle(work: Work, chunk: StoredChunk, vector: Float32Array | KbError): void {
  if (vector instanceof KbError) {
    work.lost.push({ chunk, error: vector });
    work.chunks = work.chunks.filter((other) => other !== chunk);
  } else chunk.vector = vector;
}

async function* fill(works: AsyncIterable<Work>, size: number): AsyncGenerator<Batch, void, void> {
  let batch: Batch = { slots: [], completes: [] };
  let began = Date.now();
  for await (const work of pulsed(works, PATIENCE)) {
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
