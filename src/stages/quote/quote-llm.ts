import { BUNDLED } from '../../schema/provider-names.ts';
import { conjunctionIn, lastQuestion, type SearchQuestion, splitQuestion, subjectTerms } from '../../languages/question.ts';
import { languageOf } from '../../languages/detect.ts';
import { english } from '../../languages/english.ts';
import { languageOrEnglish } from '../../languages/languages.ts';
import { throwIfAborted } from '../../core/run.ts';
import { type Embedder, type GenerateRequest, type GroundingSource, type Llm, NO_ANSWER, type Outcome } from '../../ports/models.ts';
import { countWords } from './quote-blocks.ts';
import { chooseQuotations, MOST_WORDS, type Quotation } from './choose.ts';
import { evidenceOf, judgementOf } from './evidence.ts';
import { bestSentence } from './passages.ts';

/** Words of a part that are repeated at most. */
const MAX_PART_WORDS = 25;

function shortened(question: string): string {
  const words = question.replace(/\?$/, '').split(/\s+/);
  return words.length > MAX_PART_WORDS ? `${words.slice(0, MAX_PART_WORDS).join(' ')}…` : words.join(' ');
}

/** Says that these parts of a question are not answered, in its language. */
function unansweredOf(question: string, parts: readonly SearchQuestion[]): string {
  const { part: unanswered } = (conjunctionIn(question) ?? english).messages;
  return parts.map((part) => unanswered.replace('{part}', () => shortened(part.question))).join(' ');
}

/** The language of prose: code tells nothing, and the cells of a table are names and addresses as often as words. */
const languageOfProse = (text: string): string | undefined => languageOf(text.replace(/```[^]*?(?:```|$)|`[^`]*`|^ *\|.*$/gm, ' '));

/**
 * Says which language a text is in, in that of the question; undefined where both are the same, or one of them can't be told. Where the text does not tell,
 * as a command or a table, those that stand around it do, in their order.
 */
function sourceLanguageNote(question: string, text: string, around: readonly string[] = []): string | undefined {
  const asked = languageOf(question);
  if (asked === undefined) return undefined;
  const written = [text, ...around].values().map(languageOfProse).find((language) => language !== undefined); // prettier-ignore
  if (written === undefined || asked === written) return undefined;
  const { code, messages } = languageOrEnglish(asked);
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(written) ?? written;
  return messages.written_in.replace('{language}', () => name);
}

/** What it says where nothing answers, behind the number of no source. */
const DECLINE = `${NO_ANSWER} The sources do not answer this.`;

/** An estimate: English text has about four characters a token; no model counts here. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** One question of those that are asked in one, with what is quoted for it: nothing where nothing answers. */
interface Part extends SearchQuestion {
  quotations: readonly Quotation[];
  probability: number;
  isAnswered: boolean;
}

/** What is quoted for each of the questions that are asked in one. */
async function partsOf({ grounding, signal }: GenerateRequest, embedder: Embedder | undefined): Promise<Part[]> {
  const { query: whole, question: asked = whole, sources, said } = grounding;
  const questions = splitQuestion({ query: whole, question: asked });
  const texts = sources.map(({ text }) => text);
  const note = Math.max(0, ...texts.map((text) => countWords(sourceLanguageNote(asked, text, [texts.join('\n')]) ?? '')));
  const parts: Part[] = [];
  for (const { query, question } of questions) {
    const words = Math.floor((MOST_WORDS - note) / questions.length);
    const { quotations, ranked, compare } = await chooseQuotations(query, { sources, words, said, embedder, signal });
    const { probability, isAnswer: isAnswered } = judgementOf(await evidenceOf(query, { sources, ranked, compare }));
    const isNew = ({ text }: Quotation) => !parts.some((part) => part.quotations.some((other) => other.text.includes(text)));
    parts.push({ query, question, probability, isAnswered, quotations: isAnswered ? quotations.filter(isNew) : [] });
  }
  return parts;
}

const ENDS_OPEN = /(?:```|~~~|\|)\s*$/;

/** A passage under its path, with its number. */
const rendered = ({ path, text }: Quotation, number: number): string =>
  `**${path}**\n\n${text}${ENDS_OPEN.test(text) ? '\n\n' : ' '}[${number}]`;

/** The sources as the answer numbers them: one for each section that is quoted, in the order of the answer, or in the one that a reranker gave them. */
function orderOf(quotations: readonly Quotation[], sources: readonly GroundingSource[]): number[] {
  if (sources.some(({ rerank_score }) => rerank_score !== undefined)) return [...sources.keys()];
  const sections = Map.groupBy(quotations, ({ section }) => section);
  return [...new Set(sections.values().map(([first]) => first!.source))];
}

interface Written {
  answer: string;
  outcome: Pick<Outcome, 'quoted' | 'probability' | 'highlight' | 'unsure' | 'order'>;
}

/** The answer: what is quoted for each question, and which of them nothing answers. */
function write({ grounding }: GenerateRequest, parts: readonly Part[]): Written {
  const { query, question = query, sources } = grounding;
  const answered = parts.filter(({ isAnswered }) => isAnswered);
  const quotations = answered.flatMap((part) => part.quotations);
  const probability = Math.min(...(answered.length > 0 ? answered : parts).map((part) => part.probability));
  if (quotations.length === 0) return { answer: DECLINE, outcome: { probability } };
  const order = orderOf(quotations, sources);
  const numberOf = (section: string) => order.indexOf(quotations.find((other) => other.section === section)!.source) + 1;
  const passages = quotations.map((quotation) => rendered(quotation, numberOf(quotation.section)));
  const missing = parts.filter((part) => !answered.includes(part));
  const [best] = quotations;
  const around = [sources[best!.source]!.text, sources.map(({ text }) => text).join('\n')];
  const notes = [unansweredOf(question, missing), sourceLanguageNote(question, best!.text, around)].filter(Boolean);
  const highlight = bestSentence(best!, new Set(subjectTerms(lastQuestion(query))));
  const quoted = quotations.flatMap(({ source, blocks }) => blocks.map(({ lines }) => ({ citation: sources[source]!.citation, lines })));
  return {
    answer: [...passages, ...notes].join('\n\n'),
    outcome: { quoted, probability, highlight, order: order.map((source) => sources[source]!.citation), unsure: missing.length > 0 },
  };
}

/**
 * Answers without a model: quotes the passage of the sources that answers, at most 120 words under its headings, or declines. With an embedder it compares
 * by meaning, too; without one by words alone.
 */
export function openQuoteLlm({ embedder }: { embedder?: Embedder | undefined } = {}): Llm {
  return {
    provider: BUNDLED,
    model: 'extractive',
    extractive: true,
    async *generate(request): AsyncGenerator<string, Outcome, void> {
      const { answer, outcome } = write(request, await partsOf(request, embedder));
      for (const [word] of answer.matchAll(/\S+\s*/g)) {
        throwIfAborted(request.signal);
        yield word;
      }
      const { query, sources } = request.grounding;
      const input = [query, ...sources.map(({ title, text }) => `${title}\n${text}`)].reduce((sum, text) => sum + tokensOf(text), 0);
      return { input_tokens: input, output_tokens: tokensOf(answer), ...outcome };
    },
  };
}
