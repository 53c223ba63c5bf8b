import { describe, expect, it, onTestFinished } from 'vitest';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { openSite, type Site } from '../support/site.ts';

const site = async (routes: Site['routes'] = {}): Promise<Site> => {
  const web = await openSite(routes);
  onTestFinished(() => web.close());
  return web;
};

const json = (value: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });

/** An engine behind `kb serve`, whose callers may fetch from the sites given. */
function serverEngine(webs: Site[], settings: Layer): Engine {
  const network = { allow_private: webs.map(({ url }) => url) };
  const config = Config.parse([{ network }, WORDS, settings].reduce<Layer>(mergeLayers, DEFAULTS));
  const engine = createEngine({ config, home: folder(), surface: 'server' });
  onTestFinished(() => engine.close());
  return engine;
}

describe('a repeated ingest of an API', () => {
  const rows = (second: string) => [
    { id: 1, title: 'Pump', body: 'It presses nine bar.' },
    { id: 2, title: 'Seal', body: second },
    { id: 3, title: 'Wand', body: 'It steams the milk.' },
  ];
  const pagination = { type: 'link', items_path: 'rows' } as const;

  it('stores nothing if nothing has changed, and one record if one has', async () => {
    const web = await site({ '/parts': json({ rows: rows('Change it once a year.') }) });
    const { settings, texts } = await modelServer();
    const engine = engineIn(folder(), settings);
    const ingest = () => result(engine, 'ingest', { api: { url: `${web.url}/parts`, pagination } });
    expect(await ingest()).toMatchObject({ sources: 3, embedded: 3, stored: 3, failed: 0 });
    const asked = texts().length;
    expect(await ingest()).toMatchObject({ embedded: 0, stored: 0, unchanged: 3, failed: 0 });
    expect(texts()).toHaveLength(asked);
    web.routes['/parts'] = json({ rows: rows('Change it every other year.') });
    expect(await ingest()).toMatchObject({ embedded: 1, stored: 1, unchanged: 2, failed: 0 });
    expect(texts().slice(asked).join()).toContain('every other year');
    const stored = (await chunksIn(engine)).map(({ text }) => String(text)).join('\n');
    expect(stored).toContain('every other year');
    expect(stored).not.toContain('once a year');
  });

  it('removes missing records with prune, but none if the API was not read completely', async () => {
    const all = rows('Change it once a year.');
    const web = await site({ '/parts': json({ rows: all }) });
    const engine = engineIn(folder());
    const ingest = (api: object = {}) => result(engine, 'ingest', { api: { url: `${web.url}/parts`, pagination, ...api }, prune: true });
    await ingest();
    web.routes['/parts'] = { headers: { 'content-type': 'application/x-ndjson' }, body: `${JSON.stringify(all[0])}\n{"id":` };
    const broken = await result(engine, 'ingest', { api: `${web.url}/parts`, prune: true });
    expect([broken.pruned, broken.failed]).toEqual([[], 1]);
    web.routes['/parts'] = { status: 404 };
    expect(await ingest()).toMatchObject({ pruned: [], failed: 1 });
    web.routes['/parts'] = json({ rows: all.slice(0, 2) });
    expect((await ingest()).pruned).toEqual([`${web.url}/parts#record=3`]);
    expect(await sourcesIn(engine)).toEqual([`${web.url}/parts#record=1`, `${web.url}/parts#record=2`]);
  });

  it('reports that max_pages ended it, and removes nothing', async () => {
    const web = await site({
      '/parts': (request, response) => {
        const page = Number(new URL(request.url!, 'http://api').searchParams.get('page'));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows('x').slice(page - 1, page)));
      },
    });
    const engine = engineIn(folder());
    const api = { url: `${web.url}/parts`, pagination: { type: 'page' as const, param: 'page' } };
    await result(engine, 'ingest', { api });
    const cut = await result(engine, 'ingest', { api: { ...api, max_pages: 1 }, prune: true });
    expect(cut.notices).toEqual([
      `${web.url}/parts: stopped at max_pages = 1; there may be more.`,
      `2 stored sources were not found but kept: ${web.url}/parts may have more than was read.`,
    ]);
    expect([cut.pruned, (await sourcesIn(engine)).length]).toEqual([[], 3]);
  });

  it('removes nothing after a mistake in the pagination', async () => {
    const web = await site({
      '/parts': (request, response) => {
        const query = new URL(request.url!, 'http://api').searchParams;
        const at = Math.max(Number(query.get('page') ?? 1) - 1, Number(query.get('after') ?? 0), Number(query.get('skip') ?? 0));
        const paging = { next: at < 2 ? String(at + 1) : null };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ rows: rows('x').slice(at, at + 1), paging }));
      },
    });
    const engine = engineIn(folder());
    const ingest = (paging: object) =>
      result(engine, 'ingest', {
        api: { url: `${web.url}/parts`, pagination: { items_path: 'rows', ...paging } as never },
        prune: true,
      });
    const cursor = { type: 'cursor', param: 'after', cursor_path: 'paging.next' };
    expect(await ingest(cursor)).toMatchObject({ stored: 3, notices: [] });
    for (const slip of [
      { ...cursor, cursor_path: 'paging.nxt' },
      { ...cursor, param: 'aftr' },
      { type: 'offset', param: 'skp' },
      { type: 'page', param: 'pg' },
    ]) {
      const { pruned, notices, errors } = await ingest(slip);
      expect([pruned, (await sourcesIn(engine)).length]).toEqual([[], 3]);
      expect(notices.length + errors.length).toBeGreaterThan(0);
    }
  });
});

