import { CITATIONS, numbersCited } from '../../../text/model-output.ts';
import { numberTerms, writtenCounts, writtenNumbers } from '../../../languages/number-words.ts';
import { sentencesOf } from '../../../text/sentences.ts';
import { ownTerms, terms } from '../../../text/terms.ts';
import { withoutMarks } from '../../../text/markdown/plain-text.ts';
import { type ComparisonOptions, createComparison } from '../../../text/comparison.ts';
import { isAbort } from '../../../core/errors.ts';
import type { GroundingSource } from '../../../ports/models.ts';

/** Minimum share of a sentence's content words in three sentences in a row of a source that supports it. */
const MIN_SHARED = 0.5;

/** Sentences in a row that are compared with one: what belongs together stands together. */
const WINDOW = 3;

/** Minimum share of the words in a sentence with a number: the number of a neighbour that says something else does not count. */
const MIN_SHARED_NUMBER = 0.3;

/** Minimum share, and cosine (on the scale of the embedder), of sentences that say the same in other words. */
const MIN_SHARED_ALIKE = 0.25;
const MIN_COSINE = 0.7;

/** Minimum number of content words for a comparison; "Yes [1]." has too few. */
const MIN_WORDS = 2;

const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/g;

/** Thousands separated by spaces: "10 000". They may also be two numbers: "from 5 100 ml". */
const SPACED = /(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)/g;

