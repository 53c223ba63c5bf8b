import { fileURLToPath } from 'node:url';
import { KbError } from '../../../core/errors.ts';

/** Where a store is, how it is reached where that is no folder, and what of it is kept in memory. */
export interface StorePlace {
  url: string;
  /** LanceDB's storage options: `region`, `endpoint` … */
  storageOptions: Record<string, string>;
  /** Bytes of indexes and of metadata kept in memory; LanceDB's own default is 6 GB and 1 GB. */
  cache: { index: number; metadata: number };
  /** After how many seconds a read looks for what others have written; 0: each read does. */
  readInterval: number;
}

/** The folder of a store on this machine; undefined for one that is reached by an address (s3://, gs://, az://, memory://). */
export function folderOf(url: string): string | undefined {
  if (/^file:\/\//i.test(url)) return fileURLToPath(url);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? undefined : url;
}

/** The options that are kb's own: all others are LanceDB's. */
const OWN = {
  index_cache_mb: { default: 256, least: 1 },
  metadata_cache_mb: { default: 64, least: 1 },
  read_interval: { default: 0, least: 0 },
} as const;

/** To look costs a request and its time on object storage: half a second lets readers see what is new within one. */
const REMOTE_READ_INTERVAL = 0.5;

/** What `storage.options` says of the store at the address. Throws a KbError (`configuration`) for what LanceDB or kb can't take. */
export function readStorePlace(url: string, options: Record<string, unknown> = {}): StorePlace {
  const own = (name: keyof typeof OWN, otherwise: number = OWN[name].default): number => {
    const value = Number(options[name] ?? otherwise);
    if (Number.isFinite(value) && value >= OWN[name].least) return value;
    throw new KbError('configuration', `storage.options.${name} must be a number of at least ${OWN[name].least}.`);
  };
  const isRemote = folderOf(url) === undefined;
  return {
    url,
    storageOptions: isRemote ? storageOptionsOf(options) : {},
    cache: { index: own('index_cache_mb') * 2 ** 20, metadata: own('metadata_cache_mb') * 2 ** 20 },
    readInterval: own('read_interval', isRemote ? REMOTE_READ_INTERVAL : undefined),
  };
}

/** The address of another server than Amazon's, by options or environment. */
export const endpointOf = (given: Record<string, string>): string | undefined =>
  given['endpoint'] ?? given['aws_endpoint'] ?? process.env['AWS_ENDPOINT_URL'] ?? process.env['AWS_ENDPOINT'];

/** The options as LanceDB takes them: texts. An endpoint that is given as http:// is meant to be reached without TLS. */
function storageOptionsOf(options: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(options)
    .filter(([name]) => !Object.hasOwn(OWN, name))
    .map(([name, value]): [string, string] => {
      if (['string', 'number', 'boolean'].includes(typeof value)) return [name, String(value)];
      throw new KbError('configuration', `storage.options.${name} is no text, number, true or false.`, {
        hint: 'LanceDB knows region, endpoint, allow_http and the like.',
      });
    });
  const given = Object.fromEntries(pairs);
  return endpointOf(given)?.startsWith('http://') ? { allow_http: 'true', ...given } : given;
}
