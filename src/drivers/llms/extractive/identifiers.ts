import { UNSPACED } from '../../../base/analyse.ts';
import { numberedHolder, numberedIn, type Numbered } from './numbered.ts';

/** What a question tells from its like by: a code (`E05`, `OV-250`, `2.3.1`), or a number behind what it counts through (`series 7`). */
export type Identifier = { code: string } | Numbered;

const WORD = /[\p{L}\p{N}]+(?:[-_.]+[\p{L}\p{N}]+)*/gu;
/** `16th`, `1990s`, `90km`, `3.5mm`: numbers of ordinary language. */
const AMOUNT = /^\d+(?:\.\d+)?\p{Ll}{1,3}$/u;
const VERSION = /^\d+(?:\.\d+){2,}$/;
/** `20-year`, `mid-1990s`: a number beside a word. */
const COMPOUND = /(?:^|[-_.])(?:\p{Lu}?\p{Ll}{3,}|\d+(?:s|st|nd|rd|th))(?:$|[-_.])/u;
/** `v2`: every `v2.3.1` is one, and no 2 of anything else. */
const MAJOR = /^v(\d+)$/i;

/** Characters of a longer word, which is an address or a sum of a file and no code that anybody asks for. */
const LONGEST_CODE = 60;

/** Identifiers of a question that are looked for; of more, the last, which are those that are asked for now. */
const MOST = 20;

const isCode = (word: string): boolean =>
  word.length <= LONGEST_CODE &&
  (VERSION.test(word) || (/\p{L}/u.test(word) && /\d/.test(word) && !AMOUNT.test(word) && !COMPOUND.test(word)));

/** Letters that are written without spaces are no part of a code that stands among them. */
const spaced = (text: string): string => text.replace(UNSPACED, ' ');

/** The codes and the numbered things of a question. */
export function identifiersOf(question: string): Identifier[] {
  const codes = Array.from(spaced(question).matchAll(WORD), ([word]) => word).filter(isCode);
  const found = [...new Set(codes)].map((code): Identifier => ({ code }));
  return [...found.slice(-MOST), ...numberedIn(question).slice(-MOST)].slice(-MOST);
}

/** What a code looks like however its parts are set apart (`OV-250`, `OV 250`), and never as a part of another. */
function patternOf(code: string): RegExp {
  const major = MAJOR.exec(code)?.[1];
  if (major !== undefined)
    return new RegExp(`(?<![\\p{L}\\p{N}.])(?:(?:v|version|release)[\\s.-]?${major}|${major}(?=\\.\\d+\\.\\d))(?![\\p{L}\\p{N}])`, 'iu');
  const parts = code.replace(/^v(?=\d)/i, '').match(/\p{L}+|\d+/gu) ?? [];
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\d\\.)v?${parts.join('[-_.\\s]?')}s?(?![\\p{L}\\p{N}]|\\.\\d)`, 'iu');
}

/** Tells of identifiers whether a text has them. */
export function identifierHolder(text: string): (identifier: Identifier) => boolean {
  const words = spaced(text);
  const hasNumbered = numberedHolder(text);
  return (identifier) => ('code' in identifier ? patternOf(identifier.code).test(words) : hasNumbered(identifier));
}

/** The code that a row of a table or an item of a list is about: the only thing in its first cell. */
export function codeOf(cell: string): string | undefined {
  const word = cell.trim();
  return isCode(word) && !/\s/.test(word) ? word.toLowerCase() : undefined;
}
