import { createRequire } from 'node:module';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import type { ParserRow } from '../parser-row.ts';
import { firstHeading, pictureText } from '../parsed-document.ts';
import { type Archive, openArchive } from './archive.ts';
import { completeParts } from './docx-text.ts';
import { readOfficeProperties } from './office-properties.ts';

/** Styles beside those of mammoth, which has headings, lists and notes. */
const STYLES = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p > em:fresh",
  // tables of contents are left out; Word keeps these names in every language
  ...['TOC Heading', 'table of figures', ...Array.from({ length: 9 }, (_, i) => `toc ${i + 1}`)].map(
    (name) => `p[style-name='${name}'] => !`,
  ),
];

/** Maximum bytes of a part: about 10,000 pages. The tree of mammoth takes about ten times as much memory. */
const MAX_PART_SIZE = 64 * 2 ** 20;

/** A Word document: headings, lists, tables, links and notes; equations, charts, the texts of pictures. */
export const docxParser: ParserRow = {
  file_type: 'docx',
  name: 'a Word document (DOCX)',
  extensions: ['.docx', '.docm'],
  media_types: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  archive_folder: 'word/',
  largest_part: MAX_PART_SIZE,
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

/** Provides the parts of a document to mammoth, with the content that it would leave out written into the text. */
async function mammothFile(archive: Archive) {
  const parts = await completeParts(archive);
  return {
    exists: (name: string) => archive.names.includes(name),
    // only pictures are read as base64, and they are not shown
    read: async (name: string, encoding?: string) => (encoding === 'base64' ? '' : (parts.get(name) ?? (await archive.text(name)) ?? '')),
  };
}

type Mammoth = typeof import('mammoth');

/** Maximum style rules in the cache: documents may bring their own. */
const MAX_RULES = 1_000;

let mammoth: Promise<Mammoth> | undefined;

/** Loads mammoth with a cache for its sixty style rules: parsing them takes a quarter of the time of a short document. */
const loadMammoth = (): Promise<Mammoth> =>
  (mammoth ??= (async () => {
    cacheStyleRules(); // before mammoth is loaded, which takes its reader of rules then
    const { default: library } = (await import('mammoth')) as unknown as { default: Mammoth };
    return library;
  })());

/** A version of mammoth whose reader of rules is elsewhere works without the cache. */
function cacheStyleRules(): void {
  try {
    const reader = createRequire(import.meta.url)('mammoth/lib/style-reader.js') as { readStyle(rule: string): unknown };
    const { readStyle } = reader;
    const known = new Map<string, unknown>();
    reader.readStyle = (rule) => {
      if (known.size > MAX_RULES) known.clear();
      if (!known.has(rule)) known.set(rule, readStyle(rule));
      return known.get(rule);
    };
  } catch {
    // nothing but time is lost
  }
}
