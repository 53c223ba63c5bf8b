import { type NumberedRow, oneLine, tableLines } from './markdown/write.ts';

/** A cell as its source writes it: Markdown or plain text, and how far it reaches. */
export interface TableCell {
  text: string;
  /** Columns that it spans. Default: 1. */
  columns?: number | undefined;
  /** Rows that it spans. Default: 1. */
  rows?: number | undefined;
}

/** A larger span is a mistake, or an attack. HTML allows 1,000 columns. */
const MAX_SPAN = 1000;

/** Reads how many rows or columns a cell spans, as its file writes it. */
export const spanOf = (value: string | null | undefined): number => Math.min(MAX_SPAN, Math.max(1, Number.parseInt(value ?? '', 10) || 1));

/** A row with its cells by column, from 0. */
export interface GridRow {
  /** The row in the source, from 1. */
  row: number;
  cells: Map<number, string>;
  /** Last columns of cells that span several, by their first. */
  spans?: Map<number, number> | undefined;
}

/** A table, and the lines above its header. */
export interface Table {
  above: NumberedRow[];
  /** The first is the header. Empty if there are only lines. */
  rows: NumberedRow[];
}

/** Maximum characters of a cell that is repeated in each row that it spans: a longer one does not label the rows. */
const MAX_REPEATED_LENGTH = 100;
/** Maximum columns and rows that cells span, per cell and in small tables: in a table with more, spans only draw it, or are an attack. */
const MAX_SPANNED = 20;
const FEW_SPANNED = 500;

/** Lays out cells, given one after another, as a browser does: a cell that spans rows is repeated in each, one that spans columns is in the first. */
export class TableLayout {
  readonly grid: GridRow[] = [];
  /** By column: the remaining rows of the cell above. */
  readonly #taken: { rows: number; text: string }[] = [];
  #row: GridRow | undefined;
  #column = 0;
  #cells = 0;
  #spanned = 0;

  /** The column of the next cell of the open row; undefined between rows. */
  get column(): number | undefined {
    return this.#row && this.#column;
  }

  /** Opens a row; `row` is its number in the source. */
  startRow(row?: number): void {
    this.endRow();
    this.#row = { row: row ?? this.grid.length + 1, cells: new Map() };
    this.#column = 0;
    this.#fillTaken();
  }

