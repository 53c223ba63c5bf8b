import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import type { Language } from './language.ts';
import { spanish } from './spanish.ts';

/** The languages that kb supports fully. A phrase that several share is answered in the first of them; English replaces all others. */
export const LANGUAGES: readonly Language[] = [english, german, french, spanish];

/** Looks up a language by its code; English if it is unknown. */
export const languageOrEnglish = (code: string | undefined): Language => LANGUAGES.find((language) => language.code === code) ?? english;

/** The alternatives that all languages give for a regular expression, and those of `others`. */
export const alternatives = (pick: (language: Language) => string | undefined, ...others: readonly string[]): string =>
  [...LANGUAGES.map(pick), ...others].filter(Boolean).join('|');

/** The words that all languages list, divided by blanks, and those of `others`. */
export const wordList = (pick: (language: Language) => string | undefined, ...others: readonly string[]): string[] =>
  [...LANGUAGES.map(pick), ...others].flatMap((words) => words?.trim().split(/\s+/) ?? []).filter(Boolean);

/** An expression for any of the alternatives as a whole word. */
export const wholeWord = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${words})(?![\p{L}\p{N}])`, 'iu');

/** An expression for a pattern in which `‹` and `›` stand for the edges of a word, `…` for up to 90 characters of a sentence. */
export const phrasePattern = (pattern: string): RegExp =>
  new RegExp(
    pattern
      .replaceAll('…', String.raw`[^.!?。！？;:]{0,90}?`)
      .replaceAll('‹', String.raw`(?<![\p{L}\p{N}])`)
      .replaceAll('›', String.raw`(?![\p{L}\p{N}])`),
    'iu',
  );
