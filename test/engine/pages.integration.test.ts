import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect } from '../../src/core/run.ts';
import type { Engine } from '../../src/ports/engines.ts';
import type { RequestOf } from '../../src/schema/operations.ts';
import { chunksIn, engineIn, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openSite, type Site, type SiteRoute } from '../support/site.ts';

const SENTENCES: Record<string, string> = {
  anchor: 'The anchor hangs at the bow, and its chain is forty metres long.',
  bell: 'The bell in the tower rings at noon, and on holidays at six as well.',
  lamp: 'The lamp of the lighthouse turns once in twelve seconds.',
};
const page = (word: string, ...links: string[]): string =>
  `<!doctype html><html lang="en"><head><title>${word}</title></head><body><main><h1>${word}</h1>
  <p>${`${SENTENCES[word] ?? `All about the ${word}.`} `.repeat(3)}</p>${links.map((link) => `<p><a href="${link}">more</a></p>`).join('')}</main></body></html>`;

/** A page that is not sent again to whoever has it. */
const tagged =
  (tag: string, body: string): SiteRoute =>
  (request, response) =>
    request.headers['if-none-match'] === tag
      ? response.writeHead(304, { etag: tag }).end()
      : response.writeHead(200, { 'content-type': 'text/html', etag: tag }).end(body);

async function site(routes: Record<string, SiteRoute>): Promise<Site> {
  const web = await openSite(routes);
  onTestFinished(() => web.close());
  return web;
}
/** Whether each request for the page asked only for what has changed. */
const conditional = (web: Site, path: string): boolean[] =>
  web.hits.filter(({ url }) => url === path).map(({ headers }) => headers['if-none-match'] !== undefined);
const times = (web: Site, path: string): number => conditional(web, path).length;

/** A home, and an engine over it with a page that has an ETag and was ingested once. */
async function ingested() {
  const home = folder();
  const web = await site({ '/a': tagged('"v1"', page('anchor')) });
  const engine = engineIn(home);
  const urls = `${web.url}/a`;
  const again = (over: Partial<RequestOf<'ingest'>> = {}) => result(engine, 'ingest', { urls, ...over });
  expect(await again()).toMatchObject({ sources: 1, stored: 1, failed: 0, notices: [] });
  return { home, web, engine, urls, again };
}
const memoryIn = (home: string, name = 'default') => join(home, '.kb', 'lancedb', '.pages', `${name}.jsonl`);

