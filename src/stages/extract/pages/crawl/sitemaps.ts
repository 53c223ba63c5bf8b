import { decodeXML } from 'entities/decode';
import { yieldToEventLoop } from '../../../../core/concurrency.ts';
import { describe, isAbort } from '../../../../core/errors.ts';
import { listNames } from '../../../../text/count.ts';
import { MAX_ADDRESS_LENGTH } from '../../../../schema/fields.ts';
import { isPageGone } from '../page.ts';
import { markdownLinks, urlSource } from '../web-addresses.ts';
import { type LoadAddress, loadText, type Robots } from './crawl-rules.ts';

/** Maximum bytes of a sitemap (sitemaps.org: 50 MB unpacked), and of an llms.txt. */
const MAX_SITEMAP_BYTES = 50 * 2 ** 20;
const MAX_LLMS_BYTES = 10 * 2 ** 20;
/** Maximum sitemaps of a site. */
const MAX_SITEMAPS = 100;
/** Maximum sitemaps that a notice names. */
const MAX_NAMED = 3;
/** Unreadable sitemaps after which the others are skipped. */
const MAX_FAILED = 3;

/** The site whose files are read. */
interface ListedSite {
  start: string;
  scope: { origin: string };
  robots: Pick<Robots, 'allows' | 'sitemaps'>;
  load: LoadAddress;
}

interface SeedOptions {
  /** Called with every address, in order. Returns false if no more are wanted. */
  onAddress(address: string): boolean;
  /** Called with addresses of a sitemap on other origins. */
  onForeign(address: string): void;
  signal?: AbortSignal | undefined;
}

interface Sitemap {
  address: string;
  /** Whether the site named it; otherwise its address was guessed. */
  isNamed: boolean;
}

/** An element of a sitemap with its text, under any prefix but those of extensions (`image:loc`). */
const ELEMENT =
  /<(?:(?!image:|video:|news:|xhtml:)[\w.-]{1,100}:)?(sitemapindex|loc)\b[^<>]{0,4000}>(?:\s*<!\[CDATA\[([^\]]{0,4000})|([^<]{0,4000}))?/gi;
const SITEMAP = /<(?:[\w.-]{1,100}:)?(urlset|sitemapindex)[\s>/]/i;

/** A line that is not blank. */
const LINE = /\S[^\r\n]*/g;

/** Yields the addresses of a sitemap, an XML or a text with one on each line; first `sitemapindex` for an index. It scans the text, which may be broken. */
export function* sitemapLinks(text: string): Generator<string, void, void> {
  if (!/^\s*</.test(text)) {
    for (const [line] of text.matchAll(LINE)) if (line.length <= MAX_ADDRESS_LENGTH) yield line.trimEnd();
    return;
  }
  for (const [, name, quoted, plain] of text.matchAll(ELEMENT)) {
    const address = decodeXML((quoted ?? plain ?? '').trim());
    if (name!.toLowerCase() === 'sitemapindex') yield 'sitemapindex';
    else if (address !== '') yield address;
  }
}

/**
 * Reads the sitemaps of a site and those that they name, on any origin (sitemaps.org, "Cross Submits"). A missing one at the usual address is no failure.
 * Returns notices.
 */
export async function readSitemaps(site: ListedSite, options: SeedOptions): Promise<string[]> {
  const { origin } = site.scope;
  const sitemaps = createSitemapQueue(site);
  const { notices } = sitemaps;
  let failed = 0;
  const empty: string[] = [];
  for (let next = sitemaps.next(); next; next = sitemaps.next()) {
    if (failed === MAX_FAILED) return notices;
    const sitemap = await loadSitemap(next, site.load);
    if ('reason' in sitemap) {
      failed++;
      notices.push(`The sitemap ${urlSource(next.address)} was left out: ${sitemap.reason}`);
      continue;
    }
    const named = await readSitemap(sitemap.text, { base: next.address, origin, add: sitemaps.add, ...options });
    if (named.isFull) return notices;
    if (sitemap.text !== '' && named.own + named.foreign + named.sitemaps === 0) empty.push(urlSource(next.address));
  }
  if (empty.length > 0)
    notices.push(
      `${listNames(empty, MAX_NAMED)}: no page that can be read is named by ${empty.length === 1 ? 'this sitemap' : 'these sitemaps'}.`,
    );
  return notices;
}

type SitemapQueue = ReturnType<typeof createSitemapQueue>;

/** Queues the sitemaps of a site, each once, up to a maximum: those that robots.txt names, and those at the usual addresses. */
function createSitemapQueue({ scope: { origin }, robots, start }: ListedSite) {
  const seen = new Set<string>();
  const waiting: Sitemap[] = [];
  const notices: string[] = [];
  const full = `${origin} names more than ${MAX_SITEMAPS} sitemaps: the others were left out.`;
  /** Returns false if no more are wanted. */
  const add = (address: string, base: string, isNamed = true): boolean => {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || seen.has(url.href)) return true;
    if (seen.size === MAX_SITEMAPS) {
      if (!notices.includes(full)) notices.push(full);
      return false;
    }
    seen.add(url.href);
    waiting.push({ address: url.href, isNamed });
    return true;
  };
  /** Takes the next sitemap; those on the site's own origin first, since several sites may share a robots.txt. */
  const next = (): Sitemap | undefined => {
    const ownIndex = waiting.findIndex(({ address }) => new URL(address).origin === origin);
    return waiting.splice(Math.max(ownIndex, 0), 1)[0];
  };
  for (const address of robots.sitemaps) if (!add(address, origin)) break;
  for (const address of ['/sitemap.xml', new URL('sitemap.xml', start).pathname]) add(address, origin, false);
  return { notices, add, next };
}

