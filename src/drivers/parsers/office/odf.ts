import { basename, extname } from 'node:path';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { escapeLine, oneLine } from '../../../text/markdown/write.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { firstHeading, MarkedBlocks } from '../parsed-document.ts';
import { allText, childElementsOf, escapeXml, findElement, localName, type XmlElement } from '../ordered-xml.ts';
import { encryptedFileError } from '../parse-failures.ts';
import type { ParserRow } from '../parser-row.ts';
import { openArchive } from './archive.ts';
import { type OfficeProperties, readOfficeProperties } from './properties.ts';
import { readPart } from './xml.ts';

/** Maximum bytes of a part: the text of about 10,000 pages. */
const MAX_PART_SIZE = 64 * 2 ** 20;
/** Maximum repetitions of a cell; more are the empty rest of a row or column. */
const MAX_REPEATED = 100;

/** ODT: headings, lists, tables, links and notes, without deleted text and pictures. */
export const odtParser: ParserRow = {
  file_type: 'odt',
  name: 'an OpenDocument text (ODT)',
  extensions: ['.odt', '.ott'],
  media_types: ['application/vnd.oasis.opendocument.text'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.text/,
  largest_part: MAX_PART_SIZE,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { body, styles, title, metadata } = await openOdf(bytes, source);
    const text = await odfMarkdown(findElement(body, 'text') ?? body, styles);
    return { text, title: title ?? firstHeading(text), metadata };
  },
};

/** ODP: each slide with its notes. The mark of a slide is its page. */
export const odpParser: ParserRow = {
  file_type: 'odp',
  name: 'an OpenDocument presentation (ODP)',
  extensions: ['.odp', '.otp'],
  media_types: ['application/vnd.oasis.opendocument.presentation'],
  archive_mimetype: /^application\/vnd\.oasis\.opendocument\.presentation/,
  largest_part: MAX_PART_SIZE,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const { body, styles, title, metadata } = await openOdf(bytes, source);
    const slides = childElementsOf(findElement(body, 'presentation') ?? body).filter(({ name }) => name === 'draw:page');
    const blocks = new MarkedBlocks();
    for (const [index, slide] of slides.entries()) {
      const notes = childElementsOf(slide).filter(({ name }) => name === 'presentation:notes');
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
  /** Which levels of each list style have numbers. */
  numbered: ReadonlyMap<string, readonly boolean[]>;
  /** The paragraph styles of code. */
  code: ReadonlySet<string>;
}

async function openOdf(bytes: Uint8Array, source: string): Promise<OfficeProperties & { body: XmlElement; styles: Styles }> {
  const archive = await openArchive(bytes, { source, largest_part: MAX_PART_SIZE });
  if ((await archive.text('META-INF/manifest.xml'))?.includes('encryption-data')) throw encryptedFileError(source);
  const root = await readPart(archive, 'content.xml');
  if (!root) throw new Error('it has no content.xml');
  const extra = await readPart(archive, 'styles.xml');
  const roots = extra ? [root, extra] : [root];
  const styles = { numbered: new Map(roots.flatMap(numberedLists)), code: codeStyles(roots) };
  return { body: findElement(root, 'body') ?? root, styles, ...(await readOfficeProperties(archive)) };
}

const elementsNamed = (element: XmlElement, name: string): XmlElement[] => [
  ...(element.name === name ? [element] : []),
  ...childElementsOf(element).flatMap((child) => elementsNamed(child, name)),
];

/** Lists the list styles by name, and which of their levels have numbers. */
const numberedLists = (root: XmlElement): [string, boolean[]][] =>
  elementsNamed(root, 'text:list-style').map((style) => [
    style.attributes['style:name'] ?? '',
    childElementsOf(style).map(({ name }) => name === 'text:list-level-style-number'),
  ]);

/** Names of code styles in LibreOffice and pandoc. */
const CODE = ['Preformatted_20_Text', 'Source_20_Code', 'Source_20_Text'];

/** Finds the styles of code, and those derived from them. */
function codeStyles(roots: readonly XmlElement[]): Set<string> {
  const styles = roots.flatMap((root) => elementsNamed(root, 'style:style'));
  const found = new Set(CODE);
  // derived styles may precede their parents
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { attributes } of styles)
      if (found.has(attributes['style:parent-style-name'] ?? '')) found.add(attributes['style:name'] ?? '');
  }
  return found;
}

