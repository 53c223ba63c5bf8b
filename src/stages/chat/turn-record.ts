import { errorEvent, type Progress, type Run } from '../../core/run.ts';
import type { Embedder, Llm, Reranker } from '../../ports/models.ts';
import type { ChatExplain, ChatResult, RetrieveResult } from '../../schema/answers.ts';
import type { ErrorItem, HistoryEntry, RetrievedItem } from '../../schema/items.ts';
import { type TokenBudget, windowOf } from './budget.ts';
import { attachPartialResult, endsWork, toErrorItem } from '../../core/errors.ts';
import type { Tracer } from '../../ports/engines.ts';
import type { Config } from '../../schema/config.ts';
import type { Neighbours } from '../retrieve/neighbours.ts';
import type { SourceList } from './dialogue/source-list.ts';
import { searchedText } from '../../text/truncate.ts';

type Call = ChatExplain['calls'][number];

/** Records the duration of each stage of a turn and its calls to models. */
export class Trace {
  readonly calls: Call[] = [];
  readonly #times = new Map<string, number>();
  readonly #showPrompt: boolean;
  readonly #reranks = createTimer((milliseconds) => {
    this.#add('retrieval', -milliseconds);
    this.#add('rerank', milliseconds);
  });

  /** `show_prompt` keeps the messages that are sent; an extractive model gets none. */
  constructor({ show_prompt }: { show_prompt: boolean }) {
    this.#showPrompt = show_prompt;
  }

  get stages(): ChatExplain['stages'] {
    return Array.from(this.#times, ([stage, time]) => ({ stage, milliseconds: tenths(time) }));
  }

  /** Runs a stage and adds its duration to the time of the stage. */
  async *timed<R>(stage: string, run: Run<R>): Run<R> {
    const began = performance.now();
    try {
      return yield* run;
    } finally {
      this.#add(stage, performance.now() - began);
    }
  }

  /** Returns the model with its calls recorded under this stage. */
  instrument(llm: Llm, stage: Call['stage']): Llm {
    const { provider, model, extractive } = llm;
    return {
      ...llm,
      generate: (request) => {
        const call: Call = { stage, provider, model, input_tokens: 0, output_tokens: 0, milliseconds: 0 };
        if (this.#showPrompt) call.messages = extractive ? [] : request.messages.map(({ role, content }) => ({ role, content }));
        this.calls.push(call);
        return measureCall(llm.generate(request), call);
      },
    };
  }

  /** Returns the reranker with its time and calls recorded under the stage `rerank`; its time is subtracted from that of the retrieval. */
  instrumentReranker(reranker: Reranker): Reranker {
    const rank: Reranker['rank'] = (query, passages, options) =>
      this.#reranks(() => reranker.rank(query, passages, { ...options, instrument: (llm) => this.instrument(llm, 'rerank') }));
    return { ...reranker, rank };
  }

  #add(stage: string, milliseconds: number): void {
    this.#times.set(stage, (this.#times.get(stage) ?? 0) + milliseconds);
  }
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** Creates a timer that passes the duration of work to `add`; concurrent work counts once. */
function createTimer(add: (milliseconds: number) => void): <R>(work: () => Promise<R>) => Promise<R> {
  let [running, began] = [0, 0];
  return async (work) => {
    if (running++ === 0) began = performance.now();
    try {
      return await work();
    } finally {
      if (--running === 0) add(performance.now() - began);
    }
  };
}

/** Records the tokens and the duration of an answer in its call. */
async function* measureCall(answer: ReturnType<Llm['generate']>, call: Call): ReturnType<Llm['generate']> {
  const began = performance.now();
  try {
    const outcome = yield* answer;
    const { input_tokens, output_tokens } = outcome;
    Object.assign(call, { input_tokens, output_tokens });
    return outcome;
  } finally {
    call.milliseconds = tenths(performance.now() - began);
  }
}

interface TurnRecord {
  trace: Trace;
  /** Queries searched for, if the question was split. */
  searched: readonly string[];
  /** The chunks given to the model, in the order of their numbers. */
  given: readonly RetrievedItem[];
  window: TokenBudget;
}

type Passage = ChatExplain['passages'][number];

/** The threshold that a chunk fails to reach; undefined if it passes or the gate is off. */
function failedThreshold({ score, rerank_score }: RetrievedItem, quality: ChatResult['retrieval_quality']): Passage['rejected'] {
  if (quality.status === 'not_evaluated') return undefined;
  if (score < (quality.min_retrieval_score ?? 0)) return 'min_retrieval_score';
  if (rerank_score !== undefined && rerank_score < (quality.min_rerank_score ?? -Infinity)) return 'min_rerank_score';
  return undefined;
}

function explainPassage(
  item: RetrievedItem,
  rank: number,
  { result, given }: { result: ChatResult; given: readonly RetrievedItem[] },
): Passage {
  const citation = given.findIndex(({ id }) => id === item.id) + 1;
  const rejected = failedThreshold(item, result.retrieval_quality);
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

/** Why the turn has no answer from the sources; undefined if it has one, or if its errors explain why not. */
function declineReason(
  { retrieval, retrieval_quality, answer_confidence, llm }: ChatResult,
  given: readonly RetrievedItem[],
): string | undefined {
  if (answer_confidence.level !== 'none' || answer_confidence.reason !== 'retrieval_quality_low_confidence') return undefined;
  const { outputs } = retrieval;
  if (given.length > 0)
    return `${llm.provider} was given ${countPassages(given.length)}, and says that the question is not answered there.`;
  if (outputs.length === 0) return 'Nothing was found.';
  const { min_retrieval_score = 0, mode } = retrieval_quality;
  const best = Math.max(...outputs.map(({ score }) => score));
  const isByRerank = best >= min_retrieval_score;
  const what = isByRerank ? 'min_rerank_score' : `min_retrieval_score, ${min_retrieval_score.toFixed(3)} (the best has ${best.toFixed(3)})`;
  return `None of ${countPassages(outputs.length)} reaches ${what}, and low_confidence_mode is ${mode}.`;
}

const countPassages = (number: number): string => (number === 1 ? 'one passage' : `${number} passages`);

/** Explains the result of a turn: thresholds, passages, stages and calls. */
export function explainTurn(result: ChatResult, { trace, searched, given, window }: TurnRecord): ChatExplain {
  const { min_retrieval_score, min_rerank_score } = result.retrieval_quality;
  const why = declineReason(result, given);
  return {
    thresholds: {
      ...(min_retrieval_score === undefined ? {} : { min_retrieval_score }),
      ...(min_rerank_score === undefined ? {} : { min_rerank_score }),
    },
    ...(searched.length === 0 ? {} : { searched: [...searched] }),
    passages: result.retrieval.outputs.map((item, i) => explainPassage(item, i + 1, { result, given })),
    ...(why === undefined ? {} : { declined: why }),
    stages: trace.stages,
    calls: trace.calls,
    ...(Number.isFinite(window.tokens) ? { window: { context_window: window.tokens, max_tokens: window.answer } } : {}),
  };
}

/** One turn of a conversation. */
export interface ChatTurn {
  /** The question. Anything but non-blank text is a `validate` error in the result. */
  query: unknown;
  history: readonly HistoryEntry[];
  settings: Config['chat'];
  /** Add an explanation to the result. */
  explain?: boolean | undefined;
  /** Add the messages that were sent to the explanation. */
  show_prompt?: boolean | undefined;
}

/** Default thresholds, measured for the embedder and the reranker in use. */
export interface Calibrated {
  min_retrieval_score: number;
  min_rerank_score?: number | undefined;
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

/** The dependencies of a turn, opened on demand: a greeting needs neither a collection nor a model. */
export interface ChatParts {
  /** Opens the search; `reranking` wraps its reranker, if there is one. */
  search(reranking: (reranker: Reranker) => Reranker): Promise<ChatSearch>;
  isReranked?: boolean | undefined;
  /** Lists the first `limit` stored documents that may be searched. */
  listSources(limit: number): Promise<SourceList>;
  /** Opens the model; an extractive one compares texts with this embedder. */
  llm(embedder?: Embedder): Promise<Llm>;
  tracer?: Tracer | undefined;
  signal?: AbortSignal | undefined;
}

/** The fixed inputs of a turn. */
export interface Turn extends Pick<ChatTurn, 'history' | 'settings'> {
  /** The question as it was asked, which a model reads. */
  readonly query: string;
  /** The part of it that is searched for and analyzed. */
  readonly question: string;
  readonly parts: ChatParts;
  readonly window: TokenBudget;
  readonly trace: Trace;
  /** Runs a stage and times it. An error that ends the turn carries the result so far, with `done`. */
  readonly step: <R>(stage: string, run: Run<R>, done?: Partial<Pick<ChatResult, 'retrieval' | 'retrieval_quality' | 'errors'>>) => Run<R>;
}

/** Prepares a turn, with its token budget and trace. A query that is no string becomes empty. */
export function openTurn({ query: given, history, settings, show_prompt = false }: ChatTurn, parts: ChatParts): Turn {
  const query = typeof given === 'string' ? given : '';
  const emptyResult = openResult(query, history);
  const trace = new Trace({ show_prompt });
  const step: Turn['step'] = async function* (stage, run, done = {}) {
    try {
      return yield* trace.timed(stage, parts.tracer?.run(stage, run) ?? run);
    } catch (error) {
      const { retrieval = emptyResult.retrieval, retrieval_quality = emptyResult.retrieval_quality, errors = [] } = done;
      throw attachPartialResult(error, { ...emptyResult, retrieval, retrieval_quality, errors });
    }
  };
  return { query, question: searchedText(query), history, settings, parts, window: windowOf(settings.llm), trace, step };
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

/** Yields an event for each failure, and returns the failures for the result. */
export function* report(...items: ErrorItem[]): Generator<Progress, ErrorItem[]> {
  yield* items.map(errorEvent);
  return items;
}

/** A remark on an answer, as an item of `errors`. */
export const answerNote = (source: string, text: string): ErrorItem =>
  toErrorItem(text, { source, source_kind: 'chat', stage: 'generate' });

/** Converts a failure to an item of `errors`. Throws it if it must end the work. */
export function turnError(error: unknown, where: Pick<ErrorItem, 'source' | 'source_kind' | 'stage'>): ErrorItem {
  if (endsWork(error)) throw error;
  return toErrorItem(error, where);
}

/** Creates an event with a piece of the answer. */
export const tokenEvent = (text: string): Progress => ({ type: 'token', stage: 'generation', message: '', data: { text } });

/** The event that takes back all tokens before it: they were not the answer. */
export const resetEvent: Progress = { type: 'token', stage: 'generation', message: '', data: { text: '', reset: true } };
