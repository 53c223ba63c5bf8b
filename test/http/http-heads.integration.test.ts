import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { doorkeeper, failure, text } from './door.ts';

const { site, door, close } = doorkeeper();
afterEach(close);

test('a redirect that is not followed is returned with its target', async () => {
  const web = await site({
    '/a': { status: 302, headers: { location: '/b' }, body: 'moved' },
    '/b': 'b',
    '/gone': { status: 410 },
    '/odd': { status: 301 },
  });
  const http = door([web]);
  const answer = await http.request(`${web.url}/a`, { redirect: 'manual' });
  expect(answer).toMatchObject({ url: `${web.url}/a`, status: 302, headers: { location: '/b' } });
  expect(answer.bytes).toHaveLength(0);
  expect(web.hits.map(({ url }) => url)).toEqual(['/a']);
  expect((await http.request(`${web.url}/b`, { redirect: 'manual' })).status).toBe(200);
  expect(await failure(http.request(`${web.url}/gone`, { redirect: 'manual' }))).toMatchObject({ code: 'not_found' });
  expect(await failure(http.request(`${web.url}/odd`))).toMatchObject({ code: 'invalid' });
});

test('an unwanted body is not loaded, and the connection is reused', async () => {
  let sent = 0;
  const film = async (_request: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    const closed = new Promise((done) => response.once('close', done));
    while (!response.destroyed && sent < 100_000_000) {
      sent += 65_536;
      if (!response.write(Buffer.alloc(65_536))) await Promise.race([new Promise((done) => response.once('drain', done)), closed]);
    }
    response.end();
  };
  const web = await site({
    '/film': film,
    '/page': { headers: { 'content-type': 'text/html; charset=utf-8', 'x-robots-tag': 'none' }, body: 'page' },
  });
  const http = door([web]);
  const heads: unknown[] = [];
  const reads = ({
    url,
    status,
    content_type,
    charset,
    headers,
  }: {
    url: string;
    status: number;
    content_type: string;
    charset: string | undefined;
    headers: object;
  }) => {
    heads.push([new URL(url).pathname, status, content_type, charset, 'x-robots-tag' in headers]);
    return content_type === 'text/html';
  };
  expect((await http.request(`${web.url}/film`, { readsBody: reads })).bytes).toHaveLength(0);
  expect(text(await http.request(`${web.url}/page`, { readsBody: reads }))).toBe('page');
  expect(heads).toEqual([
    ['/film', 200, 'video/mp4', undefined, false],
    ['/page', 200, 'text/html', 'utf-8', true],
  ]);
  expect(sent).toBeLessThan(100_000_000);
});
