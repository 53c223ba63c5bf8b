import { KbError } from '../../../base/errors.ts';
import { hasWildcards, wildcards } from '../wildcards.ts';
import { isTrap } from './address.ts';
import { within } from './within.ts';

/** Which addresses a crawl takes. */
export interface CrawlScope {
  readonly origin: string;
  /** Whether an address that `normalized` gives lies in the scope. */
  covers(address: string): boolean;
  /** Its patterns have taken so long to be held against addresses that it covers nothing more. */
  isExhausted(): boolean;
}

/** Milliseconds of holding patterns against addresses, for one crawl. */
const MOST_TIME = 10_000;

export interface Patterns {
  include: readonly string[];
  exclude: readonly string[];
}

/**
 * The scope of a crawl that began at `start` and was led to `final` by redirects: the origin of where it was led, under the path of the start page (`/docs/`
 * for `/docs/intro`; contract, section 5) as far as it was not led out of that. Throws a KbError (`usage`) for a pattern that can't be read.
 */
export function scopeOf({ start, final }: { start: string; final: string }, { include, exclude }: Patterns): CrawlScope {
  const { origin, pathname } = new URL(final);
  const given = new URL(start).pathname;
  const isFolder = pathname === `${given}/`; // `/docs` that is told to be `/docs/`
  const folder = folderOf(isFolder || !pathname.startsWith(folderOf(given)) ? pathname : given);
  const [taken, left] = [include, exclude].map((patterns) => patterns.map(pathPattern)) as [PathPattern[], PathPattern[]];
  const bounded = within(
    MOST_TIME,
    (path) => (taken.length === 0 || taken.some((matches) => matches(path))) && !left.some((matches) => matches(path)),
  );
  const hasPatterns = taken.length + left.length > 0;
  return {
    origin,
    covers(address) {
      const url = new URL(address);
      if (url.origin !== origin || !`${url.pathname}/`.startsWith(folder)) return false;
      return !hasPatterns || isTrap(address) || bounded.ask(decoded(url.pathname));
    },
    isExhausted: bounded.isSpent,
  };
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

type PathPattern = (path: string) => boolean;

/** A pattern as a person writes it is held against the path as a person reads it: one without wildcards holds for the path and all below it. A trailing slash makes no difference. */
export function pathPattern(pattern: string): PathPattern {
  const given = (pattern.startsWith('/') ? pattern : `/${pattern}`).replace(/(?:\/\*\*)+(?=\/|$)/g, '/**'); // several in a row are one
  const read = wildcards(given);
  if (read instanceof KbError) throw read;
  const { base, matches } = read;
  const folder = given.replace(/\/*$/, '/');
  if (!hasWildcards(given)) return (path) => `${path}/`.startsWith(folder);
  const whole = (path: string): boolean => path.startsWith(base) && matches(path.slice(base.length));
  return (path) => whole(path.replace(/(?<=.)\/$/, '')) || whole(path.endsWith('/') ? path : `${path}/`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
