import type { Mark } from '../../../schema/items.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { codeFence, escapeLine, heading, oneLine, tableLines } from '../../../text/markdown/write.ts';
import { decodeText } from '../encoding.ts';
import { allText, elementsIn, localName, readXml, wordsIn, type XmlElement } from '../ordered-xml.ts';
import type { ParserRow } from '../parser-row.ts';
import { firstHeading } from '../title.ts';
import { MarkedBlocks } from '../marked-text.ts';
import { parseHtml } from '../html/dom.ts';
import { toMarkdown } from '../html/to-markdown.ts';

/** The entries of a feed, each under its title with its date, address and text. */
async function feedText(root: XmlElement, lineOf: (at: number) => number): Promise<ParsedDocument> {
  const channel = elementsIn(root).find((child) => localName(child) === 'channel') ?? root;
  const entries = [...new Set([...elementsIn(channel), ...elementsIn(root)])].filter((child) => /^(?:item|entry)$/.test(localName(child)));
  const title = textOf(channel, /^title$/);
  const description = textOf(channel, /^(?:description|subtitle|tagline)$/);
  const blocks = new MarkedBlocks();
  const head = [...(title ? [heading(1, escapeLine(title))] : []), ...(description ? [escapeLine(description)] : [])].join('\n\n');
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

/** The text of the first child of such a name that has any. */
const textOf = (element: XmlElement, name: RegExp): string =>
  elementsIn(element)
    .filter((child) => name.test(localName(child)))
    .map((child) => oneLine(allText(child)))
    .find(Boolean) ?? '';

async function entryText(entry: XmlElement): Promise<string> {
  const title = (await markdownOf(textOf(entry, /^title$/))) || '';
  const date = textOf(entry, /^(?:pubDate|published|updated|date|issued|modified)$/);
  const link = elementsIn(entry)
    .filter((child) => localName(child) === 'link' && /^(?:alternate)?$/.test(child.attributes['rel'] ?? ''))
    .map((child) => child.attributes['href'] ?? oneLine(allText(child)))
    .find(Boolean);
  const author = textOf(entry, /^(?:author|creator)$/);
  const topics = elementsIn(entry)
    .filter((child) => localName(child) === 'category')
    .map((child) => child.attributes['term'] ?? oneLine(allText(child)));
  const facts = [
    ['Date', date],
    ['Author', author],
    ['Link', link],
    ['Topics', topics.filter(Boolean).join(', ')],
  ].flatMap(([name, value]) => (value ? [`- ${name}: ${value}`] : []));
  const bodies = elementsIn(entry).filter((child) => /^(?:encoded|content|description|summary)$/.test(localName(child)));
  const texts = await Promise.all(bodies.map((body) => markdownOf(sourceOf(body))));
  const body = texts.toSorted((one, other) => other.length - one.length)[0] ?? '';
  return [...(title ? [heading(2, title)] : []), ...(facts.length > 0 ? [facts.join('\n')] : []), body].filter(Boolean).join('\n\n');
}

/** XHTML within a feed is elements, HTML is text. */
const sourceOf = (element: XmlElement): string =>
  element.content
    .map((child) =>
      typeof child === 'string'
        ? element.attributes['type'] === 'xhtml'
          ? child.replaceAll('<', '&lt;')
          : child
        : `<${localName(child)}${hrefOf(child)}>${sourceOf({ ...child, attributes: { type: 'xhtml' } })}</${localName(child)}>`,
    )
    .join('');

const hrefOf = ({ attributes: { href } }: XmlElement): string => (href === undefined ? '' : ` href="${href.replaceAll('"', '&quot;')}"`);

async function markdownOf(html: string): Promise<string> {
  if (!/[<&]/.test(html)) return escapeLine(oneLine(html));
  const { text } = await toMarkdown((await parseHtml(html)).body);
  return text.trim();
}

/** Characters, at most: what is made of them takes many times as much. */
const MAX_LENGTH = 32 * 2 ** 20;

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

async function readXmlFile(bytes: Uint8Array): Promise<ParsedDocument> {
  const declared = /^(?:ï»¿)?<\?xml[^>]{0,150}?encoding=["']([\w.-]{1,40})/.exec(
    Buffer.from(bytes.subarray(0, 200)).toString('latin1'),
  )?.[1];
  const source = (await decodeText(bytes, declared)).trimEnd();
  if (source.length > MAX_LENGTH) throw new Error(`it has more than ${MAX_LENGTH} characters`);
  const root = await readXml(source);
  if (/^(?:rss|feed|RDF)$/.test(localName(root))) return feedText(root, lineFinder(source));
  const writing: XmlWriting = { blocks: [], hasProse: hasProse(root) };
  writeElement(root, 1, writing);
  const { text, marks } = joined(writing.blocks, lineFinder(source));
  return { text, title: firstHeading(text), metadata: {}, marks };
}

/** The line of an offset. Offsets are asked for in their order. */
function lineFinder(source: string): (at: number) => number {
  let [next, line] = [source.indexOf('\n'), 1];
  return (at) => {
    for (; next >= 0 && next < at; next = source.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

interface XmlBlock {
  text: string;
  at: number;
}

interface XmlWriting {
  blocks: XmlBlock[];
  hasProse: boolean;
}

/** The blocks with blank lines between, but for those of a list, and the line of each. */
function joined(blocks: readonly XmlBlock[], lineOf: (at: number) => number): { text: string; marks: Mark[] } {
  const marks: Mark[] = [];
  const pieces: string[] = [];
  let length = 0;
  let before = '';
  for (const { text, at } of blocks) {
    const gap = before === '' ? '' : text.startsWith('- ') && before.startsWith('- ') ? '\n' : '\n\n';
    pieces.push(gap, text);
    marks.push({ at: length + gap.length, line: lineOf(at) });
    length += gap.length + text.length;
    before = text;
  }
  return { text: pieces.join(''), marks };
}

const CODE = /^(?:screen|programlisting|literallayout|synopsis|codeblock|pre|preformat|eg)$/;
const HEADLINE = /^(?:title|head|article-title|shorttitle)$/;
const PROSE = /^(?:para|simpara|formalpara|p|paragraph|ab|blockquote)$/;
const LIST_ITEM = /^(?:listitem|list-item|item|li|step)$/;
const ROW = /^(?:row|tr|strow|sthead)$/;
const TABLE = /^(?:tgroup|table|informaltable|simpletable)$/;
/** What says where something is, to programs. */
const REFERENCE = /^(?:journal-id|object-id|article-id|ext-link-id)$/;

const hasProse = (element: XmlElement): boolean => PROSE.test(localName(element)) || elementsIn(element).some(hasProse);
const hasText = ({ content }: XmlElement): boolean => content.some((child) => typeof child === 'string' && child.trim() !== '');

function writeElement(element: XmlElement, level: number, writing: XmlWriting): void {
  const { at } = element;
  const name = localName(element);
  const add = (text: string) => void writing.blocks.push({ text, at });
  if (writing.hasProse && REFERENCE.test(name)) return;
  if (CODE.test(name) && allText(element).trim() !== '')
    return add(
      codeFence(
        allText(element)
          .trimEnd()
          .replace(/^\s*\n/, ''),
        '',
      ),
    );
  const rows = TABLE.test(name) ? rowsIn(element) : [];
  if (rows.length > 0) {
    for (const child of elementsIn(element))
      if (rowsIn(child).length === 0 && !ROW.test(localName(child))) writeElement(child, level + 1, writing);
    return add(tableLines(rows).join('\n'));
  }
  const isLeaf = hasText(element) || elementsIn(element).length === 0;
  const words = isLeaf ? escapeLine(oneLine(wordsIn(element))) : '';
  const own = attributesOf(element, writing);
  if (isLeaf) {
    const shown = [words, ...own].filter(Boolean).join('; ');
    if (shown === '') return;
    if (HEADLINE.test(name)) return add(heading(level, words));
    if (PROSE.test(name)) return add(words);
    return add(LIST_ITEM.test(name) ? `- ${words}` : `- ${name}: ${shown}`);
  }
  if (own.length > 0) add(`- ${name}: ${own.join('; ')}`);
  if (LIST_ITEM.test(name) && writing.hasProse) {
    const inside: XmlWriting = { ...writing, blocks: [] };
    for (const child of elementsIn(element)) writeElement(child, level + 1, inside);
    const { text } = joined(inside.blocks, () => 1);
    return text === '' ? undefined : add(`- ${text.replace(/\n(?=[^\n])/g, '\n  ')}`);
  }
  for (const child of elementsIn(element)) writeElement(child, HEADLINE.test(localName(child)) ? level : level + 1, writing);
}

/** In records, attributes are fields; in prose they are for programs. */
const attributesOf = ({ attributes }: XmlElement, { hasProse: isProse }: XmlWriting): string[] =>
  isProse
    ? []
    : Object.entries(attributes)
        .filter(([key, value]) => !/^xmlns(?::|$)|^xsi:|^xml:/.test(key) && value.trim() !== '')
        .map(([key, value]) => `${key}=${oneLine(value)}`);

const rowsIn = (element: XmlElement): string[][] =>
  elementsIn(element).flatMap((child) =>
    ROW.test(localName(child)) ? [elementsIn(child).map((cell) => oneLine(wordsIn(cell)))] : rowsIn(child),
  );
