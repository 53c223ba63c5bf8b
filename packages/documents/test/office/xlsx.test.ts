import { describe, expect, it } from 'vitest';
import XLSX from 'xlsx';
import { chartPart, withParts, xlsxFile } from '../support/files.ts';
import { zipFile } from '../support/zip.ts';
import { openArchive } from '../../src/office/archive.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';

const relation = (id: string, type: string, target: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;

/** Two cells in the furthest corners of a sheet, written by hand: SheetJS would write every cell between them. */
function sparseFile(): Buffer {
  const names =
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
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

describe('the XLSX parser', () => {
  it('writes a heading and a table for each sheet', async () => {
    const file = await xlsxFile([
      { name: 'Pumps 2024', cells: { A1: 'Id', B1: 'Note', A2: 'P-1', B2: 'worn | loud' } },
      { name: 'Heaters', cells: { A1: 'Id', B1: 'Note', A2: 'H-1', B2: 'new' } },
    ]);
    expect((await read('xlsx', file)).text).toBe(
      '## Pumps 2024\n\n| Id | Note |\n| --- | --- |\n| P-1 | worn \\| loud |\n\n## Heaters\n\n| Id | Note |\n| --- | --- |\n| H-1 | new |',
    );
  });

  it('writes dates as ISO, and numbers as Excel shows them', async () => {
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

  it('writes dates as ISO if their order depends on the computer, else in their format', async () => {
    const codes = ['m/d/yy', 'm/d/yy h:mm', 'd/m/yyyy', 'm/d/yyyy', 'd-mmm-yy', 'yyyy\\-mm\\-dd;@', 'd/m/yyyy h:mm'];
    const cells = Object.fromEntries(codes.map((z, i) => [`A${i + 1}`, { v: 41676.55, z }]));
    const { text } = await read('xlsx', await xlsxFile([{ name: 'S', cells: { ...cells, B1: 'x' } }]));
    expect(text.match(/(?<=^\| )[^|]*\d[^|]*(?= \|)/gm)).toEqual([
      '2014-02-06',
      '2014-02-06 13:12',
      '6/2/2014',
      '2/6/2014',
      '6-Feb-14',
      '2014-02-06',
      '6/2/2014 13:12',
    ]);
  });

  it("writes dates in Excel's East Asian formats as ISO", async () => {
    const file = await xlsxFile([{ name: 'S', cells: { A1: 'x', B1: { v: 41676.55, z: 'm/d/yy' } } }]);
    const archive = await openArchive(file, { source: 'file' });
    const styles = (await archive.text('xl/styles.xml'))!;
    for (const id of [27, 31, 57]) {
      const changed = await withParts(file, { 'xl/styles.xml': styles.replace('numFmtId="14"', `numFmtId="${id}"`) });
      expect((await read('xlsx', changed)).text).toContain('| 2014-02-06 |');
    }
  });

  it('reads number formats of programs other than Excel', async () => {
    const shown = async (z: string, v: number) =>
      (await read('xlsx', await xlsxFile([{ name: 'S', cells: { A1: 'x', A2: { v, z } } }]))).text.split('\n').at(-1)!.slice(2, -2);
    expect(await shown('dd.mm.yyyy', 44000)).toBe('18.06.2020');
    expect(await shown('[$-407]d. mmmm yyyy;@', 44000)).toBe('18. June 2020');
    expect(await shown('yyyy年m月d日', 44000)).toBe('2020年6月18日');
    expect(await shown('hh:mm:ss.00', 0.5)).toBe('12:00:00.00');
    expect(await shown('#,##0 Kč', 1500)).toBe('1,500 Kč');
    expect(await shown('0.0°C', 21.46)).toBe('21.5°C');
    expect(await shown('[$-10409]#,##0.00', 1234.5)).toBe('1,234.50');
    expect(await shown('[$€-407] #,##0.00', 1234.5)).toBe('€ 1,234.50');
    expect(await shown('0.00 USD', 12.5)).toBe('12.5');
  });

  it('writes negative times, but neither negative dates nor values that their format hides', async () => {
    const header = { A1: 'a', B1: 'b', C1: 'c', D1: 'd', E1: 'e' };
    const negative = { A2: { v: -0.5, z: '[h]:mm' }, B2: { v: -3, z: 'yyyy-mm-dd' } };
    const cells = { ...header, ...negative, C2: { v: -5, z: ';;;' }, D2: { v: 0, z: '0;-0;;@' }, E2: 1 };
    expect((await read('xlsx', await xlsxFile([{ name: 'S', cells }]))).text.split('\n').at(-1)).toBe('| -12:00 |  |  |  | 1 |');
  });

  it('keeps the row numbers of the sheet across gaps', async () => {
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

  it('writes no heading for a single sheet with the default name', async () => {
    const parsed = await read('xlsx', await xlsxFile([{ name: 'Sheet1', cells: { A1: 'Id', B1: 'Note', A2: 'P-1', B2: 'worn' } }]));
    expect(parsed.text).toBe('| Id | Note |\n| --- | --- |\n| P-1 | worn |');
    expect(placeOf(parsed, 'worn')).toMatchObject({ sheet: 'Sheet1', row: 1 });
  });

  it('leaves out hidden sheets, and lists their names', async () => {
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

  it('writes the lines above a table before it', async () => {
    const file = await xlsxFile([
      { name: 'S', cells: { A1: 'Reading list', A2: '# of 2024', A4: 'Title', B4: 'Year', A5: 'Hound', B5: 1902 } },
    ]);
    const parsed = await read('xlsx', file);
    expect(parsed.text).toBe(
      '## S\n\nReading list\n\n# of 2024\n\n| Title | Year |\n| --- | --- |\n| Hound | 1902 |'.replace('\n# of', '\n\\# of'),
    );
    expect(placeOf(parsed, 'Hound')).toMatchObject({ sheet: 'S', row: 4 });
  });

  it('reads each table of a sheet separately', async () => {
    const cells = {
      A1: 'Id',
      B1: 'Price',
      A2: 'a',
      B2: 1,
      A3: 'b',
      B3: 2,
      D3: 'Code',
      E3: 'Name',
      D4: 'x',
      E4: 'Xylophone',
      A6: 'Town',
      B6: 'Staff',
    };
    const { text, marks } = await read('xlsx', await xlsxFile([{ name: 'S', cells: { ...cells, A7: 'Bergen', B7: 12 } }]));
    expect(text.split('\n\n').slice(1)).toEqual([
      '| Id | Price |\n| --- | --- |\n| a | 1 |\n| b | 2 |',
      '| Code | Name |\n| --- | --- |\n| x | Xylophone |',
      '| Town | Staff |\n| --- | --- |\n| Bergen | 12 |',
    ]);
    expect((marks ?? []).map(({ row }) => row)).toEqual([undefined, 1, 3, 6]);
  });

  it('keeps adjacent columns in one table, even across an empty one', async () => {
    const cells = { A1: 'Id', C1: 'Price', A2: 'a', C2: 1, A3: 'b', C3: 2, E2: 'sold out' };
    expect((await read('xlsx', await xlsxFile([{ name: 'S', cells }]))).text).toBe(
      '## S\n\n| Id | Price |  |\n| --- | --- | --- |\n| a | 1 | sold out |\n| b | 2 |',
    );
  });

  it('repeats a header for each column, and a cell for each row that it spans', async () => {
    const cells = { A1: 'Plant', B1: '2024', B2: 'Q1', C2: 'Q2', A3: 'Oslo', B3: 1, C3: 2, B4: 3, C4: 4 };
    const { text } = await read('xlsx', await xlsxFile([{ name: 'S', cells, merges: ['A1:A2', 'B1:C1', 'A3:A4'] }]));
    expect(text).toBe('## S\n\n| Plant | 2024 Q1 | 2024 Q2 |\n| --- | --- | --- |\n| Oslo | 1 | 2 |\n| Oslo | 3 | 4 |');
  });

  it('treats the row below a spanning header as data if it has the same spans', async () => {
    const cells = { A1: 'Name', C1: 'Type', A2: 'lid', C2: 'L' };
    const { text } = await read('xlsx', await xlsxFile([{ name: 'S', cells, merges: ['A1:B1', 'A2:B2'] }]));
    expect(text).toBe('## S\n\n| Name | Type |\n| --- | --- |\n| lid | L |');
  });

  it('writes the comments on cells below the tables', async () => {
    const cells = { A1: 'Id', B1: 'Price', A2: 'a', B2: 1 };
    const comments = {
      B2: { author: 'Ida Berg', text: 'Checked\nin May' },
      A2: { author: 'Author', text: 'new' },
      A1: { author: 'Ida', text: ' ' },
    };
    const parsed = await read('xlsx', await xlsxFile([{ name: 'S', cells, comments }]));
    expect(parsed.text.split('\n\n').slice(2)).toEqual(['> Comment A2: new', '> Comment B2 (Ida Berg): Checked in May']);
    expect(placeOf(parsed, 'Checked')).toMatchObject({ sheet: 'S', row: 2 });
  });

  it('names the charts, whose values are in the cells', async () => {
    const book = await xlsxFile([{ name: 'S', cells: { A1: 'Year', B1: 'Ducks', A2: 2024, B2: 310 } }]);
    const charted = await withParts(book, {
      'xl/worksheets/_rels/sheet1.xml.rels': relation('r1', 'drawing', '../drawings/drawing1.xml'),
      'xl/drawings/drawing1.xml': '<d/>',
      'xl/drawings/_rels/drawing1.xml.rels': relation('r1', 'chart', '../charts/chart1.xml'),
      'xl/charts/chart1.xml': chartPart('Ducks seen', ['2024'], { Ducks: [310] }),
    });
    expect((await read('xlsx', charted)).text).toBe('## S\n\n| Year | Ducks |\n| --- | --- |\n| 2024 | 310 |\n\nChart: Ducks seen (Ducks)');
  });

  it('reads text boxes and diagrams, also on a sheet without cells', async () => {
    const book = await xlsxFile([
      { name: 'Store', cells: { A1: 'Wick', B1: 40 } },
      { name: 'Empty', cells: {} },
    ]);
    const box =
      '<xdr:twoCellAnchor><xdr:from><xdr:col>4</xdr:col></xdr:from><xdr:sp><xdr:nvSpPr/><xdr:txBody><a:p><a:r><a:t>Order more.</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor>';
    const file = await withParts(book, {
      'xl/worksheets/_rels/sheet1.xml.rels': relation('r1', 'drawing', '../drawings/drawing1.xml'),
      'xl/worksheets/_rels/sheet2.xml.rels': relation('r1', 'drawing', '../drawings/drawing2.xml'),
      'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="x" xmlns:a="a">${box}</xdr:wsDr>`,
      'xl/drawings/drawing2.xml':
        '<xdr:wsDr xmlns:xdr="x"><xdr:graphicFrame><dgm:relIds xmlns:dgm="d" xmlns:r="r" r:dm="r1"/></xdr:graphicFrame></xdr:wsDr>',
      'xl/drawings/_rels/drawing2.xml.rels': relation('r1', 'diagramData', '../diagrams/data1.xml'),
      'xl/diagrams/data1.xml':
        '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Saw</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>',
    });
    const { text } = await expectEveryWord('xlsx', file);
    expect(text).toBe('## Store\n\n| Wick | 40 |\n| --- | --- |\n\nOrder more.\n\n## Empty\n\n- Saw');
  });

  it.each(['xlsx', 'biff8'] as const)('writes whole numbers in full, and others as Excel shows them (%s)', async (bookType) => {
    const sheet = XLSX.utils.aoa_to_sheet([
      ['EAN', 4012345678901],
      ['Debt', -401234567890],
      ['Length', 123456789.1234568],
    ]);
    sheet['B4'] = { t: 'n', v: 602214076000000, z: '0.00E+00' };
    sheet['A4'] = { t: 's', v: 'Atoms' };
    sheet['!ref'] = 'A1:B4';
    const bytes = XLSX.write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType }) as Buffer;
    const { text } = await read(bookType === 'xlsx' ? 'xlsx' : 'xls', bytes);
    expect(text.match(/(?<=\| )-?\d\S*(?= \|)/g)).toEqual(['4012345678901', '-401234567890', '123456789.1', '6.02E+14']);
  });

  it('shows formulas whose results are not stored, and counts them', async () => {
    const book = await xlsxFile([{ name: 'S', cells: { A1: 'Rent', B1: 1200, A2: 'Total', B2: 1200, A3: 'Note', B3: 'x' } }]);
    const archive = await openArchive(book, { source: 'file' });
    const sheet = (await archive.text('xl/worksheets/sheet1.xml'))!
      .replace(/<c r="B2"[^]*?<\/c>/, '<c r="B2"><f>SUM(B1:B1)</f><v></v></c>')
      .replace(/<c r="B3"[^]*?<\/c>/, '<c r="B3" t="str"><f>IF(B1,"","y")</f><v></v></c>');
    const { text, metadata } = await read('xlsx', await withParts(book, { 'xl/worksheets/sheet1.xml': sheet }));
    expect(text).toContain('| Total | =SUM(B1:B1) |\n| Note |');
    expect(metadata).toMatchObject({ formulas_without_result: 1 });
  });

  it('reads a workbook with a sheet that has no cells, such as a module of macros', async () => {
    const book = await xlsxFile([{ name: 'S', cells: { A1: 'x', B1: 'y' } }]);
    const archive = await openArchive(book, { source: 'file' });
    const sheets = (await archive.text('xl/workbook.xml'))!.replace('</sheets>', '<sheet name="Module" sheetId="2" r:id=""/></sheets>');
    expect((await read('xlsx', await withParts(book, { 'xl/workbook.xml': sheets }))).text).toContain('| x | y |');
  });

  it('reads an XLS whose stream has a name in capitals', async () => {
    const bytes = XLSX.write(
      { SheetNames: ['S'], Sheets: { S: XLSX.utils.aoa_to_sheet([['a', 'b']]) } },
      { type: 'buffer', bookType: 'biff8' },
    ) as Buffer;
    const [name, capitals] = ['Workbook', 'WORKBOOK'].map((word) => Buffer.from(word, 'utf16le').toString('latin1'));
    const renamed = Buffer.from(bytes.toString('latin1').replace(name!, capitals!), 'latin1');
    expect((await read('xls', renamed)).text).toContain('| a | b |');
  });

  it('does not visit missing cells', async () => {
    const { text } = await read('xlsx', sparseFile());
    expect(text).toBe('## S\n\nfirst\n\nlast');
  });

  it('reads properties as metadata', async () => {
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
