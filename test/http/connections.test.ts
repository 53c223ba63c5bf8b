import { expect, test } from 'vitest';
import { readProxies, proxyFor } from '../../src/http/connections.ts';

const proxied = (address: string, environment: NodeJS.ProcessEnv) => proxyFor(new URL(address), readProxies(environment))?.href;
const BOTH = { HTTP_PROXY: 'http://plain.example:3128', HTTPS_PROXY: 'http://secure.example:3129' };

test('each protocol has its own proxy; https falls back to that of http', () => {
  expect(proxied('http://site.example/', BOTH)).toBe('http://plain.example:3128/');
  expect(proxied('https://site.example/', BOTH)).toBe('http://secure.example:3129/');
  expect(proxied('https://site.example/', { http_proxy: 'plain.example:3128' })).toBe('http://plain.example:3128/');
  expect(proxied('http://site.example/', { HTTPS_PROXY: BOTH.HTTPS_PROXY })).toBeUndefined();
  expect(proxied('http://site.example/', {})).toBeUndefined();
});

test('this machine is reached without a proxy', () => {
  for (const address of ['http://localhost:8080/', 'http://127.0.0.1/', 'https://[::1]:1/']) expect(proxied(address, BOTH)).toBeUndefined();
});

test.each([
  ['site.example', 'http://site.example/', true],
  ['site.example', 'http://docs.site.example/', true],
  ['site.example', 'http://mysite.example/', false],
  ['.site.example', 'http://site.example/', true],
  ['*.site.example', 'http://site.example/', false],
  ['*.site.example', 'http://docs.site.example/', true],
  ['other.example, SITE.example', 'http://site.example./', true],
  ['site.example:8080', 'http://site.example:8080/', true],
  ['site.example:8080', 'http://site.example/', false],
  ['site.example:443', 'https://site.example/', true],
  ['[fd00::1]:80', 'http://[fd00::1]/', true],
  ['fd00::1', 'http://[fd00::1]/', true],
  ['*', 'http://anything.example/', true],
  ['*:81', 'http://anything.example/', false],
])('NO_PROXY=%s and %s: spared is %s', (noProxy, address, isSpared) => {
  expect(proxied(address, { ...BOTH, NO_PROXY: noProxy }) === undefined).toBe(isSpared);
});

test.each([
  ['127.0.0.1:3128', 'http://127.0.0.1:3128/'],
  ['localhost:3128', 'http://localhost:3128/'],
  ['proxy', 'http://proxy/'],
  [' http://proxy.example:3128 ', 'http://proxy.example:3128/'],
  ['https://ann:s%20t@proxy.example', 'https://ann:s%20t@proxy.example/'],
  ['http://user:p%ss@proxy.example:3128', 'http://user:p%25ss@proxy.example:3128/'],
])('HTTP_PROXY=%s is taken as people write it', (value, expected) => {
  expect(proxied('http://site.example/', { HTTP_PROXY: value })).toBe(expected);
});

test.each(['socks5://ann:s3cret@proxy.example:1080', 'not a proxy', 'http://', 'proxy.example:port'])(
  'HTTP_PROXY=%s is an error that names the variable, only for addresses that need it',
  (value) => {
    const proxies = readProxies({ http_proxy: value, HTTPS_PROXY: BOTH.HTTPS_PROXY, NO_PROXY: 'near.example' });
    for (const near of ['http://127.0.0.1:8080/', 'http://near.example/', 'https://site.example/'])
      expect(() => proxyFor(new URL(near), proxies)).not.toThrow();
    const failed = () => proxyFor(new URL('http://site.example/'), proxies);
    expect(failed).toThrow(/^The environment variable http_proxy is ".*", which is not an HTTP proxy\.$/);
    expect(failed).toThrow(expect.objectContaining({ code: 'setup', message: expect.not.stringContaining('s3cret') }));
  },
);
