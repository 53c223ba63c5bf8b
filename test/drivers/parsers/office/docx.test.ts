import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { chartPart, docxFile, withParts, wordParagraph as p, wordTable } from '../../../support/files.ts';
import { read } from '../read.ts';

describe('the DOCX parser', () => {
  it('reads headings, lists, tables and links', async () => {
    const link = '<w:hyperlink r:id="rOrder"><w:r><w:t>order form</w:t></w:r></w:hyperlink>';
    const parts = [
      p('Service manual', { style: 'Title' }),
      p('Pumps', { style: 'Heading1' }),
      p('Keep ERR_4042 in mind.'),
      p('Descaling', { style: 'Heading2' }),
      p('Empty the tank', { list: { id: 2, level: 0 } }),
      p('Fill in the acid', { list: { id: 2, level: 0 } }),
      p('gloves', { list: { id: 1, level: 0 } }),
      p('rubber ones', { list: { id: 1, level: 1 } }),
      p('', { raw: link }),
      wordTable([
        ['Part', 'Number'],
        ['Pump | seal', 'P-4711'],
      ]),
    ];
    const { text, title } = await read('docx', docxFile(parts.join(''), { links: { rOrder: 'https://pump.example/order' } }));
    expect(text).toBe(
      [
        '# Service manual',
        '# Pumps',
        'Keep ERR_4042 in mind.',
        '## Descaling',
        '1. Empty the tank\n2. Fill in the acid',
        '- gloves\n  - rubber ones',
        '[order form](https://pump.example/order)',
        '| Part | Number |\n| --- | --- |\n| Pump \\| seal | P-4711 |',
      ].join('\n\n'),
    );
    expect(title).toBe('Service manual');
  });

  it('leaves out the table of contents', async () => {
    const contents = p('Contents', { style: 'TOCHeading' }) + p('1 Pump 4', { style: 'TOC1' });
    expect((await read('docx', docxFile(contents + p('Pump', { style: 'Heading1' }) + p('Dry it.')))).text).toBe('# Pump\n\nDry it.');
  });

  it('reads properties as metadata, and prefers the title property to the first heading', async () => {
    const core = {
      'dc:title': 'Plan & budget',
      'dc:creator': 'Ida Berg',
      'dcterms:created': '2024-03-05T10:15:00Z',
      'dc:description': 'For 2024',
      'dc:language': 'en',
    };
    const { title, metadata } = await read('docx', docxFile(p('Heading', { style: 'Heading1' }) + p('Body.'), { core }));
    expect(title).toBe('Plan & budget');
    expect(metadata).toEqual({ author: 'Ida Berg', created: '2024-03-05T10:15:00.000Z', description: 'For 2024', lang: 'en' });
  });

  it('puts merged cells into their columns, and into each row that they span', async () => {
    const table = wordTable([
      ['Model', ['Power', '<w:gridSpan w:val="2"/>']],
      [['Aqua 300', '<w:vMerge w:val="restart"/>'], 'heater', '1450 W'],
      [['', '<w:vMerge/>'], 'pump', '48 W'],
    ]);
    expect((await read('docx', docxFile(table))).text.split('\n').slice(2)).toEqual([
      '| Aqua 300 | heater | 1450 W |',
      '| Aqua 300 | pump | 48 W |',
    ]);
  });

  it('applies tracked changes', async () => {
    const raw =
      '<w:r><w:t xml:space="preserve">Keep it for </w:t></w:r><w:del w:id="1"><w:r><w:delText>twelve</w:delText></w:r></w:del><w:ins w:id="2"><w:r><w:t>ninety</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> days.</w:t></w:r>';
    expect((await read('docx', docxFile(p('', { raw })))).text).toBe('Keep it for ninety days.');
  });

  it('adds the numbers of headings, which Word computes and does not store', async () => {
    const level = (number: number, format: string, text: string, style = '') =>
      `<w:lvl w:ilvl="${number}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${style}<w:lvlText w:val="${text}"/></w:lvl>`;
    const file = await withParts(
      docxFile(
        [
          p('Start', { style: 'Heading1' }),
          p('Water', { style: 'Heading2' }),
          p('Coffee', { style: 'Heading2' }),
          p('Care', { style: 'Heading1' }),
          p('Steam', { style: 'Heading2' }),
          p('Parts', { style: 'Appendix' }),
        ].join(''),
      ),
      {
        'word/numbering.xml': `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2', '<w:pStyle w:val="Heading2"/>')}</w:abstractNum><w:abstractNum w:abstractNumId="8">${level(0, 'upperLetter', 'Appendix %1')}</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="8"/></w:num></w:numbering>`,
        'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${[
          ['Heading1', 'heading 1', '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr></w:pPr>'],
          ['Heading2', 'heading 2', '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>'],
          ['Appendix', 'Appendix', '<w:basedOn w:val="Heading1"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr>'],
        ]
          .map(([id, name, rest]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`)
          .join('')}</w:styles>`,
      },
    );
    const { text } = await read('docx', file);
    expect(text.split('\n\n')).toEqual(['# 1 Start', '## 1.1 Water', '## 1.2 Coffee', '# 2 Care', '## 2.1 Steam', 'Appendix A Parts']);
  });

  it.each(['-40', '999999999999', 'x'])('counts from 1 if a list declares the invalid start %s', async (start) => {
    const level = `<w:lvl w:ilvl="0"><w:start w:val="${start}"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl>`;
    const style =
      '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>';
    const file = await withParts(docxFile(p('Start', { style: 'Heading1' })), {
      'word/numbering.xml': `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7">${level}${level.replace('"0"', '"1000000000"')}</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
      'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${style}</w:styles>`,
    });
    expect((await read('docx', file)).text).toBe('# I Start');
  });

  it('writes equations in LaTeX notation', async () => {
    const r = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
    const root = `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e><m:sSup><m:e>${r('b')}</m:e><m:sup>${r('2')}</m:sup></m:sSup>${r('−4ac')}</m:e></m:rad>`;
    const fraction = `<m:f><m:num>${r('−b±')}${root}</m:num><m:den>${r('2a')}</m:den></m:f>`;
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('n=1')}</m:sub><m:sup>${r('∞')}</m:sup><m:e>${r('n')}</m:e></m:nary>`;
    const set = `<m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val="}"/></m:dPr><m:e>${r('a &lt; b')}</m:e></m:d>`;
    const body =
      p('Solve ', { raw: `<m:oMath xmlns:m="m">${r('x=')}${fraction}</m:oMath>` }) +
      p('', {
        raw: `<m:oMathPara xmlns:m="m"><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr><m:oMath>${sum}${set}</m:oMath></m:oMathPara>`,
      });
    expect((await read('docx', docxFile(body))).text).toBe('Solve $x=\\frac{−b±\\sqrt{b^{2}−4ac}}{2a}$\n\n$∑_{n=1}^{∞}n{a < b}$');
  });

  it('reads deeply nested equations in a short time', async () => {
    const depth = 50;
    const raw = `<m:oMath xmlns:m="m">${'<m:sSup><m:e/><m:sup>'.repeat(depth)}<m:r><m:t>x</m:t></m:r>${'</m:sup></m:sSup>'.repeat(depth)}</m:oMath>`;
    expect((await read('docx', docxFile(p('', { raw })))).text).toBe(`$${'^{'.repeat(depth)}x${'}'.repeat(depth)}$`);
  });

  it('reads the main part that the relations name', async () => {
    const body = `${p('Energy', { style: 'Heading1' })}<w:p><m:oMath xmlns:m="m"><m:r><m:t>E=m</m:t></m:r></m:oMath></w:p>`;
    const relationTo = (type: string, target: string) =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
    const file = await withParts(docxFile(p('An old version.')), {
      '_rels/.rels': relationTo('officeDocument', '/text/main2.xml'),
      'text/_rels/main2.xml.rels': relationTo('styles', '../word/styles.xml'),
      'text/main2.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    });
    expect((await read('docx', file)).text).toBe('# Energy\n\n$E=m$');
  });

  it('recognizes a style by its name', async () => {
    const look =
      '<w:rPr><w:b/><w:sz w:val="32"/><w:rPrChange w:id="1"><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:tblStylePr w:type="band1Vert">\n<w:rPr><w:b/></w:rPr><w:tblPr/>\n</w:tblStylePr>';
    const file = await withParts(docxFile(p('Pumps', { style: 'Big' }) + p('Stop', { style: 'Small' })), {
      'word/styles.xml': `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:latentStyles w:count="1"><w:lsdException w:name="heading 1"/></w:latentStyles>${[
        ['Big', 'heading 1'],
        ['Small', 'heading 2'],
      ]
        .map(([id, name]) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${look}</w:style>`)
        .join('')}</w:styles>`,
    });
    expect((await read('docx', file)).text).toBe('# Pumps\n\n## Stop');
  });

  it('writes a chart as its title and a table', async () => {
    const drawing = '<w:r><w:drawing><a:graphic xmlns:a="a"><c:chart xmlns:c="c" r:id="c9"/></a:graphic></w:drawing></w:r>';
    const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c9" Type="x/chart" Target="charts/chart1.xml"/></Relationships>`;
    const file = await withParts(docxFile(`${p('Before.')}<w:p>${drawing}</w:p>${p('After.')}`), {
      'word/_rels/document.xml.rels': relations,
      'word/charts/chart1.xml': chartPart('Sales & more', ['2024'], { North: [4.4000000000000004] }),
    });
    expect((await read('docx', file)).text).toBe('Before.\n\nSales & more\n\n|  | North |\n| --- | --- |\n| 2024 | 4.4 |\n\nAfter.');
  });

  it('shows which boxes are checked', async () => {
    const box = (isChecked: 0 | 1, text: string) =>
      p('', {
        raw: `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${isChecked}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☐</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>${text}</w:t></w:r>`,
      });
    expect((await read('docx', docxFile(box(1, 'Tea') + box(0, 'Milk')))).text).toMatch(/^\\?\[x\\?\] Tea\n\n\\?\[ \\?\] Milk$/);
  });

  it("parses mammoth's style rules once", async () => {
    await read('docx', docxFile(p('Tea')));
    const { readStyle } = createRequire(import.meta.url)('mammoth/lib/style-reader.js') as { readStyle: (rule: string) => unknown };
    expect(readStyle("p[style-name='Title'] => h1:fresh")).toBe(readStyle("p[style-name='Title'] => h1:fresh"));
  });
});
