import { basename, dirname, join } from 'node:path/posix';
import { childElementsOf, childrenNamed, readXml, type XmlElement } from '../xml.ts';
import type { Archive } from './archive.ts';

/** Parses a part of the archive; undefined if there is none of this name. Throws an Error for invalid XML. */
export async function readPart(archive: Archive, name: string): Promise<XmlElement | undefined> {
  const text = await archive.text(name);
  return text === undefined ? undefined : parseXml(text, name);
}

/** Parses a piece of the part `name`. Prefixes need no declaration. Throws an Error for invalid XML. */
export function parseXml(text: string, name: string): XmlElement {
  try {
    return readXml(text);
  } catch (cause) {
    throw new Error(`its part ${name} is no XML: ${(cause as Error).message}`, { cause });
  }
}

/** Reads the id of a relation (`r:id`, `r:dm`) from an element; `id` without a prefix is a number of PowerPoint. */
export const referenceOf = (element: XmlElement | undefined, name = 'id'): string | undefined =>
  Object.entries(element?.attributes ?? {}).find(([key]) => key.endsWith(`:${name}`))?.[1];

/** A reference from one part to another, or to an address. */
export interface Relation {
  /** Last segment of its type: `slide`, `notesSlide`, `hyperlink`. */
  type: string;
  /** Name of the part, or the address if it leads out of the file. */
  target: string;
}

/** The relations of a part, by their ids. */
export type Relations = ReadonlyMap<string, Relation>;

/** Reads the relations of a part; without a part those of the whole archive. */
export async function relationsOf(archive: Archive, part = ''): Promise<Relations> {
  const folder = dirname(part);
  const file = await readPart(archive, join(folder, '_rels', `${basename(part)}.rels`));
  return new Map(
    childrenNamed(file, 'Relationship').map(({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) => [
      Id,
      { type: Type.slice(Type.lastIndexOf('/') + 1), target: TargetMode === 'External' ? Target : partName(folder, Target) },
    ]),
  );
}

/** Lists the parts that relations of a type lead to, each once. */
export const targetsOf = (relations: Relations, type: string): string[] => [
  ...new Set([...relations.values()].filter((relation) => relation.type === type).map(({ target }) => target)),
];

const partName = (folder: string, target: string): string =>
  new URL(target, `zip://part/${folder}/`).pathname
    .slice(1)
    .replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));

/** The attribute `val` of an element, with any prefix. */
export const valueOf = (element: XmlElement | undefined): string | undefined =>
  element?.attributes['w:val'] ?? Object.entries(element?.attributes ?? {}).find(([key]) => key === 'val' || key.endsWith(':val'))?.[1];

/** Whether a property is there, and not switched off. */
export const isOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && !/^(?:0|false|off|none)$/.test(valueOf(element) ?? '');

/** Reads the first branch with content; the branches are for readers of different versions. */
export const firstAlternative = <Item>(element: XmlElement, read: (branch: XmlElement) => Item[]): Item[] =>
  childElementsOf(element)
    .values()
    .map(read)
    .find((items) => items.length > 0) ?? [];
