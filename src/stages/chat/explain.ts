import type { ChatResult } from '../../schema/answers.ts';
import type { ChatExplain } from '../../schema/explain.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { Window } from './budget.ts';
import type { Trace } from './trace.ts';

/** What a turn was made of, beside its result. */
export interface Made {
  trace: Trace;
  /** What was searched for, where the question was taken apart. */
  searched: readonly string[];
  /** The chunks that the model was given, in the order of their numbers. */
  given: readonly RetrievedItem[];
  window: Window;
}

type Passage = ChatExplain['passages'][number];

/** Why a chunk was not good enough; undefined where it was, or nobody asked. */
function rejection({ score, rerank_score }: RetrievedItem, quality: ChatResult['retrieval_quality']): Passage['rejected'] {
  if (quality.status === 'not_evaluated') return undefined;
  if (score < (quality.min_retrieval_score ?? 0)) return 'min_retrieval_score';
  if (rerank_score !== undefined && rerank_score < (quality.min_rerank_score ?? -Infinity)) return 'min_rerank_score';
  return undefined;
}

function passage(item: RetrievedItem, rank: number, { result, given }: { result: ChatResult; given: readonly RetrievedItem[] }): Passage {
  const citation = given.findIndex(({ id }) => id === item.id) + 1;
  const rejected = rejection(item, result.retrieval_quality);
  const { title, source } = item.metadata;
  return {
    id: item.id,
    title: typeof title === 'string' ? title : String(source),
    source: String(source),
    rank,
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    ...(item.explain ? { arms: item.explain } : {}),
    ...(rejected ? { rejected } : citation === 0 && given.length > 0 ? { rejected: 'room' as const } : {}),
    ...(citation > 0 ? { citation } : {}),
    cited: result.sources.some(({ id, cited }) => cited && id === item.id),
  };
}

/** Why the turn has no answer from the sources; undefined where it has one, or where errors tell why not. */
function declined(
  { retrieval, retrieval_quality, answer_confidence, llm }: ChatResult,
  given: readonly RetrievedItem[],
): string | undefined {
  if (answer_confidence.level !== 'none' || answer_confidence.reason !== 'retrieval_quality_low_confidence') return undefined;
  const { outputs } = retrieval;
  if (given.length > 0) return `${llm.provider} was given ${passages(given.length)}, and says that the question is not answered there.`;
  if (outputs.length === 0) return 'Nothing was found.';
  const { min_retrieval_score = 0, mode } = retrieval_quality;
  const best = Math.max(...outputs.map(({ score }) => score));
  const isByRerank = best >= min_retrieval_score;
  const what = isByRerank ? 'min_rerank_score' : `min_retrieval_score, ${min_retrieval_score.toFixed(3)} (the best has ${best.toFixed(3)})`;
  return `None of ${passages(outputs.length)} reaches ${what}, and low_confidence_mode is ${mode}.`;
}

const passages = (number: number): string => (number === 1 ? 'one passage' : `${number} passages`);

/** How the result of a turn came about. */
export function explained(result: ChatResult, { trace, searched, given, window }: Made): ChatExplain {
  const { min_retrieval_score, min_rerank_score } = result.retrieval_quality;
  const why = declined(result, given);
  return {
    thresholds: {
      ...(min_retrieval_score === undefined ? {} : { min_retrieval_score }),
      ...(min_rerank_score === undefined ? {} : { min_rerank_score }),
    },
    ...(searched.length === 0 ? {} : { searched: [...searched] }),
    passages: result.retrieval.outputs.map((item, i) => passage(item, i + 1, { result, given })),
    ...(why === undefined ? {} : { declined: why }),
    stages: trace.stages,
    calls: trace.calls,
    ...(Number.isFinite(window.tokens) ? { window: { context_window: window.tokens, max_tokens: window.answer } } : {}),
  };
}
