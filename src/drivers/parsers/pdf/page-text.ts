import type { ParsedDocument } from '../../../ports/reading.ts';
import { MarkedBlocks } from '../marked-text.ts';
import { headingLevels, titleOnFirstPage } from './pdf-headings.ts';
import { type PdfLine, withoutRunningLines } from './pdf-lines.ts';
import { type PageLink, withLinks } from './pdf-links.ts';
import type { OutlineEntry } from './pdf-outline.ts';
import { labelsOf, pageMarkdown } from './pdf-paragraphs.ts';

/** The Markdown of pages, a mark at each, and the title that the first one shows. Running lines are left out. */
export function textOfPages(
  read: readonly PdfLine[][],
  outline: readonly OutlineEntry[],
  links: readonly (readonly PageLink[])[] = [],
): Pick<ParsedDocument, 'text' | 'title' | 'marks'> {
  const pages = withoutRunningLines(read);
  const levelOf = headingLevels(pages, outline);
  const labels = labelsOf(pages);
  const blocks = new MarkedBlocks();
  for (const [index, page] of pages.entries()) {
    if (page.length > 0) blocks.add(withLinks(pageMarkdown(page, levelOf, labels), links[index] ?? []), { page: index + 1 });
  }
  return { text: blocks.text, title: titleOnFirstPage(pages), marks: blocks.marks };
}

/** Whether a page has text: a letter or a digit. */
export const hasText = (lines: readonly PdfLine[]): boolean => lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text));
