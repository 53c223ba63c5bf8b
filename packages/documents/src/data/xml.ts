import { DocumentError, reasonOf } from '../errors.ts';
import type { ParsedDocument } from '../types.ts';
import { codeFence, escapeLine, heading, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';
import { allText, childElementsOf, localName, readXml, spacedText, type XmlElement } from '../xml.ts';
import { factList, firstHeading, MarkedBlocks } from '../parsed-document.ts';
import { layOut, spanOf, type TableCell, writeTable } from '../table.ts';
import type { ParserRow } from '../parser.ts';

/** Maximum characters: the elements take many times as much memory. */
const MAX_LENGTH = 32 * 2 ** 20;
/** Maximum number of objects, lists and texts in a value: its reader visits all of them without a pause. */
const MAX_VALUES = 1_000_000;

/** XML: prose (DocBook, JATS, DITA) under its titles, records as `name: value`, a feed as its entries. */
export const xmlFileParser: ParserRow = {
  file_type: 'xml',
  name: 'an XML file',
  kind: 'data',
  extensions: ['.xml', '.nxml', '.dbk', '.dita', '.xsd', '.wsdl'],
  is_text: true,
  parse: (bytes) => readXmlFile(bytes),
};

/** A feed (RSS, Atom, RDF): its entries with title, date and address. */
export const feedParser: ParserRow = {
  file_type: 'feed',
  name: 'a feed (RSS, Atom)',
  extensions: ['.rss', '.atom'],
  is_text: true,
  parse: (bytes) => readXmlFile(bytes),
};

/**
 * XML in UTF-8 from the answer of an API, as the structure that JSON would have. An element becomes an object of its attributes and child elements, several of
 * one name a list; an element with neither becomes its text. From its first repeated paragraph on, prose (DocBook, JATS, DITA) becomes one text. The value is the
 * content of the root; no file has this type. Throws a DocumentError: `invalid` with the line of a syntax error, `too_large`. Entities that are defined by others
 * or from elsewhere are not expanded.
 */
export const xmlParser: ParserRow = {
  file_type: 'xml-value',
  name: 'XML',
  extensions: [],
  is_text: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const text = new TextDecoder().decode(bytes);
    if (text.length > MAX_LENGTH) throw tooLarge(source, `${MAX_LENGTH} characters`);
    const value = valueOf(readAnswer(text, source));
    if (countValues(value) > MAX_VALUES) throw tooLarge(source, `${MAX_VALUES} fields and values`);
    return { text: '', metadata: {}, value };
  },
};

function readAnswer(text: string, source: string): XmlElement {
  try {
    return readXml(text);
  } catch (cause) {
    throw new DocumentError('invalid', `${source} answered with XML that cannot be read: ${reasonOf(cause)}.`, {
      hint: 'Check its response, for example with curl.',
      cause,
    });
  }
}

const tooLarge = (source: string, most: string): DocumentError =>
  new DocumentError('too_large', `${source} answered with XML of more than ${most}.`, { hint: 'Ask for less at once.' });

/** Counts a value and all values in it. */
const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1) : 1;

function valueOf(element: XmlElement): unknown {
  const attributes = Object.entries(element.attributes).filter(([name]) => !/^xmlns(:|$)/.test(name));
  const children = isMixed(element) ? [] : childElementsOf(element);
  if (attributes.length === 0 && children.length === 0) return spacedText(element).trim();
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown) => void (fields.get(name)?.push(value) ?? fields.set(name, [value]));
  for (const [name, value] of attributes) add(name, value);
  const start = proseStart(children);
  for (const child of children.slice(0, start)) add(child.name, valueOf(child));
  if (children.length === 0) add('text', spacedText(element).trim());
  else if (start < children.length) add('text', joinBlocks(childBlocks(children.slice(start), { level: 1, isProse: true })).text);
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** Returns the index of the first paragraph whose kind comes again after other elements; the number of children if there is none. */
function proseStart(children: readonly XmlElement[]): number {
  const names = children.map(({ name }) => name);
  const runs = new Map<string, number>();
  for (const [i, name] of names.entries()) if (name !== names[i - 1]) runs.set(name, (runs.get(name) ?? 0) + 1);
  const first = names.findIndex((name) => runs.get(name)! > 1 && PARAGRAPH.test(localName({ name })));
  return first < 0 ? children.length : first;
}

