import { MOST_KNOWN } from './frontier.ts';
import type { Counted } from './harvest.ts';
import type { CrawlScope } from './scope.ts';

/** How a crawl came to its end. */
export interface Ending {
  /** The address that it was given, as it may be shown. */
  name: string;
  scope: CrawlScope;
  pages: number;
  max_pages: number;
  max_depth: number;
  /** Addresses that it reads at most. */
  limit: number;
  frontier: { unread: number; deeper: number; traps: number; isOverflowing: boolean };
  /** Why it did not go on, as the end of a sentence: where the site gave out. */
  stopped: string | undefined;
  hasLongRules: boolean;
  eclipsed: Counted | undefined;
  away?: Counted | undefined;
  /** What was found and became no document, though nothing failed. */
  leftOut?: string | undefined;
}

/** What a person should know of a crawl that has ended: what it left out, and why. */
export function* endNotices(ending: Ending): Generator<string, void, void> {
  const { scope, frontier, eclipsed, away, hasLongRules } = ending;
  const name = `The crawl of ${ending.name}`;
  const left = notRead(ending, name);
  if (left !== undefined) yield left;
  if (ending.leftOut !== undefined) yield `${name} left out ${ending.leftOut}.`;
  for (const pattern of scope.unmatched()) yield `${name}: include «${pattern}» holds for no address that was found.`;
  if (frontier.deeper > 0)
    yield `${name} ended at max_depth = ${ending.max_depth}: ${counted(frontier.deeper, 'address', 'addresses')} further away ${frontier.deeper === 1 ? 'was' : 'were'} not read.`;
  if (!scope.isAsked)
    yield `${name} was led elsewhere by its start page, to ${scope.origin}${scope.folder}: to have what is gone removed, crawl that address itself.`;
  if (eclipsed)
    yield `${name} left out ${counted(eclipsed.count, 'page', 'pages')} that name another page as their address (rel="canonical") but say something else, such as ${eclipsed.first}.`;
  if (away)
    yield `${name} left ${counted(away.count, 'page', 'pages')} as they are that ${away.count === 1 ? 'leads' : 'lead'} out of it for now, such as ${away.first}.`;
  if (hasLongRules) yield `${name} is not whole: the rules of robots.txt are too many to be held against every address.`;
  if (frontier.traps > 0)
    yield `${name} left out ${counted(frontier.traps, 'address', 'addresses')} of the kind that sites make without end: very long, or with a part that comes back again and again.`;
}

/** What was found and not read. */
function notRead({ frontier, stopped, pages, max_pages, limit }: Ending, name: string): string | undefined {
  const { unread, isOverflowing } = frontier;
  const left = `${isOverflowing ? 'more than ' : ''}${counted(unread, 'further address was', 'further addresses were')} found and not read.`;
  if (stopped !== undefined) return `${name} stopped because ${stopped}: ${left}`;
  if (unread > 0 && pages >= max_pages) return `${name} stopped at max_pages = ${max_pages}: ${left}`;
  if (unread > 0)
    return `${name} stopped after ${counted(limit, 'address', 'addresses')} that led to ${counted(pages, 'page', 'pages')}: ${left}`;
  if (isOverflowing)
    return `${name} is not whole: it found more than ${MOST_KNOWN.toLocaleString('en')} addresses, and no further ones were looked at.`;
  return undefined;
}

const counted = (count: number, one: string, several: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
