import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { doorkeeper, failure, text } from './door.ts';
import { listening } from '../support/listening.ts';

const { site, door, opened, close } = doorkeeper();
afterEach(close);

/** Answers for every address and writes down what it was asked for; refuses tunnels. */
const proxy = async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('by proxy');
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const listener = await listening(server);
  opened.push(listener);
  return { url: listener.url, asked };
};
const unknown = async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

test('the proxy resolves names that only it knows, with its own credentials', async () => {
  const { url, asked } = await proxy();
  const http = door([], { environment: { HTTP_PROXY: url.replace('//', '//user:word@') }, lookup: unknown });
  expect(text(await http.request('http://far.example/a?x=1'))).toBe('by proxy');
  expect(asked).toEqual([`GET http://far.example/a?x=1 Basic ${Buffer.from('user:word').toString('base64')}`]);
});

test('https uses a tunnel through the proxy, and a refusal of the tunnel is an error', async () => {
  const { url, asked } = await proxy();
  const http = door([], { environment: { https_proxy: url }, lookup: unknown, retries: { attempts: 1 } });
  expect((await failure(http.request('https://far.example/a'))).message).toContain('far.example');
  expect(asked).toEqual(['CONNECT far.example:443']);
});

test('NO_PROXY and this machine bypass the proxy', async () => {
  const { url, asked } = await proxy();
  const web = await site({ '/a': 'direct' });
  const { port } = new URL(web.url);
  const environment = { HTTP_PROXY: url, NO_PROXY: 'near.example' };
  const http = door([web], {
    environment,
    network: { allow_private: [web.url, `http://near.example:${port}`] },
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  expect(text(await http.request(`${web.url}/a`))).toBe('direct');
  expect(text(await http.request(`http://near.example:${port}/a`))).toBe('direct');
  expect(asked).toEqual([]);
});

test('the proxy is not asked for a forbidden private address', async () => {
  const { url, asked } = await proxy();
  const http = door([], {
    surface: 'server',
    environment: { HTTP_PROXY: url },
    lookup: async () => [{ address: '10.0.0.1', family: 4 }],
  });
  for (const address of ['http://10.0.0.1/', 'http://[::ffff:10.0.0.1]/', 'http://inner.example/'])
    expect(await failure(http.request(address))).toMatchObject({ code: 'forbidden' });
  expect(asked).toEqual([]);
});

test('a proxy address without a scheme, or with a bare percent sign in its password, works', async () => {
  const { url, asked } = await proxy();
  const { host } = new URL(url);
  for (const value of [host, `http://user:p%ss@${host}`]) {
    const http = door([], { environment: { HTTP_PROXY: value }, lookup: unknown });
    expect(text(await http.request('http://far.example/a'))).toBe('by proxy');
  }
  expect(asked).toEqual(['GET http://far.example/a', `GET http://far.example/a Basic ${Buffer.from('user:p%ss').toString('base64')}`]);
});

test('an invalid proxy variable is an error only for addresses that need it', async () => {
  const web = await site({ '/a': 'direct' });
  const http = door([web], { environment: { HTTP_PROXY: 'socks5://127.0.0.1:1' } });
  expect(text(await http.request(`${web.url}/a`))).toBe('direct');
  expect(await failure(http.request('http://far.example/a'))).toMatchObject({
    code: 'setup',
    isRetryable: false,
    message: expect.stringContaining('HTTP_PROXY is "socks5://127.0.0.1:1"'),
  });
  await http.close();
});
