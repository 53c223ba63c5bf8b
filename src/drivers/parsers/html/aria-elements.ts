import { childElements, type DomElement, type DomNode, moveInto, unwrap } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';
import type { Page } from './element-names.ts';

const TEXT = 3;
const ELEMENT = 1;
const WORD = /[\p{L}\p{N}]/u;
/** Words for screen readers beside an icon, as Bootstrap, WordPress and Primer name them. */
const UNSHOWN = /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-reader-text)(?:$|[\s_-])/i;
const SIGN = /<svg|sr-only|visually-?hidden|screen-reader-text|checkbox|aria-label|<i\b/i;
const CONTROL = /^(?:BUTTON|SELECT|TEXTAREA|SCRIPT|STYLE|TEMPLATE)$/;

/** Whether an element is there for screen readers alone. */
export const isUnshown = (element: DomElement): boolean => UNSHOWN.test(element.getAttribute('class') ?? '');

/** Writes out what signs say where nothing else says it: the ticks of task lists, and icons that are all that a cell of a table holds. */
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

/** What the first sign in a cell says; undefined where the cell has words or pictures of its own. */
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

/** Roles that make a table of any elements (WAI-ARIA 1.2, 5.3.3), and the elements of HTML that say the same. */
const TABLES = '[role=table], [role=grid]';
const PARTS: Readonly<Record<string, string>> = { row: 'tr', columnheader: 'th', rowheader: 'th', cell: 'td', gridcell: 'td' };
const NATIVE = /^(?:TABLE|THEAD|TBODY|TFOOT|TR|TD|TH)$/;
/** Editors that show code line by line, and the lines of each. */
const EDITORS: readonly (readonly [string, string])[] = [
  ['.crayon-syntax', '.crayon-line'],
  ['.CodeMirror', '.CodeMirror-line'],
  ['.cm-editor', '.cm-line'],
];

/** Puts an element of HTML where others stand for it: tables and headings by their role, code in editors, and the content of components that a server drew. */
export function replaceStandIns(page: Page, html: string): void {
  if (/shadowrootmode/i.test(html)) openShadowRoots(page.body);
  if (/role=["']?(?:table|grid)\b/i.test(html)) for (const table of page.body.querySelectorAll(TABLES)) rebuildTable(table, page);
  if (/role=["']?heading\b/i.test(html)) for (const title of page.body.querySelectorAll('[role=heading]')) rebuildHeading(title, page);
  if (/crayon-line|CodeMirror-line|cm-line/.test(html)) for (const editor of EDITORS) writeCode(editor, page);
}

/** A declared shadow root is shown where it stands (HTML, 4.12.3), before what is slotted into it. */
function openShadowRoots(element: DomElement): void {
  for (const child of childElements(element)) {
    openShadowRoots(child);
    if (child.nodeName === 'TEMPLATE' && child.hasAttribute('shadowrootmode')) unwrap(child);
  }
}

function rebuildTable(table: DomElement, page: Page): void {
  if (NATIVE.test(table.nodeName)) return;
  for (const part of table.querySelectorAll('[role]')) {
    const role = part.getAttribute('role')!;
    if (role === 'rowgroup') unwrap(part);
    else if (PARTS[role] !== undefined && !NATIVE.test(part.nodeName)) rename(part, PARTS[role], page);
  }
  rename(table, 'table', page);
}

function rebuildHeading(title: DomElement, page: Page): void {
  const level = Number(title.getAttribute('aria-level') ?? 2);
  if (/^H[1-6]$/.test(title.nodeName) || title.querySelector('h1, h2, h3, h4, h5, h6') || !(level >= 1)) return;
  rename(title, `h${Math.min(6, Math.floor(level))}`, page);
}

function rename(element: DomElement, name: string, { document }: Page): void {
  const renamed = document.createElement(name);
  for (const attribute of ['id', 'class', 'hidden', 'style']) {
    const value = element.getAttribute(attribute);
    if (value !== null) renamed.setAttribute(attribute, value);
  }
  moveInto(renamed, element);
  element.replaceWith(renamed);
}

function writeCode([selector, line]: readonly [string, string], { document, body }: Page): void {
  for (const editor of body.querySelectorAll(selector)) {
    const lines = [...editor.querySelectorAll(line)].map(({ textContent }) =>
      (textContent ?? '').replace(/\u200b/g, '').replace(/\u00a0/g, ' '),
    );
    const code = document.createElement('pre');
    code.textContent = lines.join('\n');
    if (lines.length > 0) editor.replaceWith(code);
  }
}
