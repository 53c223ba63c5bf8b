import { expect, test } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import { charactersIn, largeOnesAlone, MOST_BESIDE, MOST_HELD, roomFor } from '../../../../../src/stages/extract/pages/crawl/crawl.ts';
import type { LoadedPage, PageRead } from '../../../../../src/stages/extract/pages/page.ts';

const pageOf = (length: number): PageRead => ({ page: { parsed: { text: { length } as string } } as LoadedPage });
const tooLarge: PageRead = { failed: new KbError('too_large', 'It is too large.', { hint: 'Split it.' }), stage: 'fetch' };
const cutOff: PageRead = { ...tooLarge, isCutOff: true };

test('there is room for some pages, and for none while those that wait hold too much', () => {
  expect([roomFor(5, 0), roomFor(1_000, MOST_HELD), roomFor(5, MOST_HELD + 1)]).toEqual([5, 64, 0]);
  expect([charactersIn(pageOf(3)), charactersIn(tooLarge)]).toEqual([3, 0]);
});

test('a page that is larger than others may be is asked for again, when no other one is', async () => {
  const read = largeOnesAlone();
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
    expect([told.filter((most) => most === MOST_BESIDE).length, told.filter((most) => most === undefined).length]).toEqual([2, i + 1]);
    ends[i]!();
  }
  expect(await Promise.all(reads)).toEqual([pageOf(3), pageOf(3)]);
});

test('a page that is too large all the same stays what it is, and what asking again would not help is not asked for again', async () => {
  const read = largeOnesAlone();
  let loads = 0;
  expect(await read(async () => (loads++, cutOff))).toBe(cutOff);
  expect(await read(async () => (loads++, tooLarge))).toBe(tooLarge);
  expect(loads).toBe(3);
});
