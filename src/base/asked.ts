import { queryTerms, terms } from './terms.ts';

/** A question as it is looked for (`query`, which brings along what it points at) and as it was asked. */
export interface Asked {
  query: string;
  question: string;
}

/** What asks without a question mark. */
const ASKS =
  /^\P{L}*(?:(?:and|so|but|also|please|then|bitte|und) )*(?:tell|explain|describe|show|list|give|name|compare|what|which|how|why|when|where|who|erklär|nenn|zeig|was|wie|warum|wann|wo|wer|welche)/iu;
/** What is said behind a question and asks nothing: a whole sentence, or thanks. */
const REMARK = /[.!…]\P{L}{0,20}$|^\P{L}*(?:thanks|thank you|please|cheers|danke|bitte|merci|gracias|grazie)(?!\p{L})/iu;

/** What is asked now: a follow-up comes behind the questions that it follows, and a remark behind a question asks nothing. */
export function lastAsked(question: string): string {
  const parts = question.trim().split(/(?<=[?？])\s+/);
  const last = parts.at(-1)!;
  const isRemark = !/[?？]/.test(last) && REMARK.test(last) && !ASKS.test(last);
  return isRemark ? (parts.at(-2) ?? last) : last;
}

/** A question without the words that only say that a figure is asked for: `long` of «how long» is no word of the subject. */
export const withoutMeasure = (question: string): string => question.replace(/\bhow (?:long|often|much|many)\b/gi, 'how');

/** Words inside a sentence that stand for what was named before it. */
export const POINTING = /(?<![\p{L}\p{N}])(?:it|they|them|its|their|he|she|es|sie|ihn|ihm|deren|dessen)(?![\p{L}\p{N}])/iu;

/** Where another question begins within one: `…, and how long …`. */
const JOINTS = {
  en: /,?\s+and\s+(?=(?:how|what|when|where|who|whom|which|why|is|are|can|could|do|does|did|will|would|must|may|should|has|have)\b)/i,
  de: /,?\s+und\s+(?=(?:wie|was|wann|wo|wer|welche[nrsm]?|warum|wieso|kann|können|ist|sind|muss|darf)(?![\p{L}]))/iu,
  fr: /,?\s+et\s+(?=(?:comment|combien|quand|où|qui|quel(?:le)?s?|pourquoi|est-ce|peut-on)(?![\p{L}]))/iu,
};

/** The language in which one question is joined to another, of those that questions are taken apart in. */
export const joinedIn = (question: string): keyof typeof JOINTS | undefined =>
  (['en', 'de', 'fr'] as const).find((language) => JOINTS[language].test(question));

/** Questions that one is taken apart into, at most: more are looked for as a whole. */
const MOST = 3;

/** Words of German and French that say no more than what kind of answer is wanted. */
const IDLE = new Set(
  terms(
    'wie was wann wo wer welche welcher welches warum wieso kann können ist sind muss darf soll ich man tun machen es das die der dem den viel lange comment combien quand où qui quel quelle quels quelles pourquoi est-ce peut-on que je il elle dois faire est sont le la les',
  ),
);

/** Whether a question says what it asks about: of nothing but function words nothing can be found. */
function tellsWhat(part: string): boolean {
  const [all, telling] = [terms, queryTerms].map((termsOf) => termsOf(withoutMeasure(part)));
  const isWorded = telling!.length < all!.length || all!.some((term) => IDLE.has(term));
  return isWorded && telling!.some((term) => !IDLE.has(term));
}

const trimmed = (part: string): string => part.trim().replace(/[\s?？!.,;]+$/, '');

/** The questions that are asked in one, each with what it points at; the question itself where it is one. */
export function askedIn({ query, question }: Asked): Asked[] {
  const asked = lastAsked(question);
  const language = joinedIn(asked);
  const parts = language ? asked.split(JOINTS[language]).map(trimmed) : [];
  if (parts.length < 2 || parts.length > MOST || !query.endsWith(asked) || !parts.every(tellsWhat)) return [{ query, question }];
  const before = query.slice(0, query.length - asked.length);
  return parts.map((part, i) => {
    const named = i > 0 && POINTING.test(part) ? `${parts[0]}? ` : '';
    return { query: `${before}${named}${part}?`, question: `${part}?` };
  });
}
