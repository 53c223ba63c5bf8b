import { escapeTags, tableLines } from './markdown-text.ts';
import type { Cell, Line } from './pdf-lines.ts';

/** Fewer rows may stand below one another by chance. */
const LEAST_ROWS = 3;
/** How far the edges of the cells of a column may lie apart, in font sizes. */
const ALIGNED = 0.6;
/** The end of an entry of a table of contents. */
const PAGE = /^(?:\d{1,4}|[ivxlc]+)$/i;
const LEADER = ' … ';

/** The rows at the beginning of these lines: each is cut by a gap that no sentence has. */
export function rowsOf(lines: readonly Line[], isText: (line: Line) => boolean): Line[] {
  const end = lines.findIndex((line) => line.cells.length < 2 || line.text.includes(LEADER) || !isText(line));
  const rows = lines.slice(0, end < 0 ? lines.length : end);
  return rows.length < LEAST_ROWS ? [] : rows;
}

/** The GFM table of rows whose cells stand below one another; undefined for rows that are not laid out so. */
export function tableOf(rows: readonly Line[]): string | undefined {
  const [first] = rows;
  if (!first || rows.some(isCode) || !rows.every(({ cells }) => cells.length === first.cells.length)) return undefined;
  const isAligned = (edge: keyof Pick<Cell, 'x' | 'right'>, column: number): boolean =>
    rows.every(({ cells, size }) => Math.abs(cells[column]![edge] - first.cells[column]![edge]) <= ALIGNED * size);
  if (!first.cells.every((_, column) => isAligned('x', column) || isAligned('right', column))) return undefined;
  return tableLines(rows.map(({ cells }) => cells.map(({ text }) => escapeTags(text)))).join('\n');
}

/** Whether a row is a line of a program: numbered, or with a statement's end. */
const isCode = ({ cells, text }: Line): boolean => /^\d+:$/.test(cells[0]!.text) || /[;{}]$/.test(text);

/** The lines of a page, those of a table of contents with dots before their page also where the file draws none. */
export function withLeaders(lines: readonly Line[]): Line[] {
  const isContents = lines.filter(({ text }) => text.includes(LEADER)).length >= LEAST_ROWS;
  return lines.map((line) => {
    const last = line.cells.at(-1)!;
    if (!isContents || line.cells.length < 2 || !PAGE.test(last.text) || line.text.includes(LEADER)) return line;
    return { ...line, text: `${line.text.slice(0, -last.text.length).trimEnd()}${LEADER}${last.text}` };
  });
}
