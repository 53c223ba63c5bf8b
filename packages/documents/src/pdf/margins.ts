import { detectSmallLines, isAligned, leftEdge, type PdfLine, RAISED_SIGN, rightEdge, usualSize } from './lines.ts';

/** Share of the height of a page at its upper and lower edge in which running lines are looked for: LaTeX puts its headers at 12%. */
const MARGIN = 0.15;
/** Maximum running lines below one another. */
const MAX_ROWS = 3;
/** Minimum pages that repeat a line, and the maximum distance of two of them. */
const MIN_PAGES = 3;
const MAX_STEP = 2;
/** Minimum share of the pages that have a line at a height where running lines are. */
const SHARE = 0.4;
/** Minimum distance of running lines from the text, in font sizes; and the share of the gaps between lines that may be as wide. */
const APART = 1.8;
const USUAL_GAP = 0.2;
/** Maximum difference of the heights of lines in one row, in font sizes; of a line that several pages have, in points. */
const SAME_ROW = 0.5;
const SAME_HEIGHT = 4;
/** Maximum distance between the column names and the first row of a table, in font sizes, and between their edges. */
const BELOW = 3;
const ALIGNED = 0.6;
/** Maximum distance of the wrapped lines of a note, in font sizes. */
const STEP = 1.7;
/** Characters before a mark that are checked. */
const REACH = 20;

type Side = 'head' | 'foot';

/** A page without its running lines. Those of them that no page before has are kept as `heads` and `feet`. */
export interface SeparatedPage {
  lines: PdfLine[];
  heads: PdfLine[];
  feet: PdfLine[];
}

/** How far below the upper edge of its page a line is, as a share of the height. */
export type HeightOnPage = (line: PdfLine) => number;

/** A line in a margin, or one of its cells. */
interface MarginLine {
  line: PdfLine;
  whole: PdfLine;
  page: number;
  side: Side;
  /** What it says, apart from the number of its page. */
  key: string;
  /** Whether it says nothing but the number of its page. */
  isNumber: boolean;
  /** The number in it that may be that of its page. */
  number?: number;
  /** Its height as a key. */
  height: string;
}

/**
 * Separates running headers and footers from the text: lines in the upper and lower margin that at least three pages in a row have, apart from the number of
 * the page, or that are where most pages have one. Each is kept once, on its first page; numbers of pages are removed. Lists the texts that were `removed`.
 */
export function separateRunningLines(
  pages: readonly PdfLine[][],
  heights: readonly HeightOnPage[],
): { pages: SeparatedPage[]; removed: string[] } {
  const candidates = pages.flatMap((lines, page) => marginLines(lines, { page, heightOf: heights[page]! }));
  const counts = countNumbers(candidates);
  const margin = candidates.map((line) => ({ ...line, ...maskNumber(line, counts) }));
  const runs = findRuns(margin);
  const isAtPlace = detectPlaces(margin, { runs, pages });
  const isRemoved = (line: MarginLine): boolean =>
    line.isNumber || runs.get(line) === 'repeated' || (isAtPlace(line) && PAGE_NUMBER.test(line.line.text));
  const running = Map.groupBy(margin, ({ whole }) => whole);
  const removed: string[] = [];
  const kept: Record<Side, PdfLine[][]> = { head: pages.map(() => []), foot: pages.map(() => []) };
  for (const cells of running.values()) {
    const [{ page, side, whole }] = cells as [MarginLine];
    const left = cells.filter((cell) => !isRemoved(cell));
    if (left.length === cells.length && !left.some((cell) => runs.has(cell) || isAtPlace(cell))) running.delete(whole);
    else if (left.length > 0) kept[side][page]!.push(joinCells(left));
    if (left.length < cells.length) removed.push(...cells.flatMap((cell) => (left.includes(cell) ? [] : [cell.line.text])));
  }
  return {
    pages: pages.map((lines, page) => ({
      lines: lines.filter((line) => !running.has(line)),
      heads: kept.head[page]!,
      feet: kept.foot[page]!.toReversed(),
    })),
    removed,
  };
}

/** Joins the cells of a line that are left. */
function joinCells(cells: readonly MarginLine[]): PdfLine {
  const lines = cells.map(({ line }) => line);
  const text = lines.map((line) => line.text).join(' ');
  return { ...cells[0]!.whole, text, x: leftEdge(lines), right: rightEdge(lines), cells: lines.flatMap((line) => line.cells) };
}

