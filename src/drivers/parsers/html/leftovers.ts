import { childElements, type DomElement } from '../dom.ts';
import { namesOf } from './clean.ts';
import { isLineNumber } from './code.ts';
import { lettersOf, linkShareOf } from './prose.ts';

/** Signs beside a heading, a code block or a paragraph that do something and say nothing. */
const SIGNS =
  /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchor-link|anchorjs-link|mw-editsection|mw-jump-link|copy-?(?:btn|button|code)|clipboard|edit-?(?:link|page|this-page)|theme-edit-this-page|md-content__button|noprint|navbox|toc|eyebrow|viewcode-link|pagination|toctitle|pagination-nav|theme-doc-(?:footer|breadcrumbs|toc-mobile)|prev-next-area|rst-footer-buttons)(?:$|\s)/i;
/** What most sites call the parts between and after the paragraphs that lead elsewhere or ask for something. */
const AROUND =
  /(?:^|[\s_-])(?:share|sharing|sharedaddy|social|related|recommended|recommendations?|breadcrumbs?|pagination|pager|comments?|disqus|respond|newsletter|subscribe|advert(?:isement)?|sponsored|promo|loading|rating|read(?:ing)?-?time|print-?only|copyright|credits?|licen[cs]e-?info|tags|post-?navigation|more-?(?:posts|articles|stories)|read-?(?:more|next|also)|also-?(?:like|read)|author-?(?:bio|box|info))(?:$|[\s_-])/i;
/** `relatedLinks` is read like `related-links`. */
const HUMP = /([a-z])([A-Z])/g;
/** A part with such a name that is longer than this, or more of the whole, is content after all. */
const SHORT = 0.2;
/** A part that holds this many letters has to be made of links. */
const LINKS = 300;
const LINKED = 0.3;

/** The number of a note in a wiki, and the language that VitePress writes into the corner of a code block. */
const isMark = ({ nodeName, parentElement }: DomElement, names: string): boolean =>
  (nodeName === 'SUP' && /(?:^|\s)reference(?:\s|$)/.test(names)) ||
  (names.trim() === 'lang' && /language-/.test(parentElement?.className ?? ''));

/** Takes out of the content what belongs to the page and not to the text. Gives the same element. */
export function removeLeftovers(root: DomElement, { isGenerated = false } = {}): DomElement {
  const whole = lettersOf(root);
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      if (isLeftover(child)) child.remove();
      else visit(child);
    }
  };
  const isLeftover = (element: DomElement): boolean => {
    const names = namesOf(element).replace(HUMP, '$1-$2');
    if (names.length < 3 || element.nodeName === 'PRE') return false;
    if (SIGNS.test(names) || isLineNumber(element) || isMark(element, names)) return true;
    if (isGenerated || !AROUND.test(names)) return false;
    const letters = lettersOf(element);
    return letters <= whole * SHORT && (letters <= LINKS || linkShareOf(element) >= LINKED);
  };
  visit(root);
  return root;
}
