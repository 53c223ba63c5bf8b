import { escapeLine, escapeTags, oneLine, scriptText } from '../markdown/write.ts';
import { flattenCode } from './code-blocks.ts';
import {
  BOX_TITLE,
  childElements,
  type DomElement,
  type DomNode,
  HEADINGS,
  isElement,
  isHeading,
  isTextNode,
  LEVEL,
  moveInto,
} from './dom.ts';
import { spanOf } from '../table.ts';

/** Rewrites elements that Markdown has no form for, and escapes all text, so that the Markdown of the element shows the same. */
export function normalizeElements(root: DomElement): void {
  writeBoxes(root);
  writeFolds(root);
  numberItems(root);
  writeScripts(root);
  flattenCode(root);
  joinAdjoining(root);
  escapeText(root);
}

/** Class names of boxes outside of the outline of a page (DocBook and others). */
const BOX = /(?:^|\s)(?:admonition(?:block)?|attention|caution|danger|hint|important|note|sidebar|tip|warning)(?:\s|$)/i;
const BOXED = /^(?:ASIDE|DIV|TABLE)$/;
const INNER = 'h2, h3, h4, h5, h6';

/** Makes the titles of boxes bold words, and tables that draw a box text: as headings they would also cover the text below the box. */
function writeBoxes(root: DomElement): void {
  for (const heading of root.querySelectorAll(INNER)) writeTitle(heading, root);
  for (const table of root.querySelectorAll('table')) unwrapNote(table);
}

/** A heading without an id of its own that begins a box and is its only one. */
function writeTitle(heading: DomElement, root: DomElement): void {
  const box = boxAround(heading, root);
  if (!box || heading.id !== '' || [...box.querySelectorAll(HEADINGS)].length > 1) return;
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
 * the title, in the cell before the text. The title repeats the picture.
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
  } else if (rows.length > 1 && title.nodeName === 'TH' && spanOf(sign.getAttribute('rowspan')) === rows.length && isPicture(sign)) {
    sign.remove();
    title.className = BOX_TITLE;
  }
}

const isPicture = (sign: DomElement): boolean => sign.querySelector('img') !== null && (sign.textContent ?? '').trim() === '';

/** On a page with more folds, each holds the details of one thing, such as the members of an API. */
const MAX_FOLDS = 60;
/** Maximum characters of a summary that may be a heading, and minimum of the text below it. */
const MAX_LENGTH = 150;
const MIN_BODY_LENGTH = 40;
const NESTED = 'li, td, th, dd, blockquote, details';
const MAX_DEPTH = 6;

/**
 * Makes the summaries of folds in a row (the questions of an FAQ) headings, one level below their section: otherwise their
 * content would be cited as the section before.
 */
function writeFolds(root: DomElement): void {
  const folds = [...root.querySelectorAll('details')].filter((fold) => isSection(fold, root));
  const names = new Set(folds.map((fold) => oneLine(summaryOf(fold)!.textContent ?? '')));
  if (names.size < 2 || names.size < folds.length || folds.length > MAX_FOLDS) return;
  const chosen = new Set(folds);
  let level = 1;
  for (const element of root.querySelectorAll(`${HEADINGS}, details`))
    if (chosen.has(element)) writeHeading(element, Math.min(MAX_DEPTH, level + 1));
    else if (isHeading(element)) level = Number(element.getAttribute(LEVEL) ?? element.nodeName[1]);
}

const summaryOf = (fold: DomElement): DomElement | undefined => childElements(fold).find(({ nodeName }) => nodeName === 'SUMMARY');

/** Whether a fold is a section of its own: a few words above a longer text. */
function isSection(fold: DomElement, root: DomElement): boolean {
  const summary = summaryOf(fold);
  const around = fold.parentElement?.closest(NESTED);
  if (!summary || (around && root.contains(around)) || fold.querySelector(HEADINGS)) return false;
  const words = oneLine(summary.textContent ?? '');
  const body = oneLine(fold.textContent ?? '').length - words.length;
  const isTitle = /\p{L}/u.test(words) && words.length <= MAX_LENGTH && !summary.querySelector('code, pre');
  return isTitle && body >= MIN_BODY_LENGTH && isBeforeSection(fold, root);
}

