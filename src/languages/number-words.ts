import { languageOf } from './detect.ts';
import type { Language } from './language.ts';
import { LANGUAGES, languageOrEnglish } from './languages.ts';
import { terms } from '../text/terms.ts';

const plain = (words: string): string => words.replace(/[-\s]+/g, ' ');

/** Reads the written numbers of a language. */
interface NumberReader {
  values: ReadonlyMap<string, number>;
  /** Finds a number and the word after it: of "two-year" "two" and "year". */
  pattern: RegExp;
  ofNumbers: ReadonlySet<string>;
}

function readerOf({ numbers }: Language): NumberReader {
  const values = new Map(numbers.flatMap((forms, value) => forms.split('|').map((form) => [plain(form), value] as const)));
  const longestFirst = [...values.keys()]
    .toSorted((a, b) => b.length - a.length)
    .join('|')
    .replaceAll(' ', String.raw`[- \u00a0]`);
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(${longestFirst})(?![\p{L}\p{N}])(?=[\s-]*(\p{L}*))`, 'gu');
  return { values, pattern, ofNumbers: new Set(terms([...values.keys()].join(' '))) };
}

const READERS = new Map(LANGUAGES.map((language) => [language, readerOf(language)]));

/** The language whose numbers a text writes out: English where its own is not known. */
const languageIn = (text: string): Language => languageOrEnglish(languageOf(text));

/** The terms of the numbers that are written out in the language of a text. */
export const numberTerms = (text: string): ReadonlySet<string> => READERS.get(languageIn(text))!.ofNumbers;

/** The numbers from zero to ninety-nine that a text writes out, in their order, and the word behind each: that of `two-year` is `year`. */
export function writtenCounts(text: string): { value: number; of: string }[] {
  const { values, pattern } = READERS.get(languageIn(text))!;
  return Array.from(text.toLowerCase().matchAll(pattern), ([, number, of = '']) => ({ value: values.get(plain(number!))!, of }));
}

/** The numbers from zero to ninety-nine that a text writes out, in their order: `seven`, `twenty-one`, and that of `two-year`. */
export const writtenNumbers = (text: string): number[] => writtenCounts(text).map(({ value }) => value);
