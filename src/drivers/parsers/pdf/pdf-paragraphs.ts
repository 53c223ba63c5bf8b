import { escapeLine, escapeTags, heading, tableLines } from '../../../text/markdown/write.ts';
import type { Cell, PdfLine } from './pdf-lines.ts';
import type { HeadingLevel } from './pdf-headings.ts';

/** Fewer rows may stand below one another by chance. */
const LEAST_ROWS = 3;
/** How far the edges of the cells of a column may lie apart, in font sizes. */
const ALIGNED = 0.6;
/** The end of an entry of a table of contents. */
const PAGE = /^(?:\d{1,4}|[ivxlc]+)$/i;
const LEADER = ' … ';

/** Wrapped lines of a cell stand at most this close, in font sizes. */
const WRAPPED_STEP = 1.6;
/** Rows stand further apart than the wrapped lines of a cell, by this factor, where both are told apart by that. */
const APART = 1.25;
/** Lines that tell how far rows stand apart. */
const MEASURED = 60;

/** The lines at the beginning of these that are laid out in columns, and the table that they are, where they can be read as one. */
interface Rows {
  lines: PdfLine[];
  table: string | undefined;
}

/** The rows at the beginning of these lines: each is cut by a gap that no sentence has. Undefined where these are too few. */
function rowsOf(lines: readonly PdfLine[], isText: (line: PdfLine) => boolean): Rows | undefined {
  const end = lines.findIndex((line) => line.text.includes(LEADER) || !isText(line));
  const within = end < 0 ? lines : lines.slice(0, end);
  const wrapped = wrappedRows(within);
  const isWhole = (within[wrapped.count]?.cells.length ?? 0) < 2; // what goes on in other columns is no table of these
  const table = isWhole ? tableOf(wrapped.rows) : undefined;
  if (table !== undefined) return { lines: within.slice(0, wrapped.count), table };
  const single = within.findIndex(({ cells }) => cells.length < 2);
  const rows = within.slice(0, single < 0 ? undefined : single);
  if (rows.length < LEAST_ROWS) return undefined;
  const plain = wrappedRows(rows);
  return { lines: rows, table: plain.count === rows.length ? tableOf(plain.rows) : undefined };
}

/** A row of a table: the lines that it is drawn in, the first of which says where its columns are for all. */
interface Row {
  lines: PdfLine[];
  /** The cells of each column; none where it is empty. */
  columns: Cell[][];
}

/** Where the cells of a line belong among the columns of the first; undefined where one stands in none. */
function placesOf({ cells, size }: PdfLine, columns: readonly Cell[]): number[] | undefined {
  const places = cells.map((cell) =>
    columns.findIndex(({ x, right }) => Math.abs(cell.x - x) <= ALIGNED * size || Math.abs(cell.right - right) <= ALIGNED * size),
  );
  return places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1)) ? places : undefined;
}

/** The distance of full rows, in points: the median of those between a line with all columns and the one before it. */
function stepOf(lines: readonly PdfLine[], columns: number): number {
  const steps = lines.slice(1).flatMap((line, i) => (line.cells.length === columns ? [lines[i]!.y - line.y] : []));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}

/** The rows at the beginning of lines with the wrapped lines of their cells, and how many lines they take. */
function wrappedRows(lines: readonly PdfLine[]): { rows: Row[]; count: number } {
  const columns = lines[0]?.cells ?? [];
  const step = stepOf(lines.slice(0, MEASURED), columns.length);
  const rows: Row[] = [];
  let count = 0;
  for (const line of lines) {
    const places = placesOf(line, columns);
    if (!places) break;
    const row = rows.at(-1);
    const isWrapped = row !== undefined && continues(row, line, { places, step, width: columns.length });
    if (!isWrapped && (line.cells.length < 2 || places[0] !== 0)) break;
    const target = isWrapped ? row : { lines: [], columns: columns.map(() => []) };
    if (!isWrapped) rows.push(target);
    target.lines.push(line);
    for (const [i, place] of places.entries()) target.columns[place]!.push(line.cells[i]!);
    count++;
  }
  return { rows, count };
}

/** Whether a line goes on with the cells of a row: close below it, with its first column empty, or closer than the rows are to each other. */
function continues(
  { lines }: Row,
  { y, size }: PdfLine,
  { places, step, width }: { places: number[]; step: number; width: number },
): boolean {
  const down = lines.at(-1)!.y - y;
  const isTight = down * APART < step;
  if (down <= 0 || down > WRAPPED_STEP * size || places.length === width) return false;
  return places[0] === 0 || places.length === width - 1 ? isTight || (width === 2 && places[0] !== 0) : true;
}

