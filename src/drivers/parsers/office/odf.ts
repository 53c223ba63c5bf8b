import { basename, extname } from 'node:path';
import type { Metadata } from '../../../schema/items.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { allText, elementsIn, escapeXml, findElement, localName, readXml, textNamed, type XmlElement } from '../ordered-xml.ts';
import { MarkedBlocks, givenProperties, firstHeading } from '../parsed-document.ts';
import type { ParserRow } from '../parser-row.ts';
import { encryptedFile } from '../parse-failures.ts';
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

interface Styles {
  /** Of each list style, which levels have numbers. */
  numbered: ReadonlyMap<string, readonly boolean[]>;
  /** The styles of paragraphs that are code. */
  code: ReadonlySet<string>;
}

async function openOdf(
  bytes: Uint8Array,
  source: string,
): Promise<{ body: XmlElement; styles: Styles; title: string | undefined; metadata: Metadata }> {
  const archive = await openArchive(bytes, { source, largest_part: LARGEST_PART });
  if ((await archive.text('META-INF/manifest.xml'))?.includes('encryption-data')) throw encryptedFile(source);
  const content = await archive.text('content.xml');
  if (content === undefined) throw new Error('it has no content.xml');
  const root = await readXml(content);
  const extra = await archive.text('styles.xml');
  const roots = [root, ...(extra === undefined ? [] : [await readXml(extra)])];
  const styles = { numbered: new Map(roots.flatMap(numberedLists)), code: codeStyles(roots) };
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

const elementsNamed = (element: XmlElement, name: string): XmlElement[] => [
  ...(element.name === name ? [element] : []),
  ...elementsIn(element).flatMap((child) => elementsNamed(child, name)),
];

/** The list styles by name, and which of their levels have numbers. */
const numberedLists = (root: XmlElement): [string, boolean[]][] =>
  elementsNamed(root, 'text:list-style').map((style) => [
    style.attributes['style:name'] ?? '',
    elementsIn(style).map(({ name }) => name === 'text:list-level-style-number'),
  ]);

/** What LibreOffice and pandoc call code. */
const CODE = ['Preformatted_20_Text', 'Source_20_Code', 'Source_20_Text'];

/** The styles of code, and those that are made from them. */
function codeStyles(roots: readonly XmlElement[]): Set<string> {
  const styles = roots.flatMap((root) => elementsNamed(root, 'style:style'));
  const found = new Set(CODE);
  // automatic styles are made from named ones, which come in any order
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { attributes } of styles)
      if (found.has(attributes['style:parent-style-name'] ?? '')) found.add(attributes['style:name'] ?? '');
  }
  return found;
}

/** An element as Markdown, its notes below. */
async function odfMarkdown(element: XmlElement, styles: Styles): Promise<string> {
  const notes: string[] = [];
  const html = htmlIn(element, { styles, notes, items: new Map() });
  const below = notes.length > 0 ? `<ol>${notes.map((note) => `<li>${note}</li>`).join('')}</ol>` : '';
  return (await toMarkdown((await parseHtml(html + below)).body)).text;
}

interface Writing {
  styles: Styles;
  notes: string[];
  /** Items of numbered lists, by the list and its style: another may go on where it ended. */
  items: Map<string, number>;
  /** The style of the list in which something stands, and how deep. */
  list?: { style: string; level: number };
  /** Lines and spaces stay. */
  isCode?: boolean;
}

/** What says nothing, or is not there any more. */
const LEFT_OUT =
  /^(?:text:tracked-changes|text:(?:table-of-content|illustration-index|table-index|object-index|user-index|alphabetical-index)|text:sequence-decls|office:forms|office:annotation|table:shapes|text:bibliography-source|text:bibliography-mark|presentation:notes|(?:presentation|text):(?:page-number|date|time)|svg:title|office:event-listeners|style:.*|text:note-citation|draw:glue-point)$/;

