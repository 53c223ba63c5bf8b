import { expect, test } from 'vitest';
import { CITATIONS, numbersCited } from '../../src/text/citations.ts';

test('brackets with numbers are citations, and escaped ones are not', () => {
  const lists = Array.from('A [1], B [2, 3]; C [2–4] \\[5\\] [x] [] x[6].'.matchAll(CITATIONS), ([, list]) => list);
  expect(lists).toEqual(['1', '2, 3', '2–4', '6']);
});

test.each([
  ['1', [1]],
  ['1, 3;2', [1, 3, 2]],
  [' 2 - 4 ', [2, 3, 4]],
  ['9', [9]],
  ['0', [0]],
  ['0, 1', undefined],
  ['0-3', undefined],
  ['1-50', undefined],
  ['2024', undefined],
  ['3-1', undefined],
  ['1,', undefined],
])('beside three sources [%s] names %j', (list, numbers) => {
  expect(numbersCited(list, 3)).toEqual(numbers);
});

test('a range may end among twice as many as there are', () => {
  expect(numbersCited('1-40', 20)).toHaveLength(40);
  expect(numbersCited('1-41', 20)).toBeUndefined();
});
