import { BUNDLED } from '../../schema/provider-names.ts';
import { languageOfQuestions, lastQuestion, type SearchQuestion, splitQuestion, subjectTerms } from '../../languages/question.ts';
import { languageOf } from '../../languages/detect.ts';
import { languageOrEnglish } from '../../languages/languages.ts';
import { advice, setting } from '../../core/advice/advice.ts';
import { KbError } from '../../core/errors.ts';
import { throwIfAborted } from '../../core/run.ts';
import { type Embedder, type GenerateRequest, type GroundingSource, type Llm, NO_ANSWER_MARKER, type Outcome } from '../../ports/models.ts';
import { countWords } from './quote-blocks.ts';
import { chooseQuotations, MAX_ANSWER_WORDS, type Quotation, areNearDuplicates } from './choose-quotations.ts';
import { computeEvidence, HIGH_PROBABILITY, judgeEvidence, MAX_UNCERTAIN_PROBABILITY } from './evidence.ts';
import { bestSentence } from './passages.ts';

/** Maximum words of a question that a note repeats. */
const MAX_PART_WORDS = 25;

function shortenQuestion(question: string): string {
  const words = question.replace(/\?$/, '').split(/\s+/);
  return words.length > MAX_PART_WORDS ? `${words.slice(0, MAX_PART_WORDS).join(' ')}…` : words.join(' ');
}

/** Writes, in the language of the question, that parts of it are not answered. */
function unansweredNote(question: string, parts: readonly SearchQuestion[]): string {
  const { part: unanswered } = languageOfQuestions(question).messages;
  return parts.map((part) => unanswered.replace('{part}', () => shortenQuestion(part.question))).join(' ');
}

/** Detects the language of a text by its prose, without code and tables. */
const languageOfProse = (text: string): string | undefined => languageOf(text.replace(/```[^]*?(?:```|$)|`[^`]*`|^ *\|.*$/gm, ' '));

/**
 * A note about the language of a text, in the language of the question; undefined if both are the same or unknown. If the language of the text is
 * unclear, the first clear one of `around` counts.
 */
function sourceLanguageNote(question: string, text: string, around: readonly string[] = []): string | undefined {
  const questionLanguage = languageOf(question);
  if (questionLanguage === undefined) return undefined;
  const textLanguage = [text, ...around].values().map(languageOfProse).find((language) => language !== undefined); // prettier-ignore
  if (textLanguage === undefined || questionLanguage === textLanguage) return undefined;
  const { code, messages } = languageOrEnglish(questionLanguage);
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(textLanguage) ?? textLanguage;
  return messages.written_in.replace('{language}', () => name);
}

/** The answer if nothing is found, after `NO_ANSWER_MARKER`. */
const DECLINE = `${NO_ANSWER_MARKER} The sources do not answer this.`;

/** Estimates tokens: about four characters each. */
const estimateTokenCount = (text: string): number => Math.ceil(text.length / 4);

/** One of several questions with its quotations; none if nothing answers it. */
interface Part extends SearchQuestion {
  quotations: readonly Quotation[];
  probability: number;
  isAnswered: boolean;
}

/** Maximum characters of all sources, with the text around them, in which quotations are searched for: reading a million takes about a second. */
const MAX_SEARCHED = 1_000_000;

/** Cuts the sources after the first `MAX_SEARCHED` characters; those behind are empty. */
function searchedSources(sources: readonly GroundingSource[]): GroundingSource[] {
  let room = MAX_SEARCHED;
  return sources.map((source) => {
    const { before = '', after = '' } = source;
    if (before.length >= room) room = 0;
    room -= Math.min(room, before.length);
    const text = source.text.slice(0, room);
    room -= text.length;
    const cut = { ...source, before: text === '' ? '' : before, text, after: after.slice(0, room) };
    room -= cut.after.length;
    return cut;
  });
}

/** Answers each of the joined questions with quotations. */
async function answerParts({ grounding, signal }: GenerateRequest, embedder: Embedder | undefined): Promise<Part[]> {
  const { query: whole, question: asked = whole, previous_answers } = grounding;
  const sources = searchedSources(grounding.sources);
  const questions = splitQuestion({ query: whole, question: asked });
  const texts = sources.map(({ text }) => text);
  const together = texts.join('\n');
  const note = Math.max(0, ...texts.map((text) => countWords(sourceLanguageNote(asked, text, [together]) ?? '')));
  const parts: Part[] = [];
  for (const { query, question } of questions) {
    const words = Math.floor((MAX_ANSWER_WORDS - note) / questions.length);
    const { quotations, quoteCandidates, ranked, compare } = await chooseQuotations(query, {
      sources,
      words,
      previous_answers,
      embedder,
      signal,
    });
    const { isAnswer: isAnswered, probability: judged } = judgeEvidence(await computeEvidence(query, { sources, ranked, compare }));
    const isFollowUp = query !== question && query.endsWith(question);
    const isUncertain = isFollowUp || (embedder && !embedder.is_calibrated);
    const probability = isUncertain ? Math.min(judged, MAX_UNCERTAIN_PROBABILITY) : judged;
    const isNew = (quotation: Quotation) =>
      !parts.some((part) => part.quotations.some((other) => other.text.includes(quotation.text) || areNearDuplicates(other, quotation)));
    const chosen = probability < HIGH_PROBABILITY ? quoteCandidates() : quotations;
    parts.push({ query, question, probability, isAnswered, quotations: isAnswered ? chosen.filter(isNew) : [] });
  }
  return parts;
}

const ENDS_OPEN = /(?:```|~~~|\|)\s*$/;

