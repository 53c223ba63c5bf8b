import { escapeTags, tableLines } from '../markdown/write.ts';
import { type Cell, type PdfLine, usualFont } from './lines.ts';
import type { WordMender } from './words.ts';

/** Minimum rows of a table; fewer may stand below one another by chance, unless they are as wide as this. */
const MIN_ROWS = 3;
const MIN_WIDE = 4;
/** Minimum columns of a table in which any cells may be empty. */
const MIN_SPARSE = 3;
/** Maximum distance between the edges of the cells of a column, in font sizes. */
const ALIGNED = 0.6;
/** Maximum distance of the wrapped lines of a cell, in font sizes. */
const WRAPPED_STEP = 1.6;
/** Minimum distance of rows as a factor of that of wrapped lines, where it distinguishes them. */
const APART = 1.25;
/** Maximum lines at which another table is looked for. */
const MAX_TRIED = 5;
/** Maximum lines in which the distance of rows is measured. */
const MEASURED = 60;
/** Maximum distance of the edges of one column on two pages, in points. */
const SAME_EDGE = 3;
/** Maximum difference of the baselines of one line, in font sizes. */
const SAME_LINE = 0.5;
/** Maximum lines drawn one after the other that may stand in one row. */
const NEAR = 40;
/** Maximum distance of the rows of a table, in font sizes. */
const FARTHEST = 5;

/** Lines that are laid out in columns. */
export interface TableRegion {
  lines: PdfLine[];
  /** The GFM table, if they can be read as one. */
  table: string | undefined;
  /** The lines of each row of that table. */
  rows?: readonly (readonly PdfLine[])[];
  /** Whether the table is the continuation of that on the page before: rows without a header. */
  isContinued?: boolean;
}

/** A row of a table, and its lines. */
interface Row {
  lines: PdfLine[];
  /** The cells of each column; none if it is empty. */
  columns: Cell[][];
}

/** A table at the beginning of some lines. */
interface FoundTable {
  rows: readonly Row[];
  /** Number of its lines. */
  count: number;
  columns: readonly Cell[];
  header: Row;
  /** Whether its header is on the page before. */
  isContinued?: boolean;
}

/** The position of lines: their page (from 1), and whether they are the first on it. */
export interface PagePlace {
  page: number;
  isFirst: boolean;
}

/** A table that may continue on the next page, and the edges of its columns if these are drawn. */
interface OpenTable extends Pick<FoundTable, 'header' | 'columns'> {
  edges?: readonly number[];
}

/** Reads the tables of a document, page by page. A table that continues on the next page has its header once. */
export class TableReader {
  /** Texts of headers that are not written again. */
  readonly repeated: string[] = [];
  #last: OpenTable | undefined;
  #endsPage = 0;
  readonly #headers = new Set<string>();
  readonly #mendWord: WordMender;

  constructor(mendWord: WordMender) {
    this.#mendWord = mendWord;
  }

