import { KbError, toErrorItem } from '../base/errors.ts';
import { mapOrdered } from '../base/pool.ts';
import { progress, throwIfAborted, type Run } from '../base/run.ts';
import type { Embedder } from '../ports/models.ts';
import type { Chunk, EmbeddedChunk } from '../schema/items.ts';
import type { EmbedResult, ErrorItem } from '../schema/results.ts';

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
  yield* mapOrdered(batches(texts, batch_size), options.embedder.concurrency, (batch) => embedTexts(batch, options));
}

export interface EmbedChunksOptions extends EmbedOptions {
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
  for await (const { batch, vectors } of mapOrdered(batches(chunks, batch_size), embedder.concurrency, embed)) {
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

function* batches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** As few digits as a 32-bit float needs to come back the same: nine (IEEE 754). Half the bytes of a JSON that spells out the double. */
const shortest = (value: number): number => Number(value.toPrecision(9));
