import { childElements, type DomElement, type DomNode, HEADINGS, isElement, isTextNode, type Page, unwrap } from './dom.ts';
import { measuresOf } from './link-density.ts';
import { oneLine } from '../markdown/write.ts';

/** Content that needs a script, a style sheet or a click to be understood; pages without any of these words have none. */
const WIDGET_SIGN = /aria-expanded|tablist|tab-label|tabbed-|vp-code-group|katex|<math|math\/tex/;

/**
 * Rewrites content that needs a script or a style sheet: opens shadow roots and accordions, writes the label of each tab above its
 * panel, formulas as TeX between dollar signs, and icons as text.
 */
export function rewriteWidgets({ body }: Page, html: string): void {
  if (/shadowrootmode/i.test(html)) openShadowRoots(body);
  if (WIDGET_SIGN.test(html)) {
    const lists = [...body.querySelectorAll(TABLISTS)];
    const named: Named = lists.length > 0 || html.includes('aria-expanded') ? namedElements(body) : new Map();
    for (const list of lists) labelPanels(list, named);
    unfold(body, named);
    for (const label of body.querySelectorAll(SINGLE_LABELS)) label.replaceWith(labelParagraph(label));
    if (/math\/tex/.test(html)) for (const drawn of body.querySelectorAll(DRAWN)) drawn.remove();
    for (const formula of body.querySelectorAll(FORMULAS)) if (body.contains(formula)) writeFormula(formula);
  }
  if (ICON_SIGN.test(html)) writeIcons(body);
}

/** Elements of a body by their id (`#id`), and by the id of their label (`by id`). */
type Named = ReadonlyMap<string, DomElement>;

/** Indexes the elements of a body by their id and their label. */
function namedElements(body: DomElement): Named {
  const named = new Map<string, DomElement>();
  for (const [attribute, sign] of [
    ['id', '#'],
    ['aria-labelledby', 'by '],
  ] as const)
    for (const element of body.querySelectorAll(`[${attribute}]`)) {
      const name = `${sign}${element.getAttribute(attribute)}`;
      if (!named.has(name)) named.set(name, element);
    }
  return named;
}

/** Finds the panel of a label: the element that it controls, or that names it as its label. */
const panelNamed = (label: DomElement, named: Named): DomElement | undefined =>
  named.get(`#${label.getAttribute('aria-controls') ?? ''}`) ?? named.get(`by ${label.getAttribute('id') ?? ''}`);

/** Makes a paragraph of the words of a label, in bold. */
function labelParagraph(label: DomElement): DomElement {
  const document = label.ownerDocument;
  const [paragraph, strong] = [document.createElement('p'), document.createElement('strong')];
  const words = label.cloneNode(true) as DomElement;
  for (const silent of words.querySelectorAll('script, style, svg')) silent.remove();
  strong.textContent = oneLine(words.textContent ?? '');
  paragraph.append(strong);
  return paragraph;
}

const TITLES = `${HEADINGS}, dt, summary`;
/** Parts whose accordions lead elsewhere or ask for something. */
const MENU = 'nav, dialog, form, [role=navigation], [role=menu], [role=menubar], [role=dialog], [role=search], [role=tree], [role=banner]';
const FRAME = 'header, footer, aside';
const CONTENT = 'main, article, [role=main]';
/** Roles of widgets to choose from. */
const CHOICE = /^(?:combobox|dialog|listbox|menu|tab|tree|treeitem)$/;
/** Elements that may be a label, besides buttons. */
const LABEL = /^(?:A|DIV|SPAN)$/;
const PRESSED = /^(?:button|link)?$/;
const BLOCKS = `${HEADINGS}, p, ul, ol, table, pre`;
const PROSE = 'p, td, th';
const CONTROLS = 'input, select, textarea';
/** Minimum share of linked letters in a menu. */
const LINKED = 0.5;

