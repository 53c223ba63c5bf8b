import { CITATIONS, numbersCited } from '../../../text/model-output.ts';
import { numberTerms, writtenCounts, writtenNumbers } from '../../../languages/number-words.ts';
import { sentencesOf } from '../../../text/sentences.ts';
import { ownTerms, terms } from '../../../text/terms.ts';
import { withoutMarks } from '../../../text/markdown/plain-text.ts';
import { createComparison } from '../../../text/comparison.ts';
import { isAbort } from '../../../core/errors.ts';
import type { Embedder, GroundingSource } from '../../../ports/models.ts';

/** Minimum share of a sentence's content words in a source that supports it. */
const MIN_SHARED = 0.5;

/** Minimum share, and cosine of a sentence in the source (on the scale of the embedder), of a source that says the same in other words. */
const MIN_SHARED_ALIKE = 0.25;
const MIN_COSINE = 0.7;

/** How many sources and sentences of each are compared by meaning: each costs an embedding. */
const MAX_ALIKE = 2;
const MAX_COMPARED = 24;

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

/** The terms of the words after numbers: `month` of «24 months». */
const countedTerms = (text: string): Set<string> => {
  const behind = Array.from(text.matchAll(/\d[ \u00a0\u202f-]?(\p{L}+)/gu), ([, word]) => word!);
  return new Set(terms([...behind, ...writtenCounts(text).map(({ of }) => of)].join(' ')));
};

/** What is compared of a source, or of several together. */
interface Held {
  citations: readonly number[];
  terms: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  /** Terms of the words after numbers. */
  counted: ReadonlySet<string>;
  sentences: readonly { text: string; terms: ReadonlySet<string> }[];
}

function readSource({ citation, title, before = '', text, after = '' }: GroundingSource): Held {
  const whole = `${title}\n${before}${text}${after}`;
  const sentences = withoutMarks(whole).split('\n').flatMap(sentencesOf);
  return {
    citations: [citation],
    terms: new Set(terms(whole)),
    numbers: numbersIn(whole),
    counted: countedTerms(whole),
    sentences: sentences.map((sentence) => ({ text: sentence, terms: new Set(terms(sentence)) })),
  };
}

const joinSources = (held: readonly Held[]): Held => ({
  citations: held.flatMap(({ citations }) => citations),
  terms: new Set(held.flatMap((source) => [...source.terms])),
  numbers: new Set(held.flatMap(({ numbers }) => [...numbers])),
  counted: new Set(held.flatMap(({ counted }) => [...counted])),
  sentences: held.flatMap(({ sentences }) => sentences),
});

/** Whether each number of a sentence occurs in a source; a written number counts only before a word that the source counts. */
function areNumbersKnown(sentence: string, { numbers, counted }: Held): boolean {
  const isKnown = (figure: string) => numbers.has(numberValue(figure));
  const ungrouped = sentence.replace(SPACED, (figure) => (isKnown(figure.replaceAll(' ', '')) ? figure.replaceAll(' ', '') : figure));
  const written = writtenCounts(sentence).filter(
    (count) => count.value >= MIN_CERTAIN && terms(count.of).some((term) => counted.has(term)),
  );
  return [...(ungrouped.match(NUMBER) ?? []), ...written.map((count) => String(count.value))].every(isKnown);
}

function contentTerms(text: string): string[] {
  // a model may write 3 if the source says three, and vice versa
  const numbers = numberTerms(text);
  return [...new Set(ownTerms(text))].filter((term) => /[\p{L}]/u.test(term) && !numbers.has(term));
}

const shareIn = (content: readonly string[], { terms: known }: { terms: ReadonlySet<string> }): number =>
  content.filter((term) => known.has(term)).length / Math.max(1, content.length);

interface Meaning {
  embedder?: Embedder | undefined;
  signal?: AbortSignal | undefined;
}

/** The greatest cosine of a sentence and those of a source; 0 if the embedder cannot tell. */
async function cosineIn(sentence: string, { sentences }: Held, meaning: Meaning): Promise<number> {
  try {
    const cosines = await createComparison(sentence, meaning)(sentences.slice(0, MAX_COMPARED).map(({ text }) => text));
    return Math.max(0, ...(cosines ?? []));
  } catch (error) {
    if (isAbort(error)) throw error;
    return 0; // an embedder that is not there leaves the words
  }
}

/** How the sources support a sentence. */
export interface Support {
  /** Whether one source, or those that it cites together, support it; undefined if it says too little to compare. */
  isSupported: boolean | undefined;
  /** The source that supports it best. */
  best?: number | undefined;
}

/**
 * Compares sentences with sources. A source supports a sentence if it has all of its numbers, and half of its content words (stems), or a quarter of them
 * and a sentence of the same meaning, by the embedder. Translations get no support without an embedder that reads both languages.
 */
export function createSupport(
  sources: readonly GroundingSource[],
  meaning: Meaning = {},
): (sentence: string, cited: readonly number[]) => Promise<Support> {
  const held = sources.map(readSource);
  return async (sentence, cited) => {
    const statement = sentence
      .replace(CITATIONS, (whole, list: string) => (numbersCited(list, sources.length) ? ' ' : whole))
      .replace(/^\s*(?:[-*+]|\d+[.)])\s/, ' ');
    const content = contentTerms(statement);
    if (content.length < MIN_WORDS && statement.search(NUMBER) < 0) return { isSupported: undefined };
    const allowed = cited.length > 0 ? [joinSources(held.filter((_, i) => cited.includes(sources[i]!.citation)))] : held;
    const ranked = allowed
      .filter((source) => areNumbersKnown(statement, source))
      .map((source) => ({ source, share: shareIn(content, source) }))
      .map((row) => ({ ...row, rank: row.share + Math.max(0, ...row.source.sentences.map((known) => shareIn(content, known))) }))
      .toSorted((a, b) => b.rank - a.rank);
    const byWords = ranked.find(({ share }) => share >= MIN_SHARED);
    if (byWords) return { isSupported: true, best: byWords.source.citations[0] };
    for (const { source } of ranked.filter(({ share }) => share >= MIN_SHARED_ALIKE).slice(0, MAX_ALIKE))
      if ((await cosineIn(statement, source, meaning)) >= MIN_COSINE) return { isSupported: true, best: source.citations[0] };
    return { isSupported: false };
  };
}
