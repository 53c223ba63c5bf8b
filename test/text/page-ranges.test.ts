import { expect, it } from 'vitest';
import { pageRanges, pagesIn } from '../../src/text/location-text.ts';

it('writes pages as ranges, and counts them again', () => {
  expect(pageRanges([9, 2, 3, 4, 5])).toBe('2-5, 9');
  expect(pageRanges([7])).toBe('7');
  expect([pagesIn('2-5, 9'), pagesIn('7')]).toEqual([5, 1]);
});
