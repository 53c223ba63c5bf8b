import { z } from 'zod';
import type { Access } from '../access.ts';
import type { EmbeddingRow } from '../provider-rows.ts';

/** How texts are handed over, and vectors taken back. */
interface Dialect {
  path: string;
  body(texts: readonly string[], input_type: 'document' | 'query', access: Access<'embedding'>): Record<string, unknown>;
  /** The vectors in the order of the texts; undefined where the answer is of another kind. */
  vectors(answer: unknown): unknown[] | undefined;
}

/** What both say in their own words: what a text is for (unless the user says it), and how long its vector shall be. */
const wishes = (
  input_type: 'document' | 'query',
  { model, dimensions, parameters, row }: Access<'embedding'>,
): Record<string, unknown> => ({
  ...(row.input_type && { [row.input_type.name]: row.input_type[input_type] }),
  ...parameters,
  model,
  ...(dimensions && row.length_name && { [row.length_name]: dimensions }),
});

const OpenAiAnswer = z.object({ data: z.array(z.object({ index: z.int().nullish(), embedding: z.unknown() })) });
const CohereAnswer = z.object({ embeddings: z.object({ float: z.array(z.unknown()) }) });

/** Each reads no more of an answer than it uses. */
export const dialects: Record<EmbeddingRow['dialect'], Dialect> = {
  openai: {
    path: '/embeddings',
    body: (texts, input_type, access) => ({
      ...wishes(input_type, access),
      input: [...texts],
      ...(access.row.asks_for_floats && { encoding_format: 'float' }),
    }),
    vectors: (answer) => {
      const { data } = OpenAiAnswer.safeParse(answer).data ?? {};
      return data && inPlace(data)?.map(({ embedding }) => embedding);
    },
  },
  cohere: {
    path: '/embed',
    body: (texts, input_type, access) => ({ ...wishes(input_type, access), texts: [...texts], embedding_types: ['float'] }),
    vectors: (answer) => CohereAnswer.safeParse(answer).data?.embeddings.float,
  },
};

/** In the order of the texts. Gemini leaves the index out where it is 0, others everywhere; undefined where two have the same. */
function inPlace<Item extends { index?: number | null | undefined }>(items: readonly Item[]): Item[] | undefined {
  const places = items.map(({ index }, i) => index ?? i);
  if (new Set(places).size < items.length) return undefined;
  return items
    .map((item, i) => ({ item, place: places[i]! }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
