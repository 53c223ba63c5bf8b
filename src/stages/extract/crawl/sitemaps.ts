import { describe, isAbort } from '../../../base/errors.ts';
import { breathing } from '../../../base/breath.ts';
import { isGone } from '../page-candidate.ts';
import { sourceOf } from '../network.ts';
import { loadText, type Load } from './load.ts';
import { xmlLinks } from './xml-links.ts';

/** What a sitemap may hold (sitemaps.org: 50 MB unpacked). */
const MAX_BYTES = 50 * 2 ** 20;
/** Of indexes in indexes, the first sitemap counted in. */
const MAX_DEPTH = 3;
/** Of one site: more are not even noted. */
const MOST_FILES = 100;
/** So many that can't be read are enough to leave the others alone. */
const MOST_FAILED = 3;

export interface SitemapOptions {
  load: Load;
  /** Told of every address, in order. False: no more are wanted. */
  onAddress(address: string): boolean;
  /** Told of addresses on other origins, which are none of this site. */
  onForeign(address: string): void;
  signal?: AbortSignal | undefined;
}

/** What came of the sitemaps of a site. */
export interface SitemapsRead {
  /** Nothing was left out. */
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

/**
 * Reads the sitemaps of one origin, and those that they name, wherever they lie: who writes robots.txt speaks for the site (sitemaps.org, «Sitemaps & Cross Submits»). One that is
 * looked for at its usual place and is not there is no failure.
 */
export async function readSitemaps(
  { origin, named, usual }: { origin: string; named: readonly string[]; usual: readonly string[] },
  { load, onAddress, onForeign, signal }: SitemapOptions,
): Promise<SitemapsRead> {
  const sitemaps = waitingIn(origin);
  const { add, notices } = sitemaps;
  for (const address of named) if (!add(address, origin, { depth: 1, isNamed: true })) break;
  for (const address of usual) add(address, origin, { depth: 1, isNamed: false });
  const breathe = breathing(signal);
  let failed = 0;
  const found = { own: 0, foreign: 0 };
  for (let next = sitemaps.next(); next; next = sitemaps.next()) {
    if (next.depth > MAX_DEPTH || failed === MOST_FAILED) return { isWhole: false, notices };
    const xml = await sitemapAt(next, load);
    if ('reason' in xml) {
      failed++;
      notices.push(`The sitemap ${sourceOf(next.address)} was left out: ${xml.reason}`);
      continue;
    }
    let isIndex = false;
    for (const { element, address } of xmlLinks(xml.text)) {
      await breathe();
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
async function sitemapAt({ address, isNamed }: Sitemap, load: Load): Promise<{ text: string } | { reason: string }> {
  try {
    const text = await loadText(address, { load, max_bytes: MAX_BYTES });
    return SITEMAP.test(text) ? { text } : { reason: 'it is no sitemap but something else.' };
  } catch (error) {
    if (isAbort(error)) throw error;
    return isGone(error) && !isNamed ? { text: '' } : { reason: describe(error) };
  }
}
