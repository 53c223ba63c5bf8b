import { identified, redactUrl } from '../../../core/secrets.ts';
import type { FileTypes } from '../../../ports/reading.ts';
import type { ApiInput, DocsInput, UrlsInput } from '../../../schema/source-entries.ts';
import { extname } from 'node:path';

/** Whether a `docs` entry is an address and not a path. */
export const isUrl = (entry: string): boolean => /^https?:\/\//i.test(entry);

/** An address as a source: without credentials and without the fragment, which names a place on the page. */
export function urlSource(address: string): string {
  if (!URL.canParse(address)) return redactUrl(address);
  const url = new URL(address);
  url.hash = '';
  return identified(url);
}

/** Sources that may be asked of the network. */
export interface NetworkSources {
  docs?: DocsInput | undefined;
  urls?: UrlsInput | undefined;
  api?: ApiInput | undefined;
}

/** The addresses that a user named. */
export function addressesIn({ docs, urls, api }: NetworkSources): string[] {
  const documents = [docs ?? []].flat().map((entry) => (typeof entry === 'string' ? entry : 'path' in entry ? entry.path : entry.folder));
  const others = [urls ?? [], api ?? []].flat(2).map((entry) => (typeof entry === 'string' ? entry : entry.url));
  return [...documents, ...others].filter((address) => isUrl(address) && URL.canParse(address));
}

/** Lists the origins that a user named, which `createHttp` allows to be private where the contract says so. */
export const namedOrigins = (sources: NetworkSources): string[] => [
  ...new Set(addressesIn(sources).map((address) => new URL(address).origin)),
];

/** What analytics and advertisements add to an address; the page is the same without it. */
const TRACKING =
  /^(utm_\w+|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_cid|mc_eid|mkt_tok|_ga|_gl|_hsenc|_hsmi|__hs\w+|vero_id|oly_\w+_id|wickedid|s_cid|ref_src)$/i;
/** Servers and browsers take about as much (characters); longer ones are grown by a mistake. */
const LONGEST = 2000;
/** A part of a path that comes back more often is a link that leads deeper with every click. */
const MOST_REPEATED = 3;
/** Parts of a path: deeper ones are no person's. */
const DEEPEST = 50;

/** An address as a crawl asks for it: without fragment, user name, password and tracking; undefined for what is no http(s) address. */
export function normalized(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  url.hash = url.username = url.password = '';
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of tracking) url.searchParams.delete(name);
  if (url.search === '') url.search = ''; // a lone question mark
  return url.href;
}

/**
 * Makes the key of a normalized address, which is the same for all its spellings: trailing slash, order of parameters and session id do not
 * matter.
 */
export function keyOf(address: string): string {
  const url = new URL(identified(address));
  url.searchParams.sort();
  url.pathname = url.pathname.replace(/(?<=[^/]|^\/)\/+$/, '');
  return url.href;
}

/** Whether an address is of the kind that a site makes without end. */
export function isTrap(address: string): boolean {
  if (address.length > LONGEST) return true;
  const counts = new Map<string, number>();
  const parts = new URL(address).pathname.split('/');
  if (parts.length > DEEPEST) return true;
  for (const part of parts) {
    if (part === '') continue;
    const count = (counts.get(part) ?? 0) + 1;
    if (count > MOST_REPEATED) return true;
    counts.set(part, count);
  }
  return false;
}

/** Files without text, whose extensions no page has in its name: known before they are asked for. */
const OTHER_KINDS = new Set(
  (
    'png jpg jpeg jfif gif svg webp ico bmp avif heic tif tiff psd eps ' + // pictures
    'zip gz tgz bz2 tbz xz zst 7z rar tar jar apk ipa dmg iso msi deb rpm whl ' + // archives and programs
    'mp3 mp4 m4a m4v ogg oga ogv wav flac aac avi mov mkv webm wmv swf ' + // sounds and films
    'woff woff2 ttf otf eot'
  ) // fonts
    .split(' '),
);

/** Files beside the pages of a site; but a page may be named so, too (`/wiki/Node.js`, `/api/Array.map`). */
const FILES_BESIDE = new Set(
  (
    'css scss less js mjs ts map wasm json jsonld xml rss atom xsd xsl webmanifest ics vcf ' +
    'exe img bin pkg cab war ear gem crate ai torrent asc sig sha256 md5'
  ).split(' '),
);

type FileType = Pick<FileTypes, 'fileType'>;

/** Whether an address ends in an extension of a list that no parser reads. */
const isAmong = (extensions: ReadonlySet<string>, address: string, { fileType }: FileType): boolean => {
  const { pathname } = new URL(address);
  return extensions.has(extname(pathname).slice(1).toLowerCase()) && fileType(pathname, ['documents']) === undefined;
};

/** Whether the address names a kind that a crawl passes over without asking for it. */
export const isOtherKind = (address: string, types: FileType): boolean => isAmong(OTHER_KINDS, address, types);

/** Whether the address names a kind that is a page only where its media type says that it is one. */
export const isFileBeside = (address: string, types: FileType): boolean => isAmong(FILES_BESIDE, address, types);

/** An address, and those that led to it by redirects, one to the next. */
export interface FoundAddress {
  url: string;
  trail: readonly string[];
}

/** Resolves the next redirect of a trail; undefined for a loop, too many redirects, or an address that is not fetched. */
export function nextHop(address: string, trail: readonly string[], max_redirects: number): string | undefined {
  const url = normalized(address);
  if (url === undefined || trail.length > max_redirects) return undefined;
  const isSame = keyOf(url) === keyOf(trail.at(-1)!);
  const next = isSame && trail.includes(url) ? bare(address) : url;
  const isCircle = isSame ? trail.includes(next) : trail.some((before) => keyOf(before) === keyOf(url));
  return isCircle ? undefined : next;
}

/** An address as it was given, tracking included: some sites ask for it. */
function bare(address: string): string {
  const url = new URL(address);
  url.hash = url.username = url.password = '';
  return url.href;
}
