import { lastAsked, withoutMeasure } from '../../../base/asked.ts';
import { UNSPACED } from '../../../base/analyse.ts';
import { queryTerms, terms } from '../../../base/terms.ts';
import { hasDigit, namedIn } from './names.ts';
import type { Passage } from './passages.ts';
import { figureTerms } from './wanted.ts';

/** A question that is answered with yes or no: what it asks stands in its other words. English. */
const YES_OR_NO = /^\P{L}*(?:is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|may|must|should)\b/iu;
/** Whether a question is answered with yes or no. */
export const isYesOrNo = (question: string): boolean => YES_OR_NO.test(question);

/** Words that ask what a name stands for. */
const MEANS = new Set(terms('mean means meaning stand about tell explain describe show'));

/** Whether the heading next above a passage is the question itself, in other words of the same kind: then it is the answer to it. */
export function isHeadedBy(question: string, { heading }: Passage): boolean {
  const [asked, headed] = [lastAsked(question), heading].map((text) => new Set(queryTerms(withoutMeasure(text))));
  return /[?？]\s*$/.test(heading) && asked!.symmetricDifference(headed!).size === 0;
}

/** What a question asks about the things that it names, as terms; nothing where it asks what they are. */
function askedBeside(question: string): string[] {
  const asked = lastAsked(question);
  const { names } = namedIn(asked);
  const words = queryTerms(withoutMeasure(asked));
  return words.length === 0 || (names.length === 0 && !words.some(hasDigit))
    ? []
    : words.filter((term) => !hasDigit(term) && !names.includes(term) && !MEANS.has(term));
}

/**
 * Whether a passage only has the name of what is asked about: neither in it, nor in its headings, nor in what stands beside it is a word of what is asked. A row or an item
 * about a code answers whatever is asked of the code, but for yes or no. Of scripts without spaces nothing is told: their terms are pairs of letters, and no words.
 */
export function hasOnlyName(question: string, { best, near }: { best: Passage; near: readonly Passage[] }): boolean {
  if (question.search(UNSPACED) >= 0) return false;
  const asked = askedBeside(question);
  if (asked.length === 0 || (!isYesOrNo(lastAsked(question)) && best.code !== undefined && terms(question).includes(best.code)))
    return false;
  const said = new Set(terms([best.context, ...near.map(({ text }) => text)].join('\n')));
  const figures = figureTerms(question);
  const isFigureThere = figures.some((term) => said.has(term));
  return !asked.some((term) => said.has(term) || (isFigureThere && figures.includes(term)));
}
