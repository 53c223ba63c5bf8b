import { afterEach, expect, test } from 'vitest';
import type { ApiParts } from '../../../src/stages/extract/api.ts';
import { all, answering, apis, json, tickets, valves } from './apis.ts';

const { site, extract, close } = apis();
afterEach(close);

const size = 5;

test.each([
  [
    'page',
    { type: 'page', param: 'page' },
    (query) => tickets((Number(query.get('page')) - 1) * size + 1, Math.min(13, Number(query.get('page')) * size)),
    4,
  ],
  [
    'offset',
    { type: 'offset', param: 'skip', size_param: 'limit', size: 50, items_path: 'rows' },
    (query) => ({ rows: tickets(Number(query.get('skip')) + 1, Math.min(13, Number(query.get('skip')) + size)) }),
    4,
  ],
  [
    'cursor',
    { type: 'cursor', param: 'after', cursor_path: 'next.cursor', items_path: 'items' },
    (query) => {
      const at = Number(query.get('after') ?? 0);
      return { items: tickets(at + 1, Math.min(13, at + size)), next: at + size < 13 ? { cursor: String(at + size) } : null };
    },
    3,
  ],
  [
    'link',
    { type: 'link' },
    (query, response) => {
      const at = Number(query.get('at') ?? 0);
      if (at + size < 13) response.setHeader('link', `</tickets?at=0>; rel="first", </tickets?at=${at + size}>; title="a, b"; rel="next"`);
      return tickets(at + 1, Math.min(13, at + size));
    },
    3,
  ],
] as [string, NonNullable<ApiParts['settings']['pagination']>, Parameters<typeof answering>[0], number][])(
  'pages by %s bring every record once and end where they end',
  async (...[, pagination, give, requests]) => {
    const web = await site({ '/tickets': answering(give) });
    const found = await extract([web], { url: `${web.url}/tickets`, pagination });
    expect(found.errors).toEqual([]);
    expect(valves(found)).toEqual(all(13));
    expect(web.hits).toHaveLength(requests);
    expect(new Set(found.documents.map(({ source }) => source)).size).toBe(found.documents.length);
    expect(found.scopes).toHaveLength(1);
  },
);

test('pages end at max_pages, and what was not read whole has no scope', async () => {
  const web = await site({ '/all': answering((query) => tickets(Number(query.get('page')) * 3 - 2, Number(query.get('page')) * 3)) });
  const found = await extract([web], { url: `${web.url}/all?page=7`, pagination: { type: 'page', param: 'page' }, max_pages: 2 });
  expect(valves(found)).toEqual(all(6));
  expect(found.documents.map(({ source }) => source)).toEqual([`${web.url}/all`, `${web.url}/all#page=2`]);
  expect(web.hits.map(({ url }) => url)).toEqual(['/all?page=1', '/all?page=2']);
  expect(found.scopes).toEqual([]);
});

test('pages end where the list is missing, and what may be a failure in disguise is no reason to remove anything', async () => {
  const answers = [{ rows: tickets(1, 3) }, { error: 'too many requests' }];
  const web = await site({ '/all': answering((query) => answers[Number(query.get('page')) - 1]) });
  const found = await extract([web], { url: `${web.url}/all`, pagination: { type: 'page', param: 'page', items_path: 'rows' } });
  expect(valves(found)).toEqual(all(3));
  expect([found.errors, found.scopes]).toEqual([[], []]);
});

test('pages end at a page that repeats itself', async () => {
  const web = await site({ '/same': answering(() => tickets(1, 3)) });
  expect(valves(await extract([web], { url: `${web.url}/same`, pagination: { type: 'page', param: 'page' } }))).toEqual(all(3));
  expect(web.hits).toHaveLength(2);
});

test('pages that were read are kept when a later one fails', async () => {
  const web = await site({
    '/list': (request, response) => {
      if (request.url!.includes('page=2')) response.writeHead(500, { 'retry-after': '0' }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tickets(1, 3)));
    },
  });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'page', param: 'page' } });
  expect(valves(found)).toEqual(all(3));
  expect(found.errors).toEqual([
    expect.objectContaining({ source: `${web.url}/list#page=2`, stage: 'request', isRetryable: true, attempts: 2 }),
  ]);
  expect(found.scopes).toEqual([]);
});

test('pages on another origin get neither headers nor body', async () => {
  const other = await site({ '/more': json(tickets(2, 2)) });
  const web = await site({ '/list': json(tickets(1, 1), { link: `<${other.url}/more>; rel=next` }) });
  const api = {
    url: `${web.url}/list`,
    method: 'POST',
    headers: { Authorization: 'Bearer t' },
    body: { secret: 1 },
    pagination: { type: 'link' as const },
  };
  expect(valves(await extract([web, other], api))).toEqual(['V1', 'V2']);
  expect(web.hits[0]!.headers.authorization).toBe('Bearer t');
  expect(other.hits[0]).toMatchObject({ method: 'GET', body: '' });
  expect(other.hits[0]!.headers.authorization).toBeUndefined();
  expect((await extract([web], api)).errors).toEqual([
    expect.objectContaining({ isRetryable: false, error: expect.stringContaining('allow_private') }),
  ]);
});

test('a scope covers what was made of the API, and of no other', async () => {
  const web = await site({ '/list': json([1]) });
  const { scopes } = await extract([web], `${web.url}/list`);
  const covers = (path: string) => scopes[0]!(web.url + path);
  expect([covers('/list'), covers('/list#page=2'), covers('/list#record=9'), covers('/list?x=1'), covers('/lists')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
