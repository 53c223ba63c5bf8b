import type { StoredTurn } from './conversation.ts';

/** The confidence of an answer in words; undefined if that does not apply: a greeting, a failure. */
export interface ConfidenceNote {
  level: 'high' | 'low' | 'none';
  text: string;
}

const LOW: Partial<Record<string, string>> = {
  answer_uncertain: 'the passages are about this, but may not answer it, or not all of it. Open the sources before you rely on it.',
  citations_unsupported: 'not every sentence is supported by the source that it cites. Open the sources before you rely on it.',
};
const WEAK = 'only weak matches were found. Open the sources before you rely on it.';

/** Makes the note on the confidence of an answer. */
export function confidenceNote({
  answer_confidence,
  intent,
  problems,
}: Pick<StoredTurn, 'answer_confidence' | 'intent' | 'problems'>): ConfidenceNote | undefined {
  if (!answer_confidence || intent !== 'rag') return undefined;
  const { level, reason, probability } = answer_confidence;
  if (reason === 'errors' || (level === 'none' && problems.length > 0)) return undefined;
  const often = probability === undefined ? '' : ` About ${Math.round(probability * 100)} in 100 such answers are right.`;
  if (level === 'high') return { level, text: `Found in the sources.${often}` };
  if (level === 'low') return { level, text: `Low confidence: ${LOW[reason] ?? WEAK}${often}` };
  return { level, text: 'Not answered. Where a passage below comes close, ask again in its words.' };
}
