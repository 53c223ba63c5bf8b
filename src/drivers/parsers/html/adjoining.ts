import { moveInto, type DomElement, type DomNode } from '../dom.ts';

const KINDS: Readonly<Record<string, string>> = { B: 'strong', STRONG: 'strong', I: 'em', EM: 'em', CODE: 'code' };

/** Parts with emphasis that touch become one, and codes that touch get a space between them: the signs of Markdown around both would be others together. */
export function joinAdjoining(root: DomElement): void {
  for (const element of root.querySelectorAll('b, strong, i, em, code')) {
    const kind = KINDS[element.nodeName];
    if (kind === 'code') {
      if (isOf(element.nextSibling, kind) && element.closest('pre') === null) element.replaceWith(element.cloneNode(true), ' ');
      continue;
    }
    for (let next = element.nextSibling; isOf(next, kind); next = element.nextSibling) {
      moveInto(element, next);
      next.remove();
    }
  }
}

const isOf = (node: DomNode | null, kind: string | undefined): node is DomElement => node !== null && KINDS[node.nodeName] === kind;
