import { describe, expect, it } from 'vitest';
import { chartPart, docxFile, withParts, wordParagraph as p, wordTable } from '../support/files.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { read } from '../support/read.ts';

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
        '1. Empty the tank\n2. Fill in the acid\n- gloves\n  - rubber ones',
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
    expect(text.split('\n\n')).toEqual(['# 1 Start', '## 1.1 Water', '## 1.2 Coffee', '# 2 Care', '## 2.1 Steam', '# Appendix A Parts']);
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
    expect((await read('docx', file)).text).toBe('Before.\n\n**Sales & more**\n\n|  | North |\n| --- | --- |\n| 2024 | 4.4 |\n\nAfter.');
  });

  it('shows which boxes are checked', async () => {
    const box = (isChecked: 0 | 1, text: string) =>
      p('', {
        raw: `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${isChecked}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☐</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>${text}</w:t></w:r>`,
      });
    expect((await read('docx', docxFile(box(1, 'Tea') + box(0, 'Milk')))).text).toMatch(/^\\?\[x\\?\] Tea\n\n\\?\[ \\?\] Milk$/);
  });
});

/** A DOCX with further parts: a relation of the document to each, by type, and its name in `word/`. */
const withRelated = (body: string, related: Record<string, [type: string, xml: string | Buffer]>) =>
  withParts(docxFile(body), {
    'word/_rels/document.xml.rels': `<Relationships>${['styles', 'numbering']
      .map((name) => `<Relationship Id="${name}" Type="x/${name}" Target="${name}.xml"/>`)
      .join('')}${Object.entries(related)
      .map(([name, [type]], i) => `<Relationship Id="r${i}" Type="x/${type}" Target="${name}"/>`)
      .join('')}</Relationships>`,
    ...Object.fromEntries(Object.entries(related).map(([name, [, xml]]) => [`word/${name}`, xml])),
  });
const t = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const lines = async (file: Buffer) => (await expectEveryWord('docx', file)).text.split(/\n+/);

