import { POINTING, tellingTerms } from '../../../base/asked.ts';
import { queryTerms, terms } from '../../../base/terms.ts';
import { isDangling } from './dangling.ts';
import { MOST_BETWEEN } from './limits.ts';
import type { Passage } from './passages.ts';
import { wantedFigure } from './wanted.ts';

/** Terms of the question that the sentence beside the best one has to add, to be quoted with it. */
const LEAST_MORE = 2;

/** Whether a sentence has all of these terms, and goes on from the one before or begins with one of them: then it says of the same what that lacks. */
function goesOn(text: string, lacking: readonly string[]): boolean {
  const held = new Set(terms(text));
  const [first = ''] = tellingTerms(text);
  return lacking.length > 0 && lacking.every((term) => held.has(term)) && (isDangling(text) || lacking.includes(first));
}

/**
 * The sentence beside the best one that has to be quoted with it: with a figure of the kind that is asked for, where the best has none; that says more of
 * what is asked than it does; that goes on with all that it lacks; or that names what it points at. The one behind it first.
 */
export function completing({ at, block, kind, text }: Passage, all: readonly Passage[], question: string): number[] {
  const own = new Set(terms(text));
  const lacking = [...new Set(queryTerms(question))].filter((term) => !own.has(term));
  const isOfBlock = (other: Passage | undefined) => kind === 'sentence' && other?.kind === 'sentence' && other.block === block;
  const figure = wantedFigure(question);
  const told = figure && !figure.test(text) ? nearby(at, all).find((other) => isOfBlock(other) && figure.test(other.text)) : undefined;
  if (told) return [told.at];
  const beside = [all[at + 1], all[at - 1]].filter(isOfBlock);
  const counts = beside.map((other) => {
    const held = new Set(terms(other!.text));
    return lacking.filter((term) => held.has(term)).length;
  });
  const most = Math.max(0, ...counts);
  if (most >= LEAST_MORE) return [beside[counts.indexOf(most)]!.at];
  if (
    beside[0] &&
    beside[0].at > at &&
    goesOn(
      beside[0].text,
      tellingTerms(question).filter((term) => !own.has(term)),
    )
  )
    return [beside[0].at];
  const before = counts.findIndex((count, i) => count > 0 && beside[i]!.at < at);
  return before >= 0 && POINTING.test(text) ? [beside[before]!.at] : [];
}

/** The passages around a place, the nearest first, those behind it before those in front: as far as what lies between would be quoted, too. */
const nearby = (at: number, all: readonly Passage[]): Passage[] =>
  Array.from({ length: MOST_BETWEEN + 1 }, (_, i) => [all[at + i + 1], all[at - i - 1]])
    .flat()
    .filter((other) => other !== undefined);
