import { isAbort, KbError } from '../../core/errors.ts';
import { throwIfAborted, type Progress } from '../../core/run.ts';
import type { GenerateRequest, Llm, Message, Outcome, Usage } from '../../ports/models.ts';
import type { IsKnown } from './guard/addresses.ts';
import { citationFilter, type CitationFilter } from './guard/citation-filter.ts';
import { fallbacksFor, onlyAsksOn } from './fallback.ts';
import { linkFilter } from './guard/link-filter.ts';
import { isRefusal, mayBeRefusal } from './guard/refusal.ts';
import { token } from './turn-result.ts';

/** What came of asking a model. */
export interface StreamedAnswer {
  text: string;
  usage: Usage;
  /** What it was cut off by, where it did not come to its end. */
  cut_off: Outcome['cut_off'];
  /** What one that quotes says of its answer. */
  quotation: Pick<Outcome, 'quoted' | 'order' | 'probability' | 'highlight'>;
  citations: Pick<CitationFilter, 'cited' | 'unknown'>;
  /** It says, with the agreed mark or in its own words, that the sources do not answer. */
  declined: boolean;
  /** It says so, with the agreed mark, of a part of what was asked, or too late not to be shown; or one that quotes does. */
  isPartial: boolean;
  /** Links and images that were taken out. */
  links: number;
}

/** How an answer is looked at. */
interface StreamOptions {
  /** Whether the words of an answer that declines are shown, or something else will be said in their place. */
  show_refusal: boolean;
  /** Whether the answer may lead to an address. */
  isKnown: IsKnown;
  /** Called before each piece that is shown. */
  onShown?: () => void;
}

/** The answer on its way from the model to a reader: what of each piece is shown, and what it says in the end. */
class Passing {
  text = '';
  declined = false;
  /** Not shown yet, since it may become a refusal that nobody is to see. */
  #held = '';
  #isHolding: boolean;
  readonly citations;
  readonly links;
  readonly #query: string;
  readonly #options: StreamOptions;
  readonly #isQuoting: boolean;
  /** What is said for one that quotes, where it declines: in the language of the question, which it does not know. */
  readonly #inItsPlace: string;

  constructor(llm: Llm, { grounding, messages }: GenerateRequest, options: StreamOptions) {
    this.citations = citationFilter(grounding.sources.length);
    this.links = linkFilter(options.isKnown);
    this.#query = grounding.query;
    this.#options = options;
    this.#isQuoting = llm.extractive ?? false;
    const { question = grounding.query } = grounding;
    this.#inItsPlace = fallbacksFor(question, messages.slice(0, -1))[saidBefore(question, messages) === undefined ? 'nothing' : 'no_more'];
    this.#isHolding = !options.show_refusal && !this.#isQuoting;
  }

  push(piece: string): string {
    return this.#show(this.links.push(this.citations.push(piece)));
  }

  end(): string {
    const last = this.#show(this.links.push(this.citations.end()) + this.links.end());
    const { beganDeclining, declines } = this.citations;
    if (this.#isQuoting && beganDeclining && this.#options.show_refusal) this.text = this.#inItsPlace;
    this.declined = beganDeclining || (this.#mayDecline() && (declines === 'all' || isRefusal(this.text, this.#query)));
    return this.declined ? last + (this.#isQuoting ? this.text : '') : last + this.#held;
  }

  /** Whether what comes behind its words, or these, may make it a refusal: one that nobody is to see is none once something of it was shown. */
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

/** The answers before, where the question only asks for more of them: back to the one to the last question that asked for something. */
function saidBefore(question: string, messages: readonly Message[]): string | undefined {
  if (!onlyAsksOn(question)) return undefined;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const said: string[] = [];
  for (const { role, content } of messages.slice(0, last + 1).toReversed()) {
    if (role === 'assistant') said.unshift(content);
    else if (role === 'user' && !onlyAsksOn(content)) break;
  }
  return said.length > 0 ? said.join('\n') : undefined;
}

/** The request of one that quotes, with what it is not to quote again. */
function askingOn(request: GenerateRequest): GenerateRequest {
  const { grounding, messages } = request;
  return { ...request, grounding: { ...grounding, said: saidBefore(grounding.question ?? grounding.query, messages) } };
}

/**
 * Asks the model and yields the answer as tokens while it is written, after its citations and its links were checked. Throws what the model throws, and a
 * KbError (`invalid`, retryable) where it says nothing. What fails after a part was shown says that, too.
 */
export async function* streamAnswer(
  llm: Llm,
  request: GenerateRequest,
  options: StreamOptions,
): AsyncGenerator<Progress, StreamedAnswer, void> {
  const passing = new Passing(llm, request, options);
  const stream = llm.generate(llm.extractive ? askingOn(request) : request);
  let wasShown = false;
  try {
    for (;;) {
      const step = await stream.next();
      throwIfAborted(request.signal);
      const piece = step.done ? passing.end() : passing.push(step.value);
      if (piece) {
        wasShown = true;
        options.onShown?.();
        yield token(piece);
      }
      if (!step.done) continue;
      const { text, declined, citations, links } = passing;
      if (text === '' && !declined) throw silent(llm);
      const { cut_off, unsure = false, input_tokens, output_tokens, ...quotation } = step.value;
      const usage = { input_tokens, output_tokens };
      const isPartial = unsure || (citations.declines !== undefined && !declined);
      return { text, usage, cut_off, quotation, citations, declined, isPartial, links: links.removed };
    }
  } catch (error) {
    throw wasShown ? brokenOff(error) : error;
  } finally {
    // A reader that leaves in the middle stops the model, too.
    await stream.return({ input_tokens: 0, output_tokens: 0 });
  }
}

const silent = ({ model, provider }: Llm): KbError =>
  new KbError('invalid', `The model ${model} of ${provider} answered with nothing. Ask again, or choose another model.`, {
    isRetryable: true,
  });

/** The failure of an answer of which a reader has seen a part: what became of that part, and what to do. */
function brokenOff(error: unknown): unknown {
  if (isAbort(error) || !(error instanceof KbError)) return error;
  const { code, message, hint = 'Ask again, or choose another model.', isRetryable, attempts } = error;
  const kept = 'The partial answer was discarded.';
  return new KbError(code, `The answer broke off: ${message}`, { hint: `${kept} ${hint}`, isRetryable, attempts, cause: error });
}
