import { expect, test } from 'vitest';
import { type QueuedPage, RetryQueue } from '../../../../../src/stages/extract/pages/crawl/page-collector.ts';
import type { LoadedPage } from '../../../../../src/stages/extract/pages/page.ts';

const pageOf = (place: string, length: number) =>
  ({ place, loaded: { parsed: { text: { length } as string } } as LoadedPage }) as QueuedPage;

test('pages that wait are kept as they were read up to a bound, and come in their order', () => {
  const deferred = new RetryQueue();
  deferred.add(pageOf('a', 20_000_000));
  deferred.add(pageOf('b', 1));
  deferred.add(pageOf('c', 1));
  expect(deferred.count).toBe(3);
  const [a, b] = [deferred.take(), deferred.take()];
  deferred.add(pageOf('d', 1));
  const rest = [deferred.take(), deferred.take()];
  expect([a, b, ...rest].map(({ place, loaded }) => [place, loaded !== undefined])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
    ['d', true],
  ]);
  expect(deferred.count).toBe(0);
});
