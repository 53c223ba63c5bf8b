import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Metadata } from '../../../schema/items.ts';
import type { ParseOptions, ParserRow } from '../parser-row.ts';
import { givenProperties } from '../parsed-document.ts';
import { encryptedPdf } from '../parse-failures.ts';
import { hasText, textOfPages } from './page-text.ts';
import type { PageFrame } from './pdf-boxes.ts';
import { isLocked, type PdfFile, withPdf } from './pdf-file.ts';
import { pageTurnOf, type PdfLine, pdfLines } from './pdf-lines.ts';
import { LINK_ANNOTATION, type PageLink, pageLinks, type PdfAnnotation } from './pdf-links.ts';
import { readOutline } from './pdf-outline.ts';
import { GridSearch } from './ruled/grid-search.ts';
import type { Grid } from './ruled/grids.ts';
import { pageRanges } from '../../../text/passage-location.ts';
import { beginningOf } from '../bytes.ts';

/** The text of the pages in the order in which it is drawn; a mark at each page. */
export const pdfParser: ParserRow = {
  file_type: 'pdf',
  name: 'a PDF',
  extensions: ['.pdf'],
  media_types: ['application/pdf'],
  signature: /^\s*%pdf-/i,
  has_scans: true,
  recognizes: (bytes) => beginningOf(bytes).includes('%PDF-'),
  parse: (bytes, { source, passwords, recognized }) =>
    withPdf(bytes, { passwords, maxImageSize: 1 }, (file) =>
      readPdf(file, { recognized, open: (use) => withPdf(bytes, { passwords }, use) }),
    ).catch((error: unknown) => {
      throw isLocked(error) ? encryptedPdf(source, passwords?.length) : error;
    }),
};

interface Reading extends Pick<ParseOptions, 'recognized'> {
  /** Opens the file again, with its pictures. */
  open<Result>(use: (file: PdfFile) => Promise<Result>): Promise<Result>;
}

async function readPdf(file: PdfFile, { recognized = new Map(), open }: Reading): Promise<ParsedDocument> {
  const { pages, links, frames, grids, lost } = await readPages(file);
  const isPicture = (lines: readonly PdfLine[], index: number) =>
    !hasText(lines) && !recognized.has(index + 1) && !lost.includes(index + 1);
  const blank = pages.flatMap((lines, index) => (isPicture(lines, index) ? [index + 1] : []));
  // where a document has no other pages, something must have been meant by them
  const pictured = blank.length === 0 || blank.length === file.numPages ? blank : await open((whole) => drawnPages(whole, blank));
  const whole = pages.map((lines, index) => recognized.get(index + 1) ?? lines);
  const { info } = await file.getMetadata();
  const own = frames.map((frame, index) => (recognized.has(index + 1) ? undefined : frame)); // a picture is turned before it is recognized
  const { title, ...read } = textOfPages(whole, await readOutline(file), { links, grids, frames: own });
  return {
    ...read,
    title: titleOf(info) ?? title,
    metadata: { ...metadataOf(info, file.numPages), ...(lost.length > 0 ? { unreadable_pages: pageRanges(lost) } : {}) },
    ...(pictured.length > 0 ? { pictured_pages: pictured } : {}),
  };
}

interface Pages {
  pages: PdfLine[][];
  links: PageLink[][];
  frames: PageFrame[];
  grids: Grid[][];
  /** Numbers of pages that are damaged. */
  lost: number[];
}

/** The lines, links and frame of each page. Throws what is wrong with them where all are damaged. */
async function readPages(file: PdfFile): Promise<Pages> {
  const pages: PdfLine[][] = [];
  const links: PageLink[][] = [];
  const frames: PageFrame[] = [];
  const grids: Grid[][] = [];
  const search = new GridSearch();
  const lost: number[] = [];
  const annotations = Map.groupBy(await linksOf(file), ({ pageIndex }) => pageIndex);
  for (let number = 1; number <= file.numPages; number++)
    try {
      const page = await file.getPage(number);
      const { items } = await page.getTextContent();
      const written = items.filter((item) => 'str' in item);
      const turn = pageTurnOf(written);
      pages.push(pdfLines(written, turn));
      grids[number - 1] = await search.gridsOn(page, pages.at(-1)!, turn);
      frames[number - 1] = { viewport: page.getViewport({ scale: 1 }), turn };
      links[number - 1] = pageLinks(written, annotations.get(number - 1) ?? []);
      page.cleanup();
    } catch (error) {
      lost.push(number);
      pages.push([]);
      if (lost.length === file.numPages) throw error;
    }
  return { pages, links, frames, grids, lost };
}

/** A page that is damaged costs the links, not the document. */
const linksOf = async (file: PdfFile): Promise<PdfAnnotation[]> =>
  (await file.getAnnotationsByType(new Set([LINK_ANNOTATION]), new Set()).catch(() => null)) ?? [];

/** Pages without text that are looked at: of more, the others are taken for pictures. */
const MOST_LOOKED_AT = 20;
/** Operations of pdf.js that paint a picture or a mask, and the one that draws a shape. */
const PAINTING = { first: 83, last: 90 };
const SHAPE = 91;
/** Shapes that may be the outlines of letters: fewer are lines and boxes. */
const LETTERS = 30;

/** Of pages without text those that are no blank ones. */
async function drawnPages(file: PdfFile, numbers: readonly number[]): Promise<number[]> {
  const drawn: number[] = [];
  for (const [i, number] of numbers.entries()) if (i >= MOST_LOOKED_AT || (await isDrawn(file, number))) drawn.push(number);
  return drawn;
}

async function isDrawn(file: PdfFile, number: number): Promise<boolean> {
  const page = await file.getPage(number);
  const { fnArray } = await page.getOperatorList();
  page.cleanup();
  return fnArray.some((one) => one >= PAINTING.first && one <= PAINTING.last) || fnArray.filter((one) => one === SHAPE).length > LETTERS;
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
  return givenProperties(known);
}

/** `D:20240305101500+01'00'` (ISO 32000-1, 7.9.4) as an ISO string. */
function isoDate(text: string | undefined): string | undefined {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?/.exec(text ?? '');
  if (!parts) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, offsetHour, offsetMinute = '00'] = parts;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${sign ? `${sign}${offsetHour}:${offsetMinute}` : 'Z'}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
