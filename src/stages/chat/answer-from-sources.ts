import { advice, setting } from '../../core/advice/advice.ts';
import type { Embedder, Llm } from '../../ports/models.ts';
import type { ErrorItem, RetrievedItem } from '../../schema/items.ts';
import { KbError } from '../../core/errors.ts';
import { progress, type Run } from '../../core/run.ts';
import type { Neighbour, Neighbours } from '../retrieve/neighbours.ts';
import type { AnswerConfidence, ChatResult, RetrievalQuality } from '../../schema/answers.ts';
import { type AddressCheck, createAddressCheck } from './guard/link-filter.ts';
import { streamAnswer, type StreamedAnswer } from './answer-stream.ts';
import { type PromptContent, fitPrompt, halvePrompt, tokensOfMessages } from './budget.ts';
import { agreesWithQuotation } from './guard/agreement.ts';
import { beginsAsRefusal } from './guard/refusal.ts';
import { type LineRange, toGrounding, toSources } from './cited-sources.ts';
import { HIGH_PROBABILITY } from '../quote/evidence.ts';
import { type ChatSearch, answerNote, report, type Turn, turnError } from './turn-record.ts';
import { writeGroundedPrompt, type GroundedPrompt } from './prompt.ts';
import { openQuoteLlm } from '../quote/quote-llm.ts';

interface GroundingInput extends Pick<ChatResult, 'history' | 'retrieval' | 'retrieval_quality'> {
  /** The chunks that the answer may use, best first. */
  context: readonly RetrievedItem[];
  search: ChatSearch;
}

/** The outcome of the generation, as fields of the result. */
interface GenerationOutcome extends Partial<ChatResult> {
  errors: ErrorItem[];
  /** The chunks given to the model, in the order of their numbers. */
  given: readonly RetrievedItem[];
  /** The model says that the sources do not answer, and the mode replaces its answer. */
  isDeclined: boolean;
}

/** Generates an answer from chunks. A failure of the model is an item of `errors`. */
export async function* answerFromSources(turn: Turn, grounds: GroundingInput): Run<GenerationOutcome> {
  const { query, settings, parts, window } = turn;
  const { history, context, search, retrieval_quality } = grounds;
  const llm = await parts.llm(search.embedder);
  const neighbours = (await search.neighbours?.(context)) ?? new Map<string, Neighbours>();
  const all: PromptContent = {
    history,
    sources: toGrounding(context, llm.extractive ? neighbours : dropGivenNeighbours(neighbours, context)),
  };
  const room = window.prompt - promptOverhead(turn, grounds);
  const filling = fitPrompt(all, { room, keep_recent: settings.history_compaction.keep_recent });
  const { provider, model } = llm;
  yield progress('generation', { provider, model, sources: filling.sources.length });
  let written: GeneratedAnswer;
  try {
    const isKnown = knownLinks(turn, all, context);
    written = yield* generateAnswer(turn, grounds, { llm, filling, isKnown, embedder: search.embedder });
  } catch (error) {
    const item = turnError(error, { source: query, source_kind: 'chat', stage: 'generate' });
    return { given: [], isDeclined: false, errors: yield* report(item) };
  }
  const given = context.slice(0, written.filling.sources.length);
  const { notes, ...answer } = finalizeAnswer(turn, { ...written, llm, given, neighbours, retrieval_quality });
  const items = [...omissionNotes(all, written.filling), ...(llm.extractive ? [] : cutPromptNotes(written)), ...notes].map((text) =>
    answerNote(query, text),
  );
  return {
    llm: { provider, model, ...written.usage, ...(written.cut_off ? { cut_off: written.cut_off } : {}) },
    ...answer,
    errors: yield* report(...items),
  };
}

