import { expect, it } from 'vitest';
import { batched } from '../../src/core/concurrency.ts';

it('calls of one turn go together, and each gets its own result', async () => {
  const batches: number[][] = [];
  const double = batched(3, async (items: number[]) => {
    batches.push(items);
    return items.map((item) => item * 2);
  });
  expect(await Promise.all([1, 2, 3, 4, 5].map((item) => double(item)))).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(await double(6)).toBe(12);
});

it('a batch that fails fails for all of its calls, and for no other', async () => {
  const pass = batched(2, async (items: number[]) => {
    if (items.includes(2)) throw new Error('two is bad');
    return items;
  });
  const results = await Promise.allSettled([1, 2, 3].map((item) => pass(item)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
