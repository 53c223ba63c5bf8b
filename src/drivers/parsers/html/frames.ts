import { childElements, type DomElement, type DomNode } from '../dom.ts';
import { purposeOf } from './names.ts';
import { isOfSite } from './headline.ts';
import { measuresOf, type Measure } from './measure.ts';
import { lettersOf } from './prose.ts';

const PLACE = '(?:site|page|main|top|global|primary|secondary|left|right|bottom|side|sub|mobile|desktop|user)[_-]?';
const PART = '[_-]?(?:container|wrapper|wrap|area|inner|list|links|content|menu|bar|nav)';
const named = (words: string): RegExp => new RegExp(`(?:^|\\s)(?:${PLACE})?(?:${words})(?:${PART})?(?:$|\\s)`, 'i');
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
const HEADING = 'h2, h3, h4, h5, h6';
const LINKED = 0.5;
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
      else if (place === HEAD && isMenu(child, measured) && !child.querySelector(HEADING)) heads.push(child);
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
