import { decodeContent } from '../../../../http/response-body.ts';
import { decodeUrlPart, type HttpResponse, type HttpRequest } from '../../../../http/message.ts';
import { urlSource, isTrap } from '../web-addresses.ts';
import { KbError } from '../../../../core/errors.ts';
import type { PageFacts } from '../../../../ports/reading.ts';
import { redactUrl } from '../../../../core/secrets.ts';
import { hasWildcards, parseWildcards } from '../../../../core/wildcards.ts';

/** Requests a file of a site other than its pages, within its limits and with its credentials. Throws as `Http.request` does. */
export type LoadAddress = (
  address: string,
  request?: Pick<HttpRequest, 'max_bytes' | 'truncates' | 'accepts' | 'redirect' | 'inTurn'>,
) => Promise<HttpResponse>;

/** Loads a text, also from a gzip file, detected by its first bytes. Throws a KbError (`too_large`) if it inflates to more than `max_bytes`. */
export async function loadText(address: string, { load, max_bytes }: { load: LoadAddress; max_bytes: number }): Promise<string> {
  const { bytes } = await load(address, { max_bytes });
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new TextDecoder().decode(isPacked ? await decodeContent(bytes, 'gzip', { name: urlSource(address), max_bytes }) : bytes);
}

/** The rules of a site for crawlers (RFC 9309). */
export interface Robots {
  allows(address: string): boolean;
  /** Seconds between two requests. */
  delay: number;
  sitemaps: readonly string[];
  /** Whether matching the rules has used up its time; then nothing more is allowed. */
  isExhausted(): boolean;
}

/** Bytes of a robots.txt that are parsed (RFC 9309, 2.5: at least 500 KiB). */
const MAX_RULES_BYTES = 512 * 2 ** 10;
/** Maximum bytes of an inflated robots.txt. */
const MAX_INFLATED_BYTES = 5 * 2 ** 20;
/** Maximum redirects of a robots.txt; with more, there is none (RFC 9309, 2.3.1.2: at least five). */
const MAX_REDIRECTS = 10;
/** Statuses of a missing robots.txt (RFC 9309, 2.3.1.3), without temporary ones. */
const MISSING_STATUSES = Array.from({ length: 100 }, (_, i) => 400 + i).filter((status) => ![408, 409, 425, 429].includes(status));

/** Limits the total time of a predicate with untrusted rules, which is always false then; ordinary rules take 10 ms in a crawl. */
export function limitTime(milliseconds: number, predicate: (address: string) => boolean) {
  let spent = 0;
  return {
    matches(address: string): boolean {
      if (spent >= milliseconds) return false;
      const began = performance.now();
      const result = predicate(address);
      spent += performance.now() - began;
      return result;
    },
    isSpent: (): boolean => spent >= milliseconds,
  };
}

/** Maximum milliseconds of matching robots rules, and of matching patterns, in one crawl. */
const MAX_MATCHING_MS = 10_000;
/** Rules with more wildcards, and rules after so many characters, are cut at their first wildcard: matching must not take seconds. */
const MAX_WILDCARDS = 8;
const MAX_RULE_CHARACTERS = 50_000;

const ALLOW_ALL: Robots = { allows: () => true, delay: 0, sitemaps: [], isExhausted: () => false };

/**
 * Reads the robots.txt of an origin for the product in `user_agent`; a 4xx allows everything. Throws a KbError if it is temporarily unreadable:
 * nothing may be crawled (RFC 9309, 2.3.1).
 */
export async function readRobots(origin: string, { load, user_agent }: { load: LoadAddress; user_agent: string }): Promise<Robots> {
  const address = `${origin}/robots.txt`;
  try {
    const bytes = await loadRobots(address, load);
    if (bytes === undefined) return ALLOW_ALL;
    const { default: parse } = (await import('robots-parser')) as unknown as typeof import('robots-parser'); // its types are for CommonJS
    const product = productOf(user_agent);
    const text = rulesFor(product, new TextDecoder().decode(bytes.subarray(0, MAX_RULES_BYTES)));
    const rules = parse(address, decodeUnreserved(widenExpensiveRules(text)));
    const delay = rules.getCrawlDelay(product) ?? 0;
    const bounded = limitTime(MAX_MATCHING_MS, (url) => rules.isAllowed(decodeUnreserved(url), product) !== false);
    return {
      allows: bounded.matches,
      isExhausted: bounded.isSpent,
      delay: Number.isFinite(delay) && delay > 0 ? delay : 0,
      sitemaps: rules.getSitemaps(),
    };
  } catch (error) {
    if (error instanceof KbError && error.code === 'forbidden') return ALLOW_ALL; // its pages are not fetched either
    throw unreadableRules(address, error);
  }
}

