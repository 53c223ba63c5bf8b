/** Letters of notes are smaller than those of the text by this factor. */

/** Letters of notes are smaller than those of the text by this factor. */
const SMALL = 0.95;
/** Maximum difference of the baselines of one line, in font sizes: footnote marks are raised by a third. */
const SAME_LINE = 0.5;
/** Minimum gap between two runs that is a space, in font sizes. */
const SPACE = 0.2;
/** Minimum gap between cells, wider than any space of a justified line; and one wider than most of these. In font sizes. */
const GAP = 1.2;
const NARROW_GAP = 0.6;
/** Maximum distance between the beginnings of the cells of a column, in points. */
const ALIGNED = 1;
/** A raised number is at least this much higher than its line, and at most this large, both in font sizes of the line. */
const RAISED_BY = 0.2;
const RAISED_SIZE = 0.8;
/** Maximum angle between a run and the direction of its page, in degrees: scans are skewed. */
const SKEW = 20;
/** Maximum distance of copies of a run that make it look bold, in font sizes. */
const OVERPRINTED = 0.15;
/** Minimum overlap of runs that lie over one another, in font sizes. */
const OVERLAP = 0.15;
/** Maximum width of a letter, in font sizes. */
const LETTER = 1;

/** A run of text, as pdf.js returns it. */
export interface PdfItem {
  str: string;
  /** Scale, rotation and position: the last two are x and y; y grows upwards. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
  /** The name of its font in the document. */
  fontName: string;
}

/** A line of text on a page, in points; `y` is its baseline and grows upwards. */
export interface PdfLine {
  text: string;
  x: number;
  right: number;
  y: number;
  /** Font size of most of its letters. */
  size: number;
  /** Its parts between wide gaps; more than one if it may be the row of a table. */
  cells: readonly Cell[];
  /** The runs that draw it; empty for a line that was recognized in a picture. */
  runs: readonly PdfRun[];
  /** Its cell in a table whose borders are drawn. */
  ruled?: RuledCell;
}

/** A cell of a table. Numbers of rows ascend from the top, with gaps; columns count from 0. */
interface RuledCell {
  /** The table, and the edges of its columns. */
  grid: { readonly columns: readonly number[] };
  row: number;
  column: number;
  columns: number;
  /** Whether it is the only cell of its row. */
  isWhole: boolean;
}

/** A part of a line, in points. */
export interface Cell {
  text: string;
  x: number;
  right: number;
}

/** A run of text on a page, in points, with the name of its font. */
export interface PdfRun extends Omit<PdfLine, 'cells' | 'runs' | 'ruled'> {
  font: string;
}

/** The lines of a block or row, whose text begins at the offset `at`. */
export interface TextPlace {
  at: number;
  lines: readonly PdfLine[];
}

/** The Markdown of a page, and the places of its blocks and rows. */
export interface PageText {
  text: string;
  places: readonly TextPlace[];
  /** What it begins within, if that began on the page before; what may continue at its end. */
  begin?: 'paragraph' | 'table' | undefined;
  end?: 'paragraph' | 'table' | undefined;
}

/** The name of the font of what is filled into a form. */
export const FIELD_FONT = 'field';

/** Marks both ends of a raised number, such as that of a footnote. */
export const RAISED_SIGN = '\ue0f1';

/** Matches the bullet of a list item. */
export const BULLET = /^[•◦▪■●‣∙·–—*➢❖✓\uf0a7\uf0b7\uf0d8\uf0fc-]\s+(?=\S)/;

/** Matches the number of a list item. */
export const NUMBER = /^(?:\d{1,3}[.)]|\(?[a-z]\))\s/;

/** Separates an entry of a table of contents from its page. */
export const LEADER = ' … ';

/** Whether two parts stand below one another: their left edges, right edges or middles are at one place, up to `distance`. */
export const isAligned = (part: Omit<Cell, 'text'>, other: Omit<Cell, 'text'>, distance: number): boolean =>
  [part.x - other.x, part.right - other.right, (part.x + part.right - other.x - other.right) / 2].some((gap) => Math.abs(gap) <= distance);

/** Finds how far left the first of several parts begins. */
export const leftEdge = (parts: readonly { x: number }[]): number => parts.reduce((least, { x }) => Math.min(least, x), Infinity);

/** Finds how far right parts reach. */
export const rightEdge = (parts: readonly { right: number }[]): number =>
  parts.reduce((most, { right }) => Math.max(most, right), -Infinity);

/** Finds the key with the greatest count, the first of several; undefined if there is none. */
export function mostFrequent<Key>(counts: Iterable<readonly [Key, number]>): readonly [key: Key, count: number] | undefined {
  let most: readonly [Key, number] | undefined;
  for (const entry of counts) if (most === undefined || entry[1] > most[1]) most = entry;
  return most;
}

