import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { DocumentError } from '../src/errors.ts';
import { docxFile, pptxFile, withParts, wordParagraph, xlsxFile } from './support/files.ts';
import { pdfFile } from './support/pdf-file.ts';
import { zipFile } from './support/zip.ts';
import { read } from './support/read.ts';

const failure = async (file_type: string, content: string | Uint8Array): Promise<DocumentError> => {
  const error = await read(file_type, content).then(
    ({ text }) => new Error(`it was read: ${text}`),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DocumentError);
  return error as DocumentError;
};
const kinds = ['pdf', 'docx', 'pptx', 'xlsx', 'csv', 'html', 'markdown', 'text'];
const docx = docxFile(wordParagraph('Text.'));
const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');

describe('a file is refused', () => {
  it.each(kinds)('when it is empty (%s)', async (kind) => {
    expect(await failure(kind, '')).toMatchObject({ code: 'no_text', message: `files/sample.${kind} is empty: it has no bytes.` });
  });

  it.each([
    ['csv', ' \n\n'],
    ['html', '<html><body><script>only(this)</script></body></html>'],
    ['markdown', '---\ntitle: Nothing else\n---\n\n'],
    ['text', ' \n\t'],
    ['docx', docxFile('')],
    ['pptx', pptxFile([])],
  ])('when there is no text in it (%s)', async (kind, content) => {
    expect((await failure(kind, content)).message).toMatch(/without any text/);
  });

  it.each([
    ['docx', 'plain words', /plain text by its content/, /supported format/],
    ['csv', zipFile({ 'a.txt': 'a' }), /a ZIP archive by its content, not a CSV file/, /\.zip/],
    ['pdf', png, /a PNG picture/, /ends in \.png/],
    ['text', png, /a PNG picture/, /ends in \.png/],
    ['pptx', Buffer.alloc(40, 7), /a binary file of an unknown kind/, /supported format/],
    ['text', Buffer.from(Array.from({ length: 400 }, (_, i) => i % 32)), /a binary file of an unknown kind/, /supported format/],
    ['docx', Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex'), /an old Office version/, /supported format/],
  ])('when it is named %s but has another type (%#)', async (kind, content, message, hint) => {
    const error = await failure(kind, content);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    expect(error.message).toContain('files/sample.');
  });

  it('when a password protects an Office file', async () => {
    const bytes = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from('EncryptedPackage\0', 'utf16le')]);
    expect((await failure('xlsx', bytes)).message).toMatch(/is encrypted: only PDFs can be opened with a password/);
  });

  it.each(['docx', 'pptx', 'xlsx'])('when it is truncated (%s)', async (kind) => {
    expect((await failure(kind, docx.subarray(0, docx.length / 2))).message).toMatch(/cannot be read as/);
  });

  it("when parts of it are missing, without a program's internal message", async () => {
    const { message } = await failure(
      'xlsx',
      await withParts(await xlsxFile([{ name: 'A', cells: { A1: 'x' } }]), {
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="rId1" Type="worksheet" Target="worksheets/sheet9.xml"/></Relationships>',
      }),
    );
    expect(message).toBe('files/sample.xlsx cannot be read as an Excel workbook (XLSX): parts of it are missing or damaged.');
  });

  it('when it unpacks to more than a parser can take', async () => {
    const part = { packed: deflateRawSync(Buffer.alloc(1024)), size: 300 * 2 ** 20 };
    expect(await failure('docx', zipFile({ 'word/document.xml': part }))).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/unpacks to more than 256 MiB/),
    });
  });

  it('when the text of a Word document unpacks to too many bytes', async () => {
    const part = { packed: deflateRawSync(Buffer.alloc(1024)), size: 65 * 2 ** 20 };
    expect(await failure('docx', zipFile({ 'word/document.xml': part }))).toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/holds word\/document.xml, which unpacks to more than 64 MiB/),
    });
  });

  it('when it unpacks to more than it declares', async () => {
    const part = { packed: deflateRawSync(Buffer.alloc(2 ** 20)), size: 100 };
    expect((await failure('docx', zipFile({ 'word/document.xml': part }))).message).toMatch(/too many bytes/);
  });

  it('when it holds too many parts', async () => {
    const nothing = { packed: deflateRawSync(''), size: 0 };
    const parts = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`word/${i}`, nothing]));
    expect(await failure('docx', zipFile(parts))).toMatchObject({ code: 'too_large', message: expect.stringMatching(/holds 20001 parts/) });
  });
});

describe('a file with the extension of another type', () => {
  const mhtml =
    'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>Text.</p>\r\n--b--\r\n';
  const spreadsheetXml =
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="A"><Table><Row><Cell><Data ss:Type="String">Text.</Data></Cell></Row></Table></Worksheet></Workbook>';
  it.each([
    ['pdf', 'docx', docx],
    ['doc', 'docx', docx],
    ['markdown', 'docx', docx],
    ['docx', 'pdf', pdfFile([['Text.']])],
    ['xlsx', 'pptx', pptxFile([{ title: 'Text.' }])],
    ['ppt', 'pptx', pptxFile([{ title: 'Text.' }])],
    ['docx', 'html', '<!doctype html><p>Text.</p>'],
    ['xls', 'html', '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table><tr><td>Text.</td></tr></table></body></html>'],
    ['doc', 'mhtml', mhtml],
    ['doc', 'rtf', '{\\rtf1\\ansi Text.\\par}'],
    ['doc', 'text', 'Text.'],
    ['xls', 'csv', 'Name\tWords\nA\tText.\n'],
    ['xls', 'xls', spreadsheetXml],
  ])('is read for what it is (%s, %s)', async (kind, actual, content) => {
    const { text, file_type = kind } = await read(kind, content);
    expect(text).toContain('Text.');
    expect(file_type).toBe(actual);
  });

  it.each([
    ['doc', 'WordDocument', 'soffice --headless --convert-to docx files/sample.doc'],
    ['docx', 'WordDocument', 'soffice --headless --convert-to docx files/sample.docx'],
    ['ppt', 'PowerPoint Document', 'soffice --headless --convert-to pptx files/sample.ppt'],
  ])('is refused with the way to convert it, if it is an old format (%s of %s)', async (kind, stream, command) => {
    const bytes = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from(`${stream}\0`, 'utf16le')]);
    const error = await failure(kind, bytes);
    expect(error).toMatchObject({ code: 'unsupported' });
    expect(error.hint).toContain(command);
  });
});

it('reads a text file that is padded with NUL bytes', async () => {
  expect((await read('text', Buffer.concat([Buffer.from('Words and more words.'), Buffer.alloc(12)]))).text).toBe('Words and more words.');
});

test('cuts a title or property of megabytes, because each chunk holds it', async () => {
  const long = 'word '.repeat(300_000);
  const page = await read(
    'html',
    `<html><head><title>${long}</title><meta name="description" content="${long}"></head><body><p>Text.</p></body></html>`,
  );
  expect(page.title).toHaveLength(1_000);
  for (const value of Object.values(page.metadata)) expect(JSON.stringify(value).length).toBeLessThan(100_010);
  const { title } = await read('markdown', `# ${'x'.repeat(5_000)}\n`);
  expect(title).toHaveLength(200);
});
