import type { Network } from '../schema/config.ts';
import { unsetReference } from './references.ts';

/**
 * What `network.sites` gives to the origin of an address, as headers with names in lower case; empty for every other origin. It holds secrets: nothing of
 * it is shown, logged or stored. Throws a KbError (`setup`) where it refers to a variable that is not set.
 */
export function givenTo(url: URL, sites: Network['sites']): Record<string, string> {
  const given: Record<string, string> = {};
  for (const { origin, headers = {}, cookies = {}, basic_auth } of sites) {
    if (new URL(origin).origin !== url.origin) continue;
    const unset = unsetReference({ headers, cookies, basic_auth }, `network.sites, ${origin}`);
    if (unset) throw unset;
    if (basic_auth !== undefined) given.authorization = `Basic ${Buffer.from(basic_auth).toString('base64')}`;
    const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) given.cookie = [given.cookie ?? [], pairs].flat().join('; ');
    for (const [name, value] of Object.entries(headers)) given[name.toLowerCase()] = value;
  }
  return given;
}