/** Finds the lines that at least three pages in a row have at one height, left and right pages in turn; and their repetitions on pages behind. */
function findRuns(margin: readonly MarginLine[]): Map<MarginLine, 'first' | 'repeated'> {
  const runs = new Map<MarginLine, 'first' | 'repeated'>();
  for (const all of Map.groupBy(margin, ({ side, key }) => `${side} ${key}`).values()) {
    let run: MarginLine[] = [];
    for (const line of all) {
      const before = run.at(-1);
      const isAtHeight = before !== undefined && Math.abs(line.line.y - before.line.y) <= SAME_HEIGHT;
      const isNear = runs.has(run[0]!) || (before !== undefined && line.page - before.page <= MAX_STEP);
      const isNext = line.number === undefined ? isNear : line.number > (before?.number ?? 0);
      if (!isAtHeight || !isNext) run = [];
      run.push(line);
      if (run.length >= MIN_PAGES) for (const [i, member] of run.entries()) runs.set(member, i === 0 ? 'first' : 'repeated');
    }
  }
  return runs;
}

/** Creates a test for lines where most pages have running lines or their number, no larger than the text. */
function detectPlaces(
  margin: readonly MarginLine[],
  { runs, pages }: { runs: ReadonlyMap<MarginLine, unknown>; pages: readonly PdfLine[][] },
): (line: MarginLine) => boolean {
  const places = new Map<string, Set<number>>();
  for (const line of margin)
    if (line.isNumber || runs.has(line)) places.set(line.height, (places.get(line.height) ?? new Set()).add(line.page));
  const size = usualSize(pages.flat(), Math.round);
  return ({ height, line }) => (places.get(height)?.size ?? 0) > Math.max(2, SHARE * pages.length) && Math.round(line.size) <= size;
}

/** Lists the cells of the lines at the edges of a page that lie in its margins, apart from its text. Names of columns above their table are none of them. */
function marginLines(lines: readonly PdfLine[], { page, heightOf }: { page: number; heightOf: HeightOnPage }): MarginLine[] {
  const downwards = lines.filter(({ ruled }) => !ruled).toSorted((a, b) => b.y - a.y || a.x - b.x);
  const toMargin = (side: Side, all: readonly PdfLine[]): MarginLine[] =>
    all
      .filter((line) => !namesColumnsBelow(line, lines))
      .flatMap((whole) =>
        whole.cells.map((cell) => ({
          line: whole.cells.length === 1 ? whole : { ...whole, ...cell, cells: [cell] },
          whole,
          page,
          side,
          key: cell.text,
          isNumber: false,
          height: `${side} ${Math.round(whole.y / SAME_HEIGHT)}`,
        })),
      );
  return [
    ...toMargin('head', outermostRows(downwards, heightOf)),
    ...toMargin(
      'foot',
      outermostRows(downwards.toReversed(), (line) => 1 - heightOf(line)),
    ),
  ];
}

/** Returns the first rows of lines in the margin, up to the last gap to the text that is wider than those between paragraphs. */
function outermostRows(lines: readonly PdfLine[], depthOf: HeightOnPage): readonly PdfLine[] {
  let rows = 1;
  let count = 0;
  for (const [i, line] of lines.entries()) {
    if (depthOf(line) > MARGIN) break;
    const next = lines[i + 1];
    const gap = next ? Math.abs(next.y - line.y) : Infinity;
    const isAboveText = count === 0 || (next !== undefined && depthOf(next) < 1 - MARGIN);
    if (gap >= APART * line.size && isAboveText && !isUsualGap(gap, lines)) count = i + 1;
    if (gap > SAME_ROW * line.size && ++rows > MAX_ROWS) break;
  }
  return lines.slice(0, count);
}

/** Whether many lines of a page have such a gap between them. */
function isUsualGap(gap: number, lines: readonly PdfLine[]): boolean {
  const gaps = lines.slice(1).map(({ y }, i) => Math.abs(lines[i]!.y - y));
  return gaps.filter((other) => Math.abs(other - gap) < 1).length > Math.max(2, USUAL_GAP * gaps.length);
}

/** Whether the cells of a line stand above those of the next line. */
function namesColumnsBelow(line: PdfLine, lines: readonly PdfLine[]): boolean {
  if (line.cells.length < 2) return false;
  const next = lines[lines.indexOf(line) + 1];
  return (
    next !== undefined &&
    next.cells.length === line.cells.length &&
    line.y > next.y &&
    line.y - next.y <= BELOW * line.size &&
    line.cells.every((cell, i) => isAligned(cell, next.cells[i]!, ALIGNED * line.size))
  );
}

