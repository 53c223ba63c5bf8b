import { operatorAdvice } from '../../core/advice/advice.ts';
import { z } from 'zod';
import { type Access, accessTo, type ProviderSettings } from '../providers/access.ts';
import { hasCode, KbError } from '../../core/errors.ts';
import { retry } from '../../core/retry.ts';
import { removeInvisible } from '../../text/clean-text.ts';
import type { Reranker } from '../../ports/models.ts';
import { post } from '../providers/provider-errors.ts';
import { inPortions } from './portions.ts';

type RerankDialect = 'cohere' | 'voyage' | 'tei';

interface RerankQuestion {
  query: string;
  texts: readonly string[];
}

/**
 * Request bodies of the dialects, for a score of every text. `tei` is text-embeddings-inference, which has one model and cuts long texts
 * only on request.
 */
const bodies: Record<RerankDialect, (question: RerankQuestion, access: Access<'rerank'>) => Record<string, unknown>> = {
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

/** Extracts the scores in the order of the texts; undefined if one is missing or doubled, or for another kind of response. */
function scoresIn(answer: unknown, count: number): number[] | undefined {
  const ranked = Answer.safeParse(answer).data ?? [];
  const scores = new Map(ranked.map(({ index, relevance_score, score }) => [index, relevance_score ?? score]));
  const ordered = Array.from({ length: count }, (_, i) => scores.get(i));
  return ranked.length === count && ordered.every((score) => score !== undefined) ? ordered : undefined;
}

/**
 * Opens a reranking model over HTTP: POST /rerank in the dialect of its row, or in the alternative that the server speaks. Scores are those of the model (0
 * to 1 for those of the table). `min_rerank_score` was not measured, so only a configured threshold applies. Throws a KbError: `setup` without a key,
 * `configuration` without address or model.
 */
export async function openHttpReranker(settings: ProviderSettings): Promise<Reranker> {
  const access = accessTo(settings, 'rerank');
  const ask = asker(access);
  return {
    provider: access.provider,
    model: access.model,
    min_rerank_score: undefined,
    rank: (query, passages, { signal }) => {
      const texts = passages.map(({ text }) => removeInvisible(text).trim() || '-'); // an empty one would make the server refuse all
      return inPortions(texts, (portion) => ask({ query, texts: portion }, signal));
    },
  };
}

/** Makes a function that sends requests in the dialect that worked last. */
function asker(access: Access<'rerank'>): (question: RerankQuestion, signal: AbortSignal | undefined) => Promise<number[]> {
  const { dialect, alternative } = access.row;
  let spoken: RerankDialect = dialect;
  const askIn = async (chosen: RerankDialect, question: RerankQuestion, signal: AbortSignal | undefined) => {
    const body = bodies[chosen](question, access);
    const answer = await retry(() => post(access, { path: '/rerank', body, signal }), { signal });
    spoken = chosen;
    return scoresIn(answer, question.texts.length) ?? unscored(access, question);
  };
  return async (question, signal) => {
    try {
      return await askIn(spoken, question, signal);
    } catch (error) {
      if (!alternative || spoken === alternative || !missesTexts(error)) throw error;
      return askIn(alternative, question, signal);
    }
  };
}

/** Recognizes the error of text-embeddings-inference: «missing field `texts`». */
const missesTexts = (error: unknown): boolean => hasCode(error, 'invalid') && /\btexts\b/.test(error.message);

function unscored({ provider, model }: Access, { texts }: RerankQuestion): never {
  throw new KbError('invalid', `${provider} did not give each of ${texts.length} passages one score.`, {
    hint: operatorAdvice`Check that the address is that of its API${model && ` and that ${model} is a reranking model`}.`,
  });
}
