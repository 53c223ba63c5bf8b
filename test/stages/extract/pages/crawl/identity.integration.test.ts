import { expect, test } from 'vitest';
import type { SiteRoute } from '../../../../support/site.ts';
import { openDoor } from '../../fetching.ts';
import { article, asked, crawled, memoryOf, pageReader, paths, siteKeeper, type Crawled } from './crawling.ts';

const site = siteKeeper();

const canonical = (address: string) => `<link rel="canonical" href="${address}">`;
const noindex = '<meta name="robots" content="noindex">';
const to = (location: string, status = 302): SiteRoute => ({ status, headers: { location } });

/** A page with an ETag, which is answered with 304 where it is the one that was sent. */
const tagged =
  (tag: string, page: string): SiteRoute =>
  (request, response) =>
    request.headers['if-none-match'] === tag
      ? response.writeHead(304, { etag: tag }).end()
      : response.writeHead(200, { 'content-type': 'text/html', etag: tag }).end(page);

/** The titles of the documents, by their paths. */
const titles = ({ documents }: Crawled) => Object.fromEntries(documents.map(({ source, title }) => [new URL(source).pathname, title]));
/** Whether a crawl lets what is stored under a path be removed. */
const prunes = ({ scopes }: Crawled, address: string) => scopes.some((covers) => covers(address));

test('removes nothing if a page fails that is stored under another address', async () => {
  const web = await site({ '/': article('Start', ['/a.html']), '/a.html': article('A', [], canonical('/a')) });
  web.routes['/a'] = web.routes['/a.html']!;
  const memory = memoryOf();
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a']);
  for (const failing of [{ status: 403 }, to('/a.html')]) {
    web.routes['/a.html'] = failing;
    const again = await crawled([web], web.url, { memory });
    expect([again.errors.length, prunes(again, `${web.url}/a`), again.doubts.length]).toEqual([1, false, 1]);
  }
});

test('removes nothing if robots.txt now forbids a stored page', async () => {
  const web = await site({ '/': article('Start', ['/p/a']), '/p/a': article('A', [], canonical('/a')) });
  web.routes['/a'] = web.routes['/p/a']!;
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  web.routes['/robots.txt'] = 'User-agent: *\nDisallow: /p/';
  for (let run = 0; run < 2; run++) expect(prunes(await crawled([web], web.url, { memory }), `${web.url}/a`)).toBe(false);
});

test('a resumed crawl has the same scope although its start page redirects', async () => {
  const other = await site({ '/docs/': article('Start', ['/docs/a', '/blog/x']), '/docs/a': article('A'), '/blog/x': article('X') });
  const web = await site({ '/docs': to(`${other.url}/docs/`, 301) });
  const memory = memoryOf();
  const first = await crawled([web, other], `${web.url}/docs`, { memory });
  expect(paths(first)).toEqual(['/docs/', '/docs/a']);
  for (const url of memory.pages.keys()) memory.fresh.add(url);
  other.hits.length = 0;
  const again = await crawled([web, other], `${web.url}/docs`, { memory });
  expect([paths(again), again.errors]).toEqual([paths(first), []]);
  const within = await site({ '/docs': to('/docs/', 301), '/docs/': article('Start', ['/docs/a', '/blog/x']), '/docs/a': article('A') });
  await crawled([within], `${within.url}/docs`, { memory });
  for (const url of memory.pages.keys()) memory.fresh.add(url);
  const resumed = await crawled([within], `${within.url}/docs`, { memory });
  expect([paths(resumed), prunes(resumed, `${within.url}/blog/z`)]).toEqual([['/docs/', '/docs/a'], false]);
});

