import { isAbort, KbError } from '../../core/errors.ts';
import { type Progress, throwIfAborted } from '../../core/run.ts';
import type { Embedder, GenerateRequest, Llm, Message, Outcome, Usage } from '../../ports/models.ts';
import { type AddressCheck, LinkFilter } from './guard/link-filter.ts';
import { CitationFilter } from './guard/citation-filter.ts';
import { CitedSentences, hasWords } from './guard/cited-sentences.ts';
import { EchoFilter } from './guard/echo-filter.ts';
import { createSupport } from './guard/support.ts';
import { fallbacksFor } from '../../languages/detect.ts';
import { asksForMore } from '../../languages/question.ts';
import { isRefusal, mayBeRefusal } from './guard/refusal.ts';
import { resetEvent, tokenEvent } from './turn-record.ts';
import { DISCARD } from '../../text/model-output.ts';

/** A finished answer. */
export interface StreamedAnswer {
  text: string;
  usage: Usage;
  /** Why generation stopped early, if it did. */
  cut_off: Outcome['cut_off'];
  /** What an extractive model reports about its answer. */
  quotation: Pick<Outcome, 'quoted' | 'order' | 'probability' | 'highlight'>;
  citations: Pick<CitationFilter, 'cited' | 'unknown'>;
  /** Whether the answer says, with `NO_ANSWER_MARKER` or in its own words, that the sources do not answer. */
  declined: boolean;
  /** Whether the answer declines a part of the question, or all of it too late to be held back; or a quotation leaves a part unanswered. */
  isPartial: boolean;
  /** Number of links and images that were removed. */
  links: number;
  /** How the sources support the sentences that a model wrote. */
  sentences: Pick<CitedSentences, 'supported' | 'unsupported' | 'isRepeating'>;
  /** Whether the model said nothing beside marks and parts of the prompt. */
  isEmpty: boolean;
}

interface StreamOptions {
  /** Whether to show a refusal; otherwise it is held back, and the caller replaces it. */
  show_refusal: boolean;
  isKnown: AddressCheck;
  onShown?: () => void;
  /** The marker of the lines around sources. */
  marker: string;
  /** Compares sentences with sources. */
  embedder?: Embedder | undefined;
}

/** Filters an answer while it is generated: it checks citations and links, and holds back what may become a refusal. */
class AnswerStream {
  text = '';
  declined = false;
  /** Text that is held back because it may become a refusal. */
  #held = '';
  #isHolding: boolean;
  readonly citations;
  readonly links;
  readonly sentences;
  readonly #echoes;
  readonly #query: string;
  readonly #options: StreamOptions;
  readonly #isQuoting: boolean;
  /** The refusal of an extractive model, in the language of the question. */
  readonly #refusal: string;

