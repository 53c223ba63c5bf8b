import { type DomDocument, type DomElement, childElements, LEVEL, type Page, isTopic, purposeOf } from './dom.ts';
import { lettersAtAll, lettersOf, measuresOf, proseOf } from './link-density.ts';
import { rewriteReferences } from './references.ts';
import { removeUnseen } from './remove-unseen.ts';
import { removeFrames, removeNavigation } from './navigation.ts';
import { headingText, headlineOf, leadOf, withLead } from './headline.ts';
import { openComponents, writeIcons, rewriteWidgets } from './widgets.ts';
import { isLineNumber } from './code-blocks.ts';

/** What only pages have that want to be shared or subscribed to. */
const SHARED =
  'meta[property^="og:"], meta[name^="twitter:"], meta[property^="article:"], link[type="application/rss+xml"], link[type="application/atom+xml"]';
/** Pages with more scripts from files are those of shops, magazines and portals, whatever they say of themselves. */
const MOST_SCRIPTS = 3;
/** What manuals have and stories have not: code, and headings, terms and sections that can be linked to. */
const MANUAL = 'pre, dt[id], h2[id], h3[id], h4[id], section[id] > h2, section[id] > h3';
/** So many of them make a manual. */
const MANUAL_MARKS = 3;

/** Whether a page is one story of a magazine, blog or portal, with teasers, comments and advertisements around it; all else is kept whole. */
export const isStory = (document: DomDocument): boolean =>
  document.querySelector(SHARED) !== null || [...document.querySelectorAll('script[src]')].length > MOST_SCRIPTS;

/** Whether an element is laid out like a manual: Readability, which was made for stories, leaves out its tables, lists and sections. */
const isManual = (content: DomElement): boolean => [...content.querySelectorAll(MANUAL)].length >= MANUAL_MARKS;

/** Where widely used generators of documentation put a page's content: a word of it, and what finds it. The first that holds text is it. */
const ROOTS: readonly (readonly [string, string])[] = [
  ['theme-doc-markdown', '.theme-doc-markdown'], // Docusaurus
  ['md-content__inner', '.md-content__inner'], // Material for MkDocs
  ['vp-doc', '.vp-doc'], // VitePress
  ['theme-default-content', '.theme-default-content'], // VuePress
  ['sl-markdown-content', '.sl-markdown-content'], // Starlight
  ['rst-content', '.rst-content [itemprop="articleBody"], .rst-content [role="main"]'], // Read the Docs theme of Sphinx and MkDocs
  ['bd-article', '.bd-article'], // PyData theme of Sphinx
  ['furo-main-content', '#furo-main-content'], // Furo theme of Sphinx
  ['documentwrapper', '.documentwrapper .body'], // other themes of Sphinx
  ['content-area', '#content-area'], // Mintlify
  ['mw-parser-output', '.mw-parser-output'], // MediaWiki
  ['markdown-body', '.markdown-body'], // GitHub, ReadMe
  ['markdown-section', '.markdown-section'], // GitBook before 2023, docsify
  ['td-content', '.td-content'], // Docsy for Hugo
  ['wiki-content', '.wiki-content'], // Confluence
];
/** Generators that name themselves, and whose content is the page's main element. */
const GENERATOR =
  /antora|asciidoctor|docfx|docusaurus|doxygen|gitbook|javadoc|jsdoc|mdbook|mintlify|mkdocs|nextra|pdoc|rustdoc|sphinx|starlight|typedoc|vitepress|vuepress|yard/i;
/** Sphinx names itself in a script of each page, whatever theme it has. */
const SPHINX = /\bdocumentation_options\b/i;
const MAINS = ['main article', 'main', '[role="main"]', 'article', '.body', '.contents', '#content'];
/** A page of which less is kept has another main part: a start page with one paragraph of it. */
const ENOUGH = 100;
/** Of several elements that fit, one has to hold this share of their letters. */
const DOMINANT = 0.7;

interface GeneratorSource {
  /** HTML source of the page. */
  html: string;
  /** The program that made it, as far as it is named. */
  generator: string;
}

const isGenerated = ({ html, generator }: GeneratorSource): boolean => GENERATOR.test(generator) || SPHINX.test(html);

/** Finds the content of a page of a documentation generator or wiki; undefined if there is none. */
export function generatedContent(body: DomElement, source: GeneratorSource): DomElement | undefined {
  const { html } = source;
  for (const [sign, selector] of ROOTS) {
    const root = html.includes(sign) ? dominant(body, selector) : undefined;
    if (root) return root;
  }
  return isGenerated(source) ? MAINS.map((selector) => dominant(body, selector)).find(Boolean) : undefined;
}

