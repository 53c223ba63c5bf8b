import { childElements, type DomDocument, type DomElement, LEVEL, type Page } from './dom.ts';
import { lettersAtAll, lettersOf, measuresOf, proseOf, shownText } from './link-density.ts';
import { rewriteReferences } from './references.ts';
import { removeUnseen } from './remove-unseen.ts';
import { isOfSite, removeFurniture, removeMenus, removeNavigation } from './furniture.ts';
import { rewriteWidgets } from './widgets.ts';
import { oneLine } from '../markdown/write.ts';

const MAIN = 'main, [role=main]';

interface Main {
  content: DomElement;
  /** The first heading of the page, or empty. */
  headline: string;
  /** The text of the page without what its markup declares to surround the content. */
  shown: string;
}

interface PageSource {
  /** HTML source of the page. */
  html: string;
  title: string;
}

/** Rewrites a page so that its body holds all that it shows, and nothing else. */
export function writeShown(page: Page, html: string): void {
  rewriteWidgets(page, html);
  rewriteReferences(page.body, html);
  removeUnseen(page.body);
}

/**
 * Extracts the main content of a page: its only article, its main element or its body, without the navigation around it; of a page that declares
 * itself an article, what Readability (the reader view of Firefox) chooses, if that is enough of the text. The page is modified.
 */
export async function mainContent(page: Page, { html, title }: PageSource): Promise<Main> {
  const isArticle = declaresArticle(page.document);
  writeShown(page, html);
  removeFurniture(page.body);
  const shown = shownText(page.body);
  const heading = headlineOf(page.body, title);
  const whole = findContent(page.body);
  const content = (isArticle && !isManual(whole) && (await articleContent(page, heading))) || withoutNavigation(whole, heading);
  return { content, headline: headingText(heading), shown };
}

function withoutNavigation(content: DomElement, heading: DomElement | undefined): DomElement {
  if (content.nodeName === 'BODY') removeMenus(content);
  removeNavigation(content, heading);
  return content;
}

/** The only article or main element that holds most of the prose, or else the body. */
function findContent(body: DomElement): DomElement {
  const whole = proseOf(body);
  const only = (selector: string): DomElement | undefined => {
    const outermost = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
    return outermost.length === 1 ? outermost[0] : undefined;
  };
  return [only('article'), only(MAIN)].find((element) => element && lettersOf(element) > 0 && proseOf(element) >= whole / 2) ?? body;
}

/** How a page declares itself an article of a magazine, blog or portal (Open Graph, schema.org). Encyclopedias declare a plain `Article`. */
const ARTICLE =
  'meta[property="og:type"][content="article" i], meta[property^="article:"], [itemtype$="NewsArticle"], [itemtype$="BlogPosting"]';
const LINKED_DATA = 'script[type="application/ld+json"]';
const LINKED_ARTICLE = /"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"\w{0,40}(?:NewsArticle|BlogPosting)"/;

const declaresArticle = (document: DomDocument): boolean =>
  document.querySelector(ARTICLE) !== null ||
  [...document.querySelectorAll(LINKED_DATA)].some(({ textContent }) => LINKED_ARTICLE.test(textContent ?? ''));

/** Elements of manuals that articles do not have: code, and headings, terms and sections with ids. */
const MANUAL = 'pre, dt[id], h2[id], h3[id], h4[id], section[id] > h2, section[id] > h3';
/** How many of them make a manual. */
const MANUAL_MARKS = 3;

/** Whether an element is laid out like a manual: Readability, which was made for articles, leaves out its tables, lists and sections. */
const isManual = (content: DomElement): boolean => [...content.querySelectorAll(MANUAL)].length >= MANUAL_MARKS;

/** Letters of all elements from which Readability would need many seconds: it asks each element for its text several times. */
const LABORIOUS = 20_000_000;
/** A choice of this many letters may be less: around an article stand teasers and comments. With none, readability's F1 falls from .989 to .959. */
const LONG = 1500;
/** The share of the unlinked text of the only article or main element that a shorter choice has to keep. */
const MIN_SHARE_OF_MAIN = 0.75;

/** Finds the text of an article; undefined where Readability keeps too little. The page is not modified. */
async function articleContent({ document, body }: Page, heading: DomElement | undefined): Promise<DomElement | undefined> {
  if (lettersAtAll(body) > LABORIOUS) return undefined;
  const lead = leadOf(document, heading)?.cloneNode(true) as DomElement | undefined;
  const chosen = await readArticle(document.cloneNode(true)); // Readability takes the page apart
  return chosen && isEnough(chosen, findContent(body)) ? withLead(chosen, lead) : undefined;
}

function isEnough(chosen: DomElement, whole: DomElement): boolean {
  if (proseOf(chosen) === 0) return false;
  return lettersOf(chosen) >= LONG || whole.nodeName === 'BODY' || unlinkedIn(chosen) >= unlinkedIn(whole) * MIN_SHARE_OF_MAIN;
}

function unlinkedIn(element: DomElement): number {
  const { letters, linked } = measuresOf(element)(element);
  return letters - linked;
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

/** How far above the headline an element may begin that holds both the headline and the lead. */
const NEAR = 4;
const MIN_LEAD_LENGTH = 40;
const comparableWords = (text: string | null | undefined): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** Finds the paragraph under the headline that the page describes itself with: Readability drops it. */
function leadOf(document: DomDocument, headline: DomElement | undefined): DomElement | undefined {
  const described = document.querySelector('meta[name="description"], meta[property="og:description"]')?.getAttribute('content');
  const description = comparableWords(described);
  if (!headline || description === '') return undefined;
  let around = headline;
  for (let i = 0; i < NEAR && around.parentElement && around.parentElement.nodeName !== 'BODY'; i++) around = around.parentElement;
  let [isBelow, lead] = [false, undefined as DomElement | undefined];
  const visit = (element: DomElement): void => {
    for (const child of childElements(element)) {
      if (lead) return;
      if (child === headline) isBelow = true;
      else if (isBelow && child.nodeName === 'P' && isLead(child, description)) lead = child;
      else visit(child);
    }
  };
  visit(around);
  return lead;
}

const isLead = ({ textContent }: DomElement, description: string): boolean => {
  const words = comparableWords(textContent);
  return words.length >= MIN_LEAD_LENGTH && description.startsWith(words.slice(0, 2 * MIN_LEAD_LENGTH));
};

/** Puts the lead above the text, unless the text contains it. */
function withLead(content: DomElement, lead: DomElement | undefined): DomElement {
  if (lead && !comparableWords(content.textContent).includes(comparableWords(lead.textContent).slice(0, MIN_LEAD_LENGTH)))
    content.prepend(lead);
  return content;
}

const AROUND = 'aside, footer';
/** How many headings of the first level are looked at. */
const MAX_HEADINGS = 100;
/** Signs that link to a heading. */
const SIGN = /[\u00b6\u200b\ue000-\uf8ff]|\s#$/gu;

/**
 * Finds the heading that names the topic of a page: the first in its main element; that of its only article, if the title of the page contains
 * it; the first that is not the name of the site; or else the first of another level that the title contains. Call it after the parts around
 * the content were removed.
 */
function headlineOf(body: DomElement, title: string): DomElement | undefined {
  const all = [...body.querySelectorAll('h1')]
    .slice(0, MAX_HEADINGS)
    .filter((heading) => headingText(heading) !== '' && heading.closest(AROUND) === null);
  const ofArticles = all.filter((heading) => heading.closest('article') !== null);
  return (
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
