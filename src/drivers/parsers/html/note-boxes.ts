import { BOX_TITLE, childElements, type DomElement, moveInto, span } from './dom.ts';

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
