import type { CellObject, Range, WorkSheet } from 'xlsx';
import type { NumberedRow } from '../../../text/markdown/write.ts';
import { namesColumns } from '../parsed-document.ts';

/** Maximum rows that merged cells fill in a sheet; a range may have a million empty rows. */
const MAX_FILLED = 100_000;
/** Maximum regions of a sheet; more are scattered cells, which are one table. */
const MAX_REGIONS = 200;
/** Maximum rows of one cell above a table that belong to it; more are a list. */
const MAX_LINES = 5;

/** The texts of a sheet: row (from 0) → column (from 0) → text. Empty cells are absent. */
type CellGrid = Map<number, Map<number, string>>;

/** Cells that belong together, and their bounding rectangle. */
interface Region extends Range {
  rows: CellGrid;
}

/** A table of a sheet, and the lines above its header. */
export interface SheetTable {
  above: NumberedRow[];
  /** The first is the header. Empty if there are only lines. */
  rows: NumberedRow[];
}

/**
 * Lists the tables of a sheet, in the order of their first rows. Adjacent cells are one table, with those that begin in the same row further right, a single
 * column beside them, and rows below an empty row without a header of their own.
 */
export function sheetTables(sheet: WorkSheet, textOf: CellText): SheetTable[] {
  const merges = sheet['!merges'] ?? [];
  const grid = gridOf(sheet, textOf);
  fillMergedRows(grid, merges);
  const regions = joinRegions(touchingRegions(grid));
  const spans = new Map(merges.filter(({ s, e }) => e.c > s.c).map(({ s, e }) => [`${s.r}:${s.c}`, e.c]));
  return regions.map((region) => tableOf(region, spans));
}

/** Returns the cells of a sheet by row and column, from 0; empty rows and cells are absent or undefined. */
export const cellsIn = (sheet: WorkSheet): ((CellObject | undefined)[] | undefined)[] =>
  (sheet as { '!data'?: ((CellObject | undefined)[] | undefined)[] })['!data'] ?? [];

/** Returns the text of a cell. */
type CellText = (cell: CellObject) => string;

function gridOf(sheet: WorkSheet, textOf: CellText): CellGrid {
  const grid: CellGrid = new Map();
  cellsIn(sheet).forEach((cells, row) => {
    const shown = new Map<number, string>();
    cells?.forEach((cell, column) => {
      const value = cell === undefined ? '' : textOf(cell);
      if (value !== '') shown.set(column, value);
    });
    if (shown.size > 0) grid.set(row, shown);
  });
  return grid;
}

/** Repeats the text of a cell that spans several rows in each of them that is not empty: rows are read alone. */
function fillMergedRows(grid: CellGrid, merges: readonly Range[]): void {
  let visited = 0;
  for (const { s, e } of merges) {
    const value = grid.get(s.r)?.get(s.c);
    for (let row = s.r + 1; value !== undefined && row <= e.r && visited < MAX_FILLED; row++, visited++) grid.get(row)?.set(s.c, value);
  }
}

/** Finds the regions of cells with common sides, in the order of their first rows. */
function touchingRegions(grid: CellGrid): Region[] {
  const left = new Map(Array.from(grid, ([row, cells]) => [row, new Set(cells.keys())]));
  const regions: Region[] = [];
  for (const [row, columns] of left) {
    for (const column of columns) {
      const region: Region = { s: { r: row, c: column }, e: { r: row, c: column }, rows: new Map() };
      const pending = [{ r: row, c: column }];
      columns.delete(column);
      for (let cell = pending.pop(); cell; cell = pending.pop()) {
        const { r, c } = cell;
        extend(region, { s: cell, e: cell });
        if (!region.rows.has(r)) region.rows.set(r, new Map());
        region.rows.get(r)!.set(c, grid.get(r)!.get(c)!);
        for (const next of [
          { r: r - 1, c },
          { r: r + 1, c },
          { r, c: c - 1 },
          { r, c: c + 1 },
        ])
          if (left.get(next.r)?.delete(next.c)) pending.push(next);
      }
      regions.push(region);
    }
  }
  return regions;
}

/** Joins regions that belong together, until no two do. */
function joinRegions(found: readonly Region[]): Region[] {
  const isScattered = found.length > MAX_REGIONS;
  let regions = [...found];
  for (let before = Infinity; regions.length < before;) {
    before = regions.length;
    const joined: Region[] = [];
    for (const region of regions.toSorted((a, b) => a.s.r - b.s.r || a.s.c - b.s.c)) {
      const holder = joined.find((other) => isScattered || belongsTo(region, other));
      if (holder) join(holder, region);
      else joined.push(region);
    }
    regions = joined;
  }
  return regions;
}

