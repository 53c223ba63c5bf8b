import type { Http } from '../../../http/message.ts';
import { identified, redactUrl } from '../../../core/secrets.ts';
import type { DocumentReader } from '../../../ports/reading.ts';
import type { ApiInput, DocsInput, UrlsInput } from '../../../schema/source-entries.ts';

/** What fetching works with. */
export interface NetworkParts {
  http: Http;
  reader: DocumentReader;
  signal?: AbortSignal | undefined;
}

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
