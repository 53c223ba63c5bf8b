import { childElements, type DomElement, purposeOf } from './dom.ts';
import { type Measure, measuresOf, proseOf } from './link-density.ts';
import { isOfSite } from './headline.ts';

/** Elements that hold parts of a page. */
const PART = /^(?:CENTER|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
const HEADING = /^H[1-6]$/;
/** A way to the page before or after this one: as its attributes say, or its words. */
const TURNING = 'a[rel~=prev], a[rel~=next], a[rel~=up], a[accesskey=p], a[accesskey=n], a[accesskey=u]';
const TURNING_WORDS = /^\W*(?:prev(?:ious)?|next|up|back|home|top|contents|index)\W*$/i;
/** Letters of which more than this share lead elsewhere are a menu. */
const LINKED = 0.5;
/** Letters of a part under the text: a longer one is not there to turn pages. */
const LONGEST = 600;

type Measured = (element: DomElement) => Measure;

/** Takes out parts of links by their place: those above the headline without prose, and those under all text. */
export function removeNavigation(root: DomElement, headline: DomElement | undefined): void {
  const measured = measuresOf(root);
  const { letters, linked } = measured(root);
  if (headline && root.contains(headline)) removeAbove(root, headline);
  if (linked < letters * LINKED) removeBelow(root, measured); // of a page of links, they are the content
}

/** Parts in front of the headline that hold links and no prose, and those behind it in the same header. */
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

/** The last parts, as far as they hold nothing but links, or ways to the next page. */
function removeBelow(root: DomElement, measured: Measured): void {
  for (const child of childElements(root).toReversed()) {
    const { letters } = measured(child);
    if (letters <= 1) continue;
    if (leadsElsewhere(child, measured)) child.remove();
    else {
      if (PART.test(child.nodeName) && child.nodeName !== 'P') removeBelow(child, measured);
      return;
    }
  }
}

function leadsElsewhere(part: DomElement, measured: Measured): boolean {
  const { letters, linked } = measured(part);
  if (!PART.test(part.nodeName) || letters > LONGEST || proseOf(part) > 0) return false;
  const links = [...part.querySelectorAll('a[href]')];
  if (links.length === 0) return false;
  if (links.some(({ textContent }) => TURNING_WORDS.test(textContent ?? '')) || part.querySelector(TURNING) !== null) return true;
  const isHeaded = part.querySelector(HEADINGS) !== null || HEADING.test(previousOf(part)?.nodeName ?? '');
  return part.nodeName === 'DIV' && links.length > 1 && !isHeaded && linked >= letters * LINKED;
}

/** The element before another, or before what holds it alone. */
function previousOf(element: DomElement): DomElement | undefined {
  let node = element.previousSibling;
  while (node && node.nodeType !== 1) node = node.previousSibling;
  return (node as DomElement | null) ?? undefined;
}

const PLACE = '(?:site|page|main|top|global|primary|secondary|left|right|bottom|side|sub|mobile|desktop|user)[_-]?';
const NAME_ENDING = '[_-]?(?:container|wrapper|wrap|area|inner|list|links|content|menu|bar|nav)';
const named = (words: string): RegExp => new RegExp(`(?:^|\\s)(?:${PLACE})?(?:${words})(?:${NAME_ENDING})?(?:$|\\s)`, 'i');
/** What leads elsewhere, as sites name it that have no elements for that. */
const LEADING = named('nav|navbar|navigation|menu|breadcrumbs?');
/** What stands beside the content; one with a heading is a box of the text. */
const BESIDE = named('sidebar');
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
/** What stands under each page. */
const FOOTER = named('footer|foot|colophon');
/** Elements that hold parts of a page; any other with such a name is a part of a text. */
const PART_OF_PAGE = /^(?:DIV|SECTION|UL|OL)$/;
/** A menu without links is as short as this share of its page. */
const SHORT = 0.2;
const FOOTER_LETTERS = 300;
const FOOTER_LINKED = 0.3;

/** Takes menus, and the footer, out of the body of a page that marks them by names alone. */
export function removeFrames(body: DomElement): void {
  const measured = measuresOf(body);
  let footer: DomElement | undefined;
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      const names = PART_OF_PAGE.test(child.nodeName) ? purposeOf(child) : '';
      const isNamed = LEADING.test(names) || (BESIDE.test(names) && child.querySelector(HEADINGS) === null);
      if (isNamed && !holdsContent(child) && isMenu(child, measured)) child.remove();
      else if (FOOTER.test(names) && !holdsContent(child) && isSmall(measured(child))) footer = child;
      else visit(child);
    }
  };
  visit(body);
  if (footer && isUnder(footer, body, measured)) footer.remove();
}

/** Whether a footer stands in the body or beside its headline, and nothing but links follows it: that of a part stands in the part. */
function isUnder(footer: DomElement, body: DomElement, measured: Measured): boolean {
  if (measured(footer).letters >= measured(body).letters) return false;
  if (footer.parentElement !== body && footer.parentElement!.querySelector('h1') === null) return false;
  const isLinks = ({ letters, linked }: Measure): boolean => letters <= linked;
  for (let next = footer.nextElementSibling; next; next = next.nextElementSibling) if (!isLinks(measured(next))) return false;
  return true;
}

const holdsContent = (element: DomElement): boolean =>
  element.querySelector('main, article') !== null || [...element.querySelectorAll('h1')].some((heading) => !isOfSite(heading));

function isMenu(element: DomElement, measured: Measured): boolean {
  const { letters, linked } = measured(element);
  if (linked >= letters * LINKED) return true;
  const body = element.closest('body');
  return body !== null && letters <= measured(body).letters * SHORT && element.querySelector('h2, h3, p, table, pre, dl') === null;
}

const isSmall = ({ letters, linked }: Measure): boolean => letters <= FOOTER_LETTERS || linked >= letters * FOOTER_LINKED;
