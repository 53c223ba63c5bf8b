/** What is used of a node of the document that linkedom makes. */
interface XmlNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<XmlNode>;
  attributes?: Iterable<{ name: string; value: string }>;
}

const ELEMENT = 1;
/** Deeper elements are taken as their text: nobody reads further in, and the stack is not endless. */
const MAX_DEPTH = 64;

/**
 * XML as the structure that JSON would have: an element is an object of its attributes and child elements, several of a name are a list; one with
 * neither is its text. What is handed back is the content of the root; undefined where there is no root.
 */
export async function xmlValue(text: string): Promise<unknown> {
  const { DOMParser } = await import('linkedom');
  const document = new DOMParser().parseFromString(text, 'text/xml') as unknown as XmlNode;
  const root = [...document.childNodes].find(({ nodeType }) => nodeType === ELEMENT);
  return root && elementValue(root, 0);
}

function elementValue(element: XmlNode, depth: number): unknown {
  const attributes = [...(element.attributes ?? [])].filter(({ name }) => !/^xmlns(:|$)/.test(name));
  const children = depth < MAX_DEPTH ? [...element.childNodes].filter(({ nodeType }) => nodeType === ELEMENT) : [];
  const text = (element.textContent ?? '').trim();
  if (attributes.length === 0 && children.length === 0) return text;
  const fields = new Map<string, unknown[]>();
  const add = (name: string, value: unknown) => fields.set(name, [...(fields.get(name) ?? []), value]);
  for (const { name, value } of attributes) add(name, value);
  if (isMixed(element) || children.length === 0) add('text', text);
  else for (const child of children) add(child.nodeName, elementValue(child, depth + 1));
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** Text between the elements: it is prose, which its markup must not cut up. */
const isMixed = (element: XmlNode): boolean =>
  [...element.childNodes].some(({ nodeType, textContent }) => (nodeType === 3 || nodeType === 4) && (textContent ?? '').trim() !== '');