/** The GFM table of rows whose cells stand below one another; undefined for rows that are not laid out so. */
function tableOf(rows: readonly Row[]): string | undefined {
  const [first] = rows;
  if (!first || rows.length < LEAST_ROWS || rows.some(isCode)) return undefined;
  const size = first.lines[0]!.size;
  const isAligned = (edge: keyof Pick<Cell, 'x' | 'right'>, column: number): boolean => {
    const all = rows.flatMap(({ columns }) => columns[column]!);
    return all.every((cell) => Math.abs(cell[edge] - first.columns[column]![0]![edge]) <= ALIGNED * size);
  };
  if (!first.columns.every((_, column) => isAligned('x', column) || isAligned('right', column))) return undefined;
  return tableLines(rows.map(({ columns }) => columns.map((cells) => escapeTags(wordsOf(cells))))).join('\n');
}

/** The words of a cell: those that are broken over its lines put together again. */
const wordsOf = (cells: readonly Cell[]): string =>
  cells.reduce((words, { text }) => {
    if (/\p{L}[-\u00ad\u2010]$/u.test(words) && /^\p{Ll}/u.test(text)) return words.slice(0, -1) + text;
    return words === '' ? text : `${words} ${text}`;
  }, '');

/** Whether a row is a line of a program: numbered, or with a statement's end. */
const isCode = ({ lines }: Row): boolean => lines.some(({ cells, text }) => /^\d+:$/.test(cells[0]!.text) || /[;{}]$/.test(text));

/** A label stands in front of its text by at most this much, in font sizes: a table's first column is wider. */
const HANGING = 6;
/** So many labels whose text is wrapped under itself tell how far labels stand in front. */
const LEAST_LABELS = 2;

/** Which labels a document has: options, or terms with their definitions. */
export interface Labels {
  /** Whether a line begins with one. */
  begins(line: PdfLine): boolean;
  /** Whether a line is one, and its text begins with the line below it. */
  isAbove(line: PdfLine, next: PdfLine | undefined): boolean;
}

/** Tells the labels of a document by how far their text hangs behind them, as that of lines does whose text is wrapped under itself. */
export function labelsOf(pages: readonly PdfLine[][]): Labels {
  const hanging = new Map<number, number>();
  const isKnown = (points: number): boolean => (hanging.get(points) ?? 0) >= LEAST_LABELS;
  const isNext = (line: PdfLine, next: PdfLine | undefined): next is PdfLine =>
    next?.cells.length === 1 && line.y > next.y && line.y - next.y <= WRAPPED_STEP * line.size;
  for (const lines of pages)
    for (const [i, line] of lines.entries())
      if (isHanging(line) && isNext(line, lines[i + 1]) && Math.abs(lines[i + 1]!.x - line.cells[1]!.x) < 1)
        hanging.set(hangOf(line), (hanging.get(hangOf(line)) ?? 0) + 1);
  return {
    begins: (line) => isHanging(line) && isKnown(hangOf(line)),
    isAbove: (line, next) =>
      line.cells.length === 1 && !SENTENCE_END.test(line.text) && isNext(line, next) && isKnown(Math.round(next.x - line.x)),
  };
}

const hangOf = ({ cells }: PdfLine): number => Math.round(cells[1]!.x - cells[0]!.x);

const isHanging = (line: PdfLine): boolean =>
  line.cells.length === 2 && hangOf(line) <= HANGING * line.size && !BULLET.test(line.text) && !NUMBER.test(line.text);

/** A labelled line without its label. */
const unlabelled = (line: PdfLine): PdfLine => ({ ...line, ...line.cells[1]!, cells: line.cells.slice(1) });

/** The lines of a page, those of a table of contents with dots before their page also where the file draws none. */
function withLeaders(lines: readonly PdfLine[]): PdfLine[] {
  const isContents = lines.filter(({ text }) => text.includes(LEADER)).length >= LEAST_ROWS;
  return lines.map((line) => {
    const last = line.cells.at(-1)!;
    if (!isContents || line.cells.length < 2 || !PAGE.test(last.text) || line.text.includes(LEADER)) return line;
    return { ...line, text: `${line.text.slice(0, -last.text.length).trimEnd()}${LEADER}${last.text}` };
  });
}

/** A step down that is larger than the usual one by this factor begins a paragraph. */
const WIDER = 1.25;
/** Wrapped lines of one heading stand this close, in font sizes. */
const HEADING_STEP = 1.8;
/** A first line that begins further right, in font sizes, begins a paragraph where the sentence before has ended. */
const INDENT = 0.8;
/** A line that is shorter than this share of the widest around it ends on purpose. */
const FULL = 0.8;

