import { advice, setting } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { yieldToEventLoop } from '../../core/concurrency.ts';
import { retry } from '../../core/retry.ts';
import type { GenerateRequest, Outcome, Usage } from '../../ports/models.ts';
import { type CleanPiece, DISCARD, OutputCleaner } from '../../text/model-output.ts';
import type { Access } from '../providers/access.ts';

/** Limits the time that an answer may take without sending a token. */
interface SilenceTimeout {
  /** Aborted after too long a silence, with the caller's signal, and by `end`. */
  readonly signal: AbortSignal;
  readonly hasExpired: boolean;
  /** Waits for work, and measures the time only meanwhile: a slow consumer is not a silent model. */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Restarts the measurement, because something arrived. */
  restart(): void;
  end(): void;
}

/** Starts a timeout: `seconds` of silence abort its signal, and so does the caller's signal. */
export function startSilenceTimeout(seconds: number, caller: AbortSignal | undefined): SilenceTimeout {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let hasExpired = false;
  const expire = () => {
    hasExpired = true;
    controller.abort();
  };
  const stop = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', stop, { once: true });
  if (caller?.aborted) stop();
  return {
    signal: controller.signal,
    get hasExpired() {
      return hasExpired;
    },
    limit: (work) => {
      timer = setTimeout(expire, seconds * 1000);
      return work.finally(() => clearTimeout(timer));
    },
    restart: () => void timer?.refresh(),
    end: () => {
      caller?.removeEventListener('abort', stop);
      controller.abort();
    },
  };
}

/** Why an answer ended: it is complete, it reached the token limit or the end of the window, or a content filter withheld it. */
export type StopReason = 'done' | 'length' | 'window' | 'filter';

/** The contents of one event of a provider, in any dialect. */
export interface AnswerPart {
  text?: string | undefined;
  /** The model's own explanation of why it declines. */
  refusal?: string | undefined;
  usage?: Partial<Usage> | undefined;
  ending?: StopReason | undefined;
}

interface LlmCall {
  access: Access;
  /** Sends the request, and returns the parts of the answer as they arrive. */
  send(request: GenerateRequest, signal: AbortSignal): Promise<AsyncIterator<AnswerPart>>;
  /** Converts an error of `send` or its iterator to a KbError. */
  translate(error: unknown, signal: AbortSignal | undefined): KbError;
  /** What earlier answers showed of the model; it is updated. */
  habits: ModelHabits;
}

/** Maximum characters of an answer with its reasoning, about twice the longest that models write (128,000 tokens). A longer one ends there. */
const MAX_ANSWER = 1_000_000;
/** Maximum characters of a piece: a consumer checks one in a few milliseconds. */
const MAX_PIECE = 2_000;

/** Habits of a model that its answers show. */
interface ModelHabits {
  /** Its answers begin with reasoning without an opening mark. */
  expectsReasoning?: boolean;
}

/**
 * Yields the pieces of the answer as they arrive, without reasoning and other marks (`OutputCleaner`). A failure before the first piece is retried; a later one ends the answer. Throws a KbError: `too_large` if
 * the messages do not fit into the model's window (shorter sources may), `invalid` if the answer was withheld or never began, `unauthorized`, `unavailable`,
 * `configuration`, `aborted`.
 */
export async function* generate(request: GenerateRequest, call: LlmCall): AsyncGenerator<CleanPiece, Outcome, void> {
  const silence = startSilenceTimeout(request.timeout, request.signal);
  try {
    const { answer, parts } = await retry(() => silence.limit(startAnswer(request, call, silence)), { signal: silence.signal });
    const takeTurns = yieldToEventLoop(request.signal);
    let outcome: Outcome | undefined;
    for (;;) {
      for (const piece of answer.takePieces()) {
        await takeTurns();
        yield piece;
      }
      if (outcome) return outcome;
      const next = answer.isFull ? undefined : await silence.limit(parts.next());
      if (next && !next.done) answer.add(next.value);
      else outcome = answer.end();
    }
  } catch (error) {
    const translated = call.translate(error, request.signal);
    throw silence.hasExpired ? silenceError(call.access, { seconds: request.timeout, attempts: translated.attempts }) : translated;
  } finally {
    silence.end();
  }
}

