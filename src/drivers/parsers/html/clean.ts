import { childElements, type DomElement } from '../dom.ts';

/** Never content, or nothing that text shows. */
const UNSEEN = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT EMBED CANVAS LINK META TITLE BUTTON SELECT TEXTAREA DATALIST DIALOG INPUT AUDIO VIDEO PROGRESS SLOT'.split(
    ' ',
  ),
);
/** Roles of what stands around the content (WAI-ARIA 1.2, 5.3.4, and widgets that lead elsewhere). */
const AROUND = new Set('navigation banner contentinfo search menu menubar toolbar dialog alertdialog doc-pagefooter doc-toc'.split(' '));
/** Elements that frame a page where they stand outside of its article, and an article where they stand in it. */
const FRAMES = new Set(['HEADER', 'FOOTER', 'ASIDE']);
const CONTENT = new Set(['MAIN', 'ARTICLE']);
const HEADING = /^H[1-6]$/;
/** Panels that a click brings forth are read like the one that is open. */
const PANEL = /\b(?:tab-?pane|tabs?-?panel|tabbed-block|tab-?content|collapse|accordion)/i;
const CONCEALED = /display:\s*none|visibility:\s*hidden/i;
/** Words for screen readers beside an icon, as Bootstrap, WordPress and Primer name them. */
const UNSHOWN = /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-reader-text)(?:$|[\s_-])/i;
/** What asks for consent, money or an address lies over a page, whatever it is built with. */
const OVERLAY =
  /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|cookiebot|cc-window|newsletter-?(?:signup|form|popup)|skip-?(?:link|nav|to-content))(?:$|[\s_-])/i;
/** An overlay is short; a page about cookies is not. */
const OVERLAY_LETTERS = 1500;

/** The names that its author gave an element. */
export const namesOf = (element: DomElement): string => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;

/** Takes out what is never read: scripts and controls, hidden parts, navigation, what stands around the content and what lies over it. */
export function removeUnseen(root: DomElement, isContent = false): void {
  for (const child of childElements(root)) {
    if (isUnseen(child) || isAround(child, isContent)) child.remove();
    else removeUnseen(child, isContent || CONTENT.has(child.nodeName) || child.getAttribute('role') === 'main');
  }
}

function isUnseen(element: DomElement): boolean {
  const name = element.nodeName.toUpperCase();
  if (UNSEEN.has(name)) return !(name === 'BUTTON' && isLabel(element)) && !isFormula(element, name);
  if (name === 'FORM' && isAsking(element)) return true;
  const names = namesOf(element);
  if (isConcealed(element) && element.getAttribute('role') !== 'tabpanel' && !PANEL.test(names)) return true;
  if (names.length < 3 || name === 'BODY') return false;
  if (UNSHOWN.test(names)) return true;
  return OVERLAY.test(names) && !CONTENT.has(name) && (element.textContent ?? '').length < OVERLAY_LETTERS;
}

/** A script takes the cloak off what hides the whole page. */
const isConcealed = (element: DomElement): boolean =>
  ((element.hasAttribute('hidden') && element.getAttribute('hidden') !== 'until-found') ||
    CONCEALED.test(element.getAttribute('style') ?? '')) &&
  element.querySelector('main, [role=main]') === null;

/** A form for an address, an opinion or a search. Some sites put the whole page into a form. */
const isAsking = (element: DomElement): boolean =>
  (element.textContent ?? '').length < OVERLAY_LETTERS &&
  element.querySelector('h1, pre, input, textarea, select')?.nodeName.match(/^(?:H1|PRE)$/) === null;

/** The heading of a section that folds out. */
const isLabel = ({ parentElement: parent }: DomElement): boolean =>
  parent !== null && (HEADING.test(parent.nodeName) || /^(?:DT|SUMMARY)$/.test(parent.nodeName));

/** MathJax keeps the source of a formula in a script. */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

function isAround(element: DomElement, isContent: boolean): boolean {
  const name = element.nodeName;
  if (name === 'NAV' || AROUND.has(element.getAttribute('role') ?? '')) return true;
  if (!FRAMES.has(name) || isContent) return false;
  return element.querySelector('h1, main, article') === null;
}
