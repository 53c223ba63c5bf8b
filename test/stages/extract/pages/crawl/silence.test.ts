import { expect, test } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import { failureOf, LONGEST_SILENCE } from '../../../../../src/stages/extract/pages/crawl/crawl-report.ts';
import { silenceAfter } from '../../../../../src/stages/extract/pages/crawl/take-page.ts';
import type { PageRead } from '../../../../../src/stages/extract/pages/page.ts';

const failed = (code: 'unavailable' | 'forbidden'): PageRead => ({ failed: new KbError(code, 'It failed.'), stage: 'fetch' });

test('silence is what is waited for without an answer, and a refusal is an answer', () => {
  const leaves = (silence: number): boolean => failureOf({ failed_in_a_row: 0, silence }) !== undefined;
  const silence = silenceAfter(0, failed('unavailable'), LONGEST_SILENCE - 1);
  expect(leaves(silence)).toBe(false);
  expect(leaves(silenceAfter(silence, failed('unavailable'), 1))).toBe(true);
  for (const answer of [failed('forbidden'), { unreadable: 'image/png' }]) expect(silenceAfter(silence, answer, LONGEST_SILENCE)).toBe(0);
});
