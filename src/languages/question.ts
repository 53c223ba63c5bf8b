import { functionWords, languageOf } from './detect.ts';
import { queryTerms, terms } from '../text/terms.ts';

/** A question as it is looked for (`query`, which brings along what it points at) and as it was asked. */
export interface SearchQuestion {
  query: string;
  question: string;
}

/** What asks without a question mark. */
const ASKS =
  /^\P{L}*(?:(?:and|so|but|also|please|then|bitte|und) )*(?:tell|explain|describe|show|list|give|name|compare|what|which|how|why|when|where|who|erklär|nenn|zeig|was|wie|warum|wann|wo|wer|welche)/iu;
/** Whether a line asks something, with a question mark or without. */
export const isQuestion = (line: string): boolean => /[?？]\s*$/.test(line) || ASKS.test(line);

/** What is said behind a question and asks nothing: a whole sentence, or thanks. */
const REMARK = /[.!…]\P{L}{0,20}$|^\P{L}*(?:thanks|thank you|please|cheers|danke|bitte|merci|gracias|grazie)(?!\p{L})/iu;

/** What is asked now: a follow-up comes behind the questions that it follows, and a remark behind a question asks nothing. */
export function lastQuestion(question: string): string {
  const parts = question.trim().split(/(?<=[?？])\s+/);
  const last = parts.at(-1)!;
  const isRemark = !/[?？]/.test(last) && REMARK.test(last) && !ASKS.test(last);
  return isRemark ? (parts.at(-2) ?? last) : last;
}

/** A question without the words that only say that a figure is asked for: `long` of «how long» is no word of the subject. */
export const withoutMeasure = (question: string): string =>
  question.replace(/\bhow (?:long|often|much|many)\b/gi, 'how').replace(/\bwie (?:lange|oft|viele?)\b/gi, 'wie');

/** How Chinese asks: no word of the subject, though two of its letters together look like one. Its particles stand at the end of a clause; elsewhere they belong to a word (酒吧, 吗啡). */
const CHINESE_ASKING =
  /多[长長](?:时间|時間)|多久|多少[钱錢]?|什[么麼](?:时候|時候|意思|样的|樣的)?|怎[么麼](?:样|樣|办|辦)?|哪[里裡些个個]|为[什甚][么麼]|為[什甚][麼么]|可不可以|(?<!可)可以|能不能|能否|是不是|是否|有没有|有沒有|请问|請問|[吗嗎呢吧](?=\P{L}*$|[，。？！?!,])/gu;

/** Words of a language that count as function words and name what is measured. */
const MEASURED = new Set(['kostet', 'heißt', 'bedeutet']);

/** German words that say how is asked, as terms. */
const GERMAN_ASKING = new Set(terms(['lange', 'oft', ...functionWords('de')].filter((word) => !MEASURED.has(word)).join(' ')));

/**
 * The terms that a question is compared with retrieved texts by: those of a query, in Chinese without the words that ask. The German ones stay: the scores are
 * calibrated with them, and without them the gate stops three times as many of XQuAD's answerable German questions.
 */
export function comparedTerms(question: string): string[] {
  const all = queryTerms(question.replace(CHINESE_ASKING, ' '));
  return all.length > 0 ? all : queryTerms(question);
}

/** The terms of a question that say what it is about: the same, in German without the words that ask. */
export function tellingTerms(question: string): string[] {
  const all = comparedTerms(question);
  const telling = languageOf(question) === 'de' ? all.filter((term) => !GERMAN_ASKING.has(term)) : all;
  return telling.length > 0 ? telling : all;
}

/** The same without the words that ask for a figure. */
export const subjectTerms = (question: string): string[] => tellingTerms(withoutMeasure(question));

