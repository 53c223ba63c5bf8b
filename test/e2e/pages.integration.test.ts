import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { chunksIn, engineIn, result, sourcesIn } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { KB, onTerminal, SEQUENCES, startKb, type Ended } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';
import { openSite, type Site, type SiteRoute } from '../support/site.ts';

const COUNT = 60;
const html = (title: string, ...links: string[]): string =>
  `<html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${`This is all there is to say of ${title}. `.repeat(4)}</p>
  <ul>${links.map((link) => `<li><a href="${link}">${link}</a></li>`).join('')}</ul></main></body></html>`;
/** A page of which only a change is sent to whoever has it. */
const tagged =
  (title: string, ...links: string[]): SiteRoute =>
  (request, response) => {
    const etag = `"${title}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
    return response.writeHead(200, { 'content-type': 'text/html', etag }).end(html(title, ...links));
  };

/** A site of 61 pages, five on each level from the start page on. */
async function site(): Promise<Site> {
  const names = Array.from({ length: COUNT }, (_, i) => `page-${i}`);
  const below = (level: number) => names.slice(level * 20, level * 20 + 20).map((name) => `/${name}`);
  const web = await openSite({
    '/': tagged('start', ...below(0)),
    ...Object.fromEntries(names.map((name, i) => [`/${name}`, tagged(name, ...below(Math.floor(i / 20) + 1))])),
  });
  onTestFinished(() => web.close());
  return web;
}

const json = ({ out }: Ended) => JSON.parse(out) as Record<string, number> & { errors: unknown[] };
const asked = (web: Site): string[] => web.hits.map(({ url }) => url).filter((url) => /^\/(page|$)/.test(url));
it('a killed crawl continues: stored pages are not requested again, and nothing is stored twice', async () => {
  const web = await site();
  const cwd = folder();
  const ingest = ['ingest', '--urls', `${web.url}/`, '--crawl-mode', 'full', '--json'];
  const hanging = Array.from({ length: COUNT - 45 }, (_, i) => `/page-${45 + i}`);
  const routes = { ...web.routes };
  for (const path of hanging) web.routes[path] = () => {}; // there the site takes forever
  const first = startKb(ingest, { cwd, input: '' });
  onTestFinished(() => void first.child.kill('SIGKILL'));
  const here = engineIn(cwd);
  while ((await result(here, 'list_collections', {})).collections.length === 0) await wait(50);
  while ((await sourcesIn(here)).length < 40) await wait(50);
  first.child.kill('SIGKILL');
  expect((await first.done).signal).toBe('SIGKILL');
  const stored = new Set((await sourcesIn(here)).map((source) => new URL(source).pathname));
  expect(stored.size).toBeGreaterThanOrEqual(40);

  Object.assign(web.routes, routes);
  web.hits.length = 0;
  const second = json(await runCommand(ingest, { cwd }));
  expect(second).toMatchObject({ unchanged: stored.size, sources: COUNT + 1 - stored.size, failed: 0, errors: [] });
  expect(asked(web).filter((path) => stored.has(path))).toEqual([]);
  const chunks = await chunksIn(here);
  expect(new Set(chunks.map(({ source }) => source)).size).toBe(COUNT + 1);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);

  web.hits.length = 0;
  expect(json(await runCommand(ingest, { cwd }))).toMatchObject({ unchanged: COUNT + 1, sources: 0, embedded: 0, stored: 0, failed: 0 });
  expect(asked(web).toSorted()).toEqual(Object.keys(routes).toSorted());
  expect(web.hits.filter(({ url, headers }) => asked(web).includes(url) && !headers['if-none-match'])).toEqual([]);
  const fresh = folder();
  await runCommand(ingest, { cwd: fresh });
  const ids = (all: Record<string, unknown>[]) => all.map(({ id }) => id).toSorted();
  expect(ids(await chunksIn(here))).toEqual(ids(await chunksIn(engineIn(fresh))));
});

it('a scrape shows its progress on a terminal, with verbose every page, beside its output', async () => {
  const web = await site();
  web.routes['/slow'] = async (_request, response) => {
    await wait(700);
    response.writeHead(200, { 'content-type': 'text/html' }).end(html('slow'));
  };
  const cwd = folder();
  const urls = `'${web.url}/page-1' '${web.url}/missing' '${web.url}/slow'`;
  const { out } = await onTerminal(
    `${KB} scrape ${urls} > documents.jsonl; ${KB} scrape ${urls} --set ingestion.urls.verbose=true --quiet > /dev/null`,
    {
      cwd,
    },
  ).done;
  expect(out.replace(SEQUENCES, '')).toMatch(/Scraping: \d pages?, \d queued/);
  const verbose = await runCommand(['scrape', `${web.url}/page-1`, '--set', 'ingestion.urls.verbose=true'], { cwd });
  expect(verbose.error).toBe(`200  depth 0  ${web.url}/page-1  page-1\n`);
  expect(JSON.parse(verbose.out)).toMatchObject({ source: `${web.url}/page-1` });
  expect(await runCommand(['scrape', `${web.url}/page-1`, '--set', 'ingestion.urls.verbose=true', '--quiet'], { cwd })).toMatchObject({
    code: 0,
    error: '',
  });
  expect(await runCommand(['scrape', `${web.url}/page-1`], { cwd })).toMatchObject({ code: 0, error: '' });
});

it('an ingest of pages shows how many are queued, and with verbose every page', async () => {
  const web = await site();
  const cwd = folder();
  const { out } = await onTerminal(`${KB} ingest --urls ${web.url}/ --crawl-mode full --max-pages 9`, { cwd }).done;
  const seen = out.replace(SEQUENCES, '');
  expect(seen).toMatch(/Ingesting: \d+ pages?, \d+ queued/);
  expect(seen.replace(/\s+/g, ' ')).toMatch(/note +The crawl of .* stopped at max_pages = 9/);
  const verbose = ['ingest', '--urls', `${web.url}/page-50`, '--set', 'ingestion.urls.verbose=true'];
  expect((await runCommand(verbose, { cwd })).error).toContain(`200  depth 0  ${web.url}/page-50  page-50\n`);
  expect((await runCommand([...verbose, '--quiet'], { cwd })).error).toBe('');
});
