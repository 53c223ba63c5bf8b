import { toOperator } from '../core/advice/advice.ts';
import { KbError } from '../core/errors.ts';
import { decodePart } from './message.ts';
import { redactUrl } from '../core/secrets.ts';
import { lookup as resolve } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { type AddressPolicy, admit, type Lookup, Refused, type Resolved } from './address-policy.ts';

interface Named {
  variable: string;
  value: string;
}

/** Proxies of the environment, and the hosts that need none. */
export interface Proxies {
  http: Named | undefined;
  https: Named | undefined;
  none: readonly string[];
}

/** Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. Requests to this machine never use a proxy. */
export function proxiesIn(environment: NodeJS.ProcessEnv): Proxies {
  const named = (name: string): Named | undefined => {
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
  return named === undefined || none.some((entry) => matchesEntry(entry, url)) ? undefined : addressIn(named);
}

/** Parses the address of a proxy; as in curl, its default scheme is `http://`. */
function addressIn({ variable, value }: Named): URL {
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new KbError('setup', `The environment variable ${variable} is «${redactUrl(address)}», which is not an HTTP proxy.`, {
      hint: toOperator`Set it to an address such as http://proxy.example:3128, name in NO_PROXY the hosts that need no proxy, or unset it.`,
    });
  url.username = encodeURIComponent(decodePart(url.username));
  url.password = encodeURIComponent(decodePart(url.password));
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

/** Resolves a name on this machine, to all its addresses. */
export const systemLookup: Lookup = (hostname) => resolve(hostname, { all: true });

interface ConnectOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  /** Timeout of connecting, in seconds. */
  timeout: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in capitals or not. */
  environment: NodeJS.ProcessEnv;
}

/** Connections to checked addresses, whatever their names resolve to later, or through the proxy of the environment. */
export interface PinnedConnections {
  /**
   * Chooses the dispatcher for an address. Throws Refused if a proxy would be asked for a forbidden address, a KbError (`setup`) for an
   * unusable proxy.
   */
  for(url: URL): Promise<Dispatcher>;
  close(): Promise<void>;
}

/** Makes a lookup function for sockets that returns the checked addresses, whatever the name resolves to now. */
export const pinned =
  (addresses: readonly Resolved[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first!.address, first!.family);
  };

/** Opens connections to checked addresses only; the proxy of the environment is the operator's, and not checked. */
export async function openConnections({ policy, lookup, timeout, environment }: ConnectOptions): Promise<PinnedConnections> {
  const undici = await import('undici');
  const connect: buildConnector.connector = (options, callback) => {
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    admit(url, policy, lookup).then(
      (admission) => {
        if ('refused' in admission) return callback(new Refused(admission.refused), null);
        undici.buildConnector({ timeout: timeout * 1000, lookup: pinned(admission.addresses) })(options, callback);
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

/** Checks an address that a proxy will resolve, if this machine can resolve it, too. */
async function checkForProxy(url: URL, policy: AddressPolicy, lookup: Lookup): Promise<void> {
  const admission = await admit(url, policy, (hostname) => lookup(hostname).catch(() => []));
  if ('refused' in admission) throw new Refused(admission.refused);
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
  const proxies = proxiesIn(environment);
  const direct = new undici.Agent({ ...options, ...(connect ? { connect } : {}) });
  const opened = new Map<string, Dispatcher>();
  const through = ({ href }: URL): Dispatcher => {
    const dispatcher = opened.get(href) ?? new undici.ProxyAgent({ ...options, uri: href });
    opened.set(href, dispatcher);
    return dispatcher;
  };
  return {
    for(url) {
      const proxy = proxyFor(url, proxies);
      return proxy ? { dispatcher: through(proxy), isProxied: true } : { dispatcher: direct, isProxied: false };
    },
    close: async () => void (await Promise.all([direct, ...opened.values()].map((dispatcher) => dispatcher.destroy()))),
  };
}
