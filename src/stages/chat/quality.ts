import type { Config } from '../../schema/config.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { RetrievalQuality } from '../../schema/answers.ts';

/** Default thresholds, measured for the embedder and the reranker in use. */
export interface Calibrated {
  min_retrieval_score: number;
  min_rerank_score?: number | undefined;
}

/** The verdict of the gate and the chunks for the prompt: those that passed, or the best rejected ones if none did. */
interface Assessment {
  quality: RetrievalQuality;
  context: RetrievedItem[];
}

/** The quality gate: a chunk passes with `min_retrieval_score` and, if reranked, `min_rerank_score`. A disabled gate gives `not_evaluated`. */
export function assess(items: readonly RetrievedItem[], settings: Config['chat']['retrieval_quality'], calibrated: Calibrated): Assessment {
  const { low_confidence_mode: mode, max_context_chunks: most } = settings;
  if (!settings.enabled) return { quality: { status: 'not_evaluated', mode }, context: items.slice(0, most) };
  const min_retrieval_score = settings.min_retrieval_score ?? calibrated.min_retrieval_score;
  const min_rerank_score = settings.min_rerank_score ?? calibrated.min_rerank_score;
  const passes = ({ score, rerank_score }: RetrievedItem) =>
    score >= min_retrieval_score && (rerank_score === undefined || min_rerank_score === undefined || rerank_score >= min_rerank_score);
  const passed = items.filter(passes);
  const reranked = items.some((item) => item.rerank_score !== undefined);
  const quality: RetrievalQuality = {
    status: passed.length > 0 ? 'passed' : 'low_confidence',
    mode,
    input_chunks: items.length,
    passed_chunks: passed.length,
    rejected_chunks: items.length - passed.length,
    min_retrieval_score,
    ...(reranked && min_rerank_score !== undefined ? { min_rerank_score } : {}),
  };
  return { quality, context: (passed.length > 0 ? passed : items).slice(0, most) };
}
