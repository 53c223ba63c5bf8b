import { basename, extname } from 'node:path';
import type { Metadata } from '../../../schema/items.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { allText, elementsIn, escapeXml, findElement, localName, readXml, textNamed, type XmlElement } from '../ordered-xml.ts';
import { MarkedBlocks } from '../marked-text.ts';
import type { ParserRow } from '../parser-row.ts';
import { givenProperties } from '../properties.ts';
import { firstHeading } from '../title.ts';
import { openArchive } from './archive.ts';

/** The text of some 10,000 pages. */
const LARGEST_PART = 64 * 2 ** 20;
/** Cells that one cell may stand for: more are the empty rest of a row or column. */
const MOST_REPEATED = 100;

/** A text document of LibreOffice: headings, lists, tables, links and notes; deleted text and pictures are left out. */
export const odtParser: ParserRow = {
  file_type: 'odt',
  name: 'an OpenDocument text (ODT)',
  extensions: ['.odt', '.ott'],
  media_types: ['application/vnd.oasis.opendocument.text'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.text/,
  largest_part: LARGEST_PART,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { body, styles, title, metadata } = await openOdf(bytes, source);
    const text = await odfMarkdown(findElement(body, 'text') ?? body, styles);
    return { text, title: title ?? firstHeading(text), metadata };
  },
};

/** A presentation of LibreOffice: each slide with its notes; the mark of a slide is its page. */
export const odpParser: ParserRow = {
  file_type: 'odp',
  name: 'an OpenDocument presentation (ODP)',
  extensions: ['.odp', '.otp'],
  media_types: ['application/vnd.oasis.opendocument.presentation'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.presentation/,
  largest_part: LARGEST_PART,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { body, styles, title, metadata } = await openOdf(bytes, source);
    const slides = elementsIn(findElement(body, 'presentation') ?? body).filter(({ name }) => name === 'draw:page');
    const blocks = new MarkedBlocks();
    for (const [index, slide] of slides.entries()) {
      const notes = elementsIn(slide).filter(({ name }) => name === 'presentation:notes');
      const spoken = notes.flatMap((note) => oneLine(allText(note)) || []);
      const shown = [
        await odfMarkdown({ ...slide, content: slide.content.filter((child) => !notes.includes(child as XmlElement)) }, styles),
        ...spoken.map((note) => `> Notes: ${escapeLine(note)}`),
      ].filter(Boolean);
      if (shown.length > 0) blocks.add(shown.join('\n\n'), { page: index + 1 });
    }
    const { text, marks } = blocks;
    return { text, title: title ?? firstHeading(text), metadata: { ...metadata, pages: slides.length }, marks };
  },
};

/** Styles by their name: the lists that are numbered. */
type Styles = ReadonlySet<string>;

async function openOdf(
  bytes: Uint8Array,
  source: string,
): Promise<{ body: XmlElement; styles: Styles; title: string | undefined; metadata: Metadata }> {
  const archive = await openArchive(bytes, { source, largest_part: LARGEST_PART });
  const content = await archive.text('content.xml');
  if (content === undefined) throw new Error('it has no content.xml');
  const root = await readXml(content);
  const extra = await archive.text('styles.xml');
  const styles = new Set([root, ...(extra === undefined ? [] : [await readXml(extra)])].flatMap(numberedLists));
  const meta = await archive.text('meta.xml');
  const known = meta === undefined ? undefined : await readXml(meta);
  const said = (name: string): string | undefined => known && textNamed(known, name);
  const created = new Date(said('creation-date') ?? said('date') ?? '');
  const metadata = {
    author: said('initial-creator') ?? said('creator'),
    created: Number.isNaN(created.getTime()) ? undefined : created.toISOString(),
    description: said('description') ?? said('subject'),
    lang: said('language'),
  };
  return {
    body: findElement(root, 'body') ?? root,
    styles,
    title: said('title'),
    metadata: givenProperties(metadata),
  };
}

/** The names of the list styles whose first level has numbers. */
function numberedLists(element: XmlElement): string[] {
  const own =
    element.name === 'text:list-style' && elementsIn(element)[0]?.name === 'text:list-level-style-number'
      ? [element.attributes['style:name'] ?? '']
      : [];
  return [...own, ...elementsIn(element).flatMap(numberedLists)];
}

/** An element as Markdown, its notes below. */
async function odfMarkdown(element: XmlElement, styles: Styles): Promise<string> {
  const notes: string[] = [];
  const html = htmlIn(element, { styles, notes });
  const below = notes.length > 0 ? `<ol>${notes.map((note) => `<li>${note}</li>`).join('')}</ol>` : '';
  return (await toMarkdown((await parseHtml(html + below)).body)).text;
}

