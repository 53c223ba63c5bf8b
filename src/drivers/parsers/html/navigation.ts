import { childElements, type DomElement, type DomNode } from './dom.ts';
import { lettersOf, type Measure, measuresOf, proseOf } from './link-density.ts';
import { purposeOf } from './element-names.ts';
import { isOfSite } from './headline.ts';

/** Elements that hold parts of a page. */
const PART = /^(?:CENTER|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
const HEADING = /^H[1-6]$/;
const HEADINGS = 'h1, h2, h3, h4, h5, h6, dt, summary, caption';
const LISTS = 'ul, ol';
/** A way to the page before or after this one: as its attributes say, or its words. */
const TURNING = 'a[rel~=prev], a[rel~=next], a[rel~=up], a[accesskey=p], a[accesskey=n], a[accesskey=u]';
const TURNING_WORDS = /^\W*(?:prev(?:ious)?|next|up|back|home|top|contents|index)\W*$/i;
/** Links to the same page in other languages. */
const LANGUAGES = 'a[hreflang]';
/** Letters of which more than this share lead elsewhere are a menu. */
const LINKED = 0.5;
/** Of a table of contents, almost all. */
const LINKED_CONTENTS = 0.8;
const FEWEST_ENTRIES = 3;
/** Letters of a part under the text: a longer one is not there to turn pages. */
const LONGEST = 600;
/** What is left of a part when its table of contents is gone: a label. */
const LABEL = 40;

type Measured = (element: DomElement) => Measure;

/**
 * Takes out of a page what leads elsewhere, by where it stands and how much of it is links: parts above the headline without any prose, parts under all text,
 * links to other languages, and the table of the page's own headings.
 */
export function removeNavigation(root: DomElement, headline: DomElement | undefined): void {
  const measured = measuresOf(root);
  const { letters, linked } = measured(root);
  if (headline && root.contains(headline)) removeAbove(root, headline);
  if (linked < letters * LINKED) removeBelow(root, measured); // of a page of links, they are the content
  for (const link of root.querySelectorAll(LANGUAGES)) removeLanguages(link, root);
  removeContents(root, measured);
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
  const isHeaded = part.querySelector('h1, h2, h3, h4, h5, h6') !== null || HEADING.test(previousOf(part)?.nodeName ?? '');
  return part.nodeName === 'DIV' && links.length > 1 && !isHeaded && linked >= letters * LINKED;
}

/** The element before another, or before what holds it alone. */
function previousOf(element: DomElement): DomElement | undefined {
  let node = element.previousSibling;
  while (node && node.nodeType !== 1) node = node.previousSibling;
  return (node as DomElement | null) ?? undefined;
}

/** The list of links to other languages, where a page has one: at least half of its links are such. */
function removeLanguages(link: DomElement, root: DomElement): void {
  const list = link.closest('ul, ol, p, div');
  if (!list || list === root || !root.contains(list)) return;
  const links = [...list.querySelectorAll('a[href]')];
  const languages = links.filter((other) => other.hasAttribute('hreflang')).length;
  if (languages > 1 && languages >= links.length * LINKED && proseOf(list) === 0) list.remove();
}

/** Lists of links to the page's own headings, whose words are there a second time, and the parts that hold nothing else. */
function removeContents(root: DomElement, measured: Measured): void {
  const headings = new Set([...root.querySelectorAll(HEADINGS)].map(lettersIn));
  for (const list of root.querySelectorAll(LISTS)) {
    const { letters, linked } = measured(list);
    if (!root.contains(list) || linked < letters * LINKED_CONTENTS) continue;
    const links = [...list.querySelectorAll('a[href]')];
    const own = links.filter((link) => link.getAttribute('href')!.startsWith('#') && headings.has(lettersIn(link)));
    if (own.length < FEWEST_ENTRIES || own.length < links.length * LINKED_CONTENTS) continue;
    const part = list.parentElement!;
    list.remove();
    if (part !== root && /^(?:DETAILS|DIV|SECTION)$/.test(part.nodeName) && (part.textContent ?? '').trim().length < LABEL) part.remove();
  }
}

const lettersIn = ({ textContent }: DomElement): string => (textContent ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const PLACE = '(?:site|page|main|top|global|primary|secondary|left|right|bottom|side|sub|mobile|desktop|user)[_-]?';
const NAME_ENDING = '[_-]?(?:container|wrapper|wrap|area|inner|list|links|content|menu|bar|nav)';
const named = (words: string): RegExp => new RegExp(`(?:^|\\s)(?:${PLACE})?(?:${words})(?:${NAME_ENDING})?(?:$|\\s)`, 'i');
/** What leads elsewhere, as sites name it that have no elements for that. */
const LEADING = named('nav|navbar|navigation|menu|breadcrumbs?');
/** What stands beside the content, or is a box in it. */
const BESIDE = named('sidebar');
/** What stands above each page; parts have heads with a heading. */
const HEAD = named('header|head|masthead|topbar');
/** What stands under each page. */
const FOOTER = named('footer|foot|colophon');
/** Elements that hold parts of a page; any other with such a name is a part of a text. */
const PART_OF_PAGE = /^(?:DIV|SECTION|UL|OL)$/;
const HEADING_SELECTOR = 'h2, h3, h4, h5, h6';
/** A menu without links is as short as this share of its page. */
const SHORT = 0.2;
const TEXT = 3;
const FOOTER_LETTERS = 300;
const FOOTER_LINKED = 0.3;

/** Takes menus, side bars and footers out of the body of a page that marks them by names alone. A side bar between the headline and other text is a box of the text. */
export function removeFrames(body: DomElement, headline: DomElement | undefined): void {
  const measured = measuresOf(body);
  const footers: DomElement[] = [];
  const heads: DomElement[] = [];
  let isBelow = false;
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      isBelow ||= child === headline;
      const place = PART_OF_PAGE.test(child.nodeName) ? placeOf(purposeOf(child)) : undefined;
      if (place === undefined || holdsContent(child)) visit(child);
      else if (place === FOOTER && isSmall(measured(child))) footers.push(child);
      else if (place === HEAD && isMenu(child, measured) && !child.querySelector(HEADING_SELECTOR)) heads.push(child);
      else if (place === LEADING && isMenu(child, measured)) child.remove();
      else if (place === BESIDE && isMenu(child, measured) && !(isBelow && hasTextBeside(child, { side: 'nextSibling', body, measured })))
        child.remove();
      else visit(child);
    }
  };
  visit(body);
  const [head, ...otherHeads] = heads; // several are those of parts
  if (head && otherHeads.length === 0 && !hasTextBeside(head, { side: 'previousSibling', body, measured })) head.remove();
  const [footer, ...others] = footers;
  if (footer && others.length === 0 && isUnder(footer, body, measured)) footer.remove();
}

