import { languageOf } from './detect.ts';
import type { Language } from './language.ts';
import { languageOrEnglish } from './languages.ts';
import { terms } from '../text/terms.ts';

const normalizeNumber = (words: string): string => words.replace(/[-\s]+/g, ' ');

/** Reads the written numbers of a language. */
interface NumberReader {
  values: ReadonlyMap<string, number>;
  /** Finds a number and the word after it: of "two-year" "two" and "year". */
  pattern: RegExp;
  numberTerms: ReadonlySet<string>;
}

function createNumberReader({ numbers }: Language): NumberReader {
  const values = new Map(numbers.flatMap((forms, value) => forms.split('|').map((form) => [normalizeNumber(form), value] as const)));
  const longestFirst = [...values.keys()]
    .toSorted((a, b) => b.length - a.length)
    .join('|')
    .replaceAll(' ', String.raw`[- \u00a0]`);
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(${longestFirst})(?![\p{L}\p{N}])(?=[\s-]*(\p{L}*))`, 'gu');
  return { values, pattern, numberTerms: new Set(terms([...values.keys()].join(' '))) };
}

const readers = new Map<Language, NumberReader>();

/** The reader for a text's language (English if unknown), created for the first such text. */
function readerFor(text: string): NumberReader {
  const language = languageOrEnglish(languageOf(text));
  let reader = readers.get(language);
  if (!reader) readers.set(language, (reader = createNumberReader(language)));
  return reader;
}

/** The terms of written numbers in the language of a text. */
export const numberTerms = (text: string): ReadonlySet<string> => readerFor(text).numberTerms;

/** The written numbers from zero to ninety-nine in a text, in order, each with the word after it: `year` in `two-year`. */
export function writtenCounts(text: string): { value: number; of: string }[] {
  const { values, pattern } = readerFor(text);
  return Array.from(text.toLowerCase().matchAll(pattern), ([, number, of = '']) => ({ value: values.get(normalizeNumber(number!))!, of }));
}

/** The written numbers from zero to ninety-nine in a text, in order: `seven`, `twenty-one`, and `two` of `two-year`. */
export const writtenNumbers = (text: string): number[] => writtenCounts(text).map(({ value }) => value);
