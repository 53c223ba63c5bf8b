import { joinedIn, type Asked } from '../../base/asked.ts';

/** How it is said that a part of a question is not answered, in the languages that questions are taken apart in. */
const UNANSWERED = {
  en: (part: string) => `The sources do not answer “${part}?”.`,
  de: (part: string) => `„${part}?“ beantworten die Quellen nicht.`,
  fr: (part: string) => `Les sources ne répondent pas à « ${part} ? ».`,
};

/** Words of a part that are repeated at most. */
const MOST_WORDS = 25;

function shortened(question: string): string {
  const words = question.replace(/\?$/, '').split(/\s+/);
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS).join(' ')}…` : words.join(' ');
}

/** Says that these parts of a question are not answered, in its language. */
export function unansweredOf(question: string, parts: readonly Asked[]): string {
  const language = joinedIn(question);
  return language ? parts.map((part) => UNANSWERED[language](shortened(part.question))).join(' ') : '';
}
