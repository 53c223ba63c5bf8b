import { KbError } from '../../base/errors.ts';
import { retry } from '../../base/retry.ts';
import type { Embedder } from '../../ports/models.ts';
import { accessTo, type Access, type ProviderSettings } from '../access.ts';
import { post } from '../provider-post.ts';
import { dialects } from './dialects.ts';
import { lengthOf, unit } from './unit-vectors.ts';

/**
 * The score from which a passage is taken to be about the query. It was measured for no model over HTTP: each has its own scale, and none can be
 * asked where kb is built. So it is low: what has nothing to do with the query is dropped, and little else. `chat.retrieval_quality.min_retrieval_score`
 * takes its place where somebody has measured their model (`kb eval`).
 */
const MIN_RETRIEVAL_SCORE = 0.2;

type EmbedOptions = Parameters<Embedder['embed']>[1];

/**
 * An embedder over HTTP, in the dialect of its row. Nothing is sent before the first text.
 * @throws KbError `setup` where the key is missing, `configuration` where an address or a model is.
 */
export async function openHttpEmbedder(settings: ProviderSettings): Promise<Embedder> {
  const access = accessTo(settings, 'embedding');
  const { provider, model, row } = access;
  let dimensions = access.dimensions ?? (access.is_own_address ? (row.dimensions[model] ?? 0) : 0);
  return {
    provider,
    model,
    get dimensions() {
      return dimensions;
    },
    concurrency: 4,
    min_retrieval_score: MIN_RETRIEVAL_SCORE,
    reads: () => 1,
    embed: async (texts, options) => {
      if (texts.length === 0) return [];
      if (texts.some((text) => text.trim() === '')) throw new KbError('invalid', 'The text is empty: there is nothing to embed.');
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += row.batch) vectors.push(...(await ask(texts.slice(at, at + row.batch), options, access)));
      dimensions = lengthOf(vectors, { known: dimensions, access });
      return vectors;
    },
    close: async () => {},
  };
}

/** The vectors of as many texts as one request may hold, in their order. */
async function ask(texts: readonly string[], { input_type, signal }: EmbedOptions, access: Access<'embedding'>): Promise<Float32Array[]> {
  const dialect = dialects[access.row.dialect];
  const question = { path: dialect.path, body: dialect.body(texts, input_type, access), signal };
  const answer = await retry(() => post(access, question), { signal });
  const vectors = dialect.vectors(answer);
  if (vectors?.length === texts.length) return vectors.map((vector) => unit(vector, access));
  throw new KbError('configuration', `${access.provider} answered with ${vectors?.length ?? 'no'} vectors for ${texts.length} texts.`, {
    hint: `Check that the address is that of its API and that ${access.model} is an embedding model.`,
  });
}
