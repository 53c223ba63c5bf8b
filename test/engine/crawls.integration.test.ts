import { expect, test } from 'vitest';
import { WORDS, engineIn, modelServer, result, sourcesIn } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { article, siteKeeper } from '../stages/extract/crawl/crawling.ts';

const site = siteKeeper();
const at = (web: { url: string }, ...paths: string[]): string[] => paths.map((path) => web.url + path).toSorted();

test('a start page that leads to a login page takes nothing away from what is stored', async () => {
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
  expect(notices).toContainEqual(expect.stringContaining(`was led elsewhere by its start page, to ${web.url}/: `));
  expect(await sourcesIn(engine)).toEqual(at(web, '/blog/', '/blog/b', '/docs/', '/docs/a', '/login'));
});

test('a crawl that goes less deep than the one before takes nothing away', async () => {
  const web = await site({
    '/': article('Start', ['/1']),
    '/1': article('One', ['/2']),
    '/2': article('Two', ['/3']),
    '/3': article('Three'),
  });
  const engine = engineIn(folder());
  const urls = { url: `${web.url}/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls });
  const { pruned, notices } = await result(engine, 'ingest', { urls: { ...urls, max_depth: 1 }, prune: true });
  expect(pruned).toEqual([]);
  expect(notices).toContainEqual(expect.stringContaining('ended at max_depth = 1'));
});

test('a site that sends a web page in place of its sitemap loses nothing that the sitemap named', async () => {
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

test.each(['full', 'each'] as const)(
  'an embedder that refuses everything ends a run at once, whatever the site waits for (%s)',
  async (mode) => {
    const { settings } = await modelServer({ vector: () => ({ status: 401 }) }, { batch_size: 1 });
    const web = await site({ '/': article('Start', ['/hangs']), '/hangs': () => {} });
    const engine = engineIn(folder(), { ...settings, network: { timeout: 300 } });
    const urls = mode === 'full' ? { url: `${web.url}/`, mode } : [`${web.url}/`, `${web.url}/hangs`];
    await expect(result(engine, 'ingest', { urls })).rejects.toMatchObject({ code: 'unauthorized' });
  },
);

test('a rehearsal of a run by force asks for each page once, and says what the run would do', async () => {
  const names = Array.from({ length: 5 }, (_, i) => `/p${i}`);
  const web = await site({ '/': article('Start', names), ...Object.fromEntries(names.map((name) => [name, article(name)])) });
  const engine = engineIn(folder(), WORDS);
  const urls = { url: `${web.url}/`, mode: 'full' as const };
  await result(engine, 'ingest', { urls });
  web.hits.length = 0;
  const { sources, unchanged, errors } = await result(engine, 'ingest', { urls, dry_run: true, force: true });
  expect([sources, unchanged, errors]).toEqual([6, 0, []]);
  expect(web.hits.map(({ url }) => url).toSorted()).toEqual(['/', ...names, '/robots.txt', '/sitemap.xml']);
});
