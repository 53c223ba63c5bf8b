import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { KbError } from '../../../../../src/core/errors.ts';
import { DEFAULTS } from '../../../../../src/schema/config.ts';
import type { Network } from '../../../../../src/schema/config-sources.ts';
import type { Site, SiteRoute } from '../../../../support/site.ts';
import { article, asked, crawled, extracting, memoryOf, pageReader, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();

/** A site that answers every path by what `give` makes of it. */
const endless = (give: (path: string, response: ServerResponse) => unknown): Promise<Site> =>
  site(
    new Proxy<Record<string, SiteRoute>>(
      {},
      {
        get: (_routes, path: string) =>
          /^\/(robots\.txt|sitemap\.xml)$/.test(path) ? undefined : (_request: unknown, response: ServerResponse) => give(path, response),
      },
    ),
  );

const random = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 12);
const htmlOf = (path: string, links: string[]) => article(`Page ${random(path)}`, links);

test('follows endless links up to max_pages, with no more requests', async () => {
  const web = await endless((path, response) =>
    response.end(
      htmlOf(
        path,
        Array.from({ length: 20 }, (_, i) => `/${random(path + i)}`),
      ),
    ),
  );
  const all = await crawled([web], web.url, { settings: { max_pages: 30, max_depth: 100 } });
  expect(all.documents).toHaveLength(30);
  expect(web.hits.length).toBeLessThanOrEqual(34);
  expect(all.notices).toEqual([expect.stringMatching(/stopped at max_pages = 30: \d+ further addresses were found/)]);
});

test('requests addresses without pages up to a limit, with a notice', async () => {
  const web = await endless((path, response) => {
    if (path === '/')
      return response.end(
        article(
          'Start',
          Array.from({ length: 2_000 }, (_, i) => `/${i}`),
        ),
      );
    return response.writeHead(200, { 'content-type': 'image/png' }).end('x');
  });
  const all = await crawled([web], web.url, { settings: { max_pages: 20 } });
  expect(paths(all)).toEqual(['/']);
  expect(web.hits.length).toBeLessThanOrEqual(164);
  expect(all.notices).toEqual([
    `The crawl of ${web.url}/ stopped after 160 addresses that led to 1 page: 1,840 further addresses were found and not read.`,
    `The crawl of ${web.url}/ left out 160 addresses of a kind that kb does not read (such as ${web.url}/0).`,
  ]);
  expect(all.scopes).toEqual([]);
});

test('leaves out paths that grow with every click and addresses of thousands of characters', async () => {
  const web = await endless((path, response) =>
    response.end(htmlOf(path, [`${path.replace(/\/$/, '')}/more/`, `/x?q=${'a'.repeat(2_500)}`])),
  );
  const all = await crawled([web], web.url, { settings: { max_depth: 50 } });
  expect(paths(all)).toEqual(['/', '/more/', '/more/more/', '/more/more/more/']);
  expect(all.notices).toEqual([expect.stringMatching(/left out 1 address of the kind that sites generate without end/)]);
});

