import type { Grid } from './pdf-grids.ts';
import { lineOfRuns, type PdfLine, type PdfRun } from './pdf-lines.ts';

/** Height of the middle of small letters above their baseline, in font sizes. */
const MIDDLE = 0.3;
/** Minimum points by which a run reaches over a border. */
const REACH = 2;
/** Minimum share of the cells of a table that have text; forms and charts have less. */
const MIN_FILLED = 0.4;
/** Maximum lines of a cell; a larger one is a box around parts of a page. */
const MAX_LINES = 25;
/** Maximum share of the lines in cells with wide gaps; more are rows without borders between their cells. */
const MAX_GAPS = 0.1;

/** Minimum lines side by side in all cells of a row that are rows without borders between them. */
const MIN_UNDIVIDED = 3;
/** Maximum difference of the baselines of lines side by side, in font sizes. */
const SAME_LINE = 0.5;

/** A line of a cell. */
interface CellLine {
  row: number;
  column: number;
  line: PdfLine;
  /** Wide gaps within it. */
  gaps: number;
}

/** Cuts the lines in grids at the borders. The cells, row by row, stand in place of the first of those lines. */
export const linesInGrids = (lines: readonly PdfLine[], grids: readonly Grid[]): readonly PdfLine[] => grids.reduce(cutLines, lines);

function cutLines(lines: readonly PdfLine[], grid: Grid): readonly PdfLine[] {
  const inside: CellLine[] = [];
  const left: PdfLine[] = [];
  let first: number | undefined;
  for (const line of lines) {
    const isOutside = line.ruled !== undefined || line.y > grid.rows[0]! || line.y + line.size < grid.rows.at(-1)!;
    const runs = isOutside ? [] : line.runs.filter(({ text }) => text.trim() !== '').flatMap((run) => cutRun(run, grid));
    const places = Map.groupBy(runs, (run) => placeOf(run, grid));
    const outside = places.get(undefined) ?? [];
    if (places.size === 0 || outside.length === runs.length) {
      left.push(line);
      continue;
    }
    first ??= left.length;
    if (outside.length > 0) left.push(lineOfRuns(outside).line);
    for (const [place, own] of places) if (place !== undefined) inside.push({ ...cellOf(place, grid), ...lineOfRuns(own) });
  }
  const table = tableOf(inside, grid);
  return table ? left.toSpliced(first!, 0, ...table) : lines;
}

/** Cuts a run between words where it reaches over a border: pdf.js joins runs that stand close. */
function cutRun(run: PdfRun, grid: Grid): PdfRun[] {
  const { text, x, right } = run;
  const row = rowOf(run, grid);
  const edge =
    row < 0
      ? undefined
      : grid.columns.find((at, column) => at > x + REACH && at < right - REACH && grid.firstColumn(row, column) === column);
  if (edge === undefined) return [run];
  const wanted = ((edge - x) / (right - x)) * text.length;
  const spaces = Array.from(text.matchAll(/\s+/g), ({ index }) => index).filter((at) => at > 0 && at < text.length - 1);
  const at = spaces.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
  if (at === undefined) return [run];
  return [{ ...run, text: text.slice(0, at), right: edge }, ...cutRun({ ...run, text: text.slice(at).trimStart(), x: edge }, grid)];
}

/** Finds the row of a run; -1 outside of the grid. */
const rowOf = ({ y, size }: PdfRun, { rows }: Grid): number =>
  rows.findIndex((edge, i) => y + MIDDLE * size <= edge && y + MIDDLE * size > (rows[i + 1] ?? edge));

/** Finds the number of the cell of a run; undefined outside of the grid. */
function placeOf(run: PdfRun, grid: Grid): number | undefined {
  const { columns, firstColumn } = grid;
  const middle = (run.x + run.right) / 2;
  const column = columns.findIndex((edge, i) => middle >= edge && middle < (columns[i + 1] ?? edge));
  const row = rowOf(run, grid);
  return column < 0 || row < 0 ? undefined : row * columns.length + firstColumn(row, column);
}

const cellOf = (place: number, { columns }: Grid) => ({ row: Math.floor(place / columns.length), column: place % columns.length });

/** Divides rows of the grid that hold several rows of text; their numbers get fractions. */
function divideRows(inside: readonly CellLine[]): CellLine[] {
  return [...Map.groupBy(inside, ({ row }) => row).values()].flatMap((cells) => {
    const columns = [...Map.groupBy(cells, ({ column }) => column).values()].map((all) => all.toSorted((a, b) => b.line.y - a.line.y));
    const [first, ...others] = columns as [CellLine[], ...CellLine[][]];
    const isBeside = (one: CellLine, other: CellLine | undefined): boolean =>
      other !== undefined && Math.abs(one.line.y - other.line.y) < SAME_LINE * one.line.size;
    const areRows = others.every((all) => all.length === first.length && all.every((one, i) => isBeside(one, first[i])));
    if (first.length < MIN_UNDIVIDED || others.length === 0 || !areRows) return cells;
    return columns.flatMap((all) => all.map((one, i) => ({ ...one, row: one.row + i / all.length })));
  });
}

/** Whether a row is one cell. */
const isWhole = (row: number, { columns, firstColumn }: Grid): boolean => firstColumn(row, columns.length - 2) === 0;

/** Counts the cells of rows. */
const countCells = (rows: readonly number[], { columns, firstColumn }: Grid): number =>
  rows.reduce((count, row) => count + new Set(columns.slice(1).map((_, column) => firstColumn(row, column))).size, 0);

/** Orders the lines of a table; undefined if the grid is not a table. */
function tableOf(inside: readonly CellLine[], grid: Grid): PdfLine[] | undefined {
  const filled = Map.groupBy(inside, ({ row, column }) => row * grid.columns.length + column);
  const numbers = (of: (one: CellLine) => number): number[] => [...new Set(inside.map(of))].toSorted((a, b) => a - b);
  const [rows, columns] = [numbers(({ row }) => row), numbers(({ column }) => column)];
  if (rows.length < 2 || columns.length < 2 || filled.size < MIN_FILLED * countCells(rows, grid)) return undefined;
  if (filled.values().some((cell) => cell.length > MAX_LINES)) return undefined;
  if (inside.filter(({ gaps }) => gaps > 0).length > MAX_GAPS * inside.length) return undefined;
  return divideRows(inside)
    .toSorted((a, b) => a.row - b.row || a.column - b.column || b.line.y - a.line.y || a.line.x - b.line.x)
    .map(({ row, column, line }) => ({
      ...line,
      ruled: { grid, row, column: columns.indexOf(column), columns: columns.length, isWhole: isWhole(Math.floor(row), grid) },
    }));
}
