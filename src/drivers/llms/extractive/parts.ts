import { joinedIn, type Asked } from '../../../base/asked.ts';
import type { Quotation } from './choose.ts';

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
