import { describe, expect, it } from 'vitest';
import { pdfLines } from '../../../../src/drivers/parsers/pdf/pdf-lines.ts';

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
    const lines = pdfLines([turned('Order', 100, 50), turned('20300', 100, 85), turned('Price', 112, 50)]);
    expect(lines.map(({ text }) => text)).toEqual(['Order 20300', 'Price']);
    expect(lines[0]!.y).toBeGreaterThan(lines[1]!.y);
  });
});
