import { describe, expect, it } from 'vitest';
import { pdfFile } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

type Words = [text: string, x: number, y: number];
const shown = ([text, x, y]: Words) => `BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET`;
const across = (xs: [number, number], ...ys: number[]) => ys.map((y) => `${xs[0]} ${y} m ${xs[1]} ${y} l S`);
const upright = (ys: [number, number], ...xs: number[]) => xs.map((x) => `${x} ${ys[0]} m ${x} ${ys[1]} l S`);
const page = (drawn: string[], ...words: Words[]) => [...drawn, ...words.map(shown)].join('\n');
const textOf = async (...pages: string[]): Promise<string> => (await read('pdf', pdfFile(pages))).text;

/** A table of two columns, 70 to 250 to 430, whose rows are 700 to 660 to 620 to 580. */
const drawn = [...across([70, 430], 700, 660, 620, 580), ...upright([580, 700], 70, 250, 430)];
const words: Words[] = [
  ['Part', 75, 685],
  ['How often it is', 255, 685],
  ['looked after', 255, 673],
  ['Filter', 75, 645],
  ['Rinse it weekly, and in hard', 255, 645],
  ['water each other day', 255, 633],
  ['Pump with its', 75, 605],
  ['valve', 75, 593],
];

describe('a table with drawn borders in a PDF', () => {
  it('has the drawn cells, wrapped or empty, without the text around it', async () => {
    const text = await textOf(page(drawn, ['Care of the machine:', 70, 730], ...words, ['Ask the service for parts.', 70, 540]));
    expect(text).toBe(
      'Care of the machine:\n\n| Part | How often it is looked after |\n| --- | --- |\n| Filter | Rinse it weekly, and in hard water each other day |\n| Pump with its valve |  |\n\nAsk the service for parts.',
    );
  });

  it('may be drawn with thin rectangles, one rectangle for each cell, or within a form', async () => {
    const boxes = [0, 1, 2].flatMap((row) => [70, 250].map((x) => `${x} ${580 + 40 * row} 180 40 re S`));
    const thin = [...[700, 660, 620, 580].map((y) => `70 ${y} 360 .5 re f`), ...[70, 250, 430].map((x) => `${x} 580 .5 120 re f`)];
    const moved = ['q 2 0 0 2 10 20 cm', ...across([30, 210], 340, 320, 300, 280), ...upright([280, 340], 30, 120, 210), 'Q'];
    const expected = await textOf(page(drawn, ...words));
    expect(expected).toContain('| Filter | Rinse');
    for (const other of [boxes, thin, moved]) expect(await textOf(page(other, ...words))).toBe(expected);
  });

  it('separates cells without a gap between their words, and has its title above it', async () => {
    const rules = [...across([70, 400], 720, 700, 680, 660, 640), ...upright([640, 700], 130), ...upright([640, 720], 70, 400)];
    const text = await textOf(
      page(
        rules,
        ['Warranty terms', 75, 706],
        ['Country', 75, 686],
        ['Period', 133, 686],
        ['Scandinavia', 75, 666],
        ['24 months', 133, 666],
        ['Iceland', 75, 646],
        ['12 months', 133, 646],
      ),
    );
    expect(text).toBe('Warranty terms\n\n| Country | Period |\n| --- | --- |\n| Scandinavia | 24 months |\n| Iceland | 12 months |');
  });

  it('has separate rows even without borders between them', async () => {
    const rules = [...across([70, 430], 700, 680, 600), ...upright([600, 700], 70, 250, 430)];
    const rows = [0, 1, 2].flatMap((i): Words[] => [[`E0${i}`, 75, 665 - 20 * i], [`Cause ${i}`, 255, 665 - 20 * i]]); // prettier-ignore
    const text = await textOf(page(rules, ['Code', 75, 686], ['Cause', 255, 686], ...rows));
    expect(text).toBe('| Code | Cause |\n| --- | --- |\n| E00 | Cause 0 |\n| E01 | Cause 1 |\n| E02 | Cause 2 |');
  });

  it('is not assumed for a box around parts of a page, or for clipping shapes', async () => {
    const box = [...across([70, 430], 760, 700, 560), ...upright([560, 760], 70, 430)];
    const text = await textOf(page(box, ['Note', 75, 720], ['Unplug it first.', 75, 680], ['Wait until it is cold.', 75, 640]));
    expect(text).not.toContain('|');
    const cutting = drawn.map((rule) => rule.replace(/S$/, 'W n'));
    expect(
      await textOf(page(cutting, ['Unplug it', 75, 685], ['Wait', 255, 685], ['It is cold', 75, 645], ['Go on', 255, 645])),
    ).not.toContain('|');
  });
});
