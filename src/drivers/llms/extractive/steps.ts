import { asksHowTo, subjectTerms, tellingTerms } from '../../../base/asked.ts';
import { queryTerms, terms } from '../../../base/terms.ts';
import { MOST_ITEMS } from './limits.ts';
import type { Passage } from './passages.ts';

/** Whether it is a step of what the question asks how to do, told under a heading that names it: then all steps do. */
export const isStepOf = ({ step, context }: Passage, question: string): boolean =>
  step !== undefined && asksHowTo(question) && tellingTerms(question).some((term) => terms(context).includes(term));

/** What a lead-in to steps says besides what they are for: «To descale, follow these steps:». */
const LEADING = new Set(terms('follow following step steps proceed instructions way works done need needed'));

/** The steps in the same source that are led in to by nothing but words of what the question asks how to do («To descale:»), with that lead-in. */
export function stepsOf(all: readonly Passage[], question: string): number[] {
  if (!asksHowTo(question)) return [];
  const asked = subjectTerms(question);
  const isAsked = (leadText: string) => {
    const led = queryTerms(leadText).filter((term) => !LEADING.has(term));
    return led.some((term) => asked.includes(term)) && led.every((term) => asked.includes(term));
  };
  const first = all.find(({ step, leadText = '' }) => step !== undefined && isAsked(leadText));
  const steps = first ? all.filter(({ block }) => block === first.block).slice(0, MOST_ITEMS) : [];
  return steps.flatMap(({ at, lead }) => (lead === undefined ? at : [lead, at]));
}
