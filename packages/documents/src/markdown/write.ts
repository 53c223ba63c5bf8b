import type { Mark } from '../types.ts';

/** Escapes the start of HTML tags. */
export const escapeTags = (text: string): string => text.replace(/<(?=[a-z!?/])/gi, '\\<');

/** Escapes a line of plain text so that Markdown shows it unchanged: markup at its start, and the start of tags. */
export const escapeLine = (line: string): string => escapeStart(escapeTags(line));

/** Escapes markup at the start of a line. */
export const escapeStart = (line: string): string =>
  line
    .replace(/^(\s*)(#{1,6}|[-+*])(?=\s|$)/, '$1\\$2')
    .replace(/^(\s*)(\d{1,9})([.)])(?=\s|$)/, '$1$2\\$3')
    .replace(/^(\s*)(>|\||```|~~~|={2,}\s*$|([-*_])(?:\s*\3){2,}\s*$)/, '$1\\$2');

/** Escapes the characters that would end an address in Markdown. */
export const linkTarget = (address: string): string =>
  address.trim().replace(/[\s()<>]/g, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Collapses white space to single blanks, and trims. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A number above or below another: of a power, a unit, an index. */
const NUMBER = /^[+\-−–]?\d+(?:[.,/]\d+)?$/;
/** A formula, such as `n+1`; two letters are the end of an ordinal, or a mark. */
const FORMULA = /^(?=.*[\d+\-−–*/=])[\p{L}\d\s+\-−–*/=().,]{2,20}$/u;
/** A variable. The other letters make ordinals of numbers: 1er, 2e, 3a, 4o. */
const VARIABLE = /^(?![aeo])\p{L}$/iu;

/**
 * Writes text above (`^`) or below (`_`) the line so that no other number comes of it, as in `10^6`. Ordinals, marks and the signs of notes stay as they
 * are; `before` is the text before it.
 */
export function scriptText(sign: '^' | '_', text: string, before: string): string {
  const last = /\S$/u.exec(before)?.[0] ?? '';
  if (!/[\p{L}\p{N}\p{S})\]]/u.test(last) || (sign === '_' && !/[\d\p{S}]/u.test(last))) return text; // H2O
  const words = text.trim();
  if (NUMBER.test(words) || VARIABLE.test(words)) return sign + words;
  return FORMULA.test(words) ? `${sign}(${words})` : text;
}

/** Writes a heading on one line; levels beyond 6 become 6. */
export const heading = (level: number, text: string): string => `${'#'.repeat(Math.min(6, level))} ${oneLine(text)}`;

/** Writes a table row; cells hold plain text or inline Markdown. */
const tableRow = (cells: readonly string[]): string => `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;

/**
 * Writes a GFM table; the first row is its header, as wide as the widest row. Shorter rows are not padded (GFM 4.10 allows that), so that
 * one wide row does not cost a cell in every other.
 */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const [header, ...body] = rows;
  if (!header) return [];
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = [...header, ...Array<string>(width - header.length).fill('')];
  return [tableRow(filled), `|${' --- |'.repeat(width)}`, ...body.map(tableRow)];
}

/** A table row with its row number in the source. */
export interface NumberedRow {
  /** The row in the source, from 1. */
  row: number;
  cells: readonly string[];
}

/**
 * Writes a table of numbered rows, with a mark at every row whose number does not follow the one before; marks count from the start of the
 * table.
 */
export function numberedTable(rows: readonly NumberedRow[], place: Omit<Mark, 'at' | 'row'>): { text: string; marks: Mark[] } {
  const lines = tableLines(rows.map(({ cells }) => cells));
  const marks: Mark[] = [];
  let offset = 0;
  let expected: number | undefined;
  for (const [index, line] of lines.entries()) {
    const source = index === 1 ? undefined : rows[index === 0 ? 0 : index - 1];
    if (source && source.row !== expected) marks.push({ at: offset, ...place, row: source.row });
    if (source) expected = source.row + 1;
    offset += line.length + 1;
  }
  return { text: lines.join('\n'), marks };
}

/** Writes a fenced code block, with a fence longer than any in the code. */
export function codeFence(code: string, language: string): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}
