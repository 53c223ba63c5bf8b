import { type Archive, openArchive } from './archive.ts';
import { loadMammoth } from './style-rules.ts';
import { completeParts } from './docx-text.ts';
import { pictureText, firstHeading } from '../parsed-document.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { readOfficeProperties } from './office-properties.ts';

/** Styles that mammoth knows nothing about; its own map has headings, lists and notes. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p > em:fresh",
  // a table of contents answers nothing; Word keeps these names in every language
  ...['TOC Heading', 'table of figures', ...Array.from({ length: 9 }, (_, i) => `toc ${i + 1}`)].map(
    (name) => `p[style-name='${name}'] => !`,
  ),
];

/** The text of some 10,000 pages; mammoth's tree of it takes about ten times as much memory. */
const LARGEST_PART = 64 * 2 ** 20;

/** A Word document: headings, lists, tables, links and notes; equations, charts, the texts of pictures. */
export const docxParser: ParserRow = {
  file_type: 'docx',
  name: 'a Word document (DOCX)',
  extensions: ['.docx', '.docm'],
  media_types: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  archive_folder: 'word/',
  largest_part: LARGEST_PART,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const mammoth = await loadMammoth();
    const archive = await openArchive(bytes, { source });
    const withoutPicture = mammoth.images.imgElement(async () => ({ src: '' }));
    const { value } = await mammoth.convertToHtml(
      { file: await mammothFile(archive) } as unknown as Parameters<typeof mammoth.convertToHtml>[0],
      { styleMap: STYLES, convertImage: withoutPicture, externalFileAccess: false },
    );
    const { body } = await parseHtml(value);
    for (const link of body.querySelectorAll('a[href^="#"]')) if (/^\s*↑\s*$/.test(link.textContent ?? '')) link.remove();
    for (const picture of body.querySelectorAll('img')) picture.setAttribute('alt', pictureText(picture.getAttribute('alt') ?? ''));
    for (const box of body.querySelectorAll('input[type="checkbox"]')) box.replaceWith(box.hasAttribute('checked') ? '[x] ' : '[ ] ');
    const { text } = await toMarkdown(body);
    const { title, metadata } = await readOfficeProperties(archive);
    return { text, title: title ?? firstHeading(text), metadata };
  },
};

/** The parts of a document as mammoth asks for them: what it would leave out of the text stands in it. */
async function mammothFile(archive: Archive) {
  const parts = await completeParts(archive);
  return {
    exists: (name: string) => archive.names.includes(name),
    // Pictures are asked for in base64 and not shown: their bytes do not matter.
    read: async (name: string, encoding?: string) => (encoding === 'base64' ? '' : (parts.get(name) ?? (await archive.text(name)) ?? '')),
  };
}