test('removes nothing if a stored page redirects out of the site, but one that moved permanently within the site', async () => {
  const login = await site({ '/': article('Log in') });
  const web = await site({
    '/': article('Start', ['/a', '/b', '/c', '/d']),
    '/a': article('A', ['/behind']),
    '/behind': article('Behind'),
  });
  for (const path of ['/b', '/c', '/d']) web.routes[path] = article(path);
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  Object.assign(web.routes, { '/a': to(`${login.url}/?next=a`), '/b': to(login.url, 307), '/c': to(login.url, 301) });
  Object.assign(web.routes, { '/d': to('/new', 308), '/new': article('D') });
  const all = await crawled([web], web.url, { memory });
  expect([all.errors, login.hits, paths(all)]).toEqual([[], [], ['/', '/new']]);
  expect(['/a', '/b', '/c', '/d', '/behind'].map((path) => prunes(all, web.url + path))).toEqual([false, false, false, true, false]);
  expect(all.notices).toEqual([`The crawl of ${web.url}/ left out 3 addresses whose page leads out of the crawl (such as ${web.url}/a).`]);
});

test('removes nothing if a stored page now has an unreadable type', async () => {
  const web = await site({
    '/': article('Start', ['/a', '/b']),
    '/a': article('A', ['/behind']),
    '/behind': article('Behind'),
    '/b': article('B'),
  });
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  web.routes['/a'] = { headers: { 'content-type': 'application/json' }, body: '{"status":"rate limited, try later"}' };
  const all = await crawled([web], web.url, { memory });
  expect([paths(all), all.errors]).toEqual([['/', '/b'], []]);
  expect(['/a', '/behind'].map((path) => prunes(all, web.url + path))).toEqual([false, false]);
});

test('a page that suddenly has the content of another is kept until the next run confirms it', async () => {
  const web = await site({
    '/': article('Start', ['/a', '/b', '/c']),
    '/a': article('A'),
    '/b': article('B', ['/behind']),
    '/c': article('A'),
  });
  web.routes['/behind'] = article('Behind');
  const memory = memoryOf();
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a', '/b', '/behind']);
  Object.assign(web.routes, { '/a': article('We are back soon'), '/b': article('We are back soon') });
  const down = await crawled([web], web.url, { memory });
  expect(titles(down)).toEqual({ '/': 'Start', '/a': 'We are back soon', '/c': 'A' });
  expect(down.errors).toMatchObject([{ source: `${web.url}/b`, isRetryable: true }]);
  expect([down.scopes, down.doubts.length]).toEqual([[], 1]);
  const again = await crawled([web], web.url, { memory });
  expect([again.errors, prunes(again, `${web.url}/b`), prunes(again, `${web.url}/behind`)]).toEqual([[], true, false]);
  expect(again.notices).toEqual([`The crawl of ${web.url}/ left out 1 address with the content of another (${web.url}/b).`]);
});

test('a page that suddenly has the text of another is kept, although its relative links lead elsewhere', async () => {
  const start = article('Start', ['a/', 'b/']);
  const web = await site({ '/': start, '/a/': article('A'), '/b/': article('B') });
  const memory = memoryOf();
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a/', '/b/']);
  Object.assign(web.routes, {
    '/a/': start,
    '/b/': start,
    '/a/a/': article('A, A'),
    '/a/b/': article('A, B'),
    '/b/a/': article('B, A'),
    '/b/b/': article('B, B'),
  });
  const down = await crawled([web], web.url, { memory });
  expect(titles(down)).not.toHaveProperty('/a/');
  expect(down.errors.map(({ source, isRetryable }) => [source, isRetryable])).toEqual(['/a/', '/b/'].map((path) => [web.url + path, true]));
  const notStored = { ...memory, recall: (url: string) => (/\/[ab]\/$/.test(url) ? undefined : memory.recall(url)) };
  expect(titles(await crawled([web], web.url, { memory: notStored }))).toMatchObject({ '/a/': 'Start', '/b/': 'Start' });
});

test('stores equal pages under the address that is found first, not under the old one', async () => {
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A'), '/b': article('A') });
  const memory = memoryOf();
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a']);
  web.routes['/'] = article('Start', ['/b', '/a']);
  const again = await crawled([web], web.url, { memory });
  expect([paths(again), prunes(again, `${web.url}/a`)]).toEqual([['/', '/b'], true]);
});

