import { expect, test } from 'vitest';
import { xmlLinks } from '../../../../../src/stages/extract/pages/crawl/open-site.ts';

const addresses = (xml: string) => [...xmlLinks(xml)].map(({ element, address }) => (element === 'sitemapindex' ? 'INDEX' : address));

test('a sitemap yields its addresses, with entities, CDATA and spaces around them, and no pictures', () => {
  expect(
    addresses(
      '<?xml version="1.0"?><urlset xmlns:image="i"><url><loc>\n http://a/?x=1&amp;y=&#50;&#x33; </loc><image:loc>http://a/p.png</image:loc></url><url><loc><![CDATA[http://b/?c&d]]></loc></url><sm:url><sm:loc>http://c</sm:loc></sm:url>',
    ),
  ).toEqual(['http://a/?x=1&y=23', 'http://b/?c&d', 'http://c']);
});

test('an index is recognized before its sitemaps', () => {
  expect(addresses('<sitemapindex xmlns="s"><sitemap><loc>http://a/1.xml</loc></sitemap></sitemapindex>')).toEqual([
    'INDEX',
    'http://a/1.xml',
  ]);
});

test('a feed yields its entries, and neither itself nor its comments', () => {
  expect(
    addresses(
      '<rss><channel><atom:link rel="self" href="/rss"/><link>http://a/</link><item><link>http://a/1</link><comments>http://a/c</comments></item></channel></rss>',
    ),
  ).toEqual(['http://a/', 'http://a/1']);
  expect(
    addresses(
      `<feed><link href="/" /><link rel='self' href='/atom'/><entry><link href="/2?a&amp;b" rel="alternate" type="text/html"/><link rel="enclosure" href="/x.mp3"/></entry></feed>`,
    ),
  ).toEqual(['/', '/2?a&b']);
});

test('other texts yield nothing, and malicious ones take little time', () => {
  expect(addresses('<!doctype html><html><head><link rel="stylesheet" href="/a.css"></head></html>')).toEqual([]);
  for (const piece of ['<loc', '<loc>', '<link rel="', '<loc><![CDATA[', '<link a=b '])
    expect(addresses(piece.repeat(200_000)).length).toBeLessThan(200_001);
});