/** Reads one sitemap, and counts the addresses that it names. */
async function readSitemap(
  text: string,
  { base, origin, add, onAddress, onForeign, signal }: SeedOptions & { base: string; origin: string; add: SitemapQueue['add'] },
) {
  const yieldIfBusy = yieldToEventLoop(signal);
  const named = { own: 0, foreign: 0, sitemaps: 0, isFull: false };
  let isIndex = false;
  for (const address of sitemapLinks(text)) {
    await yieldIfBusy();
    if (address === 'sitemapindex') isIndex = true;
    else if (isIndex) {
      named.sitemaps++;
      if (!add(address, base)) break;
    } else if (/^(https?:\/\/|\/)/i.test(address) && URL.canParse(address, base)) {
      const url = new URL(address, base);
      const isOwn = url.origin === origin;
      named[isOwn ? 'own' : 'foreign']++;
      if (!isOwn) onForeign(url.href);
      else if (!onAddress(url.href)) return { ...named, isFull: true };
    }
  }
  return named;
}

/** Loads a sitemap, or returns why it cannot be used, such as a maintenance page in its place. */
async function loadSitemap({ address, isNamed }: Sitemap, load: LoadAddress): Promise<{ text: string } | { reason: string }> {
  try {
    const text = await loadText(address, { load, max_bytes: MAX_SITEMAP_BYTES });
    return SITEMAP.test(text) || isAddressList(text) ? { text } : { reason: 'it is no sitemap but something else.' };
  } catch (error) {
    if (isAbort(error)) throw error;
    return isPageGone(error) && !isNamed ? { text: '' } : { reason: describe(error) };
  }
}

/** Characters of a text by which a list of addresses is recognized. */
const MAX_INSPECTED = 10_000;

function isAddressList(text: string): boolean {
  const lines = text
    .slice(0, MAX_INSPECTED)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/i.test(line));
}

/** Lists the pages that the llms.txt of a site names (llmstxt.org); empty if it has none. */
export async function* readLlmsText(site: ListedSite): AsyncGenerator<string, void, void> {
  const { place, text } = await firstText('llms.txt', site);
  for (const target of markdownLinks(text)) if (URL.canParse(target, place)) yield new URL(target, place).href;
}

/** Finds the llms-full.txt of a site, which holds all its pages; undefined if it has none. */
export async function findWholeText(site: ListedSite): Promise<string | undefined> {
  const { place, text } = await firstText('llms-full.txt', site);
  return text === '' ? undefined : place;
}

/** Loads the text of this name beside the start page, else at the root. */
async function firstText(name: string, { start, scope: { origin }, robots, load }: ListedSite): Promise<{ place: string; text: string }> {
  for (const place of new Set([new URL(name, start).pathname, `/${name}`].map((path) => origin + path))) {
    if (!robots.allows(place)) continue;
    try {
      const text = await loadText(place, { load, max_bytes: MAX_LLMS_BYTES });
      if (text !== '' && !/^\s*</.test(text)) return { place, text }; // some sites send a page in its place
    } catch (error) {
      if (isAbort(error)) throw error;
    }
  }
  return { place: start, text: '' };
}
