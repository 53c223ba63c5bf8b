import { expect, test } from 'vitest';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';
import { openDoor } from '../fetching.ts';
import { article, siteKeeper } from './crawl/crawling.ts';

const site = siteKeeper();

test('stopped requests do not wait for their turn, and delay none after them', async () => {
  const web = await site({ '/': article('Start') });
  const door = openDoor([web]);
  const inTurn = new HostLimiter().limiterFor(web.url, { delay: 3_600 });
  await door.request(web.url, { inTurn });
  const stop = new AbortController();
  const waiting = [door.request(web.url, { inTurn, signal: stop.signal }), door.request(web.url, { inTurn, signal: stop.signal })];
  stop.abort();
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
  expect(web.hits).toHaveLength(1);
});
