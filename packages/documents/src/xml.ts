import { decodeReferences } from './markdown/character-references.ts';

/** An element with its content in order. Names keep their prefixes. */
export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  content: (XmlElement | string)[];
  /** Its offset in the text, in characters. */
  at: number;
}

/** Maximum depth; deeper documents are refused, because the stack is limited. */
const MAX_DEPTH = 256;
/** Maximum characters that entities of a document type may add to its text. */
const MAX_EXPANDED = 100_000;

const NAME = /[^\s/<>="'!?]+/y;
const ATTRIBUTE = /\s+([^\s/<>="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
const TAG_END = /\s*(\/?)>/y;
/** A part of a document type: quoted text, or other characters up to the next such part or bracket. */
const TYPE_PART = /"[^"]*"|'[^']*'|<|[^"'<>[\]]+/y;
const ENTITY = /<!ENTITY\s+([^\s%"'<>]+)\s+(?:"([^"<&]*)"|'([^'<&]*)')\s*>/g;

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Parses an XML text in linear time; returns its root. Entities that hold markup or other entities, and external ones, are not expanded. Throws an Error with
 * the line for invalid XML, and for too deep nesting.
 */
export function readXml(text: string): XmlElement {
  const reader = new XmlReader(text);
  for (let at = 0; at < text.length;) at = reader.readAt(at);
  return reader.end();
}

class XmlReader {
  readonly #text: string;
  readonly #open: XmlElement[] = [];
  #entities = new Map<string, string>();
  #expanded = 0;
  #root: XmlElement | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the markup or the text at an offset; returns where it ends. */
  readAt(at: number): number {
    const text = this.#text;
    if (text[at] !== '<') {
      const next = text.indexOf('<', at);
      const end = next < 0 ? text.length : next;
      this.#addText(this.#decode(text.slice(at, end)), at);
      return end;
    }
    if (text.startsWith('<?', at)) return this.#after('?>', at);
    if (text.startsWith('<!--', at)) return this.#after('-->', at);
    if (text.startsWith('<![CDATA[', at)) {
      const end = this.#after(']]>', at);
      this.#addText(withNewlines(text.slice(at + '<![CDATA['.length, end - ']]>'.length)), at);
      return end;
    }
    if (text.startsWith('<!', at)) return this.#readType(at);
    return text[at + 1] === '/' ? this.#close(at) : this.#openElement(at);
  }

  end(): XmlElement {
    const last = this.#open.at(-1);
    if (last) throw this.#error(`the element ${last.name} is not closed`, this.#text.length);
    if (!this.#root) throw this.#error('it has no element', 0);
    return this.#root;
  }

  #openElement(at: number): number {
    const name = execAt(NAME, this.#text, at + 1)?.[0];
    if (name === undefined || name === '__proto__') throw this.#error('this is not the name of an element', at);
    const attributes = Object.create(null) as Record<string, string>;
    let end = at + 1 + name.length;
    for (let match = execAt(ATTRIBUTE, this.#text, end); match; match = execAt(ATTRIBUTE, this.#text, end)) {
      attributes[match[1]!] = this.#decode((match[2] ?? match[3]!).replace(/[\t\r\n]/g, ' '));
      end += match[0].length;
    }
    const close = execAt(TAG_END, this.#text, end);
    if (!close) throw this.#error(`the tag ${name.slice(0, MAX_SHOWN)} is broken`, at);
    const element: XmlElement = { name, attributes, content: [], at };
    const parent = this.#open.at(-1);
    if (parent) parent.content.push(element);
    else if (this.#root) throw this.#error('there is a second root element', at);
    else this.#root = element;
    if (close[1] === '') this.#open.push(element);
    if (this.#open.length > MAX_DEPTH) throw this.#error(`it is nested more than ${MAX_DEPTH} elements deep`, at);
    return end + close[0].length;
  }

  #close(at: number): number {
    const element = this.#open.pop();
    const end = this.#after('>', at);
    const name = this.#text.slice(at + 2, end - 1).trimEnd();
    if (name !== element?.name)
      throw this.#error(`the element ${element?.name.slice(0, MAX_SHOWN) ?? ''} ends with </${name.slice(0, MAX_SHOWN)}>`, at);
    return end;
  }

  /** Reads a document type with its entities. */
  #readType(at: number): number {
    for (let end = at + 2, depth = 0; end < this.#text.length;) {
      if (this.#text.startsWith('<!--', end)) end = this.#after('-->', end);
      const part = execAt(TYPE_PART, this.#text, end)?.[0];
      const mark = this.#text[end];
      end += part?.length ?? 1;
      if (part !== undefined) continue;
      if (mark === '[') depth += 1;
      if (mark === ']') depth -= 1;
      if (mark !== '>' || depth > 0) continue;
      const entities = this.#text.slice(at, end).matchAll(ENTITY);
      this.#entities = new Map(entities.map(([, name = '', double, single]) => [name, double ?? single ?? '']));
      return end;
    }
    throw this.#error('the document type does not end', at);
  }

  #addText(text: string, at: number): void {
    const content = this.#open.at(-1)?.content;
    if (!content) {
      if (text.trim() !== '') throw this.#error('there is text outside of the root element', at);
      return;
    }
    if (typeof content.at(-1) === 'string') content[content.length - 1] += text;
    else content.push(text);
  }

  #decode(text: string): string {
    if (!text.includes('&')) return withNewlines(text);
    const expanded = withNewlines(text).replaceAll(/&([^\s&;]{1,100});/g, (reference, name: string) => {
      const value = this.#entities.get(name);
      if (value === undefined) return reference;
      this.#expanded += value.length;
      if (this.#expanded > MAX_EXPANDED) throw new Error('its entities expand to too much text');
      return value;
    });
    return decodeReferences(expanded);
  }

  #after(mark: string, at: number): number {
    const end = this.#text.indexOf(mark, at + 2);
    if (end < 0) throw this.#error(`${mark} is missing`, at);
    return end + mark.length;
  }

  #error(message: string, at: number): Error {
    return new Error(`line ${this.#text.slice(0, at).split('\n').length}: ${message}`);
  }
}

/** Characters of a name that a message shows. */
const MAX_SHOWN = 100;

const withNewlines = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text);

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

/** Lists the children of this name (without prefix). */
export const childrenNamed = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element ? childElementsOf(element).filter((child) => localName(child) === name) : [];

/** Finds the first child of this name (without prefix). */
export const childNamed = (element: XmlElement | undefined, name: string): XmlElement | undefined => childrenNamed(element, name)[0];

/** Finds the first element of this name (without prefix) in another, itself included, in document order. */
export function findElement(element: XmlElement | undefined, name: string): XmlElement | undefined {
  if (!element || localName(element) === name) return element;
  for (const child of childElementsOf(element)) {
    const found = findElement(child, name);
    if (found) return found;
  }
  return undefined;
}

/** Joins the texts of all descendants of this name (without prefix). */
export const textWithin = (element: XmlElement, name: string): string =>
  childElementsOf(element)
    .map((child) => (localName(child) === name ? allText(child) : textWithin(child, name)))
    .join('');

/** Finds the text of the first element of this name (without prefix), on one line; undefined if there is none or it is empty. */
export function findText(element: XmlElement, name: string): string | undefined {
  const found = findElement(element, name);
  return (found && allText(found).replace(/\s+/g, ' ').trim()) || undefined;
}
