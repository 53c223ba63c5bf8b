import { describe, expect, it } from 'vitest';
import { read } from '../read.ts';

const headed = (head: string, body = '<p>Text.</p>', attributes = '') =>
  read('html', `<html ${attributes}><head>${head}</head><body><main>${body}</main></body></html>`);
const linkedData = (data: unknown): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

describe('what an HTML page says about itself', () => {
  it('is in its meta elements, whatever vocabulary they use', async () => {
    const { metadata } = await headed(
      '<meta name="DC.creator" content="Ida Berg"><meta property="article:published_time" content="2026-03-01T08:00:00Z"><meta property="article:modified_time" content="2026-04-02"><meta property="og:description" content="How to."><meta property="og:locale" content="de_AT">',
    );
    expect(metadata).toEqual({
      author: 'Ida Berg',
      created: '2026-03-01T08:00:00Z',
      modified: '2026-04-02',
      description: 'How to.',
      lang: 'de-AT',
    });
  });

  it('is in its JSON-LD, in a graph too', async () => {
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

  it('is in its time elements, where they are marked', async () => {
    const body =
      '<p>On <time datetime="1999-01-01">a day</time>.</p><time class="entry-date" datetime="2026-03-01">1 March</time><span class="theme-last-updated"><time itemprop="dateModified" datetime="2026-04-02">2 April</time></span>';
    expect((await headed('', body)).metadata).toEqual({ created: '2026-03-01', modified: '2026-04-02' });
  });

  it('leaves out an author that is an address, a date that is none, and JSON-LD that cannot be read', async () => {
    const head =
      '<meta property="article:author" content="https://social.example/ida"><meta name="date" content="yesterday"><script type="application/ld+json">{ "@type": "Article", </script>';
    expect((await headed(head)).metadata).toEqual({});
  });

  it('has a title without the name of the site where the headline tells which part that is', async () => {
    expect((await headed('<title>Install | Aqua</title>', '<h1>Install</h1><p>Text.</p>')).title).toBe('Install');
    expect((await headed('<title>Install-time checks</title>', '<h1>Install</h1><p>Text.</p>')).title).toBe('Install-time checks');
    expect((await headed('<title>Aqua | Install</title>', '<p>Text.</p>')).title).toBe('Aqua | Install');
    expect((await headed('<meta property="og:title" content="Shown">')).title).toBe('Shown');
  });
});
