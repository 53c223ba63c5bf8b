import { childElements, type DomElement } from '../dom.ts';
import { namesOf } from './names.ts';
import { isOfSite } from './headline.ts';
import { measuresOf, type Measure } from './measure.ts';

const PLACE = '(?:site|page|main|top|global|primary|secondary|left|right|bottom|side|sub|mobile|desktop|user)[_-]?';
const PART = '[_-]?(?:container|wrapper|wrap|area|inner|list|links|content|menu|bar|nav)';
const named = (words: string): RegExp => new RegExp(`(?:^|\\s)(?:${PLACE})?(?:${words})(?:${PART})?(?:$|\\s)`, 'i');
/** What leads elsewhere, as sites name it that have no elements for that. */
const LEADING = named('nav|navbar|navigation|menu|sidebar|breadcrumbs?');
/** What stands above each page; parts have heads with a heading. */
const HEAD = named('header|head|masthead|topbar');
/** What stands under each page. */
const FOOTER = named('footer|foot|colophon');
const HEADING = 'h2, h3, h4, h5, h6';
const LINKED = 0.5;
/** A menu without links is as short as this share of its page. */
const SHORT = 0.2;
const FOOTER_LETTERS = 300;
const FOOTER_LINKED = 0.3;

/** Takes menus, side bars and footers out of the body of a page that marks them by names alone. */
export function removeFrames(body: DomElement): void {
  const measured = measuresOf(body);
  const footers: DomElement[] = [];
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      const place = placeOf(namesOf(child));
      if (place === undefined || holdsContent(child)) visit(child);
      else if (place === FOOTER && isSmall(measured(child))) footers.push(child);
      else if (place !== FOOTER && isMenu(child, measured) && !(place === HEAD && child.querySelector(HEADING))) child.remove();
      else visit(child);
    }
  };
  visit(body);
  const [footer, ...others] = footers;
  if (footer && others.length === 0 && measured(footer).letters < measured(body).letters) footer.remove(); // several are those of parts
}

const placeOf = (names: string): RegExp | undefined =>
  names.length < 3 ? undefined : [LEADING, HEAD, FOOTER].find((place) => place.test(names));

const holdsContent = (element: DomElement): boolean =>
  element.querySelector('main, article') !== null || [...element.querySelectorAll('h1')].some((heading) => !isOfSite(heading));

function isMenu(element: DomElement, measured: (element: DomElement) => Measure): boolean {
  const { letters, linked } = measured(element);
  if (linked >= letters * LINKED) return true;
  const body = element.closest('body');
  return body !== null && letters <= measured(body).letters * SHORT && element.querySelector('h2, h3, p, table, pre') === null;
}

const isSmall = ({ letters, linked }: Measure): boolean => letters <= FOOTER_LETTERS || linked >= letters * FOOTER_LINKED;
