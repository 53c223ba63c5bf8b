import { childElements, type DomElement, elementNames, HEADINGS, isHeading } from './dom.ts';
import { type Measure, measuresOf, proseOf } from './link-density.ts';

// What surrounds the text of a page: its structure tells.

/** Roles of landmarks around the content (WAI-ARIA 1.2, 5.3.4) and of widgets that lead elsewhere. */
const AROUND = new Set('navigation banner contentinfo search menu menubar toolbar dialog alertdialog doc-pagefooter doc-toc'.split(' '));
/** Elements that frame a page outside of its article, and belong to an article inside of it. */
const FRAMES = new Set(['HEADER', 'FOOTER', 'ASIDE']);
const CONTENT = 'main, article, [role=main]';

type Measured = (element: DomElement) => Measure;

/** Removes what the markup declares to surround the content (navigation; headers, footers and asides of the page), and repeated headings. */
export function removeFurniture(body: DomElement): void {
  const isMarked = body.querySelector(CONTENT) !== null;
  const measured = measuresOf(body);
  const visit = (element: DomElement, isContent: boolean): void => {
    for (const child of childElements(element)) {
      const role = child.getAttribute('role') ?? '';
      if (child.nodeName === 'NAV' || AROUND.has(role)) child.remove();
      else if (!isContent && FRAMES.has(child.nodeName) && isOfPage(child, { isMarked, measured })) child.remove();
      else visit(child, isContent || child.nodeName === 'MAIN' || child.nodeName === 'ARTICLE' || role === 'main');
    }
  };
  visit(body, false);
  removeContents(body);
}

/** Whether a header, footer or aside belongs to the page. On a page that does not mark its content, an aside may be a box of the text. */
function isOfPage(frame: DomElement, { isMarked, measured }: { isMarked: boolean; measured: Measured }): boolean {
  const headlines = [...frame.querySelectorAll('h1')];
  if (frame.querySelector(CONTENT) || headlines.some((heading) => !isMarked || !isOfSite(heading))) return false;
  return isMarked || frame.nodeName !== 'ASIDE' || isLinks(measured(frame));
}

/** The address of a site's start page, also in one of its languages. */
const HOME =
  /^(?:https?:\/\/[^/]+)?\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?(?:index\.\w+)?$|^https?:\/\/[^/]+$|^(?:\.\.?\/)*\.\.\/$|^(?:\.\.?\/)+index\.\w+$/i;

/** Class names of the name of the site. */
const SITE = /(?:^|[\s_-])(?:site-?(?:title|name|logo|branding)|logo|navbar-brand)(?:$|[\s_-])/i;

/** Whether a heading is the name of the site: it names no page. */
export function isOfSite(heading: DomElement): boolean {
  const link = heading.closest('a[href]') ?? heading.querySelector('a[href]');
  const isHome = link !== null && HOME.test(link.getAttribute('href')!.trim());
  return isHome || [heading, heading.parentElement].some((element) => element !== null && SITE.test(elementNames(element)));
}

/** Minimum share of linked letters in a menu. */
const LINKED = 0.5;
const isLinks = ({ letters, linked }: Measure): boolean => linked >= letters * LINKED;

/** Whether an element holds nothing but links. */
export const holdsLinksAlone = (element: DomElement): boolean => {
  const measure = measuresOf(element)(element);
  return measure.letters === 0 || (isLinks(measure) && proseOf(element) === 0);
};

/** Minimum links of a list of contents. */
const MIN_LINKS = 3;
/** Section numbers, and signs that link to a heading. */
const NUMBER = /^[\p{L}\d]{1,3}(?:\.\d+)*\.?\s+/u;
const lettersIn = (text: string | null): string =>
  (text ?? '')
    .trim()
    .replace(NUMBER, '')
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Removes lists of the headings on the page: they repeat these. */
function removeContents(body: DomElement): void {
  const lists = [...body.querySelectorAll('ul, ol')].filter((list) => !list.parentElement?.closest('ul, ol'));
  if (lists.length === 0) return;
  const headings = new Set([...body.querySelectorAll(HEADINGS)].map(({ textContent }) => lettersIn(textContent)));
  for (const list of lists) {
    const links = [...list.querySelectorAll('a[href]')];
    const names = links.map(({ textContent }) => lettersIn(textContent)).filter(Boolean);
    const words = names.join('').length;
    const isRepeated = names.every((name) => headings.has(name)) && links.every((link) => link.getAttribute('href')!.includes('#'));
    if (names.length >= MIN_LINKS && isRepeated && words >= lettersIn(list.textContent).length * CONTENTS_SHARE) list.remove();
  }
}

