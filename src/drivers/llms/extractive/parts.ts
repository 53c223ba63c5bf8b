import { joinedIn, subjectTerms, type Asked } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import type { Quotation } from './choose.ts';
import type { Passage } from './passages.ts';
import { wantedFigure } from './wanted.ts';

/** How it is said that a part of a question is not answered, in the languages that questions are taken apart in. */
const UNANSWERED = {
  en: (part: string) => `The sources do not answer “${part}?”.`,
  de: (part: string) => `„${part}?“ beantworten die Quellen nicht.`,
  fr: (part: string) => `Les sources ne répondent pas à « ${part} ? ».`,
};

/** Says that these parts of a question are not answered, in its language. */
export function unansweredOf(question: string, parts: readonly Asked[]): string {
  const language = joinedIn(question);
  return language ? parts.map((part) => UNANSWERED[language](part.question.replace(/\?$/, ''))).join(' ') : '';
}

/** Whether what is quoted for a question was quoted for those before it, and says nothing of what it asks by itself: then it answers them alone. */
export function addsNothing(question: string, quoted: readonly Passage[], before: readonly Passage[]): boolean {
  if (!quoted.every((passage) => before.includes(passage))) return false;
  const whole = quoted.map(({ context, text }) => `${context}\n${text}`).join('\n');
  const said = new Set(terms(whole));
  return wantedFigure(question)?.test(whole) !== true && !subjectTerms(question).some((term) => said.has(term));
}

/** What is quoted for several questions as one: each source once, each passage once, in reading order. */
export function joined(all: readonly Quotation[]): Quotation[] {
  const sources = [...new Set(all.map(({ source }) => source))];
  return sources.map((source) => {
    const passages = new Map(
      all.filter((one) => one.source === source).flatMap((one) => one.passages.map((passage) => [passage.at, passage])),
    );
    return { source, passages: [...passages.values()].toSorted((a, b) => a.at - b.at) };
  });
}
