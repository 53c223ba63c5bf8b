import { childElements, type DomElement, HEADINGS, isHeading, isTopic, purposeOf } from './dom.ts';
import { type Measure, measuresOf, proseOf } from './link-density.ts';
import { isLineNumber } from './code-blocks.ts';

/** Elements that hold parts of a page. */
const PART = /^(?:CENTER|DIV|FOOTER|FORM|HEADER|OL|P|SECTION|TABLE|UL)$/;
/** Links to the page before or after this one, by their attributes or their words. */
const TURNING = 'a[rel~=prev], a[rel~=next], a[rel~=up], a[accesskey=p], a[accesskey=n], a[accesskey=u]';
const TURNING_WORDS = /^\W*(?:prev(?:ious)?|next|up|back|home|top|contents|index)\W*$/i;
/** Minimum share of linked letters in a menu. */
const LINKED = 0.5;
/** Maximum letters of a part below the text that turns pages. */
const MAX_LENGTH = 600;

type Measured = (element: DomElement) => Measure;

/** Removes parts of links by their place: those above the headline without prose, and those under all text. */
export function removeNavigation(root: DomElement, headline: DomElement | undefined): void {
  const measured = measuresOf(root);
  const { letters, linked } = measured(root);
  if (headline && root.contains(headline)) removeAbove(root, headline);
  if (linked < letters * LINKED) removeBelow(root, measured); // of a page of links, they are the content
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

/** Removes the last parts while they hold only links, or links to the next page. */
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
  if (!PART.test(part.nodeName) || letters > MAX_LENGTH || proseOf(part) > 0) return false;
  const links = [...part.querySelectorAll('a[href]')];
  if (links.length === 0) return false;
  if (links.some(({ textContent }) => TURNING_WORDS.test(textContent ?? '')) || part.querySelector(TURNING) !== null) return true;
  const isHeaded = part.querySelector(HEADINGS) !== null || (part.previousElementSibling && isHeading(part.previousElementSibling));
  return part.nodeName === 'DIV' && links.length > 1 && !isHeaded && linked >= letters * LINKED;
}

const NAME_START = '(?:^|\\s)(?:(?:site|page|main|top|global|primary|secondary|left|right|bottom|side|sub|mobile|desktop|user)[_-]?)?';
const NAME_END = '(?:[_-]?(?:container|wrapper|wrap|area|inner|list|links|content|menu|bar|nav))?(?:$|\\s)';
/** Names of menus on sites without elements for them. */
const LEADING = new RegExp(`${NAME_START}(?:nav|navbar|navigation|menu|breadcrumbs?)${NAME_END}`, 'i');
/** Names of columns beside the content; one with a heading is a box of the text. */
const BESIDE = new RegExp(`${NAME_START}sidebar${NAME_END}`, 'i');
/** Names of footers. */
const FOOTER = new RegExp(`${NAME_START}(?:footer|foot|colophon)${NAME_END}`, 'i');
/** Elements that may be menus or footers by their names. */
const PART_OF_PAGE = /^(?:DIV|SECTION|UL|OL)$/;
/** The largest share of the page's letters in a menu without links, and in a part that is removed by its name. */
const SHORT = 0.2;

/** Removes menus and the footer from the body of a page that marks them by names alone. */
export function removeFrames(body: DomElement): void {
  const measured = measuresOf(body);
  let footer: DomElement | undefined;
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      const names = PART_OF_PAGE.test(child.nodeName) ? purposeOf(child) : '';
      const isNamed = LEADING.test(names) || (BESIDE.test(names) && child.querySelector(HEADINGS) === null);
      if (isNamed && !hasContent(child) && isMenu(child, measured)) child.remove();
      else if (FOOTER.test(names) && !hasContent(child) && isSmall(measured(child))) footer = child;
      else visit(child);
    }
  };
  visit(body);
  if (footer && isPageFooter(footer, body, measured)) footer.remove();
}

/** Whether a footer belongs to the page: it is a child of the body or next to the headline, and only links follow it. */
function isPageFooter(footer: DomElement, body: DomElement, measured: Measured): boolean {
  if (measured(footer).letters >= measured(body).letters) return false;
  if (footer.parentElement !== body && footer.parentElement!.querySelector('h1') === null) return false;
  const isLinks = ({ letters, linked }: Measure): boolean => letters <= linked;
  for (let next = footer.nextElementSibling; next; next = next.nextElementSibling) if (!isLinks(measured(next))) return false;
  return true;
}

const hasContent = (element: DomElement): boolean =>
  element.querySelector('main, article') !== null || [...element.querySelectorAll('h1')].some((heading) => !isOfSite(heading));

function isMenu(element: DomElement, measured: Measured): boolean {
  const { letters, linked } = measured(element);
  if (linked >= letters * LINKED) return true;
  const body = element.closest('body');
  return body !== null && letters <= measured(body).letters * SHORT && element.querySelector('h2, h3, p, table, pre, dl') === null;
}

/** A part of more letters has to lead elsewhere to be removed by its name. */
const MAX_LETTERS = 300;
/** Minimum share of linked letters in a part that leads elsewhere. */
const LEADING_SHARE = 0.3;

const isLinking = ({ letters, linked }: Measure): boolean => linked >= letters * LEADING_SHARE;
const isSmall = (measure: Measure): boolean => measure.letters <= MAX_LETTERS || isLinking(measure);

