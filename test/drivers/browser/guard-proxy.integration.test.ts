import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readProxies } from '../../../src/http/connections.ts';
import { AddressRefusedError } from '../../../src/http/address-policy.ts';
import { type GuardProxy, openGuardProxy, type TunnelOptions } from '../../../src/drivers/browser/guard-proxy.ts';
import type { TabCredentials } from '../../../src/drivers/browser/traffic.ts';
import { openSite, type Site, type SiteRoute } from '../../support/site.ts';
import { listening } from '../../support/listening.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((thing) => thing.close()))));
const keep = <Thing extends { close(): Promise<void> }>(thing: Thing): Thing => (opened.push(thing), thing);

const site = async (routes: Record<string, SiteRoute>): Promise<Site> => keep(await openSite(routes));
const home = async () => [{ address: '127.0.0.1', family: 4 }];

const guard = async (allow_private: string[], options: Partial<TunnelOptions> = {}): Promise<GuardProxy> =>
  keep(
    await openGuardProxy({
      policy: { allow_private, surface: 'server', named: [] },
      lookup: home,
      proxies: readProxies({}),
      timeout: 5,
      ...options,
    }),
  );

const credentials = ({ username, password }: TabCredentials) => ({
  'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

interface Got {
  status: number;
  body: string;
  headers: IncomingHttpHeaders;
}

/** A plain request in the form that proxies are asked in. */
const get = ({ server }: GuardProxy, address: string, headers: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: new URL(server).port, path: address, headers, agent: false }, async (answer) => {
      let body = '';
      try {
        for await (const piece of answer) body += piece;
        resolve({ status: answer.statusCode!, body, headers: answer.headers });
      } catch (error) {
        reject(error as Error);
      }
    });
    asked.on('error', reject).end();
  });

/** Asks for a tunnel; a socket where one came about. */
const tunnel = (
  { server }: GuardProxy,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; socket: Socket }> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: new URL(server).port, method: 'CONNECT', path: target, headers, agent: false });
    asked.on('connect', ({ statusCode }, socket) => resolve({ status: statusCode!, socket: socket as Socket }));
    asked.on('error', reject).end();
  });

/** What comes back through a tunnel. */
const through = async (socket: Socket, path: string): Promise<string> => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: site\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
};

test('forwards an allowed request unchanged, without the headers for the proxy', async () => {
  const web = await site({ '/a': { status: 201, headers: { 'x-answer': 'yes' }, body: 'hello' } });
  const proxy = await guard([web.url]);
  const got = await get(proxy, `${web.url}/a?x=1`, {
    ...credentials(proxy.createPass()),
    'x-asked': 'no',
    'proxy-connection': 'keep-alive',
  });
  expect(got).toMatchObject({ status: 201, body: 'hello', headers: { 'x-answer': 'yes' } });
  expect(web.hits).toMatchObject([{ url: '/a?x=1', headers: { 'x-asked': 'no', host: new URL(web.url).host } }]);
  expect(Object.keys(web.hits[0]!.headers).filter((name) => name.startsWith('proxy-'))).toEqual([]);
});

test('opens tunnels to allowed addresses', async () => {
  const web = await site({ '/a': 'hello' });
  const proxy = await guard([web.url]);
  const { status, socket } = await tunnel(proxy, new URL(web.url).host, credentials(proxy.createPass()));
  expect(status).toBe(200);
  expect(await through(socket, '/a')).toContain('hello');
});

test('refuses requests and tunnels to other origins, and keeps the reason in the pass', async () => {
  const [named, other] = [await site({}), await site({ '/a': 'secret' })];
  const proxy = await guard([named.url]);
  const pass = proxy.createPass();
  expect(await get(proxy, `${other.url}/a`, credentials(pass))).toMatchObject({ status: 403, body: '' });
  expect((await tunnel(proxy, new URL(other.url).host, credentials(pass))).status).toBe(403);
  expect((await tunnel(proxy, `localhost:${new URL(other.url).port}`, credentials(pass))).status).toBe(403);
  expect(pass.findFailure(new URL(other.url))).toBeInstanceOf(AddressRefusedError);
  expect(pass.findFailure(new URL(named.url))).toBeUndefined();
  expect(other.hits).toEqual([]);
});

