import { operatorAdvice } from '../../core/advice/advice.ts';
import { z } from 'zod';
import { type Access, resolveAccess, type ProviderSettings } from '../providers/access.ts';
import { hasCode, KbError } from '../../core/errors.ts';
import { retry } from '../../core/retry.ts';
import { removeInvisible } from '../../text/clean-text.ts';
import type { Reranker } from '../../ports/models.ts';
import { post } from '../providers/provider-errors.ts';
import { scoreInBatches } from './score-batches.ts';

type RerankDialect = 'cohere' | 'voyage' | 'tei';

interface RerankInput {
  query: string;
  texts: readonly string[];
}

/**
 * Request bodies of the dialects, for a score of every text. `tei` is text-embeddings-inference, which has one model and cuts long texts
 * only on request.
 */
const requestBodies: Record<RerankDialect, (input: RerankInput, access: Access<'rerank'>) => Record<string, unknown>> = {
  cohere: ({ query, texts }, access) => ({ ...commonParameters(access), query, documents: texts, top_n: texts.length }),
  voyage: ({ query, texts }, access) => ({ ...commonParameters(access), query, documents: texts, top_k: texts.length }),
  tei: ({ query, texts }, { parameters }) => ({ truncate: true, ...parameters, query, texts }),
};

const commonParameters = ({ row, parameters, model }: Access<'rerank'>): Record<string, unknown> => ({
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

/** Extracts the scores in the order of the texts; undefined if one is missing or repeated, or for another kind of response. */
function parseScores(answer: unknown, count: number): number[] | undefined {
  const ranked = Answer.safeParse(answer).data ?? [];
  const scores = new Map(ranked.map(({ index, relevance_score, score }) => [index, relevance_score ?? score]));
  const ordered = Array.from({ length: count }, (_, i) => scores.get(i));
  return ranked.length === count && ordered.every((score) => score !== undefined) ? ordered : undefined;
}

/**
 * Opens a reranking model over HTTP: POST /rerank in the dialect of its row, or in its alternative if the server expects that. Scores are those of the model
 * (0 to 1 for the models of the table). `min_rerank_score` was not measured, so only a configured threshold applies. Throws a KbError: `setup` without a key,
 * `configuration` without address or model.
 */
export async function openHttpReranker(settings: ProviderSettings): Promise<Reranker> {
  const access = resolveAccess(settings, 'rerank');
  const score = createScorer(access);
  return {
    provider: access.provider,
    model: access.model,
    min_rerank_score: undefined,
    rank: (query, passages, { signal }) => {
      const texts = passages.map(({ text }) => removeInvisible(text).trim() || '-'); // one empty text would make the server refuse the request
      return scoreInBatches(texts, (batch) => score({ query, texts: batch }, signal));
    },
  };
}

/** Makes a function that scores texts in the dialect that worked last. */
function createScorer(access: Access<'rerank'>): (input: RerankInput, signal: AbortSignal | undefined) => Promise<number[]> {
  const { dialect, alternative } = access.row;
  let lastDialect: RerankDialect = dialect;
  const scoreIn = async (dialectUsed: RerankDialect, input: RerankInput, signal: AbortSignal | undefined) => {
    const body = requestBodies[dialectUsed](input, access);
    const answer = await retry(() => post(access, { path: '/rerank', body, signal }), { signal });
    lastDialect = dialectUsed;
    return parseScores(answer, input.texts.length) ?? throwMissingScores(access, input);
  };
  return async (input, signal) => {
    try {
      return await scoreIn(lastDialect, input, signal);
    } catch (error) {
      if (!alternative || lastDialect === alternative || !isMissingTexts(error)) throw error;
      return scoreIn(alternative, input, signal);
    }
  };
}

/** Recognizes the error of text-embeddings-inference: "missing field `texts`". */
const isMissingTexts = (error: unknown): boolean => hasCode(error, 'invalid') && /\btexts\b/.test(error.message);

function throwMissingScores({ provider, model }: Access, { texts }: RerankInput): never {
  throw new KbError('invalid', `${provider} did not give each of ${texts.length} passages one score.`, {
    hint: operatorAdvice`Check that the address is that of its API${model && ` and that ${model} is a reranking model`}.`,
  });
}
