import { type Definitions, withoutEscapes } from './roff-escapes.ts';

/** The rows of a table as tbl(1) reads it: options, how its columns look (both left out), then a row a line; `T{` and `T}` enclose longer cells. */
export function readTable(lines: readonly string[], defined: Definitions): string[][] {
  const tab = /\btab\s*\((.)\)/.exec(lines[0] ?? '')?.[1] ?? '\t';
  const rows: string[][] = [];
  let isFormat = true;
  let cell: string[] | undefined;
  const open = (cells: readonly string[]): string[] => {
    const row = cells.map((one) => withoutEscapes(one, defined));
    const isOpen = cells.at(-1)?.trim() === 'T{';
    cell = isOpen ? [] : undefined;
    return isOpen ? row.slice(0, -1) : row;
  };
  for (const line of lines) {
    if (isFormat) isFormat = !/\.\s*$/.test(line);
    else if (/^\.\s*T&/.test(line)) isFormat = true;
    else if (cell && line.startsWith('T}')) {
      const row = rows.at(-1)!;
      row.push(cell.join(' ').trim());
      cell = undefined;
      if (line.length > 2) row.push(...open(line.slice(2).split(tab).slice(1)));
    } else if (cell) cell.push(withoutEscapes(textOf(line), defined));
    else if (!/^[_=\s]*$|^\.\s*\w/.test(line)) rows.push(open(line.split(tab)));
  }
  return rows.map((row) => row.map((one) => one.trim())).filter((row) => row.some((one) => !/^(?:\\?[_=^])?$/.test(one)));
}

/** The words of a line in a cell: what a macro sets in a font is text. */
const textOf = (line: string): string =>
  /^\.(?:[BIR]{1,2}|SM|SB)\s/.test(line) ? line.replace(/^\.\w+\s+/, '').replaceAll('"', '') : line.replace(/^\..*/, '');
