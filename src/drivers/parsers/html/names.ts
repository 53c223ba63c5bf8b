import type { DomElement } from '../dom.ts';

const HEADING = /^(?:H[1-6]|DT)$/;
const PART = /^(?:DIV|SECTION)$/;
const PLACE = /^(?:A|SPAN)$/;
const MOST_PLACES = 5;

/** The names that its author gave an element. */
export const namesOf = (element: DomElement): string => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;

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
export const purposeOf = (element: DomElement): string => (isTopic(element) ? (element.getAttribute('class') ?? '') : namesOf(element));
