import { joinedIn, type Asked } from '../../base/asked.ts';

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
