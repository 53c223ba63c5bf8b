import type { ParsedDocument } from '../../../ports/reading.ts';
import type { Mark } from '../../../schema/items.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import { boxesOf, type PageFrame, ratioOf } from './pdf-boxes.ts';
import { detectTypewriterLines } from './pdf-code.ts';
import { separateColumns, sortForReading } from './pdf-columns.ts';
import { headingLevels, titleOnFirstPage } from './pdf-headings.ts';
import type { PdfLine, TextPlace } from './pdf-lines.ts';
import { type PageLink, withLinks } from './pdf-links.ts';
import { withNotes } from './pdf-notes.ts';
import type { OutlineEntry } from './pdf-outline.ts';
import { labelsOf } from './paragraphs/pdf-labels.ts';
import { pageMarkdown } from './pdf-paragraphs.ts';
import { withoutRunningLines } from './pdf-running-lines.ts';
import { TableReader } from './pdf-tables.ts';
import type { Grid } from './ruled/grids.ts';
import { ruledLines } from './ruled/ruled-lines.ts';
import { createWordMender, withWholeWords } from './pdf-words.ts';

/** What is known of pages beside their lines, each by the index of its page. */
interface PagesContext {
  links?: readonly (readonly PageLink[])[];
  /** Where there is none, the marks say nothing of places on the page. */
  frames?: readonly (PageFrame | undefined)[];
  grids?: readonly (readonly Grid[] | undefined)[];
}

/** The Markdown of pages, marks at each and at what stands on it, and the title that the first one shows. Running lines are left out. */
export function textOfPages(
  read: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
  { links = [], frames = [], grids = [] }: PagesContext = {},
): Pick<ParsedDocument, 'text' | 'title' | 'marks'> {
  const ruled = read.map((lines, index) => ruledLines(lines, grids[index] ?? []));
  const noted = withNotes(withoutRunningLines(ruled.map(separateColumns)));
  const mendWord = createWordMender(noted);
  const pages = withWholeWords(noted, mendWord);
  const isCode = detectTypewriterLines(pages);
  const context = {
    levelOf: headingLevels(pages, outline, isCode),
    labels: labelsOf(pages),
    tables: new TableReader(mendWord),
    isCode,
    mendWord,
  };
  const blocks = new MarkedBlocks();
  let isOpen = false;
  for (const [index, page] of pages.entries()) {
    const ordered = sortForReading(page, context.levelOf);
    if (page.length === 0) continue;
    const { text, places, beginsWithin, endsWithin } = withLinks(pageMarkdown(ordered, index + 1, context), links[index] ?? []);
    blocks.addMarked(text, marksOf(places, index + 1, frames[index]), isOpen && beginsWithin ? ' ' : undefined);
    isOpen = endsWithin;
  }
  return { text: blocks.text, title: titleOnFirstPage(pages), marks: blocks.marks };
}

/** A mark at each place of a page, with where that stands on it; without a frame one alone. */
function marksOf(places: readonly TextPlace[], page: number, frame: PageFrame | undefined): Mark[] {
  if (!frame || places.length === 0) return [{ at: 0, page }];
  const page_ratio = ratioOf(frame);
  return places.map(({ at, lines }) => ({ at, page, page_ratio, boxes: boxesOf(lines, frame) }));
}

/** Whether a page has text: a letter or a digit. */
export const hasText = (lines: readonly PdfLine[]): boolean => lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