test('stops endless and circular redirects after ten requests', async () => {
  const web = await endless((path, response) => {
    if (path === '/') return response.end(article('Start', ['/r/0', '/circle', '/slash']));
    const next =
      path === '/circle'
        ? '/cycle'
        : path === '/cycle'
          ? '/circle'
          : path.startsWith('/slash')
            ? path === '/slash'
              ? '/slash/'
              : '/slash'
            : `/r/${Number(path.slice(3)) + 1}`;
    return response.writeHead(302, { location: next }).end();
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/']);
  expect(all.errors.map(({ source }) => new URL(source).pathname)).toEqual(['/cycle', '/slash/', '/r/10']);
  for (const { error } of all.errors) expect(error).toContain('redirects in a loop, or more than 10 times');
  expect(web.hits.length).toBeLessThan(30);
});

test('treats a site that fails twenty times in a row as down', async () => {
  const web = await endless((path, response) =>
    path === '/'
      ? response.end(
          article(
            'Start',
            Array.from({ length: 200 }, (_, i) => `/${i}`),
          ),
        )
      : response.writeHead(500).end(),
  );
  const all = await crawled([web], web.url, { door: { retries: { attempts: 1 } } });
  expect(all.errors).toHaveLength(20);
  expect(web.hits.length).toBeLessThan(100);
  expect(all.notices).toEqual([expect.stringContaining('stopped because 20 pages in a row could not be read')]);
  expect(all.expected).toBe(21);
});

test('keeps the pages of a site that goes down, and says how many were found and not read', async () => {
  const links = Array.from({ length: 70 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', ['/a', ...links]), ...Object.fromEntries(links.map((link) => [link, { status: 500 }])) });
  web.routes['/a'] = article('A', [], `<link rel="canonical" href="${web.url}/p0">`);
  const memory = memoryOf();
  for (let run = 0; run < 2; run++) {
    const all = await crawled([web], web.url, { memory, door: { retries: { attempts: 1 } }, isStored: true });
    const unstored = run === 0 ? '' : ', and 1 page was read and not stored';
    expect([all.hashes.length, all.errors.length]).toEqual([2 - run, 20]);
    expect(all.notices).toEqual([
      `The crawl of ${web.url}/ stopped because 20 pages in a row could not be read: 50 further addresses were found and not read${unstored}.`,
    ]);
    expect([all.scopes, all.doubts.length]).toEqual([[], 1]);
  }
});

test('processes the pages that were read before a site went down', async () => {
  const links = Array.from({ length: 70 }, (_, i) => `/p${i}`);
  const failing = Object.fromEntries(links.map((link) => [link, { status: 500 }]));
  const web = await site({
    '/': article('Start', ['/a', ...links]),
    '/a': article('A'),
    '/robots.txt': 'User-agent: *\nCrawl-delay: 0.01',
    ...failing,
  });
  const memory = memoryOf();
  const options = { memory, door: { retries: { attempts: 1 } } };
  await crawled([web], web.url, options);
  const items = await Array.fromAsync(extracting([web], web.url, options));
  expect(items.filter((item) => 'error' in item)).toHaveLength(20);
  const texts = [];
  for (const item of items) if ('candidate' in item) texts.push((await item.candidate.document()).title);
  expect(texts).toEqual(['Start', 'A']);
});

test('reads documents of more than 16 MiB one at a time', async () => {
  const links = Array.from({ length: 6 }, (_, i) => `/sheet${i}.txt`);
  const body = Buffer.alloc(16 * 2 ** 20 + 1, 'a');
  const headers = { 'content-type': 'text/plain' };
  const announced = { headers: { ...headers, 'content-length': `${body.length}` }, body };
  const unannounced: SiteRoute = (_request, response) => {
    response.writeHead(200, headers).write(body.subarray(0, 1));
    response.end(body.subarray(1));
  };
  const web = await site({
    '/': article('Start', links),
    ...Object.fromEntries(links.map((link, i) => [link, i % 2 ? announced : unannounced])),
  });
  const reader = pageReader();
  let open = 0;
  let most = 0;
  const read: typeof reader.read = async (bytes, options) => {
    if (options.file_type === 'html') return reader.read(bytes, options);
    most = Math.max(most, ++open);
    await wait(20); // another one would come meanwhile
    open--;
    return { text: options.source, metadata: {}, marks: [] };
  };
  const all = await crawled([web], web.url, { reader: { ...reader, read }, isStored: true });
  expect([all.hashes.length, all.errors, most]).toEqual([7, [], 1]);
});

test('reports pages that never end, inflate a thousandfold or arrive byte by byte as separate errors', async () => {
  const network = { ...(DEFAULTS.network as Network), max_bytes: 200_000, timeout: 0.5 };
  let sent = 0;
  const web = await site({
    '/': article('Start', ['/endless', '/bomb', '/slow', '/ok']),
    '/endless': async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const closed = new Promise((done) => response.once('close', done));
      while (!response.destroyed && sent < 20_000_000) {
        sent += 65_536;
        if (!response.write(Buffer.alloc(65_536, 'a'))) await Promise.race([new Promise((done) => response.once('drain', done)), closed]);
      }
      response.end();
    },
    '/bomb': { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(30_000_000, 'a')) },
    '/slow': (_request, response) => {
      const timer = setInterval(() => response.write('a'), 50);
      response.once('close', () => clearInterval(timer));
    },
    '/ok': article('Ok'),
  });
  const all = await crawled([web], web.url, { door: { network, retries: { attempts: 1 } } });
  expect(paths(all)).toEqual(['/', '/ok']);
  expect(all.errors.map(({ source, isRetryable }) => [new URL(source).pathname, isRetryable])).toEqual([
    ['/endless', false],
    ['/bomb', false],
    ['/slow', true],
  ]);
  expect(sent).toBeLessThan(20_000_000);
});

test('limits sitemaps that name each other endlessly or inflate too much', async () => {
  const web = await site({ '/': article('Start'), '/robots.txt': 'Sitemap: /deep/0\nSitemap: /bomb.xml.gz' });
  const bomb = gzipSync(Buffer.alloc(60 * 2 ** 20, ' '), { level: 1 });
  web.routes['/bomb.xml.gz'] = { headers: { 'content-type': 'application/gzip' }, body: bomb };
  for (let i = 0; i < 200; i++) web.routes[`/deep/${i}`] = `<sitemapindex><sitemap><loc>/deep/${i + 1}</loc></sitemap></sitemapindex>`;
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/']);
  expect(['/deep/2', '/deep/99'].map((path) => asked(web, path))).toEqual([1, 0]);
  expect(all.notices).toEqual(
    ['bomb.xml.gz is too large', 'names more than 100 sitemaps'].map((notice) => expect.stringContaining(notice)),
  );
});

test('simplifies robots rules that take long', async () => {
  const rules = Array.from({ length: 5_000 }, (_, i) => `Disallow: /a${'*a'.repeat(20)}${i}$`).join('\n');
  const links = Array.from({ length: 1_000 }, (_, i) => `/${'a'.repeat(300)}${i}`);
  const web = await site({
    '/': article('Start', [...links, '/b']),
    '/b': article('B'),
    '/robots.txt': `User-agent: *\n${rules}\nAllow: /${'*a'.repeat(20)}`,
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/b']);
});

test('reads a sitemap that names thousands of others up to a maximum, with a notice', async () => {
  const many = (from: number) => Array.from({ length: 5_000 }, (_, i) => `<sitemap><loc>/${from + i}.xml</loc></sitemap>`).join('');
  const web = await site({ '/': article('Start'), '/robots.txt': Array.from({ length: 40 }, (_, i) => `Sitemap: /s/${i}`).join('\n') });
  for (let i = 0; i < 40; i++) web.routes[`/s/${i}`] = `<sitemapindex>${many(i * 5_000)}</sitemapindex>`;
  for (let i = 0; i < 200_000; i++) web.routes[`/${i}.xml`] = '<urlset/>';
  const all = await crawled([web], web.url);
  expect(web.hits.length).toBeLessThanOrEqual(105);
  expect(all.notices).toEqual([
    `${web.url} names more than 100 sitemaps: the others were left out.`,
    expect.stringContaining('no page that can be read is named by these sitemaps.'),
  ]);
});

test('gives up a site that lets a crawl wait for ten minutes', async () => {
  const links = Array.from({ length: 200 }, (_, i) => `/${i}`);
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  onTestFinished(() => void (performance.now = now));
  const web = await endless((path, response) => {
    if (path === '/') return response.end(article('Start', links));
    passed += 60_000;
    return response.writeHead(503).end();
  });
  const all = await crawled([web], web.url, { door: { retries: { attempts: 1 } } });
  expect(all.errors.length).toBeLessThan(20);
  expect(all.notices).toEqual([expect.stringContaining('stopped because nothing could be read for 10 minutes: ')]);
  expect(all.scopes).toEqual([]);
});

test('counts a dead link as an answer, however long the wait for its turn', async () => {
  const links = Array.from({ length: 30 }, (_, i) => `/dead/${i}`);
  const { now } = performance;
  let passed = 0;
  performance.now = () => now.call(performance) + passed;
  onTestFinished(() => void (performance.now = now));
  const web = await endless((path, response) => {
    if (path === '/') return response.end(article('Start', [...links, '/z']));
    passed += 60_000;
    return path === '/z' ? response.end(article('Z')) : response.writeHead(404).end();
  });
  const all = await crawled([web], web.url);
  expect([paths(all), all.errors.length, all.notices]).toEqual([['/', '/z'], 30, []]);
});

test('does not treat a site as down because of forbidden pages', async () => {
  const links = Array.from({ length: 30 }, (_, i) => `/secret/${i}`);
  const web = await endless((path, response) => {
    if (path.startsWith('/secret')) return response.writeHead(path.length % 2 ? 401 : 403).end();
    return response.end(article(path, path === '/' ? [...links, '/open'] : []));
  });
  const all = await crawled([web], web.url);
  expect([paths(all), all.errors.length]).toEqual([['/', '/open'], 30]);
  expect(all.notices.filter((notice) => notice.includes('stopped'))).toEqual([]);
});

test('requests and parses a page once that is too large for its parser or for a web page', async () => {
  const huge = Buffer.alloc(16 * 2 ** 20 + 1, '<p>word');
  const web = await site({
    '/': article('Start', ['/slow', '/huge']),
    '/slow': article('Slow'),
    '/huge': { headers: { 'content-type': 'text/html' }, body: huge },
  });
  const reader = pageReader();
  const given: string[] = [];
  const read: typeof reader.read = async (bytes, options) => {
    given.push(new URL(options.source).pathname);
    if (options.source.endsWith('/slow')) throw new KbError('too_large', `${options.source} was not read in time.`);
    return reader.read(bytes, options);
  };
  const all = await crawled([web], web.url, { reader: { ...reader, read } });
  expect(all.errors.map(({ source }) => new URL(source).pathname)).toEqual(['/slow', '/huge']);
  expect([asked(web, '/slow'), asked(web, '/huge'), given]).toEqual([1, 1, ['/', '/slow']]);
});

test('reports web pages of more than 16 MB with the limit, whatever their compression', async () => {
  const page = gzipSync(article('Huge').replace('</main>', `${'<p>word and more of it, as long as a line is</p>'.repeat(400_000)}</main>`));
  const packed = { headers: { 'content-encoding': 'gzip' }, body: page };
  const web = await site({
    '/': article('Start', ['/huge', '/untold', '/ok']),
    '/huge': packed,
    '/untold': { ...packed, headers: { ...packed.headers, 'content-type': '' } },
    '/ok': article('Ok'),
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/ok']);
  expect(all.errors).toMatchObject(
    ['/huge', '/untold'].map((path) => ({
      source: web.url + path,
      isRetryable: false,
      error: expect.stringMatching(/is too large.*the limit of 16777216 bytes\. Have it split, or leave it out\./),
    })),
  );
});

test('follows no links, redirects or frames to other ports, files and metadata addresses', async () => {
  const other = await site({ '/': article('Inside'), '/secret': article('Inside') });
  const { port } = new URL(other.url);
  const away = [
    `${other.url}/secret`,
    `http://localhost:${port}/secret`,
    `http://[::ffff:127.0.0.1]:${port}/secret`,
    `http://2130706433:${port}/secret`,
    `http://127.1:${port}/secret`,
    `//127.0.0.1:${port}/secret`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_x',
    'data:text/html,<p>x</p>',
  ];
  const redirects = away.slice(0, 9).map((location, i): [string, SiteRoute] => [`/away-${i}`, { status: 302, headers: { location } }]);
  const refresh = `<meta http-equiv="refresh" content="0;url=${other.url}/secret"><iframe src="${other.url}/secret"></iframe>`;
  const web = await site({
    '/': article('Start', [...away, ...redirects.map(([path]) => path), '/refresh']),
    '/refresh': article('Refresh').replace('<head>', `<head>${refresh}`),
    ...Object.fromEntries(redirects),
  });
  const all = await crawled([web], web.url);
  expect(other.hits).toEqual([]);
  expect(paths(all)).toEqual(['/', '/refresh']);
  expect(JSON.stringify(all.documents)).not.toMatch(/Inside|root:/);
});