function dominant(body: DomElement, selector: string): DomElement | undefined {
  const fitting = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
  const sizes = fitting.map(lettersOf);
  const largest = sizes.reduce((best, size, i) => (size > (sizes[best] ?? 0) ? i : best), 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return (sizes[largest] ?? 0) >= Math.max(ENOUGH, all * DOMINANT) ? fitting[largest] : undefined;
}

/** Readability asks every element for its text, several times. Of a page where that is more than so many letters it would take many seconds to choose. */
const LABORIOUS = 20_000_000;

const MAIN = 'main, [role=main]';
/** A choice of this much prose may be less of it: the rest of a news page is teasers and comments. */
const LONG = 1500;
/** Of a page's only article or main element a shorter choice has to keep this share of what is no link: tables, lists and what folds out are no prose, and go unnoticed else. */
const MOST_OF_MAIN = 0.75;

interface Main {
  content: DomElement;
  /** The first heading of the page, or empty. */
  headline: string;
  /** The share of the page's letters outside of links that is left out, where it is more than a tenth. */
  left_out?: number | undefined;
}

/** Minimum share that is reported as left out. */
const LEFT_OUT = 0.1;

/**
 * Extracts the main content of a page: the content element of its generator; for a story, what Readability (the reader view of Firefox)
 * chooses, if that is enough of the text; else its only article, its main element or its body, without the navigation around it. The page
 * is modified.
 */
export async function mainContent(page: Page, source: GeneratorSource & { title: string }): Promise<Main> {
  const isOfStory = isStory(page.document) && !isGenerated(source);
  openComponents(page.body, source.html);
  rewriteWidgets(page, source.html);
  rewriteReferences(page, source.html);
  writeIcons(page.body, source.html);
  const generated = generatedContent(page.body, source);
  removeUnseen(page.body, generated);
  const heading = headlineOf(page.body, { content: generated, title: source.title });
  const headline = headingText(heading);
  if (generated && lettersOf(generated) > 0) return { content: removeBoilerplate(generated, 'generated'), headline };
  if (!isOfStory) return { content: wholeOf(page.body, heading), headline };
  return { ...(await storyOf(page, heading)), headline };
}

function wholeOf(body: DomElement, headline: DomElement | undefined): DomElement {
  const content = candidate(body);
  if (content.nodeName === 'BODY') removeFrames(content);
  removeNavigation(content, headline);
  return removeBoilerplate(content, 'whole');
}

async function storyOf({ document, body }: Page, heading: DomElement | undefined): Promise<Omit<Main, 'headline'>> {
  if (isManual(candidate(body)) || lettersAtAll(body) > LABORIOUS) return { content: wholeOf(body, heading) };
  const lead = leadOf(document, heading)?.cloneNode(true) as DomElement | undefined;
  const rest = candidate(body.cloneNode(true) as DomElement); // Readability takes the page apart
  const chosen = await readable(document);
  if (chosen && isEnough(chosen, rest)) return partOf(withLead(removeBoilerplate(chosen, 'story'), lead), rest);
  if (rest.nodeName === 'BODY') removeFrames(rest);
  return { content: removeBoilerplate(rest, 'story') };
}

/** A story, and how much of the page's content it is not: links are left out of both, since menus that no name tells are made of them. */
function partOf(content: DomElement, rest: DomElement): Omit<Main, 'headline'> {
  const left_out = 1 - unlinkedIn(content) / Math.max(1, unlinkedIn(wholeOf(rest, undefined)));
  return left_out > LEFT_OUT ? { content, left_out: Math.round(left_out * 100) / 100 } : { content };
}

function isEnough(chosen: DomElement, rest: DomElement): boolean {
  if (proseOf(chosen) === 0) return false;
  return lettersOf(chosen) >= LONG || rest.nodeName === 'BODY' || unlinkedIn(chosen) >= unlinkedIn(rest) * MOST_OF_MAIN;
}

function unlinkedIn(element: DomElement): number {
  const { letters, linked } = measuresOf(element)(element);
  return letters - linked;
}

/** The only article or main element that holds most of the prose, or else the body. */
function candidate(body: DomElement): DomElement {
  const whole = proseOf(body);
  const only = (selector: string): DomElement | undefined => {
    const found = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
    return found.length === 1 ? found[0] : undefined;
  };
  return [only('article'), only(MAIN)].find((element) => element && lettersOf(element) > 0 && proseOf(element) >= whole / 2) ?? body;
}

async function readable(document: DomDocument): Promise<DomElement | undefined> {
  const { Readability } = await import('@mozilla/readability');
  for (const title of document.querySelectorAll('h1')) title.setAttribute(LEVEL, '1');
  const article = new Readability<DomElement>(document as never, {
    keepClasses: true,
    serializer: (node) => node as unknown as DomElement,
  }).parse();
  return article?.content ?? undefined;
}

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

/** The number of a note in a wiki, and the way to the source of rustdoc (by that word). */
const isMark = ({ nodeName, textContent }: DomElement, names: string): boolean =>
  (nodeName === 'SUP' && /(?:^|\s)reference(?:\s|$)/.test(names)) ||
  (nodeName === 'A' && /(?:^|\s)src(?:link)?(?:\s|$)/.test(names) && /^\W*(?:src|source)\W*$/i.test(textContent ?? ''));

/** Takes out what belongs to the page and not to its text, and returns the element. From a `whole` page only what leads elsewhere, from `generated` content nothing by name. */
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