test('connects to the checked address, and refuses a name if one of its addresses is private', async () => {
  const web = await site({ '/a': 'pinned' });
  const { port } = new URL(web.url);
  const proxy = await guard([`http://far.example:${port}`]);
  expect((await get(proxy, `http://far.example:${port}/a`, credentials(proxy.createPass()))).body).toBe('pinned');
  const mixed = await guard([], {
    lookup: async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  });
  expect((await get(mixed, 'http://far.example/', credentials(mixed.createPass()))).status).toBe(403);
  expect((await tunnel(mixed, 'far.example:443', credentials(mixed.createPass()))).status).toBe(403);
});

test('requires the credentials of a pass of this proxy', async () => {
  const web = await site({ '/a': 'hello' });
  const [proxy, other] = [await guard([web.url]), await guard([web.url])];
  for (const headers of [{}, { 'proxy-authorization': 'Basic a2I6' }, credentials(other.createPass())] as Record<string, string>[]) {
    expect(await get(proxy, `${web.url}/a`, headers)).toMatchObject({
      status: 407,
      headers: { 'proxy-authenticate': 'Basic realm="kb"' },
    });
    expect((await tunnel(proxy, new URL(web.url).host, headers)).status).toBe(407);
  }
  expect(web.hits).toEqual([]);
});

test('refuses targets that are not proxy requests, so that web pages cannot use it', async () => {
  const proxy = await guard([]);
  for (const path of ['/a', 'ftp://site.example/', 'https://site.example/'])
    expect((await get(proxy, path, credentials(proxy.createPass()))).status).toBe(400);
});

test('reports refused connections and unknown names', async () => {
  const proxy = await guard(['http://127.0.0.1:1', 'http://none.example'], {
    lookup: async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
  });
  const pass = proxy.createPass();
  expect((await get(proxy, 'http://127.0.0.1:1/', credentials(pass))).status).toBe(502);
  expect(pass.findFailure(new URL('http://127.0.0.1:1'))).toMatchObject({ code: 'ECONNREFUSED' });
  expect((await tunnel(proxy, 'none.example:443', credentials(pass))).status).toBe(502);
  expect(pass.findFailure(new URL('https://none.example/'))).toMatchObject({ code: 'ENOTFOUND' });
});

test('closes the connections of a page that receives too many bytes, for requests and tunnels', async () => {
  const web = await site({ '/big': { body: 'x'.repeat(300_000) }, '/small': 'y' });
  const proxy = await guard([web.url]);
  const pass = proxy.createPass();
  const exceeded: string[] = [];
  pass.begin(100_000, () => exceeded.push('request'));
  await expect(get(proxy, `${web.url}/big`, credentials(pass))).rejects.toThrow();
  pass.begin(100_000, () => exceeded.push('tunnel'));
  const { socket } = await tunnel(proxy, new URL(web.url).host, credentials(pass));
  expect((await through(socket, '/big').catch(() => '')).length).toBeLessThan(300_000);
  expect(new Set(exceeded)).toEqual(new Set(['request', 'tunnel']));
  pass.begin(100_000, () => exceeded.push('never'));
  expect((await get(proxy, `${web.url}/small`, credentials(pass))).body).toBe('y');
  expect(exceeded).not.toContain('never');
});

test('turns a response that cannot be forwarded into a failure, and keeps working', async () => {
  const odd = createRawServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nhi'));
  });
  const { url: address, close } = await listening(odd);
  keep({ close });
  const web = await site({ '/a': 'hello' });
  const proxy = await guard([address, web.url]);
  const pass = proxy.createPass();
  expect((await get(proxy, `${address}/`, credentials(pass))).status).toBe(502);
  expect(pass.findFailure(new URL(address))).toMatchObject({ code: 'ERR_HTTP_INVALID_STATUS_CODE' });
  expect((await get(proxy, `${web.url}/a`, credentials(pass))).body).toBe('hello');
});