/** Finds the key that most letters have; undefined if there are none. */
function keyOfMostLetters<Key, Piece extends { text: string }>(pieces: Iterable<Piece>, keyOf: (piece: Piece) => Key): Key | undefined {
  const letters = new Map<Key, number>();
  for (const piece of pieces) {
    const key = keyOf(piece);
    letters.set(key, (letters.get(key) ?? 0) + piece.text.length);
  }
  return mostFrequent(letters)?.[0];
}

/** Finds the font of most letters. */
export const usualFont = (lines: readonly PdfLine[]): string | undefined =>
  keyOfMostLetters(
    lines.flatMap(({ runs }) => runs),
    ({ font }) => font,
  );

/** Finds the font size of most letters, rounded by `round`; 0 if there are none. */
export const usualSize = (lines: readonly PdfLine[], round = (size: number) => size): number =>
  keyOfMostLetters(lines, ({ size }) => round(size)) ?? 0;

/** Creates a test for lines of a page in smaller letters than most of them. */
export function detectSmallLines(lines: readonly PdfLine[]): (line: PdfLine) => boolean {
  const size = usualSize(lines) * SMALL;
  return (line) => line.size < size;
}

/** A line with its parts between narrower gaps. */
type DrawnLine = PdfLine & { parts: readonly Cell[] };

/** Letters that are written from right to left: their runs stay in drawing order. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** The dots between an entry of a table of contents and its page. */
const LEADERS = /(?:\s?\.){4,}\s*/g;
const MAY_BE_UNCLEAN = /\s\s|[^\S ]|\.\s?\./;

/** Groups the runs of a page into lines, in drawing order. The lines of a turned page get the positions that they have when it is turned back. */
export function pdfLines(drawn: readonly PdfItem[], turn: PageTurn = [1, 0]): PdfLine[] {
  const items = dropOverprints(drawn);
  const lines: DrawnLine[] = [];
  let runs: PdfRun[] = [];
  let hasEnded = false;
  const close = () => {
    const line = lineOf(joinDoubled(runs));
    if (line.text !== '') lines.push(line);
    runs = [];
  };
  for (const item of items) {
    const run = runOf(item, turn);
    const before = runs[0];
    if (before && (hasEnded || Math.abs(run.y - before.y) > SAME_LINE * Math.max(before.size, run.size))) close();
    runs.push(run);
    hasEnded = item.hasEOL;
  }
  close();
  return alignLines(lines);
}

/** Cosine and sine of the angle by which text is turned. */
export type PageTurn = readonly [cos: number, sin: number];

/** The runs of a page in its main direction, and the lines of text in others: stamps in the margin, labels of charts, watermarks. */
export interface TurnedText {
  turn: PageTurn;
  lines: PdfLine[];
}

/** Separates the runs in the direction of most letters from others. */
export function separateTurned(items: readonly PdfItem[]): { turn: PageTurn; upright: readonly PdfItem[]; turned: TurnedText[] } {
  if (items.every(({ transform: [a = 0, b = 0] }) => a > 0 && Math.abs(b) < a / 4)) return { turn: [1, 0], upright: items, turned: [] };
  const angles = Map.groupBy(items, ({ transform: [a = 0, b = 0] }) => directionOf((Math.atan2(b, a) * 180) / Math.PI));
  const sized = [...angles].map(([angle, all]) => ({ angle, text: all.map(({ str }) => str).join('') }));
  const usual = keyOfMostLetters(sized, ({ angle }) => angle) ?? 0;
  return {
    turn: turnBy(usual),
    upright: angles.get(usual) ?? [],
    turned: [...angles].flatMap(([angle, all]) => (angle === usual ? [] : [{ turn: turnBy(angle), lines: pdfLines(all, turnBy(angle)) }])),
  };
}

/** Rounds an angle to a right one that is near, else to degrees. */
function directionOf(angle: number): number {
  const right = 90 * Math.round(angle / 90);
  const rounded = Math.abs(angle - right) <= SKEW ? right : Math.round(angle);
  return (rounded + 360) % 360;
}

function turnBy(angle: number): PageTurn {
  const [cos, sin] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
  return angle % 90 === 0 ? [Math.round(cos), Math.round(sin)] : [cos, sin];
}

/** Splits lines also at narrow gaps, where a cell of the line above or below begins. */
function alignLines(lines: DrawnLine[]): PdfLine[] {
  for (let i = 1; i < lines.length; i++) splitAt(lines[i]!, lines[i - 1]!);
  for (let i = lines.length - 2; i >= 0; i--) splitAt(lines[i]!, lines[i + 1]!);
  return lines.map(({ parts: _, ...line }) => line);
}

