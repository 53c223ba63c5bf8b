import { operatorAdvice } from '../../core/advice/advice.ts';
import { hasCode, KbError } from '../../core/errors.ts';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { z } from 'zod';
import type { EmbeddingRow } from '../providers/providers.ts';
import { Pace } from '../../core/pace.ts';
import { retry } from '../../core/retry.ts';
import type { Embedder } from '../../ports/models.ts';
import { describeModel, requestOllama } from '../providers/ollama.ts';
import { post, providerError } from '../providers/provider-errors.ts';
import { measureCosineRange, UNRELATED_TEXTS } from './cosine-range.ts';
import { weightedMean } from './token-windows.ts';

/** Scales a vector to length 1. Throws a KbError (`invalid`) if it is zero or no vector. */
export function toUnitVector(values: unknown, { provider, model }: Access): Float32Array {
  const length = Array.isArray(values) ? Math.hypot(...(values as number[])) : 0;
  if (!(length > 0) || !Number.isFinite(length))
    throw new KbError('invalid', `${provider} made a vector of ${model} that has no direction.`);
  return Float32Array.from(values as number[], (value) => value / length);
}

/** Checks that all vectors have one length, that of earlier ones if it is `known`, and returns it. Throws a KbError (`conflict`) if they differ. */
function checkLengths(vectors: readonly Float32Array[], { known, access }: { known: number; access: Access }): number {
  const expected = known || vectors[0]!.length;
  const mismatch = vectors.find(({ length }) => length !== expected);
  if (!mismatch) return expected;
  throw new KbError(
    'conflict',
    `${access.provider} made a vector of ${mismatch.length} numbers with ${access.model} where ${expected} were expected.`,
    {
      hint: access.dimensions
        ? operatorAdvice`Not every model knows embedding.options.dimensions: leave it out.`
        : operatorAdvice`Vectors of two lengths can't be compared: check which model the server runs.`,
    },
  );
}

interface Dialect {
  /** Sends the body of a request, and returns the JSON of the response. Throws a KbError. */
  send(access: Access<'embedding'>, body: Record<string, unknown>, signal: AbortSignal | undefined): Promise<unknown>;
  body(texts: readonly string[], input_type: 'document' | 'query', access: Access<'embedding'>): Record<string, unknown>;
  /** Extracts the vectors in the order of the texts; undefined for another kind of response. */
  vectors(answer: unknown): unknown[] | undefined;
}

/** Makes the parameters whose names differ between providers: the use of a text (unless the user sets it), and the dimensions. */
const providerParameters = (
  input_type: 'document' | 'query',
  { model, dimensions, parameters, row }: Access<'embedding'>,
): Record<string, unknown> => ({
  ...(row.input_type && { [row.input_type.name]: row.input_type[input_type] }),
  ...parameters,
  model,
  ...(dimensions && row.dimensions_name && { [row.dimensions_name]: dimensions }),
});

const sendTo =
  (path: string): Dialect['send'] =>
  (access, body, signal) =>
    post(access, { path, body, signal });

const OpenAiAnswer = z.object({ data: z.array(z.object({ index: z.int().nullish(), embedding: z.unknown() })) });
const CohereAnswer = z.object({ embeddings: z.object({ float: z.array(z.unknown()) }) });
const OllamaAnswer = z.object({ embeddings: z.array(z.unknown()) });

/** The dialects; each validates only what it uses of a response. */
const dialects: Record<EmbeddingRow['dialect'], Dialect> = {
  openai: {
    send: sendTo('/embeddings'),
    body: (texts, input_type, access) => ({
      ...providerParameters(input_type, access),
      input: [...texts],
      ...(access.row.asks_for_floats && { encoding_format: 'float' }),
    }),
    vectors: (answer) => {
      const { data } = OpenAiAnswer.safeParse(answer).data ?? {};
      return data && sortByIndex(data)?.map(({ embedding }) => embedding);
    },
  },
  ollama: {
    send: async (access, body, signal) => {
      try {
        const response = await requestOllama(access, { path: '/api/embed', body, signal });
        return (await response.json()) as unknown;
      } catch (error) {
        throw providerError(error, { ...access, signal });
      }
    },
    // Ollama cuts a text that is too long unless it is told not to
    body: (texts, input_type, access) => ({ ...providerParameters(input_type, access), input: [...texts], truncate: false }),
    vectors: (answer) => OllamaAnswer.safeParse(answer).data?.embeddings,
  },
  cohere: {
    send: sendTo('/embed'),
    body: (texts, input_type, access) => ({ ...providerParameters(input_type, access), texts: [...texts], embedding_types: ['float'] }),
    vectors: (answer) => CohereAnswer.safeParse(answer).data?.embeddings.float,
  },
};

