import type { FileTypes } from '../../../../ports/reading.ts';
import { urlSource } from '../network.ts';
import type { RememberedPage } from '../page-memory.ts';
import type { LoadedPage } from '../page.ts';
import { isOtherKind, isTrap, normalized } from './page-address.ts';
import type { CrawlScope } from './scope.ts';
import { productOf, type Robots } from './robots.ts';

/** What a page lets be done with it. */
interface RobotsDirectives {
  /** It may not be kept. */
  noindex: boolean;
  /** Its links may not be followed. */
  nofollow: boolean;
}

/** What a page asks for, in itself (`<meta name="robots">`) and in its header `X-Robots-Tag`, which may name whom it speaks to. */
export function robotsDirectives({ parsed: { page }, robots_tags }: LoadedPage, user_agent: string): RobotsDirectives {
  const product = productOf(user_agent).toLowerCase();
  const asked = new Set(robots_tags.flatMap((tag) => [...directivesIn(tag.toLowerCase(), product)]));
  return {
    noindex: (page?.noindex ?? false) || asked.has('noindex') || asked.has('none'),
    nofollow: (page?.nofollow ?? false) || asked.has('nofollow') || asked.has('none'),
  };
}

/** Directives that have a value, and are no name of a crawler. */
const WITH_VALUE = /^(unavailable_after|max-(snippet|image-preview|video-preview))$/;

/** What a header asks of a product: the name of whom it speaks to holds for all that follows it, up to the next name. */
function* directivesIn(tag: string, product: string): Generator<string, void, void> {
  let isMeant = true;
  for (const part of tag.split(',')) {
    const [, name, directive = part] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(part) ?? [];
    if (name !== undefined && !WITH_VALUE.test(name)) isMeant = name === product || name === '*';
    if (isMeant) yield directive.trim();
  }
}

/** Marks the address of a feed among links: what it holds are links of the page that names it. */
const FEED = '#feed';

/** Addresses on the page's own origin that a crawl goes on to, feeds among them; none where it asks for that. */
export function outlinksOf(loaded: LoadedPage, user_agent: string): string[] {
  if (robotsDirectives(loaded, user_agent).nofollow) return [];
  const { page } = loaded.parsed;
  const { origin } = new URL(loaded.url);
  const own = (addresses: readonly string[]) =>
    addresses.flatMap((address) => normalized(address) ?? []).filter((address) => address.startsWith(`${origin}/`));
  return [...new Set([...own(page?.links ?? []), ...own(page?.feeds ?? []).map((address) => address + FEED)])];
}

/** The address of the feed that an onward address stands for; undefined for a link. */
export const feedIn = (onward: string): string | undefined => (onward.endsWith(FEED) ? onward.slice(0, -FEED.length) : undefined);

/**
 * What a page is stored under: the address that it names as its own (`rel="canonical"`) where that lies in the scope, else the one that it was found at. A site whose pages
 * all name its start page as their own is misconfigured, and not believed.
 */
export function pageSource(
  { found, canonical }: Pick<RememberedPage, 'found' | 'canonical'>,
  { scope, robots, reader }: { scope: CrawlScope; robots: Robots; reader: Pick<FileTypes, 'fileType'> },
): string {
  const isBelieved =
    canonical !== undefined &&
    scope.covers(canonical) &&
    !isTrap(canonical) &&
    !isOtherKind(canonical, reader) &&
    robots.allows(canonical) &&
    (new URL(canonical).pathname !== '/' || new URL(found).pathname === '/');
  return isBelieved ? canonical : addressSource({ found });
}

/** What a page is stored under whatever it names. */
export const addressSource = ({ found }: Pick<RememberedPage, 'found'>): string => urlSource(normalized(found) ?? found);
