import { describe, expect, it } from 'vitest';
import { layOut, type TableCell, TableLayout, toTable, writeTable } from '../src/table.ts';

/** Cells of a row: `2025*2` spans two columns, `Quay/2` two rows. */
const row = (...cells: string[]): TableCell[] =>
  cells.map((cell) => {
    const [, text = '', columns, rows] = /^(.*?)(?:\*(\d+))?(?:\/(\d+))?$/.exec(cell)!;
    return { text, columns: Number(columns ?? 1), rows: Number(rows ?? 1) };
  });
const written = (rows: TableCell[][], headers?: number): string[] => writeTable(layOut(rows), headers).split('\n');

describe('the header of a table', () => {
  const data = row('Timber Quay', '41', '8200', '44', '8710');
  it('joins two rows if cells of the first span the columns that the second names', () => {
    const header = '| Quay | 2025 Ships | 2025 Tons | 2026 Ships | 2026 Tons |';
    expect(written([row('Quay/2', '2025*2', '2026*2'), row('Ships', 'Tons', 'Ships', 'Tons'), data])[0]).toBe(header);
    expect(written([row('Quay', '2025*2', '2026*2'), row('', 'Ships', 'Tons', 'Ships', 'Tons'), data])[0]).toBe(header);
    expect(written([row('', '2025*2', '2026*2'), row('Quay', 'Ships', 'Tons', 'Ships', 'Tons'), data])[0]).toBe(header);
  });

  it('does not take in a row of data', () => {
    expect(written([row('Model', 'Power*2'), row('Aqua', 'heater', 'strong'), row('Bora', 'pump', 'weak')])[0]).toBe(
      '| Model | Power |  |',
    );
    expect(written([row('', 'Power*2'), row('Aqua', '1450', '20'), row('Bora', '48', '3')])[0]).toBe('|  | Power |  |');
    expect(written([row('Power*2'), row('heater', 'strong'), row('pump', 'weak')])[0]).toBe('| Power |  |');
    expect(written([row('Quay', '2025*2'), row('', 'Ships', 'Tons')])[0]).toBe('| Quay | 2025 |  |');
  });

  it('is what the source declares', () => {
    expect(written([row('Year', 'Year'), row('Ships', 'Tons'), row('41', '8200')], 2)[0]).toBe('| Year Ships | Year Tons |');
    expect(written([row('Traffic*2'), row('Ships', 'Tons'), row('41', '8200')], 2)).toEqual([
      'Traffic',
      '',
      '| Ships | Tons |',
      '| --- | --- |',
      '| 41 | 8200 |',
    ]);
    expect(written([row('41', '8200'), row('44', '8710')], 0)[0]).toBe('|  |  |');
    expect(written([row('41', '8200'), row('44', '8710')], 2)).toHaveLength(3);
  });
});

it('keeps each text of a table, and each number of a row', () => {
  const grid = layOut([row('a', '', ''), row('', '', ''), row('b/3', 'c', ''), row('d', 'e')]);
  expect(toTable(grid)).toEqual({
    above: [],
    rows: [
      { row: 1, cells: ['a'] },
      { row: 3, cells: ['b', 'c'] },
      { row: 4, cells: ['b', 'd', 'e'] },
    ],
  });
});

it('repeats a short cell in each row that it spans, and a long one not', () => {
  const long = 'word '.repeat(30).trim();
  expect(written([row('A', 'B'), row('x/2', '1'), row('2'), row(`${long}/2`, '3'), row('4')])).toEqual([
    '| A | B |',
    '| --- | --- |',
    '| x | 1 |',
    '| x | 2 |',
    `| ${long} | 3 |`,
    '|  | 4 |',
  ]);
});

it('ignores spans that only draw a table', () => {
  const grid = layOut(Array.from({ length: 300 }, () => row('a*1000/1000', 'b*1000/1000')));
  expect(grid.reduce((sum, { cells }) => sum + cells.size, 0)).toBeLessThan(5_000);
});

it('tells the column of the next cell', () => {
  const layout = new TableLayout();
  expect(layout.column).toBeUndefined();
  layout.startRow();
  layout.add({ text: 'a', rows: 2 });
  layout.add({ text: 'b' });
  layout.startRow();
  expect(layout.column).toBe(1);
});
