import { readBeginning } from '../bytes.ts';
import { encryptedPdfError } from '../errors.ts';
import { pageRanges } from '../page-ranges.ts';
import { removeUndefined } from '../parsed-document.ts';
import type { ParsedFile, ParseOptions, ParserRow } from '../parser.ts';
import type { Metadata } from '../types.ts';
import { annotationsIn, insertAnnotations, pageLinks } from './annotations.ts';
import { addBullets, drawsBullets, type OperatorList, TableSearch } from './drawing.ts';
import { isLocked, NO_ANNOTATIONS, type PdfAnnotation, type PdfFile, type PdfPage, readOutline, withPdf } from './file.ts';
import { drawsGlyphs, isCoded, mayHaveLigatures, orderLigatures, readability } from './glyphs.ts';
import { pdfLines, separateTurned } from './lines.ts';
import { hasText, type PageContent, textOfPages } from './pages.ts';

/** Maximum pages without readable text that are checked; further ones are taken for pictures. */
const MAX_CHECKED = 20;
/** Operations of pdf.js that paint a picture or a mask, and the one that draws a shape. */
const PAINTING = { first: 83, last: 90 };
const SHAPE = 91;
/** More shapes may be the outlines of letters; fewer are lines and boxes. */
const LETTERS = 30;

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
      readPdf(file, { recognized, open: (use) => withPdf(bytes, { passwords, fontExtraProperties: true }, use) }),
    ).catch((error: unknown) => {
      throw isLocked(error) ? encryptedPdfError(source, passwords?.length) : error;
    }),
};

interface ReadOptions extends Pick<ParseOptions, 'recognized'> {
  /** Opens the file again: its fonts tell more, and its pictures are among what is drawn. */
  open<Result>(use: (file: PdfFile) => Promise<Result>): Promise<Result>;
}

async function readPdf(file: PdfFile, { recognized = new Map(), open }: ReadOptions): Promise<ParsedFile> {
  const { info } = await file.getMetadata();
  const read = await readPages(file, drawsBullets(info));
  const damaged = read.flatMap((page, index) => (page ? [] : [index + 1]));
  const pages = read.map((page, index): PageContent => {
    const lines = recognized.get(index + 1);
    return lines ? { ...page, lines, turned: [], frame: undefined } : (page ?? { lines: [] }); // a picture may be turned for recognition
  });
  const unread = pages.flatMap((page, index) => {
    const number = index + 1;
    const isRead = recognized.has(number) || damaged.includes(number);
    return isRead || (hasText(page) && read[index]!.readability === 'readable') ? [] : [{ number, ...read[index]! }];
  });
  // where all pages are blank, something must be on them
  const areBlank = unread.length === file.numPages && pages.every((page) => !hasText(page));
  const pictured =
    unread.length === 0 || areBlank ? unread.map(({ number }) => number) : await open((whole) => unreadablePages(whole, unread));
  const { title, ...text } = textOfPages(pages, await readOutline(file));
  return {
    ...text,
    title: titleOf(info) ?? title,
    metadata: { ...metadataOf(info, file.numPages), ...(damaged.length > 0 ? { unreadable_pages: pageRanges(damaged) } : {}) },
    ...(pictured.length > 0 ? { pictured_pages: pictured } : {}),
  };
}

interface ReadPage extends PageContent {
  readability: ReturnType<typeof readability>;
}

/** Reads the pages; undefined for a damaged one. Throws the error of the last one if all are damaged. */
async function readPages(file: PdfFile, hasDrawnBullets: boolean): Promise<(ReadPage | undefined)[]> {
  const search = new TableSearch();
  const annotations = Map.groupBy(await annotationsIn(file), ({ pageIndex }) => pageIndex);
  const pages: (ReadPage | undefined)[] = [];
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
  search: TableSearch;
  /** Whether the bullets of lists may be shapes. */
  hasDrawnBullets: boolean;
}

async function readPage(page: PdfPage, { annotations, search, hasDrawnBullets }: ReadPageOptions): Promise<ReadPage> {
  const { items } = await page.getTextContent();
  const drawn = items.filter((item) => 'str' in item);
  let drawing: Promise<OperatorList> | undefined;
  const listDrawing = (): Promise<OperatorList> => (drawing ??= page.getOperatorList({ annotationMode: NO_ANNOTATIONS }));
  const ordered = mayHaveLigatures(drawn) ? orderLigatures(drawn, await listDrawing()) : drawn;
  const { turn, upright, turned } = separateTurned(ordered);
  const runs = insertAnnotations(upright, annotations, turn);
  const plain = pdfLines(runs, turn);
  const lines = hasDrawnBullets ? addBullets(plain, await listDrawing(), turn) : plain;
  const content = {
    lines: await search.cutLines(listDrawing, lines, turn),
    turned,
    links: pageLinks(runs, annotations),
    frame: { viewport: page.getViewport({ scale: 1 }), turn },
    readability: readability(drawn),
  };
  page.cleanup();
  return content;
}

/** Lists those of these pages that show something which was not read: pictures, outlines of letters, or characters that cannot be told. */
async function unreadablePages(file: PdfFile, pages: readonly (ReadPage & { number: number })[]): Promise<number[]> {
  const unreadable: number[] = [];
  for (const [i, page] of pages.entries())
    if (page.readability === 'unreadable' || i >= MAX_CHECKED || (await isUnreadable(file, page))) unreadable.push(page.number);
  return unreadable;
}

async function isUnreadable(file: PdfFile, content: ReadPage & { number: number }): Promise<boolean> {
  const page = await file.getPage(content.number);
  const drawing = await page.getOperatorList();
  const fontOf = (name: string) => (page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined);
  const isNotRead = hasText(content)
    ? isCoded(
        (await page.getTextContent()).items.filter((item) => 'str' in item),
        fontOf,
      )
    : isDrawn(drawing);
  page.cleanup();
  return isNotRead;
}

const isDrawn = (drawing: OperatorList): boolean =>
  drawsGlyphs(drawing) ||
  drawing.fnArray.some((operation) => operation >= PAINTING.first && operation <= PAINTING.last) ||
  drawing.fnArray.filter((operation) => operation === SHAPE).length > LETTERS;

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
