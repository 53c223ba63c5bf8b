import { describe, expect, it } from 'vitest';
import { read, readPage } from '../support/read.ts';

const headed = (head: string, body = '<p>Text.</p>', attributes = '') =>
  read('html', `<html ${attributes}><head>${head}</head><body><main>${body}</main></body></html>`);
const linkedData = (data: unknown): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

describe('the metadata of an HTML page', () => {
  it('comes from its meta elements in any vocabulary', async () => {
    const { metadata } = await headed(
      '<meta name="DC.creator" content="Ida Berg"><meta property="article:published_time" content="2026-03-01T08:00:00Z"><meta property="article:modified_time" content="2026-04-02"><meta property="og:description" content="How to."><meta property="og:locale" content="de_AT">',
    );
    expect(metadata).toEqual({
      author: 'Ida Berg',
      created: '2026-03-01T08:00:00.000Z',
      modified: '2026-04-02',
      description: 'How to.',
      lang: 'de-AT',
    });
  });

  it('comes from its JSON-LD, also in a graph', async () => {
    const article = {
      '@type': 'TechArticle',
      author: [{ '@type': 'Person', name: 'Ida Berg' }, 'Jon Moss'],
      datePublished: '2026-03-01',
      dateModified: '2026-04-02',
      inLanguage: 'fr',
    };
    const expected = { author: 'Ida Berg, Jon Moss', created: '2026-03-01', modified: '2026-04-02', lang: 'fr' };
    expect((await headed(linkedData(article))).metadata).toEqual(expected);
    expect((await headed(linkedData({ '@graph': [{ '@type': 'Organization', name: 'Aqua' }, article] }))).metadata).toEqual(expected);
  });

  it('comes from its marked time elements', async () => {
    const body =
      '<p>On <time datetime="1999-01-01">a day</time>.</p><time class="entry-date" datetime="2026-03-01">1 March</time><span class="theme-last-updated"><time itemprop="dateModified" datetime="2026-04-02">2 April</time></span>';
    expect((await headed('', body)).metadata).toEqual({ created: '2026-03-01', modified: '2026-04-02' });
  });

  it('has the marked author, and not those of comments', async () => {
    const comment = '<div class="comments"><a rel="author" href="/jon">Jon Moss</a></div>';
    for (const byline of [
      '<p class="byline">By <a rel="author" href="/ida">Ida Berg</a></p>',
      '<span itemprop="author" itemscope><span itemprop="name">Ida Berg</span>, chief engineer</span>',
      '<span itemprop="author" itemscope><meta itemprop="name" content="Ida Berg"></span>',
      '<a rel="author nofollow" href="/ida"><img src="ida.jpg"></a><a rel="author" href="/ida">by Ida Berg</a>',
    ])
      expect((await headed('', comment + byline + '<p>Text.</p>')).metadata, byline).toEqual({ author: 'Ida Berg' });
    expect((await headed('', `${comment}<p>Text.</p>`)).metadata).toEqual({});
    expect((await headed('<meta name="author" content="Jon Moss">', '<a rel="author">Ida Berg</a><p>Text.</p>')).metadata.author).toBe(
      'Jon Moss',
    );
  });

  it('has no author of teasers, of the site, or of two', async () => {
    const by = (name: string) => `<span>by <a rel="author" href="/${name}">${name}</a></span>`;
    const signed = async (body: string) => (await read('html', `<html><body>${body}</body></html>`)).metadata;
    const text = '<p>Words and water and salt.</p>';
    for (const element of ['aside', 'nav', 'footer'])
      expect(await signed(`<main>${text}</main><${element}>${by('Bob')}</${element}>`), element).toEqual({});
    expect(await signed(`<article>${text}</article><div>${by('Bob')}</div>`)).not.toHaveProperty('author');
    expect(await signed(`<div>${text}${by('Ann')}</div><div>${by('Bob')}</div>`)).toEqual({});
    expect(await signed(`<article>${text}<footer>${by('Ann')}</footer></article><div>${by('Bob')}</div>`)).toMatchObject({ author: 'Ann' });
    expect(await signed(`${by('Ann')}${text}${by('Ann')}`)).toEqual({ author: 'Ann' });
  });

  it('has dates in ISO form, and no ambiguous ones', async () => {
    const dated = (created: string, modified: string) =>
      headed(`<meta name="date" content="${created}"><meta name="last-modified" content="${modified}">`);
    expect((await dated('May 3, 2024', 'Fri, 03 May 2024 10:00:00 GMT')).metadata).toEqual({
      created: '2024-05-03',
      modified: '2024-05-03T10:00:00.000Z',
    });
    expect((await dated('03/04/2024', 'in 2024')).metadata).toEqual({});
    expect((await headed('<meta name="date" content="soon"><meta name="pubdate" content="2024-05-03">')).metadata).toEqual({
      created: '2024-05-03',
    });
    expect((await headed('', '<time class="published">3 May 2024</time><p>Text.</p>')).metadata).toEqual({ created: '2024-05-03' });
  });

  it('ignores JSON-LD of the length of a catalogue', async () => {
    const catalogue = { '@type': 'Article', author: 'Ida Berg', text: 'x'.repeat(200_000) };
    expect((await headed(linkedData(catalogue))).metadata).toEqual({});
  });

  it('ignores an author that is a URL, an invalid date and unreadable JSON-LD', async () => {
    const head =
      '<meta property="article:author" content="https://social.example/ida"><meta name="date" content="yesterday"><script type="application/ld+json">{ "@type": "Article", </script>';
    expect((await headed(head)).metadata).toEqual({});
  });

  it("has a title without the site's name if the headline identifies that", async () => {
    expect((await headed('<title>Install | Aqua</title>', '<h1>Install</h1><p>Text.</p>')).title).toBe('Install');
    expect((await headed('<title>Install-time checks</title>', '<h1>Install</h1><p>Text.</p>')).title).toBe('Install-time checks');
    expect((await headed('<title>Aqua | Install</title>', '<p>Text.</p>')).title).toBe('Aqua | Install');
    expect((await headed('<meta property="og:title" content="Shown">')).title).toBe('Shown');
  });
});

