import { expect, test } from 'vitest';
import { endingOf, type CrawlEnd } from '../../../../../src/stages/extract/pages/crawl/crawl.ts';
import { scopeOf } from '../../../../../src/stages/extract/pages/crawl/scope.ts';

const url = 'http://a.example/';

type Parts = 'frontier' | 'harvest' | 'beside' | 'site';
type Given = Partial<Omit<CrawlEnd, Parts>> & { [Part in Parts]?: Partial<CrawlEnd[Part]> };

/** How a crawl ends that is whole, but for what a test says. */
const ended = ({ frontier, harvest, beside, site, ...over }: Given): ReturnType<typeof endingOf> =>
  endingOf({
    name: url,
    max_pages: 5,
    max_depth: 3,
    limit: 115,
    stopped: undefined,
    underWay: 0,
    leftOut: { text: undefined },
    ...over,
    frontier: { unread: 0, deeper: 0, traps: 0, isOverflowing: false, ...frontier },
    harvest: { pages: 1, deferred: 0, unread: undefined, eclipsed: undefined, away: undefined, ...harvest },
    beside: { hasSitemaps: true, isWhole: true, notices: [], ...beside },
    site: {
      notices: [],
      scope: scopeOf({ start: url, final: url }, { include: [], exclude: [] }),
      robots: { isExhausted: () => false },
      ...site,
    },
  });

const whole = 'the crawl of http://a.example/ is incomplete.';
const told = (text: string, doubt?: string) => ({ notices: [`The crawl of http://a.example/ ${text}`], ...(doubt ? { doubt } : {}) });

test('of a crawl that came to its end nothing is told, and nothing is in doubt', () => {
  expect(ended({})).toEqual({ notices: [] });
});

test('more addresses than a crawl keeps apart are told of by themselves', () => {
  expect(ended({ frontier: { isOverflowing: true } })).toEqual(
    told('is incomplete: it found more than 200,000 addresses and ignored further ones.', whole),
  );
});

test('a crawl that stopped tells why before what it left, the pages included whose answers it did not wait for', () => {
  const stopped = 'nothing could be read for 10 minutes';
  expect(ended({ stopped, frontier: { unread: 2 }, underWay: 3 })).toEqual(
    told(`stopped because ${stopped}: 5 further addresses were found and not read.`, whole),
  );
  expect(ended({ stopped })).toEqual(told(`stopped because ${stopped}: 0 further addresses were found and not read.`, whole));
  expect(ended({ harvest: { pages: 5 }, frontier: { unread: 1, isOverflowing: true } })).toEqual(
    told('stopped at max_pages = 5: more than 1 further address was found and not read.', whole),
  );
  expect(ended({ frontier: { unread: 4 } })).toEqual(
    told('stopped after 115 addresses that led to 1 page: 4 further addresses were found and not read.', whole),
  );
});

test('pages that were read and got no turn are told of, and are a reason for doubt', () => {
  expect(ended({ harvest: { pages: 5, deferred: 30 } })).toEqual(
    told('stopped at max_pages = 5: 30 pages were read and not stored.', whole),
  );
  expect(ended({ harvest: { pages: 5, deferred: 1 }, frontier: { unread: 2 } })).toEqual(
    told('stopped at max_pages = 5: 2 further addresses were found and not read, and 1 page was read and not stored.', whole),
  );
});

test('each reason why there may be more than was found is a reason for doubt', () => {
  const scope = scopeOf({ start: url, final: url }, { include: [], exclude: [] });
  const isExhausted = () => true;
  expect(ended({ frontier: { deeper: 2 } })).toEqual(told('ended at max_depth = 3: 2 addresses further away were not read.', whole));
  expect(ended({ site: { robots: { isExhausted } } })).toEqual(
    told('is incomplete: robots.txt has too many rules to check every address.', whole),
  );
  expect(ended({ site: { scope: { ...scope, isExhausted } } })).toEqual(
    told('is incomplete: include and exclude take too long to check every address.', whole),
  );
  expect(ended({ beside: { hasSitemaps: false } })).toEqual({ notices: [], doubt: whole });
  expect(ended({ beside: { isWhole: false, notices: ['The feed was left out.'] } })).toEqual({
    notices: ['The feed was left out.'],
    doubt: whole,
  });
});

test('a page that could not be read is named as the reason for doubt', () => {
  const harvest = { unread: `${url}a` };
  expect(ended({ harvest })).toEqual({ notices: [], doubt: `${url}a could not be read, and may lead there.` });
  expect(ended({ harvest, frontier: { deeper: 1 } }).doubt).toBe(`${url}a could not be read, and may lead there.`);
});

test('what was left out on purpose is told, and is no reason for doubt', () => {
  const scope = scopeOf({ start: `${url}docs/`, final: `${url}login/` }, { include: [], exclude: [] });
  expect(ended({ site: { scope } })).toEqual(
    told('was redirected by its start page to http://a.example/login/. To remove deleted pages, crawl that address itself.'),
  );
  expect(ended({ leftOut: { text: '1 address that robots.txt forbids (http://a.example/x)' } })).toEqual(
    told('left out 1 address that robots.txt forbids (http://a.example/x).'),
  );
  expect(ended({ frontier: { traps: 1 } }).doubt).toBeUndefined();
});
