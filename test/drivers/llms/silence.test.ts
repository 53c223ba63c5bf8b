import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenFor } from '../../../src/drivers/llms/generate.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Work that ends when it is told to. */
function work() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end };
}

test('what is heard while something is waited for begins the clock anew', async () => {
  const silence = listenFor(10, undefined);
  const { done, end } = work();
  const waited = silence.during(done);
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(9000);
    silence.heard();
  }
  vi.advanceTimersByTime(9999);
  expect([silence.isOver, silence.signal.aborted]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([silence.isOver, silence.signal.aborted]).toEqual([true, true]);
  end();
  await waited;
});

test('the clock stands still while nothing is waited for', async () => {
  const silence = listenFor(10, undefined);
  const { done, end } = work();
  const waited = silence.during(done);
  end();
  await waited;
  vi.advanceTimersByTime(60_000);
  expect(silence.isOver).toBe(false);
  silence.end();
  expect([silence.isOver, silence.signal.aborted]).toEqual([false, true]);
});

test('a caller that stops is heard at once, also before it begins', () => {
  const caller = new AbortController();
  const silence = listenFor(10, caller.signal);
  caller.abort();
  expect([silence.signal.aborted, silence.isOver]).toEqual([true, false]);
  expect(listenFor(10, caller.signal).signal.aborted).toBe(true);
});
