import { setTimeout as wait } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type SiteRoute } from '../support/site.ts';
import { doorkeeper, failure } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

const endless = (headers: Record<string, string> = {}) => {
  let sent = 0;
  const route: SiteRoute = async (_request, response) => {
    response.writeHead(200, headers);
    const piece = Buffer.alloc(65_536, 'a');
    const closed = new Promise((done) => response.once('close', done));
    while (!response.destroyed && sent < 64 * 2 ** 20) {
      sent += piece.length;
      if (!response.write(piece)) await Promise.race([new Promise((done) => response.once('drain', done)), closed]);
    }
  };
  return { route, sent: () => sent };
};

test('a body without an end is cut off at max_bytes', async () => {
  const body = endless();
  const web = await site({ '/a': body.route });
  const error = await failure(door([web]).request(`${web.url}/a`, { max_bytes: 200_000 }));
  expect(error).toMatchObject({ code: 'too_large', isRetryable: false });
  expect(error.message).toContain('200000');
  expect(body.sent()).toBeLessThan(16 * 2 ** 20);
});

test('a body that may be truncated is read up to max_bytes, even if it announces more', async () => {
  const body = endless();
  const web = await site({ '/a': body.route, '/b': 'x'.repeat(300_000), '/c': 'short' });
  for (const path of ['/a', '/b', '/c']) {
    const { bytes } = await door([web]).request(web.url + path, { max_bytes: 200_000, truncates: true });
    expect(bytes.length).toBe(path === '/c' ? 5 : 200_000);
  }
  expect(body.sent()).toBeLessThan(16 * 2 ** 20);
});

test('a limit that depends on the head applies, never exceeds the configured one, and the hint names the right setting', async () => {
  const web = await site({
    '/a.html': { headers: { 'content-type': 'text/html' }, body: 'x'.repeat(2_000) },
    '/a.txt': { headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(2_000) },
  });
  const max_bytes = ({ content_type }: { content_type: string }) => (content_type === 'text/html' ? 1_000 : Infinity);
  expect((await door([web]).request(`${web.url}/a.txt`, { max_bytes })).bytes.length).toBe(2_000);
  const html = await failure(door([web]).request(`${web.url}/a.html`, { max_bytes }));
  expect([html.code, html.message]).toEqual(['too_large', expect.stringContaining('the limit of 1000 bytes')]);
  expect(html.hint).not.toContain('network.max_bytes');
  const all = await failure(door([web], { network: { max_bytes: 500 } }).request(`${web.url}/a.txt`, { max_bytes }));
  expect([all.code, all.hint]).toEqual(['too_large', expect.stringContaining('network.max_bytes')]);
});

test('each attempt waits for its turn', async () => {
  const web = await site({ '/a': { status: 503 } });
  let turns = 0;
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    turns++;
    return work();
  };
  await failure(door([web]).request(`${web.url}/a`, { inTurn }));
  expect([turns, web.hits.length]).toEqual([3, 3]);
});

test('a body that announces too much is not read', async () => {
  const body = endless({ 'content-length': String(2 ** 31) });
  const web = await site({ '/a': body.route });
  expect(await failure(door([web]).request(`${web.url}/a`))).toMatchObject({ code: 'too_large' });
  expect(body.sent()).toBeLessThan(16 * 2 ** 20);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a small body that inflates beyond max_bytes is cut off: %s', async (name, pack) => {
  const web = await site({ '/a': { headers: { 'content-encoding': name }, body: pack(Buffer.alloc(8 * 2 ** 20, 'a')) } });
  expect(await failure(door([web]).request(`${web.url}/a`, { max_bytes: 2 ** 20 }))).toMatchObject({
    code: 'too_large',
    isRetryable: false,
  });
});

test('a body of exactly max_bytes is read, compressed or not', async () => {
  const web = await site({ '/a': 'x'.repeat(1000), '/b': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(1000)) } });
  for (const path of ['/a', '/b']) expect((await door([web]).request(web.url + path, { max_bytes: 1000 })).bytes.length).toBe(1000);
});

test('a missing response and a very slow one end at the timeout, as retryable failures', async () => {
  const drip: SiteRoute = async (_request, response) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write('a');
      await wait(20);
    }
  };
  const web = await site({ '/hang': () => {}, '/drip': drip });
  for (const path of ['/hang', '/drip']) {
    const error = await failure(door([web]).request(web.url + path, { timeout: 0.15 }));
    expect(error).toMatchObject({ code: 'unavailable', isRetryable: true, attempts: 3 });
    expect(error.message).toContain(`${web.url}${path} was not read in time`);
  }
});

test('a stopped run ends its requests', async () => {
  const web = await site({ '/hang': () => controller.abort() });
  const controller = new AbortController();
  expect(await failure(door([web]).request(`${web.url}/hang`, { signal: controller.signal }))).toMatchObject({ code: 'aborted' });
});

test('an endless body that nobody reads is not waited for: of a redirect, of an error, of an unwanted type', async () => {
  const endlessly =
    (status: number): SiteRoute =>
    (_request, response) =>
      void response.writeHead(status, { location: '/new' }).write('x');
  const json: SiteRoute = (_request, response) =>
    void response.writeHead(404, { 'content-type': 'application/json' }).write('{"detail":"miss');
  const web = await site({ '/json': json, '/old': endlessly(302), '/gone': endlessly(404), '/film': endlessly(200), '/new': 'new' });
  const http = door([web], { network: { timeout: 1_000 } });
  expect((await http.request(`${web.url}/old`)).url).toBe(`${web.url}/new`);
  expect(await failure(http.request(`${web.url}/gone`))).toMatchObject({ code: 'not_found' });
  expect(await failure(http.request(`${web.url}/json`))).toMatchObject({ code: 'not_found' });
  expect((await http.request(`${web.url}/film`, { readsBody: () => false })).bytes).toHaveLength(0);
});
