import { childElements, type DomElement, type DomNode, elementNames } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';
import { type Measure, measuresOf } from './link-density.ts';
import { purposeOf } from './element-names.ts';
import { isConcealed, unhide } from './hidden-elements.ts';
import { isOfSite } from './headline.ts';
import { isUnshown } from './aria-elements.ts';

const HEADING = /^(?:H[1-6]|DT|SUMMARY)$/;
const PROSE = /^(?:P|LI|TD|DD)$/;
const TEXT = 3;

/** Tells the buttons that say something from those that do something: the only words of a heading, which fold its section out, and what a sentence speaks of. */
function saidButtons(): (button: DomElement) => boolean {
  const besides = new Map<DomElement, number>(); // letters of each heading that stand in no button
  const isLabel = (button: DomElement): boolean => {
    const heading = headingAround(button);
    if (!heading) return false;
    if (!besides.has(heading)) {
      const buttons = [...heading.querySelectorAll('button')];
      if (buttons.length === 1 && isNumber(button, heading)) return true;
      besides.set(heading, lettersIn(heading) - buttons.reduce((sum, other) => sum + lettersIn(other), 0));
    }
    const others = besides.get(heading)!;
    const isSo = lettersIn(button) > 0 && (others <= 0 || (button.hasAttribute('aria-expanded') && lettersIn(button) > others));
    if (isSo) besides.set(heading, Infinity); // one label is enough
    return isSo;
  };
  return (button) => isLabel(button) || isSpokenOf(button);
}

function headingAround(button: DomElement): DomElement | undefined {
  for (let around = button.parentElement; around; around = around.parentElement) if (HEADING.test(around.nodeName)) return around;
  return undefined;
}

const lettersIn = ({ textContent }: DomElement): number => (textContent ?? '').match(/\p{L}/gu)?.length ?? 0;

/** A heading may be a year. */
const isNumber = (button: DomElement, heading: DomElement): boolean =>
  /\p{N}/u.test(button.textContent ?? '') && oneLine(button.textContent ?? '') === oneLine(heading.textContent ?? '');

/** A button that a sentence speaks of, with words before it and something after it. */
const isSpokenOf = ({ parentElement, previousSibling, nextSibling }: DomElement): boolean =>
  parentElement !== null &&
  PROSE.test(parentElement.nodeName) &&
  saysSomething(previousSibling, /\p{L}/u) &&
  saysSomething(nextSibling, /\S/);

const saysSomething = (node: DomNode | null, sign: RegExp): boolean => node?.nodeType === TEXT && sign.test(node.textContent ?? '');

/** Leaves what a button says. A heading that unfolds its section is called a header, which readers of pages take for the page's. */
function writeOut(button: DomElement): void {
  headingAround(button)?.removeAttribute('class');
  button.replaceWith(oneLine(button.textContent ?? ''));
}

/** What asks for an address, and links for those who use a keyboard. */
const ASKING = /(?:^|[\s_-])(?:newsletter-?(?:signup|form|popup)|skip-?(?:link|nav|to-content))(?:$|[\s_-])/i;
/** What asks for consent lies over a page, whatever it is built with. Within its content, these are words like others. */
const CONSENT = /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|cookiebot|cc-window)(?:$|[\s_-])/i;
/** Names of what asks for consent that no part of a text has, whatever heading it begins with. */
const BANNER = /onetrust|cookiebot|usercentrics|didomi|(?:cookie|consent|gdpr)[_-]?(?:banner|bar|notice|popup|modal|overlay|dialog|law)/i;
const FIXED = /position:\s*fixed/i;
const CONTENT_ELEMENT = /^(?:MAIN|ARTICLE)$/;
/** An overlay is short; a page about cookies is not. */
const LONGEST = 1500;

/** Where an element stands. */
interface ElementPlace {
  isContent: boolean;
  measured: (element: DomElement) => Measure;
}

/** Whether an element lies over the page, as it is named or placed, and asks for something. */
function isOver(element: DomElement, { isContent, measured }: ElementPlace): boolean {
  if (elementNames(element).length < 3 || CONTENT_ELEMENT.test(element.nodeName)) return false;
  const names = purposeOf(element);
  const isConsent = CONSENT.test(names) || BANNER.test(element.id);
  const isNamed = ASKING.test(names) || (isConsent && (!isContent || isDrawnOver(element)));
  return isNamed && measured(element).letters < LONGEST;
}

const isDrawnOver = (element: DomElement): boolean => element.hasAttribute('aria-modal') || FIXED.test(element.getAttribute('style') ?? '');

/** Takes overlays out, none of them within another. One that has a headline and is all that there is stays: it is a page about cookies. */
function removeOverlays(root: DomElement, overlays: readonly DomElement[]): void {
  const page = overlays.find((overlay) => overlay.querySelector('h1') !== null);
  const left = overlays.reduce((letters, overlay) => letters - solid(overlay), solid(root));
  for (const overlay of left > 0 ? overlays : overlays.filter((one) => one !== page)) overlay.remove();
}

const solid = ({ textContent }: DomElement): number => (textContent ?? '').replace(/\s+/g, '').length;

