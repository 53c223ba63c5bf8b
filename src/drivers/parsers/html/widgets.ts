import { childElements, type DomDocument, type DomElement } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';

interface Page {
  document: DomDocument;
  body: DomElement;
}

const TABLISTS = '[role="tablist"], .tabbed-labels, .vp-code-group > .tabs';
/** Labels that stand directly before what they bring forth: sphinx-design, and Material for MkDocs before version 9. */
const SINGLE_LABELS = '.sd-tab-label, .tabbed-set > label';
const FORMULAS = 'mjx-container, .mwe-math-element, .katex-display, .katex, math, script[type^="math/tex"]';
/** What MathJax 2 draws beside the script that holds the formula. */
const DRAWN = '.MathJax_Preview, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML';
/** A page without any of these words has no widget that is rewritten. */
const SIGN = /tablist|tab-label|tabbed-|vp-code-group|katex|<math|math\/tex/;

/** Rewrites what needs a script or a style sheet to be understood: panels behind tabs get the label of their tab, formulas become TeX between dollar signs. */
export function rewriteWidgets(page: Page, html: string): void {
  if (!SIGN.test(html)) return;
  for (const list of page.body.querySelectorAll(TABLISTS)) labelPanels(list, page);
  for (const label of page.body.querySelectorAll(SINGLE_LABELS)) label.replaceWith(labelled(label, page));
  for (const formula of page.body.querySelectorAll(FORMULAS)) if (page.body.contains(formula)) writeFormula(formula);
}

function labelPanels(list: DomElement, page: Page): void {
  const labels = [...list.querySelectorAll('[role="tab"], label')];
  const panels = panelsOf(list, labels, page.body);
  if (panels.length === 0) return;
  const isFilter = new Set(panels).size < panels.length; // Javadoc: all tabs show parts of one table
  const shown = panels.length === labels.length ? labels : labels.filter((label) => label.getAttribute('aria-selected') === 'true');
  if (!isFilter) panels.forEach((panel, i) => shown[i] && panel.prepend(labelled(shown[i], page)));
  list.remove();
}

function panelsOf(list: DomElement, labels: readonly DomElement[], body: DomElement): DomElement[] {
  const named = labels.flatMap((label) => panelNamed(label, body) ?? []);
  if (named.length > 0) return named;
  const next = list.nextElementSibling;
  if (!next) return [];
  const children = childElements(next);
  if (children.length === labels.length) return children;
  return [next, ...children].filter((element) => element.getAttribute('role') === 'tabpanel');
}

function panelNamed(label: DomElement, body: DomElement): DomElement | undefined {
  const [id, own] = [label.getAttribute('aria-controls') ?? '', label.getAttribute('id') ?? ''];
  const find = (attribute: string, value: string) =>
    /^[^"\\]+$/.test(value) ? (body.querySelector(`[${attribute}="${value}"]`) ?? undefined) : undefined;
  return find('id', id) ?? find('aria-labelledby', own);
}

function labelled(label: DomElement, { document }: Page): DomElement {
  const [paragraph, strong] = [document.createElement('p'), document.createElement('strong')];
  strong.textContent = oneLine(label.textContent ?? '');
  paragraph.append(strong);
  return paragraph;
}

function writeFormula(formula: DomElement): void {
  const tex = texOf(formula);
  const shown = tex === '' ? symbolsOf(formula) : '';
  if (shown !== '') return formula.replaceWith(shown);
  if (tex === '') return;
  const isDisplayed =
    /katex-display|mode=display/.test(`${formula.className} ${formula.getAttribute('type')}`) ||
    formula.getAttribute('display') === 'block';
  const around = formula.parentElement;
  formula.replaceWith(isDisplayed ? `$$${tex}$$` : `$${tex}$`);
  if (formula.nodeName === 'SCRIPT') for (const drawn of around?.querySelectorAll(DRAWN) ?? []) drawn.remove();
}

/** What an author wrote: in an annotation of MathML, in its `alttext`, or in the script that MathJax reads. */
function texOf(formula: DomElement): string {
  const written =
    formula.nodeName === 'SCRIPT'
      ? formula.textContent
      : (formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ??
        (formula.getAttribute('alttext') || formula.querySelector('math[alttext]')?.getAttribute('alttext')));
  return oneLine(written ?? '').replace(/^\{\\displaystyle\s+(.*)\}$/, '$1');
}

/** The symbols of a formula in their order, where nothing says how it was written. */
const symbolsOf = (formula: DomElement): string =>
  [...formula.querySelectorAll('mi, mn, mo, mtext, ms')]
    .map(({ textContent }) => oneLine(textContent ?? ''))
    .filter(Boolean)
    .join(' ');
