import { KbError } from '../../../../core/errors.ts';
import { redactUrl } from '../../../../core/secrets.ts';
import { hasWildcards, wildcards } from '../../../../core/wildcards.ts';
import { isTrap } from './page-address.ts';
import { timeLimited } from './robots.ts';

/** The addresses that a crawl covers. */
export interface CrawlScope {
  readonly origin: string;
  /** A path, up to its last slash. */
  readonly folder: string;
  /** Whether the start page stayed where it was requested. Only then a page in the scope that was not met is gone, and not moved. */
  readonly isAsked: boolean;
  /** Whether an address, normalized before, is in the scope. */
  covers(address: string): boolean;
  /** The address of a stored source today: at https, if the start page moved there from http. */
  asFound(source: string): string;
  /** Whether only include or exclude keeps an address out of the scope. */
  isFiltered(address: string): boolean;
  /** Include patterns that have matched no address so far. */
  unmatched(): string[];
  /** Whether matching has used up its time; then the scope covers nothing more. */
  isExhausted(): boolean;
}

/** Milliseconds for matching patterns, per crawl. */
const MOST_TIME = 10_000;

/** Path patterns of a crawl; without `include` all paths are read. */
export interface Patterns {
  include: readonly string[];
  exclude: readonly string[];
}

/**
 * Computes the scope of a crawl whose start page led from `start` to `final` by redirects: the origin of `final`, below the folder of
 * `start` (`/docs/` for `/docs/intro`; contract, section 5), or that of `final` if it is elsewhere. Throws a KbError (`usage`) for an
 * invalid pattern.
 */
export function scopeOf({ start, final }: { start: string; final: string }, { include, exclude }: Patterns): CrawlScope {
  const { origin, pathname } = new URL(final);
  const asked = new URL(start);
  const given = asked.pathname;
  const isFolder = pathname === `${given}/`; // `/docs` redirects to `/docs/`
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

/** Whether an origin is the requested one, or the same host over https. */
const isSameSite = (asked: URL, found: URL): boolean =>
  found.host === asked.host && (found.protocol === asked.protocol || found.protocol === 'https:');

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

type PathPattern = (path: string) => boolean;

/**
 * Compiles a path pattern, which is compared with decoded paths. Without wildcards it matches a path and everything below; a trailing slash
 * makes no difference. Throws a KbError (`usage`) for an invalid pattern.
 */
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
