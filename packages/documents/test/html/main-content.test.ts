import { describe, expect, it } from 'vitest';
import { read, readPage } from '../support/read.ts';

const paragraph = (topic: string): string =>
  `<p>The ${topic} is looked at every spring, by someone who knows it, before the first guests come up from the valley and ask for soup.</p>`;
const story = ['roof', 'stove', 'well', 'path', 'bench', 'gate'].map(paragraph).join('');
const textOf = async (body: string, head = ''): Promise<string> =>
  (await read('html', `<html><head><title>The hut</title>${head}</head><body>${body}</body></html>`)).text;

describe('the main text of a web page', () => {
  it('excludes banners, forms, sidebars and footers', async () => {
    const text = await textOf(
      `<div class="cookie-consent">COOKIEWORD We use cookies.<button>OK</button></div><aside class="sidebar">SIDEWORD</aside><div role="dialog">DIALOGWORD</div>
      <article><h1>The hut</h1>${story}<form action="/signup"><input type="email" placeholder="MAILWORD"></form></article><footer>FOOTERWORD</footer>`,
    );
    expect(text).toContain('The gate is looked at');
    expect(text).not.toMatch(/[A-Z]{3,}WORD/);
  });

  it('includes parts between paragraphs, whatever their names', async () => {
    const aside = (name: string, word: string) => `<div class="${name}"><a href="/x">${word}</a></div>`;
    const text = await textOf(
      `<article><h1>The hut</h1>${paragraph('roof')}${aside('related-links', 'RELATEDWORD')}${story}${aside('tags', 'TAGWORD')}</article>`,
    );
    for (const word of ['RELATEDWORD', 'TAGWORD', 'The bench is']) expect(text).toContain(word);
  });

  it.each([0, 5, 14])('does not depend on %i scripts', async (count) => {
    const card = (name: string) => `<div class="card"><h2>${name}</h2><p>The ${name} costs two crowns.</p></div>`;
    const text = await textOf(
      `<div class="grid">${card('crane')}${card('scale')}</div><div class="story"><h2>History</h2>${story}</div><div class="grid">${card('pilot')}</div>`,
      '<script src="x.js"></script>'.repeat(count),
    );
    for (const name of ['crane', 'scale', 'pilot']) expect(text).toContain(`The ${name} costs two crowns.`);
  });

  it('is what Readability chooses if the page declares itself an article', async () => {
    const teasers = '<div class="teasers"><p>Another hut burned down last year, and nobody knows why, says the mayor.</p></div>'.repeat(3);
    const body = `<div class="story"><h1>The hut</h1>${story.repeat(3)}</div><div class="sidebar">${teasers}</div>`;
    expect(await textOf(body)).toContain('burned down');
    for (const head of [
      '<meta property="og:type" content="article">',
      '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
    ])
      expect(await textOf(body, head)).not.toContain('burned down');
  });

  it('includes the lead under the headline, even from the header of the article', async () => {
    const lead = 'Nobody lives up there in winter, and yet somebody has to look after it.';
    const page = `<article><header class="entry-header"><h1>The hut</h1><p class="x">${lead}</p></header><div class="body">${story}</div></article>`;
    const declared = '<meta property="og:type" content="article">';
    for (const head of ['', `${declared}<meta name="description" content="${lead}">`])
      expect((await textOf(page, head)).split(lead)).toHaveLength(2);
  });

  it('is the whole page if Readability finds less than a third of the prose', async () => {
    const text = await textOf(
      `<main>${['one', 'two', 'three', 'four'].map((name) => `<section class="sidebar-${name}"><h2>Part ${name}</h2>${paragraph(name)}</section>`).join('')}</main>`,
    );
    for (const name of ['one', 'two', 'three', 'four']) expect(text).toContain(`The ${name} is looked at`);
  });

  it('keeps tables, lists and disclosures in the main element of a short page', async () => {
    const page = (part: string) =>
      textOf(`<nav><a href="/">Home</a></nav><main><h1>Soup</h1><p>Our canteen serves soup every day from eleven to two, in large and small bowls, with bread.</p>
      <div><div><p>A bowl costs 4 euros, a small one 3 euros.</p></div></div>${part}</main><footer>FOOTERWORD</footer>`);
    const table = await page(
      '<div><h2>Sizes</h2><table><tr><th>Bowl</th><th>ml</th></tr><tr><td>small</td><td>250</td></tr></table></div>',
    );
    expect(table).toContain('## Sizes\n\n| Bowl | ml |\n| --- | --- |\n| small | 250 |');
    const fold = await page('<details><summary>Delivery</summary><ul><li>within 5 km: free</li></ul></details>');
    expect(fold).toContain('**Delivery**\n\n- within 5 km: free');
    const list = await page('<div><h2>Opening days</h2><ul><li>Monday to Friday</li><li>first Sunday of each month</li></ul></div>');
    expect(list).toContain('## Opening days\n\n- Monday to Friday\n- first Sunday of each month');
    for (const text of [table, fold, list]) expect(text).not.toContain('FOOTERWORD');
  });

  it('keeps tables, code and short sections of a manual', async () => {
    const section = (name: string) =>
      `<h2 id="${name}">The ${name}</h2>${paragraph(name)}<table><tr><th>Part</th><th>No.</th></tr><tr><td>${name}</td><td>7</td></tr></table>`;
    const text = await textOf(
      `<div id="main"><h1>Aqua</h1>${section('pump')}<pre>aqua run</pre><div class="footer-notes"><h2 id="notes">Notes</h2><ul><li>Short.</li><li><a href="/x">Linked.</a></li></ul></div>${section('valve')}</div>`,
    );
    expect(text).toContain('| pump | 7 |');
    expect(text).toContain('```\naqua run\n```');
    expect(text).toContain('## Notes\n\n- Short.\n- [Linked.](/x)');
    expect(text).toContain('| valve | 7 |');
  });

  it('is read although a style hides the page until a script runs', async () => {
    expect(await textOf(`<div id="app" style="display: none"><main><h1>Hut</h1>${paragraph('roof')}</main></div>`)).toContain(
      'The roof is',
    );
  });

  it('keeps the heading in the button of an accordion', async () => {
    const text = await textOf(
      `<main><h1>Questions</h1><h3 class="accordion-header"><button>Is it open?</button></h3><div class="accordion-collapse collapse" style="display:none">${paragraph('door')}</div></main>`,
    );
    expect(text).toContain('### Is it open?\n\nThe door is looked at');
  });

  it('keeps a link around several paragraphs on the first one', async () => {
    const page = `<html><body><main><h1>Guides</h1><a href="/start"><h3>Start here</h3><p>Five minutes.</p></a><p>Or <a href="a b(1)" title="TITLEWORD">later</a>.</p></main></body></html>`;
    expect((await readPage('https://x.example/', page)).text).toBe(
      '# Guides\n\n### [Start here](https://x.example/start)\n\nFive minutes.\n\nOr [later](https://x.example/a%20b%281%29).',
    );
  });

  it('keeps the source of formulas', async () => {
    expect(
      await textOf(
        '<main><p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span> holds.</p></main>',
      ),
    ).toBe('So $x^2$ holds.');
    expect(
      await textOf(
        '<main><p>So <math><mi>a</mi><mo>=</mo><mn>0</mn></math> holds, <span class="MathJax">a0</span><script type="math/tex">b_0</script> too.</p></main>',
      ),
    ).toBe('So a=0 holds, $b_0$ too.');
  });

  it('keeps the words of deeply nested elements, in a short time', async () => {
    expect(await textOf(`${'<div>'.repeat(3000)}needle${'</div>'.repeat(3000)}`)).toContain('needle');
  });
});

