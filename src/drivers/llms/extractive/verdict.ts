import { UNSPACED } from '../../../base/analyse.ts';
import { tellingTerms } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import type { GroundingSource } from '../../../ports/models.ts';
import { isHeadedBy } from './beside.ts';
import { evidenceOf, type Evidence } from './evidence.ts';
import type { Passage } from './passages.ts';
import type { Scores } from './scores.ts';

type Feature = keyof Evidence;
type Weights = Partial<Record<Feature, number>> & { bias: number };

/**
 * Logistic regressions over the evidence, for questions with their own cosines and without. `subject` tells the questions that SQuAD 2.0's paragraphs
 * answer from those on other subjects (HotpotQA, NFCorpus), `answer` from SQuAD's own questions that look answerable and are not. Fitted on every
 * other question by `bench/answers.ts --fit`, which measures them on the rest.
 */
const WITH_MEANING: Record<'subject' | 'answer', Weights> = {
  subject: { bias: -10.54, nearest: 15.92, words: 10.36, capital: -1.25 },
  answer: { bias: -2.31, nearest: 4.07, name: -1.07, number: -1.05, denied: -4.4, opposite: -2.6, uncounted: -1.52 },
};
const BY_WORDS: Record<'subject' | 'answer', Weights> = {
  subject: { bias: -5.09, words: 17.99, capital: -0.75 },
  answer: { bias: -0.38, words: 1.24, name: -0.93, number: -1.21, denied: -4.83, opposite: -2.27, uncounted: -0.68 },
};

/**
 * The logits below which nothing answers. With the gate (`bench/answers.ts`, the other half of the questions) they lose 4.9 % of the answerable in mode hybrid
 * and decline 95 % of those on other subjects, 25 % of those that only look answerable; in mode text 5.8 %, 95 % and 26 %; in mode vector 7.8 %, 96 % and 31 %
 * (for 12 % the right paragraph is not among the five that are read); without an embedder 6.6 %, 80 % and 29 %. A threshold on `answer` alone declines 49 % of
 * the last kind where 15 % are lost: denials tell most of that, since who writes such questions likes to put in a «not».
 */
const LEAST = { withMeaning: { subject: 0, answer: -3.75 }, byWords: { subject: -1, answer: -2.4 } };

/** A question that shares no word with the source is put in other words altogether: then meaning decides alone, from this cosine on. */
const NEAR_ENOUGH = 0.5;

/** How sure it is that the sources speak of the subject, and that they say what is asked: logits, 0 is even. */
export interface Verdict {
  subject: number;
  answer: number;
  answered: boolean;
}

const logit = ({ bias, ...weights }: Weights, evidence: Evidence): number =>
  Object.entries(weights).reduce((sum, [feature, weight]) => sum + weight * (evidence[feature as Feature] ?? 0), bias);

/** What the evidence amounts to. */
export function verdictOf(evidence: Evidence): Verdict {
  const [weights, least] = evidence.nearest === undefined ? [BY_WORDS, LEAST.byWords] : [WITH_MEANING, LEAST.withMeaning];
  const subject = logit(weights.subject, evidence);
  const answer = logit(weights.answer, evidence);
  const inOtherWords = evidence.words === 0 && (evidence.nearest ?? 0) >= NEAR_ENOUGH;
  const answered =
    (inOtherWords || subject >= least.subject) &&
    answer >= least.answer &&
    evidence.absent + evidence.uncounted + evidence.unpriced + evidence.onlyName * evidence.yesOrNo === 0;
  return { subject, answer, answered };
}

/** Scored passages, and what they were taken from. */
export interface Judged extends Scores {
  passages: readonly Passage[];
  sources: readonly GroundingSource[];
}

/** Words cut into pairs of letters, many of which span two words: without vectors the source has to hold this share. Chosen on one half of CMRC 2018: of the other 9.7 % are lost with the gate, 86 % declined without the right text. */
const LEAST_SHARE_UNSPACED = 0.4;

/** A name made of letters and digits (`ERR-4042`): who asks for it is answered by a passage that has it, however little the two share in meaning. */
const isCode = (term: string): boolean => /\p{N}/u.test(term) && /\p{L}/u.test(term);

/** Whether the best of the passages answers the question. */
export function isAnswered(question: string, { passages, scores, nearest, sources }: Judged): boolean {
  const best = passages[scores.indexOf(Math.max(...scores))];
  if (!best || Math.max(...scores) <= 0) return false;
  const asked = tellingTerms(question);
  const own = new Set(terms(best.text));
  const source = sources[best.source]!;
  const evidence = evidenceOf(question, { best, passages, sources, nearest });
  if (evidence.absent === 0 && isHeadedBy(question, best)) return true;
  if (evidence.absent + evidence.onlyName + evidence.noFigure === 0 && asked.some((term) => isCode(term) && own.has(term))) return true;
  if (nearest === undefined && question.search(UNSPACED) >= 0) {
    const held = new Set(terms(`${source.title}\n${source.text}`));
    return evidence.unpriced === 0 && asked.filter((term) => held.has(term)).length >= LEAST_SHARE_UNSPACED * asked.length;
  }
  return verdictOf(evidence).answered;
}
