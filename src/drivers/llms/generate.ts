import { advice, setting } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { retry } from '../../core/retry.ts';
import type { GenerateRequest, Outcome, Usage } from '../../ports/models.ts';
import type { Access } from '../providers/access.ts';

/** A clock that runs while something is waited for and nothing is heard. */
interface AnswerTimeout {
  /** Aborted when the silence lasts too long, when the caller stops, or at the end: whatever hangs on it is let go. */
  readonly signal: AbortSignal;
  readonly isOver: boolean;
  /** Runs the clock while the work is waited for, and only then: a slow reader is not a silent writer. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Something came: the clock begins anew. */
  heard(): void;
  end(): void;
}

/** Makes the clock: `seconds` of silence abort its signal, and so does the caller's signal. */
export function listenFor(seconds: number, caller: AbortSignal | undefined): AnswerTimeout {
  const controller = new AbortController();
  let clock: NodeJS.Timeout | undefined;
  let isOver = false;
  const tooLong = () => {
    isOver = true;
    controller.abort();
  };
  const stop = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', stop, { once: true });
  if (caller?.aborted) stop();
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    during: (work) => {
      clock = setTimeout(tooLong, seconds * 1000);
      return work.finally(() => clearTimeout(clock));
    },
    heard: () => void clock?.refresh(),
    end: () => {
      caller?.removeEventListener('abort', stop);
      controller.abort();
    },
  };
}

/** How an answer ended: said to the end, out of tokens, out of the model's window, or held back. */
export type StopReason = 'done' | 'length' | 'window' | 'filter';

/** The contents of one message of a provider, in any dialect. */
export interface Heard {
  text?: string | undefined;
  /** Why it declines, in its own words. */
  refusal?: string | undefined;
  usage?: Partial<Usage> | undefined;
  ending?: StopReason | undefined;
}

interface Asking {
  access: Access;
  /** Sends the question, and tells what comes back. */
  ask(request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<Heard>>;
  /** Converts an error of `ask` and its iterator to a KbError. */
  translate(error: unknown, signal: AbortSignal | undefined): KbError;
}

/**
 * The pieces of the answer as they come. What fails before the first one is tried again; what fails after it ends the answer.
 * @throws KbError `too_large` where the messages do not fit into the model's window: the same question with shorter sources may. `invalid` where the
 *   model said nothing or its answer was held back. `unauthorized`, `unavailable`, `configuration`, `aborted`.
 */
export async function* generate(request: GenerateRequest, asking: Asking): AsyncGenerator<string, Outcome, void> {
  const silence = listenFor(request.timeout, request.signal);
  try {
    const { answer, rest } = await retry(() => silence.during(begin(request, asking, silence)), { signal: silence.signal });
    for (;;) {
      yield* answer.take();
      const { done, value } = await silence.during(rest.next());
      if (done) return answer.end();
      answer.hear(value);
    }
  } catch (error) {
    const told = asking.translate(error, request.signal);
    throw silence.isOver ? tooSilent(asking.access, { seconds: request.timeout, attempts: told.attempts }) : told;
  } finally {
    silence.end();
  }
}

async function begin(request: GenerateRequest, { access, ask, translate }: Asking, silence: AnswerTimeout) {
  const answer = new Answer(access);
  try {
    const rest = await ask(request, silence.signal);
    while (!answer.hasText) {
      const { done, value } = await rest.next();
      silence.heard();
      if (done) {
        answer.end();
        break;
      }
      answer.hear(value);
    }
    return { answer, rest };
  } catch (error) {
    throw translate(error, request.signal);
  }
}

class Answer {
  hasText = false;
  #waiting: string[] = [];
  #refusal = '';
  #usage: Usage = { input_tokens: 0, output_tokens: 0 };
  #ending: StopReason | undefined;
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  hear({ text, refusal, usage, ending }: Heard): void {
    if (text) this.#waiting.push(text);
    this.hasText ||= /\S/.test(text ?? '');
    this.#refusal += refusal ?? '';
    this.#usage = { ...this.#usage, ...usage };
    this.#ending = ending ?? this.#ending;
  }

  *take(): Generator<string> {
    yield* this.#waiting.splice(0);
  }

  /** Throws if the stream did not end like an answer: a connection may close in the middle without an error. */
  end(): Outcome {
    const { provider, model } = this.#access;
    const ending = this.#ending;
    if (!ending) throw new KbError('unavailable', `${provider} broke off in the answer of ${model}.`, { isRetryable: true });
    if (ending === 'filter') throw new KbError('invalid', `${provider} held the answer of ${model} back: its content filter took offence.`);
    if (!this.hasText) throw this.#nothingSaid(ending);
    return ending === 'done' ? this.#usage : { ...this.#usage, cut_off: ending === 'length' ? 'max_tokens' : 'window' };
  }

  #nothingSaid(ending: StopReason): KbError {
    const { provider, model } = this.#access;
    if (this.#refusal) return new KbError('invalid', `${model} declined to answer: ${this.#refusal.trim()}`);
    if (ending === 'window')
      return new KbError('too_large', `The question and its sources fill the window of ${model}: nothing was left for an answer.`);
    if (ending === 'length') {
      return new KbError('invalid', `${model} used up all its tokens before it said anything.`, {
        hint: [
          advice`Raise ${setting('chat.llm.max_tokens')}.`,
          advice`A lower reasoning_effort in ${setting('chat.llm.options')} leaves more of them, too.`,
        ],
      });
    }
    return new KbError('invalid', `${provider} gave an empty answer: ${model} said nothing.`, {
      hint: ['Try again.', advice`Another model (${setting('chat.llm.model')}) may answer.`],
    });
  }
}

const tooSilent = ({ provider, model }: Access, { seconds, attempts }: { seconds: number; attempts: number }): KbError =>
  new KbError('unavailable', `${provider} sent nothing of the answer of ${model} for ${seconds} seconds.`, {
    isRetryable: true,
    attempts,
    hint: ['Try again.', advice`A model that takes longer needs a higher ${setting('chat.llm.timeout')}.`],
  });
