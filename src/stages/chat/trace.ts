import type { Run } from '../../base/run.ts';
import type { Llm, Message, Outcome } from '../../ports/models.ts';
import type { ChatExplain } from '../../schema/explain.ts';

type Call = ChatExplain['calls'][number];

/** What is written down of a turn while it goes: how long each stage took, and what each model was asked. */
export interface Trace {
  /** Runs a stage under the clock. A stage that comes again adds to its time. */
  timed<R>(stage: string, run: Run<R>): Run<R>;
  /** The model, with its questions written down under this stage. */
  watched(llm: Llm, stage: Call['stage']): Llm;
  readonly stages: ChatExplain['stages'];
  readonly calls: Call[];
}

/** A trace; `show_prompt` keeps the messages that are sent: none where the answerer only quotes. */
export function openTrace({ show_prompt }: { show_prompt: boolean }): Trace {
  const times = new Map<string, number>();
  const calls: Call[] = [];
  return {
    async *timed(stage, run) {
      const began = performance.now();
      try {
        return yield* run;
      } finally {
        times.set(stage, (times.get(stage) ?? 0) + performance.now() - began);
      }
    },
    watched: (llm, stage) => ({
      ...llm,
      generate: (request) => {
        const call = opened(llm, stage);
        if (show_prompt) call.messages = llm.extractive ? [] : request.messages.map(({ role, content }: Message) => ({ role, content }));
        calls.push(call);
        return counted(llm.generate(request), call);
      },
    }),
    get stages() {
      return Array.from(times, ([stage, milliseconds]) => ({ stage, milliseconds: Math.round(milliseconds * 10) / 10 }));
    },
    calls,
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
