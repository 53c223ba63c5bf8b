import { afterEach, expect, test } from 'vitest';
import type { Candidate, GivenContent } from '../../../../src/stages/extract/extract.ts';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';
import { extractLink } from '../../../../src/stages/extract/pages/urls.ts';
import { openSite, type Site } from '../../../support/site.ts';
import { pageReader } from './crawl/crawling.ts';
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

const extract = (web: Site, path: string, given: GivenContent = {}) =>
  gathered(extractLink(web.url + path, given, { http: openDoor([web]), reader: plainReader(), host_limiter: new HostLimiter() }));

test('reads a document behind a link by the extension of its address, whatever its media type', async () => {
  const web = await site({ '/plan.md': { headers: { 'content-type': 'application/octet-stream' }, body: '# Plan' } });
  const { documents, errors } = await extract(web, '/plan.md?v=2&token=s3cret#part');
  expect(errors).toEqual([]);
  expect(documents).toEqual([
    expect.objectContaining({
      source: `${web.url}/plan.md?v=2`,
      text: '# Plan',
      title: 'plan',
      metadata: expect.objectContaining({ source_kind: 'bytes', file_type: 'markdown', lang: 'en' }),
    }),
  ]);
});

test('applies a requested title, description and front matter, which change the hash', async () => {
  const web = await site({ '/plan.md': '# Plan' });
  const plain = await extract(web, '/plan.md');
  const said = await extract(web, '/plan.md', { title: 'The plan', description: 'What comes', frontmatter: true });
  expect(said.documents[0]).toMatchObject({ title: 'The plan', metadata: { description: 'What comes' } });
  expect(said.documents[0]!.text).toMatch(/^---\ntitle: The plan\nsource: .*\ndescription: What comes\nlang: en\n---\n\n# Plan$/);
  expect(said.hashes).not.toEqual(plain.hashes);
  expect((await extract(web, '/plan.md')).hashes).toEqual(plain.hashes);
});

test('rejects a link without a supported extension before a request', async () => {
  const web = await site({ '/page': 'x', '/film.mp4': 'x' });
  for (const path of ['/page', '/film.mp4', '/x?a=.pdf']) {
    const { errors } = await extract(web, path);
    expect(errors).toEqual([
      expect.objectContaining({ source: web.url + path, source_kind: 'bytes', stage: 'validate', isRetryable: false }),
    ]);
  }
  expect(web.hits).toEqual([]);
});

test('names a failing link in the error', async () => {
  const web = await site({ '/b.md': { status: 503, headers: { 'retry-after': '0' } } });
  expect((await extract(web, '/a.md')).errors).toEqual([
    expect.objectContaining({ source: `${web.url}/a.md`, stage: 'fetch', isRetryable: false, attempts: 1 }),
  ]);
  expect((await extract(web, '/b.md')).errors).toEqual([
    expect.objectContaining({ source: `${web.url}/b.md`, stage: 'fetch', isRetryable: true, attempts: 2 }),
  ]);
});

const LOGIN =
  '<!-- hello --> <!doctype html><html><head><title>Sign in</title></head><body><form><input type="password" name="p"></form>Sign in</body></html>';

test('rejects a document link that leads to a web page, and reads a document sent with the media type of a web page', async () => {
  const to = (location: string) => ({ status: 302, headers: { location } });
  const web = await site({
    '/a.md': to('/login'),
    '/b.csv': LOGIN,
    '/c.txt': '\uFEFF<HTML><p>Hello</p></HTML>',
    '/d.md': '<div align="center">\n\n# Pump\n\n</div>',
    '/e.txt': { headers: { 'content-type': 'text/plain' }, body: LOGIN },
    '/login': LOGIN,
  });
  const errors = await Promise.all(['/a.md', '/b.csv', '/c.txt'].map(async (path) => (await extract(web, path)).errors));
  expect(errors).toMatchObject([
    [
      {
        source: `${web.url}/a.md`,
        stage: 'fetch',
        isRetryable: false,
        error: expect.stringContaining(`leads to ${web.url}/login, which is a web page`),
      },
    ],
    [{ source: `${web.url}/b.csv`, error: expect.stringContaining(`${web.url}/b.csv is a web page`) }],
    [{ source: `${web.url}/c.txt` }],
  ]);
  for (const path of ['/d.md', '/e.txt']) expect(await extract(web, path)).toMatchObject({ documents: [{}], errors: [] });
});

test('rejects a link to a login page', async () => {
  const web = await site({ '/guide.html': LOGIN });
  const parts = { http: openDoor([web]), reader: pageReader(), host_limiter: new HostLimiter() };
  const items = await Array.fromAsync(extractLink(`${web.url}/guide.html`, {}, parts));
  await expect((items[0] as { candidate: Candidate }).candidate.document()).rejects.toMatchObject({ code: 'unauthorized' });
});
