import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../../../src/schema/config.ts';
import type { Network } from '../../../../../src/schema/config-sources.ts';
import type { SiteRoute } from '../../../../support/site.ts';
import { article, asked, crawled, memoryOf, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();
const plain = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

test('does not request addresses that robots.txt forbids, but those that a longer rule allows', async () => {
  const web = await site({
    '/robots.txt': plain('User-agent: *\nDisallow: /private/\nAllow: /private/open\nDisallow: /*.tmp$\n'),
    '/': article('Start', ['/private/keys', '/private/open', '/draft.tmp', '/moved']),
    '/private/open': article('Open'),
    '/moved': { status: 302, headers: { location: '/private/keys' } },
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/private/open']);
  expect(asked(web, '/private/keys') + asked(web, '/draft.tmp')).toBe(0);
  expect(all.errors).toEqual([]);
  expect(all.scopes[0]!(`${web.url}/private/keys`)).toBe(false);
});

test('prefers the rules for the product of the user agent to those for all', async () => {
  const web = await site({
    '/robots.txt': plain('User-agent: *\nDisallow: /\n\nUser-agent: AquaBot\nDisallow: /a\n'),
    '/': article('Start', ['/a', '/b']),
    '/a': article('A'),
    '/b': article('B'),
  });
  expect(paths(await crawled([web], web.url, { user_agent: 'AquaBot/1.0 (+https://aqua.example)' }))).toEqual(['/', '/b']);
  const refused = await crawled([web], web.url, { user_agent: 'Mozilla/5.0 (compatible; Other/2)' });
  expect(refused.errors).toMatchObject([
    { source: `${web.url}/`, stage: 'crawl', isRetryable: false, error: expect.stringContaining('robots.txt forbids it') },
  ]);
  expect(refused.documents).toEqual([]);
});

test('does not crawl a site whose rules are temporarily unreadable, and crawls one without rules', async () => {
  const web = await site({ '/': article('Start'), '/robots.txt': { status: 500 } });
  const all = await crawled([web], web.url);
  expect(all.documents).toEqual([]);
  expect(asked(web, '/')).toBe(0);
  expect(all.errors).toMatchObject([
    {
      source: `${web.url}/`,
      stage: 'crawl',
      isRetryable: true,
      retry_input: { url: `${web.url}/`, mode: 'full', max_depth: 3 },
      error: expect.stringMatching(/robots\.txt answered with status 500/),
    },
  ]);
  web.routes['/robots.txt'] = { status: 403 };
  expect(paths(await crawled([web], web.url))).toEqual(['/']);
});

test('waits between any two requests as robots.txt asks', async () => {
  const at: number[] = [];
  const timed = (page: string) => (_request: unknown, response: { end(text: string): void }) => {
    at.push(Date.now());
    response.end(page);
  };
  const web = await site({
    '/robots.txt': plain('User-agent: *\nCrawl-delay: 0.15\n'),
    '/': timed(article('Start', ['/a', '/b'])),
    '/a': timed(article('A')),
    '/b': timed(article('B')),
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/a', '/b']);
  for (const [i, time] of at.entries()) if (i > 0) expect(time - at[i - 1]!).toBeGreaterThanOrEqual(145);
});

test('shortens a delay of hours, with a notice', async () => {
  const web = await site({ '/robots.txt': plain('User-agent: *\nCrawl-delay: 86400\n'), '/': article('Start') });
  const all = await crawled([web], web.url, { settings: { max_depth: 0 } });
  expect(all.notices).toEqual([`${web.url}/robots.txt asks for 86400 s between two requests: the crawl waits 60 s.`]);
});

test('requests at most eight pages at once', async () => {
  let open = 0;
  let most = 0;
  const eight = Promise.withResolvers<unknown>();
  const links = Array.from({ length: 40 }, (_, i) => `/p${i}`);
  const slow = (page: string) => async (_request: unknown, response: { end(text: string): unknown }) => {
    most = Math.max(most, ++open);
    if (open === 8) eight.resolve(wait(50)); // a ninth would come meanwhile
    await eight.promise;
    open--;
    response.end(page);
  };
  const web = await site({ '/': article('Start', links), ...Object.fromEntries(links.map((path) => [path, slow(article(path))])) });
  expect((await crawled([web], web.url)).documents).toHaveLength(41);
  expect(most).toBe(8);
});

test('does not store a noindex page but follows its links, and stores a nofollow page without following its links', async () => {
  const meta = (content: string) => `<meta name="robots" content="${content}">`;
  const tagged = (tag: string, page: string) => ({ headers: { 'x-robots-tag': tag }, body: page });
  const web = await site({
    '/': article('Start', ['/list', '/closed', '/tagged', '/others', '/none']),
    '/list': article('List', ['/a'], meta('noindex')),
    '/closed': article('Closed', ['/b'], meta('nofollow')),
    '/tagged': tagged('noindex, nofollow', article('Tagged', ['/c'])),
    '/others': tagged('otherbot: noindex', article('Others')),
    '/none': tagged('otherbot: none, kb: none', article('None', ['/c'])),
    '/a': article('A'),
    '/b': article('B'),
    '/c': article('C'),
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/closed', '/others', '/a']);
  expect(all.expected).toBe(4);
});

test('sends the credentials of the start address to its origin only, and keeps them out of all output', async () => {
  const other = await site({ '/': article('Elsewhere') });
  const web = await site({
    '/': article('Start', ['/a', '/away', '/gone']),
    '/a': article('A'),
    '/away': { status: 302, headers: { location: other.url } },
  });
  const all = await crawled([web, other], web.url.replace('//', '//ann:s3cret@'));
  expect(paths(all)).toEqual(['/', '/a']);
  const sent = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
  for (const { url, headers } of web.hits) expect([url, headers.authorization]).toEqual([url, sent]);
  expect(other.hits.filter(({ headers }) => headers.authorization)).toEqual([]);
  expect(JSON.stringify(all)).not.toMatch(/s3cret|ann:/);
});

test('sends the configured headers of a site with every request to it, and with no other', async () => {
  const other = await site({ '/b': article('B') });
  const web = await site({ '/': article('Start', ['/a']), '/a': { status: 302, headers: { location: `${other.url}/b` } } });
  const sites = [{ origin: web.url, headers: { 'X-Team': 't3am' }, cookies: { session: 'c00kie' }, basic_auth: 'ann:s3cret' }];
  const network = { ...(DEFAULTS.network as Network), sites };
  const entries = [web.url, { url: `${web.url}/a`, mode: 'each' as const }];
  const all = await crawled([web, other], entries, { door: { network } });
  expect(paths(all)).toEqual(['/', '/b']);
  for (const { headers } of web.hits)
    expect(headers).toMatchObject({ 'x-team': 't3am', cookie: 'session=c00kie', authorization: expect.stringMatching(/^Basic /) });
  expect(web.hits.map(({ url }) => url)).toContain('/robots.txt');
  expect(other.hits.map(({ headers }) => [headers['x-team'], headers.cookie, headers.authorization])).toEqual([
    [undefined, undefined, undefined],
  ]);
  expect(JSON.stringify(all)).not.toMatch(/t3am|c00kie|s3cret/);
});

test('follows redirects of the start page by the rules of every site on the way', async () => {
  const web = await site({
    '/robots.txt': plain('User-agent: *\nDisallow: /private/'),
    '/': { status: 302, headers: { location: '/private/' } },
    '/private/': article('Private'),
  });
  const closed = await site({ '/robots.txt': plain('User-agent: *\nDisallow: /x/'), '/x/': article('X') });
  web.routes['/away'] = { status: 301, headers: { location: `${closed.url}/x/` } };
  const all = await crawled([web, closed], [web.url, `${web.url}/away`]);
  expect(all.documents).toEqual([]);
  expect(all.errors.map(({ error }) => error)).toEqual([
    expect.stringContaining(`${web.url}/private/ is not crawled`),
    expect.stringContaining(`${closed.url}/x/ is not crawled`),
  ]);
  expect(asked(web, '/private/')).toBe(0);
  expect(closed.hits.map(({ url }) => url)).toEqual(['/robots.txt']);
  web.routes['/round'] = { status: 302, headers: { location: '/round' } };
  expect((await crawled([web], `${web.url}/round`)).errors).toMatchObject([{ error: expect.stringContaining('redirects in a loop') }]);
});

test('respects a noindex header although the page is unchanged, and its removal', async () => {
  const pages = { '/a': article('A'), '/b': article('B') };
  const tagged = (headers: Record<string, string>) => ({ '/a': { headers, body: pages['/a'] }, '/b': heard(headers) });
  const heard =
    (headers: Record<string, string>): SiteRoute =>
    (request, response) =>
      request.headers['if-none-match'] === '"1"'
        ? response.writeHead(304, headers).end()
        : response.writeHead(200, { ...headers, etag: '"1"', 'content-type': 'text/html' }).end(pages['/b']);
  const web = await site({ '/': article('Start', ['/a', '/b']), ...pages });
  const memory = memoryOf();
  Object.assign(web.routes, tagged({}));
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a', '/b']);
  Object.assign(web.routes, tagged({ 'x-robots-tag': 'noindex' }));
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/']);
  Object.assign(web.routes, tagged({}));
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a', '/b']);
  Object.assign(web.routes, tagged({ 'x-robots-tag': 'all' }));
  web.hits.length = 0;
  expect((await crawled([web], web.url, { memory, isStored: true })).hashes).toHaveLength(3);
  expect(asked(web, '/b')).toBe(1);
});

test('applies repeated robots headers to the crawlers that they name, or to all', async () => {
  const twice =
    (...tags: string[]): SiteRoute =>
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': tags }).end(article(tags.join()));
  const web = await site({
    '/': article('Start', ['/all', '/other']),
    '/all': twice('otherbot: nofollow', 'noindex'),
    '/other': twice('otherbot: nofollow, noindex', 'kb: nofollow'),
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/other']);
});

test('respects directives after one with a value', async () => {
  const headed = (tag: string, page: string) => ({ headers: { 'x-robots-tag': tag }, body: page });
  const web = await site({
    '/': article('Start', ['/a', '/b', '/c', '/d']),
    '/a': headed('max-snippet:-1, noindex', article('A')),
    '/b': headed('max-image-preview: large, nofollow', article('B', ['/x'])),
    '/c': headed('max-video-preview: 0, unavailable_after: 2030-01-01, noindex', article('C')),
    '/d': headed('otherbot: max-snippet:-1, noindex', article('D')),
    '/x': article('X'),
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/b', '/d']);
});

test('follows as many redirects as network.max_redirects allows, from the start page and from others', async () => {
  const to = (location: string) => ({ status: 302, headers: { location } });
  const web = await site({ '/': article('Start', ['/a']), '/a': to('/b'), '/b': to('/c'), '/c': article('C'), '/in': to('/') });
  const bound = (max_redirects: number) => ({ door: { network: { ...(DEFAULTS.network as Network), max_redirects } } });
  const outcomes = [];
  for (const max_redirects of [0, 1, 2]) {
    const { documents, errors } = await crawled([web], [web.url, `${web.url}/in`], bound(max_redirects));
    outcomes.push([paths({ documents }), errors.map(({ source }) => new URL(source).pathname)]);
    for (const { error } of errors) expect(error).toContain(`or more than ${max_redirects} times`);
  }
  expect(outcomes).toEqual([
    [['/'], ['/a', '/in']],
    [['/'], ['/b', '/b']],
    [['/', '/c'], []],
  ]);
});

test('waits between two attempts for one page as well', async () => {
  const at: number[] = [];
  const web = await site({
    '/robots.txt': plain('User-agent: *\nCrawl-delay: 0.3\n'),
    '/': article('Start', ['/a']),
    '/a': (_request, response) => {
      at.push(Date.now());
      if (at.length < 3) return response.writeHead(503).end();
      return response.writeHead(200, { 'content-type': 'text/html' }).end(article('A'));
    },
  });
  expect(paths(await crawled([web], web.url, { door: { retries: { attempts: 4, firstWait: 0.01 } } }))).toEqual(['/', '/a']);
  for (const [i, time] of at.entries()) if (i > 0) expect(time - at[i - 1]!).toBeGreaterThanOrEqual(295);
});

test('does not crawl with unreadable rules, and applies the beginning of rules that are too long', async () => {
  const rules = 'User-agent: *\nDisallow: /a\n';
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A'), '/b': article('B') });
  web.routes['/robots.txt'] = { headers: { 'content-type': 'text/plain', 'content-encoding': 'zstd' }, body: rules };
  const refused = await crawled([web], web.url);
  expect([refused.documents, asked(web, '/')]).toEqual([[], 0]);
  expect(refused.errors).toMatchObject([{ stage: 'crawl', error: expect.stringContaining('compressed as "zstd"') }]);
  web.routes['/robots.txt'] = plain(rules + '# nothing\n'.repeat(600_000));
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/b']);
});
