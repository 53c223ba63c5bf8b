import { expect, it } from 'vitest';
import { pageRanges } from '../src/page-ranges.ts';

it('pages are written as ascending ranges', () => {
  expect(pageRanges([9, 2, 3, 4, 5])).toBe('2-5, 9');
  expect(pageRanges([7])).toBe('7');
});
