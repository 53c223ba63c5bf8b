import { describe, expect, it } from 'vitest';
import { xlsxFile } from '../../../support/files.ts';
import { zipFile } from '../../../support/zip.ts';
import { placeOf, read } from '../read.ts';

/** Two cells in the furthest corners of a sheet, written by hand: SheetJS would write every cell between them. */
function sparseFile(): Buffer {
  const names =
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const relation = (id: string, type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
  const row = (number: number, cell: string, text: string) =>
    `<row r="${number}"><c r="${cell}${number}" t="inlineStr"><is><t>${text}</t></is></c></row>`;
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  return zipFile({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="${main}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${main}.worksheet+xml"/></Types>`,
    '_rels/.rels': relation('r1', 'officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook ${names}><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('r1', 'worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet ${names}><dimension ref="A1:XFD1048576"/><sheetData>${row(1, 'A', 'first')}${row(1_048_576, 'XFD', 'last')}</sheetData></worksheet>`,
  });
}

describe('XLSX', () => {
  it('has a heading and a table for each sheet', async () => {
    const file = await xlsxFile([
      { name: 'Pumps 2024', cells: { A1: 'Id', B1: 'Note', A2: 'P-1', B2: 'worn | loud' } },
      { name: 'Heaters', cells: { A1: 'Id', B1: 'Note', A2: 'H-1', B2: 'new' } },
    ]);
    expect((await read('xlsx', file)).text).toBe(
      '## Pumps 2024\n\n| Id | Note |\n| --- | --- |\n| P-1 | worn \\| loud |\n\n## Heaters\n\n| Id | Note |\n| --- | --- |\n| H-1 | new |',
    );
  });

  it('shows dates as ISO, and numbers as Excel shows them', async () => {
    const header = { A1: 'Since', B1: 'Share', C1: 'Price', D1: 'Opens', E1: 'Code', F1: 'Sum', G1: 'Active' };
    const values = {
      A2: { v: 45356, z: 'm/d/yy' },
      B2: { v: 0.25, z: '0%' },
      C2: { v: 1249.5, z: '$#,##0.00' },
      D2: { v: 0.354166666666667, z: 'h:mm' },
      E2: { v: 42, z: '00000' },
      F2: 0.1 + 0.2,
      G2: true,
    };
    const { text } = await read('xlsx', await xlsxFile([{ name: 'Prices', cells: { ...header, ...values } }]));
    expect(text.split('\n').at(-1)).toBe('| 2024-03-05 | 25% | $1,249.50 | 8:30 | 00042 | 0.3 | TRUE |');
  });

  it('knows the rows of the sheet, across gaps', async () => {
    const parsed = await read(
      'xlsx',
      await xlsxFile([{ name: 'S', cells: { A3: 'Id', B3: 'Note', A4: 'a', B4: 'one', A9: 'b', B9: 'two', A10: 'c', B10: 'three' } }]),
    );
    expect(parsed.marks).toEqual([
      { at: 0, sheet: 'S' },
      { at: parsed.text.indexOf('| Id'), sheet: 'S', row: 3 },
      { at: parsed.text.indexOf('| b'), sheet: 'S', row: 9 },
    ]);
    expect(placeOf(parsed, 'three')?.row).toBe(9);
  });

  it('leaves hidden sheets out, and names them', async () => {
    const cells = { A1: 'Word', B1: 'needle' };
    const { text, metadata } = await read(
      'xlsx',
      await xlsxFile([
        { name: 'Front', cells },
        { name: 'Back', cells: { A1: 'secret' }, isHidden: true },
      ]),
    );
    expect(text).not.toContain('secret');
    expect(metadata.hidden_sheets).toEqual(['Back']);
  });

  it('reads what stands above a table before it', async () => {
    const file = await xlsxFile([
      { name: 'S', cells: { A1: 'Reading list', A2: '# of 2024', A4: 'Title', B4: 'Year', A5: 'Hound', B5: 1902 } },
    ]);
    const parsed = await read('xlsx', file);
    expect(parsed.text).toBe(
      '## S\n\nReading list\n\n# of 2024\n\n| Title | Year |\n| --- | --- |\n| Hound | 1902 |'.replace('\n# of', '\n\\# of'),
    );
    expect(placeOf(parsed, 'Hound')).toMatchObject({ sheet: 'S', row: 4 });
  });

  it('looks at no cell that is not there', async () => {
    const { text } = await read('xlsx', sparseFile());
    expect(text).toBe('## S\n\n| first |  |\n| --- | --- |\n|  | last |');
  });

  it('has its properties in the metadata', async () => {
    const file = await xlsxFile([{ name: 'S', cells: { A1: 'x', B1: 'y' } }], {
      Title: 'Parts',
      Author: 'Ida Berg',
      CreatedDate: new Date('2024-03-05T10:15:00Z'),
    });
    expect(await read('xlsx', file)).toMatchObject({
      title: 'Parts',
      metadata: { author: 'Ida Berg', created: '2024-03-05T10:15:00.000Z' },
    });
  });
});
