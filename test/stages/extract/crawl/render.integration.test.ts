import { expect, test } from 'vitest';
import { KbError } from '../../../../src/base/errors.ts';
import type { Renderer } from '../../../../src/ports/reading.ts';
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

test('a page that its scripts write is opened in a browser, and its links are followed; a page that is there is not', async () => {
  const web = await site({ '/': shell, '/a': article('A') });
  const renderer = browser({ '/': article('Start', ['/a']) });
  const all = await crawled([web], web.url, { renderer });
  expect(paths(all)).toEqual(['/', '/a']);
  expect(all.documents[0]!.text).toContain('Start is described here');
  expect(renderer.opened).toEqual(['/']);
});

test('without a browser such a page is an error that names the command, and plain pages are read', async () => {
  const web = await site({ '/': article('Start', ['/app']), '/app': shell });
  const all = await crawled([web], web.url, { renderer: noBrowser });
  expect(paths(all)).toEqual(['/']);
  expect(all.errors).toMatchObject([{ source: `${web.url}/app`, isRetryable: false, error: expect.stringContaining('kb setup-browser') }]);
});

test('a short page with scripts that may be all there is, is read as it is where a browser cannot open it or shows no more', async () => {
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

test('render: never takes pages as they are sent, and always opens every page but no document', async () => {
  const web = await site({ '/': article('Start', ['/a.txt']), '/a.txt': { headers: { 'content-type': 'text/plain' }, body: 'text' } });
  const renderer = browser({ '/': article('Start, rendered', ['/a.txt']) });
  expect((await crawled([web], web.url, { renderer, settings: { render: 'never' } })).documents[0]!.title).toBe('Start');
  const all = await crawled([web], web.url, { renderer, settings: { render: 'always' } });
  expect(all.documents.map(({ title }) => title)).toEqual(['Start, rendered', 'a']);
  expect(renderer.opened).toEqual(['/']);
});

test('a page that was rendered is rendered at once the next time, and is the same where its text is', async () => {
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

test('where a script leads out of the site the page is passed over, and what the browser is answered with 404 is gone', async () => {
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
