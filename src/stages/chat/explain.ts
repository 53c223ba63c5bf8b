import type { ChatResult } from '../../schema/answers.ts';
import type { ChatExplain } from '../../schema/explain.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { Window } from './budget.ts';
import type { Trace } from './trace.ts';

/** What a turn was made of, beside its result. */
export interface Made {
  trace: Trace;
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

/** How the result of a turn came about. */
export function explained(result: ChatResult, { trace, given, window }: Made): ChatExplain {
  const { min_retrieval_score, min_rerank_score } = result.retrieval_quality;
  return {
    thresholds: {
      ...(min_retrieval_score === undefined ? {} : { min_retrieval_score }),
      ...(min_rerank_score === undefined ? {} : { min_rerank_score }),
    },
    passages: result.retrieval.outputs.map((item, i) => passage(item, i + 1, { result, given })),
    stages: trace.stages,
    calls: trace.calls,
    ...(Number.isFinite(window.tokens) ? { window: { context_window: window.tokens, max_tokens: window.answer } } : {}),
  };
}
