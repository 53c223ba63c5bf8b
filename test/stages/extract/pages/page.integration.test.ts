import { afterEach, expect, test } from 'vitest';
import type { RunInTurn } from '../../../../src/http/message.ts';
import { DEFAULTS } from '../../../../src/schema/config.ts';
import { HostLimiter } from '../../../../src/stages/extract/pages/host-limiter.ts';
import { readPage, type PageParts } from '../../../../src/stages/extract/pages/page.ts';
import { openSite, type Site } from '../../../support/site.ts';
import { article, memoryOf, noBrowser } from './crawl/crawling.ts';
import { openDoor } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

const crawling = { user_agent: 'kb', max_redirects: 10, host_limiter: new HostLimiter() };
const opened: Site[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((web) => web.close()))));

test('a page in a browser waits for its turn like a fetched one', async () => {
  const web = await openSite({ '/a': article('A') });
  opened.push(web);
  let inside = 0;
  const inTurn: RunInTurn = async (work) => {
    inside++;
    return await work().finally(() => inside--);
  };
  const seen: number[] = [];
  const renderer: PageParts['renderer'] = {
    render: async (url) => {
      seen.push(inside);
      return { url, status: 200, bytes: Buffer.from(article('A')) };
    },
    close: async () => {},
  };
  const settings = { ...(DEFAULTS.ingestion.urls as PageParts['settings']), render: 'always' as const };
  const memory = memoryOf();
  const parts = { http: openDoor([web]), reader: plainReader(), renderer, memory, settings, ...crawling };
  expect(await readPage(`${web.url}/a`, parts, { inTurn })).toMatchObject({ page: { isRendered: true } });
  const known = { found: `${web.url}/a`, status_code: 200, content_hash: 'h', text_hash: 't', isRendered: true, links: [] };
  await memory.remember(`${web.url}/a`, known);
  expect(await readPage(`${web.url}/a`, parts, { inTurn })).toMatchObject({ page: { isRendered: true } });
  expect(seen).toEqual([1, 1]);
});

test('detects the kind of a page without media type and extension by its bytes', async () => {
  const binary = { 'content-type': 'application/octet-stream' };
  const web = await openSite({ '/pdf': { headers: binary, body: '%PDF-1.7 words' }, '/zip': { headers: binary, body: 'PK' } });
  opened.push(web);
  const settings = DEFAULTS.ingestion.urls as PageParts['settings'];
  const parts = { http: openDoor([web]), reader: plainReader(), renderer: noBrowser, settings, ...crawling };
  expect(await readPage(`${web.url}/pdf?id=5`, parts)).toMatchObject({ page: { file_type: 'pdf' } });
  expect(await readPage(`${web.url}/zip`, parts)).toEqual({ unreadable: 'application/octet-stream' });
});
