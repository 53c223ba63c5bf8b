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
const MOST_FILES = 100;
/** So many that can't be read are enough to leave the others alone. */
const MOST_FAILED = 3;

export interface SitemapOptions {
  load: Load;
  /** Told of every address, in order. False: no more are wanted. */
  onAddress(address: string): boolean;
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

/** Reads sitemaps, and those that they name, of one origin. One that is looked for at its usual place and is not there is no failure. */
export async function readSitemaps(
  { origin, named, usual }: { origin: string; named: readonly string[]; usual: readonly string[] },
  { load, onAddress, signal }: SitemapOptions,
): Promise<SitemapsRead> {
  const read: SitemapsRead = { isWhole: true, notices: [] };
  const met = new Set<string>();
  const waiting: Sitemap[] = [];
  const add = (address: string, base: string, place: Omit<Sitemap, 'address'>) => {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    if (!url || url.origin !== origin || met.has(url.href)) return;
    met.add(url.href);
    waiting.push({ address: url.href, ...place });
  };
  for (const address of named) add(address, origin, { depth: 1, isNamed: true });
  for (const address of usual) add(address, origin, { depth: 1, isNamed: false });
  const breathe = breathing(signal);
  let failed = 0;
  let loaded = 0;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    if (next.depth > MAX_DEPTH || loaded === MOST_FILES || failed === MOST_FAILED) return { ...read, isWhole: false };
    loaded++;
    const xml = await loadText(next.address, { load, max_bytes: MAX_BYTES }).catch((error: unknown) => {
      if (isAbort(error)) throw error;
      if (isGone(error) && !next?.isNamed) return '';
      failed++;
      read.isWhole = false;
      read.notices.push(`The sitemap ${sourceOf(next!.address)} was left out: ${describe(error)}`);
      return '';
    });
    let isIndex = false;
    for (const { element, address } of xmlLinks(xml)) {
      await breathe();
      if (element === 'sitemapindex') isIndex = true;
      else if (element !== 'loc') continue;
      else if (isIndex) add(address, next.address, { depth: next.depth + 1, isNamed: true });
      else if (!onAddress(address)) return { ...read, isWhole: false };
    }
  }
  return read;
}
