import XLSX from 'xlsx';
import { chartPart, docxFile, pptxFile, wordParagraph, wordTable, xlsxFile } from './files.ts';
import { pdfFile } from './pdf-file.ts';
import { zipFile } from './zip.ts';

const rows = Array.from({ length: 12 }, (_, row) => `P-${row};Gasket;${row},50`);
const workbook = (bookType: 'ods' | 'biff8'): Buffer => {
  const book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(
    book,
    XLSX.utils.aoa_to_sheet([
      ['Part', 'Price'],
      ['Seal', 3],
      ['Pump', 90],
    ]),
    'Parts',
  );
  return XLSX.write(book, { type: 'buffer', bookType }) as Buffer;
};
/** A compound file (MS-CFB) of these texts. */
const compound = (streams: Record<string, string>): Buffer => {
  const file = XLSX.CFB.utils.cfb_new();
  for (const [name, text] of Object.entries(streams)) XLSX.CFB.utils.cfb_add(file, `/${name}`, Buffer.from(text, 'utf16le'));
  return Buffer.from(XLSX.CFB.write(file, { type: 'buffer' }));
};
/** A file of every kind, by name. */
export const sampleFiles: Readonly<Record<string, string | Buffer>> = {
  'plan.pdf': pdfFile(
    [
      ['Plan', 'The pump is checked on Monday.'],
      [{ text: 'Seals', size: 20 }, 'A seal lasts a year.'],
    ],
    {
      info: { Title: 'Plan' },
      outline: [{ title: 'Seals', page: 2, top: 700 }],
    },
  ),
  'manual.docx': docxFile(
    wordParagraph('Manual', { style: 'Heading1' }) +
      wordParagraph('Stop the pump.', { list: { id: 2, level: 0 } }) +
      wordTable([
        [['Part', '<w:gridSpan w:val="2"/>'], 'Price'],
        ['Seal', 'green', '3'],
      ]),
    { core: { 'dc:title': 'Manual' } },
  ),
  'talk.pptx': pptxFile([
    { title: 'Year', bullets: ['more', 'less'], table: [['a', 'b']], notes: 'Smile.', chart: chartPart('Sales', ['Q1'], { North: [3] }) },
  ]),
  'parts.xlsx': await xlsxFile([
    {
      name: 'Parts',
      cells: { A1: 'Part', B1: 'Price', A2: 'Seal', B2: { v: 3, z: '0.00' }, A3: 'Pump', B3: 90 },
      merges: ['A3:A4'],
      comments: { A2: { author: 'Ida', text: 'green' } },
    },
    { name: 'Other', cells: { A1: 'x', B1: true }, isHidden: true },
  ]),
  'page.html':
    '<!doctype html><title>Seals</title><nav><a href="/">Home</a></nav><main><h1>Seals</h1><p>A <b>seal</b> lasts.</p><table><tr><th>a<td>b</table><pre>x()</pre><ul><li>one<ul><li>two</ul></ul></main>',
  'part.htm': '<h2>Seals</h2><p>Green ones.</p>',
  'notes.md': '---\ntitle: Notes\n---\n# Notes\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nrun();\n```\n',
  'page.mdx': 'import { Box } from "x"\n\n# Page\n\n<Box title="a">\n\nInside.\n\n</Box>\n',
  'guide.rst': 'Guide\n=====\n\n.. note:: Careful.\n\n::\n\n  code()\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n',
  'guide.adoc': '= Guide\n\n== Part\n\n[source,js]\n----\nrun();\n----\n\n|===\n|a |b\n|===\n',
  'log.txt': 'Monday\n======\n\nThe pump ran.\n\n1. It stopped.\n',
  'news.rss':
    '<rss><channel><title>News</title><item><title>Seal</title><description>&lt;p&gt;Green.&lt;/p&gt;</description></item></channel></rss>',
  'data.xml': '<parts><part id="1"><name>Seal</name></part><part id="2"><name>Pump</name></part></parts>',
  'data.json': '[{"name":"Seal","price":3},{"name":"Pump","sizes":[1,2]}]',
  'data.jsonl': '{"name":"Seal"}\n{"name":"Pump"}\n',
  'talk.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nHello.\n\n00:00:04.000 --> 00:00:05.000\nBye.\n',
  'pump.ts': '/** Starts it. */\nexport function start(rpm: number): void {\n  run(rpm);\n}\n\nclass Pump {\n  stop() {}\n}\n',
  'book.ipynb':
    '{"cells":[{"cell_type":"markdown","source":["# Care"]},{"cell_type":"code","source":["run()"],"outputs":[{"text":["1"]}]}],"metadata":{},"nbformat":4}',
  'note.rtf': '{\\rtf1\\ansi{\\fonttbl\\f0 Arial;}{\\b Care}\\par Dry it \\u233?.\\par\\trowd a\\cell b\\cell\\row}',
  'mail.eml':
    'From: a@example.com\r\nSubject: Seal\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nGreen.\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\na,b\r\n1,2\r\n--b--\r\n',
  'saved.mhtml':
    'From: <Saved by Blink>\r\nSnapshot-Content-Location: http://lamps.example/care\r\nSubject: Care\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="cut"\r\n\r\n--cut\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><head><title>Care of the lamp</title></head><body><h1>Care of the lam=\r\np</h1><p>Trim the wick =E2=80=93 daily.</p></body></html>\r\n--cut--\r\n',
  'survey.ics':
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:20260319T083000Z\r\nDTEND:20260319T094500Z\r\nSUMMARY:Survey of the weir\r\nLOCATION:Boathouse\\, upper floor\r\nDESCRIPTION:Bring boots. The water\r\n  is high.\r\nORGANIZER;CN=Astrid Holm:mailto:astrid@weir.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  'named.doc': '{\\rtf1\\ansi Rich text.\\par}',
  'named.ppt': pptxFile([{ title: 'Year', bullets: ['more'] }]),
  'mails.mbox':
    'From a@example.com Mon Jan 01 10:00:00 2024\nSubject: One\n\nFirst.\n\nFrom a@example.com Mon Jan 01 10:00:00 2024\nSubject: Two\n\nSecond.\n',
  'letter.odt': zipFile({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml':
      '<office:document-content><office:body><office:text><text:h text:outline-level="1">Care</text:h><text:p>Dry it.</text:p></office:text></office:body></office:document-content>',
  }),
  'talk.odp': zipFile({
    mimetype: 'application/vnd.oasis.opendocument.presentation',
    'content.xml':
      '<office:document-content><office:body><office:presentation><draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>One</text:p></draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document-content>',
  }),
  'parts.ods': workbook('ods'),
  'parts.xls': workbook('biff8'),
  'book.epub': zipFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf':
      '<package><metadata><dc:title>Pumps</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'OEBPS/a.xhtml': '<html><body><h1>Care</h1><p>Dry it.</p></body></html>',
  }),
  'all.zip': zipFile({ 'a.md': '# Care\n\nDry it.\n', 'b/c.csv': 'a,b\n1,2\n', 'd.docx': docxFile(wordParagraph('Manual')) }),
  'note.msg': compound({ '__properties_version1.0': ' '.repeat(24), '__substg1.0_0037001F': 'Seal', '__substg1.0_1000001F': 'Green.' }),
  'parts.csv': `part;name;price\n${rows.join('\n')}\n"quoted; and\nbroken";"x""y";1\n`,
};
