import type { Config } from '../../schema/config.ts';
import { FURTHER } from './instead-further.ts';
import { WEST, type Instead } from './instead-west.ts';
import { isFunctionWord, languageOf } from './language.ts';

const IN: Readonly<Record<string, Instead>> = { ...WEST, ...FURTHER };

/** The sentences in the language of the question, where that can be told, else in English. */
export const insteadFor = (question: string): Instead => IN[languageOf(question) ?? 'en'] ?? WEST.en!;

/** What is said in each mode where the sources do not answer; nothing in `return_no_answer`. */
export function insteadOfAnAnswer(mode: Config['chat']['retrieval_quality']['low_confidence_mode'], question: string): string {
  const { nothing, narrower, refused } = insteadFor(question);
  return { answer_with_caution: nothing, ask_clarifying_question: narrower, refuse_grounded_answer: refused, return_no_answer: '' }[mode];
}

/** Words that ask for more of the same and bring nothing new, beside function words: the languages of the rewriting (rewrite.ts), and what is written without spaces as a whole. */
const MORE = new Set(
  'so else more further again detail details exactly really go on continue mehr weiter genauer genau einzelheiten denn plus encore davantage précisément détails más detalles exactamente di più altro ancora dettagli mais detalhes exatamente meer verder precies почему как зачем ещё еще подробнее а и 为什么 为何 怎么 还有呢 詳しく なぜ どうして もっと 왜 어떻게 더'.split(
    ' ',
  ),
);

/** Whether a question asks on without a word of what about: «why?», «tell me more». */
export function onlyAsksOn(question: string): boolean {
  const language = languageOf(question) ?? 'en';
  const words =
    question
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => MORE.has(word) || isFunctionWord(word, language));
}
