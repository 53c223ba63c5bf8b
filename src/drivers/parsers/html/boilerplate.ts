import { childElements, type DomElement } from './dom.ts';
import { isTopic, purposeOf } from './element-names.ts';
import { isLineNumber } from './code-blocks.ts';
import { measuresOf } from './link-density.ts';

/** Signs beside a heading, a code block or a paragraph that do something and say nothing. */
const SIGNS =
  /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchor-link|anchorjs-link|mw-editsection|mw-jump-link|copy-?(?:btn|button|code)|clipboard|edit-?(?:link|page|this-page)|theme-edit-this-page|md-content__button|mw-cite-backlink|navbox|hideme|viewcode-link|toctitle|pagination-nav|theme-doc-(?:footer|breadcrumbs|toc-mobile)|prev-next-area|rst-footer-buttons)(?:$|\s)/i;
/** Names of signs that parts of a text have as well: they are believed of what leads elsewhere. */
const LINKING = /(?:^|\s)(?:noprint|toc|pagination)(?:$|\s)/i;
/** What most sites call the parts between and after the paragraphs that lead elsewhere or ask for something. */
const AROUND =
  /(?:^|[\s_-])(?:sharing|sharedaddy|recommendations?|breadcrumbs?|pagination|pager|comments?|disqus|respond|newsletter|advert(?:isement)?|sponsored|promo|loading|read(?:ing)?-?time|print-?only|copyright|credits?|licen[cs]e-?info|post-?navigation|more-?(?:posts|articles|stories)|read-?(?:more|next|also)|also-?(?:like|read)|author-?(?:bio|box|info))(?:$|[\s_-])/i;
/** Words that say as much only where they end a name, or say of which kind the part is: `related-posts` are elsewhere, `related-commands` are here. */
const ENDING =
  /(?:^|[\s_-])(?:share|social|related|recommended|subscribe|rating|tags)(?:$|\s|__|--|[_-](?:\d|area|articles?|bar|block|box|buttons?|cloud|component|container|contents?|coverage|footer|form|group|header|icons?|inner|items?|links?|list|media|menu|module|more|networks?|news|pages?|panel|posts?|products?|reading|row|section|stars?|stories|story|teasers?|this|title|tools?|topics|us|videos?|widget|wrap|wrapper)(?:$|[\s_-]))/i;
/** A part with such a name that is longer than this, or more of the whole, is content after all. */
const SHORT = 0.2;
/** A part that holds this many letters has to be made of links. */
const LINKS = 300;
const LINKED = 0.3;

/** The number of a note in a wiki, the way to the source of rustdoc (by that word), and the language that VitePress writes into the corner of a code block. */
const isMark = ({ nodeName, parentElement, textContent }: DomElement, names: string): boolean =>
  (nodeName === 'SUP' && /(?:^|\s)reference(?:\s|$)/.test(names)) ||
  (nodeName === 'A' && /(?:^|\s)src(?:link)?(?:\s|$)/.test(names) && /^\W*(?:src|source)\W*$/i.test(textContent ?? '')) ||
  (names.trim() === 'lang' && /language-/.test(parentElement?.className ?? ''));

/**
 * Takes out of the content what belongs to the page and not to the text. Gives the same element. Of `generated` content nothing is taken for its name, and of
 * a page that is kept `whole` only what leads elsewhere.
 */
export function removeBoilerplate(root: DomElement, kind: 'generated' | 'whole' | 'story'): DomElement {
  const measured = measuresOf(root);
  const whole = measured(root).letters;
  const isSmall = (element: DomElement): boolean => {
    const { letters, linked } = measured(element);
    return letters <= LINKS || linked >= letters * LINKED;
  };
  const isLinking = (element: DomElement): boolean => measured(element).linked >= measured(element).letters * LINKED;
  const isElsewhere = kind === 'whole' ? isLinking : isSmall;
  const isSign = (element: DomElement): boolean => {
    const names = purposeOf(element);
    if (element.nodeName === 'PRE' || names.length < 3) return false;
    return (
      (SIGNS.test(names) && isSmall(element)) ||
      (LINKING.test(names) && isLinking(element)) ||
      isLineNumber(element) ||
      isMark(element, names)
    );
  };
  for (const sign of outermost(root, isSign)) removeSign(sign);
  if (kind === 'generated') return root;
  const isAround = (element: DomElement): boolean =>
    element.nodeName !== 'PRE' && isNamedAround(purposeOf(element)) && measured(element).letters <= whole * SHORT && isElsewhere(element);
  for (const element of outermost(root, isAround)) element.remove();
  return root;
}

/** A sign to link to a heading takes its anchor along where nothing else has it. */
function removeSign(sign: DomElement): void {
  const heading = sign.parentElement;
  const anchor = sign.id || sign.getAttribute('name');
  if (heading && anchor && heading.id === '' && isTopic(heading)) heading.id = anchor;
  sign.remove();
}

const isNamedAround = (names: string): boolean => AROUND.test(names) || ENDING.test(names);

function outermost(root: DomElement, isSo: (element: DomElement) => boolean): DomElement[] {
  const found: DomElement[] = [];
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      if (isSo(child)) found.push(child);
      else visit(child);
    }
  };
  visit(root);
  return found;
}
