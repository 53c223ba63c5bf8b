import { describe, expect, it } from 'vitest';
import { pdfLines, separateTurned } from '../../src/pdf/lines.ts';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

/** A run of this text, of 10 points, from `x` on, `width` points wide. */
const run = (str: string, x: number, width: number) => ({
  str,
  transform: [10, 0, 0, 10, x, 700],
  width,
  height: 10,
  hasEOL: false,
  fontName: 'f1',
});

describe('the lines of a PDF', () => {
  it('get a space between separate runs from left to right', () => {
    expect(pdfLines([run('Order', 50, 30), run('20300', 85, 30), run('a', 115.5, 5)]).map(({ text }) => text)).toEqual(['Order 20300a']);
  });

  it('get a space between separate runs from right to left', () => {
    const [line] = pdfLines([run('ملی', 150, 40), run('20300', 110, 36), run('شماره', 70, 39.5)]);
    expect(line).toMatchObject({ text: 'ملی 20300شماره', x: 70, right: 190 });
  });

  it('join accents that TeX draws over letters', () => {
    const names = [run('P´', 50, 12), run('eter Mikul´', 57, 50), run('ık, ', 102, 15), run('Odon', 130, 30), run('¨', 132, 4)];
    expect(pdfLines(names).map(({ text }) => text)).toEqual(['Péter Mikulík, Ödon']);
    expect(pdfLines([run('it´', 50, 12), run('s', 62, 5)]).map(({ text }) => text)).toEqual(['it´s']);
  });

  it('join a sign that is drawn in two parts', () => {
    const signs = [run('©', 50, 11), run('c', 53, 5), run(' Ada, Pump', 61, 40), run('©', 101, 11), run('R', 104, 5)];
    expect(pdfLines(signs).map(({ text }) => text)).toEqual(['© Ada, Pump®']);
  });

  it('are read from a rotated page', () => {
    const turned = (str: string, x: number, y: number) => ({ ...run(str, 0, 30), transform: [0, 10, -10, 0, x, y] });
    const { upright, turn } = separateTurned([turned('Order', 100, 50), turned('20300', 100, 85), turned('Price', 112, 50)]);
    const lines = pdfLines(upright, turn);
    expect(lines.map(({ text }) => text)).toEqual(['Order 20300', 'Price']);
    expect(lines[0]!.y).toBeGreaterThan(lines[1]!.y);
  });
});

describe('text that a PDF draws several times to look bold', () => {
  const at = (text: string, x: number, y: number): PdfText => ({ text, x, y });
  const textOf = async (...lines: PdfText[]): Promise<string> => (await read('pdf', pdfFile([lines]))).text;

  it('is there once', async () => {
    expect(await textOf(at('Guarantee', 72, 700), at('Guarantee', 72.4, 700), at('Guarantee', 72.4, 700.3))).toBe('Guarantee');
  });

  it('is there once if its letters are copied one by one', async () => {
    let x = 72;
    const copies = Array.from('Chassis').flatMap((letter) => {
      const copied = [at(letter, x, 700), at(letter, x + 0.4, 700)];
      x += letter === 'C' ? 8.7 : letter === 'i' ? 2.7 : letter === 's' ? 6 : 6.7;
      return copied;
    });
    expect(await textOf(...copies)).toBe('Chassis');
  });

  it('is kept if it stands beside itself', async () => {
    expect(await textOf(at('very', 72, 700), at('very', 99, 700), at('7', 130, 700), at('7', 140, 700))).toBe('very very 7 7');
  });
});

describe('text in another direction than its page', () => {
  const upright = 'BT /F1 10 Tf 90 700 Td (Eels leave the ponds in autumn, and most of them leave in dark nights.) Tj ET';
  const stamp = (y = 230) => `BT /F1 20 Tf 0 1 -1 0 36 ${y} Tm (preprints:2604 9 Apr 2026) Tj ET`;

  it('is a paragraph of its own, neither title nor heading', async () => {
    const { text, title, marks } = await read('pdf', pdfFile([`${stamp()}\n${upright}`]));
    expect(text).toBe('Eels leave the ponds in autumn, and most of them leave in dark nights.\n\npreprints:2604 9 Apr 2026');
    expect(title).toBeUndefined();
    expect(marks!.at(-1)!.boxes![0]!.height).toBeGreaterThan(3 * marks!.at(-1)!.boxes![0]!.width);
  });
});
