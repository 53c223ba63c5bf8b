import { isFunctionWord, languageOf } from './detect.ts';
import type { Language } from './language.ts';
import { alternatives, languageOrEnglish, LANGUAGES, wholeWord, wordList } from './languages.ts';
import { OTHER_FOLLOW_UPS } from './other-languages.ts';
import { queryTerms, terms } from '../text/terms.ts';

/** A question as it is searched for (`query`, which includes what its pronouns refer to) and as it was asked. */
export interface SearchQuestion {
  query: string;
  question: string;
}

const COURTESIES = alternatives(({ questions }) => questions.courtesies, OTHER_FOLLOW_UPS.courtesies);

/** Matches the beginning of a question or request, with or without a question mark. */
const BEGINS_AS_QUESTION = new RegExp(
  String.raw`^\P{L}*(?:(?:${alternatives(({ followUps }) => followUps.conjunctions)}|${COURTESIES}) )*(?:${alternatives(({ questions }) => questions.openings)})`,
  'iu',
);

/** Whether a text is a question or a request: it ends with a question mark, or begins as questions do. */
export const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text) || BEGINS_AS_QUESTION.test(text);

/** Matches a closing remark after a question: a complete sentence, or thanks. */
const CLOSING_REMARK = new RegExp(String.raw`[.!…]\P{L}{0,20}$|^\P{L}*(?:${COURTESIES})(?!\p{L})`, 'iu');

/** Extracts the last question of a text, without a closing remark. The question of a follow-up stands after the earlier ones. */
export function lastQuestion(question: string): string {
  const parts = question.trim().split(/(?<=[?？])\s+/);
  const last = parts.at(-1)!;
  const isRemark = !/[?？]/.test(last) && CLOSING_REMARK.test(last) && !BEGINS_AS_QUESTION.test(last);
  return isRemark ? (parts.at(-2) ?? last) : last;
}

/** Removes words that only ask for a measure, such as `long` in "how long", which is not a content word. */
export const withoutMeasure = (question: string): string =>
  LANGUAGES.reduce((text, { questions: { measure } }) => text.replace(measure, '$<word>'), question);

/**
 * Chinese question words, whose letter pairs would count as content. Particles match only at the end of a clause: elsewhere they belong to a
 * word (酒吧, 吗啡).
 */
const CHINESE_ASKING =
  /多[长長](?:时间|時間)|多久|多少[钱錢]?|什[么麼](?:时候|時候|意思|样的|樣的)?|怎[么麼](?:样|樣|办|辦)?|哪[里裡些个個]|为[什甚][么麼]|為[什甚][麼么]|可不可以|(?<!可)可以|能不能|能否|是不是|是否|有没有|有沒有|请问|請問|[吗嗎呢吧](?=\P{L}*$|[，。？！?!,])/gu;

/** The terms of question and function words, by language, except English: `queryTerms` drops the English ones. */
const ASKING_TERMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  LANGUAGES.filter(({ code }) => code !== 'en').map(({ code, marks, questions: { contentWords = '', stopWords = '' } }) => {
    const kept = contentWords.split(' ');
    const asking = marks.functionWords.split(' ').filter((word) => !kept.includes(word));
    return [code, new Set(terms([...asking, stopWords].join(' ')))];
  }),
);

/**
 * The terms of a question that are compared with retrieved texts: query terms, in Chinese without question words. German question words stay:
 * scores are calibrated with them, and without them the gate stops three times as many of XQuAD's answerable German questions.
 */
export function comparedTerms(question: string): string[] {
  const all = queryTerms(question.replace(CHINESE_ASKING, ' '));
  return all.length > 0 ? all : queryTerms(question);
}

/** The terms of the topic of a question: `comparedTerms` without the question words of its language; all if no other is left. */
export function topicTerms(question: string): string[] {
  const all = comparedTerms(question);
  const asking = ASKING_TERMS.get(languageOf(question) ?? 'en');
  const telling = asking ? all.filter((term) => !asking.has(term)) : all;
  return telling.length > 0 ? telling : all;
}

/** The topic terms of a question, without words that ask for a measure. */
export const subjectTerms = (question: string): string[] => topicTerms(withoutMeasure(question));

const LISTING = wholeWord(alternatives(({ questions }) => questions.listing));

/** Whether a question may ask for a listing: a table of contents, an index, a change log. */
export const asksListing = (question: string): boolean => LISTING.test(question);

