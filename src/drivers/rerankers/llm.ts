import { KbError } from '../../base/errors.ts';
import type { Llm, Reranker } from '../../ports.ts';
import { gradesIn, gradingPrompt } from './grading.ts';
import { inPortions } from './portions.ts';

/** Passages that are graded at most, the best of the search: the others keep their place behind them. */
const MOST_GRADED = 50;
/** Characters of an answer that are read: a grade takes ten. */
const LONGEST_ANSWER = 20_000;

export interface LlmRerankerOptions {
  /** A model that writes, not one that quotes. */
  llm: Llm;
  max_tokens: number;
  /** Seconds without a token after which it is given up. */
  timeout: number;
}

/**
 * Asks a language model how well each passage answers the query. A score is 0 to 1, and 0 for a passage that got no grade. What models take a grade
 * for was not measured, so that no threshold is set.
 * @throws KbError `configuration` where the model can only quote.
 */
export function openLlmReranker({ llm, ...limits }: LlmRerankerOptions): Reranker {
  if (llm.extractive) {
    throw new KbError(
      'configuration',
      'The reranker llm asks the language model of chat.llm, and chat.llm.provider is local, which only quotes.',
      {
        hint: 'Set chat.llm.provider to one that writes, or rerank.provider to local.',
      },
    );
  }
  return {
    provider: 'llm',
    model: `${llm.provider}/${llm.model}`,
    min_rerank_score: undefined,
    rank: async (query, passages, { signal }) => {
      const texts = passages.slice(0, MOST_GRADED).map(({ text }) => text);
      const ask = async (portion: readonly string[]): Promise<number[]> => {
        const answer = await said(llm, { query, texts: portion }, { ...limits, signal });
        return gradesIn(answer, portion.length) ?? ungraded(llm);
      };
      const scores = await inPortions(texts, ask);
      return passages.map((_, i) => scores[i] ?? 0);
    },
  };
}

type Limits = Omit<LlmRerankerOptions, 'llm'> & { signal: AbortSignal | undefined };

async function said(llm: Llm, question: { query: string; texts: readonly string[] }, limits: Limits): Promise<string> {
  let answer = '';
  const messages = gradingPrompt(question.query, question.texts);
  for await (const piece of llm.generate({ messages, grounding: { query: question.query, sources: [] }, ...limits })) {
    answer += piece;
    if (answer.length > LONGEST_ANSWER) break;
  }
  return answer;
}

function ungraded({ provider, model }: Llm): never {
  throw new KbError('invalid', `${provider} / ${model} gave no passage a grade.`, {
    hint: 'Not every model can: name another in rerank.model, or another rerank.provider.',
  });
}
