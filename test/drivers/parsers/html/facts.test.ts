import { describe, expect, it } from 'vitest';
import { read, readPage } from '../read.ts';

const address = 'https://docs.example/guide/start?v=2';
const factsOf = async (html: string, source = address) => (await readPage(source, html)).page;
const linksOf = async (body: string, source?: string) => (await factsOf(`<html><body>${body}<p>Text.</p></body></html>`, source))?.links;

describe('what a web page says about itself', () => {
  it('has its links from the whole page, absolute, without fragments, each once and in their order', async () => {
    const body =
      '<nav><a href="/">Start</a><a href="next">Next</a></nav><main><a href="../api/#top">API</a><a href="next#part">again</a></main><footer><a href="//other.example/x">X</a></footer>';
    expect(await linksOf(body)).toEqual([
      'https://docs.example/',
      'https://docs.example/guide/next',
      'https://docs.example/api/',
      'https://other.example/x',
    ]);
  });

  it('has no links that are not to be followed, that lead to a place on the page or into no web', async () => {
    const body =
      '<a rel="ugc nofollow" href="/spam">s</a><a href="#top">t</a><a href="mailto:a@b.example">m</a><a href="javascript:void 0">j</a><a href="http://[">broken</a><a href="">own</a><a>none</a><a href=" /kept ">k</a>';
    expect(await linksOf(body)).toEqual(['https://docs.example/kept']);
  });

  it('has where a page of frames, a picture with places and a page that sends on lead to', async () => {
    const map = '<map><area href="/map"></map>';
    expect(await linksOf(map)).toEqual(['https://docs.example/map']);
    expect((await factsOf('<html><frameset><frame src="tree.html"></frameset></html>'))?.links).toEqual([
      'https://docs.example/guide/tree.html',
    ]);
    const sent = `<html><head><meta http-equiv="Refresh" content="0; URL='latest/'"></head></html>`;
    expect((await factsOf(sent))?.links).toEqual(['https://docs.example/guide/latest/']);
  });

  it('understands its addresses as its base says', async () => {
    const page = await readPage(
      address,
      '<html><head><base href="/v3/"></head><body><p><a href="a">A</a> <img src="b.png" alt="B"></p></body></html>',
    );
    expect(page.page?.links).toEqual(['https://docs.example/v3/a']);
    expect(page.text).toBe('[A](https://docs.example/v3/a) ![B](https://docs.example/v3/b.png)');
  });

  it('has its canonical address, its feeds and what it asks of robots', async () => {
    const head =
      '<link rel="canonical" href="/guide/start#x"><link rel="alternate" type="application/atom+xml" href="/feed"><link rel="alternate" hreflang="de" href="/de"><meta name="ROBOTS" content="NoIndex,nofollow">';
    const page = `<html><head>${head}</head><body><p>Text.</p></body></html>`;
    expect(await factsOf(page)).toEqual({
      links: [],
      canonical: 'https://docs.example/guide/start',
      feeds: ['https://docs.example/feed'],
      noindex: true,
      nofollow: true,
    });
    expect(await factsOf('<html><meta name="robots" content="none"><p>Text.</p></html>')).toMatchObject({ noindex: true, nofollow: true });
    expect(await factsOf('<html><meta name="robots" content="index, follow"><p>Text.</p></html>')).toMatchObject({
      noindex: false,
      nofollow: false,
    });
  });

  it('is known of a page without text too, which a crawl goes through', async () => {
    const page = await readPage(address, '<html><body><nav><a href="/a">A</a></nav><div id="root"></div></body></html>');
    expect(page.text).toBe('');
    expect(page.page?.links).toEqual(['https://docs.example/a']);
  });

  it('of a page in a file is nothing, and its links stay as they are', async () => {
    const { page, text } = await read('html', '<html><body><p><a href="a.html">A</a> <img src="b.png" alt="B"></p></body></html>');
    expect(page).toBeUndefined();
    expect(text).toBe('[A](a.html) ![B](b.png)');
  });

  it('keeps at most 10,000 links, and none that is longer than addresses are', async () => {
    const many = Array.from({ length: 10_050 }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
    const links = await linksOf(`<a href="/${'x'.repeat(3000)}">long</a><nav>${many}</nav>`);
    expect(links).toHaveLength(10_000);
    expect(links?.[0]).toBe('https://docs.example/0');
    expect(await linksOf('<a href="a">A</a>', `https://docs.example/${'x'.repeat(3000)}/`)).toEqual([]);
  });

  it('links to places on the page are kept as words, and others become absolute', async () => {
    const { text } = await readPage(
      address,
      '<html><body><p><a href="#a">above</a> <a href="?v=3">newer</a> <a href="mailto:a@b.example">mail</a></p></body></html>',
    );
    expect(text).toBe('above [newer](https://docs.example/guide/start?v=3) [mail](mailto:a@b.example)');
  });
});
