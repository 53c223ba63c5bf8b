import { KbError } from '../../base/errors.ts';
import type { Llm, Reranker } from '../../ports/models.ts';
import { fitting, type GradingWindow } from './fitting.ts';
import { gradesIn, gradingPrompt } from './grading.ts';
import { inPortions } from './portions.ts';

/** Passages that are graded at most, the best of the search: the others keep their place behind them. */
const MOST_GRADED = 50;
/** Characters of an answer that are read: a grade takes ten. */
const LONGEST_ANSWER = 20_000;

export interface LlmRerankerOptions {
  /** A model that writes, not one that quotes. */
  llm: Llm;
  /** Tokens that an answer may have; more where the grades need them, less where the window is small. */
  max_tokens: number;
  /** Seconds without a token after which it is given up. */
  timeout: number;
  /** What the model reads and writes at once. */
  window: GradingWindow;
}

/**
 * Asks a language model how well each passage answers the query, as often as its window makes it necessary. A score is 0 to 1, and 0 for what is not
 * among the first passages. What models take a grade for was not measured, so that no threshold is set. `rank` throws a KbError `invalid` where a
 * passage gets no grade.
 * @throws KbError `configuration` where the model can only quote.
 */
export function openLlmReranker({ llm, max_tokens, timeout, window }: LlmRerankerOptions): Reranker {
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
    rank: async (query, passages, { signal, watched = (model) => model }) => {
      const texts = passages.slice(0, MOST_GRADED).map(({ text }) => text);
      const { portions, answer } = fitting(query, texts, { window, max_tokens });
      const ask = async (portion: readonly string[]): Promise<number[]> => {
        const said = await answerOf(watched(llm), { query, texts: portion }, { max_tokens: answer, timeout, signal });
        return gradesIn(said, portion.length).map((grade, _, grades) => grade ?? ungraded(llm, grades));
      };
      const scores: number[] = [];
      for (const portion of portions) scores.push(...(await inPortions(portion, ask)));
      return passages.map((_, i) => scores[i] ?? 0);
    },
  };
}

type Limits = Pick<LlmRerankerOptions, 'max_tokens' | 'timeout'> & { signal: AbortSignal | undefined };

async function answerOf(llm: Llm, question: { query: string; texts: readonly string[] }, limits: Limits): Promise<string> {
  let answer = '';
  const messages = gradingPrompt(question.query, question.texts);
  for await (const piece of llm.generate({ messages, grounding: { query: question.query, sources: [] }, ...limits })) {
    answer += piece;
    if (answer.length > LONGEST_ANSWER) break;
  }
  return answer;
}

/** Half of an order is none: what got no grade may be the best. */
function ungraded({ provider, model }: Llm, grades: readonly (number | undefined)[]): never {
  const count = grades.filter((grade) => grade !== undefined).length;
  const graded = count === 0 ? 'gave no passage a grade' : `graded only ${count} of ${grades.length} passages`;
  throw new KbError('invalid', `${provider} / ${model} ${graded}.`, {
    hint: 'Not every model can: name another in rerank.model, or another rerank.provider.',
  });
}
