import { KbError } from '../../../../core/errors.ts';
import { redactUrl } from '../../../../core/secrets.ts';
import { hasWildcards, wildcards } from '../../../../core/wildcards.ts';
import { isTrap } from './page-address.ts';
import { timeLimited } from './robots.ts';

/** Which addresses a crawl takes. */
export interface CrawlScope {
  readonly origin: string;
  /** A path, up to its last slash. */
  readonly folder: string;
  /** The start page was found where it was asked for: only then what lies in the scope and was not met is gone, and not merely elsewhere. */
  readonly isAsked: boolean;
  /** Whether an address that `normalized` gives lies in the scope. */
  covers(address: string): boolean;
  /** Where a stored source would be found today: at https, where the start page has moved there from http. */
  asFound(source: string): string;
  /** Whether an address would lie in the scope, had nobody narrowed it. */
  isFiltered(address: string): boolean;
  /** What was to be taken and has held for no address so far. */
  unmatched(): string[];
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
  const asked = new URL(start);
  const given = asked.pathname;
  const isFolder = pathname === `${given}/`; // `/docs` that is told to be `/docs/`
  const folder = folderOf(isFolder || !pathname.startsWith(folderOf(given)) ? pathname : given);
  const left = exclude.map(pathPattern);
  const taken = include.map((pattern) => ({ pattern, matches: pathPattern(pattern), isMet: false }));
  const isTaken = (path: string): boolean => {
    for (const each of taken) each.isMet ||= each.matches(path);
    return taken.length === 0 || taken.some(({ matches }) => matches(path));
  };
  const bounded = timeLimited(MOST_TIME, (path) => isTaken(path) && !left.some((matches) => matches(path)));
  const hasPatterns = taken.length + left.length > 0;
  const isInFolder = (url: URL): boolean => url.origin === origin && `${url.pathname}/`.startsWith(folder);
  const isSame = isSameSite(asked, new URL(final));
  const passes = (address: string, url: URL): boolean => !hasPatterns || isTrap(address) || bounded.ask(decoded(url.pathname));
  return {
    origin,
    folder,
    isAsked: isSame && (isFolder || pathname.startsWith(folderOf(given))),
    covers(address) {
      const url = new URL(address);
      return isInFolder(url) && passes(address, url);
    },
    asFound: (source) => (isSame && source.startsWith(`${asked.origin}/`) ? origin + source.slice(asked.origin.length) : source),
    isFiltered(address) {
      const url = new URL(address);
      return hasPatterns && isInFolder(url) && !passes(address, url);
    },
    unmatched: () => taken.filter(({ isMet }) => !isMet).map(({ pattern }) => pattern),
    isExhausted: bounded.isSpent,
  };
}

/** Whether an origin is the one that was asked for, or that one as it may not be read over the shoulder. */
const isSameSite = (asked: URL, found: URL): boolean =>
  found.host === asked.host && (found.protocol === asked.protocol || found.protocol === 'https:');

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

type PathPattern = (path: string) => boolean;

/** A pattern as a person writes it is held against the path as a person reads it: one without wildcards holds for the path and all below it. A trailing slash makes no difference. */
export function pathPattern(pattern: string): PathPattern {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(pattern))
    throw new KbError('usage', `«${redactUrl(pattern)}» is an address: include and exclude take paths.`, {
      hint: 'Write its path alone, such as /docs/** or /docs/old.',
    });
  const given = (pattern.startsWith('/') ? pattern : `/${pattern}`).replace(/(?:\/\*\*)+(?=\/|$)/g, '/**'); // several in a row are one
  const read = wildcards(given);
  if (read instanceof KbError) throw read;
  const { base, matches } = read;
  const folder = given.replace(/(?<!\/)\/*$/, '/');
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
