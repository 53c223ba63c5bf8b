import { KbError, toErrorItem } from '../../core/errors.ts';
import { hash } from '../../core/ids.ts';
import { mapOrdered, prefetch, withHeartbeat, yieldToEventLoop } from '../../core/concurrency.ts';
import { progress, type Run, throwIfAborted } from '../../core/run.ts';
import type { Embedder } from '../../ports/models.ts';
import type { Chunk, EmbeddedChunk, ErrorItem } from '../../schema/items.ts';
import type { EmbedResult } from '../../schema/results.ts';
import type { StoredChunk } from '../../ports/stores.ts';
import type { IngestDocument } from './read-documents.ts';

/** The embedder, the type of the texts, and the signal that stops the work. */
export interface EmbedOptions {
  embedder: Embedder;
  input_type: 'document' | 'query';
  signal?: AbortSignal | undefined;
}

/** Codes of failures that would affect every further text. */
const FATAL_CODES: ReadonlySet<string> = new Set(['unauthorized', 'setup', 'configuration', 'aborted']);
/** Number of texts that may be refused one by one, with none accepted, before the cause is assumed to be elsewhere and the rest is not sent singly. */
const MAX_SINGLE_REFUSALS = 3;

/**
 * Embeds texts; returns a vector or an error for each, in order, so that a bad text does not affect its batch. A request that is too large or has a
 * refused text is sent again in halves. An error that remains after the embedder's retries applies to every text of the request.
 * @throws KbError if every further text would fail as well (`unauthorized`, `setup`, `configuration`), or the work was stopped.
 */
export async function embedTexts(texts: readonly string[], options: EmbedOptions): Promise<(Float32Array | KbError)[]> {
  const distinct = [...new Set(texts)].filter((text) => text.trim() !== '');
  const made = await embedHalving(distinct, { ...options, tally: { accepted: 0, refused: 0 } });
  const found = new Map(distinct.map((text, i) => [text, made[i]!]));
  return texts.map((text) => found.get(text) ?? new KbError('invalid', 'The text is empty: there is nothing to embed.'));
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
    if (!(error instanceof KbError) || FATAL_CODES.has(error.code)) throw error;
    const mayHalve =
      error.code === 'too_large' || (error.code === 'invalid' && (tally.accepted > 0 || tally.refused < MAX_SINGLE_REFUSALS));
    if (mayHalve && texts.length > 1) return embedHalves(texts, attempt);
    if (texts.length === 1) tally.refused++;
    return texts.map(() => error);
  }
}

async function embedHalves(texts: readonly string[], attempt: Attempt): Promise<(Float32Array | KbError)[]> {
  const middle = Math.ceil(texts.length / 2);
  const first = await embedHalving(texts.slice(0, middle), attempt);
  return [...first, ...(await embedHalving(texts.slice(middle), attempt))];
}

/** Embeds any number of texts in batches, several at once; yields the vectors or errors of each batch, in order. */
export async function* embedBatches(
  texts: readonly string[],
  { batch_size, ...options }: EmbedOptions & { batch_size: number },
): AsyncGenerator<(Float32Array | KbError)[], void, void> {
  yield* mapOrdered(sliceIntoBatches(texts, batch_size), options.embedder.concurrency, (batch) => embedTexts(batch, options));
}

interface EmbedChunksOptions extends EmbedOptions {
  chunks: readonly Chunk[];
  batch_size: number;
  /** Maximum numbers of all vectors together. Default: any. */
  maxNumbers?: number | undefined;
}

/** Embeds chunks in batches, several at once; a chunk that cannot be embedded becomes an error item. Throws as `embedTexts` does, and a KbError (`too_large`) for too many vectors. */
export async function* embedChunks({ chunks, batch_size, maxNumbers = Infinity, ...options }: EmbedChunksOptions): Run<EmbedResult> {
  const { embedder } = options;
  const items: EmbeddedChunk[] = [];
  const errors: ErrorItem[] = [];
  const takeTurns = yieldToEventLoop(options.signal);
  const embed = async (batch: readonly Chunk[]) => ({
    batch,
    vectors: await embedTexts(
      batch.map(({ embed_text, text }) => embed_text ?? text),
      options,
    ),
  });
  for await (const { batch, vectors } of mapOrdered(sliceIntoBatches(chunks, batch_size), embedder.concurrency, embed)) {
    for (const [i, chunk] of batch.entries()) {
      await takeTurns();
      const vector = vectors[i]!;
      if (!(vector instanceof KbError) && vector.length * chunks.length > maxNumbers) throw tooManyVectorsError(maxNumbers / vector.length);
      if (vector instanceof KbError)
        errors.push(toErrorItem(vector, { source: chunk.source || chunk.id, source_kind: 'chunk', stage: 'embed' }));
      else
        items.push({
          ...chunk,
          embedding: Array.from(vector, roundToFloat32),
          embedder: { provider: embedder.provider, model: embedder.model },
        });
    }
    yield progress('embed', { embedded: items.length, failed: errors.length, total: chunks.length });
  }
  return { inputs: chunks.length, embedded: items.length, items, failed: errors.length, errors };
}

const tooManyVectorsError = (limit: number): KbError =>
  new KbError('too_large', `Of vectors of this model, one result holds at most ${Math.floor(limit).toLocaleString('en-US')}.`, {
    hint: 'Send fewer chunks at once.',
  });

function* sliceIntoBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Rounds to nine significant digits, enough to restore a 32-bit float (IEEE 754): half the bytes of a full double in JSON. */
const roundToFloat32 = (value: number): number => Number(value.toPrecision(9));

