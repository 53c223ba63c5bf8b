import { elementsIn, localName, readXml, type XmlElement } from '../ordered-xml.ts';
import { basename, dirname, join } from 'node:path/posix';
import type { Archive } from './archive.ts';

/** An element of a part, by its name without a prefix. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  /** Its own text, without that of its children. */
  text: string;
}

/** A part as a tree; undefined where the archive has none of this name. Throws an Error for what is no XML. */
export async function readPart(archive: Archive, name: string): Promise<Element | undefined> {
  const text = await archive.text(name);
  return text === undefined ? undefined : await parseXml(text, name);
}

/** A piece of a part as a tree; `name` is that of the part. Prefixes need no declaration. Throws an Error for what is no XML. */
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

export const childrenNamed = ({ children }: Element, name: string): Element[] => children.filter((child) => child.name === name);

export const childNamed = ({ children }: Element, name: string): Element | undefined => children.find((child) => child.name === name);

/** The first element of this name below another, in the order of the document. */
export function firstNamed(element: Element, name: string): Element | undefined {
  for (const child of element.children) {
    const found = child.name === name ? child : firstNamed(child, name);
    if (found) return found;
  }
  return undefined;
}

/** The text of all elements of this name below another. */
export const textWithin = (element: Element, name: string): string =>
  element.children.map((child) => (child.name === name ? child.text : textWithin(child, name))).join('');

/** What a reference of a part to another (`r:id`, `r:dm`) is called there; `id` alone is a number of PowerPoint's own. */
export const referenceOf = ({ attributes }: Element, name = 'id'): string | undefined =>
  Object.entries(attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];

export interface Relation {
  /** The last word of its type: `slide`, `notesSlide`, `hyperlink`. */
  type: string;
  /** The name of the part, or the address where it leads out of the file. */
  target: string;
}

/** The relations of a part, by the names that it gives them; those of the whole archive where no part is named. */
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

/** The parts that relations of a type lead to, each once. */
export const targetsOf = (relations: ReadonlyMap<string, Relation>, type: string): string[] => [
  ...new Set([...relations.values()].filter((relation) => relation.type === type).map(({ target }) => target)),
];

const partName = (folder: string, target: string): string =>
  new URL(target, `zip://part/${folder}/`).pathname
    .slice(1)
    .replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
