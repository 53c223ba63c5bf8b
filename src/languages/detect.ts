import type { FallbackMessages, LanguageMarks } from './language.ts';
import { languageOrEnglish, LANGUAGES } from './languages.ts';
import { OTHER_FOLLOW_UPS, OTHER_MARKS } from './other-languages.ts';

/** Scripts that identify a language, in the order of testing. `LETTERS_WITHIN_SCRIPT` separates languages that share one. */
const SCRIPT_LETTERS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
];

/** Minimum share of a question's letters in a script that identifies its language; the rest may be names and codes. */
const MIN_SCRIPT_SHARE = 0.3;

/** Letters or words that separate languages of one script; the first match decides, else the language of the script. */
const LETTERS_WITHIN_SCRIPT: Readonly<Record<string, readonly (readonly [language: string, letter: RegExp])[]>> = {
  ar: [
    ['ur', /[ٹڈڑےںہھ]/u],
    ['fa', /[پچژگکی]/u],
  ],
  ru: [
    ['uk', /[іїєґ]/iu],
    ['ru', /[ыэё]|(?:^|\s)(?:что|где|когда|почему|сколько|кто|это|или|чем|для)(?=\s|[?!.,]|$)/iu],
    ['bg', /(?:^|\s)(?:какво|къде|кога|защо|колко|кой|коя|ли|се|са|със|трябва|за)(?=\s|[?!.,]|$)/iu],
  ],
};

/** The marks of each language, by its code. */
const LANGUAGE_MARKS: readonly (readonly [language: string, marks: LanguageMarks])[] = [
  ...LANGUAGES.map(({ code, marks }) => [code, marks] as const),
  ...OTHER_MARKS,
];

/** Short words that also occur in English, as words or in names: they do not identify a language. */
const AMBIGUOUS_WORDS = new Set(
  'die man per over ten era son pot sale los las la el le de du des den del con pro par plus sur mag gem han min van mi me no so do to a i an in on is was as at be'.split(
    ' ',
  ),
);

const toWordSet = (words = ''): ReadonlySet<string> => new Set(words.split(' ').filter(Boolean));

/** Words that may stand before the first word of a question. */
const LEADING_WORDS = new Set(
  [...LANGUAGES.flatMap(({ questions, followUps }) => [questions.courtesies, followUps.conjunctions]), OTHER_FOLLOW_UPS.courtesies]
    .concat(OTHER_FOLLOW_UPS.conjunctions)
    .flatMap((words) => words.split('|')),
);

/** First words of questions, which are stronger evidence than words elsewhere, and the words that break ties. */
const BEGINNINGS = LANGUAGE_MARKS.map(([language, { beginnings }]) => [language, toWordSet(beginnings)] as const);
const TIE_BREAKERS = LANGUAGE_MARKS.map(([language, { tieBreakers }]) => [language, toWordSet(tieBreakers)] as const);

/** A first word that other languages have, too (`was`): it counts only beside another word of the same language. */
const SHARED_BEGINNING = 'was';

/** Minimum length of a word that identifies a language alone, if no other language has it. */
const MIN_DECIDING_LENGTH = 4;

let languagesByWord: Map<string, string[]> | undefined;

function languagesOf(word: string): readonly string[] {
  if (!languagesByWord) {
    languagesByWord = new Map();
    for (const [language, { functionWords }] of LANGUAGE_MARKS)
      for (const known of toWordSet(functionWords)) languagesByWord.set(known, [...(languagesByWord.get(known) ?? []), language]);
  }
  return languagesByWord.get(word) ?? [];
}

/** Whether a word is a function word of a language, and no content word. */
export const isFunctionWord = (word: string, language: string): boolean => languagesOf(word).includes(language);

function detectByLetters(text: string): string | undefined {
  const all = (text.match(/\p{L}/gu) ?? []).length;
  const found = SCRIPT_LETTERS.find(([, letters]) => (text.match(letters) ?? []).length >= Math.max(1, MIN_SCRIPT_SHARE * all));
  if (!found) return undefined;
  return LETTERS_WITHIN_SCRIPT[found[0]]?.find(([, letter]) => letter.test(text))?.[0] ?? found[0];
}

/** Matches words, but no letters of codes such as `E11` or `user_id`. */
const WHOLE_WORD = /(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}]+(?![\p{L}\p{M}\p{N}_])/gu;

/** Detects the language with the highest score of at least 2: a word counts 1, a long unique word or a unique mark 2. */
function detectByWords(text: string): string | undefined {
  const counts = new Map<string, number>();
  const words = text.match(WHOLE_WORD) ?? [];
  const add = (language: string, by: number) => counts.set(language, (counts.get(language) ?? 0) + by);
  for (const [language, { mark }] of LANGUAGE_MARKS) if (mark?.test(text)) add(language, 2);
  for (const word of new Set(words)) {
    const languages = AMBIGUOUS_WORDS.has(word) ? [] : languagesOf(word);
    for (const language of languages) add(language, languages.length === 1 && word.length >= MIN_DECIDING_LENGTH ? 2 : 1);
  }
  const first = words.find((word) => !LEADING_WORDS.has(word)) ?? '';
  for (const [language, known] of BEGINNINGS)
    if (known.has(first) && (first !== SHARED_BEGINNING || counts.has(language))) add(language, 1);
  for (const [language, known] of TIE_BREAKERS) if (counts.has(language) && words.some((word) => known.has(word))) add(language, 0.5);
  const [best, next] = [...counts].toSorted(([, a], [, b]) => b - a);
  return best && best[1] >= 2 && best[1] > (next?.[1] ?? 0) ? best[0] : undefined;
}

/** Characters of a question that are used to detect its language. */
const MAX_EXAMINED = 2_000;

/** Detects the language of a question by its letters and function words; undefined if it is unclear. */
export function languageOf(question: string): string | undefined {
  const text = question.slice(0, MAX_EXAMINED).normalize('NFC').toLowerCase();
  return detectByLetters(text) ?? detectByWords(text);
}

type EarlierMessages = readonly { role: string; content: string }[];

/** The fallback messages in the language of the question, else of the latest question before it that has one ("Garantie?"), else in English. */
export function fallbacksFor(question: string, before: EarlierMessages = []): FallbackMessages {
  const earlier = before.filter(({ role }) => role === 'user').toReversed();
  const language = languageOf(question) ?? earlier.map(({ content }) => languageOf(content)).find((found) => found !== undefined);
  return languageOrEnglish(language).messages;
}