test('reports and spares a page that redirects to itself, and sends a tracking parameter that a site requires', async () => {
  const web = await site({
    '/': article('Start', ['/wall', '/one', '/tracked']),
    '/wall': to('/wall'),
    '/one': to('/two'),
    '/two': to('/one'),
    '/tracked': ({ url }, response) =>
      url === '/tracked' ? response.writeHead(302, { location: '/tracked?utm_source=x' }).end() : response.end(article('Tracked')),
  });
  const memory = memoryOf();
  const all = await crawled([web], web.url, { memory });
  expect([paths(all), all.notices]).toEqual([['/', '/tracked'], []]);
  expect(all.errors).toMatchObject([
    { source: `${web.url}/wall`, error: expect.stringContaining('in a loop') },
    { source: `${web.url}/two`, error: expect.stringContaining(`${web.url}/one redirects in a loop`) },
  ]);
  expect([asked(web, '/wall'), asked(web, '/one'), asked(web, '/two')]).toEqual([1, 1, 1]);
});

test('a page never replaces its canonical page, whichever is found first', async () => {
  const list: SiteRoute = ({ url }, response) => response.end(article(url!.endsWith('=2') ? 'Second' : 'First', [], canonical('/list')));
  for (const links of [['/list?page=2', '/list'], ['/list', '/list?page=2'], ['/list?page=2']]) {
    const web = await site({ '/': article('Start', links), '/list': list });
    const listed = await crawled([web], web.url);
    expect(titles(listed)).toEqual({ '/': 'Start', '/list': 'First' });
    expect([listed.notices, listed.expected]).toEqual([
      [expect.stringMatching(/left out 1 address whose page names another one .*\/list\?page=2\)\.$/)],
      2,
    ]);
  }
});

test('pages with each other or a missing page as canonical address stay under their own addresses', async () => {
  const web = await site({
    '/': article('Start', ['/a', '/b', '/c', '/d', '/e']),
    '/a': article('A', [], canonical('/b')),
    '/b': article('B', [], canonical('/a')),
    '/c': article('C', [], canonical('/missing')),
    '/d': article('D', [], canonical('/kept-out')),
    '/e': article('E', [], canonical('/elsewhere?code=Abcdefghijklmnopqrstuvwxyz')),
    '/kept-out': article('D', [], noindex),
  });
  const memory = memoryOf();
  const all = await crawled([web], web.url, { memory });
  expect(titles(all)).toEqual({ '/': 'Start', '/a': 'A', '/b': 'B', '/c': 'C', '/d': 'D', '/e': 'E' });
  expect(all.errors.map(({ source }) => source)).toEqual([`${web.url}/missing`]);
  const reader = pageReader();
  const again = await crawled([web], web.url, { memory, reader, isStored: true });
  expect([again.hashes, reader.given]).toEqual([all.hashes, []]);
});

test('missing pages are requested once, and their errors name the pages that link to them', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `/p${i}`);
  const pages = names.map((name) => [name, article(name, [], canonical(`${name}.html`))]);
  const web = await site({ '/': article('Start', names), ...Object.fromEntries(pages) });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', ...names]);
  expect(names.map((name) => asked(web, name))).toEqual(names.map(() => 1));
  expect(all.errors.map(({ error }) => error)).toEqual(names.map((name) => expect.stringContaining(`(linked from ${web.url}${name})`)));
  const cut = await crawled([web], web.url, { settings: { max_pages: 10 } });
  expect(cut.documents).toHaveLength(10);
  expect([cut.notices, cut.doubts]).toEqual([
    [`The crawl of ${web.url}/ stopped at max_pages = 10: 21 pages were read and not stored.`],
    [`the crawl of ${web.url}/ is incomplete.`],
  ]);
});

