import { KbError } from '../../base/errors.ts';
import { retry } from '../../base/retry.ts';
import type { Embedder } from '../../ports.ts';
import { openClient, type OpenAiClient } from '../openai-client.ts';
import { accessTo, type Access, type ProviderSettings } from '../providers.ts';

/** The score from which a passage is taken to be about the query. Not measured for any model over HTTP; so low that only what has nothing to do with it is dropped. */
const MIN_RETRIEVAL_SCORE = 0.2;

/**
 * An embedder that speaks OpenAI's protocol. Nothing is sent before the first text.
 * @throws KbError `setup` where the key is missing, `configuration` where an address or a model is.
 */
export async function openOpenAiEmbedder(settings: ProviderSettings): Promise<Embedder> {
  const access = accessTo(settings, 'embedding');
  const service = await openClient(access);
  let dimensions = access.dimensions ?? (access.is_own_address ? (access.row.dimensions[access.model] ?? 0) : 0);
  return {
    provider: access.provider,
    model: access.model,
    get dimensions() {
      return dimensions;
    },
    concurrency: 4,
    min_retrieval_score: MIN_RETRIEVAL_SCORE,
    reads: () => 1,
    embed: async (texts, { signal }) => {
      if (texts.length === 0) return [];
      if (texts.some((text) => text.trim() === '')) throw new KbError('invalid', 'The text is empty: there is nothing to embed.');
      const rows = await retry(() => request(texts, { ...service, access, signal }), { signal });
      const vectors = rows.map((row) => unit(row, access));
      dimensions = commonLength(vectors, { known: dimensions, access });
      return vectors;
    },
    close: async () => {},
  };
}

interface Parts extends OpenAiClient {
  access: Access;
  signal: AbortSignal | undefined;
}

/** One request: the vectors as the provider gives them, in the order of the texts. */
async function request(texts: readonly string[], { client, translate, access, signal }: Parts): Promise<number[][]> {
  const { model, dimensions, parameters } = access;
  // The client would ask for base64, which not every server knows.
  const body = { ...parameters, model, input: [...texts], encoding_format: 'float' as const, ...(dimensions && { dimensions }) };
  try {
    const { data } = await client.embeddings.create(body, { signal: signal ?? null });
    if (!Array.isArray(data) || data.length !== texts.length)
      throw unexpected(access, `${data?.length ?? 'no'} vectors for ${texts.length} texts`);
    return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  } catch (error) {
    throw translate(error, signal);
  }
}

/** The vector, of length 1. */
function unit(values: number[], access: Access): Float32Array {
  const length = Math.hypot(...values);
  if (!(length > 0) || !Number.isFinite(length))
    throw new KbError('invalid', `${access.provider} made a vector of ${access.model} that has no direction.`);
  return Float32Array.from(values, (value) => value / length);
}

/** How long the vectors are. Throws where they differ from each other or from those before: such vectors can't be compared. */
function commonLength(vectors: readonly Float32Array[], { known, access }: { known: number; access: Access }): number {
  const expected = known || vectors[0]!.length;
  const odd = vectors.find(({ length }) => length !== expected);
  if (!odd) return expected;
  throw new KbError(
    'conflict',
    `${access.provider} made a vector of ${odd.length} numbers with ${access.model} where ${expected} were expected.`,
    {
      hint: access.dimensions
        ? 'Not every model knows embedding.options.dimensions: leave it out.'
        : "Vectors of two lengths can't be compared: check which model the server runs.",
    },
  );
}

const unexpected = ({ provider, model }: Access, what: string): KbError =>
  new KbError('configuration', `${provider} answered with ${what}.`, {
    hint: `Check that the address speaks OpenAI's protocol and that ${model} is an embedding model.`,
  });
