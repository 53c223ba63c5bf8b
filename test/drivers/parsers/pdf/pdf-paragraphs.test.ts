import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../../../support/pdf-file.ts';
import { read } from '../read.ts';

const wide = 'The pump of the Aqua 300 is checked at every visit, and its state is noted in the log';

/** Lines one below the other, `step` points apart. */
const column = (
  top: number,
  step: number,
  lines: readonly string[],
  rest: { size?: number; x?: number; font?: 'typewriter' } = {},
): PdfText[] => lines.map((text, i) => ({ text, y: top - i * step, ...rest }));

describe('a paragraph of a PDF', () => {
  it('is whole on a page where most lines are code, which stands closer', async () => {
    const code = (top: number): PdfText[] =>
      column(top, 8, ['$ pump --check', 'state: good', 'lid: shut', 'hose: dry'], { size: 8, font: 'typewriter' });
    const text = (top: number): PdfText[] =>
      column(top, 13.2, [`${wide} that is kept`, 'beside it, also where it has been good for years:'], { size: 10 });
    const { text: read1 } = await read('pdf', pdfFile([[...text(740), ...code(710), ...text(670), ...code(640)]]));
    expect(read1.match(/that is kept beside it/g)).toHaveLength(2);
  });

  it('is whole on a page where most lines are items that stand apart', async () => {
    const items = Array.from({ length: 5 }, (_, i) => ({ text: `- Part ${'abcde'[i]} of it`, y: 740 - 20 * i }));
    const { text } = await read(
      'pdf',
      pdfFile([[...items, ...column(638, 12, [`${wide} that is kept`, 'beside it.', 'Then go on.', 'Then stop.'])]]),
    );
    expect(text).toContain('- Part e of it\n\nThe pump');
    expect(text).toContain('kept beside it.');
  });

  it('begins at its indented first line, though the one before has no more than one line', async () => {
    const lines = [
      ...column(740, 12, [`${wide}, and the log is kept`], { x: 72, size: 10 }),
      ...column(728, 12, ['See also the next part.', `If the pump does not run, ${wide.toLowerCase()} before a`], { x: 87, size: 10 }),
      ...column(704, 12, ['person who is trained opens it.', 'The lid is shut.'], { x: 72, size: 10 }),
    ];
    const { text } = await read('pdf', pdfFile([lines]));
    expect(text).toContain('See also the next part.\n\nIf the pump does not run');
    expect(text).toContain('before a person who is trained');
  });
});
