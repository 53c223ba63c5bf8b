import { childElements, type DomElement } from '../dom.ts';
import { saidButtons, writeOut } from './buttons.ts';
import { isConcealed, show } from './concealed.ts';
import { isOfSite } from './headline.ts';
import { isUnshown } from './icons.ts';
import { measuresOf } from './measure.ts';
import { namesOf } from './names.ts';
import { isOver, removeOverlays, type Place } from './overlays.ts';

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

function isUnseen(element: DomElement, place: Place): boolean {
  const name = element.nodeName.toUpperCase();
  if (UNSEEN.has(name)) return !isFormula(element, name);
  if (name === 'FORM' && isAsking(element, place)) return true;
  if (isConcealed(element)) {
    if (!isCloaked(element, place) && element.getAttribute('role') !== 'tabpanel' && !PANEL.test(namesOf(element))) return true;
    show(element);
  }
  return name !== 'BODY' && isUnshown(element);
}

/** Whether a script takes the cloak off what hides the whole page. */
const isCloaked = (element: DomElement, { measured }: Place): boolean =>
  element.querySelector('main, [role=main]') !== null ||
  (element.querySelector('h1') !== null && isMostOf(element.parentElement, measured(element).letters, measured));

/** A form for an address, an opinion or a search. Some sites put the whole page into a form: ASP.NET always does. */
function isAsking(form: DomElement, { measured }: Place): boolean {
  const { letters } = measured(form);
  if (letters >= FORM_LETTERS || form.querySelector('h1, main, article') !== null) return false;
  const first = form.querySelector(`pre, ${CONTROLS}`);
  return first !== null && first.nodeName !== 'PRE' && !isMostOf(form.parentElement, letters, measured);
}

/** Whether so many letters are most of the body's that an element stands directly in. */
const isMostOf = (body: DomElement | null, letters: number, measured: Place['measured']): boolean =>
  body?.nodeName === 'BODY' && letters > measured(body).letters / 2;

/** MathJax keeps the source of a formula in a script. */
const isFormula = (element: DomElement, name: string): boolean =>
  name === 'SCRIPT' && (element.getAttribute('type') ?? '').startsWith('math/tex');

/** Whether an aside stands between the paragraphs of a page, and not beside them. */
const isBox = (element: DomElement, { measured }: Place): boolean =>
  element.nodeName === 'ASIDE' &&
  element.nextElementSibling !== null &&
  childElements(element.parentElement!).some(({ nodeName }) => nodeName === 'P') &&
  measured(element).linked < measured(element).letters / 2;

/** `isPlain` is a page of a single headline: its header may say what it is about. */
function isAround(element: DomElement, { isContent, isPlain }: { isContent: boolean; isPlain: boolean }): boolean {
  const name = element.nodeName;
  if (name === 'NAV' || AROUND.has(element.getAttribute('role') ?? '')) return true;
  if (!FRAMES.has(name) || isContent) return false;
  if (isPlain && name === 'HEADER' && element.querySelector('h1') !== null && element.querySelector('p') !== null) return false;
  return element.querySelector('main, article') === null && [...element.querySelectorAll('h1')].every(isOfSite);
}
