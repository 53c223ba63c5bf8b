import { childElements, type DomElement, elementNames, HEADINGS } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';
import { type Measure, measuresOf } from './link-density.ts';
import { isConcealed, unhide, isUnshown } from './widgets.ts';
import { isOfSite } from './boilerplate.ts';

/** Replaces a button that is a whole heading (of an accordion) by its words: Readability takes it for the header of the page. */
function writeLabels(root: DomElement): void {
  for (const heading of root.querySelectorAll(`${HEADINGS}, dt, summary`)) {
    const buttons = [...heading.querySelectorAll('button')];
    const besides = lettersIn(heading) - buttons.reduce((sum, button) => sum + lettersIn(button), 0);
    if (!buttons[0] || besides > 0) continue;
    heading.removeAttribute('class');
    buttons[0].replaceWith(oneLine(buttons[0].textContent ?? ''));
  }
}

const lettersIn = ({ textContent }: DomElement): number => (textContent ?? '').match(/\p{L}/gu)?.length ?? 0;

interface ElementPlace {
  isContent: boolean;
  measured: (element: DomElement) => Measure;
}

/** Elements that are never content, or have no text to show. */
const UNSEEN = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT EMBED CANVAS LINK META TITLE SELECT TEXTAREA DATALIST DIALOG INPUT BUTTON AUDIO VIDEO PROGRESS SLOT'.split(
    ' ',
  ),
);
/** Roles of landmarks around the content (WAI-ARIA 1.2, 5.3.4) and of widgets that lead elsewhere. */
const AROUND = new Set('navigation banner contentinfo search menu menubar toolbar dialog alertdialog doc-pagefooter doc-toc'.split(' '));
/** Elements that frame a page outside of its article, and belong to an article inside of it. */
const FRAMES = new Set(['HEADER', 'FOOTER', 'ASIDE']);
const CONTENT = new Set(['MAIN', 'ARTICLE']);
const CONTROLS = 'input:not([type=hidden]), textarea, select';
/** Names of panels that a click opens: they are read like the open one. */
const PANEL = /\b(?:tab-?pane|tabs?-?panel|tabbed-block|tab-?content|collapse|accordion)/i;
/** A form with at least this many letters is a page. */
const FORM_LETTERS = 1500;

/** Removes what is never read: scripts, controls, hidden parts, navigation, what surrounds `content`. Panels behind tabs stay. */
export function removeUnseen(root: DomElement, content?: DomElement): void {
  writeLabels(root);
  const measured = measuresOf(root);
  const isUnmarked = root.querySelector('main, [role=main], article') === null;
  const isPlain = isUnmarked && [...root.querySelectorAll('h1')].length === 1;
  const visit = (element: DomElement, isContent: boolean): void => {
    for (const child of childElements(element)) {
      const place = { isContent, measured };
      const isInContent = isContent || (isUnmarked && isBox(child, place));
      if (isUnseen(child, place) || isAround(child, { isContent: isInContent, isPlain })) child.remove();
      else visit(child, isContent || child === content || isMain(child));
    }
  };
  visit(root, root === content);
}

const isMain = (element: DomElement): boolean => CONTENT.has(element.nodeName) || element.getAttribute('role') === 'main';

function isUnseen(element: DomElement, place: ElementPlace): boolean {
  const name = element.nodeName.toUpperCase();
  if (UNSEEN.has(name)) return !isFormula(element, name);
  if (name === 'FORM' && isRequestForm(element, place)) return true;
  if (isConcealed(element)) {
    if (!isPageCloak(element, place) && element.getAttribute('role') !== 'tabpanel' && !PANEL.test(elementNames(element))) return true;
    unhide(element);
  }
  return name !== 'BODY' && isUnshown(element);
}

/** Whether an element hides the whole page until a script shows it. */
const isPageCloak = (element: DomElement, { measured }: ElementPlace): boolean =>
  isMostOf(element.parentElement, measured(element).letters, measured);

/** Whether a form asks for an address, an opinion or a search. Some sites put the whole page into a form: ASP.NET always does. */
function isRequestForm(form: DomElement, { measured }: ElementPlace): boolean {
  const { letters } = measured(form);
  if (letters >= FORM_LETTERS || form.querySelector('h1, main, article') !== null) return false;
  return form.querySelector(CONTROLS) !== null && !isMostOf(form.parentElement, letters, measured);
}

/** Whether so many letters are more than half of the body, which is the parent. */
const isMostOf = (body: DomElement | null, letters: number, measured: ElementPlace['measured']): boolean =>
  body?.nodeName === 'BODY' && letters > measured(body).letters / 2;

/** Whether a script holds the source of a formula (MathJax). */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

/** The roles of footnotes (ARIA, DPUB-ARIA). */
const NOTE = /^(?:note|doc-footnote|doc-endnotes)$/;
const isNote = (element: DomElement): boolean => NOTE.test(element.getAttribute('role') ?? '');

const standsBetween = (element: DomElement): boolean =>
  element.nextElementSibling !== null && childElements(element.parentElement!).some(({ nodeName }) => nodeName === 'P');

/** Whether an aside is a box between the paragraphs of a page, or holds notes to them. */
const isBox = (element: DomElement, { measured }: ElementPlace): boolean =>
  element.nodeName === 'ASIDE' &&
  (isNote(element) || childElements(element).some(isNote) || standsBetween(element)) &&
  measured(element).linked < measured(element).letters / 2;

/** Whether an element surrounds the content; the header of a page with a single headline (`isPlain`) may say what it is about. */
function isAround(element: DomElement, { isContent, isPlain }: { isContent: boolean; isPlain: boolean }): boolean {
  const name = element.nodeName;
  if (name === 'NAV' || AROUND.has(element.getAttribute('role') ?? '')) return true;
  if (!FRAMES.has(name) || isContent) return false;
  if (isPlain && name === 'HEADER' && element.querySelector('h1') !== null && element.querySelector('p') !== null) return false;
  return element.querySelector('main, article') === null && [...element.querySelectorAll('h1')].every(isOfSite);
}
