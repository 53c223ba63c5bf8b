import type { DomElement } from '../dom.ts';
import { isConcealed, show } from './concealed.ts';
import { measuresOf } from './measure.ts';
import { labelled, panelNamed, type Named, type Page } from './panels.ts';

const HEADING = 'h1, h2, h3, h4, h5, h6, dt, summary';
/** What folds out there leads elsewhere or asks for something. */
const MENU = 'nav, dialog, form, [role=navigation], [role=menu], [role=menubar], [role=dialog], [role=search], [role=tree], [role=banner]';
const FRAME = 'header, footer, aside';
const CONTENT = 'main, article, [role=main]';
/** Roles of what is chosen from. */
const CHOICE = /^(?:combobox|dialog|listbox|menu|tab|tree|treeitem)$/;
/** What can be clicked and is no part of a table or a list. */
const LABEL = /^(?:A|DIV|SPAN)$/;
const PRESSED = /^(?:button|link)?$/;
const BLOCKS = 'h1, h2, h3, h4, h5, h6, p, ul, ol, table, pre';
const PROSE = 'p, td, th';
const CONTROLS = 'input, select, textarea';
/** Letters of which more than this share lead elsewhere are a menu. */
const LINKED = 0.5;

/**
 * Brings forth what a click on a button would (WAI-ARIA, pattern «accordion» and «disclosure»): answers under their questions. A button outside of a
 * heading becomes a paragraph, and in a sentence or a cell words of it.
 */
export function unfold(page: Page, named: Named): void {
  const measured = measuresOf(page.body);
  const seen = new Set<DomElement>();
  for (const fold of page.body.querySelectorAll('[aria-expanded]')) {
    const panel = panelOf(fold, named);
    if (!panel || seen.has(panel) || !isContent(fold) || CHOICE.test(panel.getAttribute('role') ?? '')) continue;
    seen.add(panel);
    const { letters, linked } = measured(panel);
    if (letters === 0 || linked > letters * LINKED || panel.contains(fold) || panel.querySelector(CONTROLS)) continue;
    show(panel);
    if (!isLabel(fold)) continue;
    const label = labelled(fold, page);
    fold.replaceWith(fold.closest(PROSE) ? `${label.textContent} ` : label);
  }
}

const isContent = (fold: DomElement): boolean =>
  !fold.hasAttribute('aria-haspopup') &&
  !CHOICE.test(fold.getAttribute('role') ?? '') &&
  fold.closest(MENU) === null &&
  (fold.closest(FRAME) === null || fold.closest(CONTENT) !== null);

/** Whether it is made of words alone, and stands for itself. */
const isLabel = (fold: DomElement): boolean =>
  fold.closest(HEADING) === null &&
  (fold.nodeName === 'BUTTON' ||
    (LABEL.test(fold.nodeName) && PRESSED.test(fold.getAttribute('role') ?? '') && fold.querySelector(BLOCKS) === null));

/** The panel that is named, or else what is hidden directly after the button or its heading. */
function panelOf(fold: DomElement, named: Named): DomElement | undefined {
  const next = (fold.closest(HEADING) ?? fold).nextElementSibling;
  return panelNamed(fold, named) ?? (next && isConcealed(next) ? next : undefined);
}