/** Opens accordions and disclosures (WAI-ARIA). A button outside of a heading becomes a paragraph, or words of its sentence. */
function unfold(body: DomElement, named: Named): void {
  const measured = measuresOf(body);
  const seen = new Set<DomElement>();
  for (const fold of body.querySelectorAll('[aria-expanded]')) {
    const panel = panelOf(fold, named);
    if (!panel || seen.has(panel) || !isContent(fold) || CHOICE.test(panel.getAttribute('role') ?? '')) continue;
    seen.add(panel);
    const { letters, linked } = measured(panel);
    if (letters === 0 || linked > letters * LINKED || panel.contains(fold) || panel.querySelector(CONTROLS)) continue;
    unhide(panel);
    if (!isLabel(fold)) continue;
    const label = labelParagraph(fold);
    fold.replaceWith(fold.closest(PROSE) ? `${label.textContent} ` : label);
  }
}

const isContent = (fold: DomElement): boolean =>
  !fold.hasAttribute('aria-haspopup') &&
  !CHOICE.test(fold.getAttribute('role') ?? '') &&
  fold.closest(MENU) === null &&
  (fold.closest(FRAME) === null || fold.closest(CONTENT) !== null);

/** Whether a button consists of words alone, outside of a heading. */
const isLabel = (fold: DomElement): boolean =>
  fold.closest(TITLES) === null &&
  (fold.nodeName === 'BUTTON' ||
    (LABEL.test(fold.nodeName) && PRESSED.test(fold.getAttribute('role') ?? '') && fold.querySelector(BLOCKS) === null));

/** Finds the panel that the button names, or else the hidden element directly after it or its heading. */
function panelOf(fold: DomElement, named: Named): DomElement | undefined {
  const next = (fold.closest(TITLES) ?? fold).nextElementSibling;
  return panelNamed(fold, named) ?? (next && isConcealed(next) ? next : undefined);
}

const TABLISTS = '[role="tablist"], .tabbed-labels, .vp-code-group > .tabs';
/** Labels directly before their panel: sphinx-design, and Material for MkDocs before version 9. */
const SINGLE_LABELS = '.sd-tab-label, .tabbed-set > label';
const FORMULAS = 'mjx-container, .mwe-math-element, .katex-display, .katex, math, script[type^="math/tex"]';
/** The drawing of MathJax 2 beside the script that holds the formula. */
const DRAWN = '.MathJax_Preview, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML';
/** The label of a tab, and its panel. */
interface Panel {
  label: DomElement;
  panel: DomElement;
}

function labelPanels(list: DomElement, named: Named): void {
  const labels = [...list.querySelectorAll('[role="tab"], label')];
  const pairs = pairsOf(list, labels, named);
  if (pairs.length === 0) return;
  const panels = new Set(pairs.map(({ panel }) => panel));
  panels.forEach(unhide);
  const isFilter = panels.size < pairs.length; // Javadoc: all tabs show parts of one table
  if (!isFilter) for (const { label, panel } of pairs) panel.prepend(labelParagraph(label));
  list.remove();
}

function pairsOf(list: DomElement, labels: readonly DomElement[], named: Named): Panel[] {
  const pairs = labels.flatMap((label) => {
    const panel = panelNamed(label, named);
    return panel ? [{ label, panel }] : [];
  });
  if (pairs.length > 0) return pairs;
  const panels = panelsAfter(list, labels.length);
  const shown = panels.length === 1 ? labels.filter((label) => label.getAttribute('aria-selected') === 'true') : labels;
  return shown.length === panels.length ? shown.map((label, i) => ({ label, panel: panels[i]! })) : [];
}

/** Finds panels that tabs do not name: the children of the next element, or the elements that follow. */
function panelsAfter(list: DomElement, count: number): DomElement[] {
  const next = list.nextElementSibling;
  if (!next) return [];
  const children = childElements(next);
  if (children.length === count && !isPanel(next)) return children;
  const following: DomElement[] = [];
  for (let element: DomElement | null = next; element && isPanel(element); element = element.nextElementSibling) following.push(element);
  return following.length > 0 ? following : children.filter(isPanel);
}

const isPanel = (element: DomElement): boolean => element.getAttribute('role') === 'tabpanel';

function writeFormula(formula: DomElement): void {
  const tex = texOf(formula);
  if (tex === '') return;
  const isDisplayed =
    /katex-display|mode=display/.test(`${formula.className} ${formula.getAttribute('type')}`) ||
    formula.getAttribute('display') === 'block';
  formula.replaceWith(isDisplayed ? `$$${tex}$$` : `$${tex}$`);
}

