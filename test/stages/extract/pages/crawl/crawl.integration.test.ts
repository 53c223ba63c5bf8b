import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SiteRoute } from '../../../../support/site.ts';
import { article, asked, crawled, paths, siteKeeper } from './crawling.ts';

const site = siteKeeper();
const xml = (body: string) => ({ headers: { 'content-type': 'application/xml' }, body });

test('reads every page of a site once, with its depth, and ends with the scope', async () => {
  const web = await site({
    '/': article('Start', ['/filter', '/warranty']),
    '/filter': article('Filter', ['/', 'filter/order']),
    '/warranty': article('Warranty', ['/filter']),
    '/filter/order': article('Order', ['/warranty']),
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/filter', '/warranty', '/filter/order']);
  expect(all.depths).toEqual([0, 1, 1, 2]);
  expect(all.documents[1]!.metadata).toMatchObject({ source_kind: 'url', file_type: 'html', title: 'Filter' });
  for (const path of Object.keys(web.routes)) expect(asked(web, path)).toBe(1);
  expect([all.errors, all.notices, all.expected]).toEqual([[], [], 4]);
  expect(all.scopes.map((covers) => [covers(`${web.url}/never-asked`), covers('http://other.example/gone')])).toEqual([[false, false]]);
});

test('stops at max_depth', async () => {
  const chain = ['/', '/one', '/two', '/three', '/four'];
  const web = await site(Object.fromEntries(chain.map((path, i) => [path, article(`Step ${i}`, [chain[i + 1] ?? '/'])])));
  const all = await crawled([web], web.url, { settings: { max_depth: 2 } });
  expect(paths(all)).toEqual(['/', '/one', '/two']);
  expect(asked(web, '/three')).toBe(0);
  expect(all.notices).toEqual([`The crawl of ${web.url}/ ended at max_depth = 2: 1 address further away was not read.`]);
  expect(paths(await crawled([web], web.url, { settings: { max_depth: 0 } }))).toEqual(['/']);
});

test('stops at max_pages, names what it left out, and treats nothing as gone', async () => {
  const links = Array.from({ length: 60 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', links), ...Object.fromEntries(links.map((path) => [path, article(`Page ${path}`)])) });
  const all = await crawled([web], web.url, { settings: { max_pages: 5 } });
  expect(paths(all)).toEqual(['/', '/p0', '/p1', '/p2', '/p3']);
  expect(web.hits.filter(({ url }) => url !== '/robots.txt')).toHaveLength(5);
  expect(all.notices).toEqual([`The crawl of ${web.url}/ stopped at max_pages = 5: 56 further addresses were found and not read.`]);
  expect([all.scopes, all.expected]).toEqual([[], 5]);
});

test('yields pages in the order in which they were found, however long each takes', async () => {
  const links = Array.from({ length: 12 }, (_, i) => `/p${i}`);
  const slow = (path: string, ms: number) => async (_request: unknown, response: { end(text: string): unknown }) => {
    await wait(ms);
    response.end(article(path));
  };
  const web = await site({
    '/': article('Start', links),
    ...Object.fromEntries(links.map((path, i) => [path, slow(path, (i * 37) % 50)])),
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', ...links]);
});

test('stays on its origin and below its path', async () => {
  const other = await site({ '/else': article('Elsewhere') });
  const web = await site({
    '/docs/': article('Docs', ['/docs/filter', '/docs-old/filter', '../shop', `${other.url}/else`, 'mailto:a@b.example', '/docs']),
    '/docs/filter': article('Filter'),
  });
  const all = await crawled([web, other], `${web.url}/docs/`);
  expect(paths(all)).toEqual(['/docs/', '/docs/filter']);
  expect(all.errors).toEqual([]);
  expect(other.hits).toEqual([]);
  expect(paths(await crawled([web], `${web.url}/docs/filter`))).toEqual(['/docs/filter']);
});

test('crawls a redirected site at its target, and skips a page that redirects out of it', async () => {
  const web = await site({
    '/docs/': article('Docs', ['/docs/away', '/docs/a']),
    '/docs/a': article('A'),
    '/docs/away': { status: 302, headers: { location: '/' } },
  });
  const old = await site({ '/docs': { status: 301, headers: { location: `${web.url}/docs/` } } });
  const all = await crawled([web, old], `${old.url}/docs`);
  expect(all.documents.map(({ source }) => source)).toEqual([`${web.url}/docs/`, `${web.url}/docs/a`]);
  expect([all.errors, all.expected]).toEqual([[], 2]);
  expect(asked(web, '/robots.txt')).toBe(1);
});

test('stores a page with several addresses once: spellings, redirects, canonical address, same content', async () => {
  const web = await site({
    '/': article('Start', [
      '/guide?utm_source=mail',
      '/guide#cap',
      '/guide/',
      '/GUIDE',
      '/old',
      '/older',
      '/print?id=7',
      '/copy',
      '/slash',
    ]),
    '/guide': article('Guide'),
    '/old': { status: 301, headers: { location: '/guide' } },
    '/older': { status: 302, headers: { location: '/new' } },
    '/new': article('New'),
    '/print': article('Guide, to be printed', [], '<link rel="canonical" href="/guide">'),
    '/copy': article('Guide'),
    '/slash': { status: 301, headers: { location: '/slash/' } },
    '/slash/': article('Slash'),
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/guide', '/new', '/slash/']);
  expect(asked(web, '/guide')).toBe(1);
  expect(all.errors.map(({ source }) => source)).toEqual([`${web.url}/GUIDE`]);
  expect(all.expected).toBe(5);
});

test('leaves out a page whose canonical page has other content, with a notice', async () => {
  const named = (title: string) => article(title, [], '<link rel="canonical" href="/docs">');
  const web = await site({
    '/': article('Start', ['/docs', '/a', '/b']),
    '/docs': named('Docs'),
    '/a': named('Pump'),
    '/b': named('Valve'),
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/docs']);
  expect(all.notices).toEqual([
    `The crawl of ${web.url}/ left out 2 addresses whose page names another one (rel="canonical") but says something else (such as ${web.url}/a).`,
  ]);
});

test('ignores a canonical address on another origin, outside the path, or of the root page', async () => {
  const named = (title: string, canonical: string) => article(title, [], `<link rel="canonical" href="${canonical}">`);
  const web = await site({
    '/': article('Start', ['/a', '/b', '/c']),
    '/a': named('A', 'http://other.example/a'),
    '/b': named('B', '/'),
    '/c': named('C', 'mailto:c@example.com'),
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/a', '/b', '/c']);
});

test('reads documents, and passes over pictures, archives and scripts by their name or media type', async () => {
  let bytes = 0;
  const film = (
    _request: unknown,
    response: { writeHead(status: number, headers: object): void; write(piece: Buffer): boolean; destroyed: boolean },
  ) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    while (!response.destroyed && bytes < 50_000_000 && response.write(Buffer.alloc(1_000_000))) bytes += 1_000_000;
  };
  const web = await site({
    '/': article('Start', [
      '/sheet.pdf',
      '/notes.txt',
      '/photo.png',
      '/all.zip',
      '/picture',
      '/film',
      '/style',
      '/script',
      '/wiki',
      '/a.css',
      '/feed.xml',
    ]),
    '/sheet.pdf': { headers: { 'content-type': 'application/pdf' }, body: 'a sheet' },
    '/notes.txt': { headers: { 'content-type': 'text/plain' }, body: 'notes' },
    '/picture': { headers: { 'content-type': 'image/png' }, body: 'x' },
    '/film': film as never,
    '/style': { headers: { 'content-type': 'text/css' }, body: 'a {}' },
    '/script': { headers: { 'content-type': 'text/x-python' }, body: 'pass' },
    '/wiki': { headers: { 'content-type': 'text/x-markdown' }, body: 'a page that a parser reads' },
    '/a.css': { headers: { 'content-type': 'text/plain' }, body: 'a {}' },
    '/feed.xml': { headers: { 'content-type': 'application/xml' }, body: '<rss/>' },
  });
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/sheet.pdf', '/notes.txt', '/wiki']);
  expect([all.errors, all.expected]).toEqual([[], 4]);
  expect(asked(web, '/photo.png') + asked(web, '/all.zip')).toBe(0);
  expect(bytes).toBeLessThan(50_000_000);
});

test('reads a page whatever its name ends with', async () => {
  const pages = ['/wiki/Node.js', '/api/Array.map', '/open.ai', '/docs/package.json', '/usr/ls.bin'];
  const web = await site({ '/': article('Start', pages), ...Object.fromEntries(pages.map((path) => [path, article(path)])) });
  expect(paths(await crawled([web], web.url))).toEqual(['/', ...pages]);
});

test('patterns select the paths of a crawl, and the links of the start page count even if it matches none', async () => {
  const web = await site({
    '/': article('Start', ['/docs/a', '/docs/old/b', '/blog/c', '/docs/d.html']),
    '/docs/a': article('A', ['/docs/e']),
    '/docs/old/b': article('B'),
    '/blog/c': article('C'),
    '/docs/d.html': article('D'),
    '/docs/e': article('E'),
  });
  const all = await crawled([web], web.url, { settings: { include: ['/docs/**'], exclude: ['docs/old', '/**/*.html'] } });
  expect(paths(all)).toEqual(['/docs/a', '/docs/e']);
  expect(asked(web, '/blog/c') + asked(web, '/docs/old/b') + asked(web, '/docs/d.html')).toBe(0);
  await expect(crawled([web], web.url, { settings: { exclude: ['/a/../b'] } })).rejects.toMatchObject({ code: 'usage' });
});

test('entries inherit the configuration, and a page of two entries is stored once', async () => {
  const web = await site({ '/': article('Start', ['/a', '/b']), '/a': article('A', ['/c']), '/b': article('B'), '/c': article('C') });
  const all = await crawled(
    [web],
    [
      { url: `${web.url}/b`, mode: 'each' },
      { url: web.url, max_depth: 1, exclude: ['/a'] },
      { url: `${web.url}/a`, mode: 'each' },
    ],
  );
  expect(paths(all)).toEqual(['/b', '/', '/a']);
  expect(all.expected).toBe(3);
});

test('reports a failed page, marks missing pages as gone, and removes nothing else then', async () => {
  const routes = {
    '/': article('Start', ['/gone', '/busy', '/a']),
    '/a': article('A'),
    '/busy': { status: 503, headers: { 'retry-after': '0' } },
  };
  const web = await site(routes);
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/a']);
  expect(all.errors).toMatchObject([
    { source: `${web.url}/gone`, source_kind: 'url', stage: 'crawl', isRetryable: false },
    { source: `${web.url}/busy`, source_kind: 'url', stage: 'crawl', isRetryable: true, retry_input: { url: `${web.url}/busy` } },
  ]);
  expect([all.gone, all.scopes, all.expected]).toEqual([[`${web.url}/gone`], [], 4]);
  web.routes['/'] = article('Start', ['/gone', '/a']);
  expect((await crawled([web], web.url)).scopes).toHaveLength(1);
});

test('requests nothing that logs out or deletes, and counts it', async () => {
  const menu = '<nav><a href="/session/end">Log out</a><a href="/rota/7/delete">Delete</a></nav>';
  const web = await site({ '/': article('Start', ['/a']).replace('<main>', `${menu}<main>`), '/a': article('A', ['/?do=logout']) });
  const all = await crawled([web], web.url);
  expect([paths(all), web.hits.filter(({ url }) => /end|delete|logout/.test(url))]).toEqual([['/', '/a'], []]);
  expect(all.notices).toEqual([expect.stringContaining('left out 3 addresses that log out, delete or change something (such as ')]);
});

test('reads the pages that llms.txt names, as Markdown where the page does not exist, and llms-full.txt if nothing else is found', async () => {
  const md = (body: string) => ({ headers: { 'content-type': 'text/markdown' }, body });
  const text = 'The oil of the winch is changed in October, and the can stands in the valley hut.';
  const web = await site({
    '/': article('Start'),
    '/llms.txt': { headers: { 'content-type': 'text/plain' }, body: '# Docs\n\n- [Oil](/oil.md)\n- [Bell](/bell.md)\n' },
    '/oil': md(`# Oil\n\n${text} See [more](/more).`),
    '/bell.md': md(`# Bell\n\n${text}`),
    '/more': article('More'),
  });
  const all = await crawled([web], web.url);
  expect([paths(all), all.errors]).toEqual([['/', '/oil', '/bell.md', '/more'], []]);
  const whole = await site({
    '/': article('Start'),
    '/llms-full.txt': { headers: { 'content-type': 'text/plain' }, body: `# All\n\n${text}\n` },
  });
  expect(paths(await crawled([whole], whole.url))).toEqual(['/', '/llms-full.txt']);
});

test('counts routes after # of a page that needs no browser, and links of the site outside the path', async () => {
  const web = await site({ '/docs/': article('Start', ['#/oil', '#/bell', '/blog/']), '/blog/': article('Blog') });
  const all = await crawled([web], `${web.url}/docs/`, { settings: { render: 'never' } });
  expect(paths(all)).toEqual(['/docs/']);
  expect(all.notices.join()).toMatch(
    /1 of the site outside its path \(http:.*\/blog\/\), 2 after # \(routes\), which are read only of pages that need a browser/,
  );
});

test('a sitemap in plain text, one with a prefix and relative addresses are read, and one that names nothing is reported', async () => {
  const web = await site({ '/': article('Start'), '/a': article('A'), '/b': article('B') });
  web.routes['/robots.txt'] = 'Sitemap: /a.txt\nSitemap: /b.xml\nSitemap: /c.xml';
  web.routes['/a.txt'] = { headers: { 'content-type': 'text/plain' }, body: `${web.url}/\r\n${web.url}/a\r\n` };
  web.routes['/b.xml'] = '<m:urlset xmlns:m="http://www.sitemaps.org/schemas/sitemap/0.9"><m:url><m:loc>/b</m:loc></m:url></m:urlset>';
  web.routes['/c.xml'] = '<urlset><url><loc>mailto:crew@a.example</loc></url></urlset>';
  const all = await crawled([web], web.url);
  expect([paths(all), all.notices]).toEqual([['/', '/a', '/b'], [`${web.url}/c.xml: no page that can be read is named by this sitemap.`]]);
});

test('reports a missing start page as one error without a scope', async () => {
  const web = await site({});
  const all = await crawled([web], [`${web.url}/x`, 'no address']);
  expect(all.errors).toMatchObject([
    { source: `${web.url}/x`, stage: 'crawl', isRetryable: false },
    { source: 'no address', isRetryable: false },
  ]);
  expect(all.scopes).toEqual([]);
});

test('reads pages without links from sitemaps in robots.txt and at the usual addresses', async () => {
  const web = await site({
    '/': article('Start', ['/a']),
    '/a': article('A'),
    '/b': article('B'),
    '/c': article('C', ['/d']),
    '/d': article('D'),
  });
  const urls = (...names: string[]) => xml(`<urlset>${names.map((name) => `<url><loc>${web.url}${name}</loc></url>`).join('')}</urlset>`);
  web.routes['/sitemap.xml'] = urls('/b', '/a', '/x.png');
  web.routes['/maps.xml'] = xml(
    `<sitemapindex><sitemap><loc>/more.xml</loc></sitemap><sitemap><loc>${web.url}/maps.xml</loc></sitemap></sitemapindex>`,
  );
  web.routes['/more.xml'] = urls('/c');
  web.routes['/robots.txt'] = `Sitemap: ${web.url}/maps.xml`;
  const all = await crawled([web], web.url);
  expect(paths(all)).toEqual(['/', '/a', '/b', '/c', '/d']);
  expect(all.depths).toEqual([0, 1, 1, 1, 2]);
  web.routes['/maps.xml'] = { status: 403 };
  const without = await crawled([web], web.url);
  expect(paths(without)).toEqual(['/', '/a', '/b']);
  expect(without.notices).toEqual([
    expect.stringContaining(`The sitemap ${web.url}/maps.xml was left out: ${web.url}/maps.xml answered with status 403`),
  ]);
});

test('reads a sitemap of robots.txt from any origin, and reports an unreadable one with a notice', async () => {
  const web = await site({ '/': article('Start'), '/only': article('Only') });
  const urls = xml(`<urlset><url><loc>${web.url}/only</loc></url></urlset>`);
  const other = await site({ '/map.xml': urls, '/maps.xml': xml('<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>') });
  web.routes['/robots.txt'] = `Sitemap: ${other.url}/maps.xml`;
  const all = await crawled([web, other], web.url.replace('//', '//ann:s3cret@'));
  expect([paths(all), all.notices, all.doubts]).toEqual([['/', '/only'], [], []]);
  expect(other.hits.filter(({ headers }) => headers.authorization)).toEqual([]);
  const unnamed = other.url.replace('127.0.0.1', 'localhost');
  web.routes['/robots.txt'] = `Sitemap: ${unnamed}/map.xml`;
  const without = await crawled([web], web.url);
  expect(paths(without)).toEqual(['/']);
  expect(without.notices).toEqual([expect.stringContaining(`The sitemap ${unnamed}/map.xml was left out: `)]);
});

test('reports sitemap addresses on another origin with a notice', async () => {
  const web = await site({ '/': article('Start'), '/a': article('A') });
  const elsewhere = web.url.replace('127.0.0.1', 'localhost');
  const urls = (...names: string[]) => xml(`<urlset>${names.map((name) => `<url><loc>${name}</loc></url>`).join('')}</urlset>`);
  web.routes['/sitemap.xml'] = urls(`${elsewhere}/a`, `${elsewhere}/b`, 'no address', 'mailto:a@b.example');
  const none = await crawled([web], web.url);
  const left = `The crawl of ${web.url}/ left out 2 addresses that a sitemap names on another origin (such as ${elsewhere}/a).`;
  expect([paths(none), none.notices]).toEqual([['/'], [left]]);
  web.routes['/sitemap.xml'] = urls(`${elsewhere}/a`, `${elsewhere}/b`, `${web.url}/a`);
  const some = await crawled([web], web.url);
  expect([paths(some), some.notices]).toEqual([['/', '/a'], [left]]);
});

test('reads foreign sitemaps of a shared robots.txt after its own', async () => {
  const web = await site({ '/': article('Start'), '/only': article('Only') });
  const other = await site({});
  const order: string[] = [];
  const naming =
    (address: string): SiteRoute =>
    ({ url }, response) => {
      order.push(url!);
      response.end(`<urlset><url><loc>${address}</loc></url></urlset>`);
    };
  web.routes['/map.xml'] = naming(`${web.url}/only`);
  other.routes['/theirs.xml'] = naming('http://www.example.de/a');
  web.routes['/robots.txt'] = `Sitemap: ${other.url}/theirs.xml\nSitemap: ${web.url}/map.xml`;
  const all = await crawled([web, other], web.url);
  expect([paths(all), all.doubts, order]).toEqual([['/', '/only'], [], ['/map.xml', '/theirs.xml']]);
});

test('throws if the crawl is stopped', async () => {
  const controller = new AbortController();
  const web = await site({ '/': article('Start', ['/hang', '/a']), '/hang': () => controller.abort(), '/a': article('A') });
  await expect(crawled([web], web.url, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
});

test('treats pages that differ by a parameter as different even if it is a key, and stores no key', async () => {
  const keys = ['a1b2c3d4e5f6a7b8c9d0e1', 'a1b2c3d4e5f6a7b8c9d0e2'];
  const links = keys.map((key) => `/p?page_key=${key}`);
  const web = await site({
    '/': article('Start', links),
    '/p': (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(article(`Page ${request.url!.split('=')[1]!.slice(-2)}`));
    },
  });
  const all = await crawled([web], web.url);
  expect(all.documents.map(({ title }) => title)).toEqual(['Start', 'Page e1', 'Page e2']);
  expect(keys.filter((key) => all.documents.some(({ source }) => source.includes(key)))).toEqual([]);
  const each = await crawled(
    [web],
    links.map((link) => web.url + link),
    { settings: { mode: 'each' } },
  );
  expect(each.documents.map(({ title }) => title)).toEqual(['Page e1', 'Page e2']);
});

test('requests pages behind a slow one, and keeps their order', async () => {
  const links = Array.from({ length: 40 }, (_, i) => `/p${i}`);
  const last = Promise.withResolvers<void>();
  const web = await site({
    '/': article('Start', ['/slow', ...links]),
    ...Object.fromEntries(links.map((link) => [link, article(link)])),
    '/slow': async (_request, response) => {
      await last.promise;
      response.writeHead(200, { 'content-type': 'text/html' }).end(article('Slow'));
    },
    '/p39': (_request, response) => {
      last.resolve();
      response.writeHead(200, { 'content-type': 'text/html' }).end(article('/p39'));
    },
  });
  expect(paths(await crawled([web], web.url))).toEqual(['/', '/slow', ...links]);
});
