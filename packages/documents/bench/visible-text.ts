// What a reader of a page sees of its content, told without the rules of the program: what completeness.ts and the test of the same name count.
import { parseHtml, type DomElement, type DomNode } from '../src/html/dom.ts';
import { decodeText } from '../src/bytes.ts';
import { oneLine } from '../src/markdown/write.ts';

/** What is in the document of what a page shows. */
export interface Completeness {
  /** Words of the content, and those of them that the document has. */
  words: number;
  kept: number;
  /** Words of the document that the content has not. */
  beside: number;
  /** Headings that the document does not have. */
  lost: string[];
  /** The first words that the document does not have. */
  missing: string[];
}

const UNSEEN =
  'script, style, noscript, template, svg, select, option, textarea, button, iframe, object, embed, dialog, math, title, [hidden], [aria-hidden=true], .mw-editsection, .mw-jump-link, .noprint, sup.reference,  [style*="display:none"], [style*="display: none"], .sr-only, .visually-hidden';
const NAVIGATION =
  'nav, [role=navigation], [role=search], [role=menu], [role=menubar], [role=toolbar], [role=banner], [role=contentinfo], [role=dialog], form[role=search]';
const AROUND = 'header, footer, aside';
const CONTENT = 'main, article, [role=main]';
/** What pages without such elements call their navigation. */
const NAMED =
  /(?:^|[\s_-])(?:nav\w*|menu\w*|breadcrumbs?|(?:local-?|page-?)?toc|(?:left|right)?sidebar|sphinxsidebar\w*|related|up|top|footer|header|headerlink|anchor|mark|srclink)(?:$|[\s_-])/i;
const LINKED = 0.3;
const MENU_WORDS = 1500;
const FOOTER = /(?:^|\s)(?:page-?)?(?:footer|copyright)(?:\s|$)/i;
const FOOTER_WORDS = 30;
const PAGER_WORDS = 60;
const TURNING = /^\W*(?:prev(?:ious)?|next|up|home)\W*$/i;
const CONTENTS = 0.8;

const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words that Markdown shows: of links their text, of pictures nothing. */
const shown = (markdown: string): string =>
  markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\([^)\s]*\)/g, '] ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`~]|\^\(?/g, '')
    .replaceAll('$', ' ');

/** The outermost elements that fit. */
const outermost = (root: DomElement, selector: string): DomElement[] =>
  [...root.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));

/** The element that holds a page's content, without what stands around it. */
async function contentOf(bytes: Uint8Array): Promise<DomElement> {
  const { body } = await parseHtml(await decodeText(bytes));
  for (const element of body.querySelectorAll(UNSEEN)) element.remove();
  for (const element of body.querySelectorAll(NAVIGATION)) element.remove();
  for (const element of body.querySelectorAll(AROUND)) if (!element.closest(CONTENT) && !element.querySelector(CONTENT)) element.remove();
  const [main, ...otherMains] = outermost(body, 'main, [role=main]');
  const [article, ...otherArticles] = outermost(body, 'article');
  const root = main && otherMains.length === 0 ? main : article && otherArticles.length === 0 ? article : body;
  const headline = root.querySelector('h1') ?? root.querySelector('h2');
  for (const element of headline ? partsAbove(headline, root) : []) if (leadsElsewhere(element)) element.remove();
  for (const element of root.querySelectorAll('div, details, ul, ol, table, p, span, a, td'))
    if (isFooter(element) || isMenu(element) || turnsPages(element) || listsHeadings(element)) element.remove();
  return root;
}

/** Short, called navigation, and made of links. */
function isMenu(element: DomElement): boolean {
  if (!NAMED.test(`${element.getAttribute('class') ?? ''} ${element.id}`)) return false;
  const words = wordsIn(element.textContent ?? '').length;
  const linked = [...element.querySelectorAll('a[href]'), ...(element.nodeName === 'A' ? [element] : [])].reduce(
    (sum, link) => sum + wordsIn(link.textContent ?? '').length,
    0,
  );
  return words < MENU_WORDS && linked >= words * LINKED;
}

/** The elements in front of a headline. */
function partsAbove(headline: DomElement, root: DomElement): DomElement[] {
  const parts: DomElement[] = [];
  for (let around = headline; around !== root; around = around.parentElement!)
    for (let part = around.previousSibling; part; part = part.previousSibling) if (part.nodeType === 1) parts.push(part as DomElement);
  return parts;
}

/** A few words with a link among them. */
const leadsElsewhere = (element: DomElement): boolean =>
  element.querySelector('a[href]') !== null && wordsIn(element.textContent ?? '').length < PAGER_WORDS;

/** A few words under a page. */
const isFooter = (element: DomElement): boolean =>
  FOOTER.test(`${element.getAttribute('class') ?? ''} ${element.id}`) && wordsIn(element.textContent ?? '').length < FOOTER_WORDS;

/** A few words with links to the page before or after, or to the same page in other languages. */
const turnsPages = (element: DomElement): boolean =>
  wordsIn(element.textContent ?? '').length < PAGER_WORDS &&
  element.querySelector('h1, h2, h3') === null &&
  [...element.querySelectorAll('a')].some(
    (link) =>
      TURNING.test(oneLine(link.textContent ?? '')) ||
      /^[pnuh]$/.test(link.getAttribute('accesskey') ?? '') ||
      /\b(?:prev|next|up)\b/.test(link.getAttribute('rel') ?? '') ||
      link.hasAttribute('hreflang'),
  );

/** A list of links to places on the page: its headings stand there a second time. */
function listsHeadings(element: DomElement): boolean {
  const links = [...element.querySelectorAll('a[href]')];
  const own = links.filter((link) => link.getAttribute('href')!.startsWith('#'));
  const words = (elements: readonly DomElement[]): number =>
    elements.reduce((sum, { textContent }) => sum + wordsIn(textContent ?? '').length, 0);
  return own.length > 2 && /^(?:UL|OL)$/.test(element.nodeName) && words(own) >= words([element]) * CONTENTS;
}

/** The texts of an element with spaces between them where elements other than inline ones meet. */
function visibleText(root: DomElement): string {
  let text = '';
  const visit = (node: DomNode): void => {
    if (node.nodeType === 3) text += node.textContent ?? '';
    else if (node.nodeType === 1) {
      const isInline =
        /^(?:A|ABBR|B|BDI|BDO|BIG|CITE|CODE|DEL|DFN|EM|FONT|I|INS|KBD|MARK|Q|S|SAMP|SMALL|SPAN|STRONG|SUB|SUP|TIME|TT|U|VAR|WBR)$/.test(
          node.nodeName,
        );
      if (!isInline) text += ' ';
      for (const child of (node as DomElement).childNodes) visit(child);
      if (!isInline) text += ' ';
    }
  };
  visit(root);
  return text;
}

/** Compares the content of a page with the Markdown that was made of it. */
export async function completenessOf(bytes: Uint8Array, markdown: string): Promise<Completeness> {
  const content = await contentOf(bytes);
  const words = wordsIn(visibleText(content));
  const left = new Map<string, number>();
  const got = wordsIn(shown(markdown));
  for (const word of got) left.set(word, (left.get(word) ?? 0) + 1);
  const missing = words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
  const kept = words.length - missing.length;
  const letters = wordsIn(shown(markdown)).join('');
  const lost = [...content.querySelectorAll('h1, h2, h3, h4, h5, h6')]
    .map((heading) => visibleText(heading))
    .filter((heading) => !letters.includes(wordsIn(heading).join('')));
  return { words: words.length, kept, beside: got.length - kept, lost, missing };
}
