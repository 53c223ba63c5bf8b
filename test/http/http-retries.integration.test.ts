import { afterEach, expect, test } from 'vitest';
import { openSite } from '../support/site.ts';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('what fails and may pass is asked for again after the time in Retry-After, whatever the wait would be else', async () => {
  let asked = 0;
  const web = await site({
    '/a': (_request, response) => (asked++ === 0 ? response.writeHead(429, { 'retry-after': '0' }).end() : response.end('ok')),
  });
  expect(text(await door([web], { retries: { attempts: 2, firstWait: 3600 } }).request(`${web.url}/a`))).toBe('ok');
});

test('what fails and may pass is given up in the end, and the error knows how often it was tried', async () => {
  const web = await site({ '/a': { status: 503, headers: { 'retry-after': '0' } } });
  expect(await failure(door([web]).request(`${web.url}/a`))).toMatchObject({ isRetryable: true, attempts: 3, code: 'unavailable' });
  expect(web.hits).toHaveLength(3);
});

test('what fails and may pass is given up at once where it asks for a longer wait than anybody has', async () => {
  const web = await site({ '/a': { status: 503, headers: { 'retry-after': '86400' } } });
  expect(await failure(door([web]).request(`${web.url}/a`))).toMatchObject({ attempts: 1, isRetryable: true });
});

test('what fails and may pass is an address where nothing listens, and a connection that is cut', async () => {
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
