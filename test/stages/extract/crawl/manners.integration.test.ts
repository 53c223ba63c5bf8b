import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULTS, type Network } from '../../../../src/schema/config.ts';
import { article, asked, crawled, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();
const plain = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

test('what robots.txt forbids is not asked for, and what a longer rule allows is', async () => {
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

test('the rules for the product of the user agent go before those for all', async () => {
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

test('a site that cannot tell its rules for now is left alone, with an error that may be retried; one that has none is crawled', async () => {
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

test('the delay that robots.txt asks for lies between any two requests', async () => {
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

test('a delay of hours is cut, and a person is told', async () => {
  const web = await site({ '/robots.txt': plain('User-agent: *\nCrawl-delay: 86400\n'), '/': article('Start') });
  const all = await crawled([web], web.url, { settings: { max_depth: 0 } });
  expect(all.notices).toEqual([`${web.url}/robots.txt asks for 86400 s between two requests: the crawl waits 60 s.`]);
});

test('no more than eight pages are asked for at once', async () => {
  let open = 0;
  let most = 0;
  const links = Array.from({ length: 40 }, (_, i) => `/p${i}`);
  const slow = (page: string) => async (_request: unknown, response: { end(text: string): unknown }) => {
    most = Math.max(most, ++open);
    await wait(10);
    open--;
    response.end(page);
  };
  const web = await site({ '/': article('Start', links), ...Object.fromEntries(links.map((path) => [path, slow(article(path))])) });
  expect((await crawled([web], web.url)).documents).toHaveLength(41);
  expect(most).toBe(8);
});

test('a page that asks not to be kept is not, and leads on; one that asks for its links to be left alone is kept, and does not', async () => {
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

test('user name and password of the start address go to its origin alone, with robots.txt and every page, and are in nothing that comes out', async () => {
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

test('what the configuration gives to a site is sent with all that is asked of it, and with nothing that is asked of another', async () => {
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
