import type { Config } from '../../schema/config.ts';
import { isFunctionWord, languageOf } from '../../languages/detect.ts';
import type { FallbackMessages } from '../../languages/language.ts';
import { languageOrEnglish, wordList } from '../../languages/languages.ts';
import { OTHER_FOLLOW_UPS } from '../../languages/other-languages.ts';

/** What was said before a question. */
type Before = readonly { role: string; content: string }[];

/** The sentences in the language of the question, where that can be told, else in that of the questions before it («Garantie?»), else in English. */
export function fallbacksFor(question: string, before: Before = []): FallbackMessages {
  const earlier = before.filter(({ role }) => role === 'user').toReversed();
  const language = languageOf(question) ?? earlier.map(({ content }) => languageOf(content)).find((found) => found !== undefined);
  return languageOrEnglish(language).messages;
}

/** What is said in each mode where the sources do not answer; nothing in `return_no_answer`. */
export function fallbackMessage(
  mode: Config['chat']['retrieval_quality']['low_confidence_mode'],
  question: string,
  before: Before = [],
): string {
  const { nothing, narrower, refused } = fallbacksFor(question, before);
  return { answer_with_caution: nothing, ask_clarifying_question: narrower, refuse_grounded_answer: refused, return_no_answer: '' }[mode];
}

/** Words that ask for more of the same and bring nothing new, beside function words; what is written without spaces is one of them as a whole. */
const MORE = new Set(wordList(({ followUps }) => followUps.more, OTHER_FOLLOW_UPS.more));

/** Words among them, and function words, that mean much else: alone they ask for nothing more. */
const MEAN_ELSE = new Set(['so', 'on', 'go', 'di', 'a', 'и', 'а', 'denn']);

/** Those without which nothing is asked for by function words alone: «What is this about?» is a question of its own. */
const TELLING = new Set([...MORE, ...wordList(({ followUps }) => followUps.reasons, OTHER_FOLLOW_UPS.reasons)]).difference(MEAN_ELSE);

/** Words that ask for something else than more or a reason, though they are function words: «and how much?». */
const ASKS_ELSE = new Set(wordList(({ followUps }) => followUps.asksElse, OTHER_FOLLOW_UPS.asksElse));

/** Whether a question asks on without a word of what about: «why?», «tell me more». */
export function onlyAsksOn(question: string): boolean {
  const language = languageOf(question) ?? 'en';
  const words =
    question
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const isTelling = words.some((word) => TELLING.has(word)) || /\bpor qu[eé]/.test(words.join(' '));
  return isTelling && words.every((word) => !ASKS_ELSE.has(word) && (MORE.has(word) || isFunctionWord(word, language)));
}