function dropGivenNeighbours(all: ReadonlyMap<string, Neighbours>, given: readonly RetrievedItem[]): Map<string, Neighbours> {
  const unlessGiven = (neighbour: Neighbour | undefined) => (given.some(({ id }) => id === neighbour?.id) ? undefined : neighbour);
  return new Map([...all].map(([id, { before, after }]) => [id, { before: unlessGiven(before), after: unlessGiven(after) }]));
}

/** Creates the check for links of the answer. Earlier messages contain only addresses of earlier sources and of the user. */
function knownLinks({ query, settings }: Turn, { history, sources }: PromptContent, context: readonly RetrievedItem[]): AddressCheck {
  const spoken = [query, settings.persona, ...history.map(({ content }) => content)];
  const retrieved = sources.flatMap(({ title, before = '', text, after = '' }) => [title, before, text, after]);
  return createAddressCheck(
    [...spoken, ...retrieved],
    context.map(({ metadata }) => String(metadata.source)),
  );
}

/** Tokens of the prompt without history and sources. */
export const promptOverhead = (turn: Turn, grounds?: GroundingInput): number =>
  tokensOfMessages(promptOf(turn, { history: [], sources: [] }, { grounds }).messages);

function promptOf(
  { query, question, settings: { persona } }: Turn,
  filling: PromptContent,
  { grounds, again }: { grounds?: GroundingInput | undefined; again?: boolean } = {},
): GroundedPrompt {
  const search_query = grounds?.retrieval.search_query ?? question;
  const rewritten = search_query === question ? undefined : search_query;
  const cautious = grounds?.retrieval_quality.status === 'low_confidence';
  return writeGroundedPrompt({ query, rewritten, ...filling, persona, cautious, again });
}

interface GeneratedAnswer extends StreamedAnswer {
  filling: PromptContent;
  /** Estimated tokens of the prompt. */
  prompt_tokens: number;
  /** The passage is quoted, because the model gave no answer. */
  isQuoted?: boolean;
  /** Whether the answer of a model says what would be quoted. */
  agrees?: boolean;
}

interface GenerateOptions {
  llm: Llm;
  filling: PromptContent;
  isKnown: AddressCheck;
  embedder?: Embedder | undefined;
  /** The prompt was too long, and was halved. */
  isHalved?: boolean;
  /** The model gave no answer, and is asked again. */
  again?: boolean;
}

/** Asks the model. If it gives no answer, it is asked once more; then the passages are quoted. */
async function* generateAnswer(turn: Turn, grounds: GroundingInput, options: GenerateOptions): Run<GeneratedAnswer> {
  const first = yield* generateWithRetry(turn, grounds, options);
  if (!first.isEmpty) return options.llm.extractive ? first : compareWithQuotation(turn, grounds, { answer: first, options });
  const second = yield* generateWithRetry(turn, grounds, { ...options, filling: first.filling, again: true });
  if (!second.isEmpty) return compareWithQuotation(turn, grounds, { answer: second, options });
  const llm = openQuoteLlm({ embedder: options.embedder });
  const quoted = yield* generateWithRetry(turn, grounds, { ...options, llm, filling: second.filling });
  // the lines of quotations count from the neighbours of passages, which the prompt leaves out where they are passages of it
  return { ...quoted, usage: second.usage, quotation: { ...quoted.quotation, quoted: undefined }, isQuoted: true };
}

/** Notes whether an answer that the sources support agrees with what kb would quote. */
async function compareWithQuotation(
  { parts }: Turn,
  { retrieval }: GroundingInput,
  { answer, options }: { answer: GeneratedAnswer; options: GenerateOptions },
): Promise<GeneratedAnswer> {
  if (answer.declined || answer.sentences.supported === 0 || answer.sentences.unsupported.length > 0) return answer;
  const grounding = { query: retrieval.search_query, sources: answer.filling.sources };
  const { embedder } = options;
  return { ...answer, agrees: await agreesWithQuotation(answer.text, grounding, { embedder, signal: parts.signal }) };
}

