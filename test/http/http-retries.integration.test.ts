import { afterEach, expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
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
  const web = await site({ '/a': { status: 503, headers: { 'retry-after': '0' } } });
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
