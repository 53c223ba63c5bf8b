import { describe, expect, it } from 'vitest';
import { read } from '../read.ts';

const sentence =
  'The kettle boils a litre of water in two minutes, and switches itself off before anybody has found the cups for the tea. ';
const words = `<p>${sentence.repeat(2)}</p>`;
const page = (body: string, title: string) => read('html', `<html><head><title>${title}</title></head><body>${body}</body></html>`);

describe('the headline of a page', () => {
  it('is not the name of the site, which stands on each of its pages', async () => {
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

  it('is that of the only article, and the name of the site is none of its text', async () => {
    const { text } = await page(`<div id="top"><h1>Acme Shop</h1></div><article><h1>Soup</h1>${words.repeat(5)}</article>`, 'Soup');
    expect(text).toMatch(/^# Soup\n\nThe kettle boils/);
    expect((await page('<header><h1><a href="/">Acme Shop</a></h1></header><h2>Soup</h2><p>Boil it.</p>', 'Acme')).text).toBe(
      '## Soup\n\nBoil it.',
    );
  });

  it('is not that of a banner, a dialog or a side bar', async () => {
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

  it('stays where it links to a page that is not the first', async () => {
    expect((await page(`<header><h1><a href="/soup">Soup</a></h1></header>${words}`, 'Blog')).text).toContain('Soup');
  });

  it('is that of the page where the only article is a part of it, which its title tells', async () => {
    const article = `<article><h1>Version 2</h1><p>Faster start.</p></article>`;
    for (const title of ['Release notes', 'Release notes - Acme']) {
      const notes = await page(`<div><h1>Release notes</h1><p>What changed.</p>${article}</div>`, title);
      expect(notes.text, title).toMatch(/^# Release notes\n[^]*# Version 2\n/);
      expect(notes.title, title).toBe('Release notes');
    }
  });

  it('stays where it links to its own place, and where it stands over what the page says in short', async () => {
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
