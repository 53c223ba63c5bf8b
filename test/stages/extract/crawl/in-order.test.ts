import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from '../../../../src/stages/extract/crawl/in-order.ts';

test('results come in the order of the items, those included that results have brought', async () => {
  const waiting = [5, 1, 3];
  const results: number[] = [];
  const all = inOrder({ next: () => waiting.shift(), room: () => 3, work: async (item: number) => wait(item * 3, item), onStop: () => {} });
  for await (const result of all) {
    results.push(result);
    if (result === 5) waiting.push(2);
  }
  expect(results).toEqual([5, 1, 3, 2]);
});

test('no more are under way than there is room for, which may change', async () => {
  let open = 0;
  let most = 0;
  let room = 2;
  let next = 0;
  const work = async (item: number) => {
    most = Math.max(most, ++open);
    await wait(1);
    open--;
    return item;
  };
  const results = [];
  for await (const result of inOrder({ next: () => next++, room: () => room, work, onStop: () => {} })) {
    results.push(result);
    if (result === 3) room = 0;
  }
  expect(results).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});

test('what is under way is told to stop where results are not wanted any more', async () => {
  const stop = new AbortController();
  const work = (item: number) => (item === 0 ? Promise.resolve(item) : wait(60_000, item, { signal: stop.signal }));
  let next = 0;
  for await (const result of inOrder({ next: () => next++, room: () => 4, work, onStop: () => stop.abort() })) if (result === 0) break;
  expect([next, stop.signal.aborted]).toEqual([4, true]);
});