const address = 'https://docs.example/guide/start?v=2';
const factsOf = async (html: string, source = address) => (await readPage(source, html)).page;
const linksOf = async (body: string, source?: string) => (await factsOf(`<html><body>${body}<p>Text.</p></body></html>`, source))?.links;

describe('the facts of a web page', () => {
  it('contain all links of the page: absolute, without fragments, each once, in order', async () => {
    const body =
      '<nav><a href="/">Start</a><a href="next">Next</a></nav><main><a href="../api/#top">API</a><a href="next#part">again</a></main><footer><a href="//other.example/x">X</a></footer>';
    expect(await linksOf(body)).toEqual([
      'https://docs.example/',
      'https://docs.example/guide/next',
      'https://docs.example/api/',
      'https://other.example/x',
    ]);
  });

  it('contain no links with nofollow, to the same page or with other schemes', async () => {
    const body =
      '<a rel="ugc nofollow" href="/spam">s</a><a href="#top">t</a><a href="mailto:a@b.example">m</a><a href="javascript:void 0">j</a><a href="http://[">broken</a><a href="">own</a><a>none</a><a href=" /kept ">k</a>';
    expect(await linksOf(body)).toEqual(['https://docs.example/kept']);
  });

  it('contain the targets of frames, image maps and refreshes', async () => {
    const map = '<map><area href="/map"></map>';
    expect(await linksOf(map)).toEqual(['https://docs.example/map']);
    expect((await factsOf('<html><frameset><frame src="tree.html"></frameset></html>'))?.links).toEqual([
      'https://docs.example/guide/tree.html',
    ]);
    const sent = `<html><head><meta http-equiv="Refresh" content="0; URL='latest/'"></head></html>`;
    expect((await factsOf(sent))?.links).toEqual(['https://docs.example/guide/latest/']);
  });

  it('resolve addresses against the base of the page', async () => {
    const page = await readPage(
      address,
      '<html><head><base href="/v3/"></head><body><p><a href="a">A</a> <img src="b.png" alt="B"></p></body></html>',
    );
    expect(page.page?.links).toEqual(['https://docs.example/v3/a']);
    expect(page.text).toBe('[A](https://docs.example/v3/a) ![B](https://docs.example/v3/b.png)');
  });

  it('contain the canonical address and robots directives', async () => {
    const head =
      '<link rel="canonical" href="/guide/start#x"><link rel="alternate" type="application/atom+xml" href="/feed"><link rel="alternate" hreflang="de" href="/de"><meta name="ROBOTS" content="NoIndex,nofollow">';
    const page = `<html><head>${head}</head><body><p>Text.</p></body></html>`;
    expect(await factsOf(page)).toEqual({
      links: [],
      canonical: 'https://docs.example/guide/start',
      frames: [],
      routes: [],
      actions: [],
      noindex: true,
      nofollow: true,
    });
    expect(await factsOf('<html><meta name="robots" content="none"><p>Text.</p></html>')).toMatchObject({ noindex: true, nofollow: true });
    expect(await factsOf('<html><meta name="robots" content="index, follow"><p>Text.</p></html>')).toMatchObject({
      noindex: false,
      nofollow: false,
    });
  });

  it('contain frames, routes that are no places on the page, and links that log out', async () => {
    const links =
      '<a href="#/oil">Oil</a><a href="/app#!/bell">Bell</a><a href="#/here">Here</a><a href="#top">Top</a><a href="/session/end"> Log\nout </a><a href="/logging-out">How to log out</a><a href="#">Log out</a>';
    const page = `<html><body><p id="/here">Text.</p>${links}<iframe src="/inner"></iframe></body></html>`;
    expect(await factsOf(page)).toMatchObject({
      frames: ['https://docs.example/inner'],
      routes: [expect.stringMatching(/#\/oil$/), 'https://docs.example/app#!/bell'],
      actions: ['https://docs.example/session/end'],
    });
  });

  it('are read from a page without text', async () => {
    const page = await readPage(address, '<html><body><nav><a href="/a">A</a></nav><div id="root"></div></body></html>');
    expect(page.text).toBe('');
    expect(page.page?.links).toEqual(['https://docs.example/a']);
  });

  it('are missing for a file, whose links stay unchanged', async () => {
    const { page, text } = await read('html', '<html><body><p><a href="a.html">A</a> <img src="b.png" alt="B"></p></body></html>');
    expect(page).toBeUndefined();
    expect(text).toBe('[A](a.html) ![B](b.png)');
  });

  it('contain at most 10,000 links, and none that is too long', async () => {
    const many = Array.from({ length: 10_050 }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
    const links = await linksOf(`<a href="/${'x'.repeat(3000)}">long</a><nav>${many}</nav>`);
    expect(links).toHaveLength(10_000);
    expect(links?.[0]).toBe('https://docs.example/0');
    expect(await linksOf('<a href="a">A</a>', `https://docs.example/${'x'.repeat(3000)}/`)).toEqual([]);
  });

  it('keeps the words of links within the page, and makes other links absolute', async () => {
    const { text } = await readPage(
      address,
      '<html><body><p><a href="#a">above</a> <a href="?v=3">newer</a> <a href="mailto:a@b.example">mail</a></p></body></html>',
    );
    expect(text).toBe('above [newer](https://docs.example/guide/start?v=3) [mail](mailto:a@b.example)');
  });
});