function splitAt(line: DrawnLine, { cells }: PdfLine): void {
  if (cells.length < 2 || line.parts.length === line.cells.length) return;
  const own = line.cells;
  const isStart = ({ x }: Cell): boolean =>
    own.some((cell) => cell.x === x) || cells.some((cell, i) => i > 0 && Math.abs(cell.x - x) < ALIGNED);
  line.cells = cellsFrom(line.parts, isStart);
}

/** Joins parts to cells; a cell begins at the first part and at each that is a start. */
function cellsFrom(parts: readonly Cell[], isStart: (part: Cell) => boolean): Cell[] {
  const cells: Cell[] = [];
  for (const part of parts) {
    const cell = cells.at(-1);
    if (!cell || isStart(part)) cells.push({ ...part });
    else Object.assign(cell, { text: cleanText(`${cell.text} ${part.text}`), right: part.right });
  }
  return cells;
}

function runOf({ str, transform, width, height, fontName }: PdfItem, [cos, sin]: PageTurn): PdfRun {
  const [, , c = 0, d = 0, right = 0, up = 0] = transform;
  const x = cos * right + sin * up;
  // oxlint-disable-next-line no-control-regex
  const text = str.replace(/[\u0000-\u001f\u007f\ue0f1]/g, ' ').replace(/[\ufe70-\ufefc]+/g, (letters) => letters.normalize('NFKC'));
  return { text, x, right: x + width, y: cos * up - sin * right, size: Math.hypot(c, d) || height, font: fontName };
}

/** Drops copies of runs that are drawn over one another to look bold; the ends of their lines stay. */
function dropOverprints(items: readonly PdfItem[]): readonly PdfItem[] {
  const drawn = new Map<string, PdfItem[]>();
  return items.map((item) => {
    const { str, transform, width } = item;
    if (str.trim() === '') return item;
    const [, , , , x = 0, y = 0] = transform;
    const reach = Math.min(OVERPRINTED * (Math.hypot(transform[2] ?? 0, transform[3] ?? 0) || item.height), width / 2);
    const isCopy = (other: PdfItem): boolean => Math.abs(other.transform[4]! - x) < reach && Math.abs(other.transform[5]! - y) < reach;
    const others = drawn.get(str);
    if (others?.some(isCopy)) return { ...item, str: '', width: 0 };
    if (others) others.push(item);
    else drawn.set(str, [item]);
    return item;
  });
}

/** Joins a line whose letters are each drawn several times, one copy beside the next letter: "CChhaassssiiss". */
function joinDoubled(runs: readonly PdfRun[]): readonly PdfRun[] {
  const inked = runs.filter(({ text }) => text.trim() !== '');
  const [first] = inked;
  if (!first || inked.length < 3) return runs;
  const [x, right] = [leftEdge(inked), rightEdge(inked)];
  const copies = Math.round(inked.reduce((sum, run) => sum + run.right - run.x, 0) / (right - x));
  if (copies < 2 || copies > 4) return runs;
  const words = inked.toSorted((a, b) => a.x - b.x).map(({ text }) => text).join('').trim().split(/\s+/).map((word) => Array.from(word)); // prettier-ignore
  const isCopied = (letters: readonly string[]): boolean =>
    letters.length % copies === 0 && letters.every((letter, i) => letter === letters[i - (i % copies)]);
  if (!words.every(isCopied)) return runs;
  return [{ ...first, text: words.map((letters) => letters.filter((_, i) => i % copies === 0).join('')).join(' '), x, right }];
}

const NO_RUN: PdfRun = { text: '', x: 0, right: 0, y: 0, size: 0, font: '' };