/** Finds the source of a formula: in an annotation of MathML, in its `alttext`, or in the script that MathJax reads. */
function texOf(formula: DomElement): string {
  const written =
    formula.nodeName === 'SCRIPT'
      ? formula.textContent
      : (formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ??
        (formula.getAttribute('alttext') || formula.querySelector('math[alttext]')?.getAttribute('alttext')));
  return oneLine(written ?? '').replace(/^\{\\displaystyle\s(.*)\}$/, (_, tex: string) => tex.trimStart());
}

const WORD = /[\p{L}\p{N}]/u;
const ICON_SIGN = /<svg|checkbox|aria-label|<i\b/i;
const CONTROL = /^(?:BUTTON|SELECT|TEXTAREA|SCRIPT|STYLE|TEMPLATE)$/;

/** Writes icons as text where nothing else has their meaning: the ticks of task lists, and icons that fill a table cell. */
function writeIcons(body: DomElement): void {
  for (const box of body.querySelectorAll('li input[type=checkbox]')) if (isTask(box)) box.replaceWith(`${tickOf(box)} `);
  for (const cell of body.querySelectorAll('td, th')) {
    const text = iconsText(cell);
    if (text) cell.append(text);
  }
}

/** Whether a box shows that a task is done: others are there to be ticked. */
const isTask = (box: DomElement): boolean =>
  box.hasAttribute('disabled') || /(?:^|\s)task-list-item/.test(box.closest('li')?.getAttribute('class') ?? '');

const tickOf = (box: DomElement): string => (box.hasAttribute('checked') ? '[x]' : '[ ]');

/** Finds the text of the first icon in a cell; undefined if the cell has words or pictures of its own. */
function iconsText(cell: DomElement): string | undefined {
  const texts: string[] = [];
  const hasWords = (node: DomNode): boolean => {
    if (isTextNode(node)) return WORD.test(node.textContent ?? '');
    if (!isElement(node) || CONTROL.test(node.nodeName)) return false;
    const own = iconText(node);
    if (own === undefined && [...node.childNodes].some(hasWords)) return true;
    texts.push(own ?? labelOf(node));
    return node.nodeName === 'IMG' && labelOf(node) !== '';
  };
  return [...cell.childNodes].some(hasWords) ? undefined : texts.find((text) => text !== '');
}

/** Finds the text of an icon; undefined for other elements. */
function iconText(element: DomElement): string | undefined {
  if (element.nodeName.toUpperCase() === 'SVG') return labelOf(element) || oneLine(element.querySelector('title')?.textContent ?? '');
  if (element.nodeName === 'INPUT')
    return element.getAttribute('type') === 'checkbox' && element.hasAttribute('disabled') ? tickOf(element) : '';
  return undefined;
}

const labelOf = (element: DomElement): string =>
  oneLine(['aria-label', 'alt', 'title'].map((name) => element.getAttribute(name)).find(Boolean) ?? '');

/** Unwraps declared shadow roots (HTML, 4.12.3), before the elements that are slotted into them. */
function openShadowRoots(element: DomElement): void {
  for (const child of childElements(element)) {
    openShadowRoots(child);
    if (child.nodeName === 'TEMPLATE' && child.hasAttribute('shadowrootmode')) unwrap(child);
  }
}

/** Names of panels that a click opens: they are read like the open one. */
export const PANEL = /\b(?:tab-?pane|tabs?-?panel|tabbed-block|tab-?content|collapse|accordion)/i;

const STYLE = /display:\s*none|visibility:\s*hidden/i;

/** Whether an attribute or style of an element hides it. */
export const isConcealed = (element: DomElement): boolean =>
  (element.hasAttribute('hidden') && element.getAttribute('hidden') !== 'until-found') || STYLE.test(element.getAttribute('style') ?? '');

/** Removes what hides a part that a click or a script would show. */
export function unhide(element: DomElement): void {
  for (const name of ['hidden', 'aria-hidden']) element.removeAttribute(name);
  if (STYLE.test(element.getAttribute('style') ?? '')) element.removeAttribute('style');
}