const BULLET = /^[•◦▪■●‣∙·–—*-]\s+(?=\S)/;
const NUMBER = /^(?:\d{1,3}[.)]|\(?[a-z]\))\s/;
const SENTENCE_END = /[.!?:;…。！？]["'”’)\]]*$/;

interface Block {
  level: number | undefined;
  lines: PdfLine[];
  /** What its text is about, as it stands in front of it. */
  label?: string | undefined;
  /** Its rows, where it is a table that can be read as one. */
  table?: string | undefined;
  /** Rows of which none is joined to the next. */
  isRows?: boolean;
}

/** The Markdown of a page: headings, list items, tables, and paragraphs whose lines are joined again. */
export function pageMarkdown(drawn: readonly PdfLine[], levelOf: HeadingLevel, labels: Labels): string {
  const lines = withLeaders(drawn);
  const isText = (line: PdfLine): boolean =>
    levelOf(line) === undefined && !BULLET.test(line.text) && !NUMBER.test(line.text) && !labels.begins(line);
  const step = usualStep(lines);
  const full: Full = {
    width: lines.reduce((most, { x, right }) => Math.max(most, right - x), 0),
    edge: lines.reduce((most, { right }) => Math.max(most, right), 0),
  };
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const rows = line.cells.length > 1 ? rowsOf(lines.slice(i), isText) : undefined;
    if (rows) {
      blocks.push({ level: undefined, ...rows, isRows: true });
      i += rows.lines.length - 1;
      continue;
    }
    const level = levelOf(line);
    const block = blocks.at(-1);
    if (level === undefined && labels.begins(line)) blocks.push({ level, label: line.cells[0]!.text, lines: [unlabelled(line)] });
    else if (block && !block.isRows && block.level === level && (level ? continuesHeading(block, line) : continuesText(block, line, step)))
      block.lines.push(line);
    else if (level === undefined && isText(line) && labels.isAbove(line, lines[i + 1]))
      blocks.push({ level, label: line.text, lines: [lines[++i]!] });
    else blocks.push({ level, lines: [line] });
  }
  return blocks
    .map((block, i) => `${i === 0 ? '' : isItem(block) && isItem(blocks[i - 1]!) ? '\n' : '\n\n'}${blockMarkdown(block, full)}`)
    .join('');
}

/** The distance from line to line, in points, that is most common on the page. */
function usualStep(lines: readonly PdfLine[]): number {
  const steps = lines.slice(1).map(({ y }, i) => lines[i]!.y - y);
  const plausible = steps.filter((step, i) => step > 0 && step < 3 * lines[i]!.size).toSorted((a, b) => a - b);
  return plausible[Math.floor(plausible.length / 2)] ?? Number.POSITIVE_INFINITY;
}

function continuesHeading({ lines }: Block, { y, size }: PdfLine): boolean {
  const before = lines.at(-1)!;
  return before.y - y > 0 && before.y - y < HEADING_STEP * size && Math.abs(before.size - size) < 0.5;
}

function continuesText({ lines, label }: Block, line: PdfLine, step: number): boolean {
  const before = lines.at(-1)!;
  if (BULLET.test(line.text) || NUMBER.test(line.text)) return false;
  const down = before.y - line.y;
  const isMidSentence = !SENTENCE_END.test(before.text) && /^\p{Ll}/u.test(line.text);
  if (lines.length + Number(label !== undefined) > 1 && line.x < Math.min(...lines.map(({ x }) => x)) - INDENT * line.size) return false;
  if (down < 0 || down > WIDER * step) return isMidSentence && down < 0;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return isMidSentence;
  return !(line.x - before.x > INDENT * line.size && SENTENCE_END.test(before.text));
}

const isItem = ({ level, lines }: Block): boolean => level === undefined && BULLET.test(lines[0]!.text);

function blockMarkdown({ level, lines, label, table, isRows }: Block, full: Full): string {
  if (label !== undefined) return `**${escapeTags(label).replace(/[*\\]/g, '\\$&')}**\n\n${blockMarkdown({ level, lines }, full)}`;
  if (table !== undefined) return table;
  if (isRows) return lines.map(({ text }) => escapeLine(text)).join('\n');
  if (level) return heading(level, joined(lines, { width: 0, edge: 0 }));
  const text = joined(lines, full);
  if (BULLET.test(text)) return `- ${text.replace(BULLET, '')}`;
  return NUMBER.test(text) ? text : text.split('\n').map(escapeLine).join('\n');
}

/** How wide the widest line of a page is, and how far right one reaches. */
interface Full {
  width: number;
  edge: number;
}

/** One line where the page was full; a line that ended on purpose stays one. */
function joined(lines: readonly PdfLine[], { width, edge }: Full): string {
  return lines.reduce((text, line, i) => {
    if (i === 0) return line.text;
    const before = lines[i - 1]!;
    const isWrapped = /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(line.text);
    if (isWrapped) return text.slice(0, -1) + line.text;
    const isLong =
      before.right - before.x >= FULL * width || (Math.abs(before.x - line.x) < 1 && before.right >= edge - (1 - FULL) * width);
    const isFull = isLong && !before.text.includes(' … ');
    return `${text}${isFull ? ' ' : '\n'}${line.text}`;
  }, '');
}
