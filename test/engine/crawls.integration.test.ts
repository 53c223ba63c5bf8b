import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WORDS, engineIn, modelServer, result, sourcesIn } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { article, siteKeeper } from '../stages/extract/pages/crawl/crawling.ts';

const site = siteKeeper();
const at = (web: { url: string }, ...paths: string[]): string[] => paths.map((path) => web.url + path).toSorted();

test('a start page that leads to a login page removes no stored page', async () => {
  const web = await site({
    '/docs/': article('Start', ['/docs/a']),
    '/docs/a': article('A'),
    '/blog/': article('Blog', ['/blog/b']),
    '/blog/b': article('B'),
    '/login': article('Log in'),
  });
  const engine = engineIn(folder());
  const docs = { url: `${web.url}/docs/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls: [docs, { ...docs, url: `${web.url}/blog/` }] });
  web.routes['/docs/'] = { status: 302, headers: { location: '/login' } };
  const { pruned, notices } = await result(engine, 'ingest', { urls: docs, prune: true });
  expect(pruned).toEqual([]);
  expect(notices).toContainEqual(expect.stringContaining(`was redirected by its start page to ${web.url}/.`));
  expect(await sourcesIn(engine)).toEqual(at(web, '/blog/', '/blog/b', '/docs/', '/docs/a', '/login'));
});

test('a shallower crawl removes no page of a deeper one', async () => {
  const web = await site({
    '/': article('Start', ['/1']),
    '/1': article('One', ['/2']),
    '/2': article('Two', ['/3']),
    '/3': article('Three'),
  });
  const engine = engineIn(folder());
  const urls = { url: `${web.url}/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls });
  const again = await result(engine, 'ingest', { urls: { ...urls, max_depth: 1 } });
  expect([again.gone, again.notices]).toEqual([[], [expect.stringContaining('ended at max_depth = 1')]]);
  expect((await result(engine, 'ingest', { urls: { ...urls, max_depth: 1 }, prune: true })).pruned).toEqual([]);
});

test('a web page in place of a sitemap removes no page that the sitemap named', async () => {
  const web = await site({ '/': article('Start', ['/a']), '/a': article('A'), '/only': article('Only') });
  web.routes['/sitemap.xml'] = `<urlset><url><loc>${web.url}/only</loc></url></urlset>`;
  const engine = engineIn(folder());
  const urls = { url: `${web.url}/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls });
  web.routes['/sitemap.xml'] = article('We are back soon');
  const { pruned, notices } = await result(engine, 'ingest', { urls, prune: true });
  expect(pruned).toEqual([]);
  expect(notices).toContainEqual(`The sitemap ${web.url}/sitemap.xml was left out: it is no sitemap but something else.`);
  expect(await sourcesIn(engine)).toContain(`${web.url}/only`);
});

test('a crawl follows as many redirects as configured', async () => {
  const web = await site({ '/': article('Start', ['/a']), '/a': { status: 302, headers: { location: '/b' } }, '/b': article('B') });
  const engine = engineIn(folder(), { network: { max_redirects: 0 } });
  const { sources, errors } = await result(engine, 'ingest', { urls: { url: web.url, mode: 'full' } });
  expect([sources, errors]).toEqual([1, [expect.objectContaining({ source: `${web.url}/a` })]]);
});

test('an exhausted site ends its crawl with a notice, not the run', async () => {
  const names = Array.from({ length: 25 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', names), '/other': article('Other') });
  for (const name of names) {
    web.routes[name] = article(name, [], `<link rel="canonical" href="${name}.html">`);
    web.routes[`${name}.html`] = { status: 500, headers: { 'retry-after': '0' } };
  }
  const engine = engineIn(folder());
  const start = { url: `${web.url}/`, mode: 'full' as const };
  const { sources, notices } = await result(engine, 'ingest', { urls: [start, `${web.url}/other`] });
  expect(sources).toBe(27);
  expect(notices).toEqual([expect.stringContaining('stopped because 20 pages in a row could not be read: 5 further addresses')]);
});

test.each(['full', 'each'] as const)(
  'an embedder that refuses everything ends a run at once, however slow the site is (%s)',
  async (mode) => {
    const { settings } = await modelServer({ vector: () => ({ status: 401 }) }, { batch_size: 1 });
    const web = await site({ '/': article('Start', ['/hangs']), '/hangs': () => {} });
    const engine = engineIn(folder(), { ...settings, network: { timeout: 300 } });
    const urls = mode === 'full' ? { url: `${web.url}/`, mode } : [`${web.url}/`, `${web.url}/hangs`];
    await expect(result(engine, 'ingest', { urls })).rejects.toMatchObject({ code: 'unauthorized' });
  },
);

test('a dry run with force requests each page once, and reports what the run would do', async () => {
  const names = Array.from({ length: 5 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', names), ...Object.fromEntries(names.map((name) => [name, article(name)])) });
  const engine = engineIn(folder(), WORDS);
  const urls = { url: `${web.url}/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls });
  web.hits.length = 0;
  const { sources, unchanged, errors } = await result(engine, 'ingest', { urls, dry_run: true, force: true });
  expect([sources, unchanged, errors]).toEqual([6, 0, []]);
  expect(web.hits.map(({ url }) => url).toSorted()).toEqual(['/', ...names, '/llms.txt', '/robots.txt', '/sitemap.xml'].toSorted());
});

test('progress names the host that a crawl waits for, and for how long', async () => {
  const web = await site({ '/': article('Start', ['/a']), '/a': { status: 429, headers: { 'retry-after': '50' } } });
  const stop = new AbortController();
  const run = engineIn(folder()).run('ingest', { urls: { url: `${web.url}/`, mode: 'full' } }, { signal: stop.signal });
  const waits: unknown[] = [];
  const whole = async (): Promise<void> => {
    for await (const { data } of run) {
      if (data.pause === undefined) continue;
      waits.push(data.pause);
      stop.abort();
    }
  };
  await expect(whole()).rejects.toMatchObject({ code: 'aborted' });
  expect(waits[0]).toMatchObject({ seconds: expect.any(Number), reason: expect.stringContaining(`${web.url}/a answered with status 429`) });
});

test.each(['full', 'each'] as const)('two concurrent requests for one site request no more pages than one may (%s)', async (mode) => {
  let [open, most] = [0, 0];
  const eight = Promise.withResolvers<unknown>();
  const names = Array.from({ length: 24 }, (_, i) => `/p${i}`);
  const slow = (name: string) => async (_request: unknown, response: { end(text: string): unknown }) => {
    most = Math.max(most, ++open);
    if (open === 8) eight.resolve(wait(100)); // a ninth would come meanwhile
    await eight.promise;
    open--;
    response.end(article(name));
  };
  const web = await site({ '/': article('Start', names), ...Object.fromEntries(names.map((name) => [name, slow(name)])) });
  const engine = engineIn(folder());
  const url = mode === 'full' ? [{ url: `${web.url}/`, mode }] : names.map((name) => web.url + name);
  const both = await Promise.all([result(engine, 'scrape', { url }), result(engine, 'scrape', { url })]);
  expect(both.map(({ failed }) => failed)).toEqual([0, 0]);
  expect(most).toBe(8);
});
