/** An element with its content in order. Names keep their prefixes. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  content: (XmlElement | string)[];
  /** Its offset in the text, in characters. */
  at: number;
}

/** Maximum depth; deeper documents are refused, because the stack is limited. */
const MAX_NESTED = 256;
const INTERNAL_KEYS = new Set([':@', '#text']);

/** Options of the parser for a lossless tree: elements and texts in their order, with their offsets, all values as text. */
const OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  attributesGroupName: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true, // without it numeric entities are not decoded either
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_NESTED,
  captureMetaData: true,
} as const;

/**
 * Parses an XML text; returns its root. Nested and external entities are not expanded. Throws an Error for invalid XML, or too deep nesting.
 */
export async function readXml(text: string): Promise<XmlElement> {
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const validation = XMLValidator.validate(text);
  if (validation !== true) throw new Error(`line ${validation.err.line}: ${validation.err.msg}`);
  const place = XMLParser.getMetaDataSymbol() as unknown as symbol;
  const elementOf = (node: Record<string | symbol, unknown>): XmlElement => {
    const name = Object.keys(node).find((key) => !INTERNAL_KEYS.has(key))!;
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

/** Strips the prefix from the name of an element. */
export const localName = ({ name }: { name: string }): string => name.slice(name.indexOf(':') + 1);

/** Lists the child elements, without texts. */
export const childElementsOf = ({ content }: XmlElement): XmlElement[] => content.filter((child) => typeof child !== 'string');

/** Joins all text in an element. */
export const allText = ({ content }: XmlElement): string =>
  content.map((child) => (typeof child === 'string' ? child : allText(child))).join('');

/** Joins all text in an element, with a blank between two elements that follow each other directly. */
export const spacedText = ({ content }: XmlElement): string =>
  content
    .map((child, i) => (typeof child === 'string' ? child : (typeof content[i - 1] === 'object' ? ' ' : '') + spacedText(child)))
    .join('');

/** Finds the first element of this name (without prefix) in another, itself included. */
export function findElement(element: XmlElement, name: string): XmlElement | undefined {
  if (localName(element) === name) return element;
  for (const child of childElementsOf(element)) {
    const found = findElement(child, name);
    if (found) return found;
  }
  return undefined;
}

/** Finds the text of the first element of this name (without prefix), on one line; undefined if there is none or it is empty. */
export function findText(element: XmlElement, name: string): string | undefined {
  const found = findElement(element, name);
  return (found && allText(found).replace(/\s+/g, ' ').trim()) || undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the entities that XML has by itself, and those with numbers. */
export const decodeXml = (text: string): string =>
  text.replace(/&(#\d{1,7}|#x[\da-f]{1,6}|\w{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