async function readXmlFile(bytes: Uint8Array): Promise<ParsedDocument> {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const declared = /^(?:ï»¿)?<\?xml[^>]{0,150}?encoding=["']([\w.-]{1,40})/.exec(start)?.[1];
  const source = (await decodeText(bytes, declared)).trimEnd();
  if (source.length > MAX_LENGTH) throw new Error(`it has more than ${MAX_LENGTH} characters`);
  const root = readXml(source);
  if (/^(?:rss|feed|RDF)$/.test(localName(root))) return readFeed(root, lineFinder(source));
  const { text, marks } = joinBlocks(blocksOf(root, { level: 1, isProse: hasParagraph(root) }), lineFinder(source));
  return { text, title: firstHeading(text), metadata: {}, marks };
}

/** Finds the line of an offset; offsets have to be asked for in ascending order. */
function lineFinder(source: string): (at: number) => number {
  let [next, line] = [source.indexOf('\n'), 1];
  return (at) => {
    for (; next >= 0 && next < at; next = source.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

/** A paragraph, heading, item, table or code block, and the offset of its element. */
interface XmlBlock {
  text: string;
  at: number;
}

/** Blocks with blank lines between, except between the items of a list. */
function joinBlocks(blocks: readonly XmlBlock[], lineOf: (at: number) => number = () => 1): MarkedBlocks {
  const joined = new MarkedBlocks();
  for (const [i, { text, at }] of blocks.entries()) {
    const isNextItem = text.startsWith('- ') && blocks[i - 1]?.text.startsWith('- ');
    joined.addMarked(text, [{ at: 0, line: lineOf(at) }], isNextItem ? '\n' : undefined);
  }
  return joined;
}

// Elements of DocBook, DITA, JATS and TEI.
const CODE = /^(?:screen|programlisting|literallayout|synopsis|codeblock|pre|preformat|eg)$/;
const HEADLINE = /^(?:title|head|article-title|shorttitle)$/;
const PARAGRAPH = /^(?:para|simpara|formalpara|p|paragraph|ab|blockquote)$/;
const LIST_ITEM = /^(?:listitem|list-item|item|li|step)$/;
const ROW = /^(?:row|tr|strow|sthead)$/;
const TABLE = /^(?:tgroup|table|informaltable|simpletable)$/;
/** Identifiers that are meant for programs. */
const REFERENCE = /^(?:journal-id|object-id|article-id|ext-link-id)$/;

const hasParagraph = (element: XmlElement): boolean => PARAGRAPH.test(localName(element)) || childElementsOf(element).some(hasParagraph);
/** Whether text stands between the child elements. */
const isMixed = ({ content }: XmlElement): boolean => content.some((child) => typeof child === 'string' && child.trim() !== '');

interface BlockContext {
  /** The level of headings. */
  level: number;
  /** In prose, attributes and references are not shown, and the items of a list may hold several blocks. */
  isProse: boolean;
}

const childBlocks = (children: readonly XmlElement[], { level, isProse }: BlockContext): XmlBlock[] =>
  children.flatMap((child) => blocksOf(child, { level: HEADLINE.test(localName(child)) ? level : level + 1, isProse }));

function blocksOf(element: XmlElement, context: BlockContext): XmlBlock[] {
  const { level, isProse } = context;
  const name = localName(element);
  const children = childElementsOf(element);
  const block = (text: string): XmlBlock[] => [{ text, at: element.at }];
  if (isProse && REFERENCE.test(name)) return [];
  if ((CODE.test(name) || (isProse && name === 'code')) && allText(element).trim() !== '') return block(codeOf(element));
  const rows = TABLE.test(name) ? rowsIn(element) : [];
  if (rows.length > 0) {
    const others = children.filter((child) => rowsIn(child).length === 0 && !ROW.test(localName(child)));
    return [...others.flatMap((child) => blocksOf(child, { level: level + 1, isProse })), ...block(writeTable(layOut(rows)))];
  }
  const attributes = isProse ? [] : attributesOf(element);
  if (isMixed(element) || children.length === 0) {
    const words = escapeLine(oneLine(spacedText(element)));
    const shown = [words, ...attributes].filter(Boolean).join('; ');
    if (shown === '') return [];
    if (HEADLINE.test(name)) return block(heading(level, words));
    if (PARAGRAPH.test(name)) return block(words);
    return block(LIST_ITEM.test(name) ? `- ${words}` : `- ${name}: ${shown}`);
  }
  const inner = childBlocks(children, context);
  if (LIST_ITEM.test(name) && isProse) {
    const { text } = joinBlocks(inner);
    return text === '' ? [] : block(`- ${text.replace(/\n(?=[^\n])/g, '\n  ')}`);
  }
  return attributes.length > 0 ? [...block(`- ${name}: ${attributes.join('; ')}`), ...inner] : inner;
}

const codeOf = (element: XmlElement): string =>
  codeFence(
    allText(element)
      .trimEnd()
      .replace(/^\s*\n/, ''),
    '',
  );

const attributesOf = ({ attributes }: XmlElement): string[] =>
  Object.entries(attributes)
    .filter(([key, value]) => !/^xmlns(?::|$)|^xsi:|^xml:/.test(key) && value.trim() !== '')
    .map(([key, value]) => `${key}=${oneLine(value)}`);

/** Lists the rows in an element: spans are written as in HTML, or as in CALS, which counts the further rows. */
const rowsIn = (element: XmlElement): TableCell[][] =>
  childElementsOf(element).flatMap((child) => (ROW.test(localName(child)) ? [childElementsOf(child).map(cellOf)] : rowsIn(child)));

const cellOf = (cell: XmlElement): TableCell => {
  const { colspan, rowspan, morerows } = cell.attributes;
  const rows = spanOf(morerows === undefined ? rowspan : String(Number(morerows) + 1));
  return { text: oneLine(spacedText(cell)), columns: spanOf(colspan), rows };
};

/** Reads the entries of a feed, each under its title with its date, address and text. */
async function readFeed(root: XmlElement, lineOf: (at: number) => number): Promise<ParsedDocument> {
  const channel = childElementsOf(root).find((child) => localName(child) === 'channel') ?? root;
  const entries = [...new Set([...childElementsOf(channel), ...childElementsOf(root)])].filter((child) =>
    /^(?:item|entry)$/.test(localName(child)),
  );
  const title = textOf(channel, /^title$/);
  const description = textOf(channel, /^(?:description|subtitle|tagline)$/);
  const blocks = new MarkedBlocks();
  const head = [title && heading(1, escapeLine(title)), escapeLine(description)].filter(Boolean).join('\n\n');
  if (head !== '') blocks.add(head, { line: 1 });
  for (const entry of entries) {
    const text = await entryText(entry);
    if (text !== '') blocks.add(text, { line: lineOf(entry.at) });
  }
  return {
    text: blocks.text,
    title: title || undefined,
    metadata: { ...(description ? { description } : {}), entries: entries.length },
    marks: blocks.marks,
  };
}

async function entryText(entry: XmlElement): Promise<string> {
  const title = await markdownOf(textOf(entry, /^title$/));
  const facts = factList({
    Date: textOf(entry, /^(?:pubDate|published|updated|date|issued|modified)$/),
    Author: textOf(entry, /^(?:author|creator)$/),
    Link: elementsNamed(entry, /^link$/)
      .filter(({ attributes }) => /^(?:alternate)?$/.test(attributes['rel'] ?? ''))
      .map((link) => link.attributes['href'] ?? oneLine(allText(link)))
      .find(Boolean),
    Topics: elementsNamed(entry, /^category$/)
      .map((topic) => topic.attributes['term'] ?? oneLine(allText(topic)))
      .filter(Boolean)
      .join(', '),
  });
  const bodies = elementsNamed(entry, /^(?:encoded|content|description|summary)$/);
  const texts = await Promise.all(bodies.map((body) => markdownOf(htmlOf(body))));
  const body = texts.toSorted((one, other) => other.length - one.length)[0];
  return [title && heading(2, title), facts, body].filter(Boolean).join('\n\n');
}

const elementsNamed = (element: XmlElement, name: RegExp): XmlElement[] =>
  childElementsOf(element).filter((child) => name.test(localName(child)));

/** Finds the text of the first child with such a name that has text. */
const textOf = (element: XmlElement, name: RegExp): string =>
  elementsNamed(element, name)
    .map((child) => oneLine(allText(child)))
    .find(Boolean) ?? '';

/** Writes the content of an element of a feed as HTML: XHTML is in elements there, HTML in text. */
const htmlOf = ({ content, attributes: { type } }: XmlElement): string =>
  content
    .map((child) => {
      if (typeof child === 'string') return type === 'xhtml' ? child.replaceAll('<', '&lt;') : child;
      const { href } = child.attributes;
      const name = localName(child);
      const start = href === undefined ? name : `${name} href="${href.replaceAll('"', '&quot;')}"`;
      return `<${start}>${htmlOf({ ...child, attributes: { type: 'xhtml' } })}</${name}>`;
    })
    .join('');

async function markdownOf(html: string): Promise<string> {
  if (!/[<&]/.test(html)) return escapeLine(oneLine(html));
  const { text } = await toMarkdown((await parseHtml(html)).body);
  return text.trim();
}
