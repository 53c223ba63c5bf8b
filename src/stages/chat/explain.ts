import type { Run } from '../../core/run.ts';
import type { Llm, Message, Outcome, Reranker } from '../../ports/models.ts';
import type { ChatExplain, ChatResult } from '../../schema/answers.ts';
import type { RetrievedItem } from '../../schema/items.ts';
import type { TokenBudget } from './budget.ts';

type Call = ChatExplain['calls'][number];

/** A record of a turn: the duration of each stage and the calls to models. */
export interface Trace {
  /** Runs a stage and times it. A stage that runs again adds to its time. */
  timed<R>(stage: string, run: Run<R>): Run<R>;
  /** Returns the model with its calls recorded under this stage. */
  instrument(llm: Llm, stage: Call['stage']): Llm;
  /** Returns the reranker with its time and its calls recorded under the stage `rerank`. Its time does not count as retrieval. */
  reranking(reranker: Reranker): Reranker;
  readonly stages: ChatExplain['stages'];
  readonly calls: Call[];
}

/** An empty trace. `show_prompt` keeps the messages that are sent; an answerer that quotes gets none. */
export function openTrace({ show_prompt }: { show_prompt: boolean }): Trace {
  const times = new Map<string, number>();
  const calls: Call[] = [];
  const add = (stage: string, milliseconds: number) => void times.set(stage, (times.get(stage) ?? 0) + milliseconds);
  const instrument: Trace['instrument'] = (llm, stage) => ({
    ...llm,
    generate: (request) => {
      const call = openCall(llm, stage);
      if (show_prompt) call.messages = llm.extractive ? [] : request.messages.map(({ role, content }: Message) => ({ role, content }));
      calls.push(call);
      return countTokens(llm.generate(request), call);
    },
  });
  const atOnce = clock((milliseconds) => {
    add('retrieval', -milliseconds);
    add('rerank', milliseconds);
  });
  return {
    async *timed(stage, run) {
      const began = performance.now();
      try {
        return yield* run;
      } finally {
        add(stage, performance.now() - began);
      }
    },
    instrument,
    reranking: (reranker) => ({
      ...reranker,
      rank: (query, passages, options) =>
        atOnce(() => reranker.rank(query, passages, { ...options, instrument: (llm) => instrument(llm, 'rerank') })),
    }),
    get stages() {
      return Array.from(times, ([stage, milliseconds]) => ({ stage, milliseconds: Math.round(milliseconds * 10) / 10 }));
    },
    calls,
  };
}

/** Times work; concurrent work is countTokens once. */
function clock(add: (milliseconds: number) => void): <R>(work: () => Promise<R>) => Promise<R> {
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

const openCall = ({ provider, model }: Llm, stage: Call['stage']): Call => ({
  stage,
  provider,
  model,
  input_tokens: 0,
  output_tokens: 0,
  milliseconds: 0,
});

async function* countTokens(answer: AsyncGenerator<string, Outcome, void>, call: Call): AsyncGenerator<string, Outcome, void> {
  const began = performance.now();
  try {
    const outcome = yield* answer;
    const { input_tokens, output_tokens } = outcome;
    Object.assign(call, { input_tokens, output_tokens });
    return outcome;
  } finally {
    call.milliseconds = Math.round((performance.now() - began) * 10) / 10;
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

/** The threshold that a chunk does not reach; undefined if it passes or the gate is off. */
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

/** Why the turn has no answer from the sources; undefined if it has one, or if its errors say why not. */
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

/** Explains how the result of a turn came about. */
export function explainTurn(result: ChatResult, { trace, searched, given, window }: TurnRecord): ChatExplain {
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