/** Renders a quotation with its path and citation. */
const renderQuotation = ({ path, text }: Quotation, number: number): string =>
  `**${path}**\n\n${text}${ENDS_OPEN.test(text) ? '\n\n' : ' '}[${number}]`;

/** The sources in the order of their citation numbers: the quoted ones in the order of the answer, or all as a reranker ordered them. */
function orderSources(quotations: readonly Quotation[], sources: readonly GroundingSource[]): number[] {
  if (sources.some(({ rerank_score }) => rerank_score !== undefined)) return [...sources.keys()];
  return [...new Set(quotations.map(({ source }) => source))];
}

interface WrittenAnswer {
  answer: string;
  outcome: Pick<Outcome, 'quoted' | 'probability' | 'highlight' | 'unsure' | 'order'>;
}

/** Writes the answer: the quotations, and a note about unanswered questions. */
function writeAnswer({ grounding }: GenerateRequest, parts: readonly Part[]): WrittenAnswer {
  const { query, question = query, sources } = grounding;
  const answered = parts.filter(({ isAnswered }) => isAnswered);
  const quotations = answered.flatMap((part) => part.quotations);
  const probability = Math.min(...(answered.length > 0 ? answered : parts).map((part) => part.probability));
  if (quotations.length === 0) return { answer: DECLINE, outcome: { probability } };
  const order = orderSources(quotations, sources);
  const passages = quotations.map((quotation) => renderQuotation(quotation, order.indexOf(quotation.source) + 1));
  const missing = parts.filter((part) => !answered.includes(part));
  const [best] = quotations;
  const around = [sources[best!.source]!.text, sources.map(({ text }) => text).join('\n')];
  const doubt = probability < HIGH_PROBABILITY ? languageOfQuestions(question).messages.uncertain : undefined;
  const notes = [doubt, unansweredNote(question, missing), sourceLanguageNote(question, best!.text, around)].filter(Boolean);
  const highlight = bestSentence(best!, new Set(subjectTerms(lastQuestion(query))));
  const quoted = quotations.flatMap(({ source, blocks }) => blocks.map(({ lines }) => ({ citation: sources[source]!.citation, lines })));
  return {
    answer: [...passages, ...notes].join('\n\n'),
    outcome: { quoted, probability, highlight, order: order.map((source) => sources[source]!.citation), unsure: missing.length > 0 },
  };
}

/** Name of the answerer, in the place of a model. */
const MODEL = 'extractive';

/** An answerer that quotes; it takes nothing back. */
export interface QuotingLlm extends Llm {
  generate(request: GenerateRequest): AsyncGenerator<string, Outcome, void>;
}

/**
 * Creates the extractive model, which needs no language model: it quotes the passage that answers, at most 120 words with headings, or declines.
 * With an embedder it also compares meaning. Throws a KbError (`configuration`) for another `model`.
 */
export function openQuoteLlm({
  embedder,
  model = MODEL,
}: { embedder?: Embedder | undefined; model?: string | undefined } = {}): QuotingLlm {
  if (model !== MODEL)
    throw new KbError('configuration', `The provider ${BUNDLED} quotes the sources and has no language model "${model}".`, {
      hint: advice`Leave ${setting('chat.llm.model')} out, or name the provider that has it in ${setting('chat.llm.provider')}.`,
    });
  return {
    provider: BUNDLED,
    model: MODEL,
    extractive: true,
    async *generate(request): AsyncGenerator<string, Outcome, void> {
      const { answer, outcome } = writeAnswer(request, await answerParts(request, embedder));
      for (const [word] of answer.matchAll(/\S+\s*/g)) {
        throwIfAborted(request.signal);
        yield word;
      }
      const { query, sources } = request.grounding;
      const input = [query, ...sources.map(({ title, text }) => `${title}\n${text}`)].reduce(
        (sum, text) => sum + estimateTokenCount(text),
        0,
      );
      return { input_tokens: input, output_tokens: estimateTokenCount(answer), ...outcome };
    },
  };
}
