import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Network } from '../schema/config-sources.ts';

/** Rules for requests to private addresses. */
export interface AddressPolicy {
  allow_private: Network['allow_private'];
  /** Where the request comes from: the operator at the command line, or anybody over HTTP. */
  surface: 'cli' | 'server';
  /** Origins that the user named. With `allow_private: auto`, the command line may fetch these at private addresses. */
  named: readonly string[];
}

/** An address of a host name. */
export interface Resolved {
  address: string;
  family: number;
}

/** Resolves a host name to its addresses. Throws what `dns.lookup` throws. */
export type Lookup = (hostname: string) => Promise<Resolved[]>;

/** The addresses that a connection may use, or the reason why it is refused. */
export type Admission = { addresses: Resolved[] } | { refused: string };

/** A connection that the address guard refused; the message is the reason. */
export class AddressRefusedError extends Error {}

/** Metadata services of clouds, which return secrets; that of Azure has a public address (learn.microsoft.com, "What is IP address 168.63.129.16"). */
const METADATA_ADDRESSES = new Set(['168.63.129.16', '169.254.169.254']);

/** Names the kind of an address that is not public; undefined for a public one. */
export function privateKind(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'unreadable';
  const parsed = ipaddr.parse(address);
  return parsed.kind() === 'ipv4' ? privateKind4(parsed as ipaddr.IPv4) : privateKind6(parsed as ipaddr.IPv6);
}

function privateKind4(address: ipaddr.IPv4): string | undefined {
  if (METADATA_ADDRESSES.has(address.toString())) return 'metadata';
  const range = address.range();
  return range === 'unicast' ? undefined : toKebabCase(range);
}

/** Only 2000::/3 is public (RFC 4291, 2.4). An embedded IPv4 address (mapped, NAT64) is classified as IPv4. */
function privateKind6(address: ipaddr.IPv6): string | undefined {
  if (address.isIPv4MappedAddress()) return privateKind4(address.toIPv4Address());
  const bytes = address.toByteArray();
  if (address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return privateKind4(new ipaddr.IPv4(bytes.slice(12)));
  const range = address.range();
  if (range !== 'unicast') return toKebabCase(range);
  return bytes[0]! >> 5 === 1 ? undefined : 'reserved';
}

const toKebabCase = (range: string): string => range.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

/** Whether the policy allows this origin to have a private address. */
export function mayBePrivate(origin: string, { allow_private, surface, named }: AddressPolicy): boolean {
  if (typeof allow_private === 'boolean') return allow_private;
  if (allow_private === 'auto') return surface === 'cli' && named.includes(origin);
  return allow_private.some((entry) => originOf(entry) === origin);
}

const toResolved = (address: string): Resolved => ({ address, family: address.includes(':') ? 6 : 4 });

/**
 * Checks a URL, and returns the addresses to which a connection may be opened (contract, "Safe by default"). One private address among several
 * refuses them all. Its only side effect is `lookup`, whose errors it throws.
 */
export async function admit(url: URL, policy: AddressPolicy, lookup: Lookup): Promise<Admission> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { refused: `"${url.protocol}" is neither http: nor https:` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isExempt = mayBePrivate(url.origin, policy);
  if (!isExempt && /(^|\.)localhost\.?$/.test(host)) return { refused: `${host} is this machine (loopback)` };
  const addresses = isIP(host) ? [toResolved(host)] : await lookup(host);
  const kind = isExempt ? undefined : addresses.map(({ address }) => privateKind(address)).find(Boolean);
  return kind ? { refused: `${host} is not an address of the public internet (${kind})` } : { addresses };
}
