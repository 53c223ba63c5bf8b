import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { KbError } from '../../../../src/core/errors.ts';
import { DEFAULTS } from '../../../../src/schema/config.ts';
import type { UrlsInput } from '../../../../src/schema/source-entries.ts';
import type { Scope } from '../../../../src/stages/extract/extract.ts';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';
import type { PageParts } from '../../../../src/stages/extract/pages/page.ts';
import { extractUrls } from '../../../../src/stages/extract/pages/urls.ts';
import { openSite, type Site } from '../../../support/site.ts';
import { memoryOf, noBrowser } from './crawl/crawling.ts';
import { gathered, openDoor } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

const opened: Site[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((web) => web.close()));
});

async function site(routes: Site['routes']): Promise<Site> {
  const web = await openSite(routes);
  opened.push(web);
  return web;
}

const settings = DEFAULTS.ingestion.urls as PageParts['settings'];
const extract = (web: Site, urls: UrlsInput, over: Partial<PageParts> = {}) =>
  gathered(
    extractUrls(urls, {
      http: openDoor([web]),
      reader: plainReader(),
      renderer: noBrowser,
      user_agent: 'kb',
      max_redirects: 10,
      host_limiter: new HostLimiter(),
      settings,
      ...over,
    }),
  );
const sources = ({ documents }: { documents: { source: string }[] }) => documents.map(({ source }) => new URL(source).pathname);

test('a page becomes a document under its address, read by its media type', async () => {
  const web = await site({ '/manual': '<h1>Manual</h1>', '/sheet': { headers: { 'content-type': 'application/pdf' }, body: 'pdf' } });
  const reader = plainReader();
  const { documents, errors } = await extract(web, [`${web.url}/manual?v=2&api_key=k3y#part`, `${web.url}/sheet`], { reader });
  expect(errors).toEqual([]);
  expect(documents[0]).toMatchObject({
    source: `${web.url}/manual?v=2`,
    text: '<h1>Manual</h1>',
    metadata: { source_kind: 'url', file_type: 'html' },
  });
  expect(reader.given.map(({ file_type }) => file_type)).toEqual(['html', 'pdf']);
  expect(web.hits[0]!.url).toBe('/manual?v=2&api_key=k3y');
});

test('yields pages in the given order, each once, under the address that they redirect to', async () => {
  const web = await site({
    '/slow': async (_request, response) => {
      await wait(60);
      response.end('slow');
    },
    '/fast': 'fast',
    '/old': { status: 301, headers: { location: '/fast' } },
  });
  expect(
    sources(
      await extract(
        web,
        ['/slow', '/old', '/fast', '/slow'].map((path) => web.url + path),
      ),
    ),
  ).toEqual(['/slow', '/fast']);
  expect(web.hits.filter(({ url }) => url === '/slow')).toHaveLength(1);
});