/** Asks the model. If the prompt is too long, it asks once more with half of everything, unless a part of the answer was shown. */
async function* generateWithRetry(turn: Turn, grounds: GroundingInput, options: GenerateOptions): Run<GeneratedAnswer> {
  const { parts, question, settings, window, trace } = turn;
  const { llm, filling, isKnown, embedder, again, isHalved } = options;
  const { messages, marker } = promptOf(turn, filling, { grounds, again });
  const request = {
    messages,
    grounding: { query: grounds.retrieval.search_query, question, sources: filling.sources },
    max_tokens: window.answer,
    timeout: settings.llm.timeout,
    signal: parts.signal,
  };
  let wasShown = false;
  const onShown = () => {
    wasShown = true;
  };
  try {
    const show = { show_refusal: showsRefusal(turn), isKnown, onShown, marker, embedder };
    const answer = yield* streamAnswer(trace.instrument(llm, 'generate'), request, show);
    return { ...answer, filling, prompt_tokens: tokensOfMessages(messages) };
  } catch (error) {
    if (wasShown || !(error instanceof KbError) || error.code !== 'too_large') throw error;
    if (!isHalved) return yield* generateWithRetry(turn, grounds, { ...options, filling: halvePrompt(filling), isHalved: true });
    const hint = [
      'Ask in fewer words.',
      advice`Set ${setting('chat.llm.context_window')} to the real size, or choose a model with a larger context window.`,
    ];
    const message = `The prompt is too long for the model, and so is half of it: ${error.message}`;
    throw new KbError('too_large', message, { hint, cause: error, attempts: 2 });
  }
}

const showsRefusal = ({ settings }: Turn): boolean => settings.retrieval_quality.low_confidence_mode === 'answer_with_caution';

/** Writes the note about messages and sources that did not fit into the prompt. */
function omissionNotes(all: PromptContent, { history, sources }: PromptContent): string[] {
  const older = all.history.length - history.length;
  const weaker = all.sources.length - sources.length;
  const parts = [
    older > 0 && `the ${older} oldest of ${all.history.length} messages`,
    weaker > 0 && `the ${weaker} weakest of ${all.sources.length} sources`,
    sources.some(({ text }, i) => text !== all.sources[i]!.text) && 'the end of a source',
  ].filter((part) => part !== false);
  return parts.length > 0 ? [`The prompt was too long for the model: left out were ${parts.join(', ')}.`] : [];
}

/** A server that counts fewer tokens than this share of the estimate has cut the prompt. Estimates exceed counts by a third at most in English, German and code. */
const MIN_SHARE_READ = 0.5;

/** Writes the note about a prompt that the server cut silently, as its own token count shows. */
function cutPromptNotes({ usage: { input_tokens }, prompt_tokens }: GeneratedAnswer): string[] {
  if (input_tokens === 0 || input_tokens >= MIN_SHARE_READ * prompt_tokens) return [];
  return [
    `The model server read ${input_tokens} of about ${prompt_tokens} tokens: it cut the prompt. Set chat.llm.context_window to the size of its window.`,
  ];
}

/** A generated answer with its model and sources. */
interface AnswerDraft extends GeneratedAnswer {
  llm: Llm;
  given: readonly RetrievedItem[];
  neighbours: ReadonlyMap<string, Neighbours>;
  retrieval_quality: RetrievalQuality;
}

/** Whether a model wrote the answer; otherwise it consists of quotations. */
const isWritten = ({ llm, isQuoted }: AnswerDraft): boolean => !llm.extractive && !isQuoted;