/** Writes an element as Markdown, with its notes below. */
async function odfMarkdown(element: XmlElement, styles: Styles): Promise<string> {
  const notes: string[] = [];
  const html = htmlIn(element, { styles, notes, items: new Map() });
  const below = notes.length > 0 ? `<ol>${notes.map((note) => `<li>${note}</li>`).join('')}</ol>` : '';
  return (await toMarkdown((await parseHtml(html + below)).body)).text;
}

interface HtmlContext {
  styles: Styles;
  notes: string[];
  /** Number of items of numbered lists, by the list and by its style: another list may continue the numbers. */
  items: Map<string, number>;
  /** The innermost list: its style and level. */
  list?: { style: string; level: number };
  /** Whether to keep line breaks and spaces. */
  isCode?: boolean;
}

/** Elements without text, with deleted text, or with text of the program. */
const LEFT_OUT =
  /^(?:text:tracked-changes|text:(?:table-of-content|illustration-index|table-index|object-index|user-index|alphabetical-index)|text:sequence-decls|office:forms|office:annotation|table:shapes|text:bibliography-source|text:bibliography-mark|presentation:notes|(?:presentation|text):(?:page-number|date|time)|svg:title|office:event-listeners|style:.*|text:note-citation|draw:glue-point)$/;

function htmlIn({ content }: XmlElement, context: HtmlContext): string {
  let html = '';
  for (const child of nestLists(content)) {
    if (typeof child === 'string') html += escapeXml(context.isCode ? child : child.replace(/\s+/g, ' '));
    else if (isCode(child, context)) html = appendCode(html, htmlIn(child, { ...context, isCode: true }));
    else html += htmlOf(child, context);
  }
  return html;
}

const isCode = ({ name, attributes }: XmlElement, { styles }: HtmlContext): boolean =>
  name === 'text:p' && styles.code.has(attributes['text:style-name'] ?? '');

const CODE_END = '</code></pre>';

/** Appends a line of code, to the code before it if there is any. */
function appendCode(html: string, line: string): string {
  const before = html.trimEnd();
  return before.endsWith(CODE_END) ? `${before.slice(0, -CODE_END.length)}\n${line}${CODE_END}` : `${html}<pre><code>${line}${CODE_END}`;
}

