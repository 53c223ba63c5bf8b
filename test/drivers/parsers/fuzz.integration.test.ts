import { afterAll, expect, it } from 'vitest';
import { random } from '../../../bench/manual.ts';
import { createDocumentReader } from '../../../src/drivers/parsers/reader.ts';
import { chartPart, docxFile, pptxFile, wordParagraph, wordTable, xlsxFile } from '../../support/files.ts';
import { isUnclear, mutate } from '../../support/mutate.ts';
import { pdfFile } from '../../support/pdf-file.ts';

const ROUNDS = 30;

const rows = Array.from({ length: 12 }, (_, row) => `P-${row};Gasket;${row},50`);
const files: Record<string, string | Buffer> = {
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
  'parts.csv': `part;name;price\n${rows.join('\n')}\n"quoted; and\nbroken";"x""y";1\n`,
};

const reader = createDocumentReader({ processes: 2, seconds: 20, megabytes: 512 });
afterAll(() => reader.close());

it.each(Object.keys(files))('reads %s however it was changed, or says what is wrong with it', async (name) => {
  const whole = Buffer.from(files[name]!);
  const results = await Promise.all(
    Array.from({ length: ROUNDS }, async (_, round) => {
      const bytes = await mutate(whole, random(round));
      const read = reader.read(bytes, { source: name, file_type: reader.fileType(name)! });
      return read.then(
        ({ text }) => (typeof text === 'string' ? undefined : `round ${round}: no text`),
        ({ name: kind, message }: Error) =>
          kind === 'KbError' && message.startsWith(name) && !isUnclear(message) ? undefined : `round ${round}: ${kind} ${message}`,
      );
    }),
  );
  expect(results.filter(Boolean)).toEqual([]);
  expect((await reader.read(whole, { source: name, file_type: reader.fileType(name)! })).text).not.toBe('');
});