/** Sorts items in the order of the texts; undefined if two have the same index. Gemini leaves out an index of 0, other servers every index. */
function sortByIndex<Item extends { index?: number | null | undefined }>(items: readonly Item[]): Item[] | undefined {
  const positions = items.map(({ index }, i) => index ?? i);
  if (new Set(positions).size < items.length) return undefined;
  return items
    .map((item, i) => ({ item, position: positions[i]! }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ item }) => item);
}

/**
 * Minimum score of a relevant passage. Each model has its own scale, and none was measured over HTTP; so the value is low and drops only passages that have
 * nothing to do with the query. Users who measure their model (`kb eval`) set `chat.retrieval_quality.min_retrieval_score`.
 */
const MIN_RETRIEVAL_SCORE = 0.2;

type EmbedOptions = Parameters<Embedder['embed']>[1];

/** Opens an embedder over HTTP; nothing is sent yet. The first queries also measure the range of its cosines, with a few more texts. Throws a KbError (`setup` without a key, `configuration` without address or model). */
export async function openHttpEmbedder(settings: ProviderSettings): Promise<Embedder> {
  const access = resolveAccess(settings, 'embedding');
  const { provider, model, row } = access;
  let cosine_range: Embedder['cosine_range'];
  let dimensions = access.dimensions ?? (access.is_own_address ? (row.dimensions[model] ?? 0) : 0);
  return {
    provider,
    model,
    get dimensions() {
      return dimensions;
    },
    get cosine_range() {
      return cosine_range;
    },
    concurrency: 4,
    min_retrieval_score: MIN_RETRIEVAL_SCORE,
    ...(row.dialect === 'ollama' && { window: async (signal) => (await describeModel(access, signal)).context_length }),
    embed: async (texts, options) => {
      if (texts.length === 0) return [];
      if (texts.some((text) => text.trim() === '')) throw new KbError('invalid', 'The text is empty: there is nothing to embed.');
      const measured = options.input_type === 'query' && cosine_range === undefined ? UNRELATED_TEXTS : [];
      const all = [...texts, ...measured];
      const vectors: Float32Array[] = [];
      for (let at = 0; at < all.length; at += row.batch)
        vectors.push(...(await embedWhole(all.slice(at, at + row.batch), options, access)));
      dimensions = checkLengths(vectors, { known: dimensions, access });
      if (measured.length > 0) cosine_range = measureCosineRange(vectors.slice(texts.length));
      return vectors.slice(0, texts.length);
    },
    close: async () => {},
  };
}

/** Texts up to this length, in characters, are not split: a model that does not read them has another fault. */
const MIN_SPLIT_LENGTH = 100;

/** Embeds texts; a single one that is too long for the model is split at a word, and its vector is the mean of those of its parts, by their length. */
async function embedWhole(texts: readonly string[], options: EmbedOptions, access: Access<'embedding'>): Promise<Float32Array[]> {
  try {
    return await embedBatch(texts, options, access);
  } catch (error) {
    const [text = ''] = texts;
    if (!hasCode(error, 'too_large') || texts.length > 1 || text.length <= MIN_SPLIT_LENGTH) throw error;
    const middle = text.lastIndexOf(' ', text.length / 2);
    const split = middle > text.length / 4 ? middle : Math.floor(text.length / 2);
    const halves = [text.slice(0, split), text.slice(split)].filter((half) => half.trim() !== '');
    const vectors: Float32Array[] = [];
    for (const half of halves) vectors.push(...(await embedWhole([half], options, access)));
    return [
      weightedMean(
        vectors,
        halves.map(({ length }) => length),
      ),
    ];
  }
}

/** Maximum refusals of a request by a provider that asks for a slower pace. */
const MAX_REFUSALS = 6;
const paces = new WeakMap<Access<'embedding'>, Pace>();

/** The pace of the requests of an embedder. */
function paceOf(access: Access<'embedding'>): Pace {
  const pace = paces.get(access) ?? new Pace(access.provider);
  paces.set(access, pace);
  return pace;
}

/** Embeds as many texts as one request may hold. */
async function embedBatch(
  texts: readonly string[],
  { input_type, signal }: EmbedOptions,
  access: Access<'embedding'>,
): Promise<Float32Array[]> {
  const dialect = dialects[access.row.dialect];
  const body = dialect.body(texts, input_type, access);
  const refusals = input_type === 'document' ? MAX_REFUSALS : undefined; // someone waits for the answer to a query
  const answer = await retry(() => paceOf(access).run(() => dialect.send(access, body, signal), signal), { signal, refusals });
  const vectors = dialect.vectors(answer);
  if (vectors?.length === texts.length) return vectors.map((vector) => toUnitVector(vector, access));
  throw new KbError('configuration', `${access.provider} answered with ${vectors?.length ?? 'no'} vectors for ${texts.length} texts.`, {
    hint: operatorAdvice`Check that the address is that of its API and that ${access.model} is an embedding model.`,
  });
}
