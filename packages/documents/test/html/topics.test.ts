import { describe, expect, it } from 'vitest';
import { placeOf, read } from '../support/read.ts';

const sentence =
  'The valve is looked at every spring, by someone who knows it, before the first guests come up from the valley and ask for soup. ';
const article = async (html: string, head = ''): Promise<string> =>
  (await read('html', `<html><head>${head}</head><body><article><h1>Hut</h1><p>${sentence.repeat(5)}</p>${html}</article></body></html>`))
    .text;
const shared = (html: string): Promise<string> => article(html, '<meta property="og:title" content="Hut">');

describe('the name of an element', () => {
  const names = 'comments cookies copyright lazy-loading pagination rating related-work share subscribe tags toc'.split(' ');

  it.each(names)('does not make it furniture: %s', async (name) => {
    for (const page of [article, shared]) {
      expect(await page(`<h2 id="${name}">Topic</h2><p>WORD ${sentence.repeat(2)}</p>`)).toMatch(/\n## Topic\n\nWORD/);
      expect(await page(`<section id="${name}"><h2>Topic</h2><p>WORD ${sentence.repeat(2)}</p></section>`)).toMatch(/\n## Topic\n\nWORD/);
    }
    expect(await article(`<div class="${name}"><p>PARTWORD</p></div>`)).toContain('PARTWORD');
  });
});

describe('a thread of short answers', () => {
  it('is kept when it is the content of the page', async () => {
    const answer = (_: unknown, i: number) => `<article class="comment"><h3>user${i}</h3><p>Answer ${i}. ${sentence}</p></article>`;
    const { text } = await read(
      'html',
      `<html><body><main><h1>Thread</h1>${Array.from({ length: 12 }, answer).join('')}</main></body></html>`,
    );
    expect(text.match(/Answer \d/g)).toHaveLength(12);
  });
});

describe('the anchor of a heading', () => {
  it('is taken from the anchor sign beside it', async () => {
    const signs = [
      '<a class="headerlink" id="named" href="#named">¶</a>Anchors',
      '<a name="named" href="#named">#</a> Anchors',
      '<a id="named"></a>Anchors',
    ];
    for (const sign of signs) {
      const page = await read('html', `<html><body><main><h1>Hut</h1><p>${sentence}</p><h2>${sign}</h2><p>Words.</p></main></body></html>`);
      expect(placeOf(page, 'Words.')?.anchor).toBe('named');
      expect(page.text).toContain('## Anchors');
    }
  });

  it('is found on a page with tags in capital letters', async () => {
    const html = `<H2 CLASS="SECT2"><A NAME="named">7.1. Anchors</A></H2><P>See <A HREF="more.html">more</A>.</P><P HIDDEN>HIDDENWORD</P>`;
    const page = await read('html', `<HTML><BODY><H1>Hut</H1><P>${sentence}</P>${html}</BODY></HTML>`);
    expect(page.text).toBe(`# Hut\n\n${sentence.trim()}\n\n## 7.1. Anchors\n\nSee [more](more.html).`);
    expect(placeOf(page, 'See')?.anchor).toBe('named');
  });

  it('is taken from an anchor before it, or from its section', async () => {
    for (const html of [
      '<a name="named"></a>\n<h2>Anchors</h2>',
      '<section id="named"><a class="src" href="/s">Source</a><h2>Anchors</h2></section>',
      '<div id="named"><span id="other"></span><h2>Anchors</h2></div>',
    ]) {
      const page = await read('html', `<html><body><main><h1>Hut</h1><p>${sentence}</p>${html}<p>Words.</p></main></body></html>`);
      expect(placeOf(page, 'Words.')?.anchor, html).toBe('named');
    }
    const second = await read(
      'html',
      '<html><body><main><section id="part"><h2>One</h2><h3>Two</h3><p>Words.</p></section></main></body></html>',
    );
    expect(second.marks).toEqual([{ at: 0, anchor: 'part' }]);
  });

  it('is not the root element of an application', async () => {
    const page = await read('html', `<html><body><div id="root"><h1>Hut</h1><p>${sentence}</p></div></body></html>`);
    expect(page.marks).toEqual([]);
  });
});
