import { describe, expect, it } from 'vitest';
import { pdfFile } from '../support/pdf-file.ts';
import { read } from '../support/read.ts';

const SKIA = { Producer: 'Skia/PDF m156' };

interface Shape {
  x: number;
  y: number;
  width?: number;
  height?: number;
}

/** A text in 12 points. */
const text = (words: string, x: number, y: number): string => `BT /F1 12 Tf ${x} ${y} Td (${words}) Tj ET`;
/** An ellipse of curves, from its left lower corner, as Chromium draws a bullet. */
const disc = ({ x, y, width = 4, height = width }: Shape, paint = 'f'): string => {
  const [right, middle, reach] = [x + width, y + height / 2, (height * 2) / 3];
  const half = (from: number, to: number, at: number): string => `${from} ${at} ${to} ${at} ${to} ${middle} c`;
  return `${right} ${middle} m ${half(right, x, middle + reach)} ${half(x, right, middle - reach)} h ${paint}`;
};
const square = ({ x, y, width = 4, height = width }: Shape): string => `${x} ${y} ${width} ${height} re f`;

const written = async (operators: readonly string[], info: Record<string, string> = SKIA) =>
  (await read('pdf', pdfFile([operators.join('\n')], { info }))).text;

describe('bullets that Chromium draws as shapes', () => {
  const list = [
    text('Tools are needed.', 72, 700),
    disc({ x: 84, y: 672 }),
    text('A wrench', 96, 670),
    disc({ x: 114, y: 658 }, 'S'),
    text('for bolts', 126, 656),
    square({ x: 84, y: 644 }),
    text('A bucket that', 96, 642),
    text('holds the oil', 96, 628),
    text('Begin then.', 72, 600),
  ];

  it('make items of the lines on their right, nested as they are indented', async () => {
    expect(await written(list)).toBe('Tools are needed.\n\n- A wrench\n  - for bolts\n- A bucket that holds the oil\n\nBegin then.');
  });

  it('are found in the coordinates of the page', async () => {
    const moved = ['q 0.5 0 0 -0.5 0 792 cm', disc({ x: 168, y: 236, width: 8 }), 'Q', text('A wrench', 96, 670)];
    expect(await written(moved)).toBe('- A wrench');
  });

  it('are not looked for in what other programs make', async () => {
    expect(await written(list, { Producer: 'pdfTeX-1.40' })).not.toContain('- ');
  });

  it.each([
    ['of another size', { x: 82, y: 670, width: 8 }],
    ['that are no dots', { x: 84, y: 673, width: 4, height: 1 }],
    ['too far away', { x: 40, y: 672 }],
    ['in their text', { x: 94, y: 672 }],
    ['at the foot of a line', { x: 84, y: 664 }],
    ['above a line', { x: 84, y: 680 }],
  ])('are no shapes %s', async (_name, shape) => {
    expect(await written([disc(shape), text('A wrench', 96, 670)])).toBe('A wrench');
  });

  it('are not put in front of lines without words', async () => {
    expect(await written([disc({ x: 84, y: 672 }), text('-', 96, 670), text('Words', 72, 600)])).not.toContain('•');
  });
});
