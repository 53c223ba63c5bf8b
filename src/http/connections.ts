import { operatorAdvice } from '../core/advice/advice.ts';
import { KbError } from '../core/errors.ts';
import { decodeUrlPart } from './message.ts';
import { redactUrl } from '../core/secrets.ts';
import { lookup as resolve } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { type AddressPolicy, admit, type Lookup, AddressRefusedError, type Resolved } from './address-policy.ts';

interface ProxyVariable {
  variable: string;
  value: string;
}

/** Proxies of the environment, and the hosts that are connected directly. */
export interface Proxies {
  http: ProxyVariable | undefined;
  https: ProxyVariable | undefined;
  none: readonly string[];
}

/** Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. Requests to this machine never use a proxy. */
export function readProxies(environment: NodeJS.ProcessEnv): Proxies {
  const named = (name: string): ProxyVariable | undefined => {
    const variable = environment[name.toLowerCase()] === undefined ? name : name.toLowerCase();
    const value = environment[variable]?.trim();
    return value ? { variable, value } : undefined;
  };
  const excluded =
    named('NO_PROXY')
      ?.value.toLowerCase()
      .split(/[,\s]+/) ?? [];
  return {
    http: named('HTTP_PROXY'),
    https: named('HTTPS_PROXY'),
    none: [...excluded, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean),
  };
}

/**
 * Chooses the proxy for `url`; undefined for none. `NO_PROXY` is read as by curl and undici: `*`, hosts with their subdomains, `*.` for
 * subdomains only, each with or without a port. Throws a KbError (`setup`) that names a variable without a proxy address.
 */
export function proxyFor(url: URL, { http, https, none }: Proxies): URL | undefined {
  const named = url.protocol === 'https:' ? (https ?? http) : http;
  return named === undefined || none.some((entry) => matchesEntry(entry, url)) ? undefined : parseProxyAddress(named);
}

/** Parses the address of a proxy; as in curl, its default scheme is `http://`. */
function parseProxyAddress({ variable, value }: ProxyVariable): URL {
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new KbError('setup', `The environment variable ${variable} is "${redactUrl(address)}", which is not an HTTP proxy.`, {
      hint: operatorAdvice`Set it to an address such as http://proxy.example:3128, name in NO_PROXY the hosts that need no proxy, or unset it.`,
    });
  url.username = encodeURIComponent(decodeUrlPart(url.username));
  url.password = encodeURIComponent(decodeUrlPart(url.password));
  return url;
}

/** Whether an entry of `NO_PROXY` matches the host of `url`. */
function matchesEntry(entry: string, url: URL): boolean {
  const [, bracketed, plain = entry, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  if (port && Number(port) !== Number(url.port || (url.protocol === 'https:' ? 443 : 80))) return false;
  const name = bracketed ?? plain;
  if (name === '*') return true;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return (host === suffix && !name.startsWith('*')) || host.endsWith(`.${suffix}`);
}

/** Resolves a host name to all its addresses, as this machine does. */
export const systemLookup: Lookup = (hostname) => resolve(hostname, { all: true });

interface ConnectOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  /** Timeout of connecting, in seconds. */
  timeout: number;
  /** Holds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. */
  environment: NodeJS.ProcessEnv;
}

/** Connections to checked addresses, even if a name resolves differently later, or through the proxy of the environment. */
export interface PinnedConnections {
  /**
   * Chooses the dispatcher for an address. Throws an AddressRefusedError if a proxy would be asked for a forbidden address, a KbError (`setup`)
   * for an unusable proxy.
   */
  for(url: URL): Promise<Dispatcher>;
  close(): Promise<void>;
}

/** Makes a lookup function for sockets that returns the checked addresses, even if the name resolves differently now. */
export const pinLookup =
  (addresses: readonly Resolved[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first!.address, first!.family);
  };

/** Opens connections to checked addresses only. The proxy of the environment is the operator's and is not checked. */
export async function openConnections({ policy, lookup, timeout, environment }: ConnectOptions): Promise<PinnedConnections> {
  const undici = await import('undici');
  const connect: buildConnector.connector = (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    admit(url, policy, lookup).then(
      (admission) => {
        if ('refused' in admission) return callback(new AddressRefusedError(admission.refused), null);
        undici.buildConnector({ timeout: timeout * 1000, lookup: pinLookup(admission.addresses) })(options, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
  const dispatchers = await openDispatchers(environment, { connect, connectTimeout: timeout * 1000 });
  return {
    async for(url) {
      const { dispatcher, isProxied } = dispatchers.for(url);
      if (isProxied) await checkForProxy(url, policy, lookup);
      return dispatcher;
    },
    close: dispatchers.close,
  };
}

/** Checks an address that a proxy will resolve, if this machine can resolve it as well. */
async function checkForProxy(url: URL, policy: AddressPolicy, lookup: Lookup): Promise<void> {
  const admission = await admit(url, policy, (hostname) => lookup(hostname).catch(() => []));
  if ('refused' in admission) throw new AddressRefusedError(admission.refused);
}

/** Dispatchers for requests: direct, or through the proxy that the environment names for an address. */
interface Dispatchers {
  /** Throws a KbError (`setup`) for an invalid proxy in the environment. */
  for(url: URL): { dispatcher: Dispatcher; isProxied: boolean };
  close(): Promise<void>;
}

/**
 * Opens dispatchers, which connect on the first request. `connect` makes direct connections; a proxy belongs to the operator and is not
 * checked.
 */
export async function openDispatchers(environment: NodeJS.ProcessEnv, { connect, ...options }: Agent.Options): Promise<Dispatchers> {
  const undici = await import('undici');
  const proxies = readProxies(environment);
  const direct = new undici.Agent({ ...options, ...(connect ? { connect } : {}) });
  const opened = new Map<string, Dispatcher>();
  const dispatcherThrough = ({ href }: URL): Dispatcher => {
    const dispatcher = opened.get(href) ?? new undici.ProxyAgent({ ...options, uri: href });
    opened.set(href, dispatcher);
    return dispatcher;
  };
  return {
    for(url) {
      const proxy = proxyFor(url, proxies);
      return proxy ? { dispatcher: dispatcherThrough(proxy), isProxied: true } : { dispatcher: direct, isProxied: false };
    },
    close: async () => void (await Promise.all([direct, ...opened.values()].map((dispatcher) => dispatcher.destroy()))),
  };
}