/** Never content, or nothing that text shows. */
const UNSEEN = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT EMBED CANVAS LINK META TITLE SELECT TEXTAREA DATALIST DIALOG INPUT AUDIO VIDEO PROGRESS SLOT'.split(
    ' ',
  ),
);
/** Roles of what stands around the content (WAI-ARIA 1.2, 5.3.4, and widgets that lead elsewhere). */
const AROUND = new Set('navigation banner contentinfo search menu menubar toolbar dialog alertdialog doc-pagefooter doc-toc'.split(' '));
/** Elements that frame a page where they stand outside of its article, and an article where they stand in it. */
const FRAMES = new Set(['HEADER', 'FOOTER', 'ASIDE']);
const CONTENT = new Set(['MAIN', 'ARTICLE']);
const CONTROLS = 'input:not([type=hidden]), textarea, select';
/** Panels that a click brings forth are read like the one that is open. */
const PANEL = /\b(?:tab-?pane|tabs?-?panel|tabbed-block|tab-?content|collapse|accordion)/i;
/** A form of this many letters is a page. */
const FORM_LETTERS = 1500;

/**
 * Takes out what is never read: scripts and controls, hidden parts, navigation, what stands around the content and what lies over it. `content` is what is known
 * to be content. Panels behind tabs are shown.
 */
export function removeUnseen(root: DomElement, content?: DomElement): void {
  const measured = measuresOf(root);
  const isSaid = saidButtons();
  const overlays: DomElement[] = [];
  const isUnmarked = root.querySelector('main, [role=main], article') === null;
  const isPlain = isUnmarked && [...root.querySelectorAll('h1')].length === 1;
  const visit = (element: DomElement, { isContent, isOverlay }: { isContent: boolean; isOverlay: boolean }): void => {
    for (const child of childElements(element)) {
      const place = { isContent, measured };
      const isButton = child.nodeName === 'BUTTON';
      if (
        isButton
          ? !isSaid(child)
          : isUnseen(child, place) || isAround(child, { isContent: isContent || (isUnmarked && isBox(child, place)), isPlain })
      )
        child.remove();
      else {
        const liesOver = !isOverlay && isOver(child, place);
        if (liesOver) overlays.push(child);
        visit(child, { isContent: isContent || child === content || isMain(child), isOverlay: isOverlay || liesOver });
        if (isButton) writeOut(child);
      }
    }
  };
  visit(root, { isContent: root === content, isOverlay: false });
  removeOverlays(root, overlays);
}

const isMain = (element: DomElement): boolean => CONTENT.has(element.nodeName) || element.getAttribute('role') === 'main';

function isUnseen(element: DomElement, place: ElementPlace): boolean {
  const name = element.nodeName.toUpperCase();
  if (UNSEEN.has(name)) return !isFormula(element, name);
  if (name === 'FORM' && isAsking(element, place)) return true;
  if (isConcealed(element)) {
    if (!isCloaked(element, place) && element.getAttribute('role') !== 'tabpanel' && !PANEL.test(elementNames(element))) return true;
    unhide(element);
  }
  return name !== 'BODY' && isUnshown(element);
}

/** Whether a script takes the cloak off what hides the whole page. */
const isCloaked = (element: DomElement, { measured }: ElementPlace): boolean =>
  element.querySelector('main, [role=main]') !== null ||
  (element.querySelector('h1') !== null && isMostOf(element.parentElement, measured(element).letters, measured));

/** A form for an address, an opinion or a search. Some sites put the whole page into a form: ASP.NET always does. */
function isAsking(form: DomElement, { measured }: ElementPlace): boolean {
  const { letters } = measured(form);
  if (letters >= FORM_LETTERS || form.querySelector('h1, main, article') !== null) return false;
  const first = form.querySelector(`pre, ${CONTROLS}`);
  return first !== null && first.nodeName !== 'PRE' && !isMostOf(form.parentElement, letters, measured);
}

/** Whether so many letters are most of the body's that an element stands directly in. */
const isMostOf = (body: DomElement | null, letters: number, measured: ElementPlace['measured']): boolean =>
  body?.nodeName === 'BODY' && letters > measured(body).letters / 2;

/** MathJax keeps the source of a formula in a script. */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

/** The roles of footnotes (ARIA, DPUB-ARIA). */
const NOTE = /^(?:note|doc-footnote|doc-endnotes)$/;
const isNote = (element: DomElement): boolean => NOTE.test(element.getAttribute('role') ?? '');

const standsBetween = (element: DomElement): boolean =>
  element.nextElementSibling !== null && childElements(element.parentElement!).some(({ nodeName }) => nodeName === 'P');

/** Whether an aside stands between the paragraphs of a page or holds notes to them, and not beside them. */
const isBox = (element: DomElement, { measured }: ElementPlace): boolean =>
  element.nodeName === 'ASIDE' &&
  (isNote(element) || childElements(element).some(isNote) || standsBetween(element)) &&
  measured(element).linked < measured(element).letters / 2;

/** `isPlain` is a page of a single headline: its header may say what it is about. */
function isAround(element: DomElement, { isContent, isPlain }: { isContent: boolean; isPlain: boolean }): boolean {
  const name = element.nodeName;
  if (name === 'NAV' || AROUND.has(element.getAttribute('role') ?? '')) return true;
  if (!FRAMES.has(name) || isContent) return false;
  if (isPlain && name === 'HEADER' && element.querySelector('h1') !== null && element.querySelector('p') !== null) return false;
  return element.querySelector('main, article') === null && [...element.querySelectorAll('h1')].every(isOfSite);
}