function htmlIn({ content }: XmlElement, writing: Writing): string {
  let html = '';
  for (const child of withNestedItems(content)) {
    if (typeof child === 'string') html += escapeXml(writing.isCode ? child : child.replace(/\s+/g, ' '));
    else if (isCode(child, writing)) html = withCode(html, htmlIn(child, { ...writing, isCode: true }));
    else html += htmlOf(child, writing);
  }
  return html;
}

const isCode = ({ name, attributes }: XmlElement, { styles }: Writing): boolean =>
  name === 'text:p' && styles.code.has(attributes['text:style-name'] ?? '');

const CODE_END = '</code></pre>';

/** HTML with a line of code, which goes on with the code before it. */
function withCode(html: string, line: string): string {
  const before = html.trimEnd();
  return before.endsWith(CODE_END) ? `${before.slice(0, -CODE_END.length)}\n${line}${CODE_END}` : `${html}<pre><code>${line}${CODE_END}`;
}

/** Contents in which a list that only begins deeper belongs to the last item of the list before it: presentations have their levels so. */
function withNestedItems(content: XmlElement['content']): XmlElement['content'] {
  const joined: XmlElement['content'] = [];
  for (const child of content) {
    const last = joined.at(-1);
    const inner = typeof child === 'object' && child.name === 'text:list' ? deeperLists(child) : [];
    const item = typeof last === 'object' && last.name === 'text:list' ? last.content.at(-1) : undefined;
    if (inner.length === 0) joined.push(child);
    else if (typeof item !== 'object') joined.push(...inner);
    else {
      const list = last as XmlElement;
      joined[joined.length - 1] = { ...list, content: [...list.content.slice(0, -1), { ...item, content: [...item.content, ...inner] }] };
    }
  }
  return joined;
}

/** The lists in a list that holds nothing else. */
function deeperLists(list: XmlElement): XmlElement[] {
  const inner = elementsIn(list).flatMap(elementsIn);
  const style = list.attributes['text:style-name'] ?? '';
  return inner.every(({ name }) => name === 'text:list')
    ? inner.map((one) => ({ ...one, attributes: { 'text:style-name': style, ...one.attributes } }))
    : [];
}

/** A list with numbers where the style of its level has them; one that goes on where another ended does so. Headings in it are none of its items. */
function listHtml(element: XmlElement, writing: Writing): string {
  const { attributes } = element;
  if (findElement(element, 'h'))
    return elementsIn(element)
      .map((item) => htmlIn(item, writing))
      .join('');
  const list = {
    style: attributes['text:style-name'] ?? writing.list?.style ?? '',
    level: writing.list === undefined ? 0 : writing.list.level + 1,
  };
  const items = htmlIn(element, { ...writing, list });
  if (!writing.styles.numbered.get(list.style)?.[list.level]) return `<ul>${items}</ul>`;
  const continued = attributes['text:continue-list'] ?? (attributes['text:continue-numbering'] === 'true' ? `style ${list.style}` : '');
  const start = list.level === 0 ? (writing.items.get(continued) ?? 0) + 1 : 1;
  if (list.level === 0)
    for (const key of [`style ${list.style}`, attributes['xml:id'] ?? '', continued])
      if (key !== '') writing.items.set(key, start - 1 + elementsIn(element).length);
  return `<ol start="${start}">${items}</ol>`;
}

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
      return listHtml(element, writing);
    case 'text:list-item':
    case 'text:list-header':
      return `<li>${itemHtml(element, writing)}</li>`;
    case 'text:a':
      return `<a href="${escapeXml(attributes['xlink:href'] ?? '')}">${htmlIn(element, writing)}</a>`;
    case 'text:line-break':
      return writing.isCode ? '\n' : '<br>';
    case 'text:tab':
    case 'text:s':
      return writing.isCode ? spaces(attributes) : ' ';
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

const spaces = ({ 'text:c': count }: Record<string, string>): string => ' '.repeat(Math.min(MOST_REPEATED, Number(count) || 1));
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
