import type { CellObject, Range, WorkSheet } from 'xlsx';
import { namesColumns, type Table, toTable } from '../table.ts';

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

/**
 * Lists the tables of a sheet, in the order of their first rows. Adjacent cells are one table, with those that begin in the same row further right, a single
 * column beside them, and rows below an empty row without a header of their own.
 */
export function sheetTables(sheet: WorkSheet, textOf: CellText): Table[] {
  const merges = sheet['!merges'] ?? [];
  const grid = gridOf(sheet, textOf);
  fillMergedRows(grid, merges);
  const spans = new Map<number, Map<number, number>>();
  for (const { s, e } of merges) if (e.c > s.c) spans.set(s.r, (spans.get(s.r) ?? new Map<number, number>()).set(s.c, e.c));
  return joinRegions(touchingRegions(grid)).map(({ rows }) => {
    const order = [...rows].toSorted(([a], [b]) => a - b);
    return toTable(order.map(([row, cells]) => ({ row: row + 1, cells, spans: spans.get(row) })));
  });
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
