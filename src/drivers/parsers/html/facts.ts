import type { PageFacts } from '../../../ports/reading.ts';
import type { DomElement } from '../dom.ts';
import type { Resolve } from './addresses.ts';

/** More links than a page for people has. */
const MOST_LINKS = 10_000;
const FEED = /^application\/(?:rss|atom)\+xml$/i;

const LEADING = new Set(['A', 'AREA', 'FRAME']);

/** What a page says about itself and its neighbours. `elements` are those of the whole page, navigation included: meta, link, a, area and frame. */
export function factsOf(elements: readonly DomElement[], resolve: Resolve): PageFacts {
  const related = (rel: string, type = /^/): string[] =>
    elements
      .filter(
        (link) => link.nodeName === 'LINK' && wordsOf(link.getAttribute('rel')).includes(rel) && type.test(link.getAttribute('type') ?? ''),
      )
      .flatMap((link) => placeOf(link.getAttribute('href') ?? '', resolve) ?? []);
  const wishes = elements.filter((meta) => isMeta(meta, 'name', 'robots')).flatMap((meta) => wordsOf(meta.getAttribute('content')));
  const robots = new Set(wishes);
  return {
    links: linksOf(elements, resolve),
    canonical: related('canonical')[0],
    feeds: [...new Set(related('alternate', FEED))],
    noindex: robots.has('noindex') || robots.has('none'),
    nofollow: robots.has('nofollow') || robots.has('none'),
  };
}

const isMeta = (element: DomElement, attribute: string, name: string): boolean =>
  element.nodeName === 'META' && element.getAttribute(attribute)?.trim().toLowerCase() === name;

const wordsOf = (value: string | null): string[] =>
  (value ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** The address of a document, without the place in it; undefined for an empty one, which is the page itself. */
const placeOf = (address: string, resolve: Resolve): string | undefined =>
  address.trim() === '' ? undefined : resolve(address)?.replace(/#.*/s, '');

function linksOf(elements: readonly DomElement[], resolve: Resolve): string[] {
  const links = new Set<string>();
  for (const element of elements) {
    const named = leadsTo(element).trim();
    const address = named.startsWith('#') ? undefined : placeOf(named, resolve);
    if (address !== undefined && !wordsOf(element.getAttribute('rel')).includes('nofollow')) links.add(address);
    if (links.size === MOST_LINKS) break;
  }
  return [...links];
}

function leadsTo(element: DomElement): string {
  if (LEADING.has(element.nodeName)) return element.getAttribute(element.nodeName === 'FRAME' ? 'src' : 'href') ?? '';
  return isMeta(element, 'http-equiv', 'refresh') ? refreshOf(element.getAttribute('content')) : '';
}

/** Where a page sends its reader on: `0; url=/next` (HTML 4.2.5.3). */
const refreshOf = (content: string | null): string => /^[\d.\s]*[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(content ?? '')?.[1] ?? '';
