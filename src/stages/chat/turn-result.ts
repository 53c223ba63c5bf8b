import { endsWork, toErrorItem } from '../../core/errors.ts';
import { errorEvent, type Progress, type Run } from '../../core/run.ts';
import type { Llm, Reranker } from '../../ports/models.ts';
import type { ChatResult, RetrieveResult } from '../../schema/answers.ts';
import type { Config } from '../../schema/config.ts';
import type { HistoryEntry, RetrievedItem, ErrorItem } from '../../schema/items.ts';
import type { Neighbours } from '../retrieve/neighbours.ts';
import type { TokenBudget } from './budget.ts';
import type { Calibrated } from './quality.ts';
import type { Trace } from './explain.ts';

/** One turn of a conversation. */
export interface ChatTurn {
  /** The question; anything but a text with a letter in it is a `validate` error in the result. */
  query: unknown;
  history: readonly HistoryEntry[];
  settings: Config['chat'];
  /** Tell in the result how the answer came about. */
  explain?: boolean | undefined;
  /** Tell it with the messages that were sent. */
  show_prompt?: boolean | undefined;
}

/** What a turn works with. Nothing is opened before it is needed: a greeting needs neither collection nor model. */
export interface ChatParts extends Calibrated {
  /** The score from which a chunk is given to the answerer, where that is not `min_retrieval_score`. */
  readonly least_given_score?: number | undefined;
  /** `reranking` is told of the reranker, where there is one, and gives the one that is asked. */
  retrieve(search_query: string, reranking: (reranker: Reranker) => Reranker): Run<RetrieveResult>;
  /** What stands beside these chunks in their sections, by id; without it, they are all that is read. */
  neighbours?: ((items: readonly RetrievedItem[]) => Promise<Map<string, Neighbours>>) | undefined;
  /** Whether a reranker reads what is found. */
  isReranked?: boolean | undefined;
  llm(): Promise<Llm>;
  signal?: AbortSignal | undefined;
}

/** A turn under way: what is asked, what it works with, and the result that fills. */
export interface Turn {
  query: string;
  history: readonly HistoryEntry[];
  settings: Config['chat'];
  parts: ChatParts;
  window: TokenBudget;
  trace: Trace;
  result: ChatResult;
  /** What was searched for, where the question was taken apart. */
  searched: readonly string[];
  /** The chunks that the model was given, in the order of their numbers. */
  given: readonly RetrievedItem[];
  /** What stands beside them, by id. */
  neighbours: ReadonlyMap<string, Neighbours>;
}

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
export function* reportItem(result: ChatResult, item: ErrorItem): Generator<Progress, void> {
  result.errors.push(item);
  yield errorEvent(item);
}

/** What is to be known of an answer that came all the same, as an item of `errors`. */
export const note = (source: string, error: string): ErrorItem => ({
  source,
  source_kind: 'chat',
  stage: 'generate',
  error,
  isRetryable: false,
  attempts: 1,
});

/** The failure as an item of `errors`; thrown on where it must end the work. */
export function turnError(error: unknown, where: Pick<ErrorItem, 'source' | 'source_kind' | 'stage'>): ErrorItem {
  if (endsWork(error)) throw error;
  return toErrorItem(error, where);
}

/** A piece of the answer. */
export const token = (text: string): Progress => ({ type: 'token', stage: 'generation', message: '', data: { text } });
