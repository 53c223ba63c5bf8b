import { width } from './width.ts';
import type { ChalkInstance } from 'chalk';
import { lineKind } from '../../text/markdown/lines.ts';
import { folded, type Paint, plain, type Span } from './flow.ts';
import { spansOf } from './inline.ts';

/** Columns between two cells. */
const GAP = 2;

interface Cell {
  spans: Span[];
  width: number;
}

/** How far a cell is moved to the right: the share of the room that is left. */
type Shift = 0 | 0.5 | 1;

interface TableView {
  color: ChalkInstance;
  columns: number;
}

/** The lines of a Markdown table, as columns where they fit, else a record a row: `Header: value`. Lines that are no table after all stay text. Each ends with a newline. */
export function tableText(lines: readonly string[], view: TableView): string {
  const delimiter = lines[1]?.trim() ?? '';
  if (lineKind(delimiter) !== 'separator') return lines.map((line) => `${folded(spansOf(line, view.color), view)}\n`).join('');
  const [heads = [], ...rows] = lines.filter((_, i) => i !== 1).map((line) => cellsOf(line, view.color));
  const widths = widthsOf([heads, ...rows]);
  const room = widths.reduce((sum, cell) => sum + cell + GAP, -GAP);
  return room <= view.columns ? grid(heads, rows, { widths, shifts: shiftsOf(delimiter), color: view.color }) : records(heads, rows, view);
}

const textsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/);

/** Where each column stands: `---:` at the right, `:---:` in the middle. */
const shiftsOf = (delimiter: string): Shift[] =>
  textsOf(delimiter).map((mark) => (!mark.trim().endsWith(':') ? 0 : mark.trim().startsWith(':') ? 0.5 : 1));

function cellsOf(line: string, color: ChalkInstance): Cell[] {
  return textsOf(line).map((text) => {
    const spans = spansOf(text.replaceAll('\\|', '|').trim(), color);
    return { spans, width: spans.reduce((sum, span) => sum + width(span.text), 0) };
  });
}

const widthsOf = (rows: readonly Cell[][]): number[] =>
  Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) => Math.max(...rows.map((row) => row[i]?.width ?? 0)));

const painted = (cell: Cell): string => cell.spans.map(({ text, paint }) => paint(text)).join('');

interface GridView {
  widths: readonly number[];
  shifts: readonly Shift[];
  color: ChalkInstance;
}

function grid(heads: readonly Cell[], rows: readonly Cell[][], { widths, shifts, color }: GridView): string {
  const cellText = (cell: Cell, room: number, { shift, paint }: { shift: Shift; paint: Paint }) => {
    const before = Math.floor((room - cell.width) * shift);
    return ' '.repeat(before) + paint(painted(cell)) + ' '.repeat(room - cell.width - before);
  };
  const lineOf = (cells: readonly Cell[], paint = plain) =>
    widths
      .map((room, i) => (cells[i] ? cellText(cells[i], room, { shift: shifts[i] ?? 0, paint }) : ' '.repeat(room)))
      .join(' '.repeat(GAP))
      .trimEnd();
  const rule = color.dim(widths.map((room) => '─'.repeat(room)).join(' '.repeat(GAP)));
  return [lineOf(heads, color.bold), rule, ...rows.map((row) => lineOf(row))].map((line) => `${line}\n`).join('');
}

function records(heads: readonly Cell[], rows: readonly Cell[][], { color, columns }: TableView): string {
  const recordOf = (row: readonly Cell[]) =>
    row.map((cell, i) => {
      const name = heads[i]?.spans.map(({ text }) => text).join('');
      const label: Span[] = name ? [{ text: `${name}: `, paint: color.bold }] : [];
      return `${folded([...label, ...cell.spans], { hang: '  ', columns })}\n`;
    });
  return rows.map((row) => recordOf(row).join('')).join('\n');
}
