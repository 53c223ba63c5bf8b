import { childElements, type DomElement, HEADINGS, isTextNode } from './dom.ts';
import { oneLine } from '../markdown/write.ts';
import { isLineNumber } from './code-blocks.ts';
import { isInline, measuresOf, type Measure } from './link-density.ts';
import { isConcealed, PANEL, unhide } from './widgets.ts';

/** Elements that are never content, or have no text to show. */
const UNSEEN = new Set(
  'SCRIPT STYLE NOSCRIPT NOFRAMES TEMPLATE SVG IFRAME OBJECT EMBED CANVAS LINK META TITLE SELECT TEXTAREA DATALIST DIALOG INPUT BUTTON AUDIO VIDEO PROGRESS SLOT'.split(
    ' ',
  ),
);

/** Removes what a reader does not see: scripts, controls, and blocks that are hidden. Hidden words of a sentence stay: a script shows some of them. */
export function removeUnseen(root: DomElement): void {
  writeLabels(root);
  const measured = measuresOf(root);
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      const name = child.nodeName.toUpperCase();
      if (isUnseen(child, name)) child.remove();
      else if (isConcealed(child) && isHiddenBlock(child, measured)) child.remove();
      else {
        if (isConcealed(child)) unhide(child);
        visit(child);
      }
    }
  };
  visit(root);
}

/** Replaces a button that is a whole heading (of an accordion) by its words. */
function writeLabels(root: DomElement): void {
  for (const heading of root.querySelectorAll(`${HEADINGS}, dt, summary`)) {
    const buttons = [...heading.querySelectorAll('button')];
    const besides = lettersIn(heading) - buttons.reduce((sum, button) => sum + lettersIn(button), 0);
    if (!buttons[0] || besides > 0) continue;
    buttons[0].replaceWith(oneLine(buttons[0].textContent ?? ''));
  }
}

const lettersIn = ({ textContent }: DomElement): number => (textContent ?? '').match(/\p{L}/gu)?.length ?? 0;

/** Whether an element is never shown as text, or holds the numbers of lines of code in the cell beside it. */
const isUnseen = (element: DomElement, name: string): boolean =>
  (UNSEEN.has(name) && !isFormula(element, name)) || (name === 'TD' && isLineNumber(element));

/** Whether a script holds the source of a formula (MathJax). */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

/** Whether a hidden element is a block that stays hidden: no part of a sentence, no panel that a click opens, and not most of the page. */
function isHiddenBlock(element: DomElement, measured: (element: DomElement) => Measure): boolean {
  if (isInline(element) && isInSentence(element)) return false;
  if (element.getAttribute('role') === 'tabpanel' || PANEL.test(element.getAttribute('class') ?? '')) return false;
  const around = element.parentElement;
  return around?.nodeName !== 'BODY' || measured(element).letters <= measured(around).letters / 2;
}

/** Whether an element stands beside words. */
function isInSentence(element: DomElement): boolean {
  const siblings = [...element.parentElement!.childNodes];
  return siblings.some((node) => isTextNode(node) && (node.textContent ?? '').trim() !== '');
}
