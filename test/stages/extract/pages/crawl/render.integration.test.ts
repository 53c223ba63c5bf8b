import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import type { Renderer } from '../../../../../src/ports/reading.ts';
import { article, asked, crawled, memoryOf, noBrowser, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();

const shell = '<html><head><title>App</title></head><body><div id="app">Loading…</div><script src="/app.js"></script></body></html>';

/** A browser that shows these pages, by their paths. */
function browser(pages: Record<string, string | { url?: string; status?: number; html?: string }>): Renderer & { opened: string[] } {
  const opened: string[] = [];
  return {
    opened,
    render: async (url) => {
      const page = pages[new URL(url).pathname] ?? { status: 404 };
      opened.push(new URL(url).pathname);
      const { url: found = url, status = 200, html = '' } = typeof page === 'string' ? { html: page } : page;
      return { url: new URL(found, url).href, status, bytes: Buffer.from(html) };
    },
    close: async () => {},
  };
}

test('opens a page that scripts write in a browser and follows its links, but no page with text', async () => {
  const web = await site({ '/': shell, '/a': article('A') });
  const renderer = browser({ '/': article('Start', ['/a']) });
  const all = await crawled([web], web.url, { renderer });
  expect(paths(all)).toEqual(['/', '/a']);
  expect(all.documents[0]!.text).toContain('Start is described here');
  expect(renderer.opened).toEqual(['/']);
});

test('reports such a page without a browser with the command to install one, and reads plain pages', async () => {
  const web = await site({ '/': article('Start', ['/app']), '/app': shell });
  const all = await crawled([web], web.url, { renderer: noBrowser });
  expect(paths(all)).toEqual(['/']);
  expect(all.errors).toMatchObject([{ source: `${web.url}/app`, isRetryable: false, error: expect.stringContaining('kb setup-browser') }]);
});

test('reads a short page with scripts as fetched if a browser cannot open it or shows no more', async () => {
  const short = `<html><body><main><h1>Hours</h1><p>${'We open at nine in the morning. '.repeat(3)}</p></main><script>track()</script></body></html>`;
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': short, '/b': short.replace('nine', 'ten') });
  const failing: Renderer = {
    ...noBrowser,
    render: () => Promise.reject(new KbError('unavailable', 'It crashed.', { isRetryable: true })),
  };
  for (const renderer of [failing, browser({ '/a': short, '/b': '<p>less</p>' })]) {
    const all = await crawled([web], web.url, { renderer });
    expect(paths(all)).toEqual(['/', '/a', '/b']);
    expect(all.errors).toEqual([]);
  }
});

const few = `<html><body><main><h1>Prices</h1><p>${'Our prices are listed below this line. '.repeat(3)}</p></main><script>load()</script></body></html>`;

test.each(['full', 'each'] as const)('opens a short page later that no browser was available for, with a notice (%s)', async (mode) => {
  const web = await site({
    '/': (_request, response) => response.writeHead(200, { 'content-type': 'text/html', etag: '"1"' }).end(few),
  });
  const parts = { memory: memoryOf(), settings: { mode } };
  const before = await crawled([web], web.url, { ...parts, renderer: noBrowser });
  expect(before.documents[0]!.text).toContain('below this line');
  expect(before.notices).toEqual([
    expect.stringMatching(/^1 page \(.*\) was taken as sent, though a browser may show more, and will be read again: .* kb setup-browser/),
  ]);
  const renderer = browser({ '/': article('Prices of today') });
  const after = await crawled([web], web.url, { ...parts, renderer, isStored: true });
  expect([after.notices, renderer.opened]).toEqual([[], ['/']]);
  expect(after.hashes).not.toEqual(before.hashes);
});

test('opens and fetches at most eight pages at once', async () => {
  const links = Array.from({ length: 30 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', links), ...Object.fromEntries(links.map((link) => [link, shell])) });
  let open = 0;
  let most = 0;
  const eight = Promise.withResolvers<unknown>();
  const renderer: Renderer = {
    ...noBrowser,
    render: async (url) => {
      most = Math.max(most, ++open);
      if (open === 8) eight.resolve(wait(50)); // a ninth would come meanwhile
      await eight.promise;
      open--;
      return { url, status: 200, bytes: Buffer.from(article(new URL(url).pathname)) };
    },
  };
  expect((await crawled([web], web.url, { renderer })).documents).toHaveLength(31);
  expect(most).toBe(8);
});

test('render never reads pages as fetched, and render always opens every page but no document', async () => {
  const web = await site({ '/': article('Start', ['/a.txt']), '/a.txt': { headers: { 'content-type': 'text/plain' }, body: 'text' } });
  const renderer = browser({ '/': article('Start, rendered', ['/a.txt']) });
  expect((await crawled([web], web.url, { renderer, settings: { render: 'never' } })).documents[0]!.title).toBe('Start');
  const all = await crawled([web], web.url, { renderer, settings: { render: 'always' } });
  expect(all.documents.map(({ title }) => title)).toEqual(['Start, rendered', 'a']);
  expect(renderer.opened).toEqual(['/']);
});

test('renders a page at once that was rendered before, and finds it unchanged if its text is', async () => {
  const web = await site({ '/': shell });
  const memory = memoryOf();
  const nonces = { at: 0 };
  const renderer: Renderer = {
    ...noBrowser,
    render: async (url) => ({ url, status: 200, bytes: Buffer.from(`${article('Start')}<script nonce="${nonces.at++}"></script>`) }),
  };
  const first = await crawled([web], web.url, { renderer, memory });
  web.hits.length = 0;
  const again = await crawled([web], web.url, { renderer, memory });
  expect(again.hashes).toEqual(first.hashes);
  expect(asked(web, '/')).toBe(0);
  expect(nonces.at).toBe(2);
});

test('passes over a page whose script leads out of the site, and treats a 404 in the browser as gone', async () => {
  const web = await site({
    '/': article('Start', ['/out', '/lost', '/home']),
    '/out': shell,
    '/lost': shell,
    '/home': shell,
    '/in': article('In'),
  });
  const renderer = browser({
    '/out': { url: 'http://other.example/', html: article('Other') },
    '/home': { url: '/in', html: article('In') },
  });
  const all = await crawled([web], web.url, { renderer });
  expect(paths(all)).toEqual(['/', '/in']);
  expect(all.gone).toEqual([`${web.url}/lost`]);
});

/** A browser that tells what it is given, by origin. */
function telling(html: string, over: (url: string) => { url?: string; robots_tags?: string[] } = () => ({})) {
  const given: [string, Record<string, string>][] = [];
  const renderer: Renderer = {
    ...noBrowser,
    render: async (url, options) => {
      given.push([new URL(url).origin, { ...options.site?.headers }]);
      return { url, status: 200, bytes: Buffer.from(html), ...over(url) };
    },
  };
  return { given, renderer };
}

test('does not send credentials of the start address from a browser to another origin', async () => {
  const other = await site({ '/': shell });
  const web = await site({ '/': { status: 302, headers: { location: `${other.url}/` } }, '/own': shell });
  const { given, renderer } = telling(article('Start'));
  const credentials = (url: string) => url.replace('//', '//ann:s3cret@');
  await crawled([web, other], credentials(web.url), { renderer });
  await crawled([web, other], credentials(web.url), { renderer, settings: { mode: 'each' } });
  await crawled([web, other], `${credentials(web.url)}/own`, { renderer });
  expect(given).toEqual([
    [other.url, {}],
    [other.url, {}],
    [web.url, { authorization: `Basic ${Buffer.from('ann:s3cret').toString('base64')}` }],
  ]);
});

test('ignores a slash or tracking parameter that a script adds to the address', async () => {
  const web = await site({ '/': article('Start', ['/a/', '/b']), '/a/': shell, '/b': shell });
  const { renderer } = telling(article('App'), (url) => ({ url: url.endsWith('/a/') ? url.replace('/a/', '/a?_gl=1') : `${url}/` }));
  const all = await crawled([web], web.url, { renderer });
  expect([paths(all), all.errors]).toEqual([['/', '/a/'], []]);
  const each = await crawled([web], `${web.url}/b`, { renderer, settings: { mode: 'each' } });
  expect(paths(each)).toEqual(['/b']);
});

test('respects noindex headers of a rendered page, the first time and later', async () => {
  const web = await site({ '/': article('Start', ['/a']), '/a': { headers: { 'x-robots-tag': 'noindex' }, body: shell } });
  const memory = memoryOf();
  const { renderer } = telling(article('App'));
  for (let i = 0; i < 2; i++) expect(paths(await crawled([web], web.url, { renderer, memory }))).toEqual(['/']);
  web.routes['/a'] = shell;
  expect(paths(await crawled([web], web.url, { renderer, memory }))).toEqual(['/', '/a']);
  const { renderer: hearing } = telling(article('App'), () => ({ robots_tags: ['noindex'] }));
  expect(paths(await crawled([web], web.url, { renderer: hearing, memory }))).toEqual(['/']);
});
