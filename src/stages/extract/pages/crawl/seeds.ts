import { decodeXML } from 'entities/decode';
import { describe, isAbort } from '../../../../core/errors.ts';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import { isPageGone } from '../page-candidate.ts';
import { urlSource } from '../network.ts';
import { type LoadAddress, loadText } from './robots.ts';
import type { OpenSite } from './open-site.ts';

/** An address that a sitemap or a feed names, and the name of the element that it stands in. */
interface XmlLink {
  element: string;
  address: string;
}

/** One element of these names: its attributes, and what it holds up to the next element. Names with a prefix that is not that of the format itself (`image:loc`) are others. */
const ELEMENT =
  /<(?:(?:sm|sitemap|atom|ns\d):)?(sitemapindex|loc|link)\b([^<>]{0,4000}?)(\/?)>(?:\s*<!\[CDATA\[([^\]]{0,4000})|([^<]{0,4000}))?/gi;
const REL = /\brel\s*=\s*["']([^"']*)["']/i;
const HREF = /\bhref\s*=\s*["']([^"']*)["']/i;

/**
 * The addresses in a sitemap (`loc`; sitemaps.org) or in a feed (`link`; RSS 2.0, Atom: RFC 4287), in their order; `sitemapindex` comes first where it is an index. The text is scanned and not
 * parsed: it may hold 50 MB, may be broken, and nothing else of it is wanted.
 */
export function* xmlLinks(xml: string): Generator<XmlLink, void, void> {
  for (const [, name, attributes = '', , quoted, text] of xml.matchAll(ELEMENT)) {
    const element = name!.toLowerCase();
    const rel = REL.exec(attributes)?.[1] ?? 'alternate';
    const named = element === 'link' && rel === 'alternate' ? HREF.exec(attributes)?.[1] : undefined;
    const address = decodeXML((named ?? quoted ?? text ?? '').trim());
    if (element === 'sitemapindex' || (address !== '' && rel === 'alternate')) yield { element, address };
  }
}

/** What a sitemap may hold (sitemaps.org: 50 MB unpacked), and what is loaded of a feed: its newest entries are no more. */
const MAX_SITEMAP_BYTES = 50 * 2 ** 20;
const MAX_FEED_BYTES = 10 * 2 ** 20;
/** Of indexes in indexes, the first sitemap counted in. */
const MAX_DEPTH = 3;
/** Of one site: more are not even noted. */
const MOST_FILES = 100;
/** So many that can't be read are enough to leave the others alone. */
const MOST_FAILED = 3;
/** Of one crawl. */
export const MOST_FEEDS = 10;

interface SeedOptions {
  /** Told of every address, in order. False: no more are wanted. */
  onAddress(address: string): boolean;
  /** Told of what a sitemap names on other origins. */
  onForeign(address: string): void;
  signal?: AbortSignal | undefined;
}

interface SeedsRead {
  isWhole: boolean;
  /** What a person should know. */
  notices: string[];
}

interface Sitemap {
  address: string;
  depth: number;
  /** It was named, and not only looked for. */
  isNamed: boolean;
}

/** Reads the sitemaps of a site and those that they name, wherever they lie (sitemaps.org, «Cross Submits»). A missing one at the usual place is no failure. */
export async function readSitemaps(
  { scope: { origin }, robots, start, load }: OpenSite,
  { onAddress, onForeign, signal }: SeedOptions,
): Promise<SeedsRead> {
  const sitemaps = waitingIn(origin);
  const { add, notices } = sitemaps;
  for (const address of robots.sitemaps) if (!add(address, origin, { depth: 1, isNamed: true })) break;
  for (const address of ['/sitemap.xml', new URL('sitemap.xml', start).pathname]) add(address, origin, { depth: 1, isNamed: false });
  const yieldIfBusy = yieldToEventLoop(signal);
  let failed = 0;
  const found = { own: 0, foreign: 0 };
  for (let next = sitemaps.next(); next; next = sitemaps.next()) {
    if (next.depth > MAX_DEPTH || failed === MOST_FAILED) return { isWhole: false, notices };
    const xml = await sitemapAt(next, load);
    if ('reason' in xml) {
      failed++;
      notices.push(`The sitemap ${urlSource(next.address)} was left out: ${xml.reason}`);
      continue;
    }
    let isIndex = false;
    for (const { element, address } of xmlLinks(xml.text)) {
      await yieldIfBusy();
      if (element === 'sitemapindex') isIndex = true;
      else if (element !== 'loc') continue;
      else if (isIndex && !add(address, next.address, { depth: next.depth + 1, isNamed: true })) break;
      else if (isIndex || !/^https?:/i.test(address) || !URL.canParse(address)) continue;
      else if (new URL(address).origin !== origin) {
        found.foreign++;
        onForeign(address);
      } else {
        found.own++;
        if (!onAddress(address)) return { isWhole: false, notices };
      }
    }
  }
  const isElsewhere = found.foreign > 0 && found.own === 0; // they may speak of this site under another name
  return { isWhole: !isElsewhere && failed === 0 && !sitemaps.isFull(), notices };
}

/** The sitemaps of a site that are to be read, each once, up to a bound. */
function waitingIn(origin: string) {
  const met = new Set<string>();
  const waiting: Sitemap[] = [];
  const notices: string[] = [];
  const full = `${origin} names more than ${MOST_FILES} sitemaps: the others were left out.`;
  return {
    notices,
    /** Those of the site itself come first: others may name theirs in a robots.txt that several sites share. */
    next(): Sitemap | undefined {
      const own = waiting.findIndex(({ address }) => new URL(address).origin === origin);
      return waiting.splice(Math.max(own, 0), 1)[0];
    },
    isFull: () => notices.includes(full),
    /** False where no more are wanted. */
    add(address: string, base: string, place: Omit<Sitemap, 'address'>): boolean {
      const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
      if (!url || !/^https?:$/.test(url.protocol) || met.has(url.href)) return true;
      if (met.size === MOST_FILES) {
        if (!notices.includes(full)) notices.push(full);
        return false;
      }
      met.add(url.href);
      waiting.push({ address: url.href, ...place });
      return true;
    },
  };
}

const SITEMAP = /<(?:\w+:)?(urlset|sitemapindex)[\s>/]/i;

/** The text of a sitemap, or why it can't be used: a site that says with a web page that it is being mended has one all the same. */
async function sitemapAt({ address, isNamed }: Sitemap, load: LoadAddress): Promise<{ text: string } | { reason: string }> {
  try {
    const text = await loadText(address, { load, max_bytes: MAX_SITEMAP_BYTES });
    return SITEMAP.test(text) ? { text } : { reason: 'it is no sitemap but something else.' };
  } catch (error) {
    if (isAbort(error)) throw error;
    return isPageGone(error) && !isNamed ? { text: '' } : { reason: describe(error) };
  }
}

/** Reads the addresses that entries of feeds name. */
export async function readFeeds(
  feeds: readonly string[],
  { robots, load }: OpenSite,
  { onAddress, signal }: SeedOptions,
): Promise<SeedsRead> {
  const yieldIfBusy = yieldToEventLoop(signal);
  const notices: string[] = [];
  for (const feed of feeds.filter((address) => robots.allows(address))) {
    try {
      for (const { element, address } of xmlLinks(await loadText(feed, { load, max_bytes: MAX_FEED_BYTES }))) {
        await yieldIfBusy();
        if (element === 'link' && URL.canParse(address, feed) && !onAddress(new URL(address, feed).href)) break;
      }
    } catch (error) {
      if (isAbort(error)) throw error;
      if (!isPageGone(error)) notices.push(`The feed ${urlSource(feed)} was left out: ${describe(error)}`);
    }
  }
  return { isWhole: notices.length === 0, notices };
}
