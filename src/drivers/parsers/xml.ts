import { KbError } from '../../core/errors.ts';
import { orderedXml } from './ordered-xml.ts';
import { GIVEN_TYPES, type ParsedDocument } from '../../ports/reading.ts';
import type { ParserRow } from './parser-row.ts';

/** An element is `{ name: children, ':@': attributes }`, a text `{ '#text': … }`, in the order of the document (fast-xml-parser's `preserveOrder`). */
type XmlNode = Record<string, unknown>;

export const ATTRIBUTES = ':@';
const TEXT = '#text';

const nameOf = (node: XmlNode): string => Object.keys(node).find((key) => key !== ATTRIBUTES)!;
const childrenOf = (node: XmlNode): XmlNode[] => node[nameOf(node)] as XmlNode[];
const elementsOf = (nodes: readonly XmlNode[]): XmlNode[] => nodes.filter((node) => !(TEXT in node));

/** Elements that follow each other with nothing between them are words of their own. */
const xmlText = (nodes: readonly XmlNode[]): string =>
  nodes
    .map((node, i) => {
      if (TEXT in node) return String(node[TEXT]);
      const before = nodes[i - 1];
      return (before && !(TEXT in before) ? ' ' : '') + xmlText(childrenOf(node));
    })
    .join('');

/** Text between the elements: it is prose, which its markup must not cut up. */
const isMixed = (nodes: readonly XmlNode[]): boolean => nodes.some((node) => TEXT in node && String(node[TEXT]).trim() !== '');

/** Code in DocBook, DITA, JATS and TEI; its lines stay. */
const CODE = /^(screen|programlisting|literallayout|synopsis|code|codeblock|pre|preformat|eg)$/;
const TITLE = /^(title|head)$/;
const ITEM = /^(listitem|list-item|item|li|step)$/;
/** Paragraphs in the same. Other elements that come in turns may be records. */
const PARAGRAPH = /^(para|simpara|formalpara|p|paragraph|ab|blockquote)$/;
const DEEPEST_TITLE = 6;

/** The index of the first child element from which an element is a document and no record: paragraphs that come again after other elements. The number of children if none. */
function flowFrom(children: readonly XmlNode[]): number {
  const names = children.map(nameOf);
  const runs = new Map<string, number>();
  for (const [i, name] of names.entries()) if (name !== names[i - 1]) runs.set(name, (runs.get(name) ?? 0) + 1);
  const first = names.findIndex((name) => runs.get(name)! > 1 && PARAGRAPH.test(localOf(name)));
  return first < 0 ? children.length : first;
}

const localOf = (name: string): string => name.slice(name.indexOf(':') + 1);

const isText = (element: XmlNode): boolean => isMixed(childrenOf(element)) || elementsOf(childrenOf(element)).length === 0;

/** Elements as Markdown, in their order: paragraphs, code, items, and titles as headings. */
const flowOf = (elements: readonly XmlNode[], level = 1): string =>
  elements
    .map((element) => blockOf(element, level))
    .filter((block) => block !== '')
    .join('\n\n');

function blockOf(element: XmlNode, level: number): string {
  const [name, nodes] = [localOf(nameOf(element)), childrenOf(element)];
  const text = xmlText(nodes);
  if (CODE.test(name)) return text.trim() === '' ? '' : `\`\`\`\n${text.replace(/^\s*\n|(?<!\s)\s+$/g, '')}\n\`\`\``;
  const inside = isText(element) ? text.trim().replace(/\s+/g, ' ') : flowOf(elementsOf(nodes), level + 1);
  if (inside === '') return '';
  if (TITLE.test(name) && isText(element)) return `${'#'.repeat(Math.min(DEEPEST_TITLE, level))} ${inside}`;
  return ITEM.test(name) ? `- ${inside.replace(/\n(?=[^\n])/g, '\n  ')}` : inside;
}

/** Deeper documents are refused: nobody reads further in, and the stack is not endless. */
const MAX_DEPTH = 256;
/** Characters, at most: what is made of them takes many times as much. */
const MAX_LENGTH = 32 * 2 ** 20;
/** Objects, lists and texts in the value, at most: who takes it goes through all of them without a pause. */
const MOST_VALUES = 1_000_000;

/**
 * XML in UTF-8 that an API answered with, as the structure that JSON would have: an element is an object of its attributes and child elements, several of a
 * name are a list; one with neither is its text; of one that is written to be read from above to below (DocBook, JATS, DITA), that part is one text. The
 * value is the content of the root. No file has this kind. Throws a KbError: `invalid` with the line for what is no XML (entities that a document defines by
 * others or from elsewhere are not expanded), `too_large`.
 */
export const xmlParser: ParserRow = {
  file_type: GIVEN_TYPES.value,
  name: 'XML',
  extensions: [],
  is_text: true,
  async parse(bytes, { source }): Promise<ParsedDocument> {
    const text = new TextDecoder().decode(bytes);
    if (text.length > MAX_LENGTH) throw tooLarge(source, `${MAX_LENGTH} characters`);
    const value = await valueOf(text, source);
    if (valuesIn(value) > MOST_VALUES) throw tooLarge(source, `${MOST_VALUES} fields and values`);
    return { text: '', metadata: {}, value };
  },
};

async function valueOf(text: string, source: string): Promise<unknown> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const judged = XMLValidator.validate(text);
  if (judged !== true) throw unreadable(source, `line ${judged.err.line}: ${judged.err.msg}`);
  try {
    const [root] = elementsOf(new XMLParser(orderedXml(MAX_DEPTH)).parse(text) as XmlNode[]);
    if (root) return elementValue(root);
  } catch (cause) {
    throw unreadable(source, (cause as Error).message, cause);
  }
  throw unreadable(source, 'it has no element');
}

/** How many values a value is made of, itself included. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, inner) => sum + valuesIn(inner), 1) : 1;

const tooLarge = (source: string, most: string): KbError =>
  new KbError('too_large', `${source} answered with XML of more than ${most}.`, { hint: 'Ask for less at once.' });

const unreadable = (source: string, reason: string, cause?: unknown): KbError =>
  new KbError('invalid', `${source} answered with XML that cannot be read: ${reason.slice(0, 200).replace(/\.$/, '')}.`, {
    hint: 'Check its response, for example with curl.',
    cause,
  });

function elementValue(element: XmlNode): unknown {
  const attributes = Object.entries((element[ATTRIBUTES] ?? {}) as Record<string, string>).filter(([name]) => !/^xmlns(:|$)/.test(name));
  const nodes = childrenOf(element);
  const children = isMixed(nodes) ? [] : elementsOf(nodes);
  if (attributes.length === 0 && children.length === 0) return xmlText(nodes).trim();
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown) => void (fields.get(name)?.push(value) ?? fields.set(name, [value]));
  for (const [name, value] of attributes) add(name, value);
  const flow = flowFrom(children);
  for (const child of children.slice(0, flow)) add(nameOf(child), elementValue(child));
  if (children.length === 0) add('text', xmlText(nodes).trim());
  else if (flow < children.length) add('text', flowOf(children.slice(flow)));
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
