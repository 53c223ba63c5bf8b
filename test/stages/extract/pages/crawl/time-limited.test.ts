import { afterEach, expect, test, vi } from 'vitest';
import { timeLimited } from '../../../../../src/stages/extract/pages/crawl/robots.ts';

afterEach(() => void vi.useRealTimers());

test('a question is answered until its time is spent, and with no from then on', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let asked = 0;
  const { ask, isSpent } = timeLimited(5, (address) => {
    asked++;
    vi.advanceTimersByTime(3);
    return address === 'yes';
  });
  expect([ask('yes'), ask('no'), isSpent(), ask('yes'), asked]).toEqual([true, false, true, false, 2]);
});

test('a question that costs nothing is always answered', () => {
  const { ask, isSpent } = timeLimited(1_000, () => true);
  for (let i = 0; i < 1_000; i++) expect(ask(String(i))).toBe(true);
  expect(isSpent()).toBe(false);
});
