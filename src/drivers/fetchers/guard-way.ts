import { request as askPlainly, type Agent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { request as askSecurely } from 'node:https';
import { connect, type Socket } from 'node:net';
import { admit, type AddressPolicy, type Admission, type Lookup } from '../../base/address.ts';
import { pinned, Refused } from '../../base/connect.ts';
import { proxyFor, type Proxies } from '../../base/proxies.ts';

/** What decides where connections go. */
export interface WayOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  proxies: Proxies;
  /** Seconds for a connection to come about. */
  timeout: number;
}

/** Where the connections for an address lead: straight to the addresses that were checked, or to a proxy of the environment. */
type Way = { lookup: ReturnType<typeof pinned> } | { proxy: URL };

/** Throws Refused, or what the lookup throws. The proxy resolves the name itself: what can be resolved here is checked here all the same. */
async function wayTo(url: URL, { policy, lookup, proxies }: WayOptions): Promise<Way> {
  const proxy = proxyFor(url, proxies);
  const admission: Admission = await admit(url, policy, proxy ? (name) => lookup(name).catch(() => []) : lookup);
  if ('refused' in admission) throw new Refused(admission.refused);
  return proxy ? { proxy } : { lookup: pinned(admission.addresses) };
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** `Proxy-Authorization` for what an address says about who asks. */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}` };
}

const toProxy = (proxy: URL) => ({ host: hostOf(proxy), port: proxy.port || undefined });
const asking = (proxy: URL) => (proxy.protocol === 'https:' ? askSecurely : askPlainly);

/** Begins a plain HTTP request. Throws Refused, or what the lookup throws; everything later is an event of the request. */
export async function ask(
  url: URL,
  sent: { method: string | undefined; headers: IncomingHttpHeaders; agent: Agent },
  options: WayOptions,
): Promise<ClientRequest> {
  const way = await wayTo(url, options);
  const { method, headers, agent } = sent;
  if ('proxy' in way)
    return asking(way.proxy)({ ...toProxy(way.proxy), method, path: url.href, headers: { ...headers, ...credentialsOf(way.proxy) } });
  return askPlainly({
    host: hostOf(url),
    port: url.port || 80,
    method,
    path: url.pathname + url.search,
    headers,
    agent,
    lookup: way.lookup,
  });
}

/** Opens a connection to the host and port of `url`. Throws Refused where it may not be, else what kept it from coming about. */
export async function openTunnel(url: URL, options: WayOptions): Promise<Socket> {
  const way = await wayTo(url, options);
  const signal = AbortSignal.timeout(options.timeout * 1000);
  if ('proxy' in way) return throughProxy(url, way.proxy, signal);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostOf(url), port, lookup: way.lookup, autoSelectFamily: true });
    const late = () => socket.destroy(Object.assign(new Error('no connection came about'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', late);
    const settled = () => signal.removeEventListener('abort', late);
    socket.once('connect', () => (settled(), resolve(socket)));
    socket.once('error', (error) => (settled(), reject(error)));
  });
}

/** A tunnel of the proxy's (RFC 9110, 9.3.6). */
function throughProxy(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  return new Promise((resolve, reject) => {
    const request = asking(proxy)({
      ...toProxy(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...credentialsOf(proxy) },
      signal,
      agent: false,
    });
    request.once('error', reject);
    request.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        return reject(new Error(`the proxy ${proxy.host} answered with status ${statusCode}`));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    request.end();
  });
}
