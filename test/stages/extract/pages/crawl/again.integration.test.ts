import { expect, test } from 'vitest';
import type { SiteRoute } from '../../../../support/site.ts';
import { article, asked, crawled, memoryOf, pageReader, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();

/** A page with an ETag, which is answered with 304 where it is the one that was sent. */
const tagged =
  (tag: string, page: string): SiteRoute =>
  (request, response) =>
    request.headers['if-none-match'] === tag
      ? response.writeHead(304, { etag: tag }).end()
      : response.writeHead(200, { 'content-type': 'text/html', etag: tag }).end(page);

const dated =
  (date: string, page: string): SiteRoute =>
  (request, response) =>
    request.headers['if-modified-since'] === date
      ? response.writeHead(304).end()
      : response.writeHead(200, { 'content-type': 'text/html', 'last-modified': date }).end(page);

test('a second crawl does not parse pages with an unchanged tag, date or bytes, and finds the same pages', async () => {
  const web = await site({
    '/': tagged('"1"', article('Start', ['/dated', '/plain'])),
    '/dated': dated('Sat, 21 Nov 2026 10:00:00 GMT', article('Dated', ['/deep'])),
    '/plain': article('Plain'),
    '/deep': article('Deep'),
  });
  const memory = memoryOf();
  const first = await crawled([web], web.url, { memory });
  const reader = pageReader();
  const { hashes } = await crawled([web], web.url, { memory, reader, isStored: true });
  expect(hashes).toEqual(first.hashes);
  expect(hashes).toHaveLength(4);
  expect(reader.given).toEqual([]);
});

test('reads an unchanged page that is no longer stored', async () => {
  const web = await site({ '/': tagged('"1"', article('Start', ['/a'])), '/a': article('A') });
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  const again = await crawled([web], web.url, { memory });
  expect(again.documents.map(({ text }) => text).join()).toContain('A is described here');
  expect(paths(again)).toEqual(['/', '/a']);
});

test('reads a changed page, and keeps pages that it no longer links to', async () => {
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A'), '/b': article('B') });
  const memory = memoryOf();
  const first = await crawled([web], web.url, { memory });
  web.routes['/'] = article('Start', ['/a']);
  web.routes['/a'] = article('A, the second');
  const again = await crawled([web], web.url, { memory });
  expect(paths(again)).toEqual(['/', '/a']);
  expect(again.hashes[1]).not.toBe(first.hashes[1]);
  expect(again.scopes[0]!(`${web.url}/b`)).toBe(false);
});

test('ignores what a server writes into a page at every visit', async () => {
  let visits = 0;
  const web = await site({
    '/': (_request, response) =>
      response.end(article('Start', [], `<meta name="csrf" content="${visits++}"><script nonce="${visits}"></script>`)),
  });
  const memory = memoryOf();
  const [first, again] = [await crawled([web], web.url, { memory }), await crawled([web], web.url, { memory })];
  expect(again.hashes).toEqual(first.hashes);
});

test('a resumed crawl requests no page again', async () => {
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A', ['/c']), '/b': article('B'), '/c': article('C') });
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  const key = memory.crawls[0]!.replace('begin ', '');
  expect(memory.crawls).toEqual([`begin ${key}`, `end ${key}`]);
  for (const path of ['/', '/a']) memory.fresh.add(`${web.url}${path}`);
  web.hits.length = 0;
  expect((await crawled([web], web.url, { memory, isStored: true })).hashes).toHaveLength(4);
  expect(['/', '/a', '/b', '/c'].map((path) => asked(web, path))).toEqual([0, 0, 1, 1]);
});

test('removes nothing if a page fails, and forgets a page that is gone', async () => {
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A', ['/c']), '/b': article('B'), '/c': article('C') });
  const memory = memoryOf();
  await crawled([web], web.url, { memory });
  web.routes['/a'] = { status: 500 };
  delete web.routes['/b'];
  const again = await crawled([web], web.url, { memory });
  expect(paths(again)).toEqual(['/']);
  expect([again.gone, again.scopes, again.doubts.length]).toEqual([[`${web.url}/b`], [], 1]);
  expect(memory.recall(`${web.url}/b`)).toBeUndefined();
});

test('does not trust a tag if the address leads to another page than before', async () => {
  const web = await site({
    '/old': { status: 302, headers: { location: '/a' } },
    '/a': tagged('"1"', article('A')),
    '/b': tagged('"1"', article('B')),
  });
  const memory = memoryOf();
  const settings = { mode: 'each' as const };
  expect(paths(await crawled([web], `${web.url}/old`, { memory, settings }))).toEqual(['/a']);
  web.routes['/old'] = { status: 302, headers: { location: '/b' } };
  const again = await crawled([web], `${web.url}/old`, { memory, settings });
  expect(paths(again)).toEqual(['/b']);
  expect(again.documents[0]!.text).toContain('B is described here');
});

test('a crawl knows the links of pages that were read one by one before', async () => {
  const web = await site({ '/': tagged('"1"', article('Start', ['/a'])), '/a': article('A') });
  const memory = memoryOf();
  await crawled([web], web.url, { memory, settings: { mode: 'each' } });
  expect(paths(await crawled([web], web.url, { memory }))).toEqual(['/', '/a']);
});