/** Share of the letters of a list of contents in its links: the others are numbers. */
const CONTENTS_SHARE = 0.8;

/** Elements that may be a menu. */
const BLOCK = /^(?:DIV|FORM|OL|SECTION|UL)$/;
/** The share of the prose of a page that the element with the text holds. With .9 readability's F1 falls from .985 to .981. */
const DOMINANT = 0.75;

/** Whether a block has a heading: it is a part of the text, such as "See also". */
const isHeaded = (element: DomElement): boolean =>
  element.querySelector(HEADINGS) !== null || (element.previousElementSibling !== null && isHeading(element.previousElementSibling));

/** Removes blocks of links outside of the innermost element that holds most of the prose: menus, and teasers of other pages. */
export function removeMenus(root: DomElement): void {
  const measured = measuresOf(root);
  const whole = proseOf(root);
  if (whole === 0 || isLinks(measured(root))) return; // of a page of links, they are the content
  const removeIn = (element: DomElement): void => {
    const measure = measured(element);
    const isMenu = BLOCK.test(element.nodeName) && measure.letters > 0 && isLinks(measure) && proseOf(element) === 0;
    if (isMenu && !isHeaded(element)) element.remove();
    else if (!isMenu) for (const child of childElements(element)) removeIn(child);
  };
  const least = whole * DOMINANT;
  for (let core: DomElement | undefined = root; core;) {
    const children: DomElement[] = childElements(core);
    core = children.find((child) => measured(child).letters >= least && proseOf(child) >= least);
    if (core) for (const child of children) if (child !== core) removeIn(child);
  }
}

/** Elements that hold parts of a page. */
const PART = /^(?:CENTER|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
/** Links to the page before or after this one. */
const TURNING = 'a[rel~=prev], a[rel~=next], a[rel~=up], a[accesskey=p], a[accesskey=n], a[accesskey=u]';
/** Maximum letters of a part below the text that turns pages. */
const MAX_LENGTH = 600;

/** Removes the ways to other pages that stand around the text: parts with links and no prose above the headline, and links to the next page below. */
export function removeNavigation(root: DomElement, headline: DomElement | undefined): void {
  const measured = measuresOf(root);
  if (headline && root.contains(headline)) removeAbove(root, headline);
  if (!isLinks(measured(root))) removeBelow(root, measured); // of a page of links, they are the content
}

/** Removes parts with links and no prose before the headline, and behind it in the same header. */
function removeAbove(root: DomElement, headline: DomElement): void {
  for (let inner = headline; inner !== root; inner = inner.parentElement!) {
    const around = inner.parentElement!;
    let isBelow = false;
    for (const child of childElements(around)) {
      if (child === inner) isBelow = true;
      else if (isBelow && around.nodeName !== 'HEADER') break;
      else if (PART.test(child.nodeName) && child.querySelector('a[href]') !== null && proseOf(child) === 0) child.remove();
    }
  }
}

/** Removes the last parts while they lead to the next page. */
function removeBelow(root: DomElement, measured: Measured): void {
  for (const child of childElements(root).toReversed()) {
    const { letters } = measured(child);
    if (letters <= 1) continue;
    const isPart = PART.test(child.nodeName);
    if (isPart && letters <= MAX_LENGTH && child.querySelector(TURNING) && proseOf(child) === 0) child.remove();
    else {
      if (isPart && child.nodeName !== 'P') removeBelow(child, measured);
      return;
    }
  }
}
