import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { monitorPace, MIN_BYTES, CHECK_INTERVAL } from '../../src/server/request-bodies.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a steady request is accepted, and one that only drips is rejected', async () => {
  const connection = { bytesRead: 500_000 };
  const { tooSlow, release } = monitorPace(connection);
  let refused: unknown;
  tooSlow.catch((error: unknown) => (refused = error));
  for (let i = 0; i < 5; i++) {
    connection.bytesRead += MIN_BYTES;
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  }
  expect(refused).toBeUndefined();
  connection.bytesRead += 20;
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toMatchObject({ statusCode: 408, message: expect.stringContaining('too slowly') });
  release();
});

it('a released monitor checks nothing more', async () => {
  const { tooSlow, release } = monitorPace({ bytesRead: 0 });
  release();
  await vi.advanceTimersByTimeAsync(10 * CHECK_INTERVAL);
  expect(await Promise.race([tooSlow, Promise.resolve('at peace')])).toBe('at peace');
  expect(vi.getTimerCount()).toBe(0);
});

it('a client is not rejected for the time in which the server was blocked', async () => {
  const connection = { bytesRead: 0 };
  const { tooSlow, release } = monitorPace(connection);
  let refused: unknown;
  tooSlow.catch((error: unknown) => (refused = error));
  vi.setSystemTime(Date.now() + 10 * CHECK_INTERVAL); // a suspended process: its timers fire before its sockets are read
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toBeUndefined();
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toMatchObject({ statusCode: 408 });
  release();
});