interface Writing {
  styles: Styles;
  notes: string[];
}

/** What says nothing, or is not there any more. */
const LEFT_OUT =
  /^(?:text:tracked-changes|text:sequence-decls|office:forms|office:annotation|table:shapes|text:(?:table-of-content|alphabetical-index)-source|text:bibliography-source|text:bibliography-mark|presentation:notes|(?:presentation|text):(?:page-number|date|time)|svg:title|office:event-listeners|style:.*|text:note-citation|draw:glue-point)$/;

const htmlIn = ({ content }: XmlElement, writing: Writing): string =>
  content.map((child) => (typeof child === 'string' ? escapeXml(child.replace(/\s+/g, ' ')) : htmlOf(child, writing))).join('');

function htmlOf(element: XmlElement, writing: Writing): string {
  const { name, attributes } = element;
  if (LEFT_OUT.test(name)) return '';
  const inside = (tag: string) => `<${tag}>${htmlIn(element, writing)}</${tag}>`;
  switch (name) {
    case 'text:h':
      return inside(`h${Math.min(6, Math.max(1, Number(attributes['text:outline-level']) || 1))}`);
    case 'text:p':
      return inside(isTitle(attributes) ? 'h1' : 'p');
    case 'text:list':
      return inside(writing.styles.has(attributes['text:style-name'] ?? '') ? 'ol' : 'ul');
    case 'text:list-item':
    case 'text:list-header':
      return `<li>${itemHtml(element, writing)}</li>`;
    case 'text:a':
      return `<a href="${escapeXml(attributes['xlink:href'] ?? '')}">${htmlIn(element, writing)}</a>`;
    case 'text:line-break':
      return '<br>';
    case 'text:tab':
    case 'text:s':
      return ' ';
    case 'text:note':
      writing.notes.push(htmlIn(findElement(element, 'note-body') ?? element, writing));
      return `[${writing.notes.length}]`;
    case 'table:table':
      return `<table>${tableRows(element, writing)}</table>`;
    case 'draw:frame':
      return frameHtml(element, writing);
    case 'svg:desc':
      return isFileName(allText(element)) ? '' : inside('p');
    case 'draw:object':
    case 'draw:image':
    case 'math:math':
      return '';
    default:
      return /^draw:(?!g$|a$)|^text:(?:section|index-body)/.test(name) ? inside('div') : htmlIn(element, writing);
  }
}

const isTitle = ({ 'text:style-name': style = '' }: Record<string, string>): boolean => style === 'Title';
const isFileName = (text: string): boolean => text.trim() === '' || extname(basename(text.trim())) !== '';

/** The first paragraph of an item is its words. */
const itemHtml = ({ content, ...item }: XmlElement, writing: Writing): string => {
  const [first, ...rest] = content.filter((child) => typeof child !== 'string' || child.trim() !== '');
  const isParagraph = typeof first === 'object' && first.name === 'text:p';
  return isParagraph ? htmlIn(first, writing) + htmlIn({ ...item, content: rest }, writing) : htmlIn({ ...item, content }, writing);
};

/** A frame: the title of a slide is a heading. */
function frameHtml(element: XmlElement, writing: Writing): string {
  const { 'presentation:class': role } = element.attributes;
  if (role === 'title') return `<h2>${escapeXml(oneLine(allText(element)))}</h2>`;
  return /^(?:page-number|date-time|header|footer)$/.test(role ?? '') ? '' : `<div>${htmlIn(element, writing)}</div>`;
}

/** Rows of a table, those in groups too, without the empty rest. */
function tableRows(element: XmlElement, writing: Writing): string {
  return elementsIn(element)
    .map((child) => {
      if (localName(child) !== 'table-row') return /rows|row-group/.test(child.name) ? tableRows(child, writing) : '';
      const cells = elementsIn(child).map((cell) => cellHtml(cell, writing));
      return `<tr>${cells.join('')}</tr>`;
    })
    .join('');
}

function cellHtml(cell: XmlElement, writing: Writing): string {
  if (cell.name === 'table:covered-table-cell') return '';
  const { attributes } = cell;
  const span = (name: string) => Math.min(MOST_REPEATED, Number(attributes[`table:number-${name}-spanned`]) || 1);
  const repeated = Number(attributes['table:number-columns-repeated']) || 1;
  const text = elementsIn(cell).length === 0 ? escapeXml(attributes['office:string-value'] ?? '') : htmlIn(cell, writing);
  const one = `<td colspan="${span('columns')}" rowspan="${span('rows')}">${text}</td>`;
  return one.repeat(repeated > MOST_REPEATED ? 1 : repeated);
}
