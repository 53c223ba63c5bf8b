import { type NumberedRow, oneLine } from '../markdown/write.ts';

/** A table in the lines of a reStructuredText file. */
export interface TableBlock {
  title?: string;
  /** The header, then the other rows; `row` is the index of a row's first line. None where the lines are no table after all: they stay text. */
  rows: NumberedRow[];
  /** Index of the line behind the table. */
  end: number;
}

const WIDE = /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/g;
/** Occurs in no decoded text. */
const FILLER = '\0';

/** The line with a filler behind each sign that is drawn two columns wide, so that columns can be cut out of it. */
export const padWide = (line: string): string => line.replace(WIDE, `$&${FILLER}`);

/** Joins the lines of a cell that were cut out of padded ones. */
export const joinCell = (lines: readonly string[]): string =>
  oneLine(lines.map((line) => line.trim().replace(/^\|(?=\s|$)/, '')).join(' ')).replaceAll(FILLER, '');
