import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  processInOrder,
  charactersIn,
  readLargeAlone,
  MAX_SHARED_BYTES,
  MAX_BUFFERED,
  roomFor,
} from '../../../../../src/stages/extract/pages/crawl/crawl.ts';
import { KbError } from '../../../../../src/core/errors.ts';
import type { LoadedPage, PageRead } from '../../../../../src/stages/extract/pages/page.ts';

test('yields results in the order of the items, also of items that results have added', async () => {
  const waiting = [5, 1, 3];
  const results: number[] = [];
  const all = processInOrder({
    next: () => waiting.shift(),
    room: () => 3,
    at_once: 3,
    work: async (item: number) => wait(item * 3, item),
    onStop: () => {},
  });
  for await (const result of all) {
    results.push(result);
    if (result === 5) waiting.push(2);
  }
  expect(results).toEqual([5, 1, 3, 2]);
});

test('requests more items when nothing is in flight, until there are none', async () => {
  const waiting = [[2], [], [3, 4]];
  let open = 0;
  const asked: number[] = [];
  const work = async (item: number) => (open++, await wait(1), open--, item);
  const more = async () => {
    asked.push(open);
    return waiting.length > 0 && (waiting[0]!.length > 0 || (waiting.shift(), true));
  };
  const results = await Array.fromAsync(
    processInOrder({ next: () => waiting[0]?.shift(), more, room: () => 9, at_once: 9, work, onStop: () => {} }),
  );
  expect(results).toEqual([2, 3, 4]);
  expect(asked.every((running) => running === 0)).toBe(true);
});

test('keeps at most as many items in flight as there is room for, which may change', async () => {
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
  for await (const result of processInOrder({ next: () => next++, room: () => room, at_once: 9, work, onStop: () => {} })) {
    results.push(result);
    if (result === 3) room = 0;
  }
  expect(results).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});

test('stops work in flight when the reader stops', async () => {
  const stop = new AbortController();
  const work = (item: number) => (item === 0 ? Promise.resolve(item) : wait(60_000, item, { signal: stop.signal }));
  let next = 0;
  for await (const result of processInOrder({ next: () => next++, room: () => 4, at_once: 9, work, onStop: () => stop.abort() }))
    if (result === 0) break;
  expect([next, stop.signal.aborted]).toEqual([4, true]);
});

test('finished items make room although they wait for earlier ones, and the number at once is limited', async () => {
  const ends: (() => void)[] = [];
  let next = 0;
  let held = 0;
  const work = async (item: number) => {
    await new Promise<void>((end) => (ends[item] = end));
    held++;
    return item;
  };
  const options = { next: () => (next < 9 ? next++ : undefined), room: () => (held > 3 ? 0 : 9), at_once: 3, work, onStop: () => {} };
  const results = Array.fromAsync(processInOrder(options));
  for (const item of [2, 1, 3, 4]) {
    while (!ends[item]) await new Promise((turn) => setImmediate(turn));
    ends[item]!();
    for (let i = 0; i < 5; i++) await new Promise((turn) => setImmediate(turn));
  }
  expect([next, held]).toEqual([6, 4]);
  held = 0;
  for (let item = 0; item < 9; item++) {
    if ([1, 2, 3, 4].includes(item)) continue;
    while (!ends[item]) await new Promise((turn) => setImmediate(turn));
    ends[item]!();
  }
  expect(await results).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

const pageOf = (length: number): PageRead => ({ page: { parsed: { text: { length } as string } } as LoadedPage });
const tooLarge: PageRead = { failed: new KbError('too_large', 'It is too large.', { hint: 'Split it.' }), stage: 'fetch' };
const cutOff: PageRead = { ...tooLarge, isCutOff: true };

test('leaves room for some pages, and for none while too many characters are buffered', () => {
  expect([roomFor(5, 0), roomFor(1_000, MAX_BUFFERED), roomFor(5, MAX_BUFFERED + 1)]).toEqual([5, 64, 0]);
  expect([charactersIn(pageOf(3)), charactersIn(tooLarge)]).toEqual([3, 0]);
});

test('requests a large page again when no other large one is in flight', async () => {
  const read = readLargeAlone();
  const told: (number | undefined)[] = [];
  const ends: (() => void)[] = [];
  const load = async ({ max_bytes }: { max_bytes?: number }): Promise<PageRead> => {
    told.push(max_bytes);
    if (max_bytes !== undefined) return cutOff;
    await new Promise<void>((end) => ends.push(end));
    return pageOf(3);
  };
  const reads = [read(load), read(load)];
  for (let i = 0; i < reads.length; i++) {
    while (ends.length === i) await new Promise((turn) => setImmediate(turn));
    expect([told.filter((most) => most === MAX_SHARED_BYTES).length, told.filter((most) => most === undefined).length]).toEqual([2, i + 1]);
    ends[i]!();
  }
  expect(await Promise.all(reads)).toEqual([pageOf(3), pageOf(3)]);
});

test('keeps the error of a page that is too large in any case, and does not request other failures again', async () => {
  const read = readLargeAlone();
  let loads = 0;
  expect(await read(async () => (loads++, cutOff))).toBe(cutOff);
  expect(await read(async () => (loads++, tooLarge))).toBe(tooLarge);
  expect(loads).toBe(3);
});
