import { writtenNumbers } from '../../languages/number-words.ts';
import { lastQuestion, subjectTerms, tellingTerms } from '../../languages/question.ts';
import { alternatives, wholeWord } from '../../languages/languages.ts';
import { terms } from '../../text/terms.ts';
import { capitalTerms } from '../../text/word-share.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { withoutMarks } from '../chunk/embed-text.ts';
import { wholeText, type QuoteBlock } from './quote-blocks.ts';
import { sentencesOf } from './quote-sentences.ts';
import type { Compare, RankedCandidate } from './rank.ts';

/** What speaks for and against the best passage as an answer. Nothing of it grows with the collection. */
export interface Evidence {
  /** Cosine of the question to the best block; undefined where meaning was not compared. */
  cosine: number | undefined;
  /** The greatest cosine of the question to one of its sentences under its heading; undefined where meaning was not compared. */
  sentence: number | undefined;
  /** Share of the question's words in the passage itself; of what introduces a page or section with its titles. */
  stated: number;
  /** The greatest share of them in one of its sentences, rows or items; of a row, an item and a definition with what it stands under. */
  together: number;
  /** 1 where the best block has an identifier of the question («work_mem», «E24», «path.join»), 2 where it is its entry: the row that begins with it, or its definition. */
  identifier: number;
  /** Retrieval score of its source. */
  retrieved: number;
  /** The retrieval scores of all sources behind the first together, by that of the first: what else may answer. */
  rivals: number;
  /** 1 where a figure, a time or a price is asked for and the passage has one. */
  figure: number;
  /** 1 where its source is a list of contents, an index or a change log. */
  listing: number;
  /** 1 where a name of the question is not in the source. */
  missingName: number;
  /** 1 where a number or code of the question is in none of the sources. */
  missingCode: number;
  /** 1 where that is an identifier, of letters and digits: «ERR-4042». */
  missingIdentifier: number;
}

/** Words that are numbers or codes: «E99», «17», «2.3.1»; one digit alone is written as a word, too. */
const isCode = (term: string): boolean => /\p{N}/u.test(term) && term.length > 1;

/** A share is counted with half a word more than the question has. */
const DOUBT = 0.5;

/** A word of letters with figures, dots or underscores in it: a bare number is none. */
const isIdentifier = (word: string): boolean => /\p{L}/u.test(word) && /[_.\p{N}]/u.test(word);

/** The stems of each sentence of a block, with those of what it stands under where it says little without. */
function sentenceTerms({ kind, text, term, context }: QuoteBlock, isIntroduction: boolean): Set<string>[] {
  const above = kind === 'row' || kind === 'item' || term !== '' || isIntroduction ? [...context] : [];
  return sentencesOf(withoutMarks(text)).map((sentence) => new Set([...terms(sentence), ...above]));
}

/** Whether a block has an identifier of those that are asked for, or is the entry of one. */
function identifierIn({ kind, text, term, own }: QuoteBlock, wanted: readonly string[]): number {
  const identifiers = wanted.filter((word) => isIdentifier(word) && own.has(word));
  const entry = kind === 'row' ? (text.split('|').find((cell) => cell.trim() !== '') ?? '') : term;
  const named = new Set(terms(withoutMarks(entry)));
  return identifiers.some((word) => named.has(word)) ? 2 : Number(identifiers.length > 0);
}

const ASKS_FIGURE = wholeWord(alternatives(({ questions }) => questions.figures));
const FIGURE_WORDS = wholeWord(alternatives(({ questions }) => questions.figureWords));
const hasFigure = (text: string): boolean => /\d/.test(text) || FIGURE_WORDS.test(text) || writtenNumbers(text).length > 0;

/** Sentences of a passage that are compared, at most: a table has a row for each. */
const MOST_SENTENCES = 24;

/** The greatest cosine of the question to a sentence of the passage, under the innermost heading. */
async function sentenceCosine({ blocks }: RankedCandidate, compare: Compare): Promise<number | undefined> {
  const said = blocks.flatMap(({ text, path }) => sentencesOf(withoutMarks(text)).map((sentence) => `${path.at(-1)}: ${sentence}`));
  const cosines = await compare(said.slice(0, MOST_SENTENCES));
  return cosines && Math.max(...cosines);
}

/** What is looked at. */
interface Found {
  sources: readonly GroundingSource[];
  ranked: readonly RankedCandidate[];
  compare: Compare;
}

