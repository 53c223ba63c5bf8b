import type { ParsedDocument } from '../../../ports/reading.ts';
import { MarkedBlocks } from '../marked-text.ts';
import { detectTypewriterLines } from './pdf-code.ts';
import { separateColumns, sortForReading } from './pdf-columns.ts';
import { headingLevels, titleOnFirstPage } from './pdf-headings.ts';
import type { PdfLine } from './pdf-lines.ts';
import { type PageLink, withLinks } from './pdf-links.ts';
import { withNotes } from './pdf-notes.ts';
import type { OutlineEntry } from './pdf-outline.ts';
import { labelsOf, pageMarkdown } from './pdf-paragraphs.ts';
import { withoutRunningLines } from './pdf-running-lines.ts';
import { TableReader } from './pdf-tables.ts';
import { createWordMender, withWholeWords } from './pdf-words.ts';

/** The Markdown of pages, a mark at each, and the title that the first one shows. Running lines are left out. */
export function textOfPages(
  read: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
  links: readonly (readonly PageLink[])[] = [],
): Pick<ParsedDocument, 'text' | 'title' | 'marks'> {
  const noted = withNotes(withoutRunningLines(read.map(separateColumns)));
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
  for (const [index, page] of pages.entries()) {
    const ordered = sortForReading(page, context.levelOf);
    if (page.length > 0) blocks.add(withLinks(pageMarkdown(ordered, index + 1, context), links[index] ?? []), { page: index + 1 });
  }
  return { text: blocks.text, title: titleOnFirstPage(pages), marks: blocks.marks };
}

/** Whether a page has text: a letter or a digit. */
export const hasText = (lines: readonly PdfLine[]): boolean => lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
