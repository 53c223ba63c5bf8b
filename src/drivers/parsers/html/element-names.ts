import { type DomDocument, type DomElement, elementNames } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';

const HEADING = /^(?:H[1-6]|DT)$/;
const PART = /^(?:DIV|SECTION)$/;
const PLACE = /^(?:A|SPAN)$/;
const MOST_PLACES = 5;

/** Whether an element is a heading or a term, or a part that begins with one: its id is where links to it lead, and says what it is about. */
export const isTopic = (element: DomElement): boolean =>
  isHead(element) || (PART.test(element.nodeName) && headOfPart(element) !== undefined);

/** The heading that a part begins with, behind nothing but places that links lead to. */
export function headOfPart(part: DomElement): DomElement | undefined {
  let first = part.firstElementChild;
  for (let i = 0; i < MOST_PLACES && first && PLACE.test(first.nodeName) && (first.textContent ?? '').trim() === ''; i++)
    first = first.nextElementSibling;
  return first && isHead(first) ? first : undefined;
}

const isHead = ({ nodeName }: DomElement): boolean => HEADING.test(nodeName);

/** The names that say what an element is for. */
export const purposeOf = (element: DomElement): string =>
  isTopic(element) ? (element.getAttribute('class') ?? '') : elementNames(element);

export interface Page {
  document: DomDocument;
  body: DomElement;
}

/** The elements of a body by their id (`#id`), and by the id of the one that labels them (`by id`). */
export type Named = ReadonlyMap<string, DomElement>;

export function namedElements(body: DomElement): Named {
  const named = new Map<string, DomElement>();
  for (const [attribute, sign] of [
    ['id', '#'],
    ['aria-labelledby', 'by '],
  ] as const)
    for (const element of body.querySelectorAll(`[${attribute}]`)) {
      const name = `${sign}${element.getAttribute(attribute)}`;
      if (!named.has(name)) named.set(name, element);
    }
  return named;
}

/** What a label says that it brings forth, or what says that this is its label. */
export const panelNamed = (label: DomElement, named: Named): DomElement | undefined =>
  named.get(`#${label.getAttribute('aria-controls') ?? ''}`) ?? named.get(`by ${label.getAttribute('id') ?? ''}`);

/** The words of a label as a paragraph of its own. */
export function labelled(label: DomElement, { document }: Page): DomElement {
  const [paragraph, strong] = [document.createElement('p'), document.createElement('strong')];
  const words = label.cloneNode(true) as DomElement;
  for (const silent of words.querySelectorAll('script, style, svg')) silent.remove();
  strong.textContent = oneLine(words.textContent ?? '');
  paragraph.append(strong);
  return paragraph;
}