const WORD = String.raw`(?:page|pages|pg?\.|seite|s\.|blatt|página|pagina|pág\.|pag\.|sida|side|strona|стр\.?|第)\s*`;
const OF_ALL = String.raw`(?:\s?(?:of|\/|von|de|di|van|av|af|z|из)\s?\d{1,4})?`;
/** The number of a page, alone or behind a word for it, perhaps with the number of all: "3", "- iv -", "A-12", "Page 3 of 9", "3/9". */
const PAGE_NUMBER = new RegExp(
  String.raw`^[-–—[(|\s]*(?:${WORD})?(?:[A-Z\d]{1,3}[-–.])?(\d{1,4}|[ivxlc]{1,7})${OF_ALL}[-–—\])|\s]*(?:页|頁|ページ)?$`,
  'iu',
);
/** A number in front of other words or behind them, but no year. */
const OUTER_NUMBER = new RegExp(
  String.raw`^(?!(?:19|20)\d\d\s)(?<front>\d{1,4})\s(?=\S)|\s(?!(?:19|20)\d\d$)(?<behind>(?:\d{1,4}|[ivxlc]{1,7})${OF_ALL})$`,
  'iu',
);
const ENDS_AS_NUMBER_LABEL = new RegExp(String.raw`[|·•–—]$|(?:^|\s)${WORD}$`, 'iu');
/** Whether words precede the number of a page, and not of a thing ("Station 7"): many words, a sign, or a word for it. */
const precedesPageNumber = (words: string): boolean => words.split(/\s+/).length > 3 || ENDS_AS_NUMBER_LABEL.test(words);

/** Converts the digits of a page number; undefined for another text. */
function pageNumberOf(text: string): number | undefined {
  const digits = PAGE_NUMBER.exec(text)?.[1];
  return digits === undefined ? undefined : valueOf(digits);
}

const valueOf = (digits: string): number => (/^\d/.test(digits) ? Number.parseInt(digits, 10) : romanValue(digits));

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

function romanValue(numeral: string): number {
  const values = Array.from(numeral.toLowerCase(), (letter) => ROMAN[letter]!);
  return values.reduce((sum, value, i) => (value < (values[i + 1] ?? 0) ? sum - value : sum + value), 0);
}

/** Where the numbers of pages begin: a number minus the index of its page, with the texts that it is beside on several pages. */
type Counts = ReadonlyMap<number, { pages: Set<number>; texts: Set<string> }>;

function countNumbers(margin: readonly MarginLine[]): Counts {
  const counts = new Map<number, { pages: Set<number>; texts: Set<string> }>();
  for (const { line, page } of margin) {
    const { number, key } = splitNumber(line.text) ?? { number: pageNumberOf(line.text), key: '#' };
    if (number === undefined) continue;
    const { pages, texts } = counts.get(number - page) ?? { pages: new Set(), texts: new Set() };
    counts.set(number - page, { pages: pages.add(page), texts: texts.add(key) });
  }
  return counts;
}

/** Splits a line into the number in front or behind, and what it says besides; undefined if it has none. */
function splitNumber(text: string): { number: number; key: string; isLong: boolean } | undefined {
  const { front, behind } = (pageNumberOf(text) === undefined && OUTER_NUMBER.exec(text)?.groups) || {};
  if (front !== undefined) return { number: valueOf(front), key: `# ${text.slice(front.length).trim()}`, isLong: true };
  if (behind === undefined) return undefined;
  const words = text.slice(0, -behind.length).trim();
  return { number: valueOf(behind), key: `${words} #`, isLong: precedesPageNumber(words) };
}

/** Returns what a line says apart from the number of its page. Behind a word or two a number is that of the page if others are counted with it beside other words. */
function maskNumber({ line: { text }, page }: MarginLine, counts: Counts): Pick<MarginLine, 'key' | 'isNumber' | 'number'> {
  const alone = pageNumberOf(text);
  if (alone !== undefined && counts.get(alone - page)!.pages.size > 1) return { key: '#', isNumber: true };
  const split = splitNumber(text);
  if (!split || !(split.isLong || counts.get(split.number - page)!.texts.size > 1)) return { key: text, isNumber: false };
  return { key: split.key, isNumber: false, number: split.number };
}

