import { KbError } from '../../base/errors.ts';
import { orderedXml } from './ordered-xml.ts';
import type { ParsedDocument, Parser } from '../../ports/reading.ts';
import { flowFrom, flowOf } from './xml/flow.ts';
import { ATTRIBUTES, childrenOf, elementsOf, isMixed, nameOf, textOf, type XmlNode } from './xml/nodes.ts';

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
export const xmlParser: Parser = {
  file_type: 'xml-value',
  extensions: [],
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
    hint: 'Check what it answers, with curl for example.',
    cause,
  });

function elementValue(element: XmlNode): unknown {
  const attributes = Object.entries((element[ATTRIBUTES] ?? {}) as Record<string, string>).filter(([name]) => !/^xmlns(:|$)/.test(name));
  const nodes = childrenOf(element);
  const children = isMixed(nodes) ? [] : elementsOf(nodes);
  if (attributes.length === 0 && children.length === 0) return textOf(nodes).trim();
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown) => void (fields.get(name)?.push(value) ?? fields.set(name, [value]));
  for (const [name, value] of attributes) add(name, value);
  const flow = flowFrom(children);
  for (const child of children.slice(0, flow)) add(nameOf(child), elementValue(child));
  if (children.length === 0) add('text', textOf(nodes).trim());
  else if (flow < children.length) add('text', flowOf(children.slice(flow)));
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
