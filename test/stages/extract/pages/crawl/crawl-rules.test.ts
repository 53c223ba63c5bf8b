import { describe, expect, it, test, afterEach, vi } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import {
  type LoadAddress,
  productOf,
  readRobots,
  pathPattern,
  scopeOf,
  limitTime,
} from '../../../../../src/stages/extract/pages/crawl/crawl-rules.ts';

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
])('extracts the product of %s: %s', (user_agent, product) => expect(productOf(user_agent)).toBe(product));

describe('the rules of a site', () => {
  it('apply by the longest match, with sitemaps and a numeric delay', async () => {
    const robots = await rulesOf('User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2\nSitemap: /s.xml');
    expect(['/a', '/a/b', '/c'].map((path) => robots.allows(site + path))).toEqual([false, true, true]);
    expect([robots.delay, robots.sitemaps, robots.isExhausted()]).toEqual([2, ['/s.xml'], false]);
    expect((await rulesOf('User-agent: *\nCrawl-delay: soon')).delay).toBe(0);
  });

  it('are those of the named product, else those for all', async () => {
    const text = 'User-agent: other\nDisallow: /\n\nUser-agent: kb\nDisallow: /k\n\nUser-agent: *\nDisallow: /x';
    const [own, all] = [await rulesOf(text), await rulesOf(text, 'someone/1')];
    expect([own.allows(`${site}/k`), own.allows(`${site}/x`), all.allows(`${site}/k`), all.allows(`${site}/x`)]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('match addresses however unreserved letters are written', async () => {
    const robots = await rulesOf('User-agent: *\nDisallow: /%7Ecrew\nDisallow: /~guest/\nDisallow: /caf%C3%A9\nDisallow: /a%2Ab');
    const paths = ['/~crew/a', '/%7Eguest/b', '/café/c', '/a*b', '/a%2ab', '/~open'];
    expect(paths.map((path) => robots.allows(site + encodeURI(path).replaceAll('%25', '%')))).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('are cut at their first wildcard if there are too many wildcards', async () => {
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

  it.each([400, 401, 403, 404, 410, 451])('allow everything if the status is %s', async (status) => {
    const load: LoadAddress = async (_address, { accepts = [] } = {}) => {
      expect(accepts).toContain(status);
      return answer(status);
    };
    expect((await readRobots(site, { load, user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
  });

  it('are an error if the failure may be temporary', async () => {
    let accepted: readonly number[] = [];
    const load: LoadAddress = async (_address, { accepts = [] } = {}) => {
      accepted = accepts;
      return answer(404);
    };
    await readRobots(site, { load, user_agent: 'kb' });
    expect([408, 425, 429, 500, 503].filter((status) => accepted.includes(status))).toEqual([]);
  });

  it('are those of this crawler and of all, in groups that name several', async () => {
    const text = 'User-agent: Other\nUser-agent: KB/1.0\n# note\nUser-agent: Third\nDisallow: /kb\n\nUser-agent: Fourth\nDisallow: /\n';
    const robots = await rulesOf(text);
    expect(['/kb', '/all'].map((path) => robots.allows(site + path))).toEqual([false, true]);
    expect((await rulesOf(text, 'Unnamed')).allows(`${site}/kb`)).toBe(true);
  });

  // kept once for each name, the rules would fill the memory
  it('are read of groups with thousands of names and rules', async () => {
    const names = Array.from({ length: 15_000 }, (_, i) => `User-agent: ${i}\n`).join('');
    const robots = await rulesOf(`${names}User-agent: kb\n${'Allow:/a\n'.repeat(15_000)}Disallow: /b\n`);
    expect([robots.allows(`${site}/a`), robots.allows(`${site}/b`)]).toEqual([true, false]);
  });

  it('are found behind redirects, but not behind too many', async () => {
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

  it('allow everything if the address guard forbids the site, whose pages fail anyway', async () => {
    const load = () => Promise.reject(new KbError('forbidden', 'No.'));
    expect((await readRobots(site, { load, user_agent: 'kb' })).allows(`${site}/a`)).toBe(true);
  });

  it.each([
    ['unavailable', true],
    ['too_large', false],
    ['invalid', false],
  ] as const)('are an error if the response is "%s"', async (code, isRetryable) => {
    const load = () => Promise.reject(new KbError(code, 'No.', { isRetryable, attempts: 4 }));
    await expect(readRobots(site, { load, user_agent: 'kb' })).rejects.toMatchObject({
      code,
      isRetryable,
      attempts: 4,
      message: expect.stringContaining('so nothing was crawled'),
    });
  });
});

const covered = (start: string, final: string, paths: string[], patterns = {}) => {
  const scope = scopeOf({ start, final }, { include: [], exclude: [], ...patterns });
  return paths.filter((path) => scope.covers(new URL(path, site).href));
};

test('rejects a pattern that is an address', () => {
  expect(() => pathPattern('https://a.example/docs/**')).toThrow(/is an address: include and exclude take paths/);
});

test('maps a source stored under http to https only if the start page has moved there', () => {
  const found = (final: string, source: string) =>
    scopeOf({ start: `${site}/docs/`, final }, { include: [], exclude: [] }).currentAddress(source);
  const secure = 'https://a.example/docs/';
  expect(found(secure, `${site}/docs/a`)).toBe('https://a.example/docs/a');
  for (const other of ['http://a.example.org/docs/a', 'http://a.example:81/docs/a', `${secure}a`, 'no address'])
    expect(found(secure, other)).toBe(other);
  for (const final of [`${site}/docs/`, 'https://b.example/docs/']) expect(found(final, `${site}/docs/a`)).toBe(`${site}/docs/a`);
});

describe('the scope of a crawl', () => {
  const paths = [
    '/',
    '/docs',
    '/docs/',
    '/docs/a',
    '/docs-old/a',
    '/blog/',
    'http://b.example/docs/',
    'https://a.example/docs/',
    'http://a.example:81/docs/',
  ];
  const docs = ['/docs', '/docs/', '/docs/a'];

  it.each([
    ['/docs/', '/docs/', docs],
    ['/docs/intro', '/docs/intro', docs],
    ['/docs', '/docs/', docs],
    ['/', '/', paths.slice(0, 6)],
    ['/docs', '/docs', paths.slice(0, 6)],
  ])('covers the expected addresses from %s, found at %s', (start, final, expected) =>
    expect(covered(site + start, site + final, paths)).toEqual(expected),
  );

  it('is at the final start page, but not narrower than requested', () => {
    expect(covered('http://old.example/', `${site}/en/`, ['/en/a', '/de/a'])).toEqual(['/en/a', '/de/a']);
    expect(covered('http://old.example/manual/start', `${site}/docs/start`, ['/docs/a', '/manual/a'])).toEqual(['/docs/a']);
  });
});

describe('whether a crawl may find stored pages gone', () => {
  it.each([
    [`${site}/docs/`, `${site}/docs/`, true],
    [`${site}/docs`, `${site}/docs/`, true],
    [`${site}/docs/intro`, `${site}/docs/start`, true],
    [`${site}/`, `${site}/en/`, true],
    [`${site}/`, 'https://a.example/', true],
    [`${site}/docs/`, `${site}/login`, false],
    [`${site}/docs/`, 'http://b.example/docs/', false],
    ['https://a.example/', `${site}/`, false],
    [`${site}/`, 'http://a.example:81/', false],
  ])('is decided from %s, found at %s: %s', (start, final, isUnmoved) =>
    expect(scopeOf({ start, final }, { include: [], exclude: [] }).isUnmoved).toBe(isUnmoved),
  );
});

describe('a path pattern', () => {
  it.each([
    ['/docs/**', ['/docs/', '/docs/a', '/docs/a/b', '/docs/a/b/'], ['/', '/docs-old/a', '/x/docs/a']],
    ['/docs/*', ['/docs/a', '/docs/a/'], ['/docs/a/b']],
    ['/docs/old', ['/docs/old', '/docs/old/', '/docs/old/a'], ['/docs/older', '/docs']],
    ['docs', ['/docs', '/docs/a'], ['/a/docs']],
    ['/**/*.html', ['/a.html', '/a/b.html'], ['/a', '/a.htm']],
    ['/a/**/**/**/b', ['/a/b', '/a/x/y/b'], ['/b']],
    ['/v?/a', ['/v1/a', '/v2/a/'], ['/v10/a']],
    ['/über/*', ['/über/a'], ['/uber/a']],
  ])('matches the expected paths: %s', (pattern, yes, no) => {
    const matches = pathPattern(pattern);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter(matches)).toEqual([]);
  });

  it('is matched against the decoded path, not the query', () => {
    expect(covered(`${site}/`, `${site}/`, ['/%C3%BCber/a?x=/b/', '/b/a'], { include: ['/über/**'] })).toEqual(['/%C3%BCber/a?x=/b/']);
  });

  it('is rejected if it climbs', () => {
    expect(() => pathPattern('/a/../b')).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  it('that is built to be slow matches in little time', () => {
    const folders = 'abcdefghijklmnopqrstuvwxyz'.split('').join('/');
    for (const pattern of ['/**'.repeat(120), '/**/*a*'.repeat(60), `/${'*a'.repeat(240)}*c`, '/**/a'.repeat(100)])
      for (const path of [`/${folders}`, `/${'a'.repeat(1_900)}`]) expect([true, false]).toContain(pathPattern(pattern)(path));
  });
});

afterEach(() => void vi.useRealTimers());

test('a time-limited predicate is false once its time is used up', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let asked = 0;
  const { matches, isSpent } = limitTime(5, (address) => {
    asked++;
    vi.advanceTimersByTime(3);
    return address === 'yes';
  });
  expect([matches('yes'), matches('no'), isSpent(), matches('yes'), asked]).toEqual([true, false, true, false, 2]);
});

test('a predicate that takes no time is always called', () => {
  const { matches, isSpent } = limitTime(1_000, () => true);
  for (let i = 0; i < 1_000; i++) expect(matches(String(i))).toBe(true);
  expect(isSpent()).toBe(false);
});