  /** Adds a cell to the open row. A cell that ends its row may span more columns than there are: pages write 999 for all. */
  add({ text, columns = 1, rows = 1 }: TableCell, { isLast = false } = {}): void {
    const { cells } = this.#row!;
    const column = this.#column;
    this.#cells += 1;
    this.#spanned += isLast && rows === 1 ? 0 : columns - 1;
    const width = this.#isBounded() ? columns : 1;
    cells.set(column, text);
    if (width > 1) (this.#row!.spans ??= new Map()).set(column, column + width - 1);
    if (rows > 1)
      for (let index = 0; index < width; index++)
        this.#taken[column + index] = { rows: rows - 1, text: index === 0 && text.length <= MAX_REPEATED_LENGTH ? text : '' };
    this.#column = column + width;
    this.#fillTaken();
  }

  endRow(): void {
    if (!this.#row) return;
    if (!this.#isBounded()) this.#taken.length = 0;
    for (const [column, above] of this.#taken.entries()) if (column >= this.#column && above && above.rows > 0) this.#repeat(column, above);
    this.grid.push(this.#row);
    this.#row = undefined;
  }

  #isBounded(): boolean {
    return this.#spanned <= Math.max(FEW_SPANNED, MAX_SPANNED * this.#cells);
  }

  #fillTaken(): void {
    for (let above = this.#taken[this.#column]; above && above.rows > 0; above = this.#taken[this.#column])
      this.#repeat(this.#column++, above);
  }

  #repeat(column: number, above: { rows: number; text: string }): void {
    above.rows -= 1;
    this.#spanned += 1;
    this.#row!.cells.set(column, above.text);
  }
}

/** Lays out rows of cells. */
export function layOut(rows: readonly (readonly TableCell[])[]): GridRow[] {
  const layout = new TableLayout();
  for (const cells of rows) {
    layout.startRow();
    for (const [index, cell] of cells.entries()) layout.add(cell, { isLast: index === cells.length - 1 });
  }
  layout.endRow();
  return layout.grid;
}

/**
 * Makes a table of laid-out rows, without empty rows and columns. Rows of one cell above a wider row are lines about the table, and so is a cell that
 * is alone. `headers` is the number of header rows if the source declares it; else the first row is one.
 */
export function toTable(grid: readonly GridRow[], headers?: number): Table {
  const filled = grid.filter(({ cells }) => cells.values().some((text) => text !== ''));
  const wide = filled.findIndex(({ cells }) => cells.size > 1);
  const start = wide >= 0 ? Math.min(wide, headers ? headers - 1 : wide) : filled.length === 1 ? 1 : 0;
  const body = filled.slice(start);
  const columns = new Set<number>();
  for (const { cells } of filled) for (const [column, text] of cells) if (text !== '') columns.add(column);
  const order = [...columns].toSorted((a, b) => a - b);
  const declared = headers === undefined ? undefined : Math.max(0, headers - start);
  return {
    above: filled.slice(0, start).map(({ row, cells }) => ({ row, cells: [...cells.values()].filter((text) => text !== '') })),
    rows: joinHeader(
      body.map((row) => ({ row: row.row, cells: trimRow(row, order) })),
      declared === 0 ? 0 : Math.max(declared !== undefined && declared < body.length ? declared : 1, headerHeight(body)),
      (index) => trimRow(spread(body[index]!), order),
    ),
  };
}

/** A number with a sign or unit, a percentage or a date. */
const isMeasured = (cell: string): boolean => /^[^\p{L}\d]{0,3}\d[\d.,:/\-T ]*[^\d]{0,3}$/u.test(cell.trim());
/** Whether a value may be a year, which often names a column. */
const isYear = (cell: string): boolean => /^\d{4}$/.test(cell.trim());

/**
 * Counts the header rows of a table: a row belongs to the header if it names the columns that a cell above it spans, has nothing else to say, and further
 * rows follow.
 */
function headerHeight(rows: readonly GridRow[]): number {
  let height = 1;
  while (height < rows.length - 1 && namesSpanned(rows[height]!, rows[height - 1]!)) height += 1;
  return height;
}

function namesSpanned({ cells }: GridRow, above: GridRow): boolean {
  if (!above.spans || above.cells.size === 1 || [...cells.values()].some((text) => isMeasured(text) && !isYear(text))) return false;
  const upper = spread(above).cells;
  const isSpanned = (column: number): boolean => !above.cells.has(column) || above.spans!.has(column);
  const beside = [...cells].filter(([column, text]) => text !== '' && (upper.get(column) ?? '') !== '' && !isSpanned(column));
  const below = [...cells].flatMap(([column, text]) => (text === '' ? [] : column));
  return (
    beside.every(([column, text]) => upper.get(column) === text) &&
    above.spans.entries().some(([first, last]) => below.filter((column) => column >= first && column <= last).length > 1)
  );
}

/** Repeats cells in each column that they span. */
function spread({ row, cells, spans = new Map() }: GridRow): GridRow {
  const all = new Map(cells);
  for (const [first, last] of spans) for (let column = first + 1; column <= last; column++) all.set(column, cells.get(first)!);
  return { row, cells: all };
}

/** Lists the cells of a row in the order of the columns, up to the last that is not empty. */
function trimRow({ cells }: GridRow, order: readonly number[]): string[] {
  const filled = order.map((column) => cells.get(column) ?? '');
  return filled.slice(0, filled.findLastIndex((cell) => cell !== '') + 1);
}

const isWords = (cell: string): boolean => !/\d/.test(cell);

/** Whether the cells of a row name the columns of the rows below: words alone, above rows that are not only words. */
export const namesColumns = (cells: readonly string[], below: readonly (readonly string[])[]): boolean =>
  cells.length > 1 &&
  cells.every((cell) => isWords(cell) && cell.trim() !== '') &&
  below.length > 0 &&
  !below.every((row) => row.every(isWords));

/** Rows that are compared with a possible header, and the minimum by which it can be recognized as data. */
const MAX_COMPARED = 50;
const MIN_BELOW = 2;

/** Adds an empty header above a first row that is data: it has numbers in all columns of numbers. */
export function addHeader(rows: readonly NumberedRow[]): readonly NumberedRow[] {
  const [first, ...furtherRows] = rows;
  const below = furtherRows.slice(0, MAX_COMPARED);
  if (!first || below.length < MIN_BELOW) return rows;
  const measured = first.cells.flatMap((_, column) => {
    const values = below.flatMap(({ cells }) => (cells[column]?.trim() ? [cells[column]] : []));
    return values.length > 0 && values.every(isMeasured) ? [first.cells[column]!] : [];
  });
  const isRecord = measured.some((cell) => !isYear(cell)) && measured.every(isMeasured) && first.cells.every((cell) => cell.trim());
  return isRecord ? [{ row: first.row, cells: [] }, ...rows] : rows;
}

/** Joins the first `count` rows, which are the header: the name of a column joins its distinct cells. Without any the header is empty. */
export function joinHeader(
  rows: readonly NumberedRow[],
  count: number,
  cellsOf = (index: number): readonly string[] => rows[index]!.cells,
): NumberedRow[] {
  if (rows.length === 0) return [];
  if (count <= 1) return count === 1 ? [...rows] : [{ row: rows[0]!.row, cells: [] }, ...rows];
  const names: Set<string>[] = [];
  for (let index = 0; index < count; index++)
    for (const [column, cell] of cellsOf(index).entries()) (names[column] ??= new Set()).add(cell);
  return [{ row: rows[0]!.row, cells: names.map((texts) => oneLine([...texts].join(' '))) }, ...rows.slice(count)];
}

/** Writes a table whose cells are Markdown, below the lines about it. */
export function writeTable(grid: readonly GridRow[], headers?: number): string {
  const { above, rows } = toTable(grid, headers ?? (grid[0]?.cells.size === 1 ? 1 : undefined)); // a title is the header of a table without one
  const [header, ...body] = rows.map(({ cells }) => cells);
  const names = header?.map((cell) => cell.replace(/^\*\*(.+)\*\*$/, '$1')); // a header is bold in any case
  const lines = above.map(({ cells }) => oneLine(cells.join(' ')));
  return [...lines, names ? tableLines([names, ...body]).join('\n') : ''].filter(Boolean).join('\n\n');
}
