import { type DomDocument, type DomElement, LEVEL, type Page, childElements, elementNames } from './dom.ts';
import { lettersAtAll, lettersOf, measuresOf, proseOf } from './link-density.ts';
import { rewriteReferences } from './references.ts';
import { removeUnseen } from './remove-unseen.ts';
import { removeBoilerplate, removeFrames, removeNavigation, isOfSite } from './boilerplate.ts';
import { rewriteWidgets } from './widgets.ts';
import { oneLine } from '../../../text/markdown/write.ts';

/** Elements of pages that are meant to be shared or subscribed to. */
const SHARED =
  'meta[property^="og:"], meta[name^="twitter:"], meta[property^="article:"], link[type="application/rss+xml"], link[type="application/atom+xml"]';
/** Pages with more scripts from files are those of shops, magazines and portals, whatever they say of themselves. */
const MAX_SCRIPTS = 3;
/** Elements of manuals that stories do not have: code, and headings, terms and sections with ids. */
const MANUAL = 'pre, dt[id], h2[id], h3[id], h4[id], section[id] > h2, section[id] > h3';
/** How many of them make a manual. */
const MANUAL_MARKS = 3;

/** Whether a page is one story of a magazine, blog or portal, with teasers, comments and advertisements around it; all else is kept whole. */
export const isStory = (document: DomDocument): boolean =>
  document.querySelector(SHARED) !== null || [...document.querySelectorAll('script[src]')].length > MAX_SCRIPTS;

/** Whether an element is laid out like a manual: Readability, which was made for stories, leaves out its tables, lists and sections. */
const isManual = (content: DomElement): boolean => [...content.querySelectorAll(MANUAL)].length >= MANUAL_MARKS;

/** Where widely used generators of documentation put the content: a word to look for in the source, and a selector. The first with text is taken. */
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
/** Generators that name themselves and put the content into the main element. */
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
  /** The program that made the page; empty if it is not named. */
  generator: string;
}

const isGenerated = ({ html, generator }: GeneratorSource): boolean => GENERATOR.test(generator) || SPHINX.test(html);

/** Finds the content of a page of a documentation generator or wiki; undefined if there is none. */
export function generatedContent(body: DomElement, source: GeneratorSource): DomElement | undefined {
  const { html } = source;
  for (const [sign, selector] of ROOTS) {
    const root = html.includes(sign) ? findDominant(body, selector) : undefined;
    if (root) return root;
  }
  return isGenerated(source) ? MAINS.map((selector) => findDominant(body, selector)).find(Boolean) : undefined;
}

function findDominant(body: DomElement, selector: string): DomElement | undefined {
  const fitting = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
  const sizes = fitting.map(lettersOf);
  const largest = sizes.reduce((best, size, i) => (size > (sizes[best] ?? 0) ? i : best), 0);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return (sizes[largest] ?? 0) >= Math.max(ENOUGH, all * DOMINANT) ? fitting[largest] : undefined;
}

/** Letters of all elements from which Readability would need many seconds: it asks each element for its text several times. */
const LABORIOUS = 20_000_000;

const MAIN = 'main, [role=main]';
/** A choice of this many letters may be less: the rest of a news page is teasers and comments. */
const LONG = 1500;
/** The share of a page's only article or main element, without links, that a shorter choice has to keep: tables, lists and accordions do not count as prose. */
const MIN_SHARE_OF_MAIN = 0.75;

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
  rewriteWidgets(page, source.html);
  rewriteReferences(page.body, source.html);
  const generated = generatedContent(page.body, source);
  removeUnseen(page.body, generated);
  const heading = headlineOf(page.body, { content: generated, title: source.title });
  const headline = headingText(heading);
  if (generated && lettersOf(generated) > 0) return { content: removeBoilerplate(generated, 'generated'), headline };
  if (!isOfStory) return { content: wholeContent(page.body, heading), headline };
  return { ...(await storyContent(page, heading)), headline };
}

function wholeContent(body: DomElement, headline: DomElement | undefined): DomElement {
  const content = findContent(body);
  if (content.nodeName === 'BODY') removeFrames(content);
  removeNavigation(content, headline);
  return removeBoilerplate(content, 'whole');
}

async function storyContent({ document, body }: Page, heading: DomElement | undefined): Promise<Omit<Main, 'headline'>> {
  if (isManual(findContent(body)) || lettersAtAll(body) > LABORIOUS) return { content: wholeContent(body, heading) };
  const lead = leadOf(document, heading)?.cloneNode(true) as DomElement | undefined;
  const rest = findContent(body.cloneNode(true) as DomElement); // Readability takes the page apart
  const chosen = await readArticle(document);
  if (chosen && isEnough(chosen, rest)) return withLeftOut(withLead(removeBoilerplate(chosen, 'story'), lead), rest);
  if (rest.nodeName === 'BODY') removeFrames(rest);
  return { content: removeBoilerplate(rest, 'story') };
}

/** Adds the share of the page's content that a story leaves out. Links do not count: menus without a telling name consist of them. */
function withLeftOut(content: DomElement, rest: DomElement): Omit<Main, 'headline'> {
  const left_out = 1 - unlinkedIn(content) / Math.max(1, unlinkedIn(wholeContent(rest, undefined)));
  return left_out > LEFT_OUT ? { content, left_out: Math.round(left_out * 100) / 100 } : { content };
}

