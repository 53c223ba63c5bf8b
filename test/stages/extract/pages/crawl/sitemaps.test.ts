import { expect, test } from 'vitest';
import { sitemapLinks } from '../../../../../src/stages/extract/pages/crawl/sitemaps.ts';

const addresses = (text: string) => [...sitemapLinks(text)];

test('a sitemap yields its addresses, with entities, CDATA and spaces around them, under any prefix, and no pictures', () => {
  expect(
    addresses(
      '<?xml version="1.0"?><urlset xmlns:image="i"><url><loc>\n http://a/?x=1&amp;y=&#50;&#x33; </loc><image:loc>http://a/p.png</image:loc></url><url><loc><![CDATA[http://b/?c&d]]></loc></url><m:url><m:loc>/c</m:loc></m:url></urlset>',
    ),
  ).toEqual(['http://a/?x=1&y=23', 'http://b/?c&d', '/c']);
});

test('an index is recognized before its sitemaps', () => {
  expect(addresses('<sitemapindex xmlns="s"><sitemap><loc>http://a/1.xml</loc></sitemap></sitemapindex>')).toEqual([
    'sitemapindex',
    'http://a/1.xml',
  ]);
});

test('a text yields its lines', () => {
  expect(addresses('http://a/1\r\n\r\n http://a/2\n')).toEqual(['http://a/1', 'http://a/2']);
});

test('other texts yield nothing, and malicious ones take little time', () => {
  expect(addresses('<!doctype html><html><head><link rel="stylesheet" href="/a.css"></head></html>')).toEqual([]);
  for (const piece of ['<loc', '<loc>', '<a:loc ', '<loc><![CDATA[', '<a.a.a.a'])
    expect(addresses(piece.repeat(200_000)).length).toBeLessThan(200_001);
});

test('skips a line that is too long for an address', () => {
  const text = `https://a.example/1\nhttps://a.example/${'x'.repeat(8192)}\nhttps://a.example/2`;
  expect([...sitemapLinks(text)]).toEqual(['https://a.example/1', 'https://a.example/2']);
});
