import { lineOfRuns, type PdfLine, type PdfRun } from '../pdf-lines.ts';
import type { Grid } from './grids.ts';

/** The middle of small letters stands this far above their base line, in font sizes. */
const MIDDLE = 0.3;
/** A run reaches over a rule by so many points, or more. */
const REACH = 2;
/** Of the cells of a table at least this share says something; of other grids less does: forms, charts. */
const LEAST_FILLED = 0.4;
/** A cell with more lines is no cell: something is drawn around parts of a page. */
const MOST_LINES = 25;
/** Of the lines in cells at most this share has wide gaps, as rows have that no rule divides. */
const MOST_GAPS = 0.1;

/** So many lines that stand side by side in all cells of a row are rows that no rule divides. */
const UNDIVIDED = 3;
const SAME_LINE = 0.5;

/** A line of a cell. */
interface CellLine {
  row: number;
  column: number;
  line: PdfLine;
  /** Wide gaps within it. */
  gaps: number;
}

/** The lines of a page, those in a grid cut at its rules: cell by cell and row by row, in place of the first of them. */
export const ruledLines = (lines: readonly PdfLine[], grids: readonly Grid[]): PdfLine[] =>
  grids.reduce<PdfLine[]>((all, grid) => withGrid(all, grid), [...lines]);

function withGrid(lines: readonly PdfLine[], grid: Grid): PdfLine[] {
  const inside: CellLine[] = [];
  const left: PdfLine[] = [];
  let first: number | undefined;
  for (const line of lines) {
    const runs = line.ruled ? [] : line.runs.filter(({ text }) => text.trim() !== '').flatMap((run) => cutRun(run, grid));
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
  return table ? [...left.slice(0, first), ...table, ...left.slice(first)] : [...lines];
}

/** A run in parts where it reaches over a rule: pdf.js joins what stands close. Each part ends between words. */
function cutRun(run: PdfRun, grid: Grid): PdfRun[] {
  const { text, x, right } = run;
  const row = rowOf(run, grid);
  const edge =
    row < 0 ? undefined : grid.columns.find((at, column) => at > x + REACH && at < right - REACH && grid.ownerOf(row, column) === column);
  if (edge === undefined) return [run];
  const wanted = ((edge - x) / (right - x)) * text.length;
  const spaces = Array.from(text.matchAll(/\s+/g), ({ index }) => index).filter((at) => at > 0 && at < text.length - 1);
  const at = spaces.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
  if (at === undefined) return [run];
  return [{ ...run, text: text.slice(0, at), right: edge }, ...cutRun({ ...run, text: text.slice(at).trimStart(), x: edge }, grid)];
}

/** The row that a run stands in; -1 outside of the grid. */
const rowOf = ({ y, size }: PdfRun, { rows }: Grid): number =>
  rows.findIndex((edge, i) => y + MIDDLE * size <= edge && y + MIDDLE * size > (rows[i + 1] ?? edge));

/** The number of the cell that a run stands in; undefined outside of the grid. */
function placeOf(run: PdfRun, grid: Grid): number | undefined {
  const { columns, ownerOf } = grid;
  const middle = (run.x + run.right) / 2;
  const column = columns.findIndex((edge, i) => middle >= edge && middle < (columns[i + 1] ?? edge));
  const row = rowOf(run, grid);
  return column < 0 || row < 0 ? undefined : row * columns.length + ownerOf(row, column);
}

const cellOf = (place: number, { columns }: Grid) => ({ row: Math.floor(place / columns.length), column: place % columns.length });

/** The lines with rows of their own where these stand between the same rules. */
function undivided(inside: readonly CellLine[]): CellLine[] {
  return [...Map.groupBy(inside, ({ row }) => row).values()].flatMap((cells) => {
    const columns = [...Map.groupBy(cells, ({ column }) => column).values()].map((all) => all.toSorted((a, b) => b.line.y - a.line.y));
    const [first, ...others] = columns as [CellLine[], ...CellLine[][]];
    const isBeside = (one: CellLine, other: CellLine | undefined): boolean =>
      other !== undefined && Math.abs(one.line.y - other.line.y) < SAME_LINE * one.line.size;
    const areRows = others.every((all) => all.length === first.length && all.every((one, i) => isBeside(one, first[i])));
    if (first.length < UNDIVIDED || others.length === 0 || !areRows) return cells;
    return columns.flatMap((all) => all.map((one, i) => ({ ...one, row: one.row + i / all.length })));
  });
}

/** Whether a row is one cell. */
const isWhole = (row: number, { columns, ownerOf }: Grid): boolean => ownerOf(row, columns.length - 2) === 0;

/** How many cells the rules of these rows draw. */
const cellsIn = (rows: readonly number[], { columns, ownerOf }: Grid): number =>
  rows.reduce((count, row) => count + new Set(columns.slice(1).map((_, column) => ownerOf(row, column))).size, 0);

/** The lines of a table; undefined where the cells are none of one. */
function tableOf(inside: readonly CellLine[], grid: Grid): PdfLine[] | undefined {
  const filled = Map.groupBy(inside, ({ row, column }) => row * grid.columns.length + column);
  const numbers = (of: (one: CellLine) => number): number[] => [...new Set(inside.map(of))].toSorted((a, b) => a - b);
  const [rows, columns] = [numbers(({ row }) => row), numbers(({ column }) => column)];
  if (rows.length < 2 || columns.length < 2 || filled.size < LEAST_FILLED * cellsIn(rows, grid)) return undefined;
  if (filled.values().some((cell) => cell.length > MOST_LINES)) return undefined;
  if (inside.filter(({ gaps }) => gaps > 0).length > MOST_GAPS * inside.length) return undefined;
  return undivided(inside)
    .toSorted((a, b) => a.row - b.row || a.column - b.column || b.line.y - a.line.y || a.line.x - b.line.x)
    .map(({ row, column, line }) => ({
      ...line,
      ruled: { grid, row, column: columns.indexOf(column), columns: columns.length, isWhole: isWhole(Math.floor(row), grid) },
    }));
}