/** Joins runs to a line with the size and baseline of the longest run, which a raised number does not change. */
function lineOf(runs: readonly PdfRun[]): DrawnLine {
  const [first] = runs;
  if (first && runs.length === 1) {
    const parts = [{ text: cleanText(first.text), x: first.x, right: first.right }];
    return { ...parts[0]!, y: first.y, size: first.size, cells: parts, parts, runs };
  }
  const isOrdered = runs.some(({ text }) => RIGHT_TO_LEFT.test(text));
  const longest = runs.reduce((most, run) => (run.text.trim().length > most.text.trim().length ? run : most), NO_RUN);
  const inOrder = (isOrdered ? runs : joinAccents(runs.toSorted((a, b) => a.x - b.x))).map((run) =>
    isRaised(run, longest) ? markRaised(run) : run,
  );
  let text = '';
  const parts: Cell[] = [];
  const wide = new Set<Cell>();
  let [inked, right, left] = [-Infinity, -Infinity, -Infinity];
  for (const run of inOrder) {
    const gap = isOrdered ? Math.max(run.x - right, left - run.right) : run.x - right;
    const isSpaced = gap > SPACE * longest.size && text !== '' && !/\s$/.test(text) && !/^\s/.test(run.text);
    text += (isSpaced ? ' ' : '') + run.text;
    const isInked = run.text.trim() !== '';
    const part = parts.at(-1);
    if (!part || (isInked && run.x - inked > NARROW_GAP * longest.size)) {
      parts.push({ text: run.text, x: run.x, right: run.right });
      if (run.x - inked > GAP * longest.size) wide.add(parts.at(-1)!);
    } else Object.assign(part, { text: part.text + (isSpaced ? ' ' : '') + run.text, right: isInked ? run.right : part.right });
    if (isInked) inked = run.right;
    right = isOrdered ? run.right : Math.max(right, run.right);
    left = run.x;
  }
  const inkedParts = parts.filter((part) => (part.text = cleanText(part.text)) !== '');
  return {
    text: cleanText(text),
    x: leftEdge(runs),
    right: rightEdge(runs),
    y: longest.y,
    size: longest.size,
    cells: cellsFrom(inkedParts, (part) => wide.has(part)),
    parts: inkedParts,
    runs,
  };
}

/** Joins runs to a line of one cell; also counts the wide gaps between them. */
export function lineOfRuns(runs: readonly PdfRun[]): { line: PdfLine; gaps: number } {
  const { parts: _, ...line } = lineOf(runs);
  return { line: { ...line, cells: [{ text: line.text, x: line.x, right: line.right }] }, gaps: line.cells.length - 1 };
}

const isRaised = ({ text, size, y }: PdfRun, line: PdfRun): boolean =>
  size <= RAISED_SIZE * line.size && y >= line.y + RAISED_BY * line.size && /^\s*\d{1,3}\)?\s*$/.test(text);

const markRaised = (run: PdfRun): PdfRun => ({ ...run, text: run.text.replace(/\d+\)?/, `${RAISED_SIGN}$&${RAISED_SIGN}`) });

const cleanText = (words: string): string =>
  (MAY_BE_UNCLEAN.test(words) ? words.replace(LEADERS, LEADER).replace(/\s+/g, ' ') : words).trim();

/** A run of text and its place on its line, in points. */
interface Placed {
  text: string;
  x: number;
  right: number;
  size: number;
}

/** Accents, and their combining characters: TeX draws an accent and its letter over one another. */
const COMBINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030a',
  '˝': '\u030b',
  ˇ: '\u030c',
  '¸': '\u0327',
};
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };

/** Joins accents to the letters below them, and the circle of © and ® to its letter. Runs are ordered from left to right. */
export function joinAccents<Run extends Placed>(runs: readonly Run[]): readonly Run[] {
  if (!runs.some(({ text }) => /[`´ˆ˜˘˙¨˚˝ˇ¸©]/.test(text))) return runs;
  const joined: Run[] = [];
  for (const run of runs) {
    const before = joined.at(-1);
    const overlaps = before !== undefined && before.right - run.x > OVERLAP * run.size;
    const pair = overlaps ? (joinAccent(before, run) ?? joinCircle(before, run)) : undefined;
    if (pair) joined.splice(-1, 1, ...pair);
    else joined.push(run);
  }
  return joined;
}

/** Joins the accent at the end of the first run, or alone in the second, to the letter below it. */
function joinAccent<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  const accent = COMBINING[before.text.at(-1) ?? ''];
  const letter = accent === undefined ? undefined : letterWith(run.text[0], accent);
  if (letter !== undefined)
    return [
      { ...before, text: before.text.slice(0, -1), right: run.x },
      { ...run, text: letter + run.text.slice(1) },
    ];
  const alone = COMBINING[run.text.trim()];
  const first = alone === undefined || run.x - before.x > LETTER * before.size ? undefined : letterWith(before.text[0], alone);
  return first === undefined ? undefined : [{ ...before, text: first + before.text.slice(1) }];
}

function letterWith(letter = '', accent: string): string | undefined {
  const whole = ((DOTLESS[letter] ?? letter) + accent).normalize('NFC');
  return whole.length === 1 ? whole : undefined;
}

/** TeX draws © and ® as a circle with a letter in it. */
function joinCircle<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  if (!before.text.endsWith('©') || run.right > before.right || !/^[cR]$/.test(run.text)) return undefined;
  return [run.text === 'c' ? before : { ...before, text: `${before.text.slice(0, -1)}®` }];
}
