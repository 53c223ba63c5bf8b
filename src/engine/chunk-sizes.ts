import type { Embedder } from '../ports/models.ts';
import { DEFAULT_CHUNK_SIZE } from '../schema/config.ts';
import type { EmbedderName } from '../schema/items.ts';
import { embedderName, openEmbedder } from './collections.ts';
import type { Context } from './context.ts';
import { describeInProcess } from './resources.ts';

/** Characters of text per token of an embedding model, in European languages. A chunk that has more tokens is embedded in parts. */
const CHARACTERS_PER_TOKEN = 4;

/** Minimum default, in characters: shorter chunks say too little. */
const MIN_DEFAULT = 200;

/** Computes the default size of chunks, in characters: the usual one, or what the embedding model reads at once if that is less. */
async function defaultChunkSize(embedder: Embedder | undefined, signal: AbortSignal | undefined): Promise<number> {
  const window = await embedder?.window?.(signal).catch(() => undefined);
  return window === undefined ? DEFAULT_CHUNK_SIZE : Math.min(DEFAULT_CHUNK_SIZE, Math.max(MIN_DEFAULT, window * CHARACTERS_PER_TOKEN));
}

/** Sets the size of chunks in the settings of a context, if none is configured, by the embedder for a collection, which may be stored with one already. */
export async function withChunkSize<C extends Context>(context: C, storedEmbedder?: EmbedderName): Promise<C> {
  const { settings, signal } = context;
  const { chunk_size: configured, chunk_overlap, ...rest } = settings.chunking;
  const open = async () => {
    const { provider } = await embedderName(context, storedEmbedder);
    return describeInProcess('embedders', provider) ? undefined : await openEmbedder(context, storedEmbedder); // bundled models read enough
  };
  const chunk_size = configured ?? (await defaultChunkSize(await open().catch(() => undefined), signal)); // its use reports an error
  const overlap = configured === undefined ? Math.min(chunk_overlap, chunk_size >> 1) : chunk_overlap;
  return { ...context, settings: { ...settings, chunking: { chunk_size, chunk_overlap: overlap, ...rest } } };
}
