import { childElements, type DomElement, type DomNode, unwrap } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';

const TEXT = 3;
const ELEMENT = 1;
const WORD = /[\p{L}\p{N}]/u;
/** Words for screen readers beside an icon, as Bootstrap, WordPress and Primer name them. */
const UNSHOWN = /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-reader-text)(?:$|[\s_-])/i;
const SIGN = /<svg|sr-only|visually-?hidden|screen-reader-text|checkbox|aria-label|<i\b/i;
const CONTROL = /^(?:BUTTON|SELECT|TEXTAREA|SCRIPT|STYLE|TEMPLATE)$/;

/** Whether an element is for screen readers only. */
export const isUnshown = (element: DomElement): boolean => UNSHOWN.test(element.getAttribute('class') ?? '');

/** Writes out icons as text if nothing else says it: the ticks of task lists, and icons that fill a table cell. */
export function writeIcons(body: DomElement, html: string): void {
  if (!SIGN.test(html)) return;
  for (const box of body.querySelectorAll('li input[type=checkbox]')) if (isTask(box)) box.replaceWith(`${tickOf(box)} `);
  for (const cell of body.querySelectorAll('td, th')) {
    const said = saidBySigns(cell);
    if (said) cell.append(said);
  }
}

/** A box that cannot be ticked says what is done; others are there to be chosen. */
const isTask = (box: DomElement): boolean =>
  box.hasAttribute('disabled') || /(?:^|\s)task-list-item/.test(box.closest('li')?.getAttribute('class') ?? '');

const tickOf = (box: DomElement): string => (box.hasAttribute('checked') ? '[x]' : '[ ]');

/** Finds the text of the first icon in a cell; undefined if the cell has words or pictures of its own. */
function saidBySigns(cell: DomElement): string | undefined {
  const said: string[] = [];
  const hasWords = (node: DomNode): boolean => {
    if (node.nodeType === TEXT) return WORD.test(node.textContent ?? '');
    if (node.nodeType !== ELEMENT) return false;
    const element = node as DomElement;
    if (CONTROL.test(element.nodeName)) return false;
    const own = saidBy(element);
    if (own === undefined && [...element.childNodes].some(hasWords)) return true;
    said.push(own ?? labelOf(element));
    return element.nodeName === 'IMG' && labelOf(element) !== '';
  };
  return [...cell.childNodes].some(hasWords) ? undefined : said.find((words) => words !== '');
}

/** What a sign says whose content nobody sees. */
function saidBy(element: DomElement): string | undefined {
  if (element.nodeName.toUpperCase() === 'SVG') return labelOf(element) || oneLine(element.querySelector('title')?.textContent ?? '');
  if (element.nodeName === 'INPUT')
    return element.getAttribute('type') === 'checkbox' && element.hasAttribute('disabled') ? tickOf(element) : '';
  return isUnshown(element) ? oneLine(element.textContent ?? '') : undefined;
}

const labelOf = (element: DomElement): string =>
  oneLine(['aria-label', 'alt', 'title'].map((name) => element.getAttribute(name)).find(Boolean) ?? '');

/** Puts the content of components that a server drew in their place. */
export function openComponents(body: DomElement, html: string): void {
  if (/shadowrootmode/i.test(html)) openShadowRoots(body);
}

/** A declared shadow root is shown where it stands (HTML, 4.12.3), before what is slotted into it. */
function openShadowRoots(element: DomElement): void {
  for (const child of childElements(element)) {
    openShadowRoots(child);
    if (child.nodeName === 'TEMPLATE' && child.hasAttribute('shadowrootmode')) unwrap(child);
  }
}
