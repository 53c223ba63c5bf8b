import { expect, it } from 'vitest';
import XLSX from 'xlsx';
import { zipFile } from '../support/zip.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';

const odf = (kind: string, body: string, parts: Record<string, string> = {}) =>
  zipFile({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'META-INF/manifest.xml': '<manifest:manifest/>',
    'styles.xml': '<office:document-styles/>',
    'content.xml': `<office:document-content><office:automatic-styles><text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style></office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    ...parts,
  });

it('reads headings, lists, tables, links and notes of an ODT, without deleted text', async () => {
  const { text, title, metadata } = await read(
    'odt',
    odf(
      'text',
      `<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>
      <text:h text:outline-level="1">Care</text:h><text:p>Oil<text:s/>it<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Weekly.</text:p></text:note-body></text:note> &amp; <text:a xlink:href="https://x/">rest</text:a>.</text:p>
      <text:list text:style-name="N"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>
      <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Part</text:p></table:table-cell><table:table-cell><text:p>No</text:p></table:table-cell></table:table-row></table:table-header-rows>
      <table:table-row><table:table-cell><text:p>Seal</text:p></table:table-cell><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row></table:table></office:text>`,
      {
        'meta.xml':
          '<m><dc:title>Pump</dc:title><meta:initial-creator>Ada</meta:initial-creator><meta:creation-date>2024-01-01T00:00:00Z</meta:creation-date></m>',
      },
    ),
  );
  expect(text).toBe(
    '# Care\n\nOil it[1] & [rest](https://x/).\n\n1. one\n   - inner\n2. two\n\n| Part | No |\n| --- | --- |\n| Seal | 7 |\n\n1. Weekly.',
  );
  expect({ title, metadata }).toEqual({ title: 'Pump', metadata: { author: 'Ada', created: '2024-01-01T00:00:00.000Z' } });
});

it('leaves out the table of contents of an ODT, and moves headings out of lists', async () => {
  const { text } = await read(
    'odt',
    odf(
      'text',
      `<office:text><text:table-of-content><text:index-body><text:p>1 Care 3</text:p></text:index-body></text:table-of-content>
      <text:list text:style-name="N"><text:list-item><text:h text:outline-level="1">Care</text:h></text:list-item></text:list><text:p>Dry it.</text:p></office:text>`,
    ),
  );
  expect(text).toBe('# Care\n\nDry it.');
});

it('continues the numbers of lists in an ODT, even in nested lists', async () => {
  const style =
    '<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="1" style:num-suffix="."/></text:list-style>';
  const list = (attributes: string, ...items: string[]) =>
    `<text:list ${attributes}>${items.map((item) => `<text:list-item><text:p>${item}</text:p></text:list-item>`).join('')}</text:list>`;
  const { text } = await read(
    'odt',
    odf(
      'text',
      `<office:text>${list('xml:id="a" text:style-name="N"', `one</text:p>${list('', 'inner')}<text:p>`)}<text:p>Wait.</text:p>${list('text:continue-list="a" text:style-name="N"', 'two')}<text:p>Then:</text:p>${list('text:style-name="N"', 'first')}</office:text>`,
      { 'styles.xml': `<office:document-styles>${style}</office:document-styles>` },
    ),
  );
  expect(text.replace(/\n{2,}/g, '\n')).toBe('1. one\n   1. inner\nWait.\n2. two\nThen:\n1. first');
});

it('keeps the lines of code in an ODT', async () => {
  const { text } = await read(
    'odt',
    odf(
      'text',
      `<office:text><text:p text:style-name="P7">run {</text:p>
      <text:p text:style-name="Preformatted_20_Text"><text:s text:c="2"/>stop();</text:p><text:p>Done.</text:p></office:text>`,
      {
        'styles.xml':
          '<office:document-styles><style:style style:name="P7" style:parent-style-name="P6"/><style:style style:name="P6" style:parent-style-name="Preformatted_20_Text"/></office:document-styles>',
      },
    ),
  );
  expect(text).toBe('```\nrun {\n  stop();\n```\n\nDone.');
});

it('reports an encrypted ODT', async () => {
  const manifest = { 'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>' };
  await expect(read('odt', odf('text', '', manifest))).rejects.toThrow('files/sample.odt is encrypted');
});

it('joins the levels of a list that an ODP writes as separate lists', async () => {
  const list = (inside: string) => `<text:list><text:list-item>${inside}</text:list-item></text:list>`;
  const slide = `<draw:page><draw:frame><draw:text-box>${list('<text:p>Health</text:p>')}${list(list('<text:p>Seals</text:p>'))}</draw:text-box></draw:frame></draw:page>`;
  expect((await read('odp', odf('presentation', `<office:presentation>${slide}</office:presentation>`))).text).toBe('- Health\n  - Seals');
});

it('reads the slides of an ODP with their notes, each slide as a page', async () => {
  const slide = (title: string, text: string, notes: string) =>
    `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list><text:list-item><text:p>${text}</text:p></text:list-item></text:list></draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>${notes}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>`;
  const parsed = await read(
    'odp',
    odf('presentation', `<office:presentation>${slide('One', 'a', 'Say it.')}${slide('Two', 'b', '')}</office:presentation>`),
  );
  expect(parsed.text).toBe('## One\n\n- a\n\n> Notes: Say it.\n\n## Two\n\n- b');
  expect(placeOf(parsed, '- b')).toMatchObject({ page: 2 });
});

it.each(['ods', 'xls', 'xlsb'] as const)('reads a workbook (%s) with its sheets and rows', async (kind) => {
  const book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(
    book,
    XLSX.utils.aoa_to_sheet([
      ['Part', 'No'],
      ['Seal', 7],
      ['Valve é', 8],
    ]),
    'Prices',
  );
  const bytes = XLSX.write(book, { type: 'buffer', bookType: kind === 'xls' ? 'biff8' : kind }) as Buffer;
  const parsed = await read(kind === 'xlsb' ? 'xlsx' : kind, bytes);
  expect(parsed.text).toBe('## Prices\n\n| Part | No |\n| --- | --- |\n| Seal | 7 |\n| Valve é | 8 |');
  expect(placeOf(parsed, '| Part')).toMatchObject({ sheet: 'Prices', row: 1 });
});

it.each([
  ['odt', odf('spreadsheet', '<office:spreadsheet/>'), /cannot be read as an OpenDocument spreadsheet \(ODS\): it has no sheets/],
  ['odt', odf('text', '<office:text>'), /cannot be read as an OpenDocument text/],
  [
    'odp',
    odf('presentation', `<office:presentation>${'<draw:g>'.repeat(3_000)}${'</draw:g>'.repeat(3_000)}</office:presentation>`),
    /cannot be read/,
  ],
  [
    'ods',
    zipFile({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a><' }),
    /cannot be read|without any text/,
  ],
  ['xls', Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex'), /old Office version/],
])('refuses a broken file (%s %#)', async (kind, bytes, message) => {
  await expect(read(kind, bytes)).rejects.toThrow(message);
});

it('does not expand the empty rest of a sheet or table', async () => {
  const row =
    '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>';
  const cells =
    '<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>b</text:p></table:table-cell></table:table-row>';
  const table = `<table:table table:name="T">${cells}${cells}${row}</table:table>`;
  expect((await read('odt', odf('text', `<office:text>${table}</office:text>`))).text.length).toBeLessThan(1_000);
  expect((await read('ods', odf('spreadsheet', `<office:spreadsheet>${table}</office:spreadsheet>`))).text.length).toBeLessThan(1_000);
});

it('reads RTF: headings by style, lists, tables, notes, characters by code and by Unicode', async () => {
  const { text, title, metadata } = await read(
    'rtf',
    String.raw`{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0 Arial;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}}{\info{\title Pump}{\author Ada}}{\*\generator x;}
\pard\s1 Care\par\pard Caf\'e9 \u8364?5 \{x\}{\footnote\pard Weekly.}\tab and {\b bold}{\pict 00ff}\line next\par
{\pntext\'b7\tab}one\par{\pntext\'b7\tab}two\par
\trowd\intbl Part\cell No\cell\row\trowd\intbl Seal\cell 7\cell\row\pard # no heading\par}`,
  );
  expect(text).toBe(
    '# Care\n\nCafé €5 {x}[1] and bold\nnext\n\n- one\n- two\n\n| Part | No |\n| --- | --- |\n| Seal | 7 |\n\n\\# no heading\n\n1. Weekly.',
  );
  expect({ title, metadata }).toEqual({ title: 'Pump', metadata: { author: 'Ada' } });
});

it.each([
  ['{\\rtf1 words', 'words'],
  ['{\\rtf1 a}}}} b', 'a b'],
  ['{\\rtf1 \\bin99999999999 x', undefined],
  [`{\\rtf1 ${'{'.repeat(100_000)}`, undefined],
])('reads or refuses broken rich text (%#)', async (source, text) => {
  if (text === undefined) await expect(read('rtf', source)).rejects.toThrow(/rich text file/);
  else expect((await read('rtf', source)).text).toBe(text);
});

it.each([
  [
    'numbers and levels of lists',
    String.raw`{\rtf1{\stylesheet{\s3 Title;}}{\s3 Manual\par}\pard{\listtext 1)\tab}Open\par\ilvl1{\listtext a.\tab}slowly\par\pard Done.\par}`,
    '# Manual\n\n1) Open\n   - a. slowly\n\nDone.',
  ],
  [
    'letters by the character set of their font',
    String.raw`{\rtf1\ansicpg1252{\fonttbl{\f0 Arial;}{\f4\fcharset204 Arial;}}\f0 Caf\'e9 {\f4 \'ef\'ee}\par}`,
    'Café по',
  ],
  ['cells of a row that does not end', String.raw`{\rtf1\trowd\intbl Fax\cell 12\cell}`, '| Fax | 12 |\n| --- | --- |'],
])('reads %s in RTF', async (_, source, text) => {
  expect((await read('rtf', source)).text).toBe(text);
});

it('reads headers and footers of an ODT once, without the numbers of pages', async () => {
  const header = '<style:header><text:p>Parish of Lorn</text:p></style:header>';
  const footer = '<style:footer><text:p><text:page-number>3</text:page-number></text:p></style:footer>';
  const master = (name: string, content: string) => `<style:master-page style:name="${name}">${content}</style:master-page>`;
  const styles = `<office:document-styles><office:master-styles>${master('A', header + footer)}${master('B', header)}</office:master-styles></office:document-styles>`;
  const file = odf('text', '<office:text><text:p>Sheep graze.</text:p></office:text>', { 'styles.xml': styles });
  expect((await expectEveryWord('odt', file)).text).toBe('Parish of Lorn\n\nSheep graze.');
});

it('numbers headings, levels and items of an ODT as LibreOffice does', async () => {
  const level = (depth: number, format: string, more: string) =>
    `<text:list-level-style-number text:level="${depth}" style:num-format="${format}" ${more}/>`;
  const styles = `<office:document-styles><text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="A" text:display-levels="2"/></text:outline-style>
    <text:list-style style:name="L">${level(1, '1', 'style:num-prefix="§ "')}${level(2, 'i', 'style:num-suffix=")" text:display-levels="2"')}${level(3, 'a', 'style:num-list-format="(%3%)"')}</text:list-style></office:document-styles>`;
  const heading = (depth: number, text: string) => `<text:h text:outline-level="${depth}">${text}</text:h>`;
  const item = (inside: string, attributes = '') => `<text:list-item ${attributes}>${inside}</text:list-item>`;
  const list = (inside: string, attributes = '') => `<text:list ${attributes}>${inside}</text:list>`;
  const body = [
    heading(1, 'Fares'),
    heading(2, 'Dogs'),
    list(item(`<text:p>one</text:p>${list(item(`<text:p>deep</text:p>${list(item('<text:p>deeper</text:p>'))}`))}`), 'text:style-name="L"'),
    '<text:p>Between.</text:p>',
    list(
      item(list(item('<text:p>more</text:p>'))) + item('<text:p>seven</text:p>', 'text:start-value="7"'),
      'text:style-name="L" text:continue-numbering="true"',
    ),
    heading(2, 'Cats'),
  ].join('');
  const { text } = await expectEveryWord('odt', odf('text', `<office:text>${body}</office:text>`, { 'styles.xml': styles }));
  expect(text.split(/\n+/)).toEqual([
    '# 1 Fares',
    '## 1.A Dogs',
    '- § 1 one',
    '  - 1.i) deep',
    '    - (a) deeper',
    'Between.',
    '- 1.ii) more',
    '- § 7 seven',
    '## 1.B Cats',
  ]);
});

it('keeps comments, fields, ruby, text boxes, formulas and unknown elements of an ODT', async () => {
  const body = `<office:text><text:p>On <text:date>9 May</text:date><office:annotation><dc:creator>Ida</dc:creator><dc:date>2026</dc:date><text:p>Check it.</text:p></office:annotation> in <text:ruby><text:ruby-base>横</text:ruby-base><text:ruby-text>よこ</text:ruby-text></text:ruby>.<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame></text:p>
    <later:block><text:p>Kept.</text:p></later:block><text:p><later:word>Also</later:word> kept.</text:p>
    <text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame><draw:frame><draw:image/><svg:desc>A mill</svg:desc></draw:frame></text:p></office:text>`;
  const formula = '<math><semantics><mrow><mi>E</mi></mrow><annotation>E = m c^2</annotation></semantics></math>';
  const { text } = await expectEveryWord('odt', odf('text', body, { 'Object 1/content.xml': formula }));
  expect(text.split(/\n+/)).toEqual([
    'On 9 May in 横(よこ).',
    '> Comment (Ida): Check it.',
    'In a box.',
    'Kept.',
    'Also kept.',
    '$E = m c^2$',
    '![A mill]()',
  ]);
});

it('reads the title of a slide of an ODP first, and its footer once', async () => {
  const frame = (role: string, text: string) =>
    `<draw:frame ${role && `presentation:class="${role}"`}><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const slide = (title: string) =>
    `<draw:page>${frame('', `About ${title}.`)}${frame('title', title)}${frame('page-number', '7')}</draw:page>`;
  const file = odf(
    'presentation',
    `<office:presentation><presentation:footer-decl>Confidential</presentation:footer-decl>${slide('Dogs')}${slide('Cats')}</office:presentation>`,
  );
  expect((await read('odp', file)).text).toBe('## Dogs\n\nAbout Dogs.\n\nConfidential\n\n## Cats\n\nAbout Cats.');
});
