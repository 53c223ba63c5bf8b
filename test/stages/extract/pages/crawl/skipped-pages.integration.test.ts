import { expect, test } from 'vitest';
import {
  MAX_COUNTED_ADDRESSES,
  noteSkipped,
  skippedText,
  type SkippedPages,
} from '../../../../../src/stages/extract/pages/crawl/frontier.ts';
import { article, crawled, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();

test('skipped addresses are reported once, counted by reason', async () => {
  const links = ['/old/a', '/old/b', '/old/b#part', '/old/b?utm_source=x', '/secret', '/hidden', '/again', '/moved', '/sheet', '/page'];
  const other = await site({ '/': article('Other') });
  const web = await site({
    '/robots.txt': 'User-agent: *\nDisallow: /secret',
    '/': article('Start', links),
    '/hidden': { headers: { 'content-type': 'text/html', 'x-robots-tag': 'noindex' }, body: article('Hidden') as string },
    '/page': article('Page'),
    '/again': article('Page'),
    '/moved': { status: 301, headers: { location: other.url } },
    '/sheet': { headers: { 'content-type': 'text/css' }, body: 'a {}' },
  });
  const all = await crawled([web, other], { url: web.url, exclude: ['/old'] });
  expect(paths(all)).toHaveLength(2);
  expect(all.errors).toEqual([]);
  expect(all.notices).toEqual([
    `The crawl of ${web.url}/ left out 7 addresses: 2 that include or exclude keeps out (such as ${web.url}/old/a), ` +
      `1 that robots.txt forbids (${web.url}/secret), 1 marked noindex, or with nothing but links (${web.url}/hidden), ` +
      `1 with the content of another (${web.url}/page), ` +
      `1 whose page leads out of the crawl (${web.url}/moved), 1 of a kind that kb does not read (${web.url}/sheet).`,
  ]);
});

test('a filter that excludes everything is reported, and so is a pattern that matches nothing', async () => {
  const web = await site({ '/': article('Start', ['/docs/a', '/docs/b']), '/docs/a': article('A'), '/docs/b': article('B') });
  const none = await crawled([web], { url: web.url, include: ['/dcos/**'] });
  expect(none.documents).toEqual([]);
  expect(none.notices).toEqual([
    `The crawl of ${web.url}/ left out 2 addresses that include or exclude keeps out (such as ${web.url}/docs/a).`,
    `The crawl of ${web.url}/: include "/dcos/**" matches no address that was found.`,
  ]);
  const some = await crawled([web], { url: web.url, include: ['/', '/docs/a', '/docs/['] });
  expect(some.notices).toEqual([`The crawl of ${web.url}/: include "/docs/[" matches no address that was found.`]);
});

test('the error of a missing page names the first page that links to it', async () => {
  const web = await site({
    '/': article('Start', ['/a', '/missing']),
    '/a': article('A', ['/missing', '/gone']),
    '/gone': { status: 410 },
  });
  const all = await crawled([web], web.url);
  expect(all.errors.map(({ error }) => error)).toEqual([
    `${web.url}/missing answered with status 404 (linked from ${web.url}/). Fix that link, or leave the page out (exclude).`,
    `${web.url}/gone answered with status 410 (linked from ${web.url}/a). Fix that link, or leave the page out (exclude).`,
  ]);
  expect((await crawled([web], `${web.url}/missing`)).errors[0]!.error).not.toContain('linked from');
});

test('counts skipped addresses up to a maximum', () => {
  const left: SkippedPages = new Map();
  for (let i = 0; i < MAX_COUNTED_ADDRESSES + 5; i++) noteSkipped(left, 'robots', `http://a.example/${i}`);
  expect(skippedText(left)).toBe('10,000 or more addresses that robots.txt forbids (such as http://a.example/0)');
});
