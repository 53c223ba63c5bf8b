import type { DomDocument, DomElement } from './dom.ts';
import { LEVEL } from './html-markdown.ts';

/** Never content, or not shown. */
const UNSEEN =
  'title, script, style, noscript, template, svg, iframe, object, embed, canvas, link, meta, button, select, textarea, datalist, dialog, [hidden], [style*="display:none"], [style*="display: none"]';
/** Around the content. */
const AROUND =
  'nav, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=menu], body > header, body > footer, body > aside';
const MAIN = 'main, [role=main]';
/** Letters from which an element is taken to be what the page is about. */
const ENOUGH = 140;
/** Readability's choice counts when it keeps this share of the letters: of a short page it may keep one paragraph, of a manual one section. */
const MOST = 0.6;
/** Of a page without a main element, a choice of this many letters may be less: the rest of a news page is teasers and comments. */
const LONG = 500;
const PART = 0.2;

const lengthOf = (element: DomElement | undefined): number => (element?.textContent ?? '').replace(/\s+/g, ' ').length;
const removeAll = (from: DomElement, selector: string): void => {
  for (const element of from.querySelectorAll(selector)) element.remove();
};

/**
 * What the page is about: what Readability (the reader view of Firefox) chooses where that is most of the page, else the main element, else
 * the body without what stands around it. The document is changed.
 */
export async function mainContent({ document, body }: { document: DomDocument; body: DomElement }): Promise<DomElement> {
  removeAll(body, UNSEEN);
  removeAll(body, AROUND);
  const whole = lengthOf(body);
  const marked = [...body.querySelectorAll(MAIN)].filter((element) => !element.parentElement?.closest(MAIN));
  const main = marked.length === 1 && lengthOf(marked[0]!) >= Math.min(ENOUGH, whole / 2) ? marked[0]! : body;
  const chosen = await readable(document);
  const share = main === body && lengthOf(chosen) >= LONG ? PART : MOST;
  return chosen && lengthOf(chosen) >= lengthOf(main) * share ? chosen : main;
}

async function readable(document: DomDocument): Promise<DomElement | undefined> {
  const { Readability } = await import('@mozilla/readability');
  for (const title of document.querySelectorAll('h1')) title.setAttribute(LEVEL, '1');
  const article = new Readability<DomElement>(document.cloneNode(true) as never, {
    keepClasses: true,
    serializer: (node) => node as unknown as DomElement,
  }).parse();
  return article?.content ?? undefined;
}
