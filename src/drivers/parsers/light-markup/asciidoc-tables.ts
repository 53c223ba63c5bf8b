import { type NumberedRow, oneLine } from '../../../text/markdown/write.ts';

/** Attributes of a table, from the line above it: `[cols="1,2*", options="header"]`. */
export interface TableAttributes {
  columns: number | undefined;
  /** Undefined if it depends on the blank line below the first row. */
  hasHeader: boolean | undefined;
  /** Whether it is written as CSV. */
  isCsv: boolean;
}

interface Cell {
  text: string;
  line: number;
  columns: number;
  rows: number;
}

const MOST_COLUMNS = 100;
const MOST_SPANNED = 1000;
/** Matches the specifier before the `|` of a cell: repetition or span, alignment, style. */
const SPEC = /[ \t](?:(\d{1,3})?(?:\.(\d{1,4}))?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$/;

/** Parses the attribute line above a table; a `fence` of `,===` means CSV. */
export function parseTableAttributes(line: string, fence: string): TableAttributes {
  const given = /\bcols="?([^"\]]{1,1000})/.exec(line)?.[1];
  const counts = given?.split(/[,;]/).map((one) => Number(/^\s*(\d{1,3})\*/.exec(one)?.[1] ?? 1));
  const hasHeader = /%header|\boptions?="[^"]{0,200}\bheader|\bopts="?[^"\]]{0,200}\bheader/.test(line);
  return {
    columns:
      counts && Math.min(MOST_COLUMNS, given!.trim().match(/^\d+$/) ? Number(given) || 1 : counts.reduce((sum, one) => sum + one, 0)),
    hasHeader: hasHeader ? true : /%noheader|\bnoheader\b/.test(line) ? false : undefined,
    isCsv: fence.startsWith(',') || /\bformat="?csv/.test(line),
  };
}

/**
 * Parses the rows of a table; `first` is the line number of its first line in the file. The first row is the header, empty if the table has
 * none.
 */
export function parseTableRows(lines: readonly string[], first: number, attributes: TableAttributes): NumberedRow[] {
  const filled = lines.findIndex((line) => line.trim() !== '');
  if (filled < 0) return [];
  const cells = lines.flatMap((line, index) =>
    (attributes.isCsv ? csvCells(line) : cellsIn(line)).map((cell) => ({ ...cell, line: first + index })),
  );
  const joined = joinContinued(cells);
  const inFirst = joined.filter(({ line }) => line === first + filled).reduce((sum, { columns }) => sum + columns, 0);
  const rows = rowsOf(joined, attributes.columns ?? Math.max(1, Math.min(MOST_COLUMNS, inFirst)));
  const isApart = lines[filled + 1]?.trim() === '' && rows[1] !== undefined && rows[1].row > first + filled;
  return (attributes.hasHeader ?? isApart) ? rows : [{ row: rows[0]?.row ?? first, cells: [] }, ...rows];
}

type Piece = Omit<Cell, 'line'> & { isContinued: boolean; times: number };

/** Splits a line at the `|` of its cells; the first piece continues the cell of the line before. */
function cellsIn(line: string): Piece[] {
  const pieces = line.split(/(?<!\\)\|/);
  const specs = pieces.slice(0, -1).map((piece, index) => SPEC.exec(index === 0 ? ` ${piece}` : piece));
  return pieces.flatMap((piece, index) => {
    const spec = index > 0 ? specs[index - 1] : undefined;
    const own = specs[index] ? piece.slice(0, Math.max(0, specs[index].index)) : piece;
    if (index === 0 && own.trim() === '') return [];
    const [columns, rows] = [Number(spec?.[1] ?? 1), Number(spec?.[2] ?? 1)];
    const isTimes = spec?.[3] === '*';
    return {
      text: own.trim().replaceAll('\\|', '|'),
      columns: isTimes ? 1 : Math.min(MOST_COLUMNS, columns),
      rows: Math.min(MOST_SPANNED, rows),
      times: isTimes ? Math.min(MOST_COLUMNS, columns) : 1,
      isContinued: index === 0,
    };
  });
}

const csvCells = (line: string): Piece[] =>
  line.trim() === ''
    ? []
    : [...line.matchAll(/(?:^|,)(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))/g)].map(([, quoted, plain = '']) => ({
        text: (quoted?.replaceAll('""', '"') ?? plain).trim(),
        columns: 1,
        rows: 1,
        times: 1,
        isContinued: false,
      }));

function joinContinued(pieces: readonly (Piece & { line: number })[]): Cell[] {
  const cells: (Cell & { texts: string[] })[] = [];
  for (const { isContinued, times, ...cell } of pieces) {
    const before = cells.at(-1);
    if (isContinued && before) before.texts.push(cell.text);
    else for (let time = 0; time < times; time++) cells.push({ ...cell, texts: [cell.text] });
  }
  return cells.map(({ texts, ...cell }) => ({ ...cell, text: oneLine(texts.join(' ')) }));
}

/** Arranges cells in rows of `width`; one that spans several rows is repeated in each. */
function rowsOf(cells: readonly Cell[], width: number): NumberedRow[] {
  const rows: { row: number; cells: string[] }[] = [];
  const spanning = new Map<number, { text: string; left: number }>();
  let [current, column]: [string[], number] = [[], width];
  for (const { text, line, columns, rows: height } of cells) {
    if (column >= width) {
      rows.push({ row: line, cells: (current = []) });
      column = fill(current, 0);
    }
    current[column] = text;
    if (height > 1) spanning.set(column, { text, left: height - 1 });
    for (let next = column + 1; next < Math.min(width, column + columns); next++) current[next] = '';
    column = fill(current, column + columns);
  }
  return rows;

  function fill(row: string[], from: number): number {
    let at = from;
    for (let held = spanning.get(at); held && at < width; held = spanning.get(at)) {
      row[at] = held.text;
      if (--held.left === 0) spanning.delete(at);
      at += 1;
    }
    return at;
  }
}
