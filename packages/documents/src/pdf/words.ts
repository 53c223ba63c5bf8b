import { type Cell, FIELD_FONT, LEADER, type PdfLine, rightEdge } from './lines.ts';
import { NOTE_START } from './margins.ts';

/** Maximum distance of wrapped lines, in font sizes. */
const NEXT_LINE = 1.8;
/** Minimum pairs of lines that show how wide a column of text is. */
const MIN_PAIRS = 4;
/** Minimum width of a column of text, in font sizes. */
const MIN_WIDTH = 16;
/** Minimum share of the lines of a column that end where the next word has no room. */
const MAX_LINES = 0.6;
/** Minimum share of those that go on in the middle of a sentence. */
const FLOWING = 0.4;
/** Wider lines that are tried as the edge of a column; few reach across the columns of a page. */
const MAX_ACROSS = 20;
/** Minimum distance upwards of a paragraph that goes on in the next column, in font sizes. */
const COLUMN_JUMP = 3;
/** A step to the next line that is larger than the usual one by this factor begins a paragraph. */
export const PARAGRAPH_STEP = 1.25;
/** Minimum distance of lines of text, in font sizes. */
const LEADING = 1.2;
/** Minimum lines of one size that show how far apart they stand. */
const MIN_STEPS = 3;
/** Minimum share of the steps that are from line to line, not to the next paragraph or item. */
const LINE_STEPS = 1 / 3;
/** Shorter parts are syllables rather than words. */
const MIN_LETTERS = 3;
/** A document that breaks words does so at the end of at least this share of its lines. */
const MANY = 0.03;
/** A document with fewer lines is taken to break words, as most do. */
const MIN_LINES = 100;
/** Minimum share of the widest line around it that a full line has; a shorter one ends on purpose. */
const FULL = 0.8;

/** The word before the hyphen at the end of a line, and the beginning of the next line. */
const BROKEN = /(?<=^|[^\p{L}])((?:\p{L}{1,60}[-\u2010]){0,3}\p{L}{1,60})[-\u00ad\u2010]$/u;
const HYPHENS = '-\u00ad\u2010';
const REST = /^[\p{L}\p{N}]{1,60}/u;
const WORDS = /\p{L}{1,60}(?:[-\u2010]\p{L}{1,60}){0,4}/gu;
const SOFT = '\u00ad';

/** Joins two texts if a word is broken between them, else returns undefined. */
export type WordMender = (before: string, next: string) => string | undefined;

