import type { DomElement } from '../dom.ts';
import { oneLine } from '../markdown-text.ts';

const AROUND = 'aside, footer';
/** A page with more of them has none that says what it is about. */
const MOST = 100;
const MAIN = 'main, [role=main]';
/** What sites call their own name. */
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
 * What the page is about, as its first heading says: the first in its content, where that is known, or in its main element; that of its only article,
 * where the page's title has it too; the first that is not the site's name; or else one of the second level that the page's title has. To be asked when
 * what stands around the content is taken out.
 */
export function headlineOf(
  body: DomElement,
  { content, title }: { content: DomElement | undefined; title: string },
): DomElement | undefined {
  const all = [...body.querySelectorAll('h1')]
    .slice(0, MOST)
    .filter((heading) => wordsOf(heading) !== '' && heading.closest(AROUND) === null);
  const ofArticles = all.filter((heading) => heading.closest('article') !== null);
  return (
    all.find((heading) => content?.contains(heading)) ??
    all.find((heading) => heading.closest(MAIN) !== null) ??
    (ofArticles.length === 1 && isIn(title, wordsOf(ofArticles[0])) ? ofArticles[0] : all.find((heading) => !isOfSite(heading))) ??
    [body.querySelector('h2')].find((heading) => heading !== null && isIn(title, wordsOf(heading))) ??
    undefined
  );
}

const isIn = (title: string, words: string): boolean =>
  words !== '' && ` ${title.replace(/[\s|·•»«—–:-]+/g, ' ')} `.includes(` ${words.replace(/[\s|·•»«—–:-]+/g, ' ')} `);

/** The words of a heading, without the sign that links to it. */
export const wordsOf = (heading: DomElement | undefined): string => oneLine((heading?.textContent ?? '').replace(SIGN, ''));
