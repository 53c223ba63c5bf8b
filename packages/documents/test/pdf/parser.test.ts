import { describe, expect, it } from 'vitest';
import { lockedPdf } from '../support/locked-pdf.ts';
import { pdfFile, type PdfText } from '../support/pdf-file.ts';
import { parseDocument } from '../../src/parse.ts';
import { placeOf, read } from '../support/read.ts';

const wide = 'The pump of the Aqua 300 is checked at every visit, and its state is noted in the log';

describe('the PDF parser', () => {
  it('reads pages in order with a mark for each, and properties as metadata', async () => {
    const info = { Title: 'Aqua 300 manual', Author: 'Ida Berg', Subject: 'Care', CreationDate: "D:20240305101500+01'00'" };
    const parsed = await read('pdf', pdfFile([['Fill the tank.'], ['Descale it.'], ['The warranty runs.']], { info }));
    expect(parsed.text).toBe('Fill the tank.\n\nDescale it.\n\nThe warranty runs.');
    expect(parsed.title).toBe('Aqua 300 manual');
    expect(parsed.metadata).toEqual({ author: 'Ida Berg', created: '2024-03-05T09:15:00.000Z', description: 'Care', pages: 3 });
    expect(['Fill', 'Descale', 'warranty'].map((words) => placeOf(parsed, words)?.page)).toEqual([1, 2, 3]);
  });

  it('joins the lines of a paragraph and hyphenated words', async () => {
    const { text } = await read(
      'pdf',
      pdfFile([[`${wide} of mainte-`, 'nance. This is done by a trained person who has read the whole manual and under-', 'stood it.']]),
    );
    expect(text).toBe(`${wide} of maintenance. This is done by a trained person who has read the whole manual and understood it.`);
  });

  it('begins a paragraph at a gap, and keeps short lines', async () => {
    const lines: PdfText[] = [wide, 'and in the book.', { text: 'Hall 4', y: 680 }, { text: 'Oslo', y: 665.6 }, { text: wide, y: 620 }];
    expect((await read('pdf', pdfFile([lines]))).text).toBe(`${wide} and in the book.\n\nHall 4\nOslo\n\n${wide}`);
  });

  it('makes headings of larger letters', async () => {
    const lines: PdfText[] = [
      { text: 'Aqua 300', size: 24 },
      { text: 'Care', size: 16 },
      { text: wide, size: 10 },
      { text: 'Repair', size: 16 },
      { text: wide, size: 10 },
    ];
    const { text, title } = await read('pdf', pdfFile([lines]));
    expect(text).toBe(`# Aqua 300\n\n## Care\n\n${wide}\n\n## Repair\n\n${wide}`);
    expect(title).toBe('Aqua 300');
  });

  it('makes headings of separate lines in another font, but not of captions and terms', async () => {
    const bold = (text: string, y: number, x = 72): PdfText => ({ text, y, x, size: 10, font: 'bold' });
    const text = (y: number, x = 72): PdfText => ({ text: wide, y, x, size: 10 });
    const first = [bold('Care', 740), text(720), bold('Repair', 690), text(670), bold('Figure 1 of the pump', 640), text(620)];
    const second = [bold('Parts', 740), text(720), bold('valve', 690), text(678, 110), bold('Is closed', 640, 110), text(620)];
    const { text: read1 } = await read('pdf', pdfFile([first, second]));
    expect(read1.match(/^#.*/gm)).toEqual(['# Care', '# Repair', '# Parts']);
  });

  it('makes headings of the lines that the outline names', async () => {
    const lines: PdfText[] = [
      '1 Care',
      { text: wide, y: 700 },
      { text: '2 Repair', y: 650 },
      { text: wide, y: 600 },
      { text: '3 Parts', y: 550 },
      { text: wide, y: 500 },
    ];
    const { text } = await read('pdf', pdfFile([lines], { outline: ['1 Care', '2 Repair', '3 Parts'] }));
    expect(text).toBe(`# 1 Care\n\n${wide}\n\n# 2 Repair\n\n${wide}\n\n# 3 Parts\n\n${wide}`);
  });

  it('makes headings of the lines that the outline leads to, not of equal ones elsewhere', async () => {
    const pages: PdfText[][] = [
      ['Aqua 300', 'exit status', 'The number that a program leaves.', 'job control', 'Stopping programs.'],
      ['3 Exit Status', { text: wide, y: 700 }, { text: '4 Job Control', y: 600 }, { text: wide, y: 560 }, { text: '5 End', y: 500 }],
    ];
    const outline = [
      { title: 'Exit Status', page: 2, top: 770 },
      { title: 'Job Control', page: 2, top: 615 },
      { title: 'End', page: 2, top: 515 },
    ];
    const { text } = await read('pdf', pdfFile(pages, { outline }));
    expect(text.match(/^#.*/gm)).toEqual(['# 3 Exit Status', '# 4 Job Control', '# 5 End']);
  });

  it('reads bullets as list items, and a table of contents without its dots', async () => {
    const lines = ['• Gloves', '• Goggles', '• Acid'];
    expect((await read('pdf', pdfFile([lines.map((line) => line.replace('•', '\x95'))]))).text).toBe('- Gloves\n- Goggles\n- Acid');
    const contents: PdfText[] = [
      { text: '. . . . . . . . . . 2', x: 140, y: 700 },
      { text: 'Safety', x: 72, y: 700 },
      { text: '. . . . . . . . . . 3', x: 140, y: 680 },
      { text: 'Care', x: 72, y: 680 },
    ];
    expect((await read('pdf', pdfFile([contents]))).text).toBe('Safety … 2\nCare … 3');
  });

  it('nests indented list items', async () => {
    const item = (text: string, x: number): PdfText => ({ text: `\x95 ${text}`, x });
    const { text } = await read('pdf', pdfFile([[item('Gloves', 72), item('of rubber', 90), item('of wool', 90), item('Goggles', 72)]]));
    expect(text).toBe('- Gloves\n  - of rubber\n  - of wool\n- Goggles');
    const columns = [
      ...['One', 'Two'].map((one, i) => ({ text: `\x95 ${one}`, x: 72, y: 700 - 14 * i })),
      ...['Three', 'Four'].map((one, i) => ({ text: `\x95 ${one}`, x: 300, y: 700 - 14 * i })),
    ];
    expect((await read('pdf', pdfFile([columns]))).text).not.toContain('  - ');
  });

  it('keeps running headers once, and removes numbers of pages', async () => {
    const page = (number: number): PdfText[] => [
      { text: 'Aqua 300 manual', y: 780 },
      { text: `Step ${number} of the work is this one.`, y: 700 },
      { text: 'Then go on with the next.', y: 686 },
      { text: `Page ${number}`, y: 30 },
    ];
    const { text } = await read('pdf', pdfFile([1, 2, 3, 4].map(page)));
    const steps = [1, 2, 3, 4].map((number) => `Step ${number} of the work is this one. Then go on with the next.`);
    expect(text).toBe(['Aqua 300 manual', ...steps].join('\n\n'));
  });

  it('keeps headers of two lines once, and the names of chapters', async () => {
    const page = (_: unknown, index: number): PdfText[] => [
      { text: 'Aqua 300 manual', y: 780 },
      { text: 'for engineers', y: 766 },
      { text: `Step ${'abcdef'[index]} of the work is this one.`, y: 700 },
      { text: 'Then go on with the next.', y: 686 },
      { text: index < 3 ? 'Safety' : index < 5 ? 'Care' : 'Parts', y: 30 },
    ];
    const { text } = await read('pdf', pdfFile(Array.from({ length: 6 }, page)));
    expect(text.match(/manual|engineers|Safety|Care|Parts/g)).toEqual(['manual', 'engineers', 'Safety', 'Care', 'Care', 'Parts']);
  });

  it('keeps a heading that begins with its page number if the footer has that number', async () => {
    const page = (chapter: string, index: number): PdfText[] => [
      { text: chapter, size: 16, y: 780 },
      { text: `Step ${'abcd'[index]} of the work is this one.`, y: 700 },
      { text: 'Then go on with the next.', y: 686 },
      { text: `Aqua manual Page ${index + 1}`, y: 30 },
    ];
    const { text } = await read('pdf', pdfFile(['Safety', 'Care', '3 Chapter', 'Parts'].map(page)));
    expect(text).toContain('# 3 Chapter');
    expect(text.match(/Aqua manual/g)).toHaveLength(1);
  });

  it('reads aligned cells as a table, and keeps the lines of others', async () => {
    const row = (y: number, ...cells: [string, number][]): PdfText[] => cells.map(([text, x]) => ({ text, x, y }));
    const aligned = [
      row(700, ['Model', 72], ['Flow', 200], ['Price', 300]),
      row(686, ['P1', 72], ['10', 200], ['100', 300]),
      row(672, ['P2', 72], ['20', 200], ['180', 300]),
    ];
    expect((await read('pdf', pdfFile([aligned.flat()]))).text).toBe(
      '| Model | Flow | Price |\n| --- | --- | --- |\n| P1 | 10 | 100 |\n| P2 | 20 | 180 |',
    );
    const crooked = [
      row(700, ['Model', 72], ['Flow', 200], ['Price', 300]),
      row(686, ['P1', 72], ['100', 300]),
      row(672, ['P2', 90], ['20', 180]),
    ];
    expect((await read('pdf', pdfFile([crooked.flat()]))).text).toBe('Model Flow Price\nP1 100\nP2 20');
  });

  it('joins the wrapped lines of a cell', async () => {
    const row = (y: number, ...cells: [string, number][]): PdfText[] => cells.map(([text, x]) => ({ text, x, y, size: 10 }));
    const lastColumn = [
      row(700, ['Code', 72], ['Meaning', 160]),
      row(686, ['E05', 72], ['The sensor of the boiler is inter-', 160]),
      row(674, ['rupted or wet.', 160]),
      row(660, ['E07', 72], ['The pump is dry.', 160]),
      row(646, ['E09', 72], ['The valve does not', 160]),
      row(634, ['close.', 160]),
      row(600, ['Call the service for all others.', 72]),
    ];
    expect((await read('pdf', pdfFile([lastColumn.flat()]))).text).toBe(
      '| Code | Meaning |\n| --- | --- |\n| E05 | The sensor of the boiler is interrupted or wet. |\n| E07 | The pump is dry. |\n' +
        '| E09 | The valve does not close. |\n\nCall the service for all others.',
    );
    const anyColumn = [
      row(700, ['Part', 72], ['Private', 200], ['Business', 320]),
      row(680, ['Boilers', 72], ['60 months', 200], ['24 months', 320]),
      row(660, ['Wearing parts: gaskets,', 72], ['6 months', 200], ['3 months, unless', 320]),
      row(648, ['steam tips', 72], ['worn', 320]),
      row(628, ['Accessories', 72], ['24 months', 200], ['12 months', 320]),
    ];
    expect((await read('pdf', pdfFile([anyColumn.flat()]))).text).toBe(
      '| Part | Private | Business |\n| --- | --- | --- |\n| Boilers | 60 months | 24 months |\n' +
        '| Wearing parts: gaskets, steam tips | 6 months | 3 months, unless worn |\n| Accessories | 24 months | 12 months |',
    );
  });

  it('reads a row with an empty cell as a row, even if it is as close as a wrapped line', async () => {
    const row = (y: number, ...cells: [string, number][]): PdfText[] => cells.map(([text, x]) => ({ text, x, y }));
    const lines = [
      row(700, ['Model', 72], ['Flow', 200], ['Price', 300]),
      row(686, ['P1', 72], ['10', 200], ['100', 300]),
      row(672, ['P2', 72], ['180', 300]),
      row(658, ['P3', 72], ['30', 200], ['260', 300]),
    ];
    expect((await read('pdf', pdfFile([lines.flat()]))).text).toBe(
      '| Model | Flow | Price |\n| --- | --- | --- |\n| P1 | 10 | 100 |\n| P2 |  | 180 |\n| P3 | 30 | 260 |',
    );
  });

  it('adds dots before page numbers in a table of contents if some entries lack them', async () => {
    const entry = (y: number, title: string, page: string, dots = ''): PdfText[] => [
      { text: title, x: 72, y },
      ...(dots ? [{ text: dots, x: 140, y }] : []),
      { text: page, x: 400, y },
    ];
    const dots = '. '.repeat(20);
    const lines = [entry(700, 'Care', '3'), entry(686, 'Start', '4', dots), entry(672, 'Stop', '5', dots), entry(658, 'Fill', '7', dots)];
    expect((await read('pdf', pdfFile([lines.flat()]))).text).toBe('Care … 3\nStart … 4\nStop … 5\nFill … 7');
  });

  it('lists pages that are pictures, but not blank ones', async () => {
    const picture = 'q 400 0 0 500 100 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q';
    expect(await read('pdf', pdfFile([picture, picture]))).toMatchObject({ text: '', pictured_pages: [1, 2] });
    const mixed = await read('pdf', pdfFile([['Fill the tank.'], picture, '', ['Descale it.']]));
    expect(mixed).toMatchObject({ text: 'Fill the tank.\n\nDescale it.', pictured_pages: [2] });
    expect(placeOf(mixed, 'Descale')?.page).toBe(4);
  });

  it('uses recognized lines in place of pictures', async () => {
    const picture = 'q 400 0 0 500 100 100 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q';
    const bytes = pdfFile([['Fill the tank.'], picture, ['Descale it.']]);
    const line = { text: 'Tamp it once.', x: 72, right: 200, y: 700, size: 10, cells: [], runs: [] };
    const parsed = await parseDocument({ bytes, source: 'a.pdf', file_type: 'pdf', recognized: new Map([[2, [line]]]) });
    expect(parsed.text).toBe('Fill the tank.\n\nTamp it once.\n\nDescale it.');
    expect(parsed.pictured_pages).toBeUndefined();
    expect(placeOf(parsed, 'Tamp')?.page).toBe(2);
  });

  it('refuses an encrypted file', async () => {
    const key = (byte: string) => `<${byte.repeat(32)}>`;
    const trailer = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -44 /O ${key('5a')} /U ${key('3c')} >> /ID [<${'11'.repeat(16)}> <${'11'.repeat(16)}>]`;
    await expect(read('pdf', pdfFile([['secret']], { trailer }))).rejects.toThrow(/sample\.pdf is encrypted/);
  });

  describe('with an encrypted file', () => {
    const open = (bytes: Buffer, passwords: string[]) => parseDocument({ bytes, source: 'a.pdf', file_type: 'pdf', passwords });

    it('opens it with the first password that fits', async () => {
      const bytes = lockedPdf('Fill the tank.', { user: 'Sesam', owner: 'Chef' });
      expect((await open(bytes, ['wrong', 'Sesam'])).text).toBe('Fill the tank.');
      expect((await open(bytes, ['Chef'])).text).toBe('Fill the tank.');
    });

    it('needs no password if only the owner has one', async () => {
      expect((await open(lockedPdf('Fill the tank.', { user: '', owner: 'Chef' }), [])).text).toBe('Fill the tank.');
    });

    it('distinguishes a missing from a wrong password, and repeats none in its errors', async () => {
      const bytes = lockedPdf('Fill the tank.', { user: 'Sesam', owner: 'Chef' });
      await expect(open(bytes, [])).rejects.toMatchObject({
        message: 'a.pdf is encrypted: it cannot be read without its password.',
        code: 'password_needed',
      });
      await expect(open(bytes, ['hush'])).rejects.toMatchObject({
        message: 'a.pdf is encrypted, and the password does not open it.',
        hint: expect.not.stringContaining('hush'),
      });
    });
  });

  it('keeps readable pages, and lists damaged ones', async () => {
    const whole = pdfFile([['Fill the tank.'], ['Tamp it once.'], ['Descale it.']]).toString('latin1');
    const bytes = Buffer.from(whole.replace('[6 0 R 8 0 R 10 0 R]', '[6 0 R 8 0 R 99 0 R]'), 'latin1');
    const { text, metadata } = await parseDocument({ bytes, source: 'a.pdf', file_type: 'pdf' });
    expect({ text, lost: metadata['unreadable_pages'] }).toEqual({ text: 'Fill the tank.\n\nTamp it once.', lost: '3' });
  });

  it('names a damaged file in its error', async () => {
    await expect(read('pdf', '%PDF-1.7\nthis is not a PDF at all')).rejects.toThrow(/sample\.pdf cannot be read as a PDF: /);
  });
});
