import { expect, test } from 'vitest';
import { LONGEST_SILENCE, IdleTimeout } from '../../../../../src/stages/extract/pages/crawl/time-limits.ts';

test('silence is what is waited for without an answer, and not what is done in between', () => {
  let now = 0;
  const silence = new IdleTimeout(() => now);
  const waited = (milliseconds: number, isAnswer: boolean): boolean => {
    silence.begin();
    now += milliseconds;
    silence.end(isAnswer);
    now += LONGEST_SILENCE;
    return silence.isTooLong;
  };
  expect(waited(LONGEST_SILENCE, true)).toBe(false);
  expect(waited(LONGEST_SILENCE - 1, false)).toBe(false);
  expect(waited(1, false)).toBe(true);
  expect(waited(1, true)).toBe(false);
});
