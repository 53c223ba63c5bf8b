import type { DomElement, DomNode } from '../dom.ts';
import { lettersOf } from './prose.ts';

/** What an element holds. */
export interface Measure {
  letters: number;
  /** Those of them that stand in links. */
  linked: number;
}

const TEXT = 3;
const ELEMENT = 1;
/** What these hold is for no reader. */
const SILENT = /^(?:SCRIPT|STYLE|TEMPLATE)$/;

/** The measure of an element and of each one in it, in one walk: asking each for its text would take time with their number times their depth. */
export function measuresOf(root: DomElement): (element: DomElement) => Measure {
  const known = new Map<DomElement, Measure>();
  const visit = (element: DomElement, inLink: boolean): Measure => {
    const measure = { letters: 0, linked: 0 };
    for (let child: DomNode | null = element.firstChild; child; child = child.nextSibling) {
      const { letters, linked } = measureOf(child, inLink);
      measure.letters += letters;
      measure.linked += linked;
    }
    known.set(element, measure);
    return measure;
  };
  const measureOf = (node: DomNode, inLink: boolean): Measure => {
    if (SILENT.test(node.nodeName)) return { letters: 0, linked: 0 };
    if (node.nodeType === ELEMENT) return visit(node as DomElement, inLink || isLink(node as DomElement));
    const letters = node.nodeType === TEXT ? lettersOf(node) : 0;
    return { letters, linked: inLink ? letters : 0 };
  };
  visit(root, false);
  return (element) => known.get(element) ?? { letters: 0, linked: 0 };
}

/** The letters of an element and of all in it, summed up: about what it costs to ask each of them for its text. */
export function lettersAtAll(root: DomElement): number {
  const measured = measuresOf(root);
  let sum = measured(root).letters;
  for (const element of root.querySelectorAll('*')) sum += measured(element).letters;
  return sum;
}

const isLink = (element: DomElement): boolean => element.nodeName === 'A' && element.hasAttribute('href');
