import { childNamed, childrenNamed, type XmlElement } from '../../xml.ts';
import { valueOf } from '../xml.ts';

/** Properties of a paragraph style, with those that it inherits. */
export interface Style {
  /** Its id, then those of the styles that it is based on. */
  ids: string[];
  /** Level of a heading, from 1; 0 for other text. */
  heading: number;
  /** The id of its list, and the level in it. */
  list?: string | undefined;
  level?: number | undefined;
  /** Whether its text belongs to a table of contents, which repeats headings. */
  isContents: boolean;
}

/** Names that styles have in every language. */
const CONTENTS = /^(?:toc \d|toc heading|table of figures)$/i;

/** The paragraph styles of a document, by id. */
export class Styles {
  readonly #elements: ReadonlyMap<string | undefined, XmlElement>;
  readonly #resolved = new Map<string | undefined, Style>();
  readonly #default: string | undefined;

  constructor(part: XmlElement | undefined) {
    const styles = childrenNamed(part, 'style');
    this.#elements = new Map(styles.map((style) => [style.attributes['w:styleId'], style]));
    this.#default = styles.find(
      ({ attributes }) => attributes['w:type'] === 'paragraph' && /^(?:1|true|on)$/.test(attributes['w:default'] ?? ''),
    )?.attributes['w:styleId'];
  }

  get(id = this.#default): Style {
    const resolved = this.#resolved.get(id) ?? this.#resolve(id);
    this.#resolved.set(id, resolved);
    return resolved;
  }

  /** The format of the text of a style. */
  runProperties(id: string | undefined): XmlElement | undefined {
    return id === undefined ? undefined : childNamed(this.#elements.get(id), 'rPr');
  }

  #resolve(id: string | undefined): Style {
    const ids: string[] = [];
    const style: Style = { ids, heading: 0, isContents: false };
    let heading: number | undefined;
    for (let next = id; next !== undefined && !ids.includes(next);) {
      ids.push(next);
      const element: XmlElement | undefined = this.#elements.get(next);
      const name = valueOf(childNamed(element, 'name')) ?? '';
      const properties = childNamed(element, 'pPr');
      if (ids.length === 1) style.isContents = CONTENTS.test(name);
      heading ??= headingLevel(name, properties);
      const numPr = childNamed(properties, 'numPr');
      style.list ??= valueOf(childNamed(numPr, 'numId'));
      style.level ??= numberOf(valueOf(childNamed(numPr, 'ilvl')));
      next = valueOf(childNamed(element, 'basedOn'));
    }
    return { ...style, heading: heading ?? 0 };
  }
}

const numberOf = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));

/** The level by the name of a style, or by the level in the outline; 9 means none. Undefined if neither tells. */
export function headingLevel(name: string, properties: XmlElement | undefined): number | undefined {
  const named = /^(?:heading (\d)|title)$/i.exec(name);
  if (named) return Number(named[1] ?? 1);
  const outline = numberOf(valueOf(childNamed(properties, 'outlineLvl')));
  return outline === undefined ? undefined : outline < 9 ? outline + 1 : 0;
}
