import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSilenceTimeout } from '../../../src/drivers/llms/generate.ts';

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

test('restarts the measurement of silence', async () => {
  const silence = startSilenceTimeout(10, undefined);
  const { done, end } = work();
  const waited = silence.limit(done);
  for (let i = 0; i < 3; i++) {
    vi.advanceTimersByTime(9000);
    silence.restart();
  }
  vi.advanceTimersByTime(9999);
  expect([silence.hasExpired, silence.signal.aborted]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([silence.hasExpired, silence.signal.aborted]).toEqual([true, true]);
  end();
  await waited;
});

test('does not measure time while nothing is awaited', async () => {
  const silence = startSilenceTimeout(10, undefined);
  const { done, end } = work();
  const waited = silence.limit(done);
  end();
  await waited;
  vi.advanceTimersByTime(60_000);
  expect(silence.hasExpired).toBe(false);
  silence.end();
  expect([silence.hasExpired, silence.signal.aborted]).toEqual([false, true]);
});

test("aborts at once with the caller's signal, even before it begins", () => {
  const caller = new AbortController();
  const silence = startSilenceTimeout(10, caller.signal);
  caller.abort();
  expect([silence.signal.aborted, silence.hasExpired]).toEqual([true, false]);
  expect(startSilenceTimeout(10, caller.signal).signal.aborted).toBe(true);
});
