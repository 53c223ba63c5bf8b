import type { Mark } from '../../schema/items.ts';

/** Text in which the start of a tag is escaped. */
export const escapeTags = (text: string): string => text.replace(/<(?=[a-z!?/])/gi, '\\<');

/** One line of plain text as a line of Markdown that shows the same: what would be markup at its start, and the start of a tag, are escaped. */
export const escapeLine = (line: string): string =>
  escapeTags(line)
    .replace(/^(\s*)(#{1,6}|[-+*])(?=\s|$)/, '$1\\$2')
    .replace(/^(\s*)(\d{1,9})([.)])(?=\s|$)/, '$1$2\\$3')
    .replace(/^(\s*)(>|\||```|~~~|={2,}\s*$|([-*_])(?:\s*\3){2,}\s*$)/, '$1\\$2');

/** Text on one line, without white space around it. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** `## Text`, on one line. */
export const heading = (level: number, text: string): string => `${'#'.repeat(Math.min(6, level))} ${oneLine(text)}`;

/** A table row of cells that hold plain text or inline Markdown. */
export const tableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;

/**
 * A GFM table; the first row is its header, as wide as the widest row. Shorter rows are not filled up (GFM 4.10 lets readers do that),
 * so that one wide row does not cost a cell in every other.
 */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const [header, ...body] = rows;
  if (!header) return [];
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = [...header, ...Array<string>(width - header.length).fill('')];
  return [tableRow(filled), `|${' --- |'.repeat(width)}`, ...body.map(tableRow)];
}

export interface NumberedRow {
  /** The row in the source, from 1. */
  row: number;
  cells: readonly string[];
}

/** A table of numbered rows, and a mark at every row that does not follow the one before. `at` is where the table begins in the text. */
export function numberedTable(rows: readonly NumberedRow[], { at, ...place }: Omit<Mark, 'row'>): { text: string; marks: Mark[] } {
  const lines = tableLines(rows.map(({ cells }) => cells));
  const marks: Mark[] = [];
  let offset = at;
  let expected: number | undefined;
  for (const [index, line] of lines.entries()) {
    const source = index === 1 ? undefined : rows[index === 0 ? 0 : index - 1];
    if (source && source.row !== expected) marks.push({ at: offset, ...place, row: source.row });
    if (source) expected = source.row + 1;
    offset += line.length + 1;
  }
  return { text: lines.join('\n'), marks };
}

/** A block of code, whatever marks are in it. */
export function codeFence(code: string, language: string): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}