/** Thousands with one separator, and decimals with another. */
const GROUPED = /^([1-9]\d{0,2}(?:([.,'’\u00a0\u202f])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?$/;

/** Minimum value of a written number that is compared: `one` is often a pronoun. */
const MIN_CERTAIN = 2;

/** Writes a number without insignificant zeros. */
const normalizeNumber = (whole: string, decimals = ''): string =>
  `${whole.replace(/^0+(?=\d)/, '')}.${decimals}`.replace(/\.0*$|(?<=\.\d*?[1-9])0+$/, '');

/** The value of a number in any notation; three digits after a separator are thousands. Dates and versions stay unchanged. */
function numberValue(figure: string): string {
  const [, grouped, , decimals] = GROUPED.exec(figure) ?? [];
  if (grouped) return normalizeNumber(grouped.replace(/\D/g, ''), decimals);
  const parts = figure.split(/\D/);
  return parts.length <= 2 ? normalizeNumber(parts[0]!, parts[1]) : parts.map((part) => normalizeNumber(part)).join('.');
}

function numberParts(figure: string): string[] {
  const parts = figure.split(/\D/);
  return parts.length > 2 && !GROUPED.test(figure) && (figure.includes(',') || parts.some((part) => part.length === 4)) ? parts : [];
}

function numbersIn(text: string): Set<string> {
  const written = [...(text.match(NUMBER) ?? []), ...(text.match(SPACED) ?? []).map((figure) => figure.replaceAll(' ', ''))];
  return new Set([...[...written, ...written.flatMap(numberParts)].map(numberValue), ...writtenNumbers(text).map(String)]);
}

/** The terms of the words after numbers: `month` of "24 months". */
const countedTerms = (text: string): Set<string> => {
  const behind = Array.from(text.matchAll(/\d[ \u00a0\u202f-]?(\p{L}+)/gu), ([, word]) => word!);
  return new Set(terms([...behind, ...writtenCounts(text).map(({ of }) => of)].join(' ')));
};

/** A sentence of a source, after the title of the source. */
interface Sentence {
  text: string;
  terms: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  /** Terms of the words after numbers. */
  counted: ReadonlySet<string>;
}

/** A sentence of an answer. */
interface Statement {
  text: string;
  content: readonly string[];
  /** How many sources it puts together. */
  facts: number;
}

/** Some sentences of sources. */
type Stretch = readonly Sentence[];

interface Held {
  citation: number;
  terms: ReadonlySet<string>;
  stretches: readonly Stretch[];
}

const readSentence = (text: string): Sentence => ({
  text,
  terms: new Set(terms(text)),
  numbers: numbersIn(text),
  counted: countedTerms(text),
});

function readSource({ citation, title, before = '', text, after = '' }: GroundingSource): Held {
  const lines = withoutMarks(`${before}${text}${after}`).split('\n');
  const sentences = lines.flatMap(sentencesOf).map((sentence) => readSentence(`${title}: ${sentence}`));
  return {
    citation,
    terms: new Set(sentences.flatMap((sentence) => [...sentence.terms])),
    stretches: sentences.map((_, i) => sentences.slice(i, i + WINDOW)),
  };
}

const shareIn = (content: readonly string[], stretch: Stretch): number =>
  content.filter((term) => stretch.some((sentence) => sentence.terms.has(term))).length / Math.max(1, content.length);

/** Whether sentences that share words with a statement have each of its numbers; a written number counts only before a word that they count. */
function areNumbersKnown({ text: statement, content, facts }: Statement, stretch: Stretch): boolean {
  const alike = stretch.filter((sentence) => shareIn(content, [sentence]) >= MIN_SHARED_NUMBER / facts);
  const isKnown = (figure: string) => alike.some(({ numbers }) => numbers.has(numberValue(figure)));
  const ungrouped = statement.replace(SPACED, (figure) => (isKnown(figure.replaceAll(' ', '')) ? figure.replaceAll(' ', '') : figure));
  const written = writtenCounts(statement).filter(
    (count) => count.value >= MIN_CERTAIN && terms(count.of).some((term) => alike.some(({ counted }) => counted.has(term))),
  );
  return [...(ungrouped.match(NUMBER) ?? []), ...written.map((count) => String(count.value))].every(isKnown);
}

function contentTerms(text: string): string[] {
  // a model may write 3 if the source says three, and vice versa
  const numbers = numberTerms(text);
  return [...new Set(ownTerms(text))].filter((term) => /[\p{L}]/u.test(term) && !numbers.has(term));
}

/** The cosine of two texts; 0 if the embedder cannot tell. */
async function cosineOf(sentence: string, text: string, meaning: ComparisonOptions): Promise<number> {
  try {
    return (await createComparison(sentence, meaning)([text]))?.[0] ?? 0;
  } catch (error) {
    if (isAbort(error)) throw error;
    return 0; // without an embedder, words decide
  }
}

/** The code in a text: spans and blocks. */
const CODE = /`{1,3}(?:[a-z]{1,12}\n)?([^`]{1,2000})`{1,3}/g;

const codeTerms = (text: string): string[] => Array.from(text.matchAll(CODE)).flatMap(([, code]) => ownTerms(code!));

/** How the sources support a sentence. */
export interface Support {
  /** Whether a source supports it, or those that it cites together; undefined if it says too little to compare. */
  isSupported: boolean | undefined;
  /** The source that supports it best. */
  best?: number | undefined;
}

export type SupportFinder = (sentence: string, cited: readonly number[]) => Promise<Support>;

/**
 * Compares sentences and blocks of code with sources. A source supports a sentence if it has all words of its code, which the question may have as well, and a few
 * sentences in a row have all of its numbers, and half of its content words (stems), or a quarter of them and the same meaning, by the embedder. Translations
 * get no support without an embedder that reads both languages.
 */
export function createSupport(
  sources: readonly GroundingSource[],
  { question = '', ...meaning }: ComparisonOptions & { question?: string } = {},
): SupportFinder {
  const held = sources.map(readSource);
  const asked = new Set(terms(question));
  return async (sentence, cited) => {
    const text = sentence
      .replace(CITATIONS, (whole, list: string) => (numbersCited(list, sources.length) ? ' ' : whole))
      .replace(/^\s*(?:[-*+]|\d+[.)])\s/, ' ');
    const content = contentTerms(text);
    const statement = { text, content, facts: Math.max(1, cited.length) };
    if (content.length < MIN_WORDS && text.search(NUMBER) < 0) return { isSupported: undefined };
    const code = codeTerms(sentence).filter((term) => !asked.has(term));
    const fit = (stretch: Stretch) => shareIn(content, stretch) + (areNumbersKnown(statement, stretch) ? 1 : 0);
    const candidates = held
      .filter(({ citation, stretches }) => stretches.length > 0 && (cited.length === 0 || cited.includes(citation)))
      .map(({ citation, terms: known, stretches }) => ({ citation, known, stretch: bestOf(stretches, fit) }));
    const ranked = (cited.length > 1 ? [joinCandidates(candidates)] : candidates)
      .filter(({ known, stretch }) => code.every((term) => known.has(term)) && areNumbersKnown(statement, stretch))
      .map(({ citation, stretch }) => ({ citation, stretch, share: shareIn(content, stretch) }))
      .toSorted((a, b) => b.share - a.share);
    const [best] = ranked;
    if (!best || best.share < MIN_SHARED_ALIKE) return { isSupported: false };
    const isAlike =
      best.share >= MIN_SHARED || (await cosineOf(text, best.stretch.map((known) => known.text).join(' '), meaning)) >= MIN_COSINE;
    return isAlike ? { isSupported: true, best: best.citation } : { isSupported: false };
  };
}

/** A source with the sentences that come nearest to a statement. */
interface Candidate {
  citation: number | undefined;
  known: ReadonlySet<string>;
  stretch: Stretch;
}

/** The sources that a sentence cites together, as one. */
const joinCandidates = (candidates: readonly Candidate[]): Candidate => ({
  citation: candidates[0]?.citation,
  known: new Set(candidates.flatMap(({ known }) => [...known])),
  stretch: candidates.flatMap(({ stretch }) => stretch),
});

function bestOf<T>(items: readonly T[], score: (item: T) => number): T {
  const scores = items.map(score);
  return items[scores.indexOf(Math.max(...scores))]!;
}
