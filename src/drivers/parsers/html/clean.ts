import { childElements, type DomElement, type DomNode } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';
import { measuresOf } from './measure.ts';

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
const PART = /^(?:DIV|SECTION)$/;
const PROSE = /^(?:P|LI|TD|DD)$/;
const TEXT = 3;
/** Panels that a click brings forth are read like the one that is open. */
const PANEL = /\b(?:tab-?pane|tabs?-?panel|tabbed-block|tab-?content|collapse|accordion)/i;
const CONCEALED = /display:\s*none|visibility:\s*hidden/i;
/** Words for screen readers beside an icon, as Bootstrap, WordPress and Primer name them. */
const UNSHOWN = /(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-reader-text)(?:$|[\s_-])/i;
/** What asks for an address, and links for those who use a keyboard. */
const ASKING = /(?:^|[\s_-])(?:newsletter-?(?:signup|form|popup)|skip-?(?:link|nav|to-content))(?:$|[\s_-])/i;
/** What asks for consent lies over a page, whatever it is built with. Within its content, these are words like others. */
const OVERLAY = /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|cookiebot|cc-window)(?:$|[\s_-])/i;
const OVER = /position:\s*fixed/i;
/** An overlay is short; a page about cookies is not. */
const OVERLAY_LETTERS = 1500;

/** The names that its author gave an element. */
export const namesOf = (element: DomElement): string => `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;

/** Whether an element is a heading or a term, or a part that begins with one: its id is where links to it lead, and says what it is about. */
export const isTopic = (element: DomElement): boolean =>
  isHead(element) || (PART.test(element.nodeName) && isHead(element.firstElementChild));

const isHead = (element: DomElement | null): boolean => element !== null && (HEADING.test(element.nodeName) || element.nodeName === 'DT');

/** The names that say what an element is for. */
export const purposeOf = (element: DomElement): string => (isTopic(element) ? (element.getAttribute('class') ?? '') : namesOf(element));

interface Place {
  isContent: boolean;
  lettersIn: (element: DomElement) => number;
}

/**
 * Takes out what is never read: scripts and controls, hidden parts, navigation, what stands around the content and what lies over it. `content` is what is known
 * to be content. Panels behind tabs are shown.
 */
export function removeUnseen(root: DomElement, content?: DomElement): void {
  const measured = measuresOf(root);
  const lettersIn = (element: DomElement): number => measured(element).letters;
  const visit = (element: DomElement, isContent: boolean): void => {
    for (const child of childElements(element)) {
      if (isUnseen(child, { isContent, lettersIn }) || isAround(child, isContent)) child.remove();
      else visit(child, isContent || child === content || CONTENT.has(child.nodeName) || child.getAttribute('role') === 'main');
    }
    if (element.nodeName === 'BUTTON' && (isLabel(element) || isSpokenOf(element))) writeOut(element);
  };
  visit(root, root === content);
}

function isUnseen(element: DomElement, place: Place): boolean {
  const name = element.nodeName.toUpperCase();
  if (UNSEEN.has(name)) return !(name === 'BUTTON' && (isLabel(element) || isSpokenOf(element))) && !isFormula(element, name);
  if (name === 'FORM' && isAsking(element, place)) return true;
  if (isConcealed(element)) {
    if (element.getAttribute('role') !== 'tabpanel' && !PANEL.test(namesOf(element))) return true;
    show(element);
  }
  return name !== 'BODY' && (UNSHOWN.test(element.getAttribute('class') ?? '') || isOver(element, place));
}

function isOver(element: DomElement, { isContent, lettersIn }: Place): boolean {
  const names = purposeOf(element);
  if (names.length < 3 || CONTENT.has(element.nodeName)) return false;
  const isNamed = ASKING.test(names) || (OVERLAY.test(names) && (!isContent || liesOver(element)));
  return isNamed && lettersIn(element) < OVERLAY_LETTERS;
}

const liesOver = (element: DomElement): boolean => element.hasAttribute('aria-modal') || OVER.test(element.getAttribute('style') ?? '');

/** Leaves what a button says. A heading that unfolds its section is called a header, which readers of pages take for the page's. */
function writeOut(button: DomElement): void {
  const { parentElement: around } = button;
  if (around && HEADING.test(around.nodeName)) around.removeAttribute('class');
  button.replaceWith(oneLine(button.textContent ?? ''));
}

/** Lets a part be seen that a click would bring forth, so that nothing that reads the page later takes it for hidden. */
export function show(element: DomElement): void {
  for (const name of ['hidden', 'aria-hidden']) element.removeAttribute(name);
  if (CONCEALED.test(element.getAttribute('style') ?? '')) element.removeAttribute('style');
}

/** A script takes the cloak off what hides the whole page. */
const isConcealed = (element: DomElement): boolean =>
  ((element.hasAttribute('hidden') && element.getAttribute('hidden') !== 'until-found') ||
    CONCEALED.test(element.getAttribute('style') ?? '')) &&
  element.querySelector('main, [role=main]') === null;

/** A form for an address, an opinion or a search. Some sites put the whole page into a form. */
const isAsking = (element: DomElement, { lettersIn }: Place): boolean =>
  lettersIn(element) < OVERLAY_LETTERS &&
  element.querySelector('h1, pre, input, textarea, select')?.nodeName.match(/^(?:H1|PRE)$/) === null;

/** The heading of a section that folds out. */
const isLabel = ({ parentElement: parent }: DomElement): boolean =>
  parent !== null && (HEADING.test(parent.nodeName) || /^(?:DT|SUMMARY)$/.test(parent.nodeName));

/** A button that a sentence speaks of, with words before it and something after it. */
const isSpokenOf = ({ parentElement, previousSibling, nextSibling }: DomElement): boolean =>
  parentElement !== null &&
  PROSE.test(parentElement.nodeName) &&
  saysSomething(previousSibling, /\p{L}/u) &&
  saysSomething(nextSibling, /\S/);

const saysSomething = (node: DomNode | null, sign: RegExp): boolean => node?.nodeType === TEXT && sign.test(node.textContent ?? '');

/** MathJax keeps the source of a formula in a script. */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

function isAround(element: DomElement, isContent: boolean): boolean {
  const name = element.nodeName;
  if (name === 'NAV' || AROUND.has(element.getAttribute('role') ?? '')) return true;
  if (!FRAMES.has(name) || isContent) return false;
  return element.querySelector('h1, main, article') === null;
}
