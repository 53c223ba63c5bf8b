import type { NumberedRow } from '../markdown/write.ts';
import { indentOf } from '../parsed-document.ts';
import { joinHeader } from '../table.ts';
import { joinCell, padWide, type TableBlock } from './rst-rows.ts';

const TOP = /^\s*=+(?: +=+)+\s*$/;
const MAX_COLUMNS = 100;
const BORDER = /^=[ =]*$/;

/** The columns from `from` to before `to`. */
interface Span {
  from: number;
  to: number;
}

/** Reads the simple table that begins at a line (`=====  =====`); undefined where none does. */
export function readSimpleTable(lines: readonly string[], at: number): TableBlock | undefined {
  if (!TOP.test(lines[at]!)) return undefined;
  const indent = indentOf(lines[at]!);
  const columns = findSpans(lines[at]!.slice(indent));
  if (columns.length > MAX_COLUMNS) return undefined;
  const drawn = (index: number): string => padWide(lines[index]!.slice(indent).trimEnd());
  const borders = findBorders(lines, at, indent);
  const last = borders.at(-1);
  if (last === undefined) return undefined;
  const header = borders.length > 1 ? readRows(drawn, { from: at + 1, to: borders[0]! }, columns) : [];
  const body = readRows(drawn, { from: (borders.length > 1 ? borders[0]! : at) + 1, to: last }, columns);
  return { rows: joinHeader([...header, ...body], header.length), end: last + 1 };
}

/** Finds the borders that close the header and the table: two, or the first one above a blank line; none if the table is never closed. */
function findBorders(lines: readonly string[], at: number, indent: number): number[] {
  const width = lines[at]!.trim().length;
  const borders: number[] = [];
  for (let index = at + 1; index < lines.length; index++) {
    const line = lines[index]!.trim();
    if (line === '') continue;
    if (indentOf(lines[index]!) < indent) break;
    if (!BORDER.test(line)) continue;
    if (line.length !== width) break;
    borders.push(index);
    if (borders.length === 2 || (lines[index + 1] ?? '').trim() === '') return borders;
  }
  return [];
}

const findSpans = (line: string): Span[] =>
  [...line.matchAll(/[=-]+/g)].map(({ 0: run, index }) => ({ from: index, to: index + run.length }));

/** Reads rows: a row begins where the first column has text. A line of hyphens below it shows which columns its cells span. */
function readRows(drawn: (index: number) => string, { from, to }: Span, columns: readonly Span[]): NumberedRow[] {
  const rows: NumberedRow[] = [];
  const starts = new Set(columns.map((column) => column.from));
  const ends = new Set(columns.map((column) => column.to));
  let [start, row]: [number, string[]] = [from, []];
  const end = (cellStarts: ReadonlySet<number>): void => {
    if (row.some((line) => line.trim() !== '')) rows.push({ row: start, cells: readCells(row, cellStarts, columns) });
    row = [];
  };
  for (let index = from; index < to; index++) {
    const line = drawn(index);
    const spans = /^-[ -]*$/.test(line) ? findSpans(line) : [];
    // other hyphens are cells
    if (spans.length > 0 && spans.every((span) => starts.has(span.from) && ends.has(span.to))) {
      end(new Set(spans.map((span) => span.from)));
      continue;
    }
    if (line.slice(0, columns[0]!.to).trim() !== '') end(starts);
    if (row.length === 0) start = index;
    if (row.length > 0 || line !== '') row.push(line);
  }
  end(starts);
  return rows;
}

/** Reads the cells of a row, each in its first column. Text that crosses the end of a column makes it one cell with the next. */
function readCells(lines: readonly string[], starts: ReadonlySet<number>, columns: readonly Span[]): string[] {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const inside = columns.filter(({ from }) => from < width);
  const isCut = (place: number): boolean => lines.some((line) => /\S\S/.test(line.slice(place - 1, place + 1)));
  const cells = inside.map(() => '');
  for (let [column, next] = [0, 0]; column < inside.length; column = next) {
    next = column + 1;
    while (next < inside.length && (!starts.has(inside[next]!.from) || isCut(inside[next]!.from))) next += 1;
    const [from, to] = [inside[column]!.from, inside[next]?.from];
    cells[column] = joinCell(lines.map((line) => line.slice(from, to))).replace(/^\\$/, '');
  }
  return cells;
}
