import { expect, it } from 'vitest';
import type { RetrievedItem } from '../../../src/schema/items.ts';
import { takeDistinct } from '../../../src/stages/retrieve/identical.ts';

const oil =
  'The filter of the winch keeps the oil clean, and the crew of the valley hut looks at it each morning before the first cabin leaves, in winter twice a day.';
const item = (id: string, text: string, score: number): RetrievedItem => ({ id, chunk_id: id, text, metadata: { source: id }, score });

it('puts passages that are nearly identical to a better one behind all others, with a score of at most theirs', () => {
  const items = [
    item('a', oil, 0.9),
    item('b', oil.replace('valley', 'upper'), 0.8),
    item('c', 'The filter is of type RF-518.', 0.7),
    item('d', `${oil} The number of the filter is 12.`, 0.6),
    item('e', oil.replace('keeps', 'holds'), 0.5),
  ];
  const ranked = (limit: number) => takeDistinct(items, limit).map(({ id, score }) => [id, score]);
  expect(ranked(2)).toEqual([
    ['a', 0.9],
    ['c', 0.7],
  ]);
  expect(ranked(4)).toEqual([
    ['a', 0.9],
    ['c', 0.7],
    ['d', 0.6],
    ['b', 0.6],
  ]);
  expect(ranked(9).map(([id]) => id)).toEqual(['a', 'c', 'd', 'b', 'e']);
  expect(takeDistinct([], 3)).toEqual([]);
});

it('keeps the order of short passages, and of those that differ in a number', () => {
  const items = [
    item('a', `${oil} It holds 12 litres.`, 0.9),
    item('b', `${oil} It holds 14 litres.`, 0.8),
    item('c', 'Yes, since version three.', 0.7),
    item('d', 'Yes, since version three!', 0.6),
    item('e', 'The lamp burns.', 0.5),
  ];
  expect(takeDistinct(items, 4).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

// with all compared, this would take half a minute
it('takes a thousand long passages', () => {
  const words = (i: number) => Array.from({ length: 900 }, (_, k) => ((i * 7919 + k * 104_729) % 999_983).toString(36)).join(' ');
  const items = Array.from({ length: 1_000 }, (_, i) => item(`${i}`, words(i), 1 - i / 1_000));
  expect(takeDistinct(items, 1_000).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
});