describe('configured values for APIs', () => {
  const operators = { headers: { Authorization: 'Bearer operators' }, params: { api_key: 'operators' }, body: { token: 'operators' } };

  it('are sent to the address that the user of a command line gives', async () => {
    const web = await site({ '/a': json({ n: 1 }) });
    const engine = engineIn(folder(), { ingestion: { api: { ...operators, method: 'POST' } } });
    expect((await result(engine, 'fetch', { url: `${web.url}/a` })).failed).toBe(0);
    expect(web.hits[0]).toMatchObject({
      url: '/a?api_key=operators',
      body: '{"token":"operators"}',
      headers: { authorization: 'Bearer operators' },
    });
  });

  it('are not sent to an address that a caller of the server chose', async () => {
    const web = await site({ '/a': json({ n: 1 }) });
    const engine = serverEngine([web], { ingestion: { api: { ...operators, method: 'POST', description: 'Configured' } } });
    const own = { headers: { 'X-Own': '1' }, params: { q: 'leak' } };
    const reports = [
      await result(engine, 'fetch', { url: `${web.url}/a`, ...own }),
      await result(engine, 'fetch', { apis: [`${web.url}/a`] }),
      await result(engine, 'ingest', { api: `${web.url}/a`, ingestion: { api: own as never } }),
    ];
    expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0]);
    expect(web.hits.map(({ url, headers }) => [url, headers['x-own']])).toEqual([
      ['/a?q=leak', '1'],
      ['/a', undefined],
      ['/a?q=leak', '1'],
    ]);
    expect(JSON.stringify([web.hits, reports])).not.toContain('operators');
    expect(reports[0], 'what is sent nowhere stays').toMatchObject({ outputs: [{ metadata: { description: 'Configured' } }] });
  });

  it('are sent to the site that they name, for every caller', async () => {
    const other = await site({ '/a': json({ n: 2 }) });
    const web = await site({ '/a': json({ n: 1 }), '/page': '<main><p>Text of a page.</p></main>', '/doc.txt': 'Text of a document.' });
    const sites = [{ origin: web.url, headers: { 'X-Api-Key': 'operators' } }];
    const request = { api: [`${web.url}/a`, `${other.url}/a`], docs: `${web.url}/doc.txt`, urls: `${web.url}/page` };
    const report = await result(serverEngine([web, other], { network: { sites } }), 'ingest', request);
    expect(report).toMatchObject({ failed: 0, sources: 4 });
    expect(await result(engineIn(folder(), { ...WORDS, network: { sites } }), 'ingest', request)).toMatchObject({ failed: 0, sources: 4 });
    for (const { url, headers } of web.hits) expect([url, headers['x-api-key']]).toEqual([url, 'operators']);
    expect(web.hits.length).toBeGreaterThanOrEqual(6);
    expect(JSON.stringify([other.hits, report])).not.toContain('operators');
  });
});

it('are never taken from variables that a request names', async () => {
  process.env.KB_TEST_SECRET_OF_SERVER = 's3cret';
  onTestFinished(() => void delete process.env.KB_TEST_SECRET_OF_SERVER);
  const web = await site({ '/a': json({ n: 1 }) });
  const engine = serverEngine([web], {});
  const reference = '${KB_TEST_SECRET_OF_SERVER}';
  const report = await result(engine, 'fetch', {
    apis: [
      { url: `${web.url}/a?key=${reference}` },
      { url: `${web.url}/a`, headers: { Authorization: reference } },
      { url: `${web.url}/a`, params: { q: reference } },
      { url: `${web.url}/a`, method: 'POST', body: reference },
      { url: `${web.url}/a`, method: 'POST', body: { text: `see ${reference}` } },
    ],
  });
  expect([report.failed, report.documents]).toEqual([4, 1]);
  expect(web.hits.map(({ body }) => body)).toEqual([JSON.stringify({ text: `see ${reference}` })]);
});

it('are not substituted in an HTTP request that refers to a variable: it gets an error', async () => {
  const web = await site({ '/parts': json([]) });
  const { errors } = await result(serverEngine([web], {}), 'fetch', {
    apis: [{ url: `${web.url}/parts`, headers: { Authorization: 'Bearer ${TICK}' } }],
  });
  expect(errors).toEqual([
    expect.objectContaining({ stage: 'validate', error: expect.stringMatching(/^headers\.Authorization holds \$\{TICK\}/) }),
  ]);
  expect([errors[0]!.error.includes('environment'), web.hits]).toEqual([false, []]);
});