/** Decodes the letters that need no encoding in an address, so that rules and addresses match however they are written (RFC 9309, 2.2.2). */
const decodeUnreserved = (text: string): string => text.replace(/%(2d|2e|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent);

/** Loads the robots.txt; undefined if there is none. */
async function loadRobots(address: string, load: LoadAddress): Promise<Uint8Array | undefined> {
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { status, headers, bytes } = await load(address, {
      max_bytes: MAX_INFLATED_BYTES,
      truncates: true,
      accepts: MISSING_STATUSES,
      redirect: 'manual',
    });
    if (status < 300) return bytes;
    if (status >= 400 || headers.location === undefined || !URL.canParse(headers.location, address)) return undefined;
    address = new URL(headers.location, address).href;
    if (!/^https?:/.test(address)) return undefined;
  }
  return undefined;
}

/** Lines that begin the rules of a group, and end the list of its crawlers. */
const RULE = /^\s*(?:allow|disallow|crawl-delay)\s*:/i;

/** Leaves out the names of other crawlers, but for the first of each group: the parser keeps each rule once for each name. */
function rulesFor(product: string, text: string): string {
  const names = new Set<string>();
  const lines = text.split(/\r\n|\r|\n/).filter((line) => {
    if (RULE.test(line)) names.clear();
    const [, name] = /^\s*user-agent\s*:\s*([^#/]*)/i.exec(line) ?? [];
    if (name === undefined) return true;
    const crawler = [product.toLowerCase(), '*'].find((each) => each === name.trim().toLowerCase()) ?? 'another';
    return !names.has(crawler) && names.add(crawler);
  });
  return lines.join('\n');
}

/** Simplifies expensive rules, so that they forbid more or allow less. */
function widenExpensiveRules(text: string): string {
  let characters = 0;
  return text.replace(/^([ \t]*(dis)?allow[ \t]*:)([^\r\n#]*\*[^\r\n#]*)/gim, (rule: string, ...[name, forbids, pattern]: string[]) => {
    characters += pattern!.length;
    if (characters <= MAX_RULE_CHARACTERS && pattern!.split('*').length <= MAX_WILDCARDS + 1) return rule;
    return forbids ? `${name}${pattern!.slice(0, pattern!.indexOf('*'))}` : '';
  });
}

function unreadableRules(address: string, error: unknown): unknown {
  if (!(error instanceof KbError) || error.code === 'aborted') return error;
  const { code, message, isRetryable, attempts } = error;
  return new KbError(code, `The crawling rules of the site could not be read, so nothing was crawled: ${message}`, {
    hint: `Try again later, or give the pages themselves (mode each), which needs no ${urlSource(address)}.`,
    isRetryable,
    attempts,
    cause: error,
  });
}

/** Extracts the product token of a user agent (RFC 9309, 2.2.1): `KbBot` of `KbBot/1.0` and of `Mozilla/5.0 (compatible; KbBot/1.0)`. */
export function productOf(user_agent: string): string {
  const [, named] = /\bcompatible;\s*([\w-]+)/i.exec(user_agent) ?? [];
  return named ?? /^[^/\s]+/.exec(user_agent.trim())?.[0] ?? '*';
}

/** The directives of a page for this crawler, from `<meta name="robots">` and the `X-Robots-Tag` header, which may name crawlers. */
export function robotsDirectives(
  { page, robots_tags }: { page: PageFacts | undefined; robots_tags: readonly string[] },
  user_agent: string,
): { noindex: boolean; nofollow: boolean } {
  const product = productOf(user_agent).toLowerCase();
  const directives = new Set(robots_tags.flatMap((tag) => [...directivesIn(tag.toLowerCase(), product)]));
  return {
    noindex: (page?.noindex ?? false) || directives.has('noindex') || directives.has('none'),
    nofollow: (page?.nofollow ?? false) || directives.has('nofollow') || directives.has('none'),
  };
}

/** Directives with a value, which look like names of crawlers. */
const WITH_VALUE = /^(unavailable_after|max-(snippet|image-preview|video-preview))$/;

/** Yields the directives of a header for a product. The name of a crawler applies to the directives after it, up to the next name. */
function* directivesIn(tag: string, product: string): Generator<string, void, void> {
  let isMeant = true;
  for (const part of tag.split(',')) {
    const [, name, directive = part] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(part) ?? [];
    if (name !== undefined && !WITH_VALUE.test(name)) isMeant = name === product || name === '*';
    if (isMeant) yield directive.trim();
  }
}

/** The addresses that a crawl covers. */
export interface CrawlScope {
  readonly origin: string;
  /** A path, up to its last slash. */
  readonly folder: string;
  /** Whether the start page was not redirected elsewhere. Only then pages of the scope that were not found are gone, and not moved. */
  readonly isUnmoved: boolean;
  /** Whether an address, normalized before, is in the scope. */
  covers(address: string): boolean;
  /** The current address of a stored source: with https if the start page has moved there from http. */
  currentAddress(source: string): string;
  /** Where an address is: only include or exclude keeps a `filtered` one out; one `outside` is on the site, and not below the folder. */
  placeOf(address: string): 'inside' | 'filtered' | 'outside' | 'elsewhere';
  /** Include patterns that have matched no address so far. */
  unmatchedIncludes(): string[];
  /** Whether matching has used up its time; then the scope covers nothing more. */
  isExhausted(): boolean;
}

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
  const requested = new URL(start);
  const requestedPath = requested.pathname;
  const isFolder = pathname === `${requestedPath}/`; // `/docs` redirects to `/docs/`
  const folder = folderOf(isFolder || !pathname.startsWith(folderOf(requestedPath)) ? pathname : requestedPath);
  const excludes = exclude.map(pathPattern);
  const includes = include.map((pattern) => ({ pattern, matches: pathPattern(pattern), isMet: false }));
  const isIncluded = (path: string): boolean => {
    for (const each of includes) each.isMet ||= each.matches(path);
    return includes.length === 0 || includes.some(({ matches }) => matches(path));
  };
  const bounded = limitTime(MAX_MATCHING_MS, (path) => isIncluded(path) && !excludes.some((matches) => matches(path)));
  const hasPatterns = includes.length + excludes.length > 0;
  const isSame = isSameSite(requested, new URL(final));
  const passes = ({ pathname: path, href }: URL): boolean => !hasPatterns || isTrap(href) || bounded.matches(decodeUrlPart(path));
  const placeOf: CrawlScope['placeOf'] = (address) => {
    const url = new URL(address);
    if (url.origin !== origin) return 'elsewhere';
    if (!`${url.pathname}/`.startsWith(folder)) return 'outside';
    return passes(url) ? 'inside' : 'filtered';
  };
  return {
    origin,
    folder,
    isUnmoved: isSame && (isFolder || pathname.startsWith(folderOf(requestedPath))),
    placeOf,
    covers: (address) => placeOf(address) === 'inside',
    currentAddress: (source) =>
      isSame && source.startsWith(`${requested.origin}/`) ? origin + source.slice(requested.origin.length) : source,
    unmatchedIncludes: () => includes.filter(({ isMet }) => !isMet).map(({ pattern }) => pattern),
    isExhausted: bounded.isSpent,
  };
}

/** Whether an origin is the requested one, or the same host over https. */
const isSameSite = (asked: URL, found: URL): boolean =>
  found.host === asked.host && (found.protocol === asked.protocol || found.protocol === 'https:');

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

type PathPattern = (path: string) => boolean;

/** Compiles a pattern for decoded paths. Without wildcards it matches a path and everything below. Throws a KbError (`usage`) if it is invalid. */
export function pathPattern(pattern: string): PathPattern {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(pattern))
    throw new KbError('usage', `"${redactUrl(pattern)}" is an address: include and exclude take paths.`, {
      hint: 'Write its path alone, such as /docs/** or /docs/old.',
    });
  const given = (pattern.startsWith('/') ? pattern : `/${pattern}`).replace(/(?:\/\*\*)+(?=\/|$)/g, '/**'); // successive ** are one
  const read = parseWildcards(given);
  if (read instanceof KbError) throw read;
  const { base, matches } = read;
  const folder = given.replace(/(?<!\/)\/*$/, '/');
  if (!hasWildcards(given)) return (path) => `${path}/`.startsWith(folder);
  const whole = (path: string): boolean => path.startsWith(base) && matches(path.slice(base.length));
  return (path) => whole(path.replace(/(?<=.)\/$/, '')) || whole(path.endsWith('/') ? path : `${path}/`);
}
