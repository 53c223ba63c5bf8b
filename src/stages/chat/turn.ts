import { endsWork, toErrorItem } from '../../base/errors.ts';
import type { Progress } from '../../base/run.ts';
import type { HistoryEntry } from '../../schema/items.ts';
import type { ChatResult } from '../../schema/answers.ts';
import type { ErrorItem } from '../../schema/results.ts';

/** The result of a turn before anything has happened: it fails unless something comes of it. */
export const openResult = (query: string, history: readonly HistoryEntry[]): ChatResult => ({
  answer: '',
  sources: [],
  history: [...history],
  retrieval: { query, search_query: query, retrieved: 0, outputs: [], failed: 0, errors: [] },
  llm: {},
  errors: [],
  retrieval_quality: { status: 'not_evaluated' },
  answer_confidence: { level: 'none', reason: 'errors' },
  compacted: false,
  intent: 'rag',
});

/** Lists a failure in the result, and tells of it. */
export function* report(result: ChatResult, item: ErrorItem): Generator<Progress, void> {
  result.errors.push(item);
  yield { type: 'error', stage: item.stage, message: item.error, data: { ...item } };
}

/** The failure as an item of `errors`; thrown on where it must end the work. */
export function failureOf(error: unknown, where: Pick<ErrorItem, 'source' | 'source_kind' | 'stage'>): ErrorItem {
  if (endsWork(error)) throw error;
  return toErrorItem(error, where);
}

/** A piece of the answer. */
export const token = (text: string): Progress => ({ type: 'token', stage: 'generation', message: '', data: { text } });