const sentence =
  'The kettle boils a litre of water in two minutes, and switches itself off before anybody has found the cups for the tea. ';
const words = `<p>${sentence.repeat(2)}</p>`;
const page = (body: string, title: string) => read('html', `<html><head><title>${title}</title></head><body>${body}</body></html>`);

describe('the headline of a page', () => {
  it('is not the name of the site', async () => {
    const banners = [
      '<header><h1><a href="/">Acme Shop</a></h1></header>',
      '<header><a href="https://acme.example"><h1>Acme Shop</h1></a></header>',
      '<header><h1><a href="../../index.html">Acme Shop</a></h1></header>',
      '<div id="header"><h1 class="site-title">Acme Shop</h1></div>',
    ];
    for (const banner of banners) {
      const { text, title } = await page(`${banner}<main><h2>Steel kettle</h2>${words}</main>`, 'Acme Shop | Steel kettle');
      expect(title, banner).toBe('Acme Shop | Steel kettle');
      expect(text, banner).toMatch(/^#+ Steel kettle\n\nThe kettle boils/);
      const article = await page(`${banner}<div id="content"><article><h1>Soup</h1>${words.repeat(5)}</article></div>`, 'Acme Shop » Soup');
      expect(article.text, banner).toMatch(/^# Soup\n\nThe kettle boils/);
    }
  });

  it('is that of the only article, without the name of the site', async () => {
    const { text } = await page(`<div id="top"><h1>Acme Shop</h1></div><article><h1>Soup</h1>${words.repeat(5)}</article>`, 'Soup');
    expect(text).toMatch(/^# Soup\n\nThe kettle boils/);
  });

  it('is not that of a banner, a dialog or a sidebar', async () => {
    const others = [
      '<div id="onetrust-banner-sdk"><h1>Other</h1><p>We use cookies.</p></div>',
      '<dialog><h1>Other</h1></dialog>',
      '<div role="dialog"><h1>Other</h1></div>',
      '<nav><h1>Other</h1></nav>',
      '<aside><h1>Other</h1></aside>',
    ];
    for (const other of others) {
      const { text, title } = await page(`${other}<main><h1>Steel kettle</h1>${words}</main>`, 'Steel kettle | Acme');
      expect(text, other).toMatch(/^# Steel kettle\n\nThe kettle boils/);
      expect(title, other).toBe('Steel kettle');
    }
  });

  it('is that of the page and not of the first of its articles', async () => {
    const article = (name: string) => `<article><h1>${name}</h1>${words}</article>`;
    const { text } = await page(`<div><h1>News</h1>${article('Kettles')}${article('Cups')}</div>`, 'News');
    expect(text).toMatch(/^# News\n/);
    expect((await page(`<header><h1>Acme</h1></header><main><h1>News</h1>${words}</main>`, 'Acme')).text).toMatch(/^# News\n/);
  });

  it('is kept if it links to a page other than the home page', async () => {
    expect((await page(`<header><h1><a href="/soup">Soup</a></h1></header>${words}`, 'Blog')).text).toContain('Soup');
  });

  it('is that of the page if its title shows that the only article is a part', async () => {
    const article = `<article><h1>Version 2</h1><p>Faster start.</p></article>`;
    for (const title of ['Release notes', 'Release notes - Acme']) {
      const notes = await page(`<div><h1>Release notes</h1><p>What changed.</p>${article}</div>`, title);
      expect(notes.text, title).toMatch(/^# Release notes\n[^]*# Version 2\n/);
      expect(notes.title, title).toBe('Release notes');
    }
  });

  it('is kept if it links to itself, and above a summary', async () => {
    expect((await page('<header><h1><a href="./">Install</a></h1></header><p>Unpack the file.</p><h2>Linux</h2>', 'Install')).text).toMatch(
      /^# \[?Install/,
    );
    const header = '<header><h1><a href="https://pump.example/">pump</a></h1><p>A tool that moves water.</p></header>';
    expect((await page(`${header}<section><h2>Install</h2><p>Run it.</p></section>`, 'pump by ann')).text).toMatch(
      /^# .*pump.*\n\nA tool that moves water\.\n\n## Install/,
    );
    expect((await page(`${header}<main><h2>Install</h2><p>Run it.</p></main>`, 'Install')).text).toBe('## Install\n\nRun it.');
  });
});