/** Maximum vectors that are kept for copies of a text in one run: 8 MB of 384 dimensions, 30 MB of 1,536. */
const MAX_RECENT_VECTORS = 5_000;

/** The latest vectors of a run, by text, so that copies of a text are embedded once, also those in batches that run at the same time. */
class RecentVectors {
  readonly #vectors = new Map<string, Promise<Float32Array | KbError>>();
  readonly #embed: (texts: readonly string[]) => Promise<(Float32Array | KbError)[]>;

  constructor(embed: (texts: readonly string[]) => Promise<(Float32Array | KbError)[]>) {
    this.#embed = embed;
  }

  /** Returns a vector or an error for each text. An error is not kept. Throws what `embed` throws. */
  async get(texts: readonly string[]): Promise<(Float32Array | KbError)[]> {
    const keys = texts.map((text) => hash(text));
    const unknown = new Map(keys.flatMap((key, i) => (this.#vectors.has(key) ? [] : [[key, texts[i]!] as const])));
    const made = this.#embed([...unknown.values()]);
    for (const [i, key] of [...unknown.keys()].entries()) this.#keep(key, made, i);
    const vectors = keys.map((key) => this.#vectors.get(key)!);
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= MAX_RECENT_VECTORS) break;
      this.#vectors.delete(oldest);
    }
    return await Promise.all(vectors);
  }

  #keep(key: string, made: Promise<(Float32Array | KbError)[]>, i: number): void {
    const vector = made.then((vectors) => vectors[i]!);
    this.#vectors.set(key, vector);
    void vector
      .catch((error: unknown) => error)
      .then((outcome) => {
        if (outcome instanceof Error && this.#vectors.get(key) === vector) this.#vectors.delete(key);
      });
  }
}

/** Maximum documents in a batch, including those without text to embed. */
const MAX_BATCH_DOCUMENTS = 256;
/** Maximum milliseconds that a text waits for its batch to be filled. */
const MAX_WAIT = 1_000;
/** Consecutive batches that may fail as a whole before the embedder counts as down: every further one would go through all retries. */
const MAX_FAILED_BATCHES = 3;

interface Slot {
  document: IngestDocument;
  chunk: StoredChunk;
}

interface Batch {
  slots: Slot[];
  /** Documents that are complete with this batch. */
  completes: IngestDocument[];
}

interface EmbedDocumentsOptions {
  embedder: Embedder;
  batch_size: number;
  signal?: AbortSignal | undefined;
  onBatch?: (embedded: number) => void;
  /** Called with the fatal error before the input iterator is closed (closing waits for in-flight work). */
  onFailure?: (error: unknown) => void;
}

/**
 * Embeds the chunks that have no vector. Batches are filled across documents and embedded several at once; documents are yielded in their
 * input order. A chunk that cannot be embedded moves from `chunks` to `lost`. Throws if the embedder refuses everything (`unauthorized`,
 * `setup`) or is down.
 */
export async function* embedDocuments(
  documents: AsyncIterable<IngestDocument>,
  { embedder, batch_size, signal, onBatch, onFailure }: EmbedDocumentsOptions,
): AsyncGenerator<IngestDocument, void, void> {
  let failedBatches = 0;
  const recent = new RecentVectors((texts) => embedTexts(texts, { embedder, input_type: 'document', signal }));
  const embed = async ({ slots, completes }: Batch): Promise<Batch> => {
    const vectors = await recent.get(slots.map(({ chunk }) => chunk.embed_text ?? chunk.text));
    const failed = vectors.filter((vector) => vector instanceof KbError && vector.isRetryable).length;
    if (slots.length > 0) failedBatches = failed === slots.length ? failedBatches + 1 : 0;
    if (failedBatches >= MAX_FAILED_BATCHES) throw vectors[0];
    for (const [i, { document, chunk }] of slots.entries()) applyVector(document, chunk, vectors[i]!);
    onBatch?.(slots.length - vectors.filter((vector) => vector instanceof KbError).length);
    return { slots, completes };
  };
  const embedOrReport = (batch: Batch) =>
    embed(batch).catch((error: unknown) => {
      onFailure?.(error);
      throw error;
    });
  const batches = mapOrdered(prefetch(fillBatches(documents, batch_size), 2), embedder.concurrency, embedOrReport);
  for await (const { completes } of batches) yield* completes;
}

function applyVector(document: IngestDocument, chunk: StoredChunk, vector: Float32Array | KbError): void {
  if (vector instanceof KbError) {
    document.lost.push({ chunk, error: vector });
    document.chunks = document.chunks.filter((other) => other !== chunk);
  } else chunk.vector = vector;
}

async function* fillBatches(documents: AsyncIterable<IngestDocument>, size: number): AsyncGenerator<Batch, void, void> {
  let batch: Batch = { slots: [], completes: [] };
  let began = Date.now();
  for await (const document of withHeartbeat(documents, MAX_WAIT)) {
    if (batch.completes.length === 0) began = Date.now();
    for (const chunk of document ? document.chunks.filter((candidate) => candidate.vector === undefined) : []) {
      if (batch.slots.length === size) {
        yield batch;
        batch = { slots: [], completes: [] };
      }
      batch.slots.push({ document: document!, chunk });
    }
    if (document) batch.completes.push(document);
    const isFull = batch.completes.length >= MAX_BATCH_DOCUMENTS || batch.slots.length >= size;
    if (isFull || (batch.completes.length > 0 && Date.now() - began >= MAX_WAIT)) {
      yield batch;
      batch = { slots: [], completes: [] };
    }
  }
  if (batch.completes.length > 0) yield batch;
}