function finalizeAnswer(turn: Turn, draft: AnswerDraft): Omit<GenerationOutcome, 'errors'> & { notes: string[] } {
  const { text, citations, declined, quotation, neighbours, retrieval_quality: judged } = draft;
  if (declined && !(showsRefusal(turn) && text !== ''))
    return { given: draft.given, isDeclined: true, notes: draft.isQuoted ? answerNotes(draft, turn.window.answer) : [] };
  const given = orderByCitation(draft.given, quotation.order);
  const quoted = linesById(draft.given, quotation.quoted);
  const retrieval_quality: RetrievalQuality = declined ? { ...judged, status: 'low_confidence' } : judged;
  return {
    answer: text,
    sources: toSources(given, { cited: citations.cited, quoted, neighbours }),
    ...(quotation.highlight === undefined ? {} : { highlight: quotation.highlight }),
    retrieval_quality,
    answer_confidence: assessConfidence(retrieval_quality, draft),
    ...(isWritten(draft) ? { unsupported: declined ? [] : draft.sentences.unsupported } : {}),
    given,
    isDeclined: false,
    notes: answerNotes(draft, turn.window.answer),
  };
}

/** The chunks in the order of the answer's citation numbers, then those that it does not cite. */
function orderByCitation(given: readonly RetrievedItem[], order: readonly number[] = []): RetrievedItem[] {
  const cited = order.map((citation) => given[citation - 1]!);
  return [...cited, ...given.filter((item) => !cited.includes(item))];
}

function linesById(given: readonly RetrievedItem[], quoted: StreamedAnswer['quotation']['quoted'] = []): Map<string, LineRange[]> {
  const byCitation = Map.groupBy(quoted, ({ citation }) => citation);
  return new Map([...byCitation].map(([citation, some]) => [given[citation - 1]!.id, some.map(({ lines }) => [...lines] as const)]));
}

/** High if the gate passed the sources or is off, they support what a model wrote, and the answer itself gives no reason for doubt. */
function assessConfidence({ status }: RetrievalQuality, draft: AnswerDraft): AnswerConfidence {
  const { declined, isPartial, isQuoted, agrees = true, text, sentences, citations, quotation } = draft;
  const { probability = 1 } = quotation;
  const probabilityField = quotation.probability === undefined || declined ? {} : { probability: Math.round(probability * 1000) / 1000 };
  if (status === 'low_confidence')
    return { level: declined ? 'none' : 'low', reason: 'retrieval_quality_low_confidence', ...probabilityField };
  const isDoubtful = isPartial || isQuoted || !agrees || probability < HIGH_PROBABILITY || (isWritten(draft) && beginsAsRefusal(text));
  if (isDoubtful) return { level: 'low', reason: 'answer_uncertain', ...probabilityField };
  const isUnsupported = sentences.unsupported.length > 0 || sentences.isRepeating || citations.cited.size === 0;
  if (isWritten(draft) && isUnsupported) return { level: 'low', reason: 'citations_unsupported' };
  return { level: 'high', reason: 'retrieval_quality_pass', ...probabilityField };
}

function answerNotes(
  { given, llm, citations: { unknown }, links, cut_off, isQuoted, sentences }: AnswerDraft,
  max_tokens: number,
): string[] {
  const numbers = [...unknown].map((number) => `[${number}]`).join(', ');
  const all = given.length === 1 ? 'one source' : `${given.length} sources`;
  return [
    isQuoted === true && `The model ${llm.model} of ${llm.provider} gave no answer, asked twice: the sources are quoted instead.`,
    sentences.isRepeating && 'The model repeated a sentence over and over: it was stopped there.',
    unknown.size > 0 && `The answer cited ${numbers}, which ${unknown.size === 1 ? 'is' : 'are'} none of its ${all}; taken out.`,
    links === 1 && 'The answer had a link or image that may not be shown: its address was taken out.',
    links > 1 && `The answer had ${links} links or images that may not be shown: their addresses were taken out.`,
    cut_off === 'max_tokens' && `The answer was cut off at max_tokens = ${max_tokens}: raise chat.llm.max_tokens for a longer one.`,
    cut_off === 'window' &&
      "The answer was cut off where the model's window was full: ask in fewer words, or set chat.llm.context_window to what the model holds.",
  ].filter((text) => text !== false);
}