  /** Reads the rows at the beginning of these lines, whose cells are separated by gaps that no sentence has. Undefined if there are too few. */
  readRegion(within: readonly PdfLine[], place: PagePlace): TableRegion | undefined {
    const found = this.#tableAt(within, place);
    this.#last = found;
    if (found) return { lines: within.slice(0, found.count), ...this.#write(found) };
    const single = within.findIndex(({ cells }) => cells.length < 2);
    const lines = this.#untilTable(within, single < 0 ? within.length : single);
    if (lines.length < MIN_ROWS) return undefined;
    const { rows, count } = readRows(lines, lines[0]!.cells);
    const isTable = count === lines.length && areAligned(rows);
    return { lines, ...(isTable ? this.#write({ rows, header: rows[0]! }) : { table: undefined }) };
  }

  /** Writes the GFM table of rows below their header. If the first row names no columns, the header is empty; a continued table has none. */
  #write({ rows, header, isContinued = false }: Pick<FoundTable, 'rows' | 'header' | 'isContinued'>): Omit<TableRegion, 'lines'> {
    const nameless: Row[] = isContinued || rows[0] !== header || !isData(rows) ? [] : [{ lines: [], columns: [] }];
    const all = [...nameless, ...(isContinued || rows[0] === header ? [] : [header]), ...rows];
    const texts = all.map(({ columns }) => columns.map((cells) => escapeTags(wordsOf(cells, this.#mendWord))));
    const table = isContinued ? tableLines([[], ...texts]).slice(2) : tableLines(texts);
    return { table: table.join('\n'), rows: all.map(({ lines }) => lines), isContinued };
  }

  /** Reads the table of lines whose borders are drawn, and its title: the text above its header across all columns. */
  readRuled(lines: readonly PdfLine[], place: PagePlace): TableRegion & { title: PdfLine[] } {
    const all = lines.toSorted((a, b) => a.ruled!.row - b.ruled!.row || b.y - a.y);
    const start = all.findIndex(({ ruled }) => !ruled!.isWhole);
    const [title, cells] = [all.slice(0, start), all.slice(start)];
    const rows = [...Map.groupBy(cells, ({ ruled }) => ruled!.row).values()].map((row): Row => {
      const inColumn = (column: number): Cell[] => row.filter(({ ruled }) => ruled!.column === column).flatMap((line) => line.cells);
      return { lines: row, columns: Array.from({ length: row[0]!.ruled!.columns }, (_, column) => inColumn(column)) };
    });
    const { columns: edges } = lines[0]!.ruled!.grid;
    const before = title.length === 0 ? this.#openTable(place) : undefined;
    const isContinued =
      before?.edges !== undefined && haveSameEdges(before.edges, edges) && before.header.columns.length === rows[0]!.columns.length;
    const header = isContinued ? before.header : rows[0]!;
    this.#last = { header, columns: [], edges };
    return { title, lines: cells, ...this.#write({ rows: isContinued ? this.#withoutNames(rows, header) : rows, header, isContinued }) };
  }

  /** Returns the table with which the page before ended, for the first lines of a page. */
  #openTable({ page, isFirst }: PagePlace): OpenTable | undefined {
    return isFirst && this.#endsPage === page - 1 ? this.#last : undefined;
  }

  /** Removes the header from the rows of a continued table, if they repeat it. */
  #withoutNames(rows: readonly Row[], header: Row): readonly Row[] {
    const [first, ...others] = rows;
    if (!first || others.length === 0 || namesOf(first) !== namesOf(header)) return rows;
    this.repeated.push(...first.columns.flat().map(({ text }) => text));
    return others;
  }

  /** Ends a page; `isTable` says whether its last block is a table. */
  endPage(page: number, isTable: boolean): void {
    this.#endsPage = isTable ? page : 0;
  }

  /** Returns the first `count` lines, or fewer if a table in other columns begins among them. */
  #untilTable(lines: readonly PdfLine[], count: number): PdfLine[] {
    const wider = lines.slice(0, count).flatMap(({ cells }, i) => (i > 0 && cells.length > lines[i - 1]!.cells.length ? [i] : []));
    const end = wider.slice(0, MAX_TRIED).find((i) => this.#tableAt(lines.slice(i), { page: 0, isFirst: false }));
    return lines.slice(0, end ?? count);
  }

  #tableAt(lines: readonly PdfLine[], place: PagePlace): FoundTable | undefined {
    const [first] = lines;
    if (!first) return undefined;
    const names = keyOf(first.cells);
    const least = this.#headers.has(names) ? MIN_ROWS - 1 : MIN_ROWS;
    const found =
      this.#readContinued(lines, this.#openTable(place)) ??
      readHeadless(lines) ??
      readAligned(lines, { least }) ??
      readStacked(lines, least) ??
      readAligned(lines, { isSparse: true });
    if (found) this.#headers.add(namesOf(found.header));
    return found;
  }

  /** Reads the continuation of a table of the page before, whose header may be repeated. */
  #readContinued(lines: readonly PdfLine[], before: OpenTable | undefined): FoundTable | undefined {
    if (!before || before.edges) return undefined;
    const { columns, header } = before;
    const repeatsNames = keyOf(lines[0]!.cells) === namesOf(header) && lines.length > 1;
    const below = repeatsNames ? lines.slice(1) : lines;
    if (below[0]!.cells.length < 2 || !placesOf(below[0]!, columns)) return undefined;
    const { rows, count } = readRows(below, columns);
    if (!areAligned(rows, { least: 1, isContinued: true })) return undefined;
    if (repeatsNames) this.repeated.push(lines[0]!.text);
    return { rows, count: count + Number(repeatsNames), columns, header, isContinued: true };
  }
}

const haveSameEdges = (edges: readonly number[], others: readonly number[]): boolean =>
  edges.length === others.length && edges.every((edge, i) => Math.abs(edge - others[i]!) <= SAME_EDGE);

const YEAR = /^(?:19|20)\d\d$/;

/**
 * Whether the first row is data, as the rows below: in one of its columns, its number is written like most of those below ("03.02.", "A-700"), and it is
 * in their font. Years may name columns of numbers.
 */
function isData([first, ...others]: readonly Row[]): boolean {
  const [second, third] = others;
  if (!first || !second) return false;
  const [font, below] = [first, second].map(({ lines }) => usualFont(lines));
  if (font !== below && (!third || usualFont(third.lines) === below)) return false;
  return first.columns.some((cells, column) => {
    const text = textOf(cells);
    if (!/\d/.test(text)) return false;
    const [shape, isYear] = [shapeOf(text), YEAR.test(text)];
    const filled = others.map(({ columns }) => textOf(columns[column]!)).filter((other) => other !== '');
    const alike = filled.filter((other) => shapeOf(other) === shape && YEAR.test(other) === isYear);
    return alike.length > filled.length / 2;
  });
}

const textOf = (cells: readonly Cell[]): string => cells.map(({ text }) => text).join(' ');

/** Writes a text with a letter for each word and a digit for each number. */
const shapeOf = (text: string): string => text.replace(/\d+/g, '0').replace(/\p{L}+/gu, 'a');

const keyOf = (cells: readonly Cell[]): string => cells.map(({ text }) => text).join('\0');

const namesOf = ({ columns }: Row): string => keyOf(columns.flat());

/** Reads a table whose first column has no name. */
function readHeadless([names, ...lines]: readonly PdfLine[]): FoundTable | undefined {
  const [first] = lines;
  if (!names || !first || first.cells.length !== names.cells.length + 1 || names.cells[0]!.x < first.cells[0]!.right) return undefined;
  const [found, places] = [readAligned(lines, { least: MIN_ROWS - 1 }), placesOf(names, first.cells)];
  if (!found || places?.length !== first.cells.length - 1 || places[0] !== 1) return undefined;
  const header = { lines: [names], columns: [[], ...names.cells.map((cell) => [cell])] };
  return { ...found, header, count: found.count + 1 };
}

function readAligned(lines: readonly PdfLine[], { least = MIN_ROWS, isSparse = false }: TableOptions): FoundTable | undefined {
  const columns = lines[0]!.cells;
  if (isSparse && columns.length < MIN_SPARSE) return undefined;
  const { rows, count } = readRows(lines, columns, isSparse);
  if ((lines[count]?.cells.length ?? 0) > 1) return undefined; // it goes on in other columns
  const isWide = columns.length >= MIN_WIDE && rows.every((row) => row.columns.every((cells) => cells.length > 0));
  return areAligned(rows, { least: isWide ? 2 : least }) ? { rows, count, columns, header: rows[0]! } : undefined;
}

/** Reads a table whose cells are drawn one after the other, each with all of its lines. */
function readStacked(drawn: readonly PdfLine[], least: number): FoundTable | undefined {
  const [first] = drawn;
  const columns = first!.cells;
  const merged: { line: PdfLine; sources: number[] }[] = [];
  let lowest = first!.y;
  let isStacked = false;
  for (const [i, line] of drawn.entries()) {
    if (i > 0 && (line.y >= first!.y || lowest - line.y > FARTHEST * line.size || !placesOf(line, columns))) break;
    isStacked ||= i > 0 && line.y > drawn[i - 1]!.y + SAME_LINE * line.size;
    lowest = Math.min(lowest, line.y);
    const row = merged.slice(-NEAR).find((other) => Math.abs(other.line.y - line.y) <= SAME_LINE * line.size);
    if (row) Object.assign(row, { line: joinBeside(row.line, line), sources: [...row.sources, i] });
    else merged.push({ line, sources: [i] });
  }
  if (!isStacked) return undefined;
  const ordered = merged.toSorted((a, b) => b.line.y - a.line.y);
  const lines = ordered.map(({ line }) => line);
  const { rows, count: taken } = readRows(lines, columns);
  const sources = ordered.slice(0, taken).flatMap((row) => row.sources);
  const isWhole = sources.every((source) => source < sources.length);
  return isWhole && areAligned(rows, { least }) ? { rows, count: sources.length, columns, header: rows[0]! } : undefined;
}

/** Joins two lines, with their cells from left to right. */
const joinBeside = (one: PdfLine, other: PdfLine): PdfLine => ({
  ...one,
  text: `${one.text} ${other.text}`,
  x: Math.min(one.x, other.x),
  right: Math.max(one.right, other.right),
  cells: [...one.cells, ...other.cells].toSorted((a, b) => a.x - b.x),
});

/** Finds the columns of the cells of a line: each below one column alone, or aligned with it. Undefined if a cell has none. */
function placesOf({ cells, size }: PdfLine, columns: readonly Cell[]): number[] | undefined {
  const places = cells.map((cell, at) => {
    const below = columns.flatMap(({ x, right }, i) => (cell.x < right && cell.right > x ? [i] : []));
    const aligned = columns.findIndex(
      ({ x, right }) => Math.abs(cell.x - x) <= ALIGNED * size || Math.abs(cell.right - right) <= ALIGNED * size,
    );
    if (below.length > 1 && cells.length === 1 && !(aligned > 0 && below[0] === aligned)) return -1; // text below the table
    if (aligned >= 0 || below.length === 1) return aligned >= 0 ? aligned : below[0]!;
    const isBetween = cell.x >= (columns[at - 1]?.right ?? -Infinity) && cell.right <= (columns[at + 1]?.x ?? Infinity);
    return cells.length === columns.length && isBetween ? at : -1; // numbers on the right of a column, whose name is on its left
  });
  return places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1)) ? places : undefined;
}

/** Measures the distance of full rows in points: the median between a line with all columns and the line before it. */
function stepOf(lines: readonly PdfLine[], columns: number): number {
  const steps = lines.slice(1).flatMap((line, i) => (line.cells.length === columns ? [lines[i]!.y - line.y] : []));
  return steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}

/** Reads the rows at the beginning of lines, with the wrapped lines of their cells; `count` is the number of their lines. Any cells of a sparse one may be empty. */
function readRows(lines: readonly PdfLine[], columns: readonly Cell[], isSparse = false): { rows: Row[]; count: number } {
  const step = stepOf(lines.slice(0, MEASURED), columns.length);
  const rows: Row[] = [];
  let count = 0;
  for (const line of lines) {
    const places = placesOf(line, columns);
    if (!places) break;
    const row = rows.at(-1);
    const isWrapped = row !== undefined && continues(row, line, { places, step, width: columns.length });
    const isFilled = isSparse || places[0] === 0 || (rows.length > 1 && places.at(-1) === columns.length - 1);
    const isBelow = row === undefined || line.y < row.lines.at(-1)!.y;
    if (!isWrapped && (line.cells.length < 2 || !isFilled || !isBelow)) break;
    const target = isWrapped ? row : { lines: [], columns: columns.map(() => []) };
    if (!isWrapped) rows.push(target);
    target.lines.push(line);
    for (const [i, place] of places.entries()) target.columns[place]!.push(line.cells[i]!);
    count++;
  }
  return { rows, count };
}

/** Whether a line continues the cells of a row: close below it, with an empty column. */
function continues(
  { lines }: Row,
  { y, size }: PdfLine,
  { places, step, width }: { places: number[]; step: number; width: number },
): boolean {
  const before = lines.at(-1)!;
  const down = before.y - y;
  if (down <= 0 || down > WRAPPED_STEP * Math.max(size, before.size) || places.length === width) return false;
  const isTight = down * APART < step;
  if (places[0] === 0 || places.length === width - 1) return isTight || (width === 2 && places[0] !== 0);
  return isTight || places.length < 2;
}

interface TableOptions {
  /** Minimum rows. */
  least?: number;
  /** Whether its header is on a page before. */
  isContinued?: boolean;
  /** Whether any of its cells may be empty. */
  isSparse?: boolean;
}

/** Whether the cells of rows stand below one another. */
function areAligned(rows: readonly Row[], { least = MIN_ROWS, isContinued = false }: TableOptions = {}): boolean {
  const [first, ...others] = rows;
  if (!first || rows.length < least || rows.some(isProgram)) return false;
  const size = first.lines[0]!.size;
  const body = isContinued || others.length < 2 ? rows : others; // a header may stand over the middle of its column
  return first.columns.every((_, column) => {
    const all = body.flatMap(({ columns }) => columns[column]!);
    const isAt = (edge: (cell: Cell) => number): boolean => all.every((cell) => Math.abs(edge(cell) - edge(all[0]!)) <= ALIGNED * size);
    return isAt(({ x }) => x) || isAt(({ right }) => right) || isAt(({ x, right }) => (x + right) / 2);
  });
}

/** Joins the lines of a cell. */
const wordsOf = (cells: readonly Cell[], mendWord: WordMender): string =>
  cells.reduce((words, { text }) => mendWord(words, text) ?? (words === '' ? text : `${words} ${text}`), '');

/** Whether a row is a line of a program: with a line number, or the end of a statement. */
const isProgram = ({ lines }: Row): boolean => lines.some(({ cells, text }) => /^\d+:$/.test(cells[0]!.text) || /[;{}]$/.test(text));
