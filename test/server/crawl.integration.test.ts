import { expect, it, onTestFinished } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn } from '../support/server.ts';
import { openSite } from '../support/site.ts';
import { article } from '../stages/extract/pages/crawl/crawling.ts';

const routes = {
  '/docs/': article('Start', ['/docs/a', '/docs/gone', '/b']),
  '/docs/a': article('A', ['/docs/c']),
  '/docs/c': article('C'),
  '/b': article('B'),
};

it('a crawl over HTTP respects the requested pages and limits, and reports each page as it is read', async () => {
  const web = await openSite(routes);
  onTestFinished(() => web.close());
  const served = await serveIn(folder(), { settings: { network: { allow_private: [web.url] } } });
  const body = { url: `${web.url}/docs/`, mode: 'full', max_depth: 1 };
  const events = await served.stream('/v1/ingest/url/stream', body);
  const pages = events
    .filter(({ type }) => type === 'page')
    .map(({ data }) => [new URL(String(data.url)).pathname, data.depth, data.status_code, data.title]);
  expect(pages).toEqual([
    ['/docs/', 0, 200, 'Start'],
    ['/docs/a', 1, 200, 'A'],
  ]);
  expect(events.filter(({ type }) => type === 'error').map(({ data }) => data)).toMatchObject([
    { source: `${web.url}/docs/gone`, stage: 'crawl', isRetryable: false },
  ]);
  expect(events.at(-1)).toMatchObject({ type: 'final', stage: 'complete', data: { pages: 2, failed: 1, dlq: null } });

  const { json } = await served.post('/v1/ingest/url', {
    ...body,
    max_depth: 5,
    max_pages: 2,
    include: ['/docs/**'],
    exclude: ['/docs/a'],
  });
  expect(json).toMatchObject({ pages: 1, failed: 1 });
  expect((await served.post('/v1/ingest/url', { ...body, exclude: ['/a/../b'] })).status).toBe(400);
});

it('a site at a forbidden private address is one failure of a crawl', async () => {
  const web = await openSite(routes);
  onTestFinished(() => web.close());
  const served = await serveIn(folder());
  const { status, json } = await served.post('/v1/ingest/url', { url: `${web.url}/docs/`, mode: 'full' });
  expect(status).toBe(200);
  expect(json).toMatchObject({
    pages: 0,
    failed: 1,
    errors: [{ source: `${web.url}/docs/`, isRetryable: false, error: expect.stringContaining('network.allow_private') }],
  });
  expect(web.hits).toEqual([]);
});