async function startAnswer(request: GenerateRequest, { access, send, translate, habits }: LlmCall, silence: SilenceTimeout) {
  const answer = new Answer(access, habits);
  try {
    const parts = await send(request, silence.signal);
    while (!answer.hasText && !answer.isFull) {
      const { done, value } = await parts.next();
      silence.restart();
      if (done) {
        answer.end();
        break;
      }
      answer.add(value);
    }
    return { answer, parts };
  } catch (error) {
    throw translate(error, request.signal);
  }
}

class Answer {
  hasText = false;
  #pieces: CleanPiece[] = [];
  readonly #cleaner: OutputCleaner;
  readonly #habits: ModelHabits;
  #refusal = '';
  #length = 0;
  #usage: Usage = { input_tokens: 0, output_tokens: 0 };
  #ending: StopReason | undefined;
  readonly #access: Access;

  constructor(access: Access, habits: ModelHabits) {
    this.#access = access;
    this.#habits = habits;
    this.#cleaner = new OutputCleaner(habits);
  }

  /** Whether the answer has reached its maximum length: it ends there, as at a limit of tokens. */
  get isFull(): boolean {
    return this.#length >= MAX_ANSWER;
  }

  add({ text = '', refusal = '', usage, ending }: AnswerPart): void {
    const remaining = MAX_ANSWER - this.#length;
    this.#length += text.length + refusal.length;
    if (text) this.#addPieces(this.#cleaner.push(text.slice(0, remaining)));
    this.#refusal += refusal.slice(0, remaining);
    this.#usage = { ...this.#usage, ...usage };
    this.#ending = this.isFull ? 'length' : (ending ?? this.#ending);
  }

  #addPieces(pieces: readonly CleanPiece[]): void {
    for (const piece of pieces) this.hasText = piece !== DISCARD && (this.hasText || /\S/.test(piece));
    this.#pieces.push(...pieces);
    this.#habits.expectsReasoning = this.#cleaner.hasLoneClosing;
  }

  *takePieces(): Generator<CleanPiece> {
    for (const piece of this.#pieces.splice(0)) {
      if (piece === DISCARD) yield piece;
      else for (let at = 0; at < piece.length; at += MAX_PIECE) yield piece.slice(at, at + MAX_PIECE);
    }
  }

  /** Throws if the stream ended without a stop reason: a connection may close early without an error. */
  end(): Outcome {
    this.#addPieces(this.#cleaner.end());
    const { provider, model } = this.#access;
    const ending = this.#ending;
    if (!ending) throw new KbError('unavailable', `${provider} broke off in the answer of ${model}.`, { isRetryable: true });
    if (ending === 'filter') throw new KbError('invalid', `${provider} held the answer of ${model} back: its content filter took offence.`);
    const failure = this.hasText ? undefined : this.#emptyError(ending);
    if (failure) throw failure;
    return ending === 'done' ? this.#usage : { ...this.#usage, cut_off: ending === 'length' ? 'max_tokens' : 'window' };
  }

  /** Why there is no text; undefined if the model had nothing to say. */
  #emptyError(ending: StopReason): KbError | undefined {
    const { model } = this.#access;
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
    return undefined;
  }
}

const silenceError = ({ provider, model }: Access, { seconds, attempts }: { seconds: number; attempts: number }): KbError =>
  new KbError('unavailable', `${provider} sent nothing of the answer of ${model} for ${seconds} seconds.`, {
    isRetryable: true,
    attempts,
    hint: ['Try again.', advice`A model that takes longer needs a higher ${setting('chat.llm.timeout')}.`],
  });
