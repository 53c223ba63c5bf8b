import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Metadata } from '../../../schema/items.ts';
import { pageRanges } from '../../../text/passage-location.ts';
import { encryptedPdfError } from '../parse-failures.ts';
import type { ParseOptions, ParserRow } from '../parser-row.ts';
import { removeUndefined } from '../parsed-document.ts';
import { readBeginning } from '../bytes.ts';
import { hasText, type PageContent, textOfPages } from './page-text.ts';
import { isLocked, LINK_ANNOTATION, type PdfAnnotation, type PdfFile, type PdfPage, readOutline, withPdf } from './pdf-file.ts';
import { addBullets, drawsBullets } from './pdf-bullets.ts';
import { GridSearch, type OperatorList } from './pdf-grids.ts';
import { pageTurnOf, pdfLines } from './pdf-lines.ts';
import { pageLinks } from './pdf-links.ts';

/** PDF: the text of its pages in drawing order, with a mark at each page. */
export const pdfParser: ParserRow = {
  file_type: 'pdf',
  name: 'a PDF',
  extensions: ['.pdf'],
  media_types: ['application/pdf'],
  signature: /^\s*%pdf-/i,
  has_scans: true,
  recognizes: (bytes) => readBeginning(bytes).includes('%PDF-'),
  parse: (bytes, { source, passwords, recognized }) =>
    withPdf(bytes, { passwords, maxImageSize: 1 }, (file) =>
      readPdf(file, { recognized, open: (use) => withPdf(bytes, { passwords }, use) }),
    ).catch((error: unknown) => {
      throw isLocked(error) ? encryptedPdfError(source, passwords?.length) : error;
    }),
};

interface ReadOptions extends Pick<ParseOptions, 'recognized'> {
  /** Opens the file again, with its pictures. */
  open<Result>(use: (file: PdfFile) => Promise<Result>): Promise<Result>;
}

async function readPdf(file: PdfFile, { recognized = new Map(), open }: ReadOptions): Promise<ParsedDocument> {
  const { info } = await file.getMetadata();
  const read = await readPages(file, drawsBullets(info));
  const damaged = read.flatMap((page, index) => (page ? [] : [index + 1]));
  const pages = read.map((page, index): PageContent => {
    const lines = recognized.get(index + 1);
    return lines ? { ...page, lines, frame: undefined } : (page ?? { lines: [] }); // a picture may be turned for recognition
  });
  const blank = pages.flatMap(({ lines }, index) => {
    const number = index + 1;
    return hasText(lines) || recognized.has(number) || damaged.includes(number) ? [] : [number];
  });
  // where all pages are blank, something must be on them
  const pictured = blank.length === 0 || blank.length === file.numPages ? blank : await open((whole) => drawnPages(whole, blank));
  const { title, ...text } = textOfPages(pages, await readOutline(file));
  return {
    ...text,
    title: titleOf(info) ?? title,
    metadata: { ...metadataOf(info, file.numPages), ...(damaged.length > 0 ? { unreadable_pages: pageRanges(damaged) } : {}) },
    ...(pictured.length > 0 ? { pictured_pages: pictured } : {}),
  };
}

/** Reads the pages; undefined for a damaged one. Throws the error of the last one if all are damaged. */
async function readPages(file: PdfFile, hasDrawnBullets: boolean): Promise<(PageContent | undefined)[]> {
  const search = new GridSearch();
  const annotations = Map.groupBy(await linksIn(file), ({ pageIndex }) => pageIndex);
  const pages: (PageContent | undefined)[] = [];
  for (let index = 0; index < file.numPages; index++)
    try {
      pages.push(await readPage(await file.getPage(index + 1), { annotations: annotations.get(index) ?? [], search, hasDrawnBullets }));
    } catch (error) {
      pages.push(undefined);
      if (pages.length === file.numPages && pages.every((page) => !page)) throw error;
    }
  return pages;
}

interface ReadPageOptions {
  annotations: readonly PdfAnnotation[];
  search: GridSearch;
  /** Whether the bullets of lists may be shapes. */
  hasDrawnBullets: boolean;
}

async function readPage(page: PdfPage, { annotations, search, hasDrawnBullets }: ReadPageOptions): Promise<PageContent> {
  const { items } = await page.getTextContent();
  const runs = items.filter((item) => 'str' in item);
  const turn = pageTurnOf(runs);
  let drawing: Promise<OperatorList> | undefined;
  const listDrawing = (): Promise<OperatorList> => (drawing ??= page.getOperatorList());
  const plain = pdfLines(runs, turn);
  const lines = hasDrawnBullets ? addBullets(plain, await listDrawing(), turn) : plain;
  const grids = await search.findGrids(listDrawing, lines, turn);
  const content = { lines, grids, links: pageLinks(runs, annotations), frame: { viewport: page.getViewport({ scale: 1 }), turn } };
  page.cleanup();
  return content;
}

/** Lists the links of all pages; none if a page is damaged. */
const linksIn = async (file: PdfFile): Promise<PdfAnnotation[]> =>
  (await file.getAnnotationsByType(new Set([LINK_ANNOTATION]), new Set()).catch(() => null)) ?? [];

/** Maximum pages without text that are checked; further ones are taken for pictures. */
const MAX_CHECKED = 20;
/** Operations of pdf.js that paint a picture or a mask, and the one that draws a shape. */
const PAINTING = { first: 83, last: 90 };
const SHAPE = 91;
/** More shapes may be the outlines of letters; fewer are lines and boxes. */
const LETTERS = 30;

/** Lists those of these pages that are not blank. */
async function drawnPages(file: PdfFile, numbers: readonly number[]): Promise<number[]> {
  const drawn: number[] = [];
  for (const [i, number] of numbers.entries()) if (i >= MAX_CHECKED || (await isDrawn(file, number))) drawn.push(number);
  return drawn;
}

async function isDrawn(file: PdfFile, number: number): Promise<boolean> {
  const page = await file.getPage(number);
  const { fnArray } = await page.getOperatorList();
  page.cleanup();
  return fnArray.some((one) => one >= PAINTING.first && one <= PAINTING.last) || fnArray.filter((one) => one === SHAPE).length > LETTERS;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);

/** Reads the title, unless a word processor wrote the name of its file or a placeholder there. */
function titleOf({ Title }: Record<string, unknown>): string | undefined {
  const title = textOf(Title)?.replace(/^Microsoft (?:Word|PowerPoint|Excel) - /, '');
  return title && !/^(?:untitled|unknown|document\d*|.*\.(?:docx?|dvi|tex|indd|pptx?|qxd))$/i.test(title) ? title : undefined;
}

const metadataOf = (info: Record<string, unknown>, pages: number): Metadata =>
  removeUndefined({
    author: textOf(info.Author),
    created: isoDate(textOf(info.CreationDate)),
    description: textOf(info.Subject),
    lang: textOf(info.Language),
    pages,
  });

/** Converts `D:20240305101500+01'00'` (ISO 32000-1, 7.9.4) to an ISO string. */
function isoDate(text: string | undefined): string | undefined {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? '');
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, offsetHour, offsetMinute = '00'] = parts;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${sign ? `${sign}${offsetHour}:${offsetMinute}` : 'Z'}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
