import { type NumberedRow, oneLine } from '../../../text/markdown/write.ts';

/** What an attribute line above a table says of it: `[cols="1,2*", options="header"]`. */
export interface TableAttributes {
  columns: number | undefined;
  /** Undefined where only the blank line below the first row tells. */
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
/** What may stand before the sign of a cell: how often it comes or what it spans, where its text stands, its style. */
const SPEC = /[ \t](?:(\d{1,3})?(?:\.(\d{1,4}))?([+*]))?[<^>]?(?:\.[<^>])?[adehlmsv]?$/;

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

/** The rows of a table that stands in lines, the first of number `first` in the file. The first row is the header, empty where it has none. */
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

/** The pieces of a line between the signs of cells; the first goes on with the cell of the line before. */
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

/** So many cells in each row; one that spans several rows stands in each of them. */
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
