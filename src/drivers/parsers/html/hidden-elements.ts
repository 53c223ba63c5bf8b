import type { DomElement } from './dom.ts';

const STYLE = /display:\s*none|visibility:\s*hidden/i;

/** Whether an element says of itself that it is not shown. */
export const isConcealed = (element: DomElement): boolean =>
  (element.hasAttribute('hidden') && element.getAttribute('hidden') !== 'until-found') || STYLE.test(element.getAttribute('style') ?? '');

/** Lets a part be seen that a click or a script would bring forth, so that nothing that reads the page later takes it for hidden. */
export function unhide(element: DomElement): void {
  for (const name of ['hidden', 'aria-hidden']) element.removeAttribute(name);
  if (STYLE.test(element.getAttribute('style') ?? '')) element.removeAttribute('style');
}
