import type { DomDocument, DomElement } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';

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
