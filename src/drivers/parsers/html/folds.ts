import { childElements, type DomElement, LEVEL, moveInto } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';

/** A page with more folds has them for details of one thing each, such as the members of an API. */
const MOST_FOLDS = 60;
/** Characters of a summary that may be a heading, at most, and of what it stands above, at least. */
const LONGEST = 150;
const SHORTEST_BODY = 40;
const HEADING = /^H[1-6]$/;
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
const NESTED = 'li, td, th, dd, blockquote, details';
const DEEPEST = 6;

/**
 * Makes the summaries of folds that stand one after another, as the questions of an FAQ do, headings one level below the section that they are in: what
 * they bring forth would else be cited as the section before.
 */
export function writeFolds(root: DomElement): void {
  const folds = [...root.querySelectorAll('details')].filter((fold) => isSection(fold, root));
  const names = new Set(folds.map((fold) => oneLine(summaryOf(fold)!.textContent ?? '')));
  if (names.size < 2 || names.size < folds.length || folds.length > MOST_FOLDS) return;
  const chosen = new Set(folds);
  let level = 1;
  for (const element of root.querySelectorAll(`${HEADINGS}, details`))
    if (chosen.has(element)) writeHeading(element, Math.min(DEEPEST, level + 1));
    else if (HEADING.test(element.nodeName)) level = Number(element.getAttribute(LEVEL) ?? element.nodeName[1]);
}

const summaryOf = (fold: DomElement): DomElement | undefined => childElements(fold).find(({ nodeName }) => nodeName === 'SUMMARY');

/** Whether a fold stands in the text by itself, with a few words above some more. */
function isSection(fold: DomElement, root: DomElement): boolean {
  const summary = summaryOf(fold);
  const around = fold.parentElement?.closest(NESTED);
  if (!summary || (around && root.contains(around)) || fold.querySelector(HEADINGS)) return false;
  const words = oneLine(summary.textContent ?? '');
  const body = oneLine(fold.textContent ?? '').length - words.length;
  const isTitle = /\p{L}/u.test(words) && words.length <= LONGEST && !summary.querySelector('code, pre');
  return isTitle && body >= SHORTEST_BODY && isBeforeSection(fold, root);
}

/** Whether a fold or a heading follows, or nothing: a paragraph would be taken for a part of what folds out. */
function isBeforeSection(fold: DomElement, root: DomElement): boolean {
  let last: DomElement = fold;
  while (!last.nextElementSibling && last.parentElement && last.parentElement !== root) last = last.parentElement;
  let next = last === root ? null : last.nextElementSibling;
  while (next && next.nodeName !== 'DETAILS' && !HEADING.test(next.nodeName) && next.firstElementChild) next = next.firstElementChild;
  return !next || next.nodeName === 'DETAILS' || HEADING.test(next.nodeName);
}

function writeHeading(fold: DomElement, level: number): void {
  const summary = summaryOf(fold)!;
  const heading = fold.ownerDocument.createElement(`h${level}`);
  const anchor = fold.id || summary.id;
  if (anchor) heading.id = anchor;
  moveInto(heading, summary);
  summary.replaceWith(heading);
}
