import { CITATIONS, numbersCited } from '../../../text/model-output.ts';
import { numberTerms, writtenCounts, writtenNumbers } from '../../../languages/number-words.ts';
import { isSentenceContinued, sentenceSegmenter } from '../../../text/sentences.ts';
import { readBlocks } from '@citekb/documents/markdown';
import { queryTerms, terms } from '../../../text/terms.ts';
import type { Unsupported } from '../../../schema/answers.ts';
import type { GroundingSource } from '../../../ports/models.ts';

/** Minimum share of a sentence's content words in its sources. Chosen, not measured: a faithful paraphrase keeps names and figures. */
const MIN_SHARED = 0.5;

/** Minimum number of content words for a comparison; "Yes [1]." has too few. */
const MIN_WORDS = 2;

/** Citations after the full stop of their sentence. */
const LEADING_CITATIONS = new RegExp(String.raw`^(?:\s*${CITATIONS.source})+[.!?]?`);

const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/g;

/** Thousands separated by spaces: "10 000". They may also be two numbers: "from 5 100 ml". */
const SPACED = /(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)/g;

/** Thousands with one separator, and decimals with another. */
const GROUPED = /^([1-9]\d{0,2}(?:([.,'’\u00a0\u202f])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?$/;

/** Minimum value of a written number that is compared: `one` is often a pronoun. */
const MIN_CERTAIN = 2;

/** A sentence with its citations. */
interface Statement {
  text: string;
  citations: number[];
}

const citationsOf = (text: string, count: number): number[] => [
  ...new Set(Array.from(text.matchAll(CITATIONS)).flatMap(([, list]) => numbersCited(list!, count) ?? [])),
];

/** The sentences of an answer, without code. A citation after the full stop belongs to the sentence before it. */
function statementsOf(answer: string, count: number): Statement[] {
  const blocks = readBlocks(answer).filter(({ kind }) => kind !== 'fence');
  const prose = blocks.map(({ start, end }) => answer.slice(start, end)).join('\n\n');
  const sentences: string[] = [];
  for (const { segment, index } of sentenceSegmenter.segment(prose)) {
    const [leading = ''] = LEADING_CITATIONS.exec(segment) ?? [];
    const last = sentences.length - 1;
    if (leading && last >= 0 && !sentences[last]!.endsWith('\n')) {
      sentences[last] += leading;
      sentences.push(segment.slice(leading.length));
    } else if (last >= 0 && !sentences[last]!.endsWith('\n') && isSentenceContinued(prose, index)) sentences[last] += segment;
    else sentences.push(segment);
  }
  return sentences.map((text) => ({ text: text.trim(), citations: citationsOf(text, count) })).filter(({ text }) => text !== '');
}

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

/** Whether each number of a statement occurs in its sources; a written number counts only before a word that the sources count. */
function areNumbersKnown(statement: string, cited: string): boolean {
  const known = numbersIn(cited);
  const counted = countedTerms(cited);
  const isKnown = (figure: string) => known.has(numberValue(figure));
  const ungrouped = statement.replace(SPACED, (figure) => (isKnown(figure.replaceAll(' ', '')) ? figure.replaceAll(' ', '') : figure));
  const written = writtenCounts(statement).filter(
    (count) => count.value >= MIN_CERTAIN && terms(count.of).some((term) => counted.has(term)),
  );
  return [...(ungrouped.match(NUMBER) ?? []), ...written.map((count) => String(count.value))].every(isKnown);
}

function contentTerms(text: string): string[] {
  // a model may write 3 if the source says three, and vice versa
  const numbers = numberTerms(text);
  return [...new Set(queryTerms(text))].filter((term) => /[\p{L}]/u.test(term) && !numbers.has(term));
}

function isSupported({ text, citations }: Statement, sources: readonly GroundingSource[]): boolean {
  const statement = text
    .replace(CITATIONS, (whole, list: string) => (numbersCited(list, sources.length) ? ' ' : whole))
    .replace(/^\s*\d+[.)]\s/, ' ');
  const cited = sources
    .filter(({ citation }) => citations.includes(citation))
    .map((source) => `${source.title}\n${source.text}`)
    .join('\n');
  if (!areNumbersKnown(statement, cited)) return false;
  const sourceTerms = new Set(terms(cited));
  const content = contentTerms(statement);
  return content.length < MIN_WORDS || content.filter((term) => sourceTerms.has(term)).length >= MIN_SHARED * content.length;
}

/** Finds cited sentences with a number, or half of their content words (stems), missing from their sources. Paraphrases and translations may be listed. */
export const findUnsupported = (answer: string, sources: readonly GroundingSource[]): Unsupported[] =>
  statementsOf(answer, sources.length)
    .filter((statement) => statement.citations.length > 0 && !isSupported(statement, sources))
    .map(({ text, citations }) => ({ sentence: text, citations }));
