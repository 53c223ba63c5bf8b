import { CITATIONS, numbersCited } from '../../../text/citations.ts';
import { numberTerms, writtenCounts, writtenNumbers } from '../../../languages/number-words.ts';
import { isSentenceContinued } from '../../../text/sentences.ts';
import { readBlocks } from '../../../text/markdown/blocks.ts';
import { queryTerms, terms } from '../../../text/terms.ts';
import type { Unsupported } from '../../../schema/answers.ts';
import type { GroundingSource } from '../../../ports/models.ts';

/**
 * Share of a sentence's content words that its sources have to hold. It is a choice, not a measurement: a faithful paraphrase keeps names, things and
 * figures, and changes verbs.
 */
const LEAST_SHARE = 0.5;

/** A sentence with fewer content words ("Yes [1].") says nothing that words could bear out. */
const FEWEST_WORDS = 2;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Citations behind the full stop of the sentence that they belong to. */
const LEADING = new RegExp(String.raw`^(?:\s*${CITATIONS.source})+[.!?]?`);

const NUMBER = /\d+(?:[.,'’\u00a0\u202f]\d+)*/g;

/** Thousands set apart by plain blanks: "10 000". They may as well be two figures: "from 5 100 ml". */
const SPACED = /(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)/g;

/** Thousands set apart by one and the same mark, and decimals behind another one. */
const GROUPED = /^([1-9]\d{0,2}(?:([.,'’\u00a0\u202f])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?$/;

/** A written number below this may be none: `one` of them. */
const FIRST_CERTAIN = 2;

/** A sentence of an answer with the numbers that it cites. */
interface Statement {
  text: string;
  citations: number[];
}

const citationsOf = (text: string, count: number): number[] => [
  ...new Set(Array.from(text.matchAll(CITATIONS)).flatMap(([, list]) => numbersCited(list!, count) ?? [])),
];

/** The sentences of an answer; a citation behind the full stop belongs to the sentence before it. Code is not looked at. */
function statementsOf(answer: string, count: number): Statement[] {
  const blocks = readBlocks(answer).filter(({ kind }) => kind !== 'fence');
  const prose = blocks.map(({ start, end }) => answer.slice(start, end)).join('\n\n');
  const sentences: string[] = [];
  for (const { segment, index } of segmenter.segment(prose)) {
    const [leading = ''] = LEADING.exec(segment) ?? [];
    const last = sentences.length - 1;
    if (leading && last >= 0 && !sentences[last]!.endsWith('\n')) {
      sentences[last] += leading;
      sentences.push(segment.slice(leading.length));
    } else if (last >= 0 && !sentences[last]!.endsWith('\n') && isSentenceContinued(prose, index)) sentences[last] += segment;
    else sentences.push(segment);
  }
  return sentences.map((text) => ({ text: text.trim(), citations: citationsOf(text, count) })).filter(({ text }) => text !== '');
}

/** The value as text: without zeros that say nothing. */
const value = (whole: string, decimals = ''): string =>
  `${whole.replace(/^0+(?=\d)/, '')}.${decimals}`.replace(/\.0*$|(?<=\.\d*?[1-9])0+$/, '');

/** What a figure says, however its thousands and its decimals are marked: three digits behind a mark are thousands. A date or a version is nothing but itself. */
function reading(figure: string): string {
  const [, grouped, , decimals] = GROUPED.exec(figure) ?? [];
  if (grouped) return value(grouped.replace(/\D/g, ''), decimals);
  const parts = figure.split(/\D/);
  return parts.length <= 2 ? value(parts[0]!, parts[1]) : parts.map((part) => value(part)).join('.');
}

/** The parts of a date or of a list without blanks are figures, too; those of a version are none. */
function partsOf(figure: string): string[] {
  const parts = figure.split(/\D/);
  return parts.length > 2 && !GROUPED.test(figure) && (figure.includes(',') || parts.some((part) => part.length === 4)) ? parts : [];
}

function numbersIn(text: string): Set<string> {
  const written = [...(text.match(NUMBER) ?? []), ...(text.match(SPACED) ?? []).map((figure) => figure.replaceAll(' ', ''))];
  return new Set([...[...written, ...written.flatMap(partsOf)].map(reading), ...writtenNumbers(text).map(String)]);
}

/** What stands behind a number: the `months` of «24 months», as terms. */
const countedIn = (text: string): Set<string> => {
  const behind = Array.from(text.matchAll(/\d[ \u00a0\u202f-]?(\p{L}+)/gu), ([, word]) => word!);
  return new Set(terms([...behind, ...writtenCounts(text).map(({ of }) => of)].join(' ')));
};

/**
 * Whether each figure of what is said is a whole figure of what the sources hold, and so is each number that is written out before a word that they count,
 * too: the «three ways» that an answer lists are its own count.
 */
function areKnown(said: string, cited: string): boolean {
  const known = numbersIn(cited);
  const counted = countedIn(cited);
  const isKnown = (figure: string) => known.has(reading(figure));
  const joined = said.replace(SPACED, (figure) => (isKnown(figure.replaceAll(' ', '')) ? figure.replaceAll(' ', '') : figure));
  const written = writtenCounts(said).filter((count) => count.value >= FIRST_CERTAIN && terms(count.of).some((term) => counted.has(term)));
  return [...(joined.match(NUMBER) ?? []), ...written.map((count) => String(count.value))].every(isKnown);
}

/** Of the words of a sentence those that tell what it is about. */
function contentOf(text: string): string[] {
  // a model writes 3 where the source says three, and the other way round
  const numbers = numberTerms(text);
  return [...new Set(queryTerms(text))].filter((term) => /[\p{L}]/u.test(term) && !numbers.has(term));
}

function isSupported({ text, citations }: Statement, sources: readonly GroundingSource[]): boolean {
  const said = text
    .replace(CITATIONS, (whole, list: string) => (numbersCited(list, sources.length) ? ' ' : whole))
    .replace(/^\s*\d+[.)]\s/, ' ');
  const cited = sources
    .filter(({ citation }) => citations.includes(citation))
    .map((source) => `${source.title}\n${source.text}`)
    .join('\n');
  if (!areKnown(said, cited)) return false;
  const held = new Set(terms(cited));
  const content = contentOf(said);
  return content.length < FEWEST_WORDS || content.filter((term) => held.has(term)).length >= LEAST_SHARE * content.length;
}

/**
 * The cited sentences of an answer that their sources do not bear out: fewer than half of their content words (stems, without function words) stand
 * in the title or the passage of a source that they cite, or a figure does not. It compares words: what is said in other words, or in another language than the source's,
 * is listed too.
 */
export const unsupportedIn = (answer: string, sources: readonly GroundingSource[]): Unsupported[] =>
  statementsOf(answer, sources.length)
    .filter((statement) => statement.citations.length > 0 && !isSupported(statement, sources))
    .map(({ text, citations }) => ({ sentence: text, citations }));
