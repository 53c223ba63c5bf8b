import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Settling } from '../../../src/engine/watching/settling.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('changes have settled when none has come for a second', () => {
  const settled = vi.fn<() => void>();
  const settling = new Settling(settled);
  settling.note();
  vi.advanceTimersByTime(900);
  settling.note();
  vi.advanceTimersByTime(999);
  expect([settled.mock.calls.length, settling.isWaiting]).toEqual([0, true]);
  vi.advanceTimersByTime(1);
  expect([settled.mock.calls.length, settling.isWaiting]).toEqual([1, false]);
});

it('changes without end are taken every 30 seconds', () => {
  const times: number[] = [];
  const begin = Date.now();
  const settling = new Settling(() => {
    times.push(Date.now() - begin);
    settling.reset();
  });
  for (let passed = 0; passed < 75_000; passed += 500) {
    settling.note();
    vi.advanceTimersByTime(500);
  }
  expect(times).toEqual([30_000, 60_000]);
});

it('what is taken before it has settled calls nobody', () => {
  const settled = vi.fn<() => void>();
  const settling = new Settling(settled);
  settling.note();
  settling.reset();
  vi.advanceTimersByTime(60_000);
  expect(settled).not.toHaveBeenCalled();
});
