import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { placeOf, read } from '../support/read.ts';

const row = (y: number, ...cells: [string, number][]): PdfText[] => cells.map(([text, x]) => ({ text, x, y, size: 10 }));
const tableOf = async (...pages: PdfText[][]): Promise<string> => (await read('pdf', pdfFile(pages))).text;

describe('a table without borders in a PDF', () => {
  it('may have centered column names', async () => {
    const page = [
      row(700, ['Flag', 76], ['Size', 168]),
      row(686, ['-1', 72], ['914,704 bytes', 150]),
      row(674, ['-2', 72], ['877,703 bytes', 150]),
      row(662, ['-3', 72], ['860,338 bytes', 150]),
    ];
    expect(await tableOf(page.flat())).toBe(
      '| Flag | Size |\n| --- | --- |\n| -1 | 914,704 bytes |\n| -2 | 877,703 bytes |\n| -3 | 860,338 bytes |',
    );
  });

  it('may have a first column without a name', async () => {
    const page = [
      row(700, ['Loops', 150], ['Trees', 220]),
      row(686, ['cube', 72], ['25', 158], ['27', 228]),
      row(672, ['morph', 72], ['15', 158], ['18', 228]),
    ];
    expect(await tableOf(page.flat())).toBe('|  | Loops | Trees |\n| --- | --- | --- |\n| cube | 25 | 27 |\n| morph | 15 | 18 |');
  });

  describe('that continues on the next page', () => {
    const row3 = (y: number, ...[first, second, third]: string[]): PdfText[] => row(y, [first!, 72], [second!, 160], [third!, 250]);
    const parts = (from: number, count = 3): PdfText[] =>
      Array.from({ length: count }, (_, i) => row3(686 - 14 * i, `P${from + i}`, `${(from + i) * 10} l`, 'in store')).flat();
    const names = row3(700, 'Part', 'Volume', 'Where');
    const rows = (from: number, to: number): string =>
      Array.from({ length: to - from + 1 }, (_, i) => `| P${from + i} | ${(from + i) * 10} l | in store |`).join('\n');

    it('is one table below its column names', async () => {
      const text = await tableOf([...names, ...parts(1)], parts(4), parts(7));
      expect(text).toBe(`| Part | Volume | Where |\n| --- | --- | --- |\n${rows(1, 9)}`);
    });

    it('has column names once that are on each page', async () => {
      const text = await tableOf(...[1, 4, 7].map((from) => [...names, ...parts(from)]));
      expect(text).toBe(`| Part | Volume | Where |\n| --- | --- | --- |\n${rows(1, 9)}`);
    });

    it('has an empty header if its first row is data', async () => {
      const text = await tableOf(parts(1), parts(4), parts(7));
      expect(text).toBe(`|  |  |  |\n| --- | --- | --- |\n${rows(1, 9)}`);
    });

    it('has marks that tell the page of each row', async () => {
      const parsed = await read('pdf', pdfFile([[...names, ...parts(1)], parts(4)]));
      expect(['P1', 'P3', 'P4', 'P6'].map((part) => placeOf(parsed, `| ${part}`)?.page)).toEqual([1, 1, 2, 2]);
      expect(placeOf(parsed, '| P4')?.boxes).toHaveLength(1);
    });
  });

  it('has years for column names above numbers', async () => {
    const page = [
      row(700, ['Income', 72], ['2023', 160], ['2024', 250]),
      row(686, ['Berths', 72], ['1200', 160], ['1340', 250]),
      row(672, ['Fees', 72], ['870', 160], ['910', 250]),
    ];
    expect(await tableOf(page.flat())).toBe(
      '| Income | 2023 | 2024 |\n| --- | --- | --- |\n| Berths | 1200 | 1340 |\n| Fees | 870 | 910 |',
    );
  });

  it('is read if each cell is drawn with all of its lines', async () => {
    const page = [
      row(700, ['Problem', 72], ['Cause', 200], ['Remedy', 330]),
      row(680, ['It does not', 72]),
      row(668, ['start', 72]),
      row(680, ['The base has no', 200]),
      row(668, ['power', 200]),
      row(680, ['Plug it in', 330]),
      row(648, ['It stops', 72]),
      row(648, ['It is dry', 200]),
      row(648, ['Fill it', 330]),
    ];
    expect(await tableOf(page.flat())).toBe(
      '| Problem | Cause | Remedy |\n| --- | --- | --- |\n| It does not start | The base has no power | Plug it in |\n| It stops | It is dry | Fill it |',
    );
  });

  it('has separate rows if close lower-case lines would have fitted above', async () => {
    const page = [
      row(700, ['command', 72], ['what it does', 180]),
      row(680, ['list files', 72], ['shows what is there', 180]),
      row(660, ['drop a file', 72], ['takes it away, and asks whether', 180]),
      row(649, ['that is meant, each time', 180]),
      row(638, ['copy', 72], ['copies it', 180]),
      row(618, ['move it away', 72], ['moves it', 180]),
    ];
    expect((await tableOf(page.flat())).split('\n')).toContain('| copy | copies it |');
  });

  it('has a separate row for cells in the last columns only', async () => {
    const page = [
      row(700, ['Name', 72], ['Diaz', 150], ['Year', 250], ['2022', 320]),
      row(686, ['Claim', 72], ['1008', 150], ['Make', 250], ['Jeep', 320]),
      row(672, ['Email', 72], ['a@b.org', 150], ['VIN', 250], ['1C4R', 320]),
      row(658, ['Color', 250], ['White', 320]),
    ];
    expect((await tableOf(page.flat())).split('\n').at(-1)).toBe('|  |  | Color | White |');
  });

  it('keeps its columns where any of its cells are empty', async () => {
    const page = [
      row(700, ['Part', 72], ['Shelf', 160], ['Counted', 240], ['Missing', 330]),
      row(676, ['P-11', 72], ['A-3', 160], ['45', 240]),
      row(652, ['B-7', 160], ['-2', 330]),
      row(628, ['P-12', 72], ['18', 240]),
      row(604, ['27', 240], ['-4', 330]),
    ];
    expect(await tableOf(page.flat())).toBe(
      [
        '| Part | Shelf | Counted | Missing |',
        '| --- | --- | --- | --- |',
        '| P-11 | A-3 | 45 |  |',
        '|  | B-7 |  | -2 |',
        '| P-12 |  | 18 |  |',
        '|  |  | 27 | -4 |',
      ].join('\n'),
    );
  });

  it('may have a single row, if that fills four columns', async () => {
    const names: [string, number][] = [['From', 72], ['To', 140], ['Berths', 210], ['Price', 280]]; // prettier-ignore
    const cells: [string, number][] = [['12 May', 72], ['14 May', 140], ['4', 210], ['$250', 280]]; // prettier-ignore
    expect(await tableOf([...row(700, ...names), ...row(688, ...cells)])).toContain('| 12 May | 14 May | 4 | $250 |');
    expect(await tableOf([...row(700, ...names), ...row(688, ...cells.slice(1))])).not.toContain('|');
  });

  it('may have numbers on the right of columns whose names are on the left', async () => {
    const page = [
      row(700, ['Year', 72], ['Ducks counted', 140]),
      row(686, ['2019', 105], ['120', 230]),
      row(672, ['2020', 105], ['135', 230]),
      row(658, ['2021', 105], ['150', 230]),
    ];
    expect(await tableOf(page.flat())).toContain('| Year | Ducks counted |\n| --- | --- |\n| 2019 | 120 |');
  });

  it('may have a note below one of its cells that is wider than the column', async () => {
    const note = (y: number): PdfText[] => [{ text: '(142 minutes); for all ages, with a break', x: 120, y, size: 8 }];
    const film = (y: number, number: string, name: string): PdfText[] => row(y, [number, 72], [name, 120], ['Hall 2', 210], ['7 pm', 280]);
    const names = row(700, ['No.', 72], ['Film', 120], ['Hall', 210], ['Begin', 280]);
    const page = [names, film(688, '1', 'Winter'), note(677), film(664, '2', 'Harbor'), note(653)];
    expect(await tableOf(page.flat())).toContain('| 2 | Harbor (142 minutes); for all ages, with a break | Hall 2 | 7 pm |');
  });

  it('is not a heading, even in large letters', async () => {
    const page = [
      ...row(700, ['Name', 72], ['Diaz', 150], ['Year', 250]).map((cell) => ({ ...(cell as object), size: 14 }) as PdfText),
      ...row(660, ['The pump is checked at every visit, and its state is noted in the log.', 72]),
    ];
    expect(await tableOf(page)).not.toContain('#');
  });

  it('stays text line by line if its cells are not aligned', async () => {
    const page = [
      row(700, ['Model', 72], ['Flow', 200], ['Price', 300]),
      row(686, ['P1', 95], ['100', 260]),
      row(672, ['P2', 120], ['20', 180]),
    ];
    expect(await tableOf(page.flat())).toBe('Model Flow Price\nP1 100\nP2 20');
  });

  it('is not assumed for a justified paragraph with wide gaps', async () => {
    const first = row(700, ['Paragraph', 72], ['2.0.', 140], ['The', 182], ['controller', 220], ['measures', 290]);
    const rest = [
      'the temperature of the boiler every second, and compares it',
      'with the target that the operator has set before. When the',
      'difference grows beyond two degrees, the burner is started.',
    ].flatMap((text, i) => row(688 - 12 * i, [text, 72]));
    expect(await tableOf([...first, ...rest])).not.toContain('|');
  });
});
