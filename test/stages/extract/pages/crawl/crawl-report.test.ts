import { expect, test } from 'vitest';
import {
  mayRequestPage,
  summarizeCrawl,
  MAX_SILENCE,
  siteFailure,
  type Crawl,
  addSilence,
} from '../../../../../src/stages/extract/pages/crawl/crawl.ts';
import { scopeOf, type Robots } from '../../../../../src/stages/extract/pages/crawl/crawl-rules.ts';
import type { CrawlParts } from '../../../../../src/stages/extract/pages/crawl/open-site.ts';
import { KbError } from '../../../../../src/core/errors.ts';
import type { PageRead } from '../../../../../src/stages/extract/pages/page.ts';

const url = 'http://a.example/';

/** How a crawl ends that is whole, but for what a test says. */
const ended = ({ frontier, site, ...over }: { [Key in keyof Crawl]?: Partial<Crawl[Key]> }): ReturnType<typeof summarizeCrawl> =>
  summarizeCrawl({
    entry: { url, max_pages: 5, max_depth: 3, include: [], exclude: [] },
    limit: 115,
    pages: 1,
    failed_in_a_row: 0,
    silence: 0,
    in_flight: 0,
    logins: 0,
    deferred: [],
    notices: [],
    skipped: new Map(),
    ...over,
    frontier: { unread: 0, deeper: 0, isOverflowing: false, ...frontier },
    site: {
      scope: scopeOf({ start: url, final: url }, { include: [], exclude: [] }),
      robots: { isExhausted: () => false },
      ...site,
    },
  } as unknown as Crawl);

const whole = 'the crawl of http://a.example/ is incomplete.';
const told = (text: string, doubt?: string) => ({ notices: [`The crawl of http://a.example/ ${text}`], ...(doubt ? { doubt } : {}) });

test('a complete crawl has neither notices nor a doubt', () => {
  expect(ended({})).toEqual({ notices: [] });
});

test('more addresses than a crawl remembers give a notice', () => {
  expect(ended({ frontier: { isOverflowing: true } })).toEqual(
    told('is incomplete: it found more than 200,000 addresses and ignored further ones.', whole),
  );
});

test('a crawl that stopped names the reason and the unread addresses, including pages in flight', () => {
  const stopped = 'nothing could be read for 10 minutes';
  expect(ended({ silence: MAX_SILENCE, frontier: { unread: 2 }, in_flight: 3 })).toEqual(
    told(`stopped because ${stopped}: 5 further addresses were found and not read.`, whole),
  );
  expect(ended({ silence: MAX_SILENCE })).toEqual(told(`stopped because ${stopped}: 0 further addresses were found and not read.`, whole));
  expect(ended({ pages: 5, frontier: { unread: 1, isOverflowing: true } })).toEqual(
    told('stopped at max_pages = 5: more than 1 further address was found and not read.', whole),
  );
  expect(ended({ frontier: { unread: 4 } })).toEqual(
    told('stopped after 115 addresses that led to 1 page: 4 further addresses were found and not read.', whole),
  );
});

test('pages that were read and not stored give a notice and a doubt', () => {
  expect(ended({ pages: 5, deferred: Array(30).fill(undefined) })).toEqual(
    told('stopped at max_pages = 5: 30 pages were read and not stored.', whole),
  );
  expect(ended({ pages: 5, deferred: [undefined!], frontier: { unread: 2 } })).toEqual(
    told('stopped at max_pages = 5: 2 further addresses were found and not read, and 1 page was read and not stored.', whole),
  );
});

test('a limit that keeps pages from being found gives a notice and no doubt, because no page is gone for lack of a link', () => {
  const scope = scopeOf({ start: url, final: url }, { include: [], exclude: [] });
  const isExhausted = () => true;
  expect(ended({ frontier: { deeper: 2 } })).toEqual(told('ended at max_depth = 3: 2 addresses further away were not read.'));
  expect(ended({ site: { robots: { isExhausted } as Robots } })).toEqual(
    told('is incomplete: robots.txt has too many rules to check every address.'),
  );
  expect(ended({ site: { scope: { ...scope, isExhausted } } })).toEqual(
    told('is incomplete: include and exclude take too long to check every address.'),
  );
});

test('pages that turn into logins mean that the session ended, if there was one', () => {
  const http = (carriesCredentials: boolean) => ({ http: { carriesCredentials: () => carriesCredentials } }) as unknown as CrawlParts;
  expect(ended({ logins: 2, pages: 5, parts: http(true) }).notices).toEqual([
    expect.stringContaining('the session ended on the way, or was not accepted everywhere: 2 pages turned into a login page.'),
  ]);
  expect(ended({ logins: 2, pages: 5, parts: http(false) }).notices).toEqual([]);
});

test('skipped addresses give a notice and no doubt', () => {
  const scope = scopeOf({ start: `${url}docs/`, final: `${url}login/` }, { include: [], exclude: [] });
  expect(ended({ site: { scope } })).toEqual(
    told('was redirected by its start page to http://a.example/login/. To remove deleted pages, crawl that address itself.'),
  );
  expect(ended({ skipped: new Map([['robots', { first: `${url}x`, keys: new Set(['x']) }]]) })).toEqual(
    told('left out 1 address that robots.txt forbids (http://a.example/x).'),
  );
});

const failed = (code: 'unavailable' | 'forbidden'): PageRead => ({ failed: new KbError(code, 'It failed.'), stage: 'fetch' });

test('silence grows until an answer comes, and a refusal is an answer', () => {
  const leaves = (silence: number): boolean => siteFailure({ failed_in_a_row: 0, silence }) !== undefined;
  const silence = addSilence(0, failed('unavailable'), MAX_SILENCE - 1);
  expect(leaves(silence)).toBe(false);
  expect(leaves(addSilence(silence, failed('unavailable'), 1))).toBe(true);
  for (const answer of [failed('forbidden'), { unreadable: 'image/png' }]) expect(addSilence(silence, answer, MAX_SILENCE)).toBe(0);
});

test('requests another page while there is room for it, also behind pages that wait for a slow one', () => {
  const page = { url, key: '', depth: 1, trail: [] };
  const reading = (length: number, characters?: number) =>
    Array.from({ length }, () => ({
      page,
      end: Promise.resolve(),
      ...(characters === undefined ? {} : { answer: { page: { parsed: { text: { length: characters } } } } as PageRead }),
    }));
  expect([mayRequestPage([], 1), mayRequestPage([], 0), mayRequestPage(reading(15), 99), mayRequestPage(reading(16), 99)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([mayRequestPage(reading(63, 1), 99), mayRequestPage(reading(64, 1), 99), mayRequestPage(reading(5, 1), 5)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([mayRequestPage(reading(1, 50_000_000), 99), mayRequestPage(reading(1, 50_000_001), 99)]).toEqual([true, false]);
});
