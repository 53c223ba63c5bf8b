import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, it, afterAll, describe } from 'vitest';
import { docxFile, wordParagraph, xlsxFile } from '../support/files.ts';
import { type RawPart, rawZipFile, zipFile } from '../support/zip.ts';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';
import { createReader } from '../../src/reader.ts';

const container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>';
const opf = `<package xmlns:dc="d"><metadata><dc:title>Pumps</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language></metadata>
  <manifest><item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
  <item id="one" href="one%20a.xhtml" media-type="application/xhtml+xml"/><item id="two" href="two.xhtml" media-type="application/xhtml+xml"/></manifest>
  <spine><itemref idref="cover"/><itemref idref="nav"/><itemref idref="two"/><itemref idref="one"/></spine><guide><reference type="cover" href="cover.xhtml"/></guide></package>`;
const page = (body: string) =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`;
const book = (parts: Record<string, string> = {}) =>
  zipFile({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': container,
    'OEBPS/book.opf': opf,
    'OEBPS/cover.xhtml': page('<p>Cover words</p>'),
    'OEBPS/nav.xhtml': page('<nav><ol><li><a href="two.xhtml">Starting</a></li><li><a href="one%20a.xhtml">Care</a></li></ol></nav>'),
    'OEBPS/one a.xhtml': page(
      '<h1>Care</h1><p>Oil it &amp; rest.</p><table><tr><th>Part</th><th>No</th></tr><tr><td>Seal</td><td>7</td></tr></table>',
    ),
    'OEBPS/two.xhtml': page('<p>Open the valve first.</p>'),
    ...parts,
  });

it('reads the documents of a book in the order of its spine, with the titles of its table of contents', async () => {
  const { text, title, metadata } = await expectEveryWord('epub', book());
  expect(text).toBe(
    'Cover words\n\n1. [Starting](two.xhtml)\n2. [Care](one%20a.xhtml)\n\n' +
      '# Starting\n\nOpen the valve first.\n\n# Care\n\nOil it & rest.\n\n| Part | No |\n| --- | --- |\n| Seal | 7 |',
  );
  expect({ title, metadata }).toEqual({ title: 'Pumps', metadata: { author: 'Ada', lang: 'en' } });
});

const nav = '<nav epub:type="toc"><ol><li><a href="two.xhtml">Starting</a></li></ol></nav>';

it('keeps a chapter that holds the table of contents', async () => {
  const parts = { 'OEBPS/two.xhtml': page(`${nav}<p>Open the valve first.</p>`) };
  expect((await expectEveryWord('epub', book(parts))).text).toContain('Open the valve first.');
  const guide = opf.replace('</guide>', '<reference type="toc" href="two.xhtml#toc"/></guide>');
  expect((await expectEveryWord('epub', book({ ...parts, 'OEBPS/book.opf': guide }))).text).toContain('Open the valve first.');
});

it('leaves out navigation that is not in the order of reading', async () => {
  const aside = opf.replace('<itemref idref="nav"/>', '<itemref idref="nav" linear="no"/>');
  expect((await read('epub', book({ 'OEBPS/book.opf': aside }))).text).not.toContain('two.xhtml');
});

it.each([
  ['without a package', { 'OEBPS/book.opf': '<package/>', 'META-INF/container.xml': '<container/>' }, /without any text/],
  ['of a package that is no XML', { 'OEBPS/book.opf': '<package><' }, /cannot be read as an EPUB book/],
])('refuses a book %s', async (_, parts, message) => {
  await expect(read('epub', book(parts))).rejects.toThrow(message);
});

const archive = (parts: Parameters<typeof zipFile>[0]) => read('zip', zipFile(parts));

it('reads the files of an archive as documents, and lists those that it left out', async () => {
  const { members, text, metadata } = await archive({
    'guide/b.md': '# B\n\nTwo.',
    'a.docx': docxFile(wordParagraph('One.')),
    'inner.zip': zipFile({ 'c.md': 'C' }),
    'film.mov': 'x',
    '__MACOSX/a.md': 'x',
    '.hidden/a.md': 'x',
    'empty/': '',
  });
  expect(text).toBe('');
  expect(members!.map(({ path, file_type, parsed }) => [path, file_type, parsed.text])).toEqual([
    ['a.docx', 'docx', 'One.'],
    ['guide/b.md', 'markdown', '# B\n\nTwo.'],
  ]);
  expect(metadata.left_out).toEqual(['film.mov is of a kind that is not supported', 'inner.zip is an archive within another file']);
});

it('reads the files of an archive by the types of their names, compressed ones too', async () => {
  const { members } = await archive({ 'a.csv': 'a,b\n1,2\n', 'b.md.gz': gzipSync('# B'), 'c.doc': '{\\rtf1 C\\par}' });
  expect(members!.map(({ path, file_type }) => [path, file_type])).toEqual([
    ['a.csv', 'csv'],
    ['b.md.gz', 'markdown'],
    ['c.doc', 'rtf'],
  ]);
  expect(members![1]!.parsed.text).toBe('# B');
});

it('treats names with parent folders in an archive as plain names', async () => {
  const { members } = await archive({ '../../etc/passwd.txt': 'root' });
  expect(members).toMatchObject([{ path: '../../etc/passwd.txt', parsed: { text: 'root' } }]);
});

it('refuses an archive without a readable file, and gives the reason', async () => {
  await expect(archive({ 'inner.zip': zipFile({ 'c.md': 'C' }) })).rejects.toThrow(
    /sample\.zip holds no file that can be read: inner\.zip is an archive within another file/,
  );
});

it.each([
  ['unpacks to too much', { 'a.txt': { packed: deflateRawSync('x'), size: 300 * 2 ** 20 } }, /more than 256 MiB/],
  ['holds too many files', Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`${i}.txt`, ''])), /20001 parts/],
])('refuses an archive that %s', async (_, parts, message) => {
  await expect(archive(parts)).rejects.toMatchObject({ code: 'too_large', message: expect.stringMatching(message) });
});

describe('an archive with other bytes around it', async () => {
  const files = {
    docx: docxFile(wordParagraph('Text.')),
    epub: book(),
    zip: zipFile({ 'a.md': 'Text.' }),
    xlsx: await xlsxFile([{ name: 'A', cells: { A1: 'Text.' } }]),
  };
  const cases = Object.entries(files).flatMap(([kind, bytes]): [string, string, Buffer][] => [
    [kind, 'behind it', Buffer.concat([bytes, Buffer.from('\r\n\0')])],
    [kind, 'behind it, with the signature of its end', Buffer.concat([bytes, Buffer.from('PK\x05\x06'), Buffer.alloc(30, 1)])],
    [kind, 'before it', Buffer.concat([Buffer.from('#!/bin/sh\n'), bytes])],
    [kind, 'and a comment that is cut off', Buffer.concat([bytes.subarray(0, -2), Buffer.from([9, 0]), Buffer.from('cut')])],
  ]);
  it.each(cases)('is read (%s, bytes %s)', async (kind, _, bytes) => {
    const around = await read(kind, bytes);
    expect(around).toEqual(await read(kind, files[kind as keyof typeof files]));
  });
});

it('recognizes an archive by its content', async () => {
  expect(await read('zip', book())).toMatchObject({ file_type: 'epub', title: 'Pumps' });
  await expect(read('epub', zipFile({ 'a.md': 'A' }))).rejects.toThrow(/cannot be read|without any text|ZIP/);
});

it('refuses a truncated archive', async () => {
  const whole = zipFile({ 'a.md': 'Words.' });
  await expect(read('zip', whole.subarray(0, whole.length - 30))).rejects.toThrow(/cannot be read as a ZIP archive/);
});

it('keeps the locations within a document inside an archive', async () => {
  const { members } = await archive({ 'a.md': 'one\n\n## Two\n\nthree' });
  expect(placeOf(members![0]!.parsed, 'three')).toMatchObject({ line: 1 });
});

const namesIn = async (parts: readonly RawPart[]) =>
  (await read('zip', rawZipFile(parts))).members!.map(({ path, parsed }) => [path, parsed.text]);
const hex = (name: string) => Buffer.concat([Buffer.from(name, 'hex'), Buffer.from('.txt')]);

it.each([
  ['German, of Windows', ['84', '4d94626c', '81626572'], ['ä.txt', 'Möbl.txt', 'über.txt']],
  ['German, of Unix', ['e46e64', 'fc626572'], ['änd.txt', 'über.txt']],
  ['Chinese', ['cbb5c3f7', 'cad6b2e1'], ['手册.txt', '说明.txt']],
  ['Taiwanese', ['a4e2a555', 'bba1a9fa'], ['手冊.txt', '說明.txt']],
  ['Japanese', ['90e096be', '835c83748367'], ['ソフト.txt', '説明.txt']],
  ['Korean', ['bcb3b8ed'], ['설명.txt']],
  ['Russian', ['90e3aaaea2aea4e1e2a2ae'], ['Руководство.txt']],
  ['in UTF-8', ['c3a4'], ['ä.txt']],
])('guesses the encoding of names in an archive: %s', async (_, names, expected) => {
  const found = await namesIn(names.map((name) => [hex(name), 'Words.']));
  expect(found.map(([path]) => path).toSorted()).toEqual(expected.toSorted());
});

it('prefers the Unicode name of a file in an archive', async () => {
  const name = hex('84');
  const data = Buffer.concat([Buffer.of(1), Buffer.alloc(4), Buffer.from('Größe.txt')]);
  data.writeUInt32LE(crc32(name), 1);
  const extra = Buffer.concat([Buffer.of(0x75, 0x70, data.length, 0), data]);
  expect(await namesIn([[name, 'Words.', extra]])).toEqual([['Größe.txt', 'Words.']]);
});

it('reads all files with the same name in an archive', async () => {
  const [a, numbered] = [Buffer.from('a.txt'), Buffer.from('a (2).txt')];
  expect(
    await namesIn([
      [a, 'one'],
      [a, 'two'],
      [numbered, 'three'],
      [a, 'four'],
    ]),
  ).toEqual([
    ['a (2).txt', 'three'],
    ['a (3).txt', 'two'],
    ['a (4).txt', 'one'],
    ['a.txt', 'four'],
  ]);
});

const reader = createReader({ processes: 1, seconds: 20, megabytes: 512 });
afterAll(() => reader.close());
const readNamed = (name: string, bytes: Uint8Array) => reader.read(bytes, { name });

describe('a compressed file', () => {
  it('is read by the type of its name without .gz', async () => {
    expect(await readNamed('notes.md.gz', gzipSync('# Notes\n\nDry it.\n'))).toMatchObject({
      title: 'Notes',
      text: '# Notes\n\nDry it.\n',
    });
  });

  it('is read unchanged if only its name ends in .gz', async () => {
    expect(await readNamed('notes.txt.gz', Buffer.from('Dry it.'))).toMatchObject({ text: 'Dry it.' });
  });

  it('is refused if it is damaged, or unpacks to too many bytes', async () => {
    await expect(readNamed('notes.md.gz', gzipSync('# Notes\n\nDry it.\n').subarray(0, 20))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^notes\.md\.gz cannot be read as a compressed file \(GZIP\): unexpected end of file\.$/),
    });
    await expect(readNamed('notes.md.gz', gzipSync(Buffer.alloc(257 * 2 ** 20)))).rejects.toMatchObject({
      code: 'too_large',
      message: 'notes.md.gz unpacks to more than 256 MiB.',
    });
  });
});
