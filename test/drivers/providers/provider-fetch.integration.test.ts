import { createServer, request as requestOver, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openAnthropicLlm } from '../../../src/drivers/llms/anthropic.ts';
import { openOpenAiLlm } from '../../../src/drivers/llms/openai.ts';
import { openFetch } from '../../../src/drivers/providers/access.ts';
import { ask, read } from '../../support/heard.ts';
import { openAnthropicServer } from '../../support/anthropic-server.ts';
import { openOpenAiServer } from '../../support/openai-server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A proxy on the loopback interface that takes every host for the one port of this machine that it is given. */
async function openProxy(port: number, { refuses = false } = {}): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { pathname } = new URL(incoming.url!);
    const onward = requestOver(
      { port, host: '127.0.0.1', method: incoming.method!, path: pathname, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    if (refuses) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    for (const end of [socket, onward]) end.on('error', () => void end.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const portOf = (url: string): number => Number(new URL(url).port);

describe('a provider behind a proxy', () => {
  it('is reached through it in the openai dialect', async () => {
    const model = await openOpenAiServer();
    closing.push(model.close);
    const proxy = await openProxy(portOf(model.url));
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://models.example/v1', HTTP_PROXY: proxy.url };
    const { pieces, error } = await read(ask(await openOpenAiLlm({ provider: 'openai', env })));
    expect([pieces.join(''), error]).toEqual(['It is so.', undefined]);
    expect(proxy.asked).toEqual([expect.stringMatching(/models\.example(:80|\/v1\/chat\/completions)$/)]);
    expect(model.requests).toHaveLength(1);
  });

  it('is reached through it with the Messages API', async () => {
    const model = await openAnthropicServer();
    closing.push(model.close);
    const proxy = await openProxy(portOf(model.url));
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://models.example', http_proxy: proxy.url };
    const { pieces, error } = await read(ask(await openAnthropicLlm({ provider: 'anthropic', env })));
    expect([pieces.join(''), error]).toEqual(['It is so.', undefined]);
    expect(proxy.asked).toHaveLength(1);
  });

  it('is reached over TLS so that the proxy sees only the host, not the key', async () => {
    const proxy = await openProxy(1, { refuses: true });
    const env = { OPENAI_API_KEY: 'secret-key-1', HTTPS_PROXY: proxy.url };
    await expect(openFetch(env)('https://api.openai.com/v1/chat/completions', { method: 'POST', body: '{}' })).rejects.toThrow();
    expect(proxy.asked).toEqual(['CONNECT api.openai.com:443']);
  });

  it('is reached directly if NO_PROXY names it, and always on this machine', async () => {
    const model = await openOpenAiServer();
    closing.push(model.close);
    const proxy = await openProxy(portOf(model.url));
    const proxies = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    const { pieces } = await read(
      ask(await openOpenAiLlm({ provider: 'openai', env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.url, ...proxies } })),
    );
    expect(pieces.join('')).toBe('It is so.');
    await expect(openFetch({ ...proxies, NO_PROXY: 'models.invalid' })('http://models.invalid/')).rejects.toThrow();
    expect(proxy.asked).toEqual([]);
  });
});

it('accepts a proxy without a scheme, and reports an invalid proxy variable except for this machine', async () => {
  const model = await openOpenAiServer();
  closing.push(model.close);
  const proxy = await openProxy(portOf(model.url));
  const posted = (address: string, HTTP_PROXY: string) => openFetch({ HTTP_PROXY })(address, { method: 'POST', body: '{}' });
  await posted('http://models.example/v1/chat/completions', new URL(proxy.url).host);
  expect(proxy.asked).toHaveLength(1);
  await expect(posted('http://models.example/', 'socks5://127.0.0.1:1')).rejects.toMatchObject({ code: 'setup' });
  expect((await posted(`${model.url}/chat/completions`, 'socks5://127.0.0.1:1')).status).toBeLessThan(500);
});

it('does not follow redirects, since the key is meant for one address', async () => {
  const elsewhere = await openOpenAiServer();
  const model = await openOpenAiServer({ reply: () => ({ status: 307, headers: { location: `${elsewhere.url}/chat/completions` } }) });
  closing.push(model.close, elsewhere.close);
  const { error } = await read(ask(await openOpenAiLlm({ provider: 'openai', env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: model.url } })));
  expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining(elsewhere.url) });
  expect(elsewhere.requests).toEqual([]);
});
