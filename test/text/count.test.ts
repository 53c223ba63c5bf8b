import { expect, test } from 'vitest';
import { count, countOf } from '../../src/text/count.ts';

test('uses the singular for one, and the plural for all other numbers', () => {
  expect([0, 1, 2, 1200].map((number) => count(number, 'chunk'))).toEqual(['0 chunks', '1 chunk', '2 chunks', '1,200 chunks']);
  expect(count(2, 'query', 'queries')).toBe('2 queries');
  expect([countOf(0, 1, 'chunk'), countOf(1000, 1200, 'chunk')]).toEqual(['0 of 1 chunk', '1,000 of 1,200 chunks']);
});
