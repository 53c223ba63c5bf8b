import { describe, expect, it } from 'vitest';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { read } from '../support/read.ts';

const at = (text: string, x: number, y: number): PdfText => ({ text, x, y, size: 10 });
const field = (rect: string, entries: string): string => `<< /Type /Annot /Subtype /Widget /Rect [${rect}] /F 4 /T (a) ${entries} >>`;
const textOf = async (lines: PdfText[], annotations: string[]): Promise<string> =>
  (await read('pdf', pdfFile([lines], { annotations }))).text;

describe('a form in a PDF', () => {
  const labels = [
    at('Owner:', 72, 700),
    at('Jetty:', 72, 670),
    at('Motor', 72, 640),
    at('Notes', 72, 610),
    at('Signed on Monday.', 72, 500),
  ];
  const fields = [
    field('160 692 300 714', '/FT /Tx /V (Wanda Ostrowska)'),
    field('160 662 300 684', '/FT /Ch /Ff 131072 /Opt [[(o) (Old Quay)] [(n) (New Quay)]] /V (n)'),
    field('160 636 172 648', '/FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>'),
    field('72 540 300 600', '/FT /Tx /Ff 4096 /V (Two\\nlines)'),
  ];

  it('has its values behind or below their labels', async () => {
    expect((await textOf(labels, fields)).split(/\n+/)).toEqual([
      'Owner: Wanda Ostrowska',
      'Jetty: New Quay',
      'Motor [x]',
      'Notes',
      'Two',
      'lines',
      'Signed on Monday.',
    ]);
  });

  it('keeps every word of it', async () => {
    const { text } = await expectEveryWord('pdf', pdfFile([labels], { annotations: fields }));
    expect(text).toContain('Wanda Ostrowska');
  });

  it('has a mark for each box, in front of a label that is nearer', async () => {
    const box = (x: number, state: string) =>
      field(`${x} 696 ${x + 12} 708`, `/FT /Btn /V /${state} /AS /${state} /AP << /N << /Yes null /Off null >> >>`);
    const text = await textOf([at('Fuel:', 72, 700), at('petrol', 150, 700), at('diesel', 250, 700)], [box(132, 'Off'), box(232, 'Yes')]);
    expect(text.replace(/\s*\|\s*/g, ' ')).toContain('Fuel: [ ] petrol [x] diesel');
  });

  it('is read if it has no text but that of its fields', async () => {
    expect(await textOf([], [field('72 700 300 720', '/FT /Tx /V (Receipt for Kofi Mensah)')])).toBe('Receipt for Kofi Mensah');
  });

  it('shows neither empty fields nor hidden ones and passwords', async () => {
    const hidden = field('160 692 300 714', '/FT /Tx /V (secret)').replace('/F 4', '/F 2');
    const others = [field('160 662 300 684', '/FT /Tx'), field('160 632 300 654', '/FT /Tx /Ff 8192 /V (secret)')];
    expect(await textOf([at('Owner:', 72, 700)], [hidden, ...others])).toBe('Owner:');
  });
});

it('reads text that is typed onto a page of a PDF, on its line', async () => {
  const typed = '<< /Type /Annot /Subtype /FreeText /Rect [170 692 380 714] /DA (/F1 10 Tf 0 g) /Contents (Solveig Arnesen) /F 4 >>';
  expect(await textOf([at('Keeper:', 72, 700), at('Signed.', 72, 660)], [typed])).toBe('Keeper: Solveig Arnesen\nSigned.');
});

it('reads a form on a page that is turned', async () => {
  const lines = ['BT /F1 10 Tf 0 1 -1 0 100 72 Tm (Owner of the boat at the quay:) Tj ET'];
  const annotations = [field('86 220 108 400', '/FT /Tx /V (Wanda)')];
  expect((await read('pdf', pdfFile(lines, { annotations, page: '/Rotate 90' }))).text).toBe('Owner of the boat at the quay: Wanda');
});
