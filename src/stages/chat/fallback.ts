import type { Config } from '../../schema/config.ts';
import { type FallbackMessages, OTHER_FALLBACKS, WESTERN_FALLBACKS } from '../../languages/fallback-messages.ts';
import { isFunctionWord, languageOf } from '../../languages/detect.ts';

const IN: Readonly<Record<string, FallbackMessages>> = { ...WESTERN_FALLBACKS, ...OTHER_FALLBACKS };

/** What was said before a question. */
type Before = readonly { role: string; content: string }[];

/** The sentences in the language of the question, where that can be told, else in that of the questions before it («Garantie?»), else in English. */
export function fallbacksFor(question: string, before: Before = []): FallbackMessages {
  const earlier = before.filter(({ role }) => role === 'user').toReversed();
  const language = languageOf(question) ?? earlier.map(({ content }) => languageOf(content)).find((found) => found !== undefined);
  return IN[language ?? 'en'] ?? WESTERN_FALLBACKS.en!;
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

/** Words that ask for more of the same and bring nothing new, beside function words: the languages of the rewriting (rewrite.ts), and what is written without spaces as a whole. */
const MORE = new Set(
  'so else more further again detail details exactly really go on continue mehr weiter genauer genau einzelheiten denn plus encore davantage précisément détails más detalles exactamente di più altro ancora dettagli mais detalhes exatamente meer verder precies почему как зачем ещё еще подробнее а и 为什么 为何 怎么 还有呢 詳しく なぜ どうして もっと 왜 어떻게 더'.split(
    ' ',
  ),
);

/** Those without which nothing is asked for by function words alone: «What is this about?» is a question of its own. */
const TELLING = new Set(
  [...MORE, ...'why warum wieso weshalb pourquoi perché porquê waarom czemu dlaczego varför hvorfor miksi neden'.split(' ')].filter(
    (word) => !['so', 'on', 'go', 'di', 'a', 'и', 'а', 'denn'].includes(word),
  ),
);

/** Words that ask for something else than more or a reason, though they are function words: «and how much?». */
const ASKS_ELSE = new Set(
  'when where who whom whose which much many often wann wo wer wen wem wieviel viel viele où quand qui combien dónde cuándo quién cuánto cuánta cuántos cuántas dove chi quanto quanta onde quem waar wanneer hoeveel где когда кто сколько'.split(
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
  const isTelling = words.some((word) => TELLING.has(word)) || /\bpor qu[eé]/.test(words.join(' '));
  return isTelling && words.every((word) => !ASKS_ELSE.has(word) && (MORE.has(word) || isFunctionWord(word, language)));
}