test('requests at most eight pages at once', async () => {
  let open = 0;
  let most = 0;
  const page = async (_request: unknown, response: { end(text: string): unknown }) => {
    most = Math.max(most, ++open);
    await wait(15);
    open--;
    response.end('page');
  };
  const web = await site(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/p${i}`, page])));
  expect(
    sources(
      await extract(
        web,
        Object.keys(web.routes).map((path) => web.url + path),
      ),
    ),
  ).toHaveLength(30);
  expect(most).toBeLessThanOrEqual(8);
  expect(most).toBeGreaterThan(1);
});

test('a failing page is a separate error, and a temporary failure has a retry input without credentials', async () => {
  const web = await site({ '/ok': 'ok', '/busy': { status: 503, headers: { 'retry-after': '0' } } });
  const { documents, errors } = await extract(web, [`${web.url}/gone`, `${web.url}/busy?token=t0k3n`, `${web.url}/ok`]);
  expect(documents).toHaveLength(1);
  expect(errors).toEqual([
    expect.objectContaining({ source: `${web.url}/gone`, source_kind: 'url', stage: 'fetch', isRetryable: false, attempts: 1 }),
    expect.objectContaining({ source: `${web.url}/busy`, isRetryable: true, attempts: 2, retry_input: { url: `${web.url}/busy` } }),
  ]);
  expect(errors[0]).not.toHaveProperty('retry_input');
  expect(JSON.stringify(errors)).not.toContain('t0k3n');
});

test('a picture becomes an error that names its type', async () => {
  const web = await site({ '/a.png': { headers: { 'content-type': 'image/png' }, body: 'x' }, '/ok': 'ok' });
  const { documents, errors } = await extract(web, [`${web.url}/a.png`, `${web.url}/ok`]);
  expect(documents).toHaveLength(1);
  expect(errors).toEqual([
    expect.objectContaining({
      source: `${web.url}/a.png`,
      stage: 'convert',
      isRetryable: false,
      error: expect.stringContaining('image/png'),
    }),
  ]);
});

test('a document that cannot be read becomes an error', async () => {
  const web = await site({ '/a': 'a', '/b': 'b' });
  const reader = plainReader();
  const read = reader.read;
  reader.read = async (bytes, options) => {
    if (options.source.endsWith('/a')) throw new KbError('invalid', `${options.source} is broken.`);
    return read(bytes, options);
  };
  const { documents, errors } = await extract(web, [`${web.url}/a`, `${web.url}/b`], { reader });
  expect(documents).toHaveLength(1);
  expect(errors).toEqual([expect.objectContaining({ source: `${web.url}/a`, stage: 'convert', error: `${web.url}/a is broken.` })]);
});

test('expects fewer documents after duplicates and missing pages, and marks missing pages as gone', async () => {
  const web = await site({ '/a': 'a', '/old': { status: 301, headers: { location: '/a' } }, '/gone': { status: 410 } });
  const urls = ['/a', '/old', '/gone'].map((path) => web.url + path);
  const parts = {
    http: openDoor([web]),
    reader: plainReader(),
    renderer: noBrowser,
    user_agent: 'kb',
    max_redirects: 10,
    host_limiter: new HostLimiter(),
    settings,
  };
  const items = await Array.fromAsync(extractUrls(urls, parts));
  expect(items).toMatchObject([
    { expected: 3 },
    { input: urls[0] },
    { candidate: {} },
    { input: urls[1] },
    { expected: -1 },
    { input: urls[2] },
    { error: { source: `${web.url}/gone` }, isGone: true },
    { scope: { source_kind: 'url' } },
  ]);
  const { scope } = items.at(-1) as { scope: Scope };
  expect(urls.map((url) => scope.covers(url))).toEqual([false, true, false]);
});

test('pages that moved within their host are gone at their old address, unless several lead to one page, which may be a login page', async () => {
  const other = await site({ '/x': 'moved out' });
  const pages = Object.fromEntries(['/a', '/b', '/c', '/out'].map((path) => [path, path]));
  const web = await site({ ...pages, '/': 'Under repair', '/new': 'new' });
  const urls = Object.keys(pages).map((path) => web.url + path);
  const memory = memoryOf();
  const http = openDoor([web, other]);
  await extract(web, urls, { memory, http });
  const to = (location: string) => ({ status: 301, headers: { location } });
  Object.assign(web.routes, { '/a': to('/'), '/b': to('/'), '/c': to('/new'), '/out': to(`${other.url}/x`) });
  for (let run = 0; run < 2; run++) {
    const parts = {
      http,
      reader: plainReader(),
      renderer: noBrowser,
      user_agent: 'kb',
      max_redirects: 10,
      host_limiter: new HostLimiter(),
      settings,
      memory,
    };
    const items = await Array.fromAsync(extractUrls(urls, parts));
    const scopes = items.flatMap((item) => ('scope' in item ? [item.scope] : []));
    expect(urls.map((url) => scopes.some(({ covers }) => covers(url)))).toEqual([false, false, true, false]);
  }
});

test('front matter precedes the text on request', async () => {
  const web = await site({ '/a': 'page' });
  const { documents } = await extract(web, `${web.url}/a`, { settings: { ...settings, frontmatter: true } });
  expect(documents[0]!.text).toMatch(/^---\ntitle: a\nsource: http/);
});

test('a stopped run ends as stopped, without errors of its pages', async () => {
  const controller = new AbortController();
  const web = await site({ '/hang': () => controller.abort() });
  await expect(extract(web, `${web.url}/hang`, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
});
