import { isAsking, isYesOrNo, lastAsked, subjectTerms } from '../../../base/asked.ts';
import { UNSPACED } from '../../../base/analyse.ts';
import { terms } from '../../../base/terms.ts';
import { asksForDenied, isDenying } from './contradiction.ts';
import { hasDigit, namedIn } from './names.ts';
import type { Passage } from './passages.ts';
import { figureTerms } from './wanted.ts';

/** Words that ask what a name stands for. */
const MEANS = new Set(terms('mean means meaning stand about tell explain describe show'));

/** Verbs of which a question has one where another has a different one, and asks the same: «Can I put milk in?», «Can I use milk?». */
const LIGHT = new Set(terms('use put fill add do make get take give have need'));

/** What a question is about, as terms: without the verbs that stand for others, unless it has nothing else. */
function about(question: string): Set<string> {
  const all = new Set(subjectTerms(question));
  const telling = all.difference(LIGHT);
  return telling.size > 0 ? telling : all;
}

/** Whether the heading next above a passage is the question itself, in other words of the same kind: then it is the answer to it. */
export function isHeadedBy(question: string, { heading }: Passage): boolean {
  const asked = lastAsked(question);
  if (!isAsking(heading) || isDenying(heading) !== asksForDenied(asked)) return false;
  return about(asked).symmetricDifference(about(heading)).size === 0;
}

/** What a question asks about the things that it names, as terms; nothing where it asks what they are. */
function askedBeside(question: string): string[] {
  const asked = lastAsked(question);
  const { names } = namedIn(asked);
  const words = subjectTerms(asked);
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
