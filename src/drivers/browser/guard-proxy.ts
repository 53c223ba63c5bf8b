import { PROXY_RESPONSE, type TabCredentials } from './traffic.ts';
import {
  Agent,
  request as requestHttp,
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type AddressPolicy, type Admission, admit, type Lookup, AddressRefusedError } from '../../http/address-policy.ts';
import { pinLookup, type Proxies, proxyFor } from '../../http/connections.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Rules for the connections of the proxy. */
export interface TunnelOptions {
  policy: AddressPolicy;
  lookup: Lookup;
  proxies: Proxies;
  /** Seconds to establish a connection. */
  timeout: number;
}

/** How to connect to a URL: directly to the checked addresses, or through a proxy of the environment. */
type Route = { lookup: ReturnType<typeof pinLookup> } | { proxy: URL };

/** Throws Refused, or what the lookup throws. The proxy resolves the name itself: what can be resolved here is checked here all the same. */
async function findRoute(url: URL, { policy, lookup, proxies }: TunnelOptions): Promise<Route> {
  const proxy = proxyFor(url, proxies);
  const admission: Admission = await admit(url, policy, proxy ? (name) => lookup(name).catch(() => []) : lookup);
  if ('refused' in admission) throw new AddressRefusedError(admission.refused);
  return proxy ? { proxy } : { lookup: pinLookup(admission.addresses) };
}

const stripBrackets = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Makes `Proxy-Authorization` from the user name and password of an address. */
function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')}` };
}

const proxyAddress = (proxy: URL) => ({ host: stripBrackets(proxy), port: proxy.port || undefined });
const requestFunction = (proxy: URL) => (proxy.protocol === 'https:' ? requestHttps : requestHttp);

/** Begins a plain HTTP request. Throws Refused, or what the lookup throws; everything later is an event of the request. */
async function openRequest(
  url: URL,
  sent: { method: string | undefined; headers: IncomingHttpHeaders; agent: Agent },
  options: TunnelOptions,
): Promise<ClientRequest> {
  const route = await findRoute(url, options);
  const { method, headers, agent } = sent;
  if ('proxy' in route)
    return requestFunction(route.proxy)({
      ...proxyAddress(route.proxy),
      method,
      path: url.href,
      headers: { ...headers, ...proxyAuthorization(route.proxy) },
    });
  return requestHttp({
    host: stripBrackets(url),
    port: url.port || 80,
    method,
    path: url.pathname + url.search,
    headers,
    agent,
    lookup: route.lookup,
  });
}

/** Opens a connection to the host and port of `url`. Throws Refused if it is not allowed, else the error of the connection. */
async function openTunnel(url: URL, options: TunnelOptions): Promise<Socket> {
  const route = await findRoute(url, options);
  const signal = AbortSignal.timeout(options.timeout * 1000);
  if ('proxy' in route) return openProxyTunnel(url, route.proxy, signal);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const socket = connect({ host: stripBrackets(url), port, lookup: route.lookup, autoSelectFamily: true });
  socket.on('error', () => {}); // until the caller adds its own listener
  const giveUp = () => socket.destroy(Object.assign(new Error('no connection came about'), { code: 'ETIMEDOUT' }));
  signal.addEventListener('abort', giveUp);
  await once(socket, 'connect').finally(() => signal.removeEventListener('abort', giveUp));
  return socket;
}

