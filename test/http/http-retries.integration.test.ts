import { afterEach, expect, test } from 'vitest';
import { withRetryProgress } from '../../src/core/retry.ts';
import type { Run } from '../../src/core/run.ts';
import { openSite, type SiteRoute } from '../support/site.ts';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('a retryable failure is retried after the time in Retry-After', async () => {
  let asked = 0;
  const web = await site({
    '/a': (_request, response) => (asked++ === 0 ? response.writeHead(429, { 'retry-after': '0' }).end() : response.end('ok')),
  });
  expect(text(await door([web], { retries: { attempts: 2, firstWait: 3600 } }).request(`${web.url}/a`))).toBe('ok');
});

test('a retryable failure is given up after the maximum of attempts, and the error counts them', async () => {
  const web = await site({ '/a': { status: 500, headers: { 'retry-after': '0' } } });
  expect(await failure(door([web]).request(`${web.url}/a`))).toMatchObject({ isRetryable: true, attempts: 3, code: 'unavailable' });
  expect(web.hits).toHaveLength(3);
});

test('a retryable failure is given up at once if Retry-After is too long', async () => {
  const web = await site({ '/a': { status: 503, headers: { 'retry-after': '86400' } } });
  expect(await failure(door([web]).request(`${web.url}/a`))).toMatchObject({ attempts: 1, isRetryable: true });
});

test('a refused and a broken connection are retryable', async () => {
  const gone = await openSite();
  await gone.close();
  const web = await site({ '/cut': (request) => request.socket.destroy() });
  for (const address of [`${gone.url}/x`, `${web.url}/cut`])
    expect(await failure(door([gone, web]).request(address))).toMatchObject({
      isRetryable: true,
      attempts: 3,
      message: expect.stringContaining(address),
    });
});

test.each([
  ['429', { status: 429, headers: {} }],
  ['503 with Retry-After', { status: 503, headers: { 'retry-after': '0' } }],
  ['403 with no requests remaining', { status: 403, headers: { 'x-ratelimit-remaining': '0', 'retry-after': '0' } }],
])('a host that answers %s slows down the whole origin, uses up no attempts, and is reported', async (_name, refusal) => {
  let open = 0;
  let most = 0;
  let refusals = 5;
  const answer: SiteRoute = async (_request, response) => {
    most = refusals > 0 ? 0 : Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 5));
    open = Math.max(0, open - 1);
    if (refusals-- > 0) response.writeHead(refusal.status, { 'retry-after': '0', ...refusal.headers }).end();
    else response.end('ok');
  };
  const web = await site({ '/a': answer, '/b': answer, '/c': answer, '/d': answer });
  const http = door([web], { retries: { attempts: 1, firstWait: 0.01, refusals: 6 } });
  const answers = await Promise.all(['/a', '/b', '/c', '/d'].map((path) => http.request(web.url + path)));
  expect(answers.map(text)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(most).toBe(1);
  expect(http.takeRefusals!()).toEqual([[web.url, 5]]);
  expect(http.takeRefusals!()).toEqual([]);
});

test('a page that may be asked for again in an hour fails at once, says when, and holds up no others', async () => {
  const web = await site({ '/a': { status: 429, headers: { 'retry-after': '3600' } }, '/b': { body: 'ok' } });
  const http = door([web], {});
  expect(await failure(http.request(`${web.url}/a`))).toMatchObject({ attempts: 1, hint: 'It allows more in 60 minutes.' });
  for (let i = 0; i < 2; i++) expect(text(await http.request(`${web.url}/b`))).toBe('ok');
});

test('a long pause before a request is reported with the host', async () => {
  const web = await site({ '/a': { status: 429, headers: { 'retry-after': '30' } } });
  const http = door([web], { retries: { refusals: 0, attempts: 1 } });
  const stop = new AbortController();
  async function* run(): Run<void> {
    await failure(http.request(`${web.url}/a`));
    await failure(http.request(`${web.url}/a`, { signal: stop.signal }));
  }
  const messages: string[] = [];
  for await (const { message } of withRetryProgress(run(), { stage: 'ingest', data: {} })) {
    messages.push(message);
    stop.abort();
  }
  expect(messages).toEqual([expect.stringMatching(/^Waiting \d+ s: http:\S+ asked for a slower pace\.$/)]);
});

test('a host that refuses every request is given up after some refusals', async () => {
  const web = await site({ '/a': { status: 429, headers: { 'retry-after': '0' } } });
  const retries = { attempts: 9, firstWait: 0.01, refusals: 2 };
  expect(await failure(door([web], { retries }).request(`${web.url}/a`))).toMatchObject({ isRetryable: true, attempts: 3 });
});