/** Whether a region belongs to another one that begins in its row or above. */
function belongsTo(region: Region, other: Region): boolean {
  const isBeside = region.s.r <= other.e.r;
  const overlaps = region.s.c <= other.e.c && region.e.c >= other.s.c;
  if (isBeside) return overlaps || region.s.r === other.s.r || region.s.c === region.e.c;
  if (other.s.c === other.e.c && other.e.r - other.s.r < MAX_LINES) return overlaps;
  return region.s.c >= other.s.c && region.e.c <= other.e.c && !hasHeader(region);
}

/** Whether the first row of a region names its columns. */
function hasHeader({ rows, s }: Region): boolean {
  const below = [...rows].filter(([row]) => row > s.r).map(([, cells]) => [...cells.values()]);
  return namesColumns([...rows.get(s.r)!.values()], below);
}

function join(holder: Region, region: Region): void {
  extend(holder, region);
  for (const [row, cells] of region.rows) {
    const known = holder.rows.get(row);
    if (!known) holder.rows.set(row, cells);
    else for (const [column, text] of cells) known.set(column, text);
  }
}

function extend(region: Range, { s, e }: Range): void {
  region.s = { r: Math.min(region.s.r, s.r), c: Math.min(region.s.c, s.c) };
  region.e = { r: Math.max(region.e.r, e.r), c: Math.max(region.e.c, e.c) };
}

/** Reads the rows of a region, without empty columns. Rows of one cell above a wider row are lines about the table. */
function tableOf({ rows: grid, s, e }: Region, spans: ReadonlyMap<string, number>): SheetTable {
  const order = [...new Set([...grid.values()].flatMap((cells) => [...cells.keys()]))].toSorted((a, b) => a - b);
  const numbers = [...grid.keys()].toSorted((a, b) => a - b);
  const cellsOf = (row: number): ReadonlyMap<number, string> => grid.get(row)!;
  const wide = numbers.findIndex((row) => cellsOf(row).size > 1);
  const start = wide >= 0 ? wide : s.r === e.r ? 1 : 0;
  const { header, height } = headerOf(numbers.slice(start), cellsOf, spans);
  return {
    above: numbers.slice(0, start).map((row) => ({ row: row + 1, cells: [...cellsOf(row).values()] })),
    rows: numbers
      .slice(start)
      .map((row, index) => ({ row: row + 1, cells: trimRow(index === 0 ? header : cellsOf(row), order) }))
      .filter((_, index) => index === 0 || index >= height),
  };
}

/**
 * Reads the header of a table. If a cell of it spans columns that the row below names separately, that row belongs to the header: the name of each column
 * joins the texts above it.
 */
function headerOf(
  rows: readonly number[],
  cellsOf: (row: number) => ReadonlyMap<number, string>,
  spans: ReadonlyMap<string, number>,
): { header: ReadonlyMap<number, string>; height: number } {
  let header = new Map(rows.length > 0 ? cellsOf(rows[0]!) : []);
  let height = 1;
  for (; height < rows.length - 1; height++) {
    const above = cellsOf(rows[height - 1]!);
    const below = cellsOf(rows[height]!);
    const spread = new Map(header);
    let isNamedBelow = false;
    for (const column of above.keys()) {
      const under = Array.from(
        { length: (spans.get(`${rows[height - 1]}:${column}`) ?? column) - column + 1 },
        (_, index) => column + index,
      );
      if (under.length < 2 || under.filter((each) => below.has(each)).length < 2) continue;
      isNamedBelow = true;
      for (const each of under) spread.set(each, header.get(column)!);
    }
    if (!isNamedBelow) break;
    for (const [column, text] of below) {
      const upper = spread.get(column);
      spread.set(column, upper === undefined || upper === text ? text : `${upper} ${text}`);
    }
    header = spread;
  }
  return { header, height };
}

/** Lists the cells of a row in the order of the columns, up to the last that is not empty. */
function trimRow(cells: ReadonlyMap<number, string>, order: readonly number[]): string[] {
  const filled = order.map((column) => cells.get(column) ?? '');
  return filled.slice(0, filled.findLastIndex((cell) => cell !== '') + 1);
}
