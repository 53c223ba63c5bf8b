import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { placeOf, read } from '../support/read.ts';

const text = (words: string, x: number, y: number, size = 10): PdfText => ({ text: words, x, y, size });
const boxesAt = async (words: string, ...file: Parameters<typeof pdfFile>) => placeOf(await read('pdf', pdfFile(...file)), words)?.boxes;

describe('the locations of text in a PDF', () => {
  it('are rectangles as shares of the page, from the upper left corner, one for each block', async () => {
    const parsed = await read('pdf', pdfFile([[text('Fill the tank up to the mark.', 61.2, 712.8), text('Descale it.', 306, 396)]]));
    const [first, second] = parsed.marks!;
    expect(first).toMatchObject({ at: 0, page: 1, page_ratio: 0.773, boxes: [{ left: 0.1, top: 0.09, height: 0.013 }] });
    expect(second!.boxes).toMatchObject([{ left: 0.5, top: 0.49 }]);
    expect(second!.at).toBe(parsed.text.indexOf('Descale'));
    expect(first!.boxes![0]!.width).toBeGreaterThan(0.15);
    expect(first!.boxes![0]!.width).toBeLessThan(0.3);
  });

  it('refer to the page as it is shown, cropped or rotated', async () => {
    const page = [[text('Fill the tank.', 306, 396)]];
    expect(await boxesAt('Fill', page, { page: '/CropBox [306 0 612 792]' })).toMatchObject([{ left: 0, top: 0.49 }]);
    const [turned] = (await boxesAt('Fill', page, { page: '/Rotate 90' }))!;
    expect(turned).toMatchObject({ left: 0.497, top: 0.5 });
    expect(turned!.height).toBeGreaterThan(turned!.width);
    const upright = 'BT /F1 10 Tf 0 1 -1 0 396 306 Tm (Fill the tank.) Tj ET';
    const [shown] = (await boxesAt('Fill', [upright], { page: '/Rotate 90' }))!;
    expect(shown!.width).toBeGreaterThan(shown!.height);
    expect(shown).toMatchObject({ left: 0.386 });
  });

  it('include one rectangle for each column of a paragraph', async () => {
    const wide = 'the pump of the machine is looked after at every visit of';
    const column = (x: number, count: number) => Array.from({ length: count }, (_, i) => text(wide, x, 300 - 12 * i, 9));
    const boxes = await boxesAt(wide, [[...column(50, 6), ...column(330, 6).map((line) => ({ ...(line as object), text: wide }))]]);
    expect(boxes?.map(({ left }) => left)).toEqual([0.082, 0.539]);
  });

  it('include each row of a table, and the text after a link', async () => {
    const row = (y: number, ...cells: string[]): PdfText[] => cells.map((words, i) => text(words, 72 + 120 * i, y));
    const lines = [text('See the home page first.', 72, 760), ...[700, 680, 660].flatMap((y) => row(y, `Part ${y}`, '10 l', 'in store'))];
    const link = { url: 'https://example.org/home', rect: [90, 755, 160, 775] as const };
    const parsed = await read('pdf', pdfFile([lines], { links: [link] }));
    expect(parsed.text).toContain('](https://example.org/home)');
    const tops = ['Part 700', 'Part 680', 'Part 660'].map((words) => placeOf(parsed, `| ${words}`)!.boxes![0]!.top);
    expect(tops).toEqual([0.106, 0.131, 0.157]);
  });
});