/** A server that says nothing, and when a connection to it is closed. */
async function silent() {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createRawServer((socket) => {
    socket.on('error', () => {}).on('close', () => resolve());
    socket.resume();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  keep({ close: () => new Promise<void>((done) => server.close(() => done())) });
  return { address: `http://far.example:${(server.address() as AddressInfo).port}`, closed };
}

/** A lookup that is waited for, and ends when it is told to. */
function slowLookup() {
  const [asked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lookup = async () => {
    asked.resolve();
    await told.promise;
    return home();
  };
  return { lookup, asked: asked.promise, tell: told.resolve };
}

test('drops a tunnel that is closed during the DNS lookup', async () => {
  const far = await silent();
  const { lookup, asked, tell } = slowLookup();
  const proxy = await guard([far.address], { lookup });
  tunnel(proxy, new URL(far.address).host, credentials(proxy.createPass())).catch(() => {});
  await asked;
  await proxy.close();
  tell();
  await expect(far.closed).resolves.toBeUndefined();
});

test('drops a request that is aborted during the DNS lookup', async () => {
  const far = await silent();
  const { lookup, asked, tell } = slowLookup();
  const proxy = await guard([far.address], { lookup, timeout: 0.2 }); // so long a connection is kept for the next request
  const headers = credentials(proxy.createPass());
  const { port } = new URL(proxy.server);
  const given = request({ host: '127.0.0.1', port, path: `${far.address}/`, headers, agent: false }).on('error', () => {});
  given.end();
  await asked;
  given.destroy();
  await get(proxy, `${proxy.server}/`, {}); // by then the proxy has heard of it
  tell();
  await expect(far.closed).resolves.toBeUndefined();
});

test('keeps the error of an invalid proxy variable in the pass', async () => {
  const proxy = await guard([], { proxies: readProxies({ HTTPS_PROXY: 'socks5://127.0.0.1:1' }) });
  const pass = proxy.createPass();
  expect((await tunnel(proxy, 'far.example:443', credentials(pass))).status).toBe(502);
  expect(pass.findFailure(new URL('https://far.example/'))).toMatchObject({
    code: 'setup',
    message: expect.stringContaining('HTTPS_PROXY'),
  });
});

/** A proxy of the environment: it answers every request itself, and joins tunnels to `to`. */
async function upstream(to: Site) {
  const asked: string[] = [];
  const server = createServer((asking, response) => {
    asked.push(`${asking.method} ${asking.url} ${asking.headers['proxy-authorization']}`);
    response.end('by proxy');
  });
  server.on('connect', (asking, socket) => {
    asked.push(`CONNECT ${asking.url} ${asking.headers['proxy-authorization']}`);
    if (asking.url!.startsWith('closed')) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const onward = connect(Number(new URL(to.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    return socket.on('error', () => onward.destroy());
  });
  const { port, close } = await listening(server);
  keep({ close });
  return { asked, address: `http://user:word@127.0.0.1:${port}` };
}

test('uses the proxy of the environment, even for names that only that proxy can resolve', async () => {
  const web = await site({ '/a': 'far' });
  const { asked, address } = await upstream(web);
  const who = `Basic ${Buffer.from('user:word').toString('base64')}`;
  const proxy = await guard([], {
    proxies: readProxies({ HTTP_PROXY: address, HTTPS_PROXY: address }),
    lookup: async () => Promise.reject(new Error('no such name')),
  });
  const pass = proxy.createPass();
  expect((await get(proxy, 'http://far.example/a', credentials(pass))).body).toBe('by proxy');
  const { socket } = await tunnel(proxy, 'far.example:443', credentials(pass));
  expect(await through(socket, '/a')).toContain('far');
  expect((await tunnel(proxy, 'closed.example:443', credentials(pass))).status).toBe(502);
  expect(asked).toEqual([`GET http://far.example/a ${who}`, `CONNECT far.example:443 ${who}`, `CONNECT closed.example:443 ${who}`]);
});

test('does not send forbidden private addresses to the proxy of the environment', async () => {
  const { asked, address } = await upstream(await site({}));
  const proxy = await guard([], {
    proxies: readProxies({ HTTP_PROXY: address, HTTPS_PROXY: address }),
    lookup: async () => [{ address: '10.0.0.1', family: 4 }],
  });
  const pass = proxy.createPass();
  expect((await get(proxy, 'http://inner.example/', credentials(pass))).status).toBe(403);
  expect((await tunnel(proxy, 'inner.example:443', credentials(pass))).status).toBe(403);
  expect((await tunnel(proxy, '10.0.0.1:443', credentials(pass))).status).toBe(403);
  expect(asked).toEqual([]);
});