const YES_OR_NO = {
  en: /^(?:\P{L}|and\s|so\s|but\s)*(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|must|should)(?:n['’]t)?\b/iu,
  de: /^(?:\P{L}|und\s|oder\s|aber\s)*(?:ist|sind|war|waren|hat|haben|kann|können|muss|müssen|darf|dürfen|soll|wird|werden|gibt)(?!\p{L})/iu,
};

/** Whether a question is answered with yes or no: what it asks stands in its other words, and what denies answers it as well. English and German. */
export const isYesOrNo = (question: string): boolean => YES_OR_NO[languageOf(question) === 'de' ? 'de' : 'en'].test(question);

const HOW_TO =
  /\bhow (?:do|does|can|could|should|must|to)\b|(?<!\p{L})wie (?:kann|muss|soll|darf|wird|werden|geht|\p{L}+ (?:ich|man|wir|sie))(?!\p{L})/iu;

/** Whether what is asked now is how something is done. English and German. */
export const asksHowTo = (question: string): boolean => HOW_TO.test(lastQuestion(question));

const LISTING =
  /\b(?:change[sd]?|change ?log|release[sd]?|versions?|news?|added|removed|since|contents|index|list of|pages?)\b|(?<!\p{L})(?:änderung(?:en)?|neuerung(?:en)?|neu|seit|versionen|inhalt(?:sverzeichnis)?|übersicht)(?!\p{L})/iu;

/** Whether a question may be after a list: a table of contents, an index, a change log. English and German. */
export const asksListing = (question: string): boolean => LISTING.test(question);

/** Words inside a sentence that stand for what was named before it. */
export const POINTING = /(?<![\p{L}\p{N}])(?:it|they|them|its|their|he|she|es|sie|ihn|ihm|deren|dessen)(?![\p{L}\p{N}])/iu;

/**
 * Where another question begins within one: `…, and how long …`. A verb begins one only before what can be nothing but its subject: «… and have a diesel engine?»
 * asks no second thing, and neither does «… and is the cheapest?»; in French, neither does «qui», which joins clauses as often.
 */
const JOINTS = {
  en: /(?:,|(?<!\s))\s+and\s+(?=(?:(?:how|what|when|where|who|whom|which|why|do|does|did)\b|(?:is|are|has|have|can|could|will|would|must|may|should)\s+(?:i|you|he|she|it|we|they|there|this|these|those|my|your|our|their)\b|(?:can|could|will|would|must|may|should)\s+the\b))/i,
  de: /(?:,|(?<!\s))\s+und\s+(?=(?:wie|was|wann|wo|wer|welche[nrsm]?|warum|wieso|(?:kann|können|ist|sind|muss|darf)\s+(?:ich|er|sie|es|wir|das))(?![\p{L}]))/iu,
  fr: /(?:,|(?<!\s))\s+et\s+(?=(?:comment|combien|quand|où|quel(?:le)?s?|pourquoi|est-ce|peut-on)(?![\p{L}]))/iu,
};

/** The language in which one question is joined to another, of those that questions are taken apart in. */
export const conjunctionIn = (question: string): keyof typeof JOINTS | undefined =>
  (['en', 'de', 'fr'] as const).find((language) => JOINTS[language].test(question));

/** Questions that one is taken apart into, at most: more are looked for as a whole. */
const MOST = 3;

/** Words of German and French that say no more than what kind of answer is wanted. */
const IDLE = new Set([
  ...GERMAN_ASKING,
  ...terms(
    'tun machen comment combien quand où qui quel quelle quels quelles pourquoi est-ce peut-on que je il elle dois faire est sont le la les',
  ),
]);

/** Whether a question says what it asks about: of nothing but function words nothing can be found. */
function tellsWhat(part: string): boolean {
  const [all, telling] = [terms, queryTerms].map((termsOf) => termsOf(withoutMeasure(part)));
  const isWorded = telling!.length < all!.length || all!.some((term) => IDLE.has(term));
  return isWorded && telling!.some((term) => !IDLE.has(term));
}

const trimmed = (part: string): string => part.trim().replace(/(?<![\s?？!.,;])[\s?？!.,;]+$/, '');

/** The questions that are asked in one, each with what it points at; the question itself where it is one. */
export function splitQuestion({ query, question }: SearchQuestion): SearchQuestion[] {
  const asked = lastQuestion(question);
  const language = conjunctionIn(asked);
  const parts = language ? asked.split(JOINTS[language]).map(trimmed) : [];
  if (parts.length < 2 || parts.length > MOST || !query.endsWith(asked) || !parts.every(tellsWhat)) return [{ query, question }];
  const before = query.slice(0, query.length - asked.length);
  return parts.map((part, i) => {
    const named = i > 0 && POINTING.test(part) ? `${parts[0]}? ` : '';
    return { query: `${before}${named}${part}?`, question: `${part}?` };
  });
}
