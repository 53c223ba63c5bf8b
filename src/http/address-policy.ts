import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Network } from '../schema/config-sources.ts';

/** Rules for requests to private addresses. */
export interface AddressPolicy {
  allow_private: Network['allow_private'];
  /** The caller: the operator at the command line, or anybody over HTTP. */
  surface: 'cli' | 'server';
  /** Origins that the user named; under `auto` at a command line they may be private. */
  named: readonly string[];
}

/** An address that a name resolved to. */
export interface Resolved {
  address: string;
  family: number;
}

/** Finds the addresses of a name; throws what `dns.lookup` throws. */
export type Lookup = (hostname: string) => Promise<Resolved[]>;

/** The addresses that a connection may use, or the reason why it is refused. */
export type Admission = { addresses: Resolved[] } | { refused: string };

/** A connection that the address guard refused; the message is the reason. */
export class Refused extends Error {}

/** Metadata services of clouds, which return secrets; that of Azure has a public address (learn.microsoft.com, "What is IP address 168.63.129.16"). */
const METADATA = new Set(['168.63.129.16', '169.254.169.254']);

/** Names the kind of an address that is not public; undefined for a public one. */
export function privateKind(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'unreadable';
  const parsed = ipaddr.parse(address);
  return parsed.kind() === 'ipv4' ? privateKind4(parsed as ipaddr.IPv4) : privateKind6(parsed as ipaddr.IPv6);
}

function privateKind4(address: ipaddr.IPv4): string | undefined {
  if (METADATA.has(address.toString())) return 'metadata';
  const range = address.range();
  return range === 'unicast' ? undefined : worded(range);
}

/** Only 2000::/3 is in use for the public internet (RFC 4291, 2.4); an IPv4 address inside (mapped, NAT64) is judged as that. */
function privateKind6(address: ipaddr.IPv6): string | undefined {
  if (address.isIPv4MappedAddress()) return privateKind4(address.toIPv4Address());
  const bytes = address.toByteArray();
  if (address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return privateKind4(new ipaddr.IPv4(bytes.slice(12)));
  const range = address.range();
  if (range !== 'unicast') return worded(range);
  return bytes[0]! >> 5 === 1 ? undefined : 'reserved';
}

const worded = (range: string): string => range.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** Whether the policy lets this origin be at a private address. */
export function mayBePrivate(origin: string, { allow_private, surface, named }: AddressPolicy): boolean {
  if (typeof allow_private === 'boolean') return allow_private;
  if (allow_private === 'auto') return surface === 'cli' && named.includes(origin);
  return allow_private.some((entry) => originOf(entry) === origin);
}

const asResolved = (address: string): Resolved => ({ address, family: address.includes(':') ? 6 : 4 });

/**
 * Decides where a connection to `url` may go (contract, "Safe by default"): only to the addresses returned. One private address among
 * several refuses them all. It has no side effect but `lookup`, whose errors it passes on.
 */
export async function admit(url: URL, policy: AddressPolicy, lookup: Lookup): Promise<Admission> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { refused: `«${url.protocol}» is neither http: nor https:` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const free = mayBePrivate(url.origin, policy);
  if (!free && /(^|\.)localhost\.?$/.test(host)) return { refused: `${host} is this machine (loopback)` };
  const addresses = isIP(host) ? [asResolved(host)] : await lookup(host);
  const kind = free ? undefined : addresses.map(({ address }) => privateKind(address)).find(Boolean);
  return kind ? { refused: `${host} is not an address of the public internet (${kind})` } : { addresses };
}
