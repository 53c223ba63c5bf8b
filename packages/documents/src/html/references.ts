import { childElements, type DomElement, moveInto, unwrap } from './dom.ts';
import { oneLine } from '../markdown/write.ts';

// API references made by programs: what their style sheets draw as headings, signatures, code and tables becomes such elements.

/** A page without any of these words is none of them. */
const SIGN = /memberdecls|memname|class="fragment"|headertitle|summary-table|tsd-signature|head-ltitle/;

/** Rewrites pages of Doxygen, Javadoc, TypeDoc and mandoc. */
export function rewriteReferences(body: DomElement, html: string): void {
  if (!SIGN.test(html)) return;
  for (const table of body.querySelectorAll('table.memberdecls')) writeDeclarations(table);
  for (const table of body.querySelectorAll('table.memname')) table.replaceWith(signatureBlock(table));
  for (const title of body.querySelectorAll('h2.memtitle')) rename(title, 'h3');
  for (const lines of body.querySelectorAll('div.fragment')) rename(lines, 'pre');
  for (const title of body.querySelectorAll('.headertitle > .title')) rename(title, 'h1');
  for (const more of body.querySelectorAll('.contents a[href*="#"]')) if (more.textContent === 'More...') more.remove();
  for (const grid of body.querySelectorAll('.summary-table')) writeGrid(grid);
  for (const tag of body.querySelectorAll('code.tsd-tag')) tag.append(' ');
  for (const list of body.querySelectorAll('ul.tsd-signatures')) writeSignatures(list);
  for (const title of body.querySelectorAll('.head-ltitle, .foot-date')) title.closest('table')?.remove();
}

/** Makes a code block of the signature in an element. */
function signatureBlock(element: DomElement): DomElement {
  const block = element.ownerDocument.createElement('pre');
  block.textContent = signatureOf(element);
  return block;
}

/** Puts an element of another kind in the place of one. Its class stays, so that the language of code is known. */
function rename(element: DomElement, name: string): DomElement {
  const renamed = element.ownerDocument.createElement(name);
  renamed.className = element.className;
  if (element.id) renamed.id = element.id;
  moveInto(renamed, element);
  element.replaceWith(renamed);
  return renamed;
}

/** Joins the cells of a signature on one line. */
const signatureOf = (element: DomElement): string =>
  oneLine([...element.querySelectorAll('td')].map(({ textContent }) => textContent).join(' '))
    .replace(/ ([*&]+) (?=\w)/g, ' $1')
    .replace(/ ?([(,)]) ?/g, '$1')
    .replaceAll(',', ', ')
    .replace(/\)(?=\w)/g, ') ');

/** Writes out a table of declarations (Doxygen): the headings of groups, signatures, and their descriptions. */
function writeDeclarations(table: DomElement): void {
  const parts: DomElement[] = [];
  for (const row of table.querySelectorAll('tr')) {
    const heading = row.querySelector('h1, h2, h3, h4');
    if (heading) parts.push(heading);
    else if (row.querySelector('.memItemRight, .memTemplItemRight')) parts.push(signatureBlock(row));
    else if ((row.textContent ?? '').trim() !== '') {
      const description = table.ownerDocument.createElement('p');
      for (const cell of row.querySelectorAll('td')) if ((cell.textContent ?? '').trim() !== '') moveInto(description, cell);
      parts.push(description);
    }
  }
  for (const part of parts) table.before(part);
  table.remove();
}

const isHead = ({ className }: DomElement): boolean => /(?:^|\s)table-header(?:\s|$)/.test(className);

/** Makes a table of a grid (Javadoc since version 16). */
function writeGrid(grid: DomElement): void {
  const cells = childElements(grid);
  const width = cells.findIndex((cell) => !isHead(cell));
  if (width < 2) return;
  const document = grid.ownerDocument;
  const table = document.createElement('table');
  for (let start = 0; start < cells.length; start += width) {
    const row = document.createElement('tr');
    for (const cell of cells.slice(start, start + width)) row.append(rename(cell, isHead(cell) ? 'th' : 'td'));
    table.append(row);
  }
  grid.replaceWith(table);
}

/** Writes the signatures of a function, each above its description (TypeDoc). */
function writeSignatures(list: DomElement): void {
  for (const item of childElements(list)) rename(item, /(?:^|\s)tsd-signature(?:\s|$)/.test(item.className) ? 'pre' : 'div');
  unwrap(list);
}
