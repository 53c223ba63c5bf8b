import { childElements, type DomElement } from '../dom.ts';

/** An item of a list with the number that a browser shows. `next`: the number that the next item of each list has, because looking that up at each takes its time from long lists. */
export function listItem(content: string, node: DomElement, next: WeakMap<DomElement, number>): string {
  const list = node.parentElement;
  const isNumbered = list?.nodeName === 'OL';
  const number = isNumbered ? (numberIn(node, 'value') ?? next.get(list) ?? firstOf(list)) : 0;
  if (isNumbered) next.set(list, Math.max(0, number + (list.hasAttribute('reversed') ? -1 : 1)));
  const mark = isNumbered ? `${number}. ` : '- ';
  const text = content.trim().replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`);
  return text === '' ? '' : `${mark}${text}\n`;
}

/** Where a list begins; one that counts down, with as many as it has. */
const firstOf = (list: DomElement): number =>
  numberIn(list, 'start') ?? (list.hasAttribute('reversed') ? childElements(list).filter(({ nodeName }) => nodeName === 'LI').length : 1);

/** A number that Markdown can show. */
function numberIn(element: DomElement, attribute: string): number | undefined {
  const number = Number.parseInt(element.getAttribute(attribute) ?? '', 10);
  return number >= 0 && number < 1_000_000_000 ? number : undefined;
}
