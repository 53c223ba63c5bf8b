import { attachPartialResult, endsWork, toErrorItem } from '../../core/errors.ts';
import { errorEvent, type Progress, type Run } from '../../core/run.ts';
import type { Embedder, Llm, Reranker } from '../../ports/models.ts';
import type { Tracer } from '../../ports/engines.ts';
import type { ChatResult, RetrieveResult } from '../../schema/answers.ts';
import type { Config } from '../../schema/config.ts';
import type { HistoryEntry, RetrievedItem, ErrorItem } from '../../schema/items.ts';
import type { Neighbours } from '../retrieve/neighbours.ts';
import { type TokenBudget, windowOf } from './budget.ts';
import type { Calibrated } from './quality.ts';
import { openTrace, type Trace } from './explain.ts';

/** One turn of a conversation. */
export interface ChatTurn {
  /** The question. Anything but non-blank text is a `validate` error in the result. */
  query: unknown;
  history: readonly HistoryEntry[];
  settings: Config['chat'];
  /** Explain in the result how the answer came about. */
  explain?: boolean | undefined;
  /** Add the messages that were sent to the explanation. */
  show_prompt?: boolean | undefined;
}

/** An open collection with its thresholds. */
export interface ChatSearch extends Calibrated {
  /** Minimum score of a passage for the answerer. Default: `min_retrieval_score`. */
  least_given_score?: number | undefined;
  embedder?: Embedder | undefined;
  retrieve(search_query: string): Run<RetrieveResult>;
  /** The neighbours of these chunks in their sections, by chunk id. */
  neighbours?: ((items: readonly RetrievedItem[]) => Promise<Map<string, Neighbours>>) | undefined;
}

/** What a turn works with. Nothing is opened before it is needed: a greeting needs neither a collection nor a model. */
export interface ChatParts {
  /** Opens the search; `reranking` wraps the reranker, if there is one. */
  search(reranking: (reranker: Reranker) => Reranker): Promise<ChatSearch>;
  isReranked?: boolean | undefined;
  /** Opens the model; one that quotes compares with this embedder. */
  llm(embedder?: Embedder): Promise<Llm>;
  tracer?: Tracer | undefined;
  signal?: AbortSignal | undefined;
}

/** The fixed inputs of a turn. */
export interface Turn extends Pick<ChatTurn, 'history' | 'settings'> {
  readonly query: string;
  readonly parts: ChatParts;
  readonly window: TokenBudget;
  readonly trace: Trace;
  /** Runs a stage and times it. An error that ends the turn carries the result so far, with `done`. */
  readonly step: <R>(stage: string, run: Run<R>, done?: Partial<Pick<ChatResult, 'retrieval' | 'retrieval_quality' | 'errors'>>) => Run<R>;
}

/** Prepares a turn, with its token budget and trace. A query that is no string becomes empty. */
export function openTurn({ query: asked, history, settings, show_prompt = false }: ChatTurn, parts: ChatParts): Turn {
  const query = typeof asked === 'string' ? asked : '';
  const open = openResult(query, history);
  const trace = openTrace({ show_prompt });
  const step: Turn['step'] = async function* (stage, run, done = {}) {
    try {
      return yield* trace.timed(stage, parts.tracer?.run(stage, run) ?? run);
    } catch (error) {
      const { retrieval = open.retrieval, retrieval_quality = open.retrieval_quality, errors = [] } = done;
      throw attachPartialResult(error, { ...open, retrieval, retrieval_quality, errors });
    }
  };
  return { query, history, settings, parts, window: windowOf(settings.llm), trace, step };
}

/** The result of a turn before anything has happened. */
export const openResult = (query: string, history: readonly HistoryEntry[]): ChatResult => ({
  answer: '',
  sources: [],
  history: [...history],
  retrieval: openRetrieval(query),
  llm: {},
  errors: [],
  retrieval_quality: { status: 'not_evaluated' },
  answer_confidence: { level: 'none', reason: 'errors' },
  compacted: false,
  intent: 'rag',
});

/** The result of a search before it has begun. */
export function openRetrieval(query: string, search_query = query): ChatResult['retrieval'] {
  return { query, search_query, retrieved: 0, outputs: [], failed: 0, errors: [] };
}

/** Yields an event for each failure; returns them for the result. */
export function* report(...items: ErrorItem[]): Generator<Progress, ErrorItem[]> {
  yield* items.map(errorEvent);
  return items;
}

/** A remark on an answer, as an item of `errors`. */
export const note = (source: string, text: string): ErrorItem => toErrorItem(text, { source, source_kind: 'chat', stage: 'generate' });

/** The failure as an item of `errors`. Throws it if it must end the work. */
export function turnError(error: unknown, where: Pick<ErrorItem, 'source' | 'source_kind' | 'stage'>): ErrorItem {
  if (endsWork(error)) throw error;
  return toErrorItem(error, where);
}

/** An event with a piece of the answer. */
export const token = (text: string): Progress => ({ type: 'token', stage: 'generation', message: '', data: { text } });
