import { childElements, type DomElement } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';
import { show } from './concealed.ts';
import { unfold } from './folds.ts';
import { labelled, namedElements, panelNamed, type Named, type Page } from './panels.ts';

const TABLISTS = '[role="tablist"], .tabbed-labels, .vp-code-group > .tabs';
/** Labels that stand directly before what they bring forth: sphinx-design, and Material for MkDocs before version 9. */
const SINGLE_LABELS = '.sd-tab-label, .tabbed-set > label';
const FORMULAS = 'mjx-container, .mwe-math-element, .katex-display, .katex, math, script[type^="math/tex"]';
/** What MathJax 2 draws beside the script that holds the formula. */
const DRAWN = '.MathJax_Preview, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML';
/** A page without any of these words has no widget that is rewritten. */
const SIGN = /aria-expanded|tablist|tab-label|tabbed-|vp-code-group|katex|<math|math\/tex/;

/** Rewrites what needs a script or a style sheet to be understood: panels behind tabs get the label of their tab, what folds out is shown, formulas become TeX between dollar signs. */
export function rewriteWidgets(page: Page, html: string): void {
  if (!SIGN.test(html)) return;
  const lists = [...page.body.querySelectorAll(TABLISTS)];
  const named: Named = lists.length > 0 || html.includes('aria-expanded') ? namedElements(page.body) : new Map();
  for (const list of lists) labelPanels(list, page, { named });
  unfold(page, named);
  for (const label of page.body.querySelectorAll(SINGLE_LABELS)) label.replaceWith(labelled(label, page));
  if (/math\/tex/.test(html)) for (const drawn of page.body.querySelectorAll(DRAWN)) drawn.remove();
  for (const formula of page.body.querySelectorAll(FORMULAS)) if (page.body.contains(formula)) writeFormula(formula);
}

/** What a tab says, and what it brings forth. */
interface Panel {
  label: DomElement;
  panel: DomElement;
}

function labelPanels(list: DomElement, page: Page, { named }: { named: Named }): void {
  const labels = [...list.querySelectorAll('[role="tab"], label')];
  const pairs = pairsOf(list, labels, named);
  if (pairs.length === 0) return;
  const panels = new Set(pairs.map(({ panel }) => panel));
  panels.forEach(show);
  const isFilter = panels.size < pairs.length; // Javadoc: all tabs show parts of one table
  if (!isFilter) for (const { label, panel } of pairs) panel.prepend(labelled(label, page));
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

/** The panels that tabs name no place of: the children of the next element, or what follows. */
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
  const shown = tex === '' ? symbolsOf(formula) : '';
  if (shown !== '') return formula.replaceWith(apart(shown, formula));
  if (tex === '') return;
  const isDisplayed =
    /katex-display|mode=display/.test(`${formula.className} ${formula.getAttribute('type')}`) ||
    formula.getAttribute('display') === 'block';
  formula.replaceWith(isDisplayed ? `$$${tex}$$` : `$${tex}$`);
}

/** The text of a formula, with a space where a word adjoins it. */
const apart = (text: string, { previousSibling, nextSibling }: DomElement): string =>
  `${/[\p{L}\p{N}]$/u.test(previousSibling?.textContent ?? '') ? ' ' : ''}${text}${/^[\p{L}\p{N}]/u.test(nextSibling?.textContent ?? '') ? ' ' : ''}`;

/** What an author wrote: in an annotation of MathML, in its `alttext`, or in the script that MathJax reads. */
function texOf(formula: DomElement): string {
  const written =
    formula.nodeName === 'SCRIPT'
      ? formula.textContent
      : (formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ??
        (formula.getAttribute('alttext') || formula.querySelector('math[alttext]')?.getAttribute('alttext')));
  return oneLine(written ?? '').replace(/^\{\\displaystyle\s(.*)\}$/, (_, tex: string) => tex.trimStart());
}

/** The symbols of a formula in their order, where nothing says how it was written. */
const symbolsOf = (formula: DomElement): string =>
  [...formula.querySelectorAll('mi, mn, mo, mtext, ms')]
    .map(({ textContent }) => oneLine(textContent ?? ''))
    .filter(Boolean)
    .join(' ');
