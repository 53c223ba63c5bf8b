import { describe, expect, it } from 'vitest';
import { chartPart, pptxFile, withParts } from '../support/files.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';

const slides = [
  { title: 'Aqua 300 launch', bullets: ['Sixty litres', 'Two seals'] },
  {
    title: 'Prices',
    table: [
      ['Model', 'Price'],
      ['Aqua 300', '249 EUR'],
    ],
    notes: 'The discount ends in June.',
  },
  { title: 'Questions' },
];

describe('the PPTX parser', () => {
  it('reads title, bullets, tables and notes of each slide', async () => {
    const { text, metadata } = await read('pptx', pptxFile(slides));
    expect(text).toBe(
      [
        '## Aqua 300 launch',
        '- Sixty litres\n- Two seals',
        '## Prices',
        '| Model | Price |\n| --- | --- |\n| Aqua 300 | 249 EUR |',
        '> Notes: The discount ends in June.',
        '## Questions',
      ].join('\n\n'),
    );
    expect(metadata).toEqual({ pages: 3 });
  });

  it('keeps the slide of each passage', async () => {
    const parsed = await read('pptx', pptxFile(slides));
    expect(['Sixty', '249 EUR', 'discount', 'Questions'].map((words) => placeOf(parsed, words)?.page)).toEqual([1, 2, 2, 3]);
    expect(parsed.marks).toHaveLength(3);
  });

  it('reads list levels and numbers, links, line breaks, groups and alternate content', async () => {
    const item = (text: string, properties: string) => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
    const numbered = (level: number, start = '') => `<a:pPr lvl="${level}"><a:buAutoNum type="arabicPeriod"${start}/></a:pPr>`;
    const bullet = '<a:pPr lvl="1"><a:buChar char="•"/></a:pPr>';
    const body = (paragraphs: string) => `<p:sp><p:nvSpPr/><p:txBody>${paragraphs}</p:txBody></p:sp>`;
    const shapes = [
      body(item('Fill', numbered(0, ' startAt="3"')) + item('the tank', bullet) + item('Heat', numbered(0)) + item('Plain', '')),
      `<p:grpSp>${body('<a:p><a:r><a:t>One</a:t></a:r><a:br/><a:r><a:t>line &amp; more</a:t></a:r></a:p>')}</p:grpSp>`,
      body('<a:p><a:r><a:rPr><a:hlinkClick r:id="web"/></a:rPr><a:t>The shop</a:t></a:r></a:p>'),
      `<mc:AlternateContent><mc:Choice>${body('<a:p><a14:m><m:oMath><m:r><m:t>a=b</m:t></m:r></m:oMath></a14:m></a:p>')}</mc:Choice><mc:Fallback>${body(item('Old', ''))}</mc:Fallback></mc:AlternateContent>`,
    ].join('');
    const { text } = await read('pptx', pptxFile([{ title: 'Use', shapes, links: { web: 'https://shop.example/' } }]));
    expect(text).toBe(
      ['## Use', '3. Fill\n   - the tank\n4. Heat', 'Plain', 'One line & more', '[The shop](https://shop.example/)', 'a=b'].join('\n\n'),
    );
  });

  it('reads the text of a diagram, nested by its connections', async () => {
    const point = (id: string, text: string, type = 'node') =>
      `<dgm:pt modelId="${id}" type="${type}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const connection = (from: string, to: string, order: number) => `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${order}"/>`;
    const diagram = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst>${point('0', '', 'doc')}${point('2', 'Drain')}${point('1', 'Heat')}${point('3', 'to 95 °C')}${point('4', 'arrow', 'sibTrans')}</dgm:ptLst><dgm:cxnLst>${connection('0', '1', 0)}${connection('0', '2', 1)}${connection('1', '3', 0)}</dgm:cxnLst></dgm:dataModel>`;
    expect((await read('pptx', pptxFile([{ title: 'Steps', diagram }]))).text).toBe('## Steps\n\n- Heat\n  - to 95 °C\n- Drain\n- arrow');
  });

  it('follows the order of the presentation and keeps hidden slides', async () => {
    const { text, marks } = await read('pptx', pptxFile([{ title: 'Last' }, { title: 'First', isHidden: true }], { order: [2, 1] }));
    expect([text, marks?.map(({ page }) => page)]).toEqual(['## First\n\n## Last', [1, 2]]);
  });

  it('refuses a slide that is not XML', async () => {
    await expect(read('pptx', pptxFile([{ title: 'Broken', shapes: '<p:sp>' }]))).rejects.toThrow(/slide1\.xml is no XML/);
  });

  it('takes the title from its property, or else from the first slide', async () => {
    const core = { 'dc:title': 'Launch deck', 'dc:creator': 'Ida Berg' };
    expect(await read('pptx', pptxFile(slides, { core }))).toMatchObject({ title: 'Launch deck', metadata: { author: 'Ida Berg' } });
    expect((await read('pptx', pptxFile(slides))).title).toBe('Aqua 300 launch');
  });

  it('reads a chart as a table, with its values in their format', async () => {
    const chart = chartPart('Sales by year', ['2023', '2024'], { North: [0.25, 0.5], South: [0.75, 1] }, '0%');
    expect((await read('pptx', pptxFile([{ title: 'Sales', chart }]))).text).toBe(
      '## Sales\n\n**Sales by year**\n\n|  | North | South |\n| --- | --- | --- |\n| 2023 | 25% | 75% |\n| 2024 | 50% | 100% |',
    );
  });

  it('reads the alternative text of pictures', async () => {
    const picture = (text: string) => `<p:pic><p:nvPicPr><p:cNvPr id="7" name="Picture 6" descr="${text}"/></p:nvPicPr></p:pic>`;
    const { text } = await read(
      'pptx',
      pptxFile([
        { title: 'Lid', shapes: ['The lid [open]', 'lid.png', 'A lid AI-generated content may be incorrect.', ''].map(picture).join('') },
      ]),
    );
    expect(text).toBe('## Lid\n\n![The lid open]()');
  });

  it('reads the comments on a slide, and their replies', async () => {
    const reply = '<reply authorId="{B}"><txBody><p><r><t>Done.</t></r></p></txBody></reply>';
    const file = await withParts(pptxFile([{ title: 'Lid' }, { title: 'Cup' }]), {
      'ppt/slides/_rels/slide1.xml.rels':
        '<Relationships><Relationship Id="c" Type="x/comments" Target="../comments/c1.xml"/></Relationships>',
      'ppt/slides/_rels/slide2.xml.rels':
        '<Relationships><Relationship Id="c" Type="x/comments" Target="../comments/c2.xml"/></Relationships>',
      'ppt/comments/c1.xml': '<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:text>Is it red?</p:text></p:cm></p:cmLst>',
      'ppt/comments/c2.xml': `<cmLst><cm authorId="{A}"><replyLst>${reply}</replyLst><txBody><p><r><t>Too </t></r><r><t>small</t></r></p></txBody></cm></cmLst>`,
      'ppt/commentAuthors.xml': '<l><cmAuthor id="0" name="Ida Berg"/></l>',
      'ppt/authors.xml': '<l><author id="{A}" name="Jon"/><author id="{B}" name="Una"/></l>',
    });
    expect((await read('pptx', file)).text).toBe(
      '## Lid\n\n> Comment (Ida Berg): Is it red?\n\n## Cup\n\n> Comment (Jon): Too small\n\n> Comment (Una): Done.',
    );
  });
});

describe('the text of a PPTX', () => {
  const words = (text: string) => `<p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody>`;
  const placeholder = (type: string, text: string) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr>${words(text)}</p:sp>`;

  it('follows the title of its slide, also if the title is last in the file', async () => {
    const shapes = `<p:sp><p:nvSpPr/>${words('Amara keeps the log.')}</p:sp>${placeholder('ctrTitle', 'The crew')}`;
    const { text } = await expectEveryWord('pptx', pptxFile([{ title: '', shapes }]));
    expect(text).toBe('## The crew\n\nAmara keeps the log.');
  });

  it('contains a footer once, and no slide numbers', async () => {
    const shapes = placeholder('ftr', 'Confidential') + placeholder('sldNum', '7');
    const { text } = await expectEveryWord('pptx', pptxFile([1, 2].map((number) => ({ title: `Slide ${number}`, shapes }))));
    expect(text).toBe('## Slide 1\n\nConfidential\n\n## Slide 2');
  });

  it('has both names of a column of a table whose header spans', async () => {
    const cell = (text: string, attributes = '') => `<a:tc ${attributes}>${words(text).replaceAll('p:txBody', 'a:txBody')}</a:tc>`;
    const row = (...cells: string[]) => `<a:tr>${cells.join('')}</a:tr>`;
    const rows = [
      row(cell('Quay', 'rowSpan="2"'), cell('2025', 'gridSpan="2"'), cell('', 'hMerge="1"')),
      row(cell('', 'vMerge="1"'), cell('Ships'), cell('Tons')),
      row(cell('Timber'), cell('41'), cell('8200')),
    ];
    const shapes = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${rows.join('')}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const { text } = await expectEveryWord('pptx', pptxFile([{ title: 'Traffic', shapes }]));
    expect(text).toContain('| Quay | 2025 Ships | 2025 Tons |\n| --- | --- | --- |\n| Timber | 41 | 8200 |');
  });

  it('keeps letters and Roman numerals of lists, and shapes in elements that nobody knows', async () => {
    const item = (type: string, text: string) => `<a:p><a:pPr><a:buAutoNum type="${type}"/></a:pPr><a:r><a:t>${text}</a:t></a:r></a:p>`;
    const shapes = `<p:later><p:sp><p:nvSpPr/><p:txBody>${item('alphaLcParenBoth', 'one')}${item('romanUcPeriod', 'two')}</p:txBody></p:sp></p:later>`;
    const { text } = await expectEveryWord('pptx', pptxFile([{ title: 'T', shapes }]));
    expect(text).toBe('## T\n\n- (a) one\n- II. two');
  });
});
