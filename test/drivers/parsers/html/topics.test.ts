import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../../src/drivers/parsers/html/dom.ts';
import { removeBoilerplate } from '../../../../src/drivers/parsers/html/boilerplate.ts';
import { placeOf, read } from '../read.ts';

const sentence =
  'The valve is looked at every spring, by someone who knows it, before the first guests come up from the valley and ask for soup. ';
const SHARED = '<meta property="og:title" content="Hut">';
const article = async (html: string, head = ''): Promise<string> =>
  (await read('html', `<html><head>${head}</head><body><article><h1>Hut</h1><p>${sentence.repeat(5)}</p>${html}</article></body></html>`))
    .text;
const generated = async (html: string): Promise<string> =>
  (await read('html', `<html><body><main><div class="theme-doc-markdown"><h1>Hut</h1><p>${sentence}</p>${html}</div></main></body></html>`))
    .text;

describe('the id of an element', () => {
  const ids = 'comments cookies copyright gdpr lazy-loading pagination rating related-work skip-link social-login subscribe tags toc'.split(
    ' ',
  );

  it.each(ids)('does not make it boilerplate if it names a topic: %s', async (id) => {
    for (const page of [article, generated]) {
      expect(await page(`<h2 id="${id}">Topic</h2><p>WORD ${sentence.repeat(2)}</p>`)).toMatch(/\n## Topic\n\nWORD/);
      expect(await page(`<section id="${id}"><h2>Topic</h2><p>WORD ${sentence.repeat(2)}</p></section>`)).toMatch(/\n## Topic\n\nWORD/);
    }
    expect(await generated(`<dl><dt id="${id}">Topic</dt><dd>Said.</dd></dl>`)).toContain('**Topic**\n\nSaid.');
  });

  it('makes it boilerplate if it names no topic', async () => {
    expect(await generated('<div id="pagination"><a href="/next">NEXTWORD</a></div>')).not.toContain('NEXTWORD');
    expect(await article('<div id="related"><a href="/next">NEXTWORD</a></div>')).not.toContain('NEXTWORD');
  });
});

describe('the class of an element', () => {
  it('does not make content about consent boilerplate', async () => {
    const part = '<div class="recipe cookies"><h2>Chocolate cookies</h2><p>Mix butter and sugar.</p></div>';
    for (const page of [article, generated]) expect(await page(part)).toContain('## Chocolate cookies\n\nMix butter');
  });

  it('does not make a long part without links boilerplate', async () => {
    expect(await generated(`<div class="toc"><p>WORD ${sentence.repeat(5)}</p></div>`)).toContain('WORD');
    expect(await generated(`<ul class="toc">${'<li><a href="#a">LINKWORD to a part of it</a></li>'.repeat(40)}</ul>`)).not.toContain(
      'LINKWORD',
    );
  });
});

describe('a short part of an article', () => {
  it('is kept if its name begins with a word for links and ends with the kind of the part', async () => {
    const paged = async (name: string): Promise<string | null> => {
      const { body } = await parseHtml(`<html><body><p>${sentence.repeat(3)}</p><div class="${name}">PARTWORD</div></body></html>`);
      return removeBoilerplate(body, 'story').textContent;
    };
    const parts = 'related-commands rating-table social-security share-permissions subscribe-plan tags-input';
    for (const name of parts.split(' ')) expect(await paged(name), name).toContain('PARTWORD');
    const asides = 'related related-posts related-products rating rating-stars share-buttons social-links tags post-tags related__item';
    for (const name of asides.split(' ')) expect(await paged(name), name).not.toContain('PARTWORD');
  });

  it('is kept on a page that is no story, unless it consists of links', async () => {
    for (const name of ['related', 'rating', 'tags', 'copyright', 'credits', 'comments', 'newsletter', 'sidebar']) {
      expect(await article(`<div class="${name}">PARTWORD</div><p>Words.</p>`), name).toContain('PARTWORD');
      if (name !== 'sidebar')
        expect(await article(`<div class="${name}"><a href="/x">PARTWORD</a></div><p>Words.</p>`), name).not.toContain('PARTWORD');
    }
  });

  it('is kept if it has the name of a sign but no links', async () => {
    for (const name of ['toc', 'eyebrow', 'noprint', 'pagination'])
      expect(await generated(`<div class="${name}"><p>PARTWORD</p></div>`), name).toContain('PARTWORD');
    for (const name of ['toc', 'noprint', 'pagination'])
      expect(await generated(`<div class="${name}"><a href="/x">PARTWORD</a></div>`), name).not.toContain('PARTWORD');
  });

  it('is kept if it describes its link to a source', async () => {
    const link = (words: string) => generated(`<p>See the <a class="src" href="/s">${words}</a> here.</p>`);
    expect(await link('source of the river')).toContain('source of the river');
    expect(await link('[src]')).not.toContain('src');
  });
});

describe('a thread of short answers', () => {
  const answers = (count: number) =>
    Array.from({ length: count }, (_, i) => `<article class="comment"><h3>user${i}</h3><p>Answer ${i}. ${sentence}</p></article>`).join('');

  it('is kept when it is the content of the page', async () => {
    const { text } = await read('html', `<html><body><main><h1>Thread</h1>${answers(12)}</main></body></html>`);
    expect(text.match(/Answer \d/g)).toHaveLength(12);
  });

  it('is kept without the parts beside it', async () => {
    const aside = '<div class="newsletter"><p>MAILWORD</p><p>MAILWORD</p></div>';
    const { text } = await read(
      'html',
      `<html><head>${SHARED}</head><body><main><h1>Thread</h1>${answers(12)}${aside}</main></body></html>`,
    );
    expect(text).not.toContain('MAILWORD');
  });

  it('is left out under a longer article', async () => {
    expect(await article(`<p>${sentence.repeat(12)}</p><div>${answers(2)}</div>`, SHARED)).not.toContain('Answer 1');
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
