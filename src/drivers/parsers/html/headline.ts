import { childElements, type DomDocument, type DomElement, elementNames } from './dom.ts';
import { oneLine } from '../../../text/markdown/write.ts';
import { lettersOf, linkShareOf } from './link-density.ts';

const AROUND = 'aside, footer';
/** A page with more of them has none that says what it is about. */
const MOST = 100;
const MAIN = 'main, [role=main]';
/** Class names of the name of the site. */
const SITE = /(?:^|[\s_-])(?:site-?(?:title|name|logo|branding)|logo|navbar-brand)(?:$|[\s_-])/i;
/** The address of a site's start page, also in one of its languages. */
const HOME =
  /^(?:https?:\/\/[^/]+)?\/(?:[a-z]{2}(?:-[a-z]{2})?\/?)?(?:index\.\w+)?$|^https?:\/\/[^/]+$|^(?:\.\.?\/)*\.\.\/$|^(?:\.\.?\/)+index\.\w+$/i;
/** Signs that link to a heading. */
const SIGN = /[\u00b6\u200b\ue000-\uf8ff]|\s#$/gu;

/** Whether a heading of the first level is the name of the site, which stands on each of its pages. */
export function isOfSite(heading: DomElement): boolean {
  const link = heading.closest('a[href]') ?? heading.querySelector('a[href]');
  const names = [heading, heading.parentElement].map((element) => `${element?.getAttribute('class') ?? ''} ${element?.id ?? ''}`);
  return (link !== null && HOME.test(link.getAttribute('href')!.trim())) || names.some((name) => SITE.test(name));
}

/**
 * Finds the heading that names the topic of a page: the first in its content, if that is known, or in its main element; that of its only
 * article, if the title of the page contains it; the first that is not the name of the site; or else the first of another level that the
 * title contains. Call it after what surrounds the content was removed.
 */
export function headlineOf(
  body: DomElement,
  { content, title }: { content: DomElement | undefined; title: string },
): DomElement | undefined {
  const all = [...body.querySelectorAll('h1')]
    .slice(0, MOST)
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
export const headingText = (heading: DomElement | undefined): string => oneLine((heading?.textContent ?? '').replace(SIGN, ''));

/** Class names of the paragraph under a headline. */
const LEAD = /(?:^|[\s_-])(?:lead|lede|teaser|standfirst|sub-?(?:title|head(?:line|ing)?)|dek|excerpt|vorspann|chapo)(?:$|[\s_-])/i;
const SHORTEST = 40;
const LONGEST = 1000;
/** How far above the headline an element may begin that holds both. */
const NEAR = 4;
const LINKED = 0.3;
/** Letters at the beginning that tell one paragraph from another. */
const BEGINNING = 40;

const comparableWords = (text: string | null | undefined): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/** The paragraph under the headline, by its name or by the page's description: Readability takes it for the head. Ask before the page is taken apart. */
export function leadOf(document: DomDocument, headline: DomElement | undefined): DomElement | undefined {
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
  visit(above(headline));
  return lead;
}

function above(headline: DomElement): DomElement {
  let around = headline;
  for (let i = 0; i < NEAR && around.parentElement && around.parentElement.nodeName !== 'BODY'; i++) around = around.parentElement;
  return around;
}

function isLead(element: DomElement, description: string): boolean {
  const isNamed = LEAD.test(elementNames(element));
  if (!isNamed && (element.nodeName !== 'P' || description === '')) return false;
  const letters = lettersOf(element);
  if (letters < SHORTEST || letters > LONGEST || linkShareOf(element) > LINKED) return false;
  return isNamed || description.startsWith(comparableWords(element.textContent).slice(0, 2 * BEGINNING));
}

/** Puts the lead above the text, unless that has it. */
export function withLead(content: DomElement, lead: DomElement | undefined): DomElement {
  if (lead && !comparableWords(content.textContent).includes(comparableWords(lead.textContent).slice(0, BEGINNING))) content.prepend(lead);
  return content;
}
