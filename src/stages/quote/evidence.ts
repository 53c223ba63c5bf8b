import { tellingTerms } from '../../base/asked.ts';
import { terms } from '../../base/terms.ts';
import { capitalTerms } from '../../base/word-share.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { wholeText } from './blocks.ts';
import type { Candidate } from './rank.ts';

/** What speaks for and against the best passage as an answer. */
export interface Evidence {
  /** Cosine of the question to the best block; undefined where meaning was not compared. */
  cosine: number | undefined;
  /** Share of the question's words in the passage and what it stands under. */
  share: number;
  /** Retrieval score of its source. */
  retrieved: number;
  /** Share of the sources that are of the same document. */
  sameDocument: number;
  /** 1 where a name of the question is not in the source. */
  missingName: number;
  /** 1 where a number or code of the question is in none of the sources. */
  missingCode: number;
  /** 1 where that is an identifier, of letters and digits: «ERR-4042». */
  missingIdentifier: number;
}

/** Words that are numbers or codes: «E99», «17», «2.3.1»; one digit alone is written as a word, too. */
const isCode = (term: string): boolean => /\p{N}/u.test(term) && term.length > 1;

/** Looks at the best passages for what speaks for and against them; undefined where there is none. */
export function evidenceOf(
  query: string,
  { sources, ranked }: { sources: readonly GroundingSource[]; ranked: readonly Candidate[] },
): Evidence | undefined {
  const best = ranked[0];
  if (!best) return undefined;
  const { seed, cosine, share } = best;
  const source = sources[seed.source]!;
  const held = new Set(terms(`${source.title}\n${wholeText(source).whole}`));
  const all = new Set(sources.flatMap((other) => terms(`${other.title}\n${wholeText(other).whole}`)));
  const missing = tellingTerms(query).filter((term) => isCode(term) && !all.has(term));
  const documentOf = ({ title }: GroundingSource) => title.split(' › ')[0];
  return {
    cosine,
    share,
    retrieved: source.score ?? 0,
    sameDocument: sources.filter((other) => documentOf(other) === documentOf(source)).length / sources.length,
    missingName: Number([...capitalTerms(query)].some((term) => !held.has(term))),
    missingCode: Number(missing.length > 0),
    missingIdentifier: Number(missing.some((term) => /\p{L}/u.test(term))),
  };
}

/**
 * Logistic regressions over the evidence, where meaning was compared and where not: the chance that what is quoted answers. Fitted on the development
 * questions about real documentation, on a third of SQuAD's, and on questions on other subjects (HotpotQA, NFCorpus), which nothing answers.
 */
const WEIGHTS = {
  meaning: { bias: -4.98, cosine: 2.58, share: 3.28, retrieved: 3.25, sameDocument: 0.61, missingName: -0.72, missingCode: -0.85 },
  words: { bias: -4.2, cosine: 0, share: 2.3, retrieved: 5.8, sameDocument: 0, missingName: -0.66, missingCode: -2.76 },
};

/** The chance from which something is quoted. With the gate, 5 % of what SQuAD's paragraphs answer is declined, and 95 % of the questions on other subjects. */
export const LEAST_PROBABILITY = 0.32;

/** The chance from which an answer is called certain: of those, 87 % of the development questions and of the others about real documentation are right. */
export const CERTAIN = 0.83;

/** How probable it is that the best passage answers, 0 to 1; 0 where it shares no word with the question and nothing but words was compared. */
export function probabilityOf(evidence: Evidence | undefined): number {
  if (!evidence || evidence.missingIdentifier > 0 || (evidence.cosine === undefined && evidence.share === 0)) return 0;
  const { bias, ...weights } = evidence.cosine === undefined ? WEIGHTS.words : WEIGHTS.meaning;
  const logit = Object.entries(weights).reduce((sum, [name, weight]) => sum + weight * (evidence[name as keyof Evidence] ?? 0), bias);
  return 1 / (1 + Math.exp(-logit));
}
