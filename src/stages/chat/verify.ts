import { queryTerms, terms } from '../../base/terms.ts';
import type { Unsupported } from '../../schema/answers.ts';
import type { GroundingSource } from '../../ports.ts';

/**
 * Share of a sentence's content words that its sources have to hold. It is a choice, not a measurement: a faithful paraphrase keeps names, things and
 * figures, and changes verbs.
 */
const LEAST_SHARE = 0.5;

/** A sentence with fewer content words ("Yes [1].") says nothing that words could bear out. */
const FEWEST_WORDS = 2;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const CITATION = /\[(\d+(?:\s*[,;–-]\s*\d+)*)\]/g;

const NUMBER = /\d+(?:[.,'\u00a0\u202f]\d+)*/g;

/** English number words: a model writes 3 where the source says three, and the other way round. */
const NUMBER_WORDS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A sentence of an answer with the numbers that it cites. */
interface Statement {
  text: string;
  citations: number[];
}

function citationsOf(text: string): number[] {
  const numbers = Array.from(text.matchAll(CITATION)).flatMap(([, list]) =>
    list!.split(/[,;]/).flatMap((part) => {
      const [first = 0, last = first] = part.split(/[–-]/).map(Number);
      return Array.from({ length: Math.max(1, Math.min(50, last - first + 1)) }, (_, i) => first + i);
    }),
  );
  return [...new Set(numbers)];
}

/** The sentences of an answer; a citation behind the full stop belongs to the sentence before it. Code is not looked at. */
function statementsOf(answer: string): Statement[] {
  const prose = answer.replace(/^(```|~~~)[^]*?^\1.*$/gm, '');
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(prose)) {
    const [leading = ''] = /^(?:\s*\[\d[\d\s,;–-]*\])+[.!?]?/.exec(segment) ?? [];
    const last = sentences.length - 1;
    if (leading && last >= 0 && !sentences[last]!.endsWith('\n')) {
      sentences[last] += leading;
      sentences.push(segment.slice(leading.length));
    } else sentences.push(segment);
  }
  return sentences.map((text) => ({ text: text.trim(), citations: citationsOf(text) })).filter(({ text }) => text !== '');
}

/** The number, however its thousands and its decimals are marked. */
const digits = (number: string): string => number.replace(/[.,'\u00a0\u202f]/g, '');

function numbersIn(text: string): Set<string> {
  const written = (text.match(NUMBER) ?? []).map(digits);
  const words = new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);
  return new Set([...written, ...NUMBER_WORDS.flatMap((word, i) => (words.has(word) ? [String(i)] : []))]);
}

/** Of the words of a sentence those that tell what it is about. */
const contentOf = (text: string): string[] =>
  [...new Set(queryTerms(text))].filter((term) => /[\p{L}]/u.test(term) && !NUMBER_WORDS.includes(term));

function isSupported({ text, citations }: Statement, sources: readonly GroundingSource[]): boolean {
  const said = text.replace(CITATION, ' ').replace(/^\s*\d+[.)]\s/, ' ');
  const cited = sources
    .filter(({ citation }) => citations.includes(citation))
    .map((source) => `${source.title}\n${source.text}`)
    .join('\n');
  const known = numbersIn(cited);
  const figures = (said.match(NUMBER) ?? []).map(digits);
  if (figures.some((figure) => !known.has(figure) && !cited.includes(figure))) return false;
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
  statementsOf(answer)
    .filter((statement) => statement.citations.length > 0 && !isSupported(statement, sources))
    .map(({ text, citations }) => ({ sentence: text, citations }));
