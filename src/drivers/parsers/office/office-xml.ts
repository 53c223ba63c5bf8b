import { elementsIn, localName, readXml, type XmlElement } from '../ordered-xml.ts';
import { basename, dirname, join } from 'node:path/posix';
import type { Archive } from './archive.ts';

/** An element of a part; its name has no prefix. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  /** Its own text, without that of its children. */
  text: string;
}

/** Parses a part of the archive; undefined if there is none of this name. Throws an Error for invalid XML. */
export async function readPart(archive: Archive, name: string): Promise<Element | undefined> {
  const text = await archive.text(name);
  return text === undefined ? undefined : await parseXml(text, name);
}

/** Parses a piece of the part `name`. Prefixes need no declaration. Throws an Error for invalid XML. */
export async function parseXml(text: string, name: string): Promise<Element> {
  const root = await readXml(text).catch((cause: Error) => {
    throw new Error(`its part ${name} is no XML: ${cause.message}`, { cause });
  });
  return elementOf(root);
}

const elementOf = (element: XmlElement): Element => ({
  name: localName(element),
  attributes: element.attributes,
  children: elementsIn(element).map(elementOf),
  text: element.content.filter((child) => typeof child === 'string').join(''),
});

/** Lists the children of this name. */
export const childrenNamed = ({ children }: Element, name: string): Element[] => children.filter((child) => child.name === name);

/** Finds the first child of this name. */
export const childNamed = ({ children }: Element, name: string): Element | undefined => children.find((child) => child.name === name);

/** Finds the first descendant of this name, in document order. */
export function firstNamed(element: Element, name: string): Element | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : firstNamed(child, name);
    if (found) return found;
  }
  return undefined;
}

/** Joins the texts of all descendants of this name. */
export const textWithin = (element: Element, name: string): string =>
  element.children.map((child) => (child.name === name ? child.text : textWithin(child, name))).join('');

/** Reads the id of a relation (`r:id`, `r:dm`) from an element; `id` without a prefix is a number of PowerPoint. */
export const referenceOf = ({ attributes }: Element, name = 'id'): string | undefined =>
  Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];

/** A reference from one part to another, or to an address. */
export interface Relation {
  /** Last segment of its type: `slide`, `notesSlide`, `hyperlink`. */
  type: string;
  /** Name of the part, or the address if it leads out of the file. */
  target: string;
}

/** Reads the relations of a part, by their ids; without a part those of the whole archive. */
export async function relationsOf(archive: Archive, part = ''): Promise<Map<string, Relation>> {
  const folder = dirname(part);
  const file = await readPart(archive, join(folder, '_rels', `${basename(part)}.rels`));
  return new Map(
    (file ? childrenNamed(file, 'Relationship') : []).map(({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) => [
      Id,
      { type: Type.slice(Type.lastIndexOf('/') + 1), target: TargetMode === 'External' ? Target : partName(folder, Target) },
    ]),
  );
}

/** Lists the parts that relations of a type lead to, each once. */
export const targetsOf = (relations: ReadonlyMap<string, Relation>, type: string): string[] => [
  ...new Set([...relations.values()].filter((relation) => relation.type === type).map(({ target }) => target)),
];

const partName = (folder: string, target: string): string =>
  new URL(target, `zip://part/${folder}/`).pathname
    .slice(1)
    .replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