/** A raised number, and the number at the beginning of a note. */
const MARK = new RegExp(`${RAISED_SIGN}(\\d{1,3}\\)?)${RAISED_SIGN}`, 'g');
const BEGINNING = new RegExp(`^(?:${RAISED_SIGN}(\\d{1,3})\\)?${RAISED_SIGN}|(\\d{1,3})[.)]?(?=\\s))\\s{0,5}(?=\\S.{10})`);
/** The end of the text before a note's number; an exponent stands behind a shorter one. */
const BEHIND_WORD = /[\p{L}\p{P}]{2}$/u;

/** Matches the beginning of a note in Markdown. */
export const NOTE_START = /^\[\^\d{1,3}(?:-p\d{1,6})?\]: /;

/** Moves footnotes to the end of their pages, in the syntax of Markdown (`[^1]`). Other raised numbers become superscripts. */
export function separateNotes(pages: readonly PdfLine[][]): PdfLine[][] {
  const taken = new Set<string>();
  return pages.map((lines, index) => {
    if (!lines.some(({ text }) => text.includes(RAISED_SIGN))) return lines;
    const notes = notesOf(lines);
    const labels = new Map(notes.map(({ number }) => [number, taken.has(number) ? `${number}-p${index + 1}` : number]));
    for (const { number } of notes) taken.add(number);
    const inNotes = new Set(notes.flatMap((note) => note.lines));
    const marked = (text: string): string =>
      text.replace(MARK, (_, raised: string, at: number) => {
        const label = labels.get(raised.replace(')', ''));
        return label !== undefined && isMark(text, at) ? `[^${label}]` : superscript(raised, text.slice(at));
      });
    return [
      ...lines.filter((line) => !inNotes.has(line)).map((line) => rewriteText(line, marked)),
      ...notes.flatMap((note) => noteLines(note, labels.get(note.number)!)),
    ];
  });
}

/** A number with its unit, whose raised number is an exponent: "25 cm²". */
const UNIT = /\d\s?\p{L}{1,3}$/u;

function isMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - REACH), at).trimEnd();
  return BEHIND_WORD.test(before) && !UNIT.test(before);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Writes a raised number; the numerator of a fraction stays as it is. */
const superscript = (raised: string, rest: string): string =>
  raised.endsWith(')') || FRACTION.test(rest) ? raised : raised.replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)]!);

const FRACTION = new RegExp(`^${RAISED_SIGN}\\d{1,3}${RAISED_SIGN}\\s?[⁄/]`);

const rewriteText = (line: PdfLine, write: (text: string) => string): PdfLine =>
  line.text.includes(RAISED_SIGN)
    ? { ...line, text: write(line.text), cells: line.cells.map((cell) => ({ ...cell, text: write(cell.text) })) }
    : line;

const noteLines = ({ lines }: Note, label: string): PdfLine[] =>
  lines.map((line, i) => {
    const words = (i === 0 ? line.text.replace(BEGINNING, '') : line.text).replace(MARK, '$1');
    const text = i === 0 ? `[^${label}]: ${words}` : words;
    return { ...line, text, cells: [{ text, x: line.x, right: line.right }] };
  });

interface Note {
  number: string;
  lines: PdfLine[];
}

/** Lists the notes of a page: small lines that begin with a number that is raised in the text above. */
function notesOf(lines: readonly PdfLine[]): Note[] {
  const isSmall = detectSmallLines(lines);
  const marks = new Map<string, number>(); // the y of the highest
  for (const line of lines)
    if (!isSmall(line))
      for (const { 1: raised = '', index } of line.text.matchAll(MARK))
        if (isMark(line.text, index)) {
          const number = raised.replace(')', '');
          marks.set(number, Math.max(line.y, marks.get(number) ?? line.y));
        }
  const notes = new Map<string, Note>();
  let open: Note | undefined;
  for (const line of lines) {
    const [, raised, plain] = (isSmall(line) && BEGINNING.exec(line.text)) || [];
    const number = raised ?? plain;
    const before = open?.lines.at(-1);
    if (number !== undefined && line.y < (marks.get(number) ?? 0) && !notes.has(number))
      notes.set(number, (open = { number, lines: [line] }));
    else if (
      open &&
      before &&
      isSmall(line) &&
      before.y > line.y &&
      before.y - line.y < STEP * line.size &&
      Math.abs(before.size - line.size) < 0.5
    )
      open.lines.push(line);
    else open = undefined;
  }
  return [...notes.values()];
}