describe('weak evidence', () => {
  const long = (title: string): string => page('anchor').replaceAll('anchor</', `${title}</`);
  const few = '<!doctype html><title>Gate</title><main><h1>Gate</h1><p>Lamp B is lit.</p></main>';
  const textsIn = async (engine: Engine) => (await chunksIn(engine)).map(({ text }) => String(text)).join();

  it.each([
    ['a page', 'urls', '/a', 'text/html', long('Anchors'), few],
    [
      'a document at a link',
      'docs',
      '/a.md',
      'text/markdown',
      `# Anchors\n\n${SENTENCES.anchor} ${SENTENCES.bell} ${SENTENCES.lamp}\n`,
      'Lamp B is lit.\n',
    ],
    [
      'a response of an API',
      'api',
      '/a',
      'text/plain',
      `Anchors\n\n${SENTENCES.anchor} ${SENTENCES.bell} ${SENTENCES.lamp}\n`,
      'Lamp B is lit.\n',
    ],
  ])('%s that comes back as a few words is kept until the next run confirms them', async (_name, kind, path, type, stored, words) => {
    const answer = (body: string) => ({ headers: { 'content-type': type }, body });
    const web = await site({ [path]: answer(stored) });
    const engine = engineIn(folder(), WORDS);
    const run = () => result(engine, 'ingest', { [kind]: `${web.url}${path}`, prune: true });
    await run();
    web.routes[path] = answer(words);
    const kept = await run();
    expect(kept).toMatchObject({ failed: 1, errors: [{ isRetryable: true, error: expect.stringContaining('came back as a few words') }] });
    expect(await textsIn(engine)).toContain('The anchor hangs');
    web.routes[path] = answer(stored);
    expect(await run()).toMatchObject({ failed: 0 });
    web.routes[path] = answer(words);
    expect(await run()).toMatchObject({ failed: 1 });
    expect(await run()).toMatchObject({ failed: 0, stored: 1 });
    expect(await textsIn(engine)).not.toContain('The anchor hangs');
  });

  it('does not doubt a page that becomes short under its heading', async () => {
    const web = await site({ '/a': long('Anchors') });
    const engine = engineIn(folder(), WORDS);
    await result(engine, 'ingest', { urls: `${web.url}/a` });
    web.routes['/a'] = few.replaceAll('Gate', 'Anchors');
    expect(await result(engine, 'ingest', { urls: `${web.url}/a` })).toMatchObject({ failed: 0, stored: 1 });
  });

  it('removes no page that moved within a site of which a page failed', async () => {
    const web = await site({ '/': page('start', '/a', '/b'), '/a': page('anchor'), '/b': page('bell') });
    const engine = engineIn(folder(), WORDS);
    const run = () => result(engine, 'ingest', { urls: { url: `${web.url}/`, mode: 'full' }, prune: true });
    await run();
    Object.assign(web.routes, { '/b': { status: 301, headers: { location: '/c' } }, '/c': page('lamp') });
    web.routes['/a'] = page('503 Service Unavailable').replace(/<p>[^]*<\/p>/, '<p>Try again later.</p>');
    const kept = await run();
    expect([kept.pruned, await sourcesIn(engine)]).toEqual([[], ['/', '/a', '/b', '/c'].map((path) => web.url + path)]);
    expect(kept.notices).toContainEqual(`1 stored source was not found but kept: ${web.url}/ was not read whole (1 failure).`);
    web.routes['/a'] = page('anchor');
    expect((await run()).pruned).toEqual([`${web.url}/b`]);
  });
});

