import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { placeOf, read } from '../support/read.ts';

const wide = 'The pump of the Aqua 300 is checked at every visit, and its state is noted in the log';

/** Lines one below the other, `step` points apart. */
const column = (
  top: number,
  step: number,
  lines: readonly string[],
  rest: { size?: number; x?: number; font?: 'typewriter' } = {},
): PdfText[] => lines.map((text, i) => ({ text, y: top - i * step, ...rest }));

describe('a paragraph of a PDF', () => {
  it('is joined on a page of mostly code, whose lines are closer', async () => {
    const code = (top: number): PdfText[] =>
      column(top, 8, ['$ pump --check', 'state: good', 'lid: shut', 'hose: dry'], { size: 8, font: 'typewriter' });
    const text = (top: number): PdfText[] =>
      column(top, 13.2, [`${wide} that is kept`, 'beside it, also where it has been good for years:'], { size: 10 });
    const { text: read1 } = await read('pdf', pdfFile([[...text(740), ...code(710), ...text(670), ...code(640)]]));
    expect(read1.match(/that is kept beside it/g)).toHaveLength(2);
  });

  it('is joined on a page of mostly separate list items', async () => {
    const items = Array.from({ length: 5 }, (_, i) => ({ text: `- Part ${'abcde'[i]} of it`, y: 740 - 20 * i }));
    const { text } = await read(
      'pdf',
      pdfFile([[...items, ...column(638, 12, [`${wide} that is kept`, 'beside it.', 'Then go on.', 'Then stop.'])]]),
    );
    expect(text).toContain('- Part e of it\n\nThe pump');
    expect(text).toContain('kept beside it.');
  });

  it('begins at its indented first line, even after a paragraph of one line', async () => {
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

describe('a paragraph that goes on on the next page of a PDF', () => {
  const full = `${wide} that is kept`;

  it('is joined, and the text after it keeps the number of the next page', async () => {
    const pages = [[full], ['beside it, in every hall and also', 'outside.', { text: 'Clear as mud?', y: 650 }]];
    const parsed = await read('pdf', pdfFile(pages));
    expect(parsed.text).toBe(`${full} beside it, in every hall and also outside.\n\nClear as mud?`);
    expect(['The pump', 'beside', 'Clear'].map((words) => placeOf(parsed, words)?.page)).toEqual([1, 2, 2]);
  });

  it('is not assumed after a full sentence, or before a heading, a list, code or a short line', async () => {
    const breaks: [PdfText, PdfText][] = [
      [`${full}.`, 'beside it.'],
      [full, { text: 'beside it', size: 20 }],
      [full, '- beside it'],
      [full, 'b. beside it'],
      [full, { text: '$ beside it', font: 'typewriter' }],
      ['Hall 4', 'beside it'],
    ];
    for (const [last, next] of breaks) {
      const { text } = await read(
        'pdf',
        pdfFile([
          [wide, last],
          [next, wide, wide, wide],
        ]),
      );
      expect(text).toMatch(/(?:kept\.?|Hall 4)\n\n/);
    }
  });
});
