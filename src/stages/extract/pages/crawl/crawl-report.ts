import { count } from '../../../../text/count.ts';
import { urlSource } from '../web-addresses.ts';
import { MAX_KNOWN_ADDRESSES, skippedText } from './frontier.ts';
import type { Crawl } from './process-page.ts';

/** Milliseconds without an answer after which a crawl gives up. */
export const MAX_SILENCE = 600_000;
/** Consecutive failures after which a site counts as down. */
const MAX_FAILED = 20;

/** Says why a crawl gives up its site, as the end of a sentence; undefined if it continues. */
export function siteFailure({ failed_in_a_row, silence }: Pick<Crawl, 'failed_in_a_row' | 'silence'>): string | undefined {
  if (failed_in_a_row >= MAX_FAILED) return `${MAX_FAILED} pages in a row could not be read`;
  return silence >= MAX_SILENCE ? `nothing could be read for ${MAX_SILENCE / 60_000} minutes` : undefined;
}

/** Makes the notices of a crawl that has ended; `doubt` says why there may be more than it found, as a part of a sentence. */
export function summarizeCrawl(crawl: Crawl): { notices: string[]; doubt?: string } {
  const address = urlSource(crawl.entry.url);
  const name = `The crawl of ${address}`;
  const gaps = [...findGaps(crawl, name)];
  const notices = [...crawl.notices, ...gaps, ...describeOmissions(crawl, name)];
  const [missed] = crawl.frontier.missed;
  if (missed !== undefined) return { notices, doubt: `${missed} could not be read, and may lead there.` };
  const isComplete = gaps.length === 0 && crawl.has_sitemaps && crawl.has_complete_seeds;
  return isComplete ? { notices } : { notices, doubt: `the crawl of ${address} is incomplete.` };
}

/** Yields each reason why there may be more pages than were found, unless a notice has it already. */
function* findGaps(crawl: Crawl, name: string): Generator<string, void, void> {
  const { frontier, site, entry } = crawl;
  const left = describeUnread(crawl, name);
  if (left !== undefined) yield left;
  if (frontier.deeper > 0)
    yield `${name} ended at max_depth = ${entry.max_depth}: ${count(frontier.deeper, 'address', 'addresses')} further away ${frontier.deeper === 1 ? 'was' : 'were'} not read.`;
  if (site.robots.isExhausted()) yield `${name} is incomplete: robots.txt has too many rules to check every address.`;
  if (site.scope.isExhausted()) yield `${name} is incomplete: include and exclude take too long to check every address.`;
}

/** Describes what was left out on purpose. */
function* describeOmissions(
  { site: { scope }, contradicted, redirected, frontier, skipped, logins, pages, parts }: Crawl,
  name: string,
): Generator<string, void, void> {
  if (logins > 0 && pages > 0 && parts.http.carriesCredentials?.(scope.origin))
    yield `${name}: the session ended on the way, or was not accepted everywhere: ${count(logins, 'page')} turned into a login page. Renew the credentials in network.sites, and crawl again.`;
  const text = skippedText(skipped);
  if (text !== undefined) yield `${name} left out ${text}.`;
  for (const pattern of scope.unmatchedIncludes()) yield `${name}: include «${pattern}» matches no address that was found.`;
  if (!scope.isUnmoved)
    yield `${name} was redirected by its start page to ${scope.origin}${scope.folder}. To remove deleted pages, crawl that address itself.`;
  if (contradicted)
    yield `${name} left out ${count(contradicted.count, 'page')} that name another page as their address (rel="canonical") but say something else, such as ${contradicted.first}.`;
  if (redirected)
    yield `${name} left ${count(redirected.count, 'page')} as ${redirected.count === 1 ? 'it is that leads' : 'they are that lead'} out of it, such as ${redirected.first}.`;
  if (frontier.traps > 0)
    yield `${name} left out ${count(frontier.traps, 'address', 'addresses')} of the kind that sites generate without end: very long, or with repeating parts.`;
}

/** Describes what was found and not read; undefined if everything was read. */
function describeUnread(crawl: Crawl, name: string): string | undefined {
  const { frontier, pages, limit, entry } = crawl;
  const unread = frontier.unread + crawl.in_flight;
  const deferred = crawl.deferred.length;
  const stopped = siteFailure(crawl);
  const more = frontier.isOverflowing ? 'more than ' : '';
  const left = [
    ...(unread > 0 || deferred === 0
      ? [`${more}${count(unread, 'further address was', 'further addresses were')} found and not read`]
      : []),
    ...(deferred > 0 ? [`${count(deferred, 'page was', 'pages were')} read and not stored`] : []),
  ].join(', and ');
  if (stopped !== undefined) return `${name} stopped because ${stopped}: ${left}.`;
  if (unread + deferred > 0 && pages >= entry.max_pages) return `${name} stopped at max_pages = ${entry.max_pages}: ${left}.`;
  if (unread + deferred > 0)
    return `${name} stopped after ${count(limit, 'address', 'addresses')} that led to ${count(pages, 'page')}: ${left}.`;
  if (frontier.isOverflowing)
    return `${name} is incomplete: it found more than ${MAX_KNOWN_ADDRESSES.toLocaleString('en')} addresses and ignored further ones.`;
  return undefined;
}
