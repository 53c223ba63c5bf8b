import { expect, test } from 'vitest';
import { endNotices, type Ending } from '../../../../src/stages/extract/crawl/ending.ts';
import { scopeOf } from '../../../../src/stages/extract/crawl/scope.ts';

const site = 'http://a.example/';
const told = (over: Partial<Omit<Ending, 'frontier'>>, frontier: Partial<Ending['frontier']> = {}): string[] => [
  ...endNotices({
    name: site,
    scope: scopeOf({ start: site, final: site }, { include: [], exclude: [] }),
    pages: 1,
    max_pages: 5,
    max_depth: 3,
    limit: 115,
    stopped: undefined,
    hasLongRules: false,
    eclipsed: undefined,
    ...over,
    frontier: { unread: 0, deeper: 0, traps: 0, isOverflowing: false, ...frontier },
  }),
];

test('of a crawl that came to its end nothing is told', () => expect(told({})).toEqual([]));

test('more addresses than a crawl keeps apart are told of by themselves', () => {
  expect(told({}, { isOverflowing: true })).toEqual([
    'The crawl of http://a.example/ is not whole: it found more than 200,000 addresses, and no further ones were looked at.',
  ]);
});

test('a crawl that stopped tells why before what it left', () => {
  expect(told({ stopped: 'nothing could be read for 10 minutes' }, { unread: 2 })).toEqual([
    'The crawl of http://a.example/ stopped because nothing could be read for 10 minutes: 2 further addresses were found and not read.',
  ]);
  expect(told({ pages: 5 }, { unread: 1, isOverflowing: true })).toEqual([
    'The crawl of http://a.example/ stopped at max_pages = 5: more than 1 further address was found and not read.',
  ]);
});

test('a crawl that was led elsewhere, and one that ended at its depth, tell it', () => {
  const scope = scopeOf({ start: `${site}docs/`, final: `${site}login/` }, { include: [], exclude: [] });
  expect(told({ scope }, { deeper: 2 })).toEqual([
    'The crawl of http://a.example/ ended at max_depth = 3: 2 addresses further away were not read.',
    'The crawl of http://a.example/ was led elsewhere by its start page, to http://a.example/login/: to have what is gone removed, crawl that address itself.',
  ]);
});
