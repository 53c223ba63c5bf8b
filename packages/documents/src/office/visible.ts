import { localName, type XmlElement } from '../xml.ts';
import type { Archive } from './archive.ts';
import { readPart } from './xml.ts';

/** Which elements a reader of the document sees. Names are without prefixes. */
export interface VisibleElements {
  /** Whether the text of an element is shown. */
  isText(name: string): boolean;
  /** Whether an element is left out with all in it. */
  isHidden(element: XmlElement): boolean;
  /** Whether words end at an element. */
  isBreak(name: string): boolean;
}

/** Extracts the text that an element shows, independently of its parser. Paragraphs are lines. */
export function visibleText(element: XmlElement, elements: VisibleElements): string {
  if (elements.isHidden(element)) return '';
  const name = localName(element);
  const isText = elements.isText(name);
  const texts = element.content.map((child) => (typeof child !== 'string' ? visibleText(child, elements) : isText ? child : ''));
  const border = elements.isBreak(name) ? '\n' : '';
  return border + texts.join('') + border;
}

/** Extracts the texts that parts show; none of a damaged part. */
export const visibleParts = (archive: Archive, names: readonly string[], elements: VisibleElements): Promise<string[]> =>
  Promise.all(
    names.map(async (name) => {
      const root = await readPart(archive, name).catch(() => undefined);
      return root ? visibleText(root, elements) : '';
    }),
  );

/** Office Open XML: text is in `t`; moved text is where it came from, too, and drawings have copies for older programs. */
export const OFFICE_ELEMENTS: VisibleElements = {
  isText: (name) => name === 't' || name === 'text',
  isHidden: (element) => {
    const name = localName(element);
    return /^(?:moveFrom|del|Fallback|rPh)$/.test(name) || (name === 'fld' && element.attributes['type'] === 'slidenum');
  },
  isBreak: (name) => /^(?:p|br|cr|tab|ptab|noBreakHyphen|si|is|cm|text|comment|oMath|rt|rubyBase)$/.test(name),
};

/** Keeps each line of texts once. */
export const distinctLines = (texts: readonly string[]): string => [...new Set(texts.flatMap((text) => text.split('\n')))].join('\n');
