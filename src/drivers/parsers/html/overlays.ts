import type { DomElement } from '../dom.ts';
import type { Measure } from './measure.ts';
import { namesOf, purposeOf } from './names.ts';

/** What asks for an address, and links for those who use a keyboard. */
const ASKING = /(?:^|[\s_-])(?:newsletter-?(?:signup|form|popup)|skip-?(?:link|nav|to-content))(?:$|[\s_-])/i;
/** What asks for consent lies over a page, whatever it is built with. Within its content, these are words like others. */
const CONSENT = /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|cookiebot|cc-window)(?:$|[\s_-])/i;
/** Names of what asks for consent that no part of a text has, whatever heading it begins with. */
const BANNER = /onetrust|cookiebot|usercentrics|didomi|(?:cookie|consent|gdpr)[_-]?(?:banner|bar|notice|popup|modal|overlay|dialog|law)/i;
const FIXED = /position:\s*fixed/i;
const CONTENT = /^(?:MAIN|ARTICLE)$/;
/** An overlay is short; a page about cookies is not. */
const LONGEST = 1500;

/** Where an element stands. */
export interface Place {
  isContent: boolean;
  measured: (element: DomElement) => Measure;
}

/** Whether an element lies over the page, as it is named or placed, and asks for something. */
export function isOver(element: DomElement, { isContent, measured }: Place): boolean {
  if (namesOf(element).length < 3 || CONTENT.test(element.nodeName)) return false;
  const names = purposeOf(element);
  const isConsent = CONSENT.test(names) || BANNER.test(element.id);
  const isNamed = ASKING.test(names) || (isConsent && (!isContent || liesOver(element)));
  return isNamed && measured(element).letters < LONGEST;
}

const liesOver = (element: DomElement): boolean => element.hasAttribute('aria-modal') || FIXED.test(element.getAttribute('style') ?? '');

/** Takes overlays out, none of them within another. One that has a headline and is all that there is stays: it is a page about cookies. */
export function removeOverlays(root: DomElement, overlays: readonly DomElement[]): void {
  const page = overlays.find((overlay) => overlay.querySelector('h1') !== null);
  const left = overlays.reduce((letters, overlay) => letters - solid(overlay), solid(root));
  for (const overlay of left > 0 ? overlays : overlays.filter((one) => one !== page)) overlay.remove();
}

const solid = ({ textContent }: DomElement): number => (textContent ?? '').replace(/\s+/g, '').length;
