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
export interface Line {
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

type Run = Omit<Line, 'cells'>;

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
export function linesOf(items: readonly PdfItem[]): Line[] {
  const lines: Line[] = [];
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
  return { text: str.replace(/[\u0000-\u001f\u007f]/g, ' '), x, right: x + width, y, size: Math.hypot(c, d) || height };
}

/** Size and base line are those of the longest run: a raised number does not change them. */
function lineOf(runs: readonly Run[]): Line {
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
  for (const run of inOrder) {
    const isSpaced = run.x - right > SPACE * longest.size && text !== '' && !/\s$/.test(text) && !/^\s/.test(run.text);
    text += (isSpaced ? ' ' : '') + run.text;
    const isInked = run.text.trim() !== '';
    const cell = cells.at(-1);
    if (!cell || (isInked && run.x - inked > GAP * longest.size)) cells.push({ text: run.text, x: run.x, right: run.right });
    else Object.assign(cell, { text: cell.text + (isSpaced ? ' ' : '') + run.text, right: isInked ? run.right : cell.right });
    if (isInked) inked = run.right;
    right = Math.max(right, run.right);
  }
  const x = runs.reduce((least, run) => Math.min(least, run.x), Number.POSITIVE_INFINITY);
  return {
    text: plain(text),
    x,
    right,
    y: longest.y,
    size: longest.size,
    cells: cells.map((cell) => ({ ...cell, text: plain(cell.text) })).filter((cell) => cell.text !== ''),
  };
}

const plain = (words: string): string => words.replace(LEADERS, ' … ').replace(/\s+/g, ' ').trim();
