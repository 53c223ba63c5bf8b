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

test('a body exactly as long as max_bytes is read, packed or not', async () => {
  const web = await site({ '/a': 'x'.repeat(1000), '/b': { headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(1000)) } });
  for (const path of ['/a', '/b']) expect((await door([web]).request(web.url + path, { max_bytes: 1000 })).bytes.length).toBe(1000);
});

test('an answer that never comes and one that comes a letter at a time end at the timeout, as failures that may pass', async () => {
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
