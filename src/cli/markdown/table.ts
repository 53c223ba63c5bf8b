import type { ChalkInstance } from 'chalk';
import { folded, plain, type Span } from './flow.ts';
import { spansOf } from './inline.ts';
import { width } from './width.ts';

/** Columns between two cells. */
const GAP = 2;

const DELIMITER = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/;

interface Cell {
  spans: Span[];
  width: number;
}

export interface TableView {
  color: ChalkInstance;
  columns: number;
}

/** The lines of a Markdown table, as columns where they fit, else a record a row: `Header: value`. Lines that are no table after all stay text. Each ends with a newline. */
export function tableText(lines: readonly string[], view: TableView): string {
  if (!DELIMITER.test(lines[1] ?? '')) return lines.map((line) => `${folded(spansOf(line, view.color), view)}\n`).join('');
  const [heads = [], ...rows] = lines.filter((_, i) => i !== 1).map((line) => cellsOf(line, view.color));
  const widths = widthsOf([heads, ...rows]);
  const room = widths.reduce((sum, cell) => sum + cell + GAP, -GAP);
  return room <= view.columns ? grid(heads, rows, { widths, color: view.color }) : records(heads, rows, view);
}

function cellsOf(line: string, color: ChalkInstance): Cell[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((text) => {
    const spans = spansOf(text.replaceAll('\\|', '|').trim(), color);
    return { spans, width: spans.reduce((sum, span) => sum + width(span.text), 0) };
  });
}

const widthsOf = (rows: readonly Cell[][]): number[] =>
  Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, i) => Math.max(...rows.map((row) => row[i]?.width ?? 0)));

const painted = (cell: Cell): string => cell.spans.map(({ text, paint }) => paint(text)).join('');

function grid(heads: readonly Cell[], rows: readonly Cell[][], { widths, color }: { widths: number[]; color: ChalkInstance }): string {
  const lineOf = (cells: readonly Cell[], paint = plain) =>
    widths
      .map((room, i) => (cells[i] ? paint(painted(cells[i])) + ' '.repeat(room - cells[i].width) : ' '.repeat(room)))
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
