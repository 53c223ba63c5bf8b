import type { DomDocument, DomElement } from '../dom.ts';

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
export const isManual = (content: DomElement): boolean => [...content.querySelectorAll(MANUAL)].length >= MANUAL_MARKS;