describe('a repeated ingest of pages', () => {
  it('requests pages conditionally, and stores nothing if they have not changed', async () => {
    const { web, again } = await ingested();
    expect(await again()).toMatchObject({ sources: 0, unchanged: 1, embedded: 0, stored: 0, failed: 0 });
    expect(conditional(web, '/a')).toEqual([false, true]);
    web.routes['/a'] = tagged('"v2"', page('bell'));
    expect(await again()).toMatchObject({ sources: 1, unchanged: 0, stored: 1 });
    expect(await again()).toMatchObject({ unchanged: 1 });
    expect(conditional(web, '/a')).toEqual([false, true, true, true]);
  });

  it('stores nothing even if the site sends no validators', async () => {
    const web = await site({ '/a': page('anchor') });
    const engine = engineIn(folder());
    const urls = `${web.url}/a`;
    await result(engine, 'ingest', { urls });
    expect(await result(engine, 'ingest', { urls })).toMatchObject({ sources: 0, unchanged: 1, stored: 0 });
    web.routes['/a'] = page('bell');
    expect(await result(engine, 'ingest', { urls })).toMatchObject({ sources: 1, unchanged: 0, stored: 1 });
    expect((await chunksIn(engine)).map(({ text }) => String(text).includes('bell'))).toEqual([true]);
  });

  it('loads pages that are no longer stored', async () => {
    const { web, engine, urls, again } = await ingested();
    await result(engine, 'delete', { source: urls });
    expect(await again()).toMatchObject({ sources: 1, stored: 1 });
    expect(conditional(web, '/a')).toEqual([false, false]);
  });

  it('loads pages with missing chunks', async () => {
    const { web, engine, again } = await ingested();
    web.routes['/a'] = tagged('"v2"', page('anchor').replace('</main>', `<h2>Bell</h2><p>${SENTENCES.bell!.repeat(9)}</p></main>`));
    await again({ chunking: { chunk_size: 200 } });
    const [one] = await chunksIn(engine);
    await result(engine, 'delete', { ids: [String(one!.id)] });
    const completed = await again({ chunking: { chunk_size: 200 } });
    expect(completed.source_results.urls?.outputs).toMatchObject([{ status: 'incomplete' }]);
    expect(conditional(web, '/a')).toEqual([false, false, false]);
  });

  it('loads pages again for another collection, other chunks and other front matter', async () => {
    const { web, engine, again } = await ingested();
    const framed = { urls: { frontmatter: true } } as unknown as NonNullable<RequestOf<'ingest'>['ingestion']>;
    expect(await again({ storage: { collection: 'other' } })).toMatchObject({ sources: 1, stored: 1 });
    expect(await again({ chunking: { chunk_size: 100, min_chunk_length: 0, chunk_overlap: 0 } })).toMatchObject({ sources: 1 });
    expect((await chunksIn(engine)).length).toBeGreaterThan(1);
    expect(await again()).toMatchObject({ sources: 1, stored: 1 });
    expect(await again({ ingestion: framed })).toMatchObject({ sources: 1 });
    expect((await chunksIn(engine)).some(({ text }) => String(text).includes('title: anchor'))).toBe(true);
    expect(conditional(web, '/a')).toEqual([false, false, false, false, false]);
    expect(await again({ ingestion: framed })).toMatchObject({ unchanged: 1 });
    expect(conditional(web, '/a').at(-1)).toBe(true);
  });

  it('loads all pages with force, and remembers them', async () => {
    const { web, again } = await ingested();
    expect(await again({ force: true })).toMatchObject({ sources: 1, stored: 1 });
    expect(await again()).toMatchObject({ unchanged: 1 });
    expect(conditional(web, '/a')).toEqual([false, false, true]);
  });

  it('uses the page memory in a dry run without changing it', async () => {
    const { home, web, again } = await ingested();
    const before = readFileSync(memoryIn(home), 'utf8');
    expect(await again({ dry_run: true })).toMatchObject({ unchanged: 1 });
    expect(conditional(web, '/a')).toEqual([false, true]);
    expect(await again({ dry_run: true, storage: { collection: 'other' } })).toMatchObject({ sources: 1 });
    expect(readFileSync(memoryIn(home), 'utf8')).toBe(before);
    expect(existsSync(memoryIn(home, 'other'))).toBe(false);
  });

  it('forgets the pages of a dropped collection, but not of a reembedded one', async () => {
    const { home, web, engine, again } = await ingested();
    await result(engine, 'reembed_collection', { name: 'default' });
    expect(await again()).toMatchObject({ unchanged: 1 });
    await result(engine, 'drop_collection', { name: 'default' });
    expect(readdirSync(join(home, '.kb', 'lancedb', '.pages'))).toEqual([]);
    expect(await again()).toMatchObject({ sources: 1, stored: 1 });
    expect(conditional(web, '/a')).toEqual([false, true, false]);
  });

  it('reads the pages if their memory is broken or cannot be kept, and says so', async () => {
    const { home, web, again } = await ingested();
    writeFileSync(memoryIn(home), '\u0000 broken');
    expect(await again()).toMatchObject({ unchanged: 1, failed: 0, notices: [] });
    expect(await again()).toMatchObject({ unchanged: 1 });
    expect(conditional(web, '/a')).toEqual([false, false, true]);
    const other = folder({ '.kb/lancedb/.pages': 'a file where a folder should be' });
    const done = await result(engineIn(other), 'ingest', { urls: `${web.url}/a` });
    expect(done).toMatchObject({
      stored: 1,
      failed: 0,
      errors: [],
      notices: [expect.stringMatching(/known of the pages can't be kept in .*EEXIST/)],
    });
  });

  it('leaves no files among the collections', async () => {
    const { engine } = await ingested();
    expect((await result(engine, 'list_collections', {})).collections.map(({ name }) => name)).toEqual(['default']);
  });
});

describe('pages that are gone', () => {
  const three = () => site({ '/': page('anchor', '/bell', '/lamp'), '/bell': page('bell'), '/lamp': page('lamp') });
  const crawl = (engine: Engine, web: Site, over: Partial<RequestOf<'ingest'>> = {}) =>
    result(engine, 'ingest', { urls: { url: `${web.url}/`, mode: 'full' }, ...over });

  it('are kept without prune and removed with it; failing pages stay', async () => {
    const web = await three();
    const engine = engineIn(folder());
    const urls = ['/bell', '/lamp'].map((path) => web.url + path);
    await result(engine, 'ingest', { urls });
    delete web.routes['/bell'];
    web.routes['/lamp'] = { status: 403 };
    const kept = await result(engine, 'ingest', { urls });
    expect(kept).toMatchObject({ failed: 2, gone: [`${web.url}/bell`], pruned: [] });
    expect(await result(engine, 'ingest', { urls, dry_run: true, prune: true })).toMatchObject({ pruned: [`${web.url}/bell`] });
    expect(await sourcesIn(engine)).toEqual(urls);
    expect(await result(engine, 'ingest', { urls, prune: true })).toMatchObject({ failed: 2, gone: [], pruned: [`${web.url}/bell`] });
    expect(await sourcesIn(engine)).toEqual([`${web.url}/lamp`]);
    expect(await result(engine, 'ingest', { urls, prune: true })).toMatchObject({ failed: 2, gone: [], pruned: [] });
  });

  it('are those of a site that respond as gone, linked or not', async () => {
    const web = await three();
    const engine = engineIn(folder());
    expect(await crawl(engine, web)).toMatchObject({ sources: 3, failed: 0 });
    web.routes['/'] = page('anchor', '/bell');
    web.routes['/bell'] = { status: 410 };
    web.routes['/lamp'] = { status: 404 };
    const gone = [`${web.url}/bell`, `${web.url}/lamp`];
    expect((await crawl(engine, web)).gone).toEqual([`${web.url}/bell`]);
    const pruned = await crawl(engine, web, { prune: true });
    expect([pruned.pruned.toSorted(), pruned.errors.map(({ source }) => source)]).toEqual([gone, [`${web.url}/bell`]]);
    expect(await sourcesIn(engine)).toEqual([`${web.url}/`]);
  });

  it.each([
    ['has only links', '<header><a href="/">Home</a> <a href="/bell">Bell</a></header><main></main>', 1],
    ['leads nowhere', page('anchor'), 0],
    ['has a long notice in its place', page('move of the company to another town'.repeat(20)), 0],
    ['asks for no index', page('gate').replace('</head>', '<meta name="robots" content="noindex,nofollow"></head>'), 0],
  ])('are none of those whose start page %s, whatever it says', async (_what, start, failed) => {
    const web = await three();
    const engine = engineIn(folder());
    await crawl(engine, web);
    const before = await sourcesIn(engine);
    web.routes['/'] = start;
    for (let run = 0; run < (failed === 1 ? 3 : 1); run++)
      expect(await crawl(engine, web, { prune: true })).toMatchObject({ pruned: [], failed });
    expect(await sourcesIn(engine)).toEqual(before);
    expect(times(web, '/lamp')).toBeGreaterThan(1);
  });

  it('are none of those of a site that asks for no index on every page in the same words', async () => {
    const web = await three();
    const engine = engineIn(folder());
    await crawl(engine, web);
    for (const path of Object.keys(web.routes))
      web.routes[path] = page('gate', '/').replace('</head>', '<meta name="robots" content="noindex"></head>');
    for (let run = 0; run < 3; run++) expect((await crawl(engine, web, { prune: true })).pruned).toEqual([]);
    expect(await sourcesIn(engine)).toHaveLength(3);
  });

  it('are those that ask for no index, once what they say is confirmed', async () => {
    const web = await three();
    const engine = engineIn(folder());
    await crawl(engine, web);
    const hidden = (word: string): string => page(word).replace('</head>', '<meta name="robots" content="noindex"></head>');
    Object.assign(web.routes, { '/bell': hidden('bell'), '/lamp': hidden('anchor') });
    expect((await crawl(engine, web, { prune: true })).pruned).toEqual([`${web.url}/bell`]);
    expect((await crawl(engine, web, { prune: true })).pruned).toEqual([`${web.url}/lamp`]);
  });

  it('are not assumed if the crawl was cut off, nor for failing pages and those behind them', async () => {
    const web = await three();
    const engine = engineIn(folder());
    await crawl(engine, web);
    const only = { url: `${web.url}/`, mode: 'full' as const, max_pages: 1 };
    expect(await result(engine, 'ingest', { urls: only, prune: true })).toMatchObject({
      pruned: [],
      gone: [],
      notices: [expect.stringContaining('max_pages'), expect.stringMatching(/^2 stored sources were not found but kept: .*is incomplete/)],
    });
    web.routes['/'] = { status: 403 };
    expect(await crawl(engine, web, { prune: true })).toMatchObject({ pruned: [], failed: 1 });
    expect(await sourcesIn(engine)).toHaveLength(3);
  });
});

describe('a stopped crawl', () => {
  it('continues: stored pages are not requested again, and the run after it is a new one', async () => {
    const names = Array.from({ length: 24 }, (_, i) => `p${i}`);
    const web = await site({
      '/': tagged('"start"', page('anchor', ...names.map((name) => `/${name}`))),
      ...Object.fromEntries(names.map((name) => [`/${name}`, tagged(`"${name}"`, page(name))])),
    });
    const home = folder();
    const request = { urls: { url: `${web.url}/`, mode: 'full' as const }, storage: { batch_size: 4 } };
    const stop = new AbortController();
    const engine = engineIn(home);
    const stopped = (async () => {
      for await (const { data } of engine.run('ingest', request, { signal: stop.signal })) if (Number(data.stored) >= 8) stop.abort();
    })();
    web.routes['/p18'] = () => {}; // the site hangs there
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    web.routes['/p18'] = tagged('"p18"', page('p18'));
    const stored = await sourcesIn(engine);
    expect(stored.length).toBeGreaterThan(0); // 8 chunks: the start page, when it is among them, has more than one
    expect(stored.length).toBeLessThan(25);
    web.hits.length = 0;
    expect(await result(engineIn(home), 'ingest', request)).toMatchObject({
      unchanged: stored.length,
      sources: 25 - stored.length,
      failed: 0,
      notices: [expect.stringMatching(/^The crawl of http:.* that began on 20..-..-.. at ..:.. UTC and was cut off resumes: /)],
    });
    expect(stored.filter((source) => times(web, new URL(source).pathname) > 0)).toEqual([]);
    const fresh = engineIn(folder());
    await result(fresh, 'ingest', { urls: request.urls });
    expect((await chunksIn(engine)).map(({ id }) => id).toSorted()).toEqual((await chunksIn(fresh)).map(({ id }) => id).toSorted());
    web.hits.length = 0;
    expect(await result(engineIn(home), 'ingest', request)).toMatchObject({ unchanged: 25, stored: 0, notices: [] });
    expect(names.every((name) => conditional(web, `/${name}`).join() === 'true')).toBe(true);
  });
});

describe('progress of pages', () => {
  it('reports each page, also an unchanged one, and how many are queued', async () => {
    const web = await site({ '/a': tagged('"v1"', page('anchor')), '/b': page('bell') });
    const engine = engineIn(folder(), { ...WORDS, ingestion: { urls: { verbose: true } } });
    const run = () => collect(engine.run('ingest', { urls: ['/a', '/b', '/none'].map((path) => web.url + path) }));
    const pages = ({ events }: Awaited<ReturnType<typeof run>>) => events.filter(({ type }) => type === 'page');
    const first = await run();
    expect(pages(first)).toMatchObject([
      {
        stage: 'crawl',
        message: `200  depth 0  ${web.url}/a  anchor`,
        data: { url: `${web.url}/a`, title: 'anchor', depth: 0, status_code: 200, document_id: expect.stringMatching(/^[0-9a-f]{16}$/) },
      },
      { data: { url: `${web.url}/b`, title: 'bell' } },
    ]);
    expect(first.events.findLast(({ data }) => 'queued' in data)!.data).toMatchObject({ pages: 2, queued: 0, failed: 1 });
    expect(pages(await run()).map(({ data }) => data.url)).toEqual([`${web.url}/a`, `${web.url}/b`]);
  });

  it('of a scrape is the same, with messages only on request', async () => {
    const web = await site({ '/a': page('anchor', '/b'), '/b': page('bell') });
    const { events } = await collect(engineIn(folder()).run('scrape', { url: `${web.url}/a`, mode: 'full' }));
    expect(events.filter(({ type }) => type === 'page')).toMatchObject([
      { message: '', data: { url: `${web.url}/a`, depth: 0 } },
      { message: '', data: { url: `${web.url}/b`, depth: 1, title: 'bell' } },
    ]);
    expect(events.find(({ type, stage }) => type === 'progress' && stage === 'crawl')!.data).toMatchObject({ pages: 0, queued: 1 });
  });
});

describe('a page that is stored under another address than requested', () => {
  it('is removed and kept with that address', async () => {
    const web = await site({ '/old': { status: 301, headers: { location: '/new' } }, '/new': page('anchor'), '/kept': page('bell') });
    const engine = engineIn(folder());
    const urls = [`${web.url}/old`, `${web.url}/kept`];
    await result(engine, 'ingest', { urls });
    expect(await sourcesIn(engine)).toEqual([`${web.url}/kept`, `${web.url}/new`]);
    web.routes['/new'] = { status: 403 };
    expect((await result(engine, 'ingest', { urls, prune: true })).pruned).toEqual([]);
    delete web.routes['/new'];
    expect((await result(engine, 'ingest', { urls, prune: true, force: true })).pruned).toEqual([`${web.url}/new`]);
    expect(await sourcesIn(engine)).toEqual([`${web.url}/kept`]);
  });

  it('stays if it was also requested by its own address; only the other one is removed', async () => {
    const web = await site({ '/alias': { status: 302, headers: { location: '/c' } }, '/c': page('anchor') });
    const engine = engineIn(folder());
    await result(engine, 'ingest', { urls: [`${web.url}/alias`, `${web.url}/c`] });
    delete web.routes['/alias'];
    expect(await result(engine, 'ingest', { urls: `${web.url}/alias`, prune: true })).toMatchObject({ pruned: [], gone: [], failed: 1 });
    expect(await sourcesIn(engine)).toEqual([`${web.url}/c`]);
  });

  it('is stored once after a permanent redirect, twice after a temporary one', async () => {
    const to = (location: string, status = 301): SiteRoute => ({ status, headers: { location } });
    const web = await site({ '/a': page('anchor'), '/b': page('bell'), '/c': page('lamp'), '/d': page('anchor'), '/e': page('bell') });
    const engine = engineIn(folder());
    const ingest = (over: Partial<RequestOf<'ingest'>> = {}) =>
      result(engine, 'ingest', { urls: [`${web.url}/a`, `${web.url}/d`], ...over });
    await ingest();
    web.routes['/a'] = to('/b');
    web.routes['/d'] = to('/e', 302);
    expect(await ingest()).toMatchObject({ gone: [`${web.url}/a`], pruned: [], failed: 0 });
    expect(await ingest({ prune: true })).toMatchObject({ pruned: [`${web.url}/a`], unchanged: 2 });
    web.routes['/a'] = to('/c', 308);
    expect(await ingest({ prune: true })).toMatchObject({ pruned: [`${web.url}/b`], notices: [] });
    expect(await sourcesIn(engine)).toEqual(['/c', '/d', '/e'].map((path) => web.url + path));
  });

  it('stays if a crawl cannot read it, even without links to the other address', async () => {
    const own = page('anchor').replace('</head>', '<link rel="canonical" href="/a"></head>');
    const web = await site({ '/': page('bell', '/a.html'), '/a.html': own, '/a': own });
    const engine = engineIn(folder());
    const urls = { url: `${web.url}/`, mode: 'full' as const };
    await result(engine, 'ingest', { urls });
    expect(await sourcesIn(engine)).toEqual([`${web.url}/`, `${web.url}/a`]);
    web.routes['/a.html'] = { status: 403 };
    expect(await result(engine, 'ingest', { urls, prune: true })).toMatchObject({ pruned: [], failed: 1 });
  });
});