/** Whether a fold, a heading or nothing follows: a paragraph would be taken for a part of the fold. */
function isBeforeSection(fold: DomElement, root: DomElement): boolean {
  let last: DomElement = fold;
  while (!last.nextElementSibling && last.parentElement && last.parentElement !== root) last = last.parentElement;
  let next = last === root ? null : last.nextElementSibling;
  while (next && next.nodeName !== 'DETAILS' && !isHeading(next) && next.firstElementChild) next = next.firstElementChild;
  return !next || next.nodeName === 'DETAILS' || isHeading(next);
}

function writeHeading(fold: DomElement, level: number): void {
  const summary = summaryOf(fold)!;
  const heading = fold.ownerDocument.createElement(`h${level}`);
  const anchor = fold.id || summary.id;
  if (anchor) heading.id = anchor;
  moveInto(heading, summary);
  summary.replaceWith(heading);
}

/** Gives each item of a numbered list the number that a browser shows. */
function numberItems(root: DomElement): void {
  for (const list of root.querySelectorAll('ol')) {
    const items = childElements(list).filter(({ nodeName }) => nodeName === 'LI');
    const isReversed = list.hasAttribute('reversed');
    let next = numberIn(list, 'start') ?? (isReversed ? items.length : 1);
    for (const item of items) {
      const number = numberIn(item, 'value') ?? next;
      item.setAttribute('value', String(number));
      next = Math.max(0, number + (isReversed ? -1 : 1));
    }
  }
}

function numberIn(element: DomElement, attribute: string): number | undefined {
  const number = Number.parseInt(element.getAttribute(attribute) ?? '', 10);
  return number >= 0 && number < 1_000_000_000 ? number : undefined;
}

const KINDS: Readonly<Record<string, string>> = { B: 'strong', STRONG: 'strong', I: 'em', EM: 'em', CODE: 'code' };

/** Parts with emphasis that touch become one, and codes that touch get a space between them: the signs of Markdown around both would be others together. */
function joinAdjoining(root: DomElement): void {
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

/** Writes `10<sup>6</sup>` as `10^6` and the like. Links are signs of notes. */
function writeScripts(root: DomElement): void {
  for (const element of root.querySelectorAll('sup, sub')) {
    const text = element.textContent ?? '';
    const before = element.previousSibling?.textContent ?? '';
    if (element.querySelector('a') || element.closest('a')) continue;
    const written = scriptText(element.nodeName === 'SUP' ? '^' : '_', text, before);
    if (written !== text) element.textContent = written;
  }
}

const BLOCK =
  /^(?:ADDRESS|ARTICLE|ASIDE|BLOCKQUOTE|BODY|BR|CENTER|DD|DETAILS|DIV|DL|DT|FIELDSET|FIGCAPTION|FIGURE|FOOTER|FORM|HEADER|HR|LI|MAIN|NAV|OL|P|SECTION|SUMMARY|TABLE|TD|TH|TR|UL)$/;
const CODE = /^(?:CODE|PRE)$/;
/** Characters that occur in no text (Unicode, 23.7: noncharacters): the conversion to Markdown marks places with them. */
const RESERVED = /[\ufdd0-\ufdef]/g;

/** Escapes every text of an element; markup that counts only at the start of a line is escaped only there. */
function escapeText(root: DomElement): void {
  root.normalize();
  let isStart = true;
  const visit = (node: DomNode): void => {
    if (isTextNode(node)) {
      const text = (node.textContent ?? '').replace(RESERVED, '');
      node.textContent = isStart ? escapeLine(text) : escapeTags(text);
      isStart &&= text.trim() === '';
    } else if (isElement(node)) {
      const { nodeName, childNodes } = node;
      const isBlock = BLOCK.test(nodeName);
      isStart = (isStart || isBlock) && !isHeading(node) && !CODE.test(nodeName);
      if (!CODE.test(nodeName)) for (const child of childNodes) visit(child);
      isStart ||= isBlock || isHeading(node) || nodeName === 'PRE';
    }
  };
  visit(root);
}
