/** A run of text as pdf.js gives it. */
export interface PdfItem {
  str: string;
  /** Scale, rotation and place: the last two are x and y, y growing upwards. */
  transform: number[];
  width: number;
  height: number;
  hasEOL: boolean;
}

/** A line of text on a page, in points; `y` is its base line and grows upwards. */
export interface PdfLine {
  text: string;
  x: number;
  right: number;
  y: number;
  /** Font size of most of its letters. */
  size: number;
  /** The parts that wide gaps divide it into: more than one where it may be the row of a table. */
  cells: readonly Cell[];
}

export interface Cell {
  text: string;
  x: number;
  right: number;
}

type Run = Omit<PdfLine, 'cells'>;

/** Runs whose base lines differ by less, in font sizes, are one line: footnote marks are raised by a third. */
const SAME_LINE = 0.5;
/** A gap between two runs that is a space, in font sizes. */
const SPACE = 0.2;
/** A gap that is wider than any space of a justified line, in font sizes. */
const GAP = 1.2;

/** Letters that are written from right to left: their runs stay in the order in which they are drawn. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** The dots between an entry of a table of contents and its page. */
const LEADERS = /(?:\s?\.){4,}\s*/g;

/** The lines of a page, in the order in which the file draws them. */
export function pdfLines(items: readonly PdfItem[]): PdfLine[] {
  const lines: PdfLine[] = [];
  let runs: Run[] = [];
  let hasEnded = false;
  const close = () => {
    const line = lineOf(runs);
    if (line.text !== '') lines.push(line);
    runs = [];
  };
  for (const item of items) {
    const run = runOf(item);
    const before = runs[0];
    if (before && (hasEnded || Math.abs(run.y - before.y) > SAME_LINE * Math.max(before.size, run.size))) close();
    runs.push(run);
    hasEnded = item.hasEOL;
  }
  close();
  return lines;
}

function runOf({ str, transform, width, height }: PdfItem): Run {
  const [, , c = 0, d = 0, x = 0, y = 0] = transform;
  // oxlint-disable-next-line no-control-regex
  const text = str.replace(/[\u0000-\u001f\u007f]/g, ' ');
  return { text, x, right: x + width, y, size: Math.hypot(c, d) || height };
}

/** Size and base line are those of the longest run: a raised number does not change them. */
function lineOf(runs: readonly Run[]): PdfLine {
  const isOrdered = runs.some(({ text }) => RIGHT_TO_LEFT.test(text));
  const inOrder = isOrdered ? runs : runs.toSorted((a, b) => a.x - b.x);
  const longest = runs.reduce((most, run) => (run.text.trim().length > most.text.trim().length ? run : most), {
    text: '',
    x: 0,
    right: 0,
    y: 0,
    size: 0,
  });
  let text = '';
  const cells: Cell[] = [];
  let inked = Number.NEGATIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let left = Number.NEGATIVE_INFINITY;
  for (const run of inOrder) {
    const gap = isOrdered ? Math.max(run.x - right, left - run.right) : run.x - right;
    const isSpaced = gap > SPACE * longest.size && text !== '' && !/\s$/.test(text) && !/^\s/.test(run.text);
    text += (isSpaced ? ' ' : '') + run.text;
    const isInked = run.text.trim() !== '';
    const cell = cells.at(-1);
    if (!cell || (isInked && run.x - inked > GAP * longest.size)) cells.push({ text: run.text, x: run.x, right: run.right });
    else Object.assign(cell, { text: cell.text + (isSpaced ? ' ' : '') + run.text, right: isInked ? run.right : cell.right });
    if (isInked) inked = run.right;
    right = isOrdered ? run.right : Math.max(right, run.right);
    left = run.x;
  }
  const x = runs.reduce((least, run) => Math.min(least, run.x), Number.POSITIVE_INFINITY);
  return {
    text: plain(text),
    x,
    right: runs.reduce((most, run) => Math.max(most, run.right), Number.NEGATIVE_INFINITY),
    y: longest.y,
    size: longest.size,
    cells: cells.map((cell) => ({ ...cell, text: plain(cell.text) })).filter((cell) => cell.text !== ''),
  };
}

const plain = (words: string): string => words.replace(LEADERS, ' … ').replace(/\s+/g, ' ').trim();

/** Fewer pages do not tell what is repeated. */
const LEAST_PAGES = 3;
/** Of a page with fewer lines none is at the edge of anything. */
const LEAST_LINES = 3;
/** A line that stands at the edge of this share of the pages is a running one. */
const SHARE = 0.5;

/**
 * The pages without running headers and footers: lines at the upper or lower edge that most pages have, numbers apart, and those that begin or end with
 * the number of their page. A page has its number once: «6 Settings» stays above a footer «Page 6».
 */
export function withoutRunningLines(pages: readonly PdfLine[][]): PdfLine[][] {
  if (pages.length < LEAST_PAGES) return [...pages];
  const edges = pages.map((lines) => edgesOf(lines));
  const counts = new Map<string, number>();
  for (const lines of edges) for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  const isRepeated = (line: PdfLine) => counts.get(keyOf(line))! > Math.max(2, pages.length * SHARE);
  const isNumbered = pageNumbers(edges);
  return pages.map((lines, i) => {
    const repeated = edges[i]!.filter(isRepeated);
    const hasNumber = repeated.some((line) => isNumbered(line, i));
    const running = new Set(hasNumber ? repeated : [...repeated, ...edges[i]!.filter((line) => isNumbered(line, i))]);
    return lines.filter((line) => !running.has(line));
  });
}

/** Tells the lines that hold the number of their page, where most pages have one: counted from the same page, whatever stands beside it. */
function pageNumbers(edges: readonly PdfLine[][]): (line: PdfLine, index: number) => boolean {
  const pages = new Map<number, number>();
  const offsetsOf = (line: PdfLine, index: number): number[] => numbersAround(line).map((number) => number - index);
  for (const [index, lines] of edges.entries())
    for (const offset of new Set(lines.flatMap((line) => offsetsOf(line, index)))) pages.set(offset, (pages.get(offset) ?? 0) + 1);
  const [offset, count] = [...pages].reduce((most, item) => (item[1] > most[1] ? item : most), [0, 0]);
  const isKnown = count > Math.max(2, edges.length * SHARE);
  return (line, index) => isKnown && offsetsOf(line, index).includes(offset);
}

/** The numbers that a line begins and ends with. */
const numbersAround = ({ text }: PdfLine): number[] =>
  [/^(\d{1,4})(?=\s|$)/.exec(text), /(?:^|\s)(\d{1,4})$/.exec(text)].flatMap((found) => (found ? [Number(found[1])] : []));

/** The highest and the lowest line of a page. */
function edgesOf(lines: readonly PdfLine[]): PdfLine[] {
  const [first] = lines;
  if (!first || lines.length < LEAST_LINES) return [];
  const highest = lines.reduce((most, line) => (line.y > most.y ? line : most), first);
  const lowest = lines.reduce((least, line) => (line.y < least.y ? line : least), first);
  return [...new Set([highest, lowest])];
}

const keyOf = ({ text, y }: PdfLine): string => `${Math.round(y / 4)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;