/** Class names of the name of the site. */
const SITE = /(?:^|[\s_-])(?:site-?(?:title|name|logo|branding)|logo|navbar-brand)(?:$|[\s_-])/i;
/** The address of a site's start page, also in one of its languages. */
const HOME =
  /^(?:https?:\/\/[^/]+)?\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?(?:index\.\w+)?$|^https?:\/\/[^/]+$|^(?:\.\.?\/)*\.\.\/$|^(?:\.\.?\/)+index\.\w+$/i;
/** Whether a heading of the first level is the name of the site. */
export function isOfSite(heading: DomElement): boolean {
  const link = heading.closest('a[href]') ?? heading.querySelector('a[href]');
  const names = [heading, heading.parentElement].map((element) => `${element?.getAttribute('class') ?? ''} ${element?.id ?? ''}`);
  return (link !== null && HOME.test(link.getAttribute('href')!.trim())) || names.some((name) => SITE.test(name));
}

/** Names of buttons and links beside a heading, a code block or a paragraph. */
const SIGNS =
  /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchor-link|anchorjs-link|mw-editsection|mw-jump-link|copy-?(?:btn|button|code)|clipboard|edit-?(?:link|page|this-page)|theme-edit-this-page|md-content__button|mw-cite-backlink|navbox|hideme|viewcode-link|toctitle|pagination-nav|theme-doc-(?:footer|breadcrumbs|toc-mobile)|prev-next-area|rst-footer-buttons)(?:$|\s)/i;
/** Names that parts of a text have as well: only links with these names are signs. */
const LINKING = /(?:^|\s)(?:noprint|toc|pagination)(?:$|\s)/i;
/** Common names of parts between and after the paragraphs that lead elsewhere or ask for something. */
const AROUND =
  /(?:^|[\s_-])(?:sharing|sharedaddy|recommendations?|breadcrumbs?|pagination|pager|comments?|disqus|respond|newsletter|advert(?:isement)?|sponsored|promo|loading|read(?:ing)?-?time|print-?only|copyright|credits?|licen[cs]e-?info|post-?navigation|more-?(?:posts|articles|stories)|read-?(?:more|next|also)|also-?(?:like|read)|author-?(?:bio|box|info))(?:$|[\s_-])/i;
/** The same for words that count only at the end of a name, or before the kind of a part: `related-posts` leads elsewhere, `related-commands` does not. */
const ENDING =
  /(?:^|[\s_-])(?:share|social|related|recommended|subscribe|rating|tags)(?:$|\s|__|--|[_-](?:\d|area|articles?|bar|block|box|buttons?|cloud|component|container|contents?|coverage|footer|form|group|header|icons?|inner|items?|links?|list|media|menu|module|more|networks?|news|pages?|panel|posts?|products?|reading|row|section|stars?|stories|story|teasers?|this|title|tools?|topics|us|videos?|widget|wrap|wrapper)(?:$|[\s_-]))/i;

/** Whether an element is the number of a note in a wiki, or the link to the source in rustdoc. */
const isMark = ({ nodeName, textContent }: DomElement, names: string): boolean =>
  (nodeName === 'SUP' && /(?:^|\s)reference(?:\s|$)/.test(names)) ||
  (nodeName === 'A' && /(?:^|\s)src(?:link)?(?:\s|$)/.test(names) && /^\W*(?:src|source)\W*$/i.test(textContent ?? ''));

/** Removes what belongs to the page and not to its text, and returns the element: from a `whole` page only what leads elsewhere, from `generated` content nothing by name. */
export function removeBoilerplate(root: DomElement, kind: 'generated' | 'whole' | 'story'): DomElement {
  const measured = measuresOf(root);
  const isSign = (element: DomElement): boolean => {
    const names = purposeOf(element);
    if (element.nodeName === 'PRE' || names.length < 3) return false;
    return (
      (SIGNS.test(names) && isSmall(measured(element))) ||
      (LINKING.test(names) && isLinking(measured(element))) ||
      isLineNumber(element) ||
      isMark(element, names)
    );
  };
  for (const sign of findOutermost(root, isSign)) removeSign(sign);
  if (kind === 'generated') return root;
  const most = measured(root).letters * SHORT;
  const isElsewhere = kind === 'whole' ? isLinking : isSmall;
  const isAround = (element: DomElement): boolean =>
    element.nodeName !== 'PRE' && isNamedAround(purposeOf(element)) && measured(element).letters <= most && isElsewhere(measured(element));
  for (const element of findOutermost(root, isAround)) element.remove();
  return root;
}

/** Removes a sign; its heading keeps the anchor of a sign that links to it. */
function removeSign(sign: DomElement): void {
  const heading = sign.parentElement;
  const anchor = sign.id || sign.getAttribute('name');
  if (heading && anchor && heading.id === '' && isTopic(heading)) heading.id = anchor;
  sign.remove();
}

const isNamedAround = (names: string): boolean => AROUND.test(names) || ENDING.test(names);

function findOutermost(root: DomElement, isMatch: (element: DomElement) => boolean): DomElement[] {
  const found: DomElement[] = [];
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      if (isMatch(child)) found.push(child);
      else visit(child);
    }
  };
  visit(root);
  return found;
}
