import { BOX_TITLE, childElements, type DomElement, moveInto, span, LEVEL } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';

/** What boxes beside the outline of a page are called, by DocBook and others. */
const BOX = /(?:^|\s)(?:admonition(?:block)?|attention|caution|danger|hint|important|note|sidebar|tip|warning)(?:\s|$)/i;
const BOXED = /^(?:ASIDE|DIV|TABLE)$/;
const INNER = 'h2, h3, h4, h5, h6';

/** Makes the titles of boxes words above them, and what draws a box as a table a box: what follows one would else belong to its heading. */
export function writeBoxes(root: DomElement): void {
  for (const heading of root.querySelectorAll(INNER)) writeTitle(heading, root);
  for (const table of root.querySelectorAll('table')) unwrapNote(table);
}

/** A heading without an id of its own that begins a box and is its only one. */
function writeTitle(heading: DomElement, root: DomElement): void {
  const box = boxAround(heading, root);
  if (!box || heading.id !== '' || [...box.querySelectorAll('h1, h2, h3, h4, h5, h6')].length > 1) return;
  const title = heading.ownerDocument.createElement('p');
  title.className = BOX_TITLE;
  moveInto(title, heading);
  heading.replaceWith(title);
}

/** The box that begins with this heading. */
function boxAround(heading: DomElement, root: DomElement): DomElement | undefined {
  let element = heading;
  for (let around = heading.parentElement; around && around !== root; around = element.parentElement) {
    if (!isFirst(element, around)) return undefined;
    if (BOXED.test(around.nodeName) && BOX.test(around.className)) return around;
    element = around;
  }
  return undefined;
}

/** Whether an element has nothing but pictures and places before it. */
const isFirst = (element: DomElement, around: DomElement): boolean =>
  childElements(around).find((child) => child === element || (child.textContent ?? '').trim() !== '') === element;

/**
 * Notes that are drawn as tables: DocBook's have a picture that spans all rows, the title beside it and the text below; Asciidoctor's have the picture, or
 * the title, in the cell before the text. The title says what the picture does.
 */
function unwrapNote(table: DomElement): void {
  const rows = [...table.querySelectorAll('tr')];
  const [sign, title, ...others] = rows[0]?.children ?? [];
  if (!sign || !title || others.length > 0) return;
  if (rows.length === 1 && BOX.test(table.parentElement?.className ?? '') && sign.className === 'icon') {
    const picture = sign.querySelector('[title], [alt]');
    sign.textContent = (sign.textContent ?? '').trim() || (picture?.getAttribute('title') ?? picture?.getAttribute('alt') ?? '');
    sign.className = BOX_TITLE;
    table.setAttribute('role', 'presentation');
  } else if (rows.length > 1 && title.nodeName === 'TH' && span(sign, 'rowspan') === rows.length && isPicture(sign)) {
    sign.remove();
    title.className = BOX_TITLE;
  }
}

const isPicture = (sign: DomElement): boolean => sign.querySelector('img') !== null && (sign.textContent ?? '').trim() === '';

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