function isEnough(chosen: DomElement, rest: DomElement): boolean {
  if (proseOf(chosen) === 0) return false;
  return lettersOf(chosen) >= LONG || rest.nodeName === 'BODY' || unlinkedIn(chosen) >= unlinkedIn(rest) * MIN_SHARE_OF_MAIN;
}

function unlinkedIn(element: DomElement): number {
  const { letters, linked } = measuresOf(element)(element);
  return letters - linked;
}

/** The only article or main element that holds most of the prose, or else the body. */
function findContent(body: DomElement): DomElement {
  const whole = proseOf(body);
  const only = (selector: string): DomElement | undefined => {
    const found = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
    return found.length === 1 ? found[0] : undefined;
  };
  return [only('article'), only(MAIN)].find((element) => element && lettersOf(element) > 0 && proseOf(element) >= whole / 2) ?? body;
}

async function readArticle(document: DomDocument): Promise<DomElement | undefined> {
  const { Readability } = await import('@mozilla/readability');
  for (const title of document.querySelectorAll('h1')) title.setAttribute(LEVEL, '1');
  const article = new Readability<DomElement>(document as never, {
    keepClasses: true,
    serializer: (node) => node as unknown as DomElement,
  }).parse();
  return article?.content ?? undefined;
}

const AROUND = 'aside, footer';
/** How many headings of the first level are looked at. */
const MAX_HEADINGS = 100;
/** Signs that link to a heading. */
const SIGN = /[\u00b6\u200b\ue000-\uf8ff]|\s#$/gu;

/**
 * Finds the heading that names the topic of a page: the first in its content, if that is known, or in its main element; that of its only
 * article, if the title of the page contains it; the first that is not the name of the site; or else the first of another level that the
 * title contains. Call it after the parts around the content were removed.
 */
function headlineOf(body: DomElement, { content, title }: { content: DomElement | undefined; title: string }): DomElement | undefined {
  const all = [...body.querySelectorAll('h1')]
    .slice(0, MAX_HEADINGS)
    .filter((heading) => headingText(heading) !== '' && heading.closest(AROUND) === null);
  const ofArticles = all.filter((heading) => heading.closest('article') !== null);
  return (
    all.find((heading) => content?.contains(heading)) ??
    all.find((heading) => heading.closest(MAIN) !== null) ??
    (ofArticles.length === 1 && isIn(title, headingText(ofArticles[0])) ? ofArticles[0] : all.find((heading) => !isOfSite(heading))) ??
    [body.querySelector('h2, h3, h4')].find((heading) => heading !== null && isIn(title, headingText(heading))) ??
    undefined
  );
}

const isIn = (title: string, words: string): boolean =>
  words !== '' && ` ${title.replace(/[\s|·•»«—–:-]+/g, ' ')} `.includes(` ${words.replace(/[\s|·•»«—–:-]+/g, ' ')} `);

/** The words of a heading, without the sign that links to it. */
const headingText = (heading: DomElement | undefined): string => oneLine((heading?.textContent ?? '').replace(SIGN, ''));

/** Class names of the paragraph under a headline. */
const LEAD = /(?:^|[\s_-])(?:lead|lede|teaser|standfirst|sub-?(?:title|head(?:line|ing)?)|dek|excerpt|vorspann|chapo)(?:$|[\s_-])/i;
const MIN_LENGTH = 40;
const MAX_LENGTH = 1000;
/** How far above the headline an element may begin that holds both. */
const NEAR = 4;
const LINKED = 0.3;
/** Letters at the beginning that tell one paragraph from another. */
const BEGINNING = 40;

const comparableWords = (text: string | null | undefined): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Finds the paragraph under the headline by its name or the page's description: Readability drops it. Call it before Readability changes the page. */
function leadOf(document: DomDocument, headline: DomElement | undefined): DomElement | undefined {
  if (!headline) return undefined;
  const description = comparableWords(
    document.querySelector('meta[name="description"], meta[property="og:description"]')?.getAttribute('content'),
  );
  let [isBelow, lead] = [false, undefined as DomElement | undefined];
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      if (lead) return;
      if (child === headline) isBelow = true;
      else if (isBelow && isLead(child, description)) lead = child;
      else visit(child);
    }
  };
  visit(ancestorNear(headline));
  return lead;
}

function ancestorNear(headline: DomElement): DomElement {
  let around = headline;
  for (let i = 0; i < NEAR && around.parentElement && around.parentElement.nodeName !== 'BODY'; i++) around = around.parentElement;
  return around;
}

function isLead(element: DomElement, description: string): boolean {
  const isNamed = LEAD.test(elementNames(element));
  if (!isNamed && (element.nodeName !== 'P' || description === '')) return false;
  const { letters, linked } = measuresOf(element)(element);
  if (letters < MIN_LENGTH || letters > MAX_LENGTH || linked > letters * LINKED) return false;
  return isNamed || description.startsWith(comparableWords(element.textContent).slice(0, 2 * BEGINNING));
}

/** Puts the lead above the text, unless the text contains it. */
function withLead(content: DomElement, lead: DomElement | undefined): DomElement {
  if (lead && !comparableWords(content.textContent).includes(comparableWords(lead.textContent).slice(0, BEGINNING))) content.prepend(lead);
  return content;
}
