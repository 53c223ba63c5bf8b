import { lastQuestion, subjectTerms, topicTerms } from '../../languages/question.ts';
import { terms } from '../../text/terms.ts';
import { capitalTerms, type Comparison } from '../../text/comparison.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { createFigureCheck } from './answer-type.ts';
import { withoutMarks } from '../../text/markdown/plain-text.ts';
import { type QuoteBlock, joinNeighbours } from './quote-blocks.ts';
import { sentencesOf } from '../../text/sentences.ts';
import { optionsIn, type RankedCandidate } from './choose-quotations.ts';

/** Features of the best passage as an answer. None grows with the collection. */
export interface Evidence {
  /** Cosine of the question and the best block; undefined without an embedder. */
  cosine: number | undefined;
  /** Greatest cosine of the question and a sentence under its heading; undefined without an embedder. */
  sentence: number | undefined;
  /** Greatest cosine of the question and a block of another document; 0 if there is none. */
  elsewhere: number;
  /** Share of the question's words in the passage; for introductions, titles count as well. */
  stated: number;
  /** Greatest share of the question's words in one sentence, row or item; rows, items and definitions include their context. */
  inSentence: number;
  /**
   * 1 if the best block has an identifier of the question ("work_mem", "E24", "path.join"), 2 if it defines it: a row that begins with it, or its
   * definition.
   */
  identifier: number;
  /** Retrieval score of the source. */
  retrieved: number;
  /** Sum of the retrieval scores of the other sources, divided by the first. */
  rivals: number;
  /** 1 if a number, time or price is asked for and the passage has one; for a time, no other number counts. */
  figure: number;
  /** 1 if a number, time or price is asked for and the passage has none. */
  missingFigure: number;
  /** 1 if the source is a table of contents, an index or a change log. */
  listing: number;
  /** 1 if a name in the question is missing from the source. */
  missingName: number;
  /** 1 if an option in the question ("-c") is missing from the quotation, or only mentioned in the entry of another one. */
  missingOption: number;
  /** 1 if a number or code in the question is missing from all sources. */
  missingCode: number;
  /** 1 if that missing code is an identifier of letters and digits: "ERR-4042". */
  missingIdentifier: number;
}

/** Numbers and codes: "E99", "17", "2.3.1"; single digits may be written as words. */
const isCode = (term: string): boolean => /\p{N}/u.test(term) && term.length > 1;

/** Added to the number of words that a share is divided by. */
const SMOOTHING = 0.5;

/** An identifier: letters with digits, dots or underscores. */
const isIdentifier = (word: string): boolean => /\p{L}/u.test(word) && /[_.\p{N}]/u.test(word);

/** The stems of each sentence of a block, with those of its context if it is short. */
function sentenceTerms({ kind, text, term, context }: QuoteBlock, isIntroduction: boolean): Set<string>[] {
  const above = kind === 'row' || kind === 'item' || term !== '' || isIntroduction ? [...context] : [];
  return sentencesOf(withoutMarks(text)).map((sentence) => new Set([...terms(sentence), ...above]));
}

/** An error code before a printed message of at least four words, "AH00558: Could not …": the words say more than the code. */
const MESSAGE_CODE = /^\s*\[?[A-Z][A-Z\d_-]{0,15}\d{2,}[A-Z]?\]?:\s+(?=(?:\S+\s+){3})/;

const cellsOf = ({ plain }: QuoteBlock): string[] => plain.split(/(?<!\\)\|/);

/** The stems of the entry of a block: the first cell of a row, or the term that it defines. */
function entryTerms({ kind, text, term }: QuoteBlock): Set<string> {
  const entry = kind === 'row' ? (text.split('|').find((cell) => cell.trim() !== '') ?? '') : term;
  return new Set(terms(withoutMarks(entry)));
}

/** The feature `identifier` of a block. A question that consists of a value ("117") asks for the row with that cell. */
function identifierIn(block: QuoteBlock, query: string, wanted: readonly string[]): number {
  const value = query.trim().toLowerCase();
  if (
    !/\s/.test(value) &&
    /\p{N}/u.test(value) &&
    block.kind === 'row' &&
    cellsOf(block).some((cell) => cell.trim().toLowerCase() === value)
  )
    return 2;
  const identifiers = wanted.filter((word) => isIdentifier(word) && block.own.has(word));
  const entry = entryTerms(block);
  return identifiers.some((word) => entry.has(word)) ? 2 : Number(identifiers.length > 0);
}

/** Maximum number of sentences to compare; a table has one for each row. */
const MAX_SENTENCES = 24;

/** Greatest cosine of the question and a sentence under the innermost heading. */
async function sentenceCosine({ blocks }: RankedCandidate, compare: Comparison): Promise<number | undefined> {
  const sentences = blocks.flatMap(({ text, path }) => sentencesOf(withoutMarks(text)).map((sentence) => `${path.at(-1)}: ${sentence}`));
  const cosines = await compare(sentences.slice(0, MAX_SENTENCES));
  return cosines && Math.max(...cosines);
}

interface RankedSources {
  sources: readonly GroundingSource[];
  ranked: readonly RankedCandidate[];
  compare: Comparison;
}