/** Opens a tunnel through the proxy (RFC 9110, 9.3.6). */
function openProxyTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = hostAndPort(url);
  return new Promise((resolve, reject) => {
    const request = requestFunction(proxy)({
      ...proxyAddress(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyAuthorization(proxy) },
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

/** The proxy through which a browser reaches the network, for one run. */
export interface GuardProxy {
  /** Its address, such as `http://127.0.0.1:40123`. */
  server: string;
  createPass(): TabCredentials;
  close(): Promise<void>;
}

/**
 * Opens a forward proxy on the loopback interface. It lets only its browser through, which sends the credentials of a pass, and only to addresses that the
 * address guard admits. It resolves names itself, and connects to the addresses that were checked.
 */
export async function openGuardProxy(options: TunnelOptions): Promise<GuardProxy> {
  const passes = new Map<string, TabPass>();
  const agent = new Agent({ keepAlive: true, timeout: options.timeout * 1000 });
  const sockets = new Set<Duplex>();
  const findPass = ({ headers }: IncomingMessage) => passes.get(headers['proxy-authorization'] ?? '');
  const server = createServer((request, response) => void forward(request, response, { pass: findPass(request), agent, options }));
  server.on('connect', (request, socket: Duplex, head: Buffer) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.on('error', () => socket.destroy());
    void tunnel(request, { socket, head }, { pass: findPass(request), options });
  });
  server.on('upgrade', (_request, socket: Duplex) => socket.destroy());
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  return {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    createPass() {
      const pass = new TabPass();
      passes.set(`Basic ${Buffer.from(`${pass.username}:${pass.password}`).toString('base64')}`, pass);
      return pass;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

class TabPass implements TabCredentials {
  readonly username = 'kb';
  readonly password = randomBytes(16).toString('hex');
  readonly #failures = new Map<string, Error>();
  #remaining = Infinity;
  #onExceeded = () => {};

  begin(max_bytes: number, onExceeded: () => void): void {
    this.#remaining = max_bytes;
    this.#onExceeded = onExceeded;
    this.#failures.clear();
  }

  findFailure(url: URL): Error | undefined {
    return this.#failures.get(hostAndPort(url));
  }

  noteFailure(url: URL, error: unknown): void {
    this.#failures.set(hostAndPort(url), error as Error);
  }

  /** Counts a received piece. Returns whether the limit allows it. */
  countReceived({ length }: Buffer): boolean {
    this.#remaining -= length;
    if (this.#remaining < 0) this.#onExceeded();
    return this.#remaining >= 0;
  }
}

const hostAndPort = ({ hostname, port, protocol }: URL): string => `${hostname}:${port || (/^(https|wss):/.test(protocol) ? 443 : 80)}`;

/** Headers that apply to one connection only (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const withoutConnectionHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name)));

interface ForwardOptions {
  pass: TabPass | undefined;
  options: TunnelOptions;
}

const CHALLENGE = { 'proxy-authenticate': 'Basic realm="kb"' };

async function forward(request: IncomingMessage, response: ServerResponse, { pass, agent, options }: ForwardOptions & { agent: Agent }) {
  response.on('error', () => response.destroy());
  if (!pass) return void response.writeHead(407, CHALLENGE).end();
  const url = /^http:/i.test(request.url ?? '') && URL.canParse(request.url!) ? new URL(request.url!) : undefined;
  if (!url) return void response.writeHead(400).end();
  const fail = (error: unknown) => {
    pass.noteFailure(url, error);
    if (response.headersSent) response.destroy();
    else response.writeHead(error instanceof AddressRefusedError ? 403 : 502, { [PROXY_RESPONSE]: 'true' }).end();
  };
  try {
    const upstream = await openRequest(
      url,
      { method: request.method, headers: { ...withoutConnectionHeaders(request.headers), host: url.host }, agent },
      options,
    );
    upstream.on('error', fail);
    if (response.destroyed) return void upstream.destroy(); // the browser gave up meanwhile
    response.on('close', () => upstream.destroy());
    upstream.on('response', (upstreamResponse) => {
      upstreamResponse.on('error', fail);
      try {
        response.writeHead(upstreamResponse.statusCode!, withoutConnectionHeaders(upstreamResponse.headers));
      } catch (error) {
        upstream.destroy(); // Node reads a status such as 099, and some headers, that it refuses to write
        return fail(error);
      }
      upstreamResponse.on('data', (piece: Buffer) => void (pass.countReceived(piece) || response.destroy()));
      upstreamResponse.pipe(response);
    });
    request.pipe(upstream);
  } catch (error) {
    fail(error);
  }
}

async function tunnel(request: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }, { pass, options }: ForwardOptions) {
  if (!pass)
    return void socket.end(
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="kb"\r\nContent-Length: 0\r\n\r\n',
    );
  const url = URL.canParse(`https://${request.url}`) ? new URL(`https://${request.url}`) : undefined;
  if (!url) return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  try {
    const upstream = await openAnyTunnel(url, options);
    upstream.on('error', () => socket.destroy());
    if (socket.destroyed) return void upstream.destroy();
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
    upstream.on('data', (piece: Buffer) => void (pass.countReceived(piece) || socket.destroy()));
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    upstream.pipe(socket);
    socket.pipe(upstream);
  } catch (error) {
    pass.noteFailure(url, error);
    socket.end(`HTTP/1.1 ${error instanceof AddressRefusedError ? '403 Forbidden' : '502 Bad Gateway'}\r\nContent-Length: 0\r\n\r\n`);
  }
}

/** Opens a tunnel that is allowed for https: or for http:, since a tunnel for wss: or ws: looks the same. */
async function openAnyTunnel(url: URL, options: TunnelOptions) {
  try {
    return await openTunnel(url, options);
  } catch (error) {
    if (!(error instanceof AddressRefusedError)) throw error;
    return openTunnel(new URL(`http://${url.hostname}:${url.port || 443}`), options);
  }
}
