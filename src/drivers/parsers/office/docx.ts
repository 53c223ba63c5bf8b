import type { ParsedDocument } from '../../../ports/reading.ts';
import type { ParserRow } from '../parser-row.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { readOfficeProperties } from './office-properties.ts';
import { firstHeading } from '../title.ts';

/** Styles that mammoth knows nothing about; its own map has headings, lists and notes. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p > em:fresh"];

/** The text of some 10,000 pages; mammoth's tree of it takes about ten times as much memory. */
const LARGEST_PART = 64 * 2 ** 20;

/** A Word document: headings, lists, tables, links and notes; pictures are left out. */
export const docxParser: ParserRow = {
  file_type: 'docx',
  name: 'a Word document (DOCX)',
  extensions: ['.docx', '.docm'],
  media_types: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  archive_folder: 'word/',
  largest_part: LARGEST_PART,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { default: mammoth } = await import('mammoth');
    const withoutPicture = mammoth.images.imgElement(async () => ({ src: '' }));
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { value } = await mammoth.convertToHtml(
      { buffer },
      { styleMap: STYLES, convertImage: withoutPicture, externalFileAccess: false },
    );
    const { body } = await parseHtml(value);
    for (const link of body.querySelectorAll('a[href^="#"]')) if (/^\s*↑\s*$/.test(link.textContent ?? '')) link.remove();
    const { text } = await toMarkdown(body);
    const { title, metadata } = await readOfficeProperties(bytes, { source });
    return { text, title: title ?? firstHeading(text), metadata };
  },
};
