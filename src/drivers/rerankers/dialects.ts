import { z } from 'zod';
import type { Access } from '../access.ts';

export type RerankDialect = 'cohere' | 'voyage' | 'tei';

export interface RerankQuestion {
  query: string;
  texts: readonly string[];
}

/** What each asks for: a score of every text. `tei` is text-embeddings-inference, which has one model and cuts long texts only when it is told to. */
export const bodies: Record<RerankDialect, (question: RerankQuestion, access: Access<'rerank'>) => Record<string, unknown>> = {
  cohere: ({ query, texts }, access) => ({ ...common(access), query, documents: texts, top_n: texts.length }),
  voyage: ({ query, texts }, access) => ({ ...common(access), query, documents: texts, top_k: texts.length }),
  tei: ({ query, texts }, { parameters }) => ({ truncate: true, ...parameters, query, texts }),
};

const common = ({ row, parameters, model }: Access<'rerank'>): Record<string, unknown> => ({
  ...row.parameters,
  ...parameters,
  ...(model && { model }),
});

const Ranked = z.array(z.object({ index: z.int().min(0), relevance_score: z.number().optional(), score: z.number().optional() }));
/** Cohere, Jina and vLLM call the list `results`, Voyage `data`, text-embeddings-inference gives it bare. */
const Answer = z.union([
  Ranked,
  z.object({ results: Ranked }).transform(({ results }) => results),
  z.object({ data: Ranked }).transform(({ data }) => data),
]);

/** The scores in the order of the texts; undefined where one is missing or comes twice, or the answer is of another kind. */
export function scoresIn(answer: unknown, count: number): number[] | undefined {
  const ranked = Answer.safeParse(answer).data ?? [];
  const scores = new Map(ranked.map(({ index, relevance_score, score }) => [index, relevance_score ?? score]));
  const ordered = Array.from({ length: count }, (_, i) => scores.get(i));
  return ranked.length === count && ordered.every((score) => score !== undefined) ? ordered : undefined;
}
