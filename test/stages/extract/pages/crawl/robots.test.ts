import { describe, expect, it, test } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import { type LoadAddress, productOf, readRobots } from '../../../../../src/stages/extract/pages/crawl/robots.ts';

const site = 'http://a.example';
const rulesOf = (text: string, user_agent = 'kb') =>
  readRobots(site, {
    user_agent,
    load: async (url) => ({ url, status: 200, headers: {}, bytes: Buffer.from(text), content_type: '', charset: undefined }),
  });

test.each([
  ['kb', 'kb'],
  ['AquaBot/1.0 (+https://aqua.example)', 'AquaBot'],
  ['Mozilla/5.0 (compatible; Aqua-Bot/2.1; +https://aqua.example)', 'Aqua-Bot'],
  ['', '*'],
])('the product of %s is %s', (user_agent, product) => expect(productOf(user_agent)).toBe(product));

describe('the rules of a site', () => {
  it('are the longest that fits, with sitemaps and a delay that is a number', async () => {
    const robots = await rulesOf('User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2\nSitemap: /s.xml');
    expect(['/a', '/a/b', '/c'].map((path) => robots.allows(site + path))).toEqual([false, true, true]);
    expect([robots.delay, robots.sitemaps, robots.isExhausted()]).toEqual([2, ['/s.xml'], false]);
    expect((await rulesOf('User-agent: *\nCrawl-delay: soon')).delay).toBe(0);
  });

  it('are those of the one that asks, else those for all', async () => {
    const text = 'User-agent: other\nDisallow: /\n\nUser-agent: kb\nDisallow: /k\n\nUser-agent: *\nDisallow: /x';
    const [own, all] = [await rulesOf(text), await rulesOf(text, 'someone/1')];
    expect([own.allows(`${site}/k`), own.allows(`${site}/x`), all.allows(`${site}/k`), all.allows(`${site}/x`)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('are cut at their first wildcard where there are too many of them', async () => {
    const robots = await rulesOf(`User-agent: *\nDisallow: /b/*.tmp$\nDisallow: /a/${'*x'.repeat(9)}\nAllow: /a/q${'*x'.repeat(9)}`);
    expect(['/b/1.tmp', '/b/1', '/a/1', '/a/q', '/c'].map((path) => robots.allows(site + path))).toEqual([false, true, false, false, true]);
  });

  const answer = (status: number, headers = {}, text = 'User-agent: *\nDisallow: /') => ({
    url: `${site}/robots.txt`,
    status,
    headers,
    bytes: Buffer.from(text),
    content_type: '',
    charset: undefined,
  });

  it.each([400, 401, 403, 404, 410, 451])('are none where the answer is %s', async (status) => {
    const load: LoadAddress = async (_address, { accepts = [] } = {}) => {
      expect(accepts).toContain(status);
      return answer(status);
    };
    expect((await readRobots(site, { load, user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
  });

  it('are not known where the answer may be another one in a moment', async () => {
    let accepted: readonly number[] = [];
    const load: LoadAddress = async (_address, { accepts = [] } = {}) => {
      accepted = accepts;
      return answer(404);
    };
    await readRobots(site, { load, user_agent: 'kb' });
    expect([408, 425, 429, 500, 503].filter((status) => accepted.includes(status))).toEqual([]);
  });

  it('are where redirects lead, and none behind too many of them', async () => {
    let asked = 0;
    const way =
      (length: number): LoadAddress =>
      async () =>
        asked++ < length ? answer(302, { location: `/r${asked}` }) : answer(200);
    expect((await readRobots(site, { load: way(5), user_agent: 'kb' })).allows(`${site}/a`)).toBe(false);
    asked = 0;
    expect((await readRobots(site, { load: way(Infinity), user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
    expect(asked).toBeLessThan(20);
    const away: LoadAddress = async () => answer(302, { location: 'ftp://a.example/robots.txt' });
    expect((await readRobots(site, { load: away, user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
  });

  it('are none where the site is one that may not be fetched from: its pages say so', async () => {
    const load = () => Promise.reject(new KbError('forbidden', 'No.'));
    expect((await readRobots(site, { load, user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
  });

  it.each([
    ['unavailable', true],
    ['too_large', false],
    ['invalid', false],
  ] as const)('are not known where the answer is «%s»', async (code, isRetryable) => {
    const load = () => Promise.reject(new KbError(code, 'No.', { isRetryable, attempts: 4 }));
    await expect(readRobots(site, { load, user_agent: 'kb' })).rejects.toMatchObject({
      code,
      isRetryable,
      attempts: 4,
      message: expect.stringContaining('so nothing was crawled'),
    });
  });
});