/** Moves a list that only begins deeper into the last item of the list before it, as presentations nest their levels. */
function nestLists(content: XmlElement['content']): XmlElement['content'] {
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

/** Returns the lists in a list that contains nothing else. */
function deeperLists(list: XmlElement): XmlElement[] {
  const inner = childElementsOf(list).flatMap(childElementsOf);
  const style = list.attributes['text:style-name'] ?? '';
  return inner.every(({ name }) => name === 'text:list')
    ? inner.map((one) => ({ ...one, attributes: { 'text:style-name': style, ...one.attributes } }))
    : [];
}

/** Writes a list, with numbers if the style of its level has them, continued from another list if it says so. Headings in it are not items. */
function listHtml(element: XmlElement, context: HtmlContext): string {
  const { attributes } = element;
  if (findElement(element, 'h'))
    return childElementsOf(element)
      .map((item) => htmlIn(item, context))
      .join('');
  const list = {
    style: attributes['text:style-name'] ?? context.list?.style ?? '',
    level: context.list === undefined ? 0 : context.list.level + 1,
  };
  const items = htmlIn(element, { ...context, list });
  if (!context.styles.numbered.get(list.style)?.[list.level]) return `<ul>${items}</ul>`;
  const continued = attributes['text:continue-list'] ?? (attributes['text:continue-numbering'] === 'true' ? `style ${list.style}` : '');
  const start = list.level === 0 ? (context.items.get(continued) ?? 0) + 1 : 1;
  if (list.level === 0)
    for (const key of [`style ${list.style}`, attributes['xml:id'] ?? '', continued])
      if (key !== '') context.items.set(key, start - 1 + childElementsOf(element).length);
  return `<ol start="${start}">${items}</ol>`;
}

function htmlOf(element: XmlElement, context: HtmlContext): string {
  const { name, attributes } = element;
  if (LEFT_OUT.test(name)) return '';
  const inside = (tag: string) => `<${tag}>${htmlIn(element, context)}</${tag}>`;
  switch (name) {
    case 'text:h':
      return inside(`h${Math.min(6, Math.max(1, Number(attributes['text:outline-level']) || 1))}`);
    case 'text:p':
      return inside(isTitle(attributes) ? 'h1' : 'p');
    case 'text:list':
      return listHtml(element, context);
    case 'text:list-item':
    case 'text:list-header':
      return `<li>${itemHtml(element, context)}</li>`;
    case 'text:a':
      return `<a href="${escapeXml(attributes['xlink:href'] ?? '')}">${htmlIn(element, context)}</a>`;
    case 'text:line-break':
      return context.isCode ? '\n' : '<br>';
    case 'text:tab':
    case 'text:s':
      return context.isCode ? spaces(attributes) : ' ';
    case 'text:note':
      context.notes.push(htmlIn(findElement(element, 'note-body') ?? element, context));
      return `[${context.notes.length}]`;
    case 'table:table':
      return `<table>${tableRows(element, context)}</table>`;
    case 'draw:frame':
      return frameHtml(element, context);
    case 'svg:desc':
      return isFileName(allText(element)) ? '' : inside('p');
    case 'draw:object':
    case 'draw:image':
    case 'math:math':
      return '';
    default:
      return /^draw:(?!g$|a$)|^text:(?:section|index-body)/.test(name) ? inside('div') : htmlIn(element, context);
  }
}

const spaces = ({ 'text:c': count }: Record<string, string>): string => ' '.repeat(Math.min(MAX_REPEATED, Number(count) || 1));
const isTitle = ({ 'text:style-name': style = '' }: Record<string, string>): boolean => style === 'Title';
const isFileName = (text: string): boolean => text.trim() === '' || extname(basename(text.trim())) !== '';

/** Writes an item; its first paragraph is its text. */
const itemHtml = ({ content, ...item }: XmlElement, context: HtmlContext): string => {
  const [first, ...rest] = content.filter((child) => typeof child !== 'string' || child.trim() !== '');
  const isParagraph = typeof first === 'object' && first.name === 'text:p';
  return isParagraph ? htmlIn(first, context) + htmlIn({ ...item, content: rest }, context) : htmlIn({ ...item, content }, context);
};

/** Writes a frame; the title of a slide is a heading. */
function frameHtml(element: XmlElement, context: HtmlContext): string {
  const { 'presentation:class': role } = element.attributes;
  if (role === 'title') return `<h2>${escapeXml(oneLine(allText(element)))}</h2>`;
  return /^(?:page-number|date-time|header|footer)$/.test(role ?? '') ? '' : `<div>${htmlIn(element, context)}</div>`;
}

/** Writes the rows of a table, also grouped ones, without the empty rest. */
function tableRows(element: XmlElement, context: HtmlContext): string {
  return childElementsOf(element)
    .map((child) => {
      if (localName(child) !== 'table-row') return /rows|row-group/.test(child.name) ? tableRows(child, context) : '';
      const cells = childElementsOf(child).map((cell) => cellHtml(cell, context));
      return `<tr>${cells.join('')}</tr>`;
    })
    .join('');
}

function cellHtml(cell: XmlElement, context: HtmlContext): string {
  if (cell.name === 'table:covered-table-cell') return '';
  const { attributes } = cell;
  const span = (name: string) => Math.min(MAX_REPEATED, Number(attributes[`table:number-${name}-spanned`]) || 1);
  const repeated = Number(attributes['table:number-columns-repeated']) || 1;
  const text = childElementsOf(cell).length === 0 ? escapeXml(attributes['office:string-value'] ?? '') : htmlIn(cell, context);
  const one = `<td colspan="${span('columns')}" rowspan="${span('rows')}">${text}</td>`;
  return one.repeat(repeated > MAX_REPEATED ? 1 : repeated);
}
