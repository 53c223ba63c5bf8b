import type { DomElement, DomNode } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';

const HEADING = /^(?:H[1-6]|DT|SUMMARY)$/;
const PROSE = /^(?:P|LI|TD|DD)$/;
const TEXT = 3;

/** Tells the buttons that say something from those that do something: the only words of a heading, which fold its section out, and what a sentence speaks of. */
export function saidButtons(): (button: DomElement) => boolean {
  const besides = new Map<DomElement, number>(); // letters of each heading that stand in no button
  const isLabel = (button: DomElement): boolean => {
    const heading = headingAround(button);
    if (!heading) return false;
    if (!besides.has(heading)) {
      const buttons = [...heading.querySelectorAll('button')];
      if (buttons.length === 1 && isNumber(button, heading)) return true;
      besides.set(heading, lettersIn(heading) - buttons.reduce((sum, other) => sum + lettersIn(other), 0));
    }
    const others = besides.get(heading)!;
    const isSo = lettersIn(button) > 0 && (others <= 0 || (button.hasAttribute('aria-expanded') && lettersIn(button) > others));
    if (isSo) besides.set(heading, Infinity); // one label is enough
    return isSo;
  };
  return (button) => isLabel(button) || isSpokenOf(button);
}

function headingAround(button: DomElement): DomElement | undefined {
  for (let around = button.parentElement; around; around = around.parentElement) if (HEADING.test(around.nodeName)) return around;
  return undefined;
}

const lettersIn = ({ textContent }: DomElement): number => (textContent ?? '').match(/\p{L}/gu)?.length ?? 0;

/** A heading may be a year. */
const isNumber = (button: DomElement, heading: DomElement): boolean =>
  /\p{N}/u.test(button.textContent ?? '') && oneLine(button.textContent ?? '') === oneLine(heading.textContent ?? '');

/** A button that a sentence speaks of, with words before it and something after it. */
const isSpokenOf = ({ parentElement, previousSibling, nextSibling }: DomElement): boolean =>
  parentElement !== null &&
  PROSE.test(parentElement.nodeName) &&
  saysSomething(previousSibling, /\p{L}/u) &&
  saysSomething(nextSibling, /\S/);

const saysSomething = (node: DomNode | null, sign: RegExp): boolean => node?.nodeType === TEXT && sign.test(node.textContent ?? '');

/** Leaves what a button says. A heading that unfolds its section is called a header, which readers of pages take for the page's. */
export function writeOut(button: DomElement): void {
  headingAround(button)?.removeAttribute('class');
  button.replaceWith(oneLine(button.textContent ?? ''));
}