/** Looks at the best passages for what speaks for and against them; undefined where there is none. */
export async function evidenceOf(query: string, { sources, ranked, compare }: Found): Promise<Evidence | undefined> {
  const best = ranked[0];
  if (!best) return undefined;
  const { seed, cosine, blocks, isIntroduction } = best;
  const wanted = [...new Set(subjectTerms(query))];
  const share = (held: ReadonlySet<string>) => wanted.filter((term) => held.has(term)).length / (wanted.length + DOUBT);
  const source = sources[seed.source]!;
  const held = new Set(terms(`${source.title}\n${wholeText(source).whole}`));
  const all = new Set(sources.flatMap((other) => terms(`${other.title}\n${wholeText(other).whole}`)));
  const missing = tellingTerms(query).filter((term) => isCode(term) && !all.has(term));
  const [first = 0, ...others] = sources.map(({ score = 0 }) => score);
  return {
    cosine,
    sentence: cosine === undefined ? undefined : await sentenceCosine(best, compare),
    stated: share(new Set(blocks.flatMap(({ own, context }) => [...own, ...(isIntroduction ? context : [])]))),
    together: Math.max(0, ...blocks.flatMap((block) => sentenceTerms(block, isIntroduction)).map(share)),
    identifier: identifierIn(seed, wanted),
    retrieved: source.score ?? 0,
    rivals: first > 0 ? others.reduce((sum, score) => sum + score, 0) / first : 0,
    figure: Number(ASKS_FIGURE.test(lastQuestion(query)) && blocks.some(({ text }) => hasFigure(text))),
    listing: Number(source.page_kind !== undefined),
    missingName: Number([...capitalTerms(query)].some((term) => !held.has(term))),
    missingCode: Number(missing.length > 0),
    missingIdentifier: Number(missing.some((term) => /\p{L}/u.test(term))),
  };
}

/**
 * Logistic regressions over the evidence: the chance that the sources are about the question, that what is quoted answers it, and that where words alone
 * were compared. `node bench/confidence.ts` fits them: on questions about real documentation (development split), about SQuAD's paragraphs and about
 * handbooks of a few pages, put to all of the files, to a few of them and to one article alone, so that they hold for a collection of any size.
 */
const WEIGHTS = {
  about: {
    bias: -5.44,
    cosine: 1.41,
    sentence: 3.19,
    identifier: 1.87,
    stated: 1.48,
    retrieved: 9.77,
    rivals: -0.24,
    figure: 0.71,
    listing: -3.07,
    missingName: -2.03,
    missingCode: -3.24,
  },
  right: {
    bias: -4.9,
    cosine: 0.16,
    sentence: 5.34,
    identifier: 0.77,
    stated: 2.29,
    retrieved: 6.09,
    rivals: -0.81,
    figure: 0.58,
    listing: -2.53,
    missingName: -0.98,
    missingCode: -1.14,
  },
  words: {
    bias: -3.54,
    together: 2.37,
    identifier: 0.87,
    stated: 1.6,
    retrieved: 4.69,
    rivals: -0.59,
    figure: 0.97,
    listing: -0.98,
    missingName: -1.55,
    missingCode: -1.16,
  },
} as const;

/** The chances from which something is quoted. */
const LEAST = { about: 0.5, right: 0.15, words: 0.22 };

/** The chance from which an answer is called certain. */
export const HIGH_PROBABILITY = 0.75;

/** How much less than the embedder's `min_retrieval_score` a source may score that is quoted from: what quotes declines by more than the score. */
export const GATE_REDUCTION = 0.1;

/** What the evidence comes to. */
interface Judgement {
  isAnswer: boolean;
  /** How probable it is that the best passage answers, 0 to 1. */
  probability: number;
}

function chance(evidence: Evidence, { bias, ...weights }: { bias: number } & Partial<Record<keyof Evidence, number>>): number {
  const logit = Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * (evidence[name as keyof Evidence] ?? 0), bias);
  return 1 / (1 + Math.exp(-logit));
}

/** Whether the best passage is an answer, and how probably it is right: not at all where an identifier is missing, or words alone were compared and none is shared. */
export function judgementOf(evidence: Evidence | undefined): Judgement {
  if (!evidence || evidence.missingIdentifier > 0 || (evidence.cosine === undefined && evidence.together === 0))
    return { isAnswer: false, probability: 0 };
  const isByWords = evidence.cosine === undefined;
  const probability = chance(evidence, isByWords ? WEIGHTS.words : WEIGHTS.right);
  if (isByWords) return { isAnswer: probability >= LEAST.words, probability };
  return { isAnswer: probability >= LEAST.right && chance(evidence, WEIGHTS.about) >= LEAST.about, probability };
}
