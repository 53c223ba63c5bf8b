import type { Network } from '../schema/config-sources.ts';
import type { AddressPolicy } from './address-policy.ts';
import { KbError } from '../core/errors.ts';
import { findUnsetReference } from '../core/settings.ts';

/**
 * Makes the headers of `network.sites` for the origin of an address, with lower-case names; empty for every other origin. They are secrets:
 * never show, log or store them. Throws a KbError (`setup`) for a variable that is not set, or an invalid header.
 */
export function siteHeaders(url: URL, sites: Network['sites']): Record<string, string> {
  const given: Record<string, string> = {};
  for (const { origin, headers = {}, cookies = {}, basic_auth } of sites) {
    if (new URL(origin).origin !== url.origin) continue;
    const unset = findUnsetReference({ headers, cookies, basic_auth }, `network.sites, ${origin}`);
    if (unset) throw unset;
    if (basic_auth !== undefined) given.authorization = `Basic ${Buffer.from(basic_auth).toString('base64')}`;
    const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) given.cookie = [given.cookie ?? [], pairs].flat().join('; ');
    for (const [name, value] of Object.entries(headers)) given[name.toLowerCase()] = value;
  }
  const faulty = findInvalidHeader(given);
  if (faulty === undefined) return given;
  throw new KbError('setup', `network.sites, ${url.origin}: the header "${faulty}" has a name or a value that no header can have.`, {
    hint: 'Look for a line break, often at the end of a variable, and for letters beyond Latin-1.',
  });
}

/** Finds the first header that cannot be sent (RFC 9110, 5.5): a line break in a value would begin another header. */
export function findInvalidHeader(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers);
  if (names.length === 0) return undefined;
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http'); // an import would load fetch and WebSocket too: 40 ms at each start
  return names.find((name) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, headers[name]!);
      return false;
    } catch {
      return true;
    }
  });
}

/** Headers that a network caller may combine with credentials of the operator: they choose a representation and change nothing. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'if-modified-since',
  'if-none-match',
  'range',
  'user-agent',
]);

/** Whether a header of this name only chooses a representation and holds no credential. */
export const isHarmlessHeader = (name: string): boolean => HARMLESS_HEADERS.has(name.toLowerCase());

/** Parts of a request that decide whether it may carry the credentials of the operator. */
interface CredentialedRequest {
  method: string;
  /** Headers of the caller, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  hasBody?: boolean;
}

/**
 * Whether a request may carry the credentials of `network.sites`. They are for reading: a network caller must not use them to change
 * anything, by method, body or header.
 */
export function mayCarryCredentials(surface: AddressPolicy['surface'], { method, headers, hasBody = false }: CredentialedRequest): boolean {
  return surface === 'cli' || (/^(GET|HEAD)$/i.test(method) && !hasBody && Object.keys(headers).every(isHarmlessHeader));
}
