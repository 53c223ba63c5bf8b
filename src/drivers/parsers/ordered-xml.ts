/** An element with its content in order. Names keep their prefixes. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  content: (XmlElement | string)[];
  /** Where it begins in the text, in characters. */
  at: number;
}

/** Deeper documents are refused: nobody reads further in, and the stack is not endless. */
const MOST_NESTED = 256;
const OWN = new Set([':@', '#text']);

/** A tree that loses nothing: elements and texts in their order, all of them as text, each with its place. */
const OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  attributesGroupName: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true, // without it numeric ones are not read either
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MOST_NESTED,
  captureMetaData: true,
} as const;

/** The root of an XML text. Entities that it defines by others or from elsewhere stay as they are. Throws an Error for what is no XML, or nested too deeply. */
export async function readXml(text: string): Promise<XmlElement> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const judged = XMLValidator.validate(text);
  if (judged !== true) throw new Error(`line ${judged.err.line}: ${judged.err.msg}`);
  const place = XMLParser.getMetaDataSymbol() as unknown as symbol;
  const elementOf = (node: Record<string | symbol, unknown>): XmlElement => {
    const name = Object.keys(node).find((key) => !OWN.has(key))!;
    return {
      name,
      attributes: (node[':@'] ?? {}) as Record<string, string>,
      content: (node[name] as Record<string, unknown>[]).map((child) => ('#text' in child ? String(child['#text']) : elementOf(child))),
      at: (node[place] as { startIndex?: number } | undefined)?.startIndex ?? 0,
    };
  };
  const roots = new XMLParser(OPTIONS).parse(text) as Record<string, unknown>[];
  const root = roots.find((node) => !('#text' in node));
  if (!root) throw new Error('it has no element');
  return elementOf(root);
}

/** The name without its prefix. */
export const localName = ({ name }: { name: string }): string => name.slice(name.indexOf(':') + 1);

export const elementsIn = ({ content }: XmlElement): XmlElement[] => content.filter((child) => typeof child !== 'string');

/** All text in an element. */
export const allText = ({ content }: XmlElement): string =>
  content.map((child) => (typeof child === 'string' ? child : allText(child))).join('');

/** The text in an element that follows others with nothing between them as words of its own. */
export const wordsIn = ({ content }: XmlElement): string =>
  content
    .map((child, i) => (typeof child === 'string' ? child : (typeof content[i - 1] === 'object' ? ' ' : '') + wordsIn(child)))
    .join('');

/** The first element of this name (without prefix) in another, itself included. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  if (localName(element) === name) return element;
  for (const child of elementsIn(element)) {
    const found = findElement(child, name);
    if (found) return found;
  }
  return undefined;
}

/** The text of the first element of this name (without prefix) in another, on one line; undefined for none and for an empty one. */
export function textNamed(element: XmlElement, name: string): string | undefined {
  const found = findElement(element, name);
  return (found && allText(found).replace(/\s+/g, ' ').trim()) || undefined;
}

/** Text as XML and HTML hold it, within an element or an attribute in double quotes. */
export const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
