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

it('writes each option as a term above its text, whatever is next to it', async () => {
  const option = (text: string, y: number): PdfText => ({ text, x: 90, y, size: 10, font: 'typewriter' });
  const meaning = (text: string, y: number): PdfText => ({ text, x: 140, y, size: 10 });
  const lines = [
    option('-a', 740), meaning('Gives what is created the attribute of', 740), meaning('export.', 728),
    option('-b', 712), meaning('Says at once what has ended, and does not', 712), meaning('wait.', 700),
    option('--actual', 684), option('-L', 672), meaning('Shows what is real.', 672),
    option('--add', 656), meaning('Adds to it.', 644),
    option('--basic', 628), { ...(meaning('Shows little.', 628) as object), x: 140 } as PdfText,
    option('--old', 612), option('--new NAME', 600), meaning('Names the two.', 588),
    option('tar --version', 560), option('tar 1.35', 548), option('tar --help', 536), option('tar -x', 524), option('tar -c', 512),
  ]; // prettier-ignore
  const prose = Array.from({ length: 12 }, (_, i) => ({ text: `${wide}.`, x: 72, y: 480 - 12 * i, size: 10 }));
  expect((await read('pdf', pdfFile([[...lines, ...prose]]))).text.split('\n\nThe pump')[0]).toBe(
    [
      '**-a**', 'Gives what is created the attribute of\nexport.', '**-b**', 'Says at once what has ended, and does not\nwait.',
      '**--actual, -L**', 'Shows what is real.', '**--add**', 'Adds to it.', '**--basic**', 'Shows little.',
      '**--old, --new NAME**', 'Names the two.', '```\ntar --version\ntar 1.35\ntar --help\ntar -x\ntar -c\n```',
    ].join('\n\n'), // prettier-ignore
  );
});
