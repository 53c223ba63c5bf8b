import { decodeReferences } from '../markdown/character-references.ts';

/** A tag, or text between tags. */
const TOKEN = /<!\[CDATA\[([^]*?)(?:\]\]>|$)|<!--[^]*?(?:-->|$)|<[?!][^<>]*>|<(\/?)([^\s<>/]+)([^<>]*)>?|([^<]+)/g;

/** Which elements of an XML part a reader of the document sees, by their local names. */
export interface VisibleElements {
  /** Whether the text of an element is shown. */
  isText(name: string): boolean;
  /** Whether an element is left out with all in it. */
  isHidden(name: string, attributes: string): boolean;
  /** Whether words end at an element. */
  isBreak(name: string): boolean;
}

/** Extracts the text that an XML part shows, independently of its parser: tests compare it with the Markdown. Paragraphs are lines. */
export function visibleText(xml: string, { isText, isHidden, isBreak }: VisibleElements): string {
  const open: string[] = [];
  let hidden = 0;
  let text = '';
  for (const [, data, slash, qualified, attributes = '', plain] of xml.matchAll(TOKEN)) {
    const name = qualified?.slice(qualified.indexOf(':') + 1);
    if (name === undefined) {
      if (hidden === 0 && isText(open.at(-1) ?? '')) text += data ?? decodeReferences(plain ?? '');
    } else if (slash) {
      if (open.length === hidden) hidden = 0;
      open.pop();
      if (isBreak(name)) text += '\n';
    } else {
      if (isBreak(name)) text += '\n';
      if (attributes.endsWith('/')) continue;
      open.push(name);
      if (hidden === 0 && isHidden(name, attributes)) hidden = open.length;
    }
  }
  return text;
}

/** Office Open XML: text is in `t`; moved text is where it came from, too, and drawings have copies for older programs. */
export const OFFICE_ELEMENTS: VisibleElements = {
  isText: (name) => name === 't' || name === 'text',
  isHidden: (name, attributes) =>
    /^(?:moveFrom|del|Fallback|rPh)$/.test(name) || (name === 'fld' && attributes.includes('type="slidenum"')),
  isBreak: (name) => /^(?:p|br|cr|tab|ptab|noBreakHyphen|si|is|cm|text|comment|oMath|rt|rubyBase)$/.test(name),
};

/** Keeps each line of texts once. */
export const distinctLines = (texts: readonly string[]): string => [...new Set(texts.flatMap((text) => text.split('\n')))].join('\n');
