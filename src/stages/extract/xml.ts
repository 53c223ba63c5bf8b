import { orderedXml } from '../../base/ordered-xml.ts';
import { KbError } from '../../base/errors.ts';
import { ATTRIBUTES, childrenOf, elementsOf, isMixed, nameOf, textOf, type XmlNode } from './xml-nodes.ts';
import { flowFrom, flowOf } from './xml-flow.ts';

/** Deeper documents are refused: nobody reads further in, and the stack is not endless. */
const MAX_DEPTH = 256;
/** Characters, at most: what is made of them takes many times as much. */
const MAX_LENGTH = 32 * 2 ** 20;

/**
 * XML as the structure that JSON would have: an element is an object of its attributes and child elements, several of a name are a list; one with
 * neither is its text; of one that is written to be read from above to below (DocBook, JATS, DITA), that part is one text. What is handed back is the content of the root. Throws a KbError: `invalid` with the line for what is no XML (entities that a document
 * defines by others or from elsewhere are not expanded), `too_large`.
 */
export async function xmlValue(text: string, name: string): Promise<unknown> {
  if (text.length > MAX_LENGTH)
    throw new KbError('too_large', `${name} answered with XML of more than ${MAX_LENGTH} characters.`, { hint: 'Ask for less at once.' });
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const judged = XMLValidator.validate(text);
  if (judged !== true) throw unreadable(name, `line ${judged.err.line}: ${judged.err.msg}`);
  const parser = new XMLParser(orderedXml(MAX_DEPTH));
  try {
    const [root] = elementsOf(parser.parse(text) as XmlNode[]);
    if (root) return elementValue(root);
  } catch (cause) {
    throw unreadable(name, (cause as Error).message, cause);
  }
  throw unreadable(name, 'it has no element');
}

const unreadable = (name: string, reason: string, cause?: unknown): KbError =>
  new KbError('invalid', `${name} answered with XML that cannot be read: ${reason.slice(0, 200).replace(/\.$/, '')}.`, {
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
