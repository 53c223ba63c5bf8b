import { queryTerms, terms } from '../../../base/terms.ts';
import type { Quotation } from './choose.ts';
import { POINTING } from './dangling.ts';
import { lastAsked, withoutMeasure } from './wanted.ts';

/** A question as it is looked for (`query`, which brings along what it points at) and as it was asked. */
export interface Asked {
  query: string;
  question: string;
}

/** Where another question begins within one: `…, and how long …`, with how it is said that one of them is not answered. */
const JOINTS: { joint: RegExp; unanswered: (part: string) => string }[] = [
  {
    joint: /,?\s+and\s+(?=(?:how|what|when|where|who|whom|which|why|is|are|can|could|do|does|did|will|would|must|may|should|has|have)\b)/i,
    unanswered: (part) => `The sources do not answer “${part}?”.`,
  },
  {
    joint: /,?\s+und\s+(?=(?:wie|was|wann|wo|wer|welche[nrsm]?|warum|wieso|kann|können|ist|sind|muss|darf)(?![\p{L}]))/iu,
    unanswered: (part) => `„${part}?“ beantworten die Quellen nicht.`,
  },
  {
    joint: /,?\s+et\s+(?=(?:comment|combien|quand|où|qui|quel(?:le)?s?|pourquoi|est-ce|peut-on)(?![\p{L}]))/iu,
    unanswered: (part) => `Les sources ne répondent pas à « ${part} ? ».`,
  },
];

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
  const joint = JOINTS.find(({ joint: one }) => one.test(asked))?.joint;
  const parts = joint ? asked.split(joint).map(trimmed) : [];
  if (parts.length < 2 || parts.length > MOST || !query.endsWith(asked) || !parts.every(tellsWhat)) return [{ query, question }];
  const before = query.slice(0, query.length - asked.length);
  return parts.map((part, i) => {
    const named = i > 0 && POINTING.test(part) ? `${parts[0]}? ` : '';
    return { query: `${before}${named}${part}?`, question: `${part}?` };
  });
}

/** Says that these parts of a question are not answered, in its language. */
export function unansweredOf(question: string, parts: readonly Asked[]): string {
  const said = JOINTS.find(({ joint }) => joint.test(question))?.unanswered;
  return said ? parts.map((part) => said(trimmed(part.question))).join(' ') : '';
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