/** Detects the language in which a second question is joined ("…, and how long …"); undefined if there is none. */
export const conjunctionIn = (question: string): Language | undefined => LANGUAGES.find(({ questions }) => questions.joint.test(question));

/** Maximum questions that one is split into; a longer one is searched for as a whole. */
const MAX_PARTS = 3;

/** Whether a part is a question of its own: it has function words, and content words that can be searched for. */
function namesSubject(part: string, { code }: Language): boolean {
  const [all, telling] = [terms, queryTerms].map((termsOf) => termsOf(withoutMeasure(part)));
  const idle = ASKING_TERMS.get(code);
  const isWorded = telling!.length < all!.length || all!.some((term) => idle?.has(term));
  return isWorded && telling!.some((term) => !idle?.has(term));
}

const trimPart = (part: string): string => part.trim().replace(/(?<![\s?？!.,;])[\s?？!.,;]+$/, '');

/** Minimum content words of a question beside others: "Can you help me? …" has one. */
const MIN_CONTENT_WORDS = 2;

/**
 * The questions that end a message, and their `text`: its sentences with question marks if each can stand alone, else the last of them. A question that goes on
 * from the one before ("And in Norway?") cannot.
 */
function questionsIn(message: string): { text: string; questions: string[] } {
  const last = lastQuestion(message);
  const text = message.slice(0, message.lastIndexOf(last) + last.length).trim();
  const questions = text.split(/(?<=[?？])\s+/);
  const canStandAlone = (question: string, i: number) =>
    (i === 0 || BEGINS_AS_QUESTION.test(question)) && new Set(subjectTerms(question)).size >= MIN_CONTENT_WORDS;
  return questions.length > 1 && questions.every(canStandAlone) ? { text, questions } : { text: last, questions: [last] };
}

/** Splits a question at the conjunction that joins a second one, if each has a subject. */
function splitAtJoint(question: string): string[] {
  const language = conjunctionIn(question);
  const parts = language ? question.split(language.questions.joint).map(trimPart) : [];
  return parts.length > 1 && parts.every((part) => namesSubject(part, language!)) ? parts : [trimPart(question)];
}

/** The language of a message with several questions. */
export const languageOfQuestions = (message: string): Language => conjunctionIn(message) ?? languageOrEnglish(languageOf(message));

/** Splits a message into the questions that it joins, each with the context that it refers to. A single question is returned unchanged. */
export function splitQuestion({ query, question }: SearchQuestion): SearchQuestion[] {
  const { text, questions } = questionsIn(question);
  const parts = questions.flatMap(splitAtJoint);
  if (parts.length < 2 || parts.length > MAX_PARTS || !query.endsWith(text)) return [{ query, question }];
  const context = query.slice(0, query.length - text.length);
  const { pronouns } = languageOfQuestions(text).followUps;
  const pronounPattern = pronouns === undefined ? undefined : wholeWord(pronouns);
  return parts.map((part, i) => {
    const subject = i > 0 && pronounPattern?.test(part) ? `${parts[0]}? ` : '';
    return { query: `${context}${subject}${part}?`, question: `${part}?` };
  });
}

/** Words that ask for more without a new subject. A phrase in an unspaced script counts as one word. */
const MORE = new Set(wordList(({ followUps }) => followUps.more, OTHER_FOLLOW_UPS.more));

/** Words that ask for more only beside others: "anything else?". */
const NOT_ALONE = new Set(['so', 'on', 'go', 'anything', 'denn', 'etwas', 'chose', 'algo', 'di', 'a', 'и', 'а']);

/** A request for more has at least one of these words; "What is this about?" has none and is a question of its own. */
const CONTINUES = new Set([...MORE, ...wordList(({ followUps }) => followUps.reasons, OTHER_FOLLOW_UPS.reasons)]).difference(NOT_ALONE);

/** Function words that ask for something new: "and how much?". */
const ASKS_ELSE = new Set(wordList(({ followUps }) => followUps.asksElse, OTHER_FOLLOW_UPS.asksElse));

/** Whether a question asks for more without naming a subject: "why?", "tell me more". */
export function asksForMore(question: string): boolean {
  const language = languageOf(question) ?? 'en';
  const words =
    question
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const isTelling = words.some((word) => CONTINUES.has(word)) || /\bpor qu[eé]/.test(words.join(' '));
  return isTelling && words.every((word) => !ASKS_ELSE.has(word) && (MORE.has(word) || isFunctionWord(word, language)));
}