/** Creates a mender that keeps the hyphens that belong to a word ("two-way") and removes those that only break it, by the words of the document. */
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
  HYPHENS.includes(text.at(-1) ?? ' ') ? BROKEN.exec(text.slice(text.lastIndexOf(' ') + 1).slice(-200))?.[1] : undefined;

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
function firstWordWidth({ text, x, right }: Cell): number {
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

/** Matches the end of a sentence. */
export const SENTENCE_END = /[.!?:;…。！？]["'”’)\]]*$/;

/** Whether a line reaches so far that its text goes on in the next one; without a next one, by its width alone. */
type FullLineTest = (line: PdfLine, next?: PdfLine) => boolean;

/** How the lines of a paragraph are joined. */
export interface JoinOptions {
  isFull: FullLineTest;
  mendWord: WordMender;
}

/** Creates a test for the full lines of a page: those nearly as wide as the widest, and those of a column that had no room for the next word. */
export function detectFullLines(lines: readonly PdfLine[]): FullLineTest {
  const width = lines.reduce((most, { x, right }) => Math.max(most, right - x), 0);
  const edge = rightEdge(lines);
  const columns = Map.groupBy(lines, ({ x }) => Math.round(x));
  const edges = new Map(Array.from(columns, ([x, all]) => [x, columnEdge(all)]));
  return (line, next) => {
    const length = line.right - line.x;
    if (length >= FULL * width) return true;
    const own = edges.get(Math.round(line.x)) ?? 0;
    if (!next) return own > 0 && length >= FULL * (own - line.x);
    const column = own || (edges.get(Math.round(next.x)) ?? 0); // a first line may be indented
    const isWrapped = neededEdge(line, next) > column && length >= FULL * (column - Math.max(line.x, next.x));
    if (column > 0 && isWrapped) return true;
    return Math.abs(line.x - next.x) < 1 && line.right >= edge - (1 - FULL) * width;
  };
}

/** Returns how far a line would reach with the first word of the next one. */
const neededEdge = (line: PdfLine, next: PdfLine): number => line.right + next.size / 4 + firstWordWidth(next);

/** Finds the right edge of the column in which lines that begin at one place are wrapped; 0 if they are not. */
function columnEdge(lines: readonly PdfLine[]): number {
  const [first] = lines as [PdfLine];
  const pairs = lines.slice(1).flatMap((next, i) => {
    const line = lines[i]!;
    const isNext = line.y > next.y && line.y - next.y < NEXT_LINE * next.size;
    const isFlowing = /^[\p{Ll}\p{Lo}]/u.test(next.text) && !SENTENCE_END.test(line.text);
    return isNext ? [{ right: line.right, needed: neededEdge(line, next), isFlowing }] : [];
  });
  const isColumn = (edge: number): boolean => {
    const within = pairs.filter(({ right }) => right <= edge);
    const wrapped = within.filter(({ needed, right }) => needed > edge && right - first.x >= FULL * (edge - first.x));
    const flowing = wrapped.filter(({ isFlowing }) => isFlowing);
    return (
      within.length >= Math.max(MIN_PAIRS, MAX_LINES * pairs.length) &&
      wrapped.length >= MAX_LINES * within.length &&
      flowing.length >= FLOWING * within.length
    );
  };
  const edges = lines.map(({ right }) => right).toSorted((a, b) => b - a);
  return edges.slice(0, MAX_ACROSS).find((edge) => edge - first.x >= MIN_WIDTH * first.size && isColumn(edge)) ?? 0;
}

/** Joins the lines of a paragraph that were full; keeps line breaks on purpose and lines in columns. */
export function joinLines(lines: readonly PdfLine[], { isFull, mendWord }: JoinOptions): string {
  return lines.reduce((text, line, i) => {
    if (i === 0) return line.text;
    const before = lines[i - 1]!;
    const mended = mendWord(text, line.text);
    if (mended !== undefined) return mended;
    const isOpen =
      (line.y > before.y + COLUMN_JUMP * line.size || isFull(before, line)) &&
      !before.text.includes(LEADER) &&
      !areColumns(before, line) &&
      !isFilled(before) &&
      !isFilled(line);
    return `${text}${!isOpen ? '\n' : areUnspaced(text, line.text) ? '' : ' '}${line.text}`;
  }, '');
}

/** Whether a line has a field of a form, which may end anywhere. */
const isFilled = ({ runs }: PdfLine): boolean => runs.some(({ font }) => font === FIELD_FONT);

/** Whether the cells of two lines stand below one another. */
const areColumns = ({ cells, size }: PdfLine, next: PdfLine): boolean =>
  cells.length > 1 && cells.length === next.cells.length && cells.every(({ x }, i) => Math.abs(x - next.cells[i]!.x) < size / 2);

/** Returns how far below a line the next one of its text stands, in points. */
export type LineStep = (line: PdfLine) => number;

/** Measures how far apart the lines of a page stand, for each size: code and notes stand closer than text. */
export function measureSteps(lines: readonly PdfLine[]): LineStep {
  const steps = lines.slice(1).flatMap((line, i) => {
    const before = lines[i]!;
    const step = before.y - line.y;
    return step > 0 && step < 3 * before.size ? [{ step, size: sizeKey(before) === sizeKey(line) ? sizeKey(line) : undefined }] : [];
  });
  const sorted = steps.map(({ step }) => step).toSorted((a, b) => a - b);
  const all = closestStep(sorted) ?? sorted[sorted.length >> 1] ?? Infinity;
  const own = new Map<number | undefined, number | undefined>();
  for (const [size, some] of Map.groupBy(steps, ({ size: key }) => key))
    own.set(size, closestStep(some.map(({ step }) => step).toSorted((a, b) => a - b)));
  return (line) => own.get(sizeKey(line)) ?? Math.max(all, LEADING * line.size);
}

const sizeKey = ({ size }: PdfLine): number => Math.round(size * 10);

/** Finds the smallest of sorted steps that many others are about as large as. */
function closestStep(sorted: readonly number[]): number | undefined {
  let end = 0;
  for (const [i, step] of sorted.entries()) {
    while (end < sorted.length && sorted[end]! <= PARAGRAPH_STEP * step) end++;
    if (end - i >= Math.max(MIN_STEPS, LINE_STEPS * sorted.length)) return sorted[(i + end - 1) >> 1];
  }
  return undefined;
}