describe('the numbers of paragraphs in a DOCX', () => {
  const level = (depth: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${depth}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const numbered = (levels: string, nums: string, body: string) =>
    withParts(docxFile(body), {
      'word/numbering.xml': `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="1">${levels}</w:abstractNum>${nums}</w:numbering>`,
    });
  const num = (id: number, inside = '') => `<w:num w:numId="${id}"><w:abstractNumId w:val="1"/>${inside}</w:num>`;
  const clause = (list: 1 | 2, depth: number, text: string) => p(text, { list: { id: list, level: depth } });
  const legal = level(0, 'decimal', '%1.') + level(1, 'decimal', '%1.%2') + level(2, 'lowerLetter', '(%3)');

  it('continue behind other paragraphs, and count deeper levels again', async () => {
    const body = [
      clause(1, 0, 'Object'),
      clause(1, 1, 'Let.'),
      clause(1, 0, 'Rent'),
      clause(1, 1, 'Due.'),
      clause(1, 2, 'straw'),
      clause(1, 2, ''),
      clause(1, 2, 'ropes'),
      p('Agreed.'),
      clause(1, 1, 'Paid.'),
    ];
    expect(await lines(await numbered(legal, num(1), body.join('')))).toEqual([
      '1. Object',
      '   - 1.1 Let.',
      '2. Rent',
      '   - 2.1 Due.',
      '     - (a) straw',
      '     - (c) ropes',
      'Agreed.',
      '- 2.2 Paid.',
    ]);
  });

  it('start again at the number of an override, and have the levels of one', async () => {
    const override = `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="17"/></w:lvlOverride><w:lvlOverride w:ilvl="1">${level(1, 'upperRoman', '%2)')}</w:lvlOverride>`;
    const body = [clause(1, 0, 'a'), clause(2, 0, 'b'), clause(2, 1, 'c'), clause(2, 0, 'd'), clause(1, 0, 'e')].join('');
    expect(await lines(await numbered(legal, num(1) + num(2, override), body))).toEqual(['1. a', '17. b', '    - I) c', '18. d', '19. e']);
  });

  it('are counted again only below the level that a list names', async () => {
    const levels = level(0, 'decimal', '%1.') + level(1, 'decimal', 'No. %2', '<w:lvlRestart w:val="0"/>');
    const body = [clause(1, 0, 'a'), clause(1, 1, 'b'), clause(1, 0, 'c'), clause(1, 1, 'd')].join('');
    expect(await lines(await numbered(levels, num(1), body))).toEqual(['1. a', '   - No. 1 b', '2. c', '   - No. 2 d']);
  });

  it.each([
    ['upperLetter', 'Annex %1:', '', '- Annex A: text'],
    ['lowerRoman', '%1)', '', '- i) text'],
    ['decimalZero', '%1', '', '- 01 text'],
    ['ordinal', '%1', '', '- 1st text'],
    ['chineseCounting', '第%1条', '<w:suff w:val="nothing"/>', '- 第一条text'],
    ['upperRoman', '%1.', '<w:isLgl/>', '1. text'],
    ['none', '', '', 'text'],
    ['bullet', '§', '', '- text'],
  ])('have the format %s', async (format, shown, more, line) => {
    expect(await lines(await numbered(level(0, format, shown, more), num(1), clause(1, 0, 'text')))).toEqual([line]);
  });
});

describe('the text of a DOCX', () => {
  const field = (code: string, text: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${t(text)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const raw = (...runs: string[]) => docxFile(p('', { raw: runs.join('') }));

  it.each([
    ['simple fields', raw(t('By '), `<w:fldSimple w:instr=" AUTHOR ">${t('Ida')}</w:fldSimple>`), 'By Ida'],
    ['directions', raw(`<w:dir w:val="ltr">${t('left ')}</w:dir><w:bdo w:val="rtl">${t('right')}</w:bdo>`), 'left right'],
    ['elements that nobody knows', raw(`<w:later><w:deeper>${t('kept')}</w:deeper></w:later>`), 'kept'],
    [
      'text with its reading',
      raw(`<w:r><w:ruby><w:rubyPr/><w:rt>${t('よこ')}</w:rt><w:rubyBase>${t('横')}</w:rubyBase></w:ruby></w:r>`),
      '横(よこ)',
    ],
    ['text moved here', raw(`<w:moveFrom>${t('old')}</w:moveFrom><w:moveTo>${t('new')}</w:moveTo>`), 'new'],
    ['symbols', raw('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', t(' done')), '🗹 done'],
    [
      'a link with switches',
      raw(field(' HYPERLINK "https://x.example/a" \\l "b" \\o "A tip" \\t "_blank" ', 'there')),
      '[there](https://x.example/a#b)',
    ],
    ['a link to a place in it', raw(field('HYPERLINK \\l "b"', 'here')), 'here'],
    ['a drop cap', docxFile(`<w:p><w:pPr><w:framePr w:dropCap="drop"/></w:pPr>${t('O')}</w:p>${p('nce upon')}`), 'Once upon'],
    [
      'a paragraph whose mark is deleted',
      docxFile(`<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${t('one ')}</w:p>${p('line')}`),
      'one line',
    ],
    ['powers and indexes', raw(t('10'), '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>6</w:t></w:r>'), '10^6'],
    [
      'emphasis around whole words',
      raw(
        '<w:r><w:rPr><w:b/></w:rPr><w:t>bo</w:t></w:r>',
        '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">ld </w:t></w:r>',
        t('&lt;p> not'),
      ),
      '**bold** \\<p> not',
    ],
    ['word art', raw('<w:r><w:pict><v:shape xmlns:v="v"><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'), 'DRAFT'],
  ])('keeps %s', async (_, file, text) => {
    expect((await expectEveryWord('docx', file)).text).toBe(text);
  });

  it('contains the documents that it takes in', async () => {
    const inner = docxFile(p('From Word.'));
    const file = await withRelated(`${p('Offer')}<w:altChunk r:id="r0"/><w:altChunk r:id="r1"/><w:altChunk r:id="r2"/>${p('End')}`, {
      'a.html': ['aFChunk', '<h2>Price</h2><p>740</p>'],
      'b.rtf': ['aFChunk', '{\\rtf1 Rich.\\par}'],
      'c.docx': ['aFChunk', inner],
    });
    expect(await lines(file)).toEqual(['Offer', '## Price', '740', 'Rich.', 'From Word.', 'End']);
  });

  it('contains a diagram, and names an embedded file', async () => {
    const diagram = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Cut</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>`;
    const drawing = '<w:r><w:drawing><dgm:relIds xmlns:dgm="d" r:dm="r0"/></w:drawing></w:r>';
    const object = (program: string, id: string) =>
      `<w:r><w:object><o:OLEObject xmlns:o="o" ProgID="${program}" r:id="${id}"/></w:object></w:r>`;
    const body = p('', { raw: drawing + object('Excel.Sheet.12', 'r1') + object('Acrobat.Document', 'r2') + object('Equation.3', 'r3') });
    const file = await withRelated(body, {
      'diagrams/data1.xml': ['diagramData', diagram],
      'embeddings/beams.xlsx': ['package', 'x'],
      'embeddings/1.bin': ['oleObject', 'x'],
      'embeddings/2.bin': ['oleObject', 'x'],
    });
    expect(await lines(file)).toEqual(['- Cut', 'Embedded file: beams.xlsx', 'Embedded file: Acrobat.Document']);
  });

  it('contains headers and footers once, without the numbers of pages', async () => {
    const margin = (name: string, ...texts: string[]) =>
      `<w:${name} xmlns:w="w">${texts.map((text) => p('', { raw: text })).join('')}</w:${name}>`;
    const file = await withRelated(p('Body.'), {
      'header1.xml': ['header', margin('hdr', t('Sawmill'))],
      'header2.xml': ['header', margin('hdr', t('Sawmill'), t('Offer 7'))],
      'footer1.xml': ['footer', margin('ftr', t('Account 60'), field(' PAGE ', '2'))],
    });
    expect(await lines(file)).toEqual(['Sawmill', 'Offer 7', 'Body.', 'Account 60']);
  });

  it('contains notes and comments, also those to which nothing refers', async () => {
    const note = (kind: string, id: string, text: string, more = '') => `<w:${kind} w:id="${id}" ${more}>${p(text)}</w:${kind}>`;
    const body = p('Fixed', { raw: '<w:r><w:footnoteReference w:id="2"/><w:commentReference w:id="5"/></w:r>' });
    const file = await withRelated(body, {
      'footnotes.xml': [
        'footnotes',
        `<w:footnotes xmlns:w="w">${note('footnote', '2', 'Until May.')}${note('footnote', '0', '', 'w:type="separator"')}</w:footnotes>`,
      ],
      'comments.xml': [
        'comments',
        `<w:comments xmlns:w="w">${note('comment', '5', 'It may rise.', 'w:author="Ida Berg"')}${note('comment', '6', 'Check.')}</w:comments>`,
      ],
    });
    expect(await lines(file)).toEqual(['Fixed[1]', '> Comment (Ida Berg): It may rise.', '> Comment: Check.', '1. Until May.']);
  });

  it('describes each picture once, and reads text boxes once', async () => {
    const picture = '<w:r><w:drawing><wp:docPr xmlns:wp="wp" descr="A mill"/><pic:cNvPr xmlns:pic="pic" descr="A mill"/></w:drawing></w:r>';
    const box = `<w:txbxContent>${p('In a box.')}</w:txbxContent>`;
    const shape = `<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice><w:drawing>${box}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    expect(await lines(docxFile(p('See ', { raw: picture + shape })))).toEqual(['See ![A mill]()', 'In a box.']);
  });

  it('keeps rows with content controls, and the header rows that the table declares', async () => {
    const cell = (text: string) => `<w:tc>${p(text)}</w:tc>`;
    const row = (properties: string, ...cells: string[]) => `<w:tr><w:trPr>${properties}</w:trPr>${cells.join('')}</w:tr>`;
    const header = row('<w:tblHeader/>', cell('Quay'), cell('2025')) + row('<w:tblHeader/>', cell(''), cell('Tons'));
    const body = `<w:sdt><w:sdtPr/><w:sdtContent>${row('', cell('Timber'), `<w:sdt><w:sdtContent>${cell('41')}</w:sdtContent></w:sdt>`)}</w:sdtContent></w:sdt>`;
    const gone = row('<w:del w:id="1"/>', '<w:tc><w:p/></w:tc>', '<w:tc><w:p/></w:tc>');
    expect(await lines(docxFile(`<w:tbl>${header}${body}${gone}</w:tbl>`))).toEqual([
      '| Quay | 2025 Tons |',
      '| --- | --- |',
      '| Timber | 41 |',
    ]);
  });
});
