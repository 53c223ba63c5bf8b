import { afterEach, expect, test } from 'vitest';
import { DEFAULTS } from '../../../../src/schema/config.ts';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';
import type { PageParts } from '../../../../src/stages/extract/pages/page.ts';
import { extractUrls } from '../../../../src/stages/extract/pages/urls.ts';
import { openSite, type Site } from '../../../support/site.ts';
import { noBrowser } from './crawl/crawling.ts';
import { gathered, openDoor } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

const opened: Site[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((web) => web.close()));
});

const settings = { ...DEFAULTS.ingestion.urls, render: 'never' } as PageParts['settings'];

test('login pages and error pages become errors instead of documents', async () => {
  const web = await openSite({
    '/members': { status: 302, headers: { location: '/login' } },
    '/login': '<form><input type="password"></form>',
    '/gone': '# Page not found',
    '/valves': 'The relief valve opens at 6.2 bar.',
    '/form.txt': { headers: { 'content-type': 'text/plain' }, body: 'Write <input type="password">' },
  });
  opened.push(web);
  const urls = ['/members', '/gone', '/valves', '/form.txt'].map((path) => web.url + path);
  const { documents, errors } = await gathered(
    extractUrls(urls, {
      http: openDoor([web]),
      reader: plainReader(),
      renderer: noBrowser,
      user_agent: 'kb',
      max_redirects: 10,
      host_limiter: new HostLimiter(),
      settings,
    }),
  );
  expect(documents.map(({ source }) => new URL(source).pathname)).toEqual(['/valves', '/form.txt']);
  expect(errors.map(({ error }) => error)).toEqual([
    expect.stringContaining('/login is a login page'),
    expect.stringContaining('/gone says "Page not found"'),
  ]);
});