  constructor(llm: Llm, { grounding, messages, signal }: GenerateRequest, options: StreamOptions) {
    const { marker, embedder } = options;
    this.citations = new CitationFilter(grounding.sources.length);
    this.links = new LinkFilter(options.isKnown);
    this.#query = grounding.query;
    this.#options = options;
    this.#isQuoting = llm.extractive ?? false;
    const { question = grounding.query, sources } = grounding;
    this.#echoes = new EchoFilter({ marker, questions: [question, grounding.query] });
    const support = createSupport(this.#isQuoting ? [] : sources, { embedder, signal, question });
    this.sentences = new CitedSentences({ cited: this.citations.cited, count: sources.length, support });
    this.#refusal = fallbacksFor(question, messages.slice(0, -1))[earlierAnswers(question, messages) === undefined ? 'nothing' : 'no_more'];
    this.#isHolding = !options.show_refusal && !this.#isQuoting;
  }

  async push(piece: string): Promise<string> {
    if (this.#isQuoting) return this.#show(this.#check(piece));
    return this.#show(await this.sentences.push(this.#check(this.#echoes.push(piece))));
  }

  #check(piece: string): string {
    return this.links.push(this.citations.push(piece));
  }

  /** Whether the answer has no words of its own. */
  get isEmpty(): boolean {
    return !this.declined && (this.#isQuoting ? this.text === '' : !hasWords(this.text));
  }

  async end(): Promise<string> {
    const remaining = this.#check(this.#echoes.end()) + this.links.push(this.citations.end()) + this.links.end();
    const last = this.#show(this.#isQuoting ? remaining : await this.sentences.push(remaining, true));
    const { beganDeclining, declines } = this.citations;
    if (this.#isQuoting && beganDeclining && this.#options.show_refusal) this.text = this.#refusal;
    this.declined = beganDeclining || (this.#mayDecline() && (declines === 'all' || isRefusal(this.text, this.#query)));
    return this.declined ? last + (this.#isQuoting ? this.text : '') : last + this.#held;
  }

  /** Whether the answer may still become a refusal: one that must be hidden can't once a part was shown. */
  #mayDecline(): boolean {
    return !this.#isQuoting && this.citations.cited.size === 0 && (this.#options.show_refusal || this.#isHolding);
  }

  #show(piece: string): string {
    if (piece === '' || (this.citations.beganDeclining && (this.#isQuoting || !this.#options.show_refusal))) return '';
    this.text += piece;
    this.#held += piece;
    if (this.#isHolding && this.citations.cited.size === 0 && mayBeRefusal(this.#held)) return '';
    this.#isHolding = false;
    const shown = this.#held;
    this.#held = '';
    return shown;
  }
}

/** The earlier answers that a question such as "tell me more" asks to continue; undefined for other questions. */
function earlierAnswers(question: string, messages: readonly Message[]): string | undefined {
  if (!asksForMore(question)) return undefined;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const answers: string[] = [];
  for (const { role, content } of messages.slice(0, last + 1).toReversed()) {
    if (role === 'assistant') answers.unshift(content);
    else if (role === 'user' && !asksForMore(content)) break;
  }
  return answers.length > 0 ? answers.join('\n') : undefined;
}

/** Adds the earlier answers, which an extractive model must not repeat. */
function withEarlierAnswers(request: GenerateRequest): GenerateRequest {
  const { grounding, messages } = request;
  return { ...request, grounding: { ...grounding, previous_answers: earlierAnswers(grounding.question ?? grounding.query, messages) } };
}

/** Generates the answer and yields it as checked tokens. Throws what the model throws. */
export async function* streamAnswer(
  llm: Llm,
  request: GenerateRequest,
  options: StreamOptions,
): AsyncGenerator<Progress, StreamedAnswer, void> {
  let answer = new AnswerStream(llm, request, options);
  const stream = llm.generate(llm.extractive ? withEarlierAnswers(request) : request);
  let wasShown = false;
  try {
    for (;;) {
      const step = await stream.next();
      throwIfAborted(request.signal);
      if (step.value === DISCARD) {
        answer = new AnswerStream(llm, request, options);
        if (wasShown) yield resetEvent;
        continue;
      }
      const shownText = await (step.done ? answer.end() : answer.push(step.value));
      if (shownText) {
        wasShown = true;
        options.onShown?.();
        yield tokenEvent(shownText);
      }
      const { text, declined, citations, links, sentences, isEmpty } = answer;
      if (!step.done && !sentences.isRepeating) continue;
      const { cut_off, unsure = false, input_tokens, output_tokens, ...quotation } = step.done ? step.value : NOT_COUNTED;
      const usage = { input_tokens, output_tokens };
      const isPartial = unsure || (citations.declines !== undefined && !declined);
      return { text, usage, cut_off, quotation, citations, declined, isPartial, links: links.removed, sentences, isEmpty };
    }
  } catch (error) {
    throw wasShown ? brokenOffError(error) : error;
  } finally {
    // A reader that leaves in the middle stops the model, too.
    await stream.return(NOT_COUNTED);
  }
}

/** The outcome of an answer that was stopped. */
const NOT_COUNTED: Outcome = { input_tokens: 0, output_tokens: 0 };

function brokenOffError(error: unknown): unknown {
  if (isAbort(error) || !(error instanceof KbError)) return error;
  const { code, message, hint = 'Ask again, or choose another model.', isRetryable, attempts } = error;
  const kept = 'The partial answer was discarded.';
  return new KbError(code, `The answer broke off: ${message}`, { hint: `${kept} ${hint}`, isRetryable, attempts, cause: error });
}
