import type { Run } from '../../base/run.ts';
import type { Llm, Message, Outcome, Reranker } from '../../ports/models.ts';
import type { ChatExplain } from '../../schema/explain.ts';

type Call = ChatExplain['calls'][number];

/** What is written down of a turn while it goes: how long each stage took, and what each model was asked. */
export interface Trace {
  /** Runs a stage under the clock. A stage that comes again adds to its time. */
  timed<R>(stage: string, run: Run<R>): Run<R>;
  /** The model, with its questions written down under this stage. */
  watched(llm: Llm, stage: Call['stage']): Llm;
  /** The reranker, under the stage `rerank`: its time, which is no longer that of the retrieval that it belongs to, and what it asks a model. */
  reranking(reranker: Reranker): Reranker;
  readonly stages: ChatExplain['stages'];
  readonly calls: Call[];
}

/** A trace; `show_prompt` keeps the messages that are sent: none where the answerer only quotes. */
export function openTrace({ show_prompt }: { show_prompt: boolean }): Trace {
  const times = new Map<string, number>();
  const calls: Call[] = [];
  const add = (stage: string, milliseconds: number) => void times.set(stage, (times.get(stage) ?? 0) + milliseconds);
  const watched: Trace['watched'] = (llm, stage) => ({
    ...llm,
    generate: (request) => {
      const call = opened(llm, stage);
      if (show_prompt) call.messages = llm.extractive ? [] : request.messages.map(({ role, content }: Message) => ({ role, content }));
      calls.push(call);
      return counted(llm.generate(request), call);
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
    watched,
    reranking: (reranker) => ({
      ...reranker,
      rank: (query, passages, options) =>
        atOnce(() => reranker.rank(query, passages, { ...options, watched: (llm) => watched(llm, 'rerank') })),
    }),
    get stages() {
      return Array.from(times, ([stage, milliseconds]) => ({ stage, milliseconds: Math.round(milliseconds * 10) / 10 }));
    },
    calls,
  };
}

/** Work under a clock that runs while any of it does: what is done at once is not counted twice. */
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

const opened = ({ provider, model }: Llm, stage: Call['stage']): Call => ({
  stage,
  provider,
  model,
  input_tokens: 0,
  output_tokens: 0,
  milliseconds: 0,
});

async function* counted(answer: AsyncGenerator<string, Outcome, void>, call: Call): AsyncGenerator<string, Outcome, void> {
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