/** Computes the features of the best passages; undefined if there are none. */
export async function computeEvidence(query: string, { sources, ranked, compare }: RankedSources): Promise<Evidence | undefined> {
  const best = ranked[0];
  if (!best) return undefined;
  const { seed, cosine, blocks, isIntroduction } = best;
  const wanted = [...new Set(subjectTerms(query))];
  const share = (held: ReadonlySet<string>) => wanted.filter((term) => held.has(term)).length / (wanted.length + SMOOTHING);
  const source = sources[seed.source]!;
  const sourceTerms = new Set(terms(`${source.title}\n${joinNeighbours(source).whole}`));
  const allTerms = new Set(sources.flatMap((other) => terms(`${other.title}\n${joinNeighbours(other).whole}`)));
  const missing = topicTerms(query.replace(MESSAGE_CODE, '')).filter((term) => isCode(term) && !allTerms.has(term));
  const others = ranked.filter((candidate) => sources[candidate.seed.source]!.document !== source.document);
  const answersFigure = createFigureCheck(lastQuestion(query));
  const hasFigure = answersFigure && blocks.some(({ text }) => answersFigure(text));
  const quotedOptions = optionsIn(blocks.map(({ term, text }) => term || text).join('\n'));
  const [first = 0, ...further] = sources.map(({ score = 0 }) => score);
  return {
    cosine,
    sentence: cosine === undefined ? undefined : await sentenceCosine(best, compare),
    elsewhere: Math.max(0, ...others.map((other) => other.cosine ?? 0)),
    stated: share(new Set(blocks.flatMap(({ own, context }) => [...own, ...(isIntroduction ? context : [])]))),
    inSentence: Math.max(0, ...blocks.flatMap((block) => sentenceTerms(block, isIntroduction)).map(share)),
    identifier: identifierIn(seed, query, wanted),
    retrieved: source.score ?? 0,
    rivals: first > 0 ? further.reduce((sum, score) => sum + score, 0) / first : 0,
    figure: Number(hasFigure === true),
    missingFigure: Number(hasFigure === false),
    listing: Number(source.page_kind !== undefined),
    missingName: Number([...capitalTerms(query)].some((term) => !sourceTerms.has(term))),
    missingOption: Number(!optionsIn(lastQuestion(query)).isSubsetOf(quotedOptions)),
    missingCode: Number(missing.length > 0),
    missingIdentifier: Number(missing.some((term) => /\p{L}/u.test(term))),
  };
}

/**
 * Logistic regressions over the features: probabilities that the sources are about the question, that the quotation answers it, and the latter
 * without an embedder. `node bench/confidence.ts` fits them on questions about real documentation (development split), SQuAD's paragraphs and small
 * handbooks, asked of all files, of some and of one, so that they hold for any size. `right`, the confidence in an answer, is also fitted on eleven
 * manuals of other projects, so that it holds for documents without tuning.
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
    bias: -3.32,
    cosine: 1.5,
    sentence: 4.16,
    elsewhere: -1.77,
    identifier: 0.37,
    stated: 1.41,
    retrieved: 3.17,
    rivals: -0.43,
    figure: 0.11,
    missingFigure: -0.11,
    listing: -3.26,
    missingName: -1.96,
  },
  words: {
    bias: -3.54,
    inSentence: 2.37,
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

/**
 * Minimum probabilities for quoting: low, since an answer that is not certain says so and quotes several passages. Of the questions to choose on, 8 of 65
 * everyday ones are declined with them (five are in a language that the model does not read) and 103 of 108 on other subjects; with .52 and .2, 17 and 107.
 */
const MIN_PROBABILITY = { about: 0.2, right: 0.08, words: 0.22 };

/** Minimum probability of a certain answer. */
export const HIGH_PROBABILITY = 0.75;

/** How far below `min_retrieval_score` the score of a quoted source may be: quoting declines by further features. */
export const GATE_REDUCTION = 0.1;

/** A judgement of the features. */
interface Judgement {
  isAnswer: boolean;
  /** Probability that the best passage answers the question. */
  probability: number;
}

function computeProbability(evidence: Evidence, { bias, ...weights }: { bias: number } & Partial<Record<keyof Evidence, number>>): number {
  const logit = Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * (evidence[name as keyof Evidence] ?? 0), bias);
  return 1 / (1 + Math.exp(-logit));
}

/**
 * Maximum probability of an answer that is not certain: its source lacks a name of the question (what is true of Berlin may not be true of Munich), it
 * does not name the option that is asked about, or the question was a follow-up, of which the earlier question says most: of 34 such answers about real
 * documentation that counted as certain, 17 quoted what was asked (`node bench/follow-ups.ts bench/conversations.jsonl --home .`).
 */
export const MAX_UNCERTAIN_PROBABILITY = HIGH_PROBABILITY - 0.01;

/**
 * Judges whether the best passage answers, and with which probability. It does not if an identifier is missing, or if only words were compared and
 * none matches; it is not certain if a name or an option is missing, or if only words were compared: all words of a question may stand in a sentence that says
 * something else ("Who pays whom?"). What defines the code that is asked for is certain.
 */
export function judgeEvidence(evidence: Evidence | undefined): Judgement {
  if (!evidence || evidence.missingIdentifier > 0 || (evidence.cosine === undefined && evidence.inSentence === 0))
    return { isAnswer: false, probability: 0 };
  const isByWords = evidence.cosine === undefined;
  const isUncertain = evidence.missingName > 0 || evidence.missingOption > 0 || (isByWords && evidence.identifier < 2);
  const most = isUncertain ? MAX_UNCERTAIN_PROBABILITY : 1;
  const probability = Math.min(most, computeProbability(evidence, isByWords ? WEIGHTS.words : WEIGHTS.right));
  if (isByWords) return { isAnswer: probability >= MIN_PROBABILITY.words, probability };
  const isAnswer = probability >= MIN_PROBABILITY.right && computeProbability(evidence, WEIGHTS.about) >= MIN_PROBABILITY.about;
  return { isAnswer, probability };
}
