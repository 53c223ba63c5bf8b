import { expect, test } from 'vitest';
import { type Crawl, deferPage, type CrawledPage, nextDeferred } from '../../../../../src/stages/extract/pages/crawl/process-page.ts';
import type { LoadedPage } from '../../../../../src/stages/extract/pages/page.ts';

const pageOf = (source: string, length: number) =>
  ({ source, loaded: { parsed: { text: { length } as string } } as LoadedPage }) as CrawledPage;

test('deferred pages keep their content up to a maximum, and are taken in order', () => {
  const crawl: Pick<Crawl, 'deferred' | 'kept'> = { deferred: [], kept: 0 };
  deferPage(pageOf('a', 20_000_000), crawl);
  deferPage(pageOf('b', 1), crawl);
  deferPage(pageOf('c', 1), crawl);
  expect(crawl.deferred).toHaveLength(3);
  const [a, b] = [nextDeferred(crawl), nextDeferred(crawl)];
  deferPage(pageOf('d', 1), crawl);
  const rest = [nextDeferred(crawl), nextDeferred(crawl)];
  expect([a, b, ...rest].map(({ source, loaded }) => [source, loaded !== undefined])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
    ['d', true],
  ]);
  expect(crawl).toEqual({ deferred: [], kept: 0 });
});
