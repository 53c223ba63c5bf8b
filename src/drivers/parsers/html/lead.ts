import { childElements, type DomDocument, type DomElement } from '../dom.ts';
import { namesOf } from './names.ts';
import { lettersOf, linkShareOf } from './prose.ts';

/** What stylesheets call the paragraph under a headline. */
const LEAD = /(?:^|[\s_-])(?:lead|lede|teaser|standfirst|sub-?(?:title|head(?:line|ing)?)|dek|excerpt|vorspann|chapo)(?:$|[\s_-])/i;
const SHORTEST = 40;
const LONGEST = 1000;
/** How far above the headline an element may begin that holds both. */
const NEAR = 4;
const LINKED = 0.3;
/** Letters at the beginning that tell one paragraph from another. */
const BEGINNING = 40;

const wordsOf = (text: string | null | undefined): string => (text ?? '').replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

/**
 * The paragraph under the headline, which Readability takes for a part of the page's head: one that is named so, or that says what the page's
 * description says. To be asked before the page is taken apart.
 */
export function leadOf(document: DomDocument, headline: DomElement | undefined): DomElement | undefined {
  if (!headline) return undefined;
  const description = wordsOf(document.querySelector('meta[name="description"], meta[property="og:description"]')?.getAttribute('content'));
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
  const isNamed = LEAD.test(namesOf(element));
  if (!isNamed && (element.nodeName !== 'P' || description === '')) return false;
  const letters = lettersOf(element);
  if (letters < SHORTEST || letters > LONGEST || linkShareOf(element) > LINKED) return false;
  return isNamed || description.startsWith(wordsOf(element.textContent).slice(0, 2 * BEGINNING));
}

/** Puts the lead above the text, unless that has it. */
export function withLead(content: DomElement, lead: DomElement | undefined): DomElement {
  if (lead && !wordsOf(content.textContent).includes(wordsOf(lead.textContent).slice(0, BEGINNING))) content.prepend(lead);
  return content;
}
