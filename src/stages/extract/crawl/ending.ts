import type { Site } from './arrive.ts';
import type { Beside } from './beside.ts';
import { MOST_KNOWN, type Frontier } from './frontier.ts';
import type { Harvest } from './harvest.ts';
import type { LeftOut } from './left-out.ts';

/** A crawl that goes no further. */
export interface Ended {
  /** The address that it was given, as it may be shown. */
  name: string;
  max_pages: number;
  max_depth: number;
  /** Addresses that it reads at most. */
  limit: number;
  /** Why it did not go on, as the end of a sentence: where the site gave out. */
  stopped: string | undefined;
  /** Pages that were asked for, and whose answers nobody waits for any more. */
  underWay: number;
  site: Pick<Site, 'notices'> & { scope: Pick<Site['scope'], 'origin' | 'folder' | 'isAsked' | 'unmatched' | 'isExhausted'> } & {
    robots: Pick<Site['robots'], 'isExhausted'>;
  };
  frontier: Pick<Frontier, 'unread' | 'deeper' | 'traps' | 'isOverflowing'>;
  harvest: Pick<Harvest, 'pages' | 'deferred' | 'unread' | 'eclipsed' | 'away'>;
  beside: Pick<Beside, 'hasSitemaps' | 'isWhole' | 'notices'>;
  leftOut: Pick<LeftOut, 'text'>;
}

/** What a person should know of a crawl that has ended; and why there may be more than it found, as a part of a sentence: absent where it knows all that there is. */
export function endingOf(ended: Ended): { notices: string[]; doubt?: string } {
  const { site, beside, harvest } = ended;
  const name = `The crawl of ${ended.name}`;
  const gaps = [...gapsIn(ended, name)];
  const told = gaps.filter((gap) => gap !== undefined);
  const notices = [...site.notices, ...beside.notices, ...told, ...remarks(ended, name)];
  if (harvest.unread !== undefined) return { notices, doubt: `${harvest.unread} could not be read, and may lead there.` };
  return gaps.length > 0 ? { notices, doubt: `the crawl of ${ended.name} is not whole.` } : { notices };
}

/** Each reason why there may be more than was found: what is to be told of it, where nothing else tells it. */
function* gapsIn(ended: Ended, name: string): Generator<string | undefined, void, void> {
  const { frontier, site, beside } = ended;
  const left = notRead(ended, name);
  if (left !== undefined) yield left;
  if (frontier.deeper > 0)
    yield `${name} ended at max_depth = ${ended.max_depth}: ${counted(frontier.deeper, 'address', 'addresses')} further away ${frontier.deeper === 1 ? 'was' : 'were'} not read.`;
  if (site.robots.isExhausted()) yield `${name} is not whole: the rules of robots.txt are too many to be held against every address.`;
  if (site.scope.isExhausted()) yield `${name} is not whole: include and exclude take too long to be held against every address.`;
  if (!beside.hasSitemaps || !beside.isWhole) yield undefined;
}

/** What was left out on purpose. */
function* remarks({ site: { scope }, harvest, frontier, leftOut }: Ended, name: string): Generator<string, void, void> {
  const { eclipsed, away } = harvest;
  if (leftOut.text !== undefined) yield `${name} left out ${leftOut.text}.`;
  for (const pattern of scope.unmatched()) yield `${name}: include «${pattern}» holds for no address that was found.`;
  if (!scope.isAsked)
    yield `${name} was led elsewhere by its start page, to ${scope.origin}${scope.folder}: to have what is gone removed, crawl that address itself.`;
  if (eclipsed)
    yield `${name} left out ${counted(eclipsed.count, 'page', 'pages')} that name another page as their address (rel="canonical") but say something else, such as ${eclipsed.first}.`;
  if (away)
    yield `${name} left ${counted(away.count, 'page', 'pages')} as ${away.count === 1 ? 'it is that leads' : 'they are that lead'} out of it, such as ${away.first}.`;
  if (frontier.traps > 0)
    yield `${name} left out ${counted(frontier.traps, 'address', 'addresses')} of the kind that sites make without end: very long, or with a part that comes back again and again.`;
}

/** What was found and did not get its turn. */
function notRead({ frontier, harvest, underWay, stopped, max_pages, limit }: Ended, name: string): string | undefined {
  const unread = frontier.unread + underWay;
  const { pages, deferred } = harvest;
  const more = frontier.isOverflowing ? 'more than ' : '';
  const left = [
    ...(unread > 0 || deferred === 0
      ? [`${more}${counted(unread, 'further address was', 'further addresses were')} found and not read`]
      : []),
    ...(deferred > 0 ? [`${counted(deferred, 'page was', 'pages were')} read and not stored`] : []),
  ].join(', and ');
  if (stopped !== undefined) return `${name} stopped because ${stopped}: ${left}.`;
  if (unread + deferred > 0 && pages >= max_pages) return `${name} stopped at max_pages = ${max_pages}: ${left}.`;
  if (unread + deferred > 0)
    return `${name} stopped after ${counted(limit, 'address', 'addresses')} that led to ${counted(pages, 'page', 'pages')}: ${left}.`;
  if (frontier.isOverflowing)
    return `${name} is not whole: it found more than ${MOST_KNOWN.toLocaleString('en')} addresses, and no further ones were looked at.`;
  return undefined;
}

const counted = (count: number, one: string, several: string): string => `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
