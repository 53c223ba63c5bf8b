import type { Cell, PdfLine } from './pdf-lines.ts';
import { NOTE_START } from './pdf-notes.ts';

/** The word before the hyphen at the end of a line, and the beginning of the next line. */
const BROKEN = /(?<=^|[^\p{L}])((?:\p{L}{1,60}[-\u2010]){0,3}\p{L}{1,60})[-\u00ad\u2010]$/u;
const HYPHENS = '-\u00ad\u2010';
const REST = /^[\p{L}\p{N}]{1,60}/u;
const WORDS = /\p{L}{1,60}(?:[-\u2010]\p{L}{1,60}){0,4}/gu;
/** Shorter parts are syllables rather than words. */
const MIN_LETTERS = 3;
/** A document that breaks words does so at the end of at least this share of its lines. */
const MANY = 0.03;
/** A document with fewer lines is taken to break words, as most do. */
const MIN_LINES = 100;
const SOFT = '\u00ad';

/** Joins two texts if a word is broken between them, else returns undefined. */
export type WordMender = (before: string, next: string) => string | undefined;

/** Creates a mender that keeps the hyphens that belong to a word («two-way») and removes those that only break it, by the words of the document. */
export function createWordMender(pages: readonly PdfLine[][]): WordMender {
  let words: Vocabulary | undefined;
  return (before, next) => {
    const left = brokenWord(before);
    const right = REST.exec(next)?.[0];
    if (left === undefined || right === undefined) return undefined;
    const bare = before.slice(0, -1);
    if (before.endsWith(SOFT)) return bare + next;
    return keepsHyphen(left, right, (words ??= vocabularyOf(pages))) ? before + next : bare + next;
  };
}

/** Returns the beginning of a word that is broken at the end of a text. */
const brokenWord = (text: string): string | undefined =>
  HYPHENS.includes(text.at(-1) ?? ' ') ? BROKEN.exec(text.slice(-200))?.[1] : undefined;

interface Vocabulary {
  /** Words, and those with hyphens, in lower case. */
  words: ReadonlySet<string>;
  /** Whether the document breaks words: a word that it also has whole, or many. */
  isHyphenated: boolean;
}

function keepsHyphen(left: string, right: string, { words, isHyphenated }: Vocabulary): boolean {
  if (/^[\p{Lu}\p{N}]/u.test(right) && !(/^\p{Lu}+$/u.test(right) && words.has(joinWord(left, right)))) return true;
  if (words.has(joinWord(left, right))) return false;
  return !isHyphenated || words.has(`${left}-${right}`.toLowerCase()) || areWords(left, right, words);
}

const joinWord = (left: string, right: string): string => (left + right).toLowerCase();

const areWords = (left: string, right: string, words: ReadonlySet<string>): boolean =>
  [left, right].every((part) => part.length >= MIN_LETTERS && words.has(part.toLowerCase()));

function vocabularyOf(pages: readonly PdfLine[][]): Vocabulary {
  const words = new Set<string>();
  const broken: [left: string, right: string][] = [];
  for (const lines of pages) {
    let begin = 0; // behind the rest of a broken word, neither part of which counts as a word
    for (const [i, { text }] of lines.entries()) {
      const left = brokenWord(text);
      const right = left === undefined || i + 1 === lines.length ? undefined : /^\p{Ll}{1,60}/u.exec(lines[i + 1]!.text)?.[0];
      if (left !== undefined && right !== undefined) broken.push([left, right]);
      const end = right === undefined ? text.length : text.length - left!.length - 1;
      for (const word of text.slice(begin, end).toLowerCase().replaceAll('\u2010', '-').match(WORDS) ?? []) {
        words.add(word);
        if (word.includes('-')) for (const part of word.split('-')) words.add(part);
      }
      begin = right?.length ?? 0;
    }
  }
  const count = pages.reduce((sum, lines) => sum + lines.length, 0);
  return {
    words,
    isHyphenated: broken.length >= MANY * count || count < MIN_LINES || broken.some(([left, right]) => words.has(joinWord(left, right))),
  };
}

/** Estimates the width of the first word of a text in points, by its share of the letters. */
export function firstWordWidth({ text, x, right }: Cell): number {
  const [word = ''] = text.split(' ', 1);
  return ((right - x) * word.length) / Math.max(1, text.length);
}

/** Whether two lines are joined without a space, because their script has none. */
export const areUnspaced = (before: string, next: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，」』）]$/u.test(before) &&
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}「『（]/u.test(next);

/** Joins words that are broken over two pages; they move to the first page, before its notes. */
export function mendPageBreaks(pages: readonly PdfLine[][], mendWord: WordMender): PdfLine[][] {
  const mended = pages.map((lines) => [...lines]);
  for (const [i, lines] of mended.slice(0, -1).entries()) {
    const notes = lines.findIndex(({ text }) => NOTE_START.test(text));
    const at = (notes < 0 ? lines.length : notes) - 1;
    const [last, next] = [lines[at], mended[i + 1]![0]];
    const [rest = ''] = next?.text.split(' ', 1) ?? [];
    const whole = last && /^\p{Ll}/u.test(rest) && mendWord(last.text, rest);
    if (!whole || last.cells.length !== 1 || next?.cells.length !== 1) continue;
    lines[at] = replaceText(last, whole);
    mended[i + 1]![0] = replaceText(next, next.text.slice(rest.length).trimStart());
  }
  return mended.map((lines) => lines.filter(({ text }) => text !== ''));
}

const replaceText = (line: PdfLine, text: string): PdfLine => ({ ...line, text, cells: [{ ...line.cells[0]!, text }] });
