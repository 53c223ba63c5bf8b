import type { Config } from '../../schema/config.ts';
import { isFunctionWord, languageOf } from '../../languages/detect.ts';
import type { FallbackMessages } from '../../languages/language.ts';
import { languageOrEnglish, wordList } from '../../languages/languages.ts';
import { OTHER_FOLLOW_UPS } from '../../languages/other-languages.ts';

type Before = readonly { role: string; content: string }[];

/** The fallback messages in the language of the question if it can be detected, else of the questions before it («Garantie?»), else in English. */
export function fallbacksFor(question: string, before: Before = []): FallbackMessages {
  const earlier = before.filter(({ role }) => role === 'user').toReversed();
  const language = languageOf(question) ?? earlier.map(({ content }) => languageOf(content)).find((found) => found !== undefined);
  return languageOrEnglish(language).messages;
}

/** The message for a question that the sources do not answer; empty in mode `return_no_answer`. */
export function fallbackMessage(
  mode: Config['chat']['retrieval_quality']['low_confidence_mode'],
  question: string,
  before: Before = [],
): string {
  const { nothing, narrower, refused } = fallbacksFor(question, before);
  return { answer_with_caution: nothing, ask_clarifying_question: narrower, refuse_grounded_answer: refused, return_no_answer: '' }[mode];
}

/** Words that ask for more without a new subject. A phrase in an unspaced script counts as one word. */
const MORE = new Set(wordList(({ followUps }) => followUps.more, OTHER_FOLLOW_UPS.more));

/** Ambiguous words, which alone do not ask for more. */
const MEAN_ELSE = new Set(['so', 'on', 'go', 'di', 'a', 'и', 'а', 'denn']);

/** Words of which a question for more has at least one: «What is this about?» has none and stands alone. */
const TELLING = new Set([...MORE, ...wordList(({ followUps }) => followUps.reasons, OTHER_FOLLOW_UPS.reasons)]).difference(MEAN_ELSE);

/** Function words that ask something else: «and how much?». */
const ASKS_ELSE = new Set(wordList(({ followUps }) => followUps.asksElse, OTHER_FOLLOW_UPS.asksElse));

/** Whether a question asks for more without naming a subject: «why?», «tell me more». */
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
