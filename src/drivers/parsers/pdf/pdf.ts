import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Mark, Metadata } from '../../../schema/items.ts';
import type { ParserRow } from '../parser-row.ts';
import { encryptedFile, withoutTextLayer } from '../parse-failures.ts';
import { type PdfFile, withPdf } from './pdf-file.ts';
import { headingLevels, titleOnFirstPage } from './pdf-headings.ts';
import { type PdfLine, pdfLines, withoutRunningLines } from './pdf-lines.ts';
import { readOutline } from './pdf-outline.ts';
import { labelsOf, pageMarkdown } from './pdf-paragraphs.ts';
import { beginningOf } from '../signatures.ts';

/** The text of the pages in the order in which it is drawn; a mark at each page. */
export const pdfParser: ParserRow = {
  file_type: 'pdf',
  name: 'a PDF',
  extensions: ['.pdf'],
  media_types: ['application/pdf'],
  signature: /^\s*%pdf-/i,
  recognizes: (bytes) => beginningOf(bytes).includes('%PDF-'),
  parse: (bytes, { source }) =>
    withPdf(bytes, (file) => readPdf(file, source)).catch((error: unknown) => {
      throw error instanceof Error && error.name === 'PasswordException' ? encryptedFile(source) : error;
    }),
};

async function readPdf(file: PdfFile, source: string): Promise<ParsedDocument> {
  const pages = withoutRunningLines(await readPages(file));
  const lines = pages.flat();
  if (!lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text))) throw withoutTextLayer(source, file.numPages);
  const { info } = await file.getMetadata();
  const levelOf = headingLevels(pages, await readOutline(file));
  const labels = labelsOf(pages);
  const marks: Mark[] = [];
  let text = '';
  for (const [index, page] of pages.entries()) {
    if (page.length === 0) continue;
    if (text !== '') text += '\n\n';
    marks.push({ at: text.length, page: index + 1 });
    text += pageMarkdown(page, levelOf, labels);
  }
  return { text, title: titleOf(info) ?? titleOnFirstPage(pages), metadata: metadataOf(info, file.numPages), marks };
}

async function readPages(file: PdfFile): Promise<PdfLine[][]> {
  const pages: PdfLine[][] = [];
  for (let number = 1; number <= file.numPages; number++) {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(pdfLines(items.filter((item) => 'str' in item)));
    page.cleanup();
  }
  return pages;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);

/** Word processors write the name of their file, or nothing that says anything. */
function titleOf({ Title }: Record<string, unknown>): string | undefined {
  const title = textOf(Title)?.replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '');
  return title && !/^(?:untitled|unknown|document\d*|.*\.(?:docx?|dvi|tex|indd|pptx?|qxd))$/i.test(title) ? title : undefined;
}

function metadataOf(info: Record<string, unknown>, pages: number): Metadata {
  const known = {
    author: textOf(info.Author),
    created: isoDate(textOf(info.CreationDate)),
    description: textOf(info.Subject),
    lang: textOf(info.Language),
    pages,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** `D:20240305101500+01'00'` (ISO 32000-1, 7.9.4) as an ISO string. */
function isoDate(text: string | undefined): string | undefined {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? '');
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, offsetHour, offsetMinute = '00'] = parts;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${sign ? `${sign}${offsetHour}:${offsetMinute}` : 'Z'}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