test('treats a site that moved from http to https as one, and missing pages stored under http as gone', async () => {
  const [plain, secure] = [
    await site({}),
    await site({ '/': article('Start', ['/a', '/fails']), '/a': article('A'), '/fails': { status: 403 } }),
  ];
  const address = plain.url.replace('http:', 'https:');
  plain.routes['/'] = to(`${address}/`, 301);
  const door = openDoor([plain, secure]);
  const tunnel: typeof door = {
    ...door,
    request: async (url, options) =>
      url.startsWith(address) ? { ...(await door.request(url.replace(address, secure.url), options)), url } : door.request(url, options),
  };
  const memory = memoryOf();
  const all = await crawled([plain, secure], plain.url, { http: tunnel, memory });
  expect(all.documents.map(({ source }) => source)).toEqual([`${address}/`, `${address}/a`]);
  expect(all.doubts).toHaveLength(1);
  delete secure.routes['/fails'];
  const prunable = new Set(['/a', '/old', '/photo.png'].map((path) => plain.url + path));
  const whole = await crawled([plain, secure], plain.url, { http: tunnel, prunable });
  expect(['/a', '/old', '/photo.png'].map((path) => prunes(whole, plain.url + path))).toEqual([true, true, false]);
  expect(prunes(whole, 'http://other.example/a')).toBe(false);
});

test('stores a start page under its canonical address, and a crawl with max_pages 1 as one page', async () => {
  const start = article('Start', ['/a'], canonical('/home'));
  const web = await site({ '/index': start, '/home': start, '/a': article('A') });
  const all = await crawled([web], `${web.url}/index`);
  expect([paths(all), all.depths]).toEqual([
    ['/home', '/a'],
    [0, 1],
  ]);
  expect(paths(await crawled([web], `${web.url}/index`, { settings: { max_pages: 1 } }))).toEqual(['/home']);
  delete web.routes['/home'];
  expect(paths(await crawled([web], `${web.url}/index`, { settings: { max_pages: 1, max_depth: 0 } }))).toEqual(['/index']);
});

test('stores the same whether pages were read by a crawl or one by one before', async () => {
  const web = await site({
    '/': article('Start', ['/hidden', '/p?ref=x', '/p', '/docs/p']),
    '/hidden': tagged('"1"', article('Hidden', [], noindex)),
    '/p': article('P', [], canonical('/p')),
    '/docs/': article('Docs', ['/docs/p']),
    '/docs/p': tagged('"2"', article('P, in short', [], canonical('/p'))),
  });
  const memory = memoryOf();
  await crawled([web], [`${web.url}/hidden`, `${web.url}/p?ref=x`], { memory, settings: { mode: 'each' } });
  expect(paths(await crawled([web], `${web.url}/docs/`, { memory }))).toEqual(['/docs/', '/docs/p']);
  const later = await crawled([web], web.url, { memory });
  const fresh = await crawled([web], web.url);
  expect([paths(later), later.notices, later.hashes]).toEqual([paths(fresh), fresh.notices, fresh.hashes]);
  expect(paths(fresh)).toEqual(['/', '/p']);
});

test('does not load a page again that became no document, until it becomes one', async () => {
  const web = await site({
    '/': tagged('"0"', article('Start', ['/a', '/copy', '/hidden', '/door'])),
    '/a': tagged('"1"', article('Same')),
    '/copy': tagged('"2"', article('Same')),
    '/hidden': tagged('"3"', article('Hidden', [], noindex)),
    '/door': tagged('"4"', '<html><body><main><a href="/behind"></a></main></body></html>'),
    '/behind': tagged('"5"', article('Behind')),
  });
  const memory = memoryOf();
  const first = await crawled([web], web.url, { memory });
  expect(paths(first)).toEqual(['/', '/a', '/behind']);
  web.hits.length = 0;
  const reader = pageReader();
  expect((await crawled([web], web.url, { memory, reader, isStored: true })).hashes).toEqual(first.hashes);
  expect(reader.given).toEqual([]);
  const whole = web.hits.filter(({ url, headers }) => !/robots|sitemap|llms/.test(url) && headers['if-none-match'] === undefined);
  expect(whole).toEqual([]);
  delete web.routes['/a'];
  const again = await crawled([web], web.url, { memory });
  expect([paths(again), titles(again)['/copy']]).toEqual([['/', '/copy', '/behind'], 'Same']);
});