/** Whether a footer stands under all else, the headline as well: that of a part has its headline outside of the part. */
function isUnder(footer: DomElement, body: DomElement, measured: (element: DomElement) => Measure): boolean {
  if (measured(footer).letters >= measured(body).letters || hasTextBeside(footer, { side: 'nextSibling', body, measured })) return false;
  let part = footer;
  while (part !== body && measured(part).letters === measured(footer).letters) part = part.parentElement!;
  const headline = [...body.querySelectorAll('h1')].find((heading) => !isOfSite(heading));
  return headline === undefined || part.contains(headline);
}

type Side = 'previousSibling' | 'nextSibling';

/** Whether anything but links stands before or after an element in the body: then it belongs to a part. */
function hasTextBeside(
  element: DomElement,
  { side, body, measured }: { side: Side; body: DomElement; measured: (element: DomElement) => Measure },
): boolean {
  const isText = (node: DomNode): boolean => {
    const { letters, linked } = measured(node as DomElement);
    return node.nodeType === TEXT ? lettersOf(node) > 0 : letters > linked;
  };
  for (let at: DomElement | null = element; at && at !== body; at = at.parentElement)
    for (let node = at[side]; node; node = node[side]) if (isText(node)) return true;
  return false;
}

const placeOf = (names: string): RegExp | undefined =>
  names.length < 3 ? undefined : [LEADING, BESIDE, HEAD, FOOTER].find((place) => place.test(names));

const holdsContent = (element: DomElement): boolean =>
  element.querySelector('main, article') !== null || [...element.querySelectorAll('h1')].some((heading) => !isOfSite(heading));

function isMenu(element: DomElement, measured: (element: DomElement) => Measure): boolean {
  const { letters, linked } = measured(element);
  if (linked >= letters * LINKED) return true;
  const body = element.closest('body');
  return body !== null && letters <= measured(body).letters * SHORT && element.querySelector('h2, h3, p, table, pre, dl') === null;
}

const isSmall = ({ letters, linked }: Measure): boolean => letters <= FOOTER_LETTERS || linked >= letters * FOOTER_LINKED;
