import { afterEach, expect, test } from 'vitest';
import type { ApiParts } from '../../../../src/stages/extract/api/api.ts';
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
  'pages by %s give every record once, and end at the last page',
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

test('stops at max_pages, and leaves the scope in doubt', async () => {
  const web = await site({ '/all': answering((query) => tickets(Number(query.get('page')) * 3 - 2, Number(query.get('page')) * 3)) });
  const found = await extract([web], { url: `${web.url}/all?page=7`, pagination: { type: 'page', param: 'page' }, max_pages: 2 });
  expect(valves(found)).toEqual(all(6));
  expect(found.notices).toEqual([`${web.url}/all: stopped at max_pages = 2; there may be more.`]);
  expect(web.hits.map(({ url }) => url)).toEqual(['/all?page=1', '/all?page=2']);
  expect(found.scopes).toEqual([]);
});

test('names lists of records in a response that are not read', async () => {
  const included = [
    { type: 'people', id: '9', attributes: { name: 'Ann' } },
    { type: 'comments', id: '5', attributes: { body: 'The gasket is brittle.' } },
  ];
  const web = await site({
    '/list': answering(() => ({ data: tickets(1, 3), included, meta: { tags: ['a', 'b'], counts: [{ n: 1 }, { n: 2 }] } })),
  });
  const { notices } = await extract([web], { url: `${web.url}/list`, pagination: { type: 'link', items_path: 'data' } });
  expect(notices).toEqual([expect.stringContaining('also holds "included" (2 entries), which is not read: items_path names "data" alone')]);
});

test('stops at a page without the list, and removes nothing because it may be a failure', async () => {
  const answers = [{ rows: tickets(1, 3) }, { total: 3 }];
  const web = await site({ '/all': answering((query) => answers[Number(query.get('page')) - 1]) });
  const found = await extract([web], { url: `${web.url}/all`, pagination: { type: 'page', param: 'page', items_path: 'rows' } });
  expect(valves(found)).toEqual(all(3));
  expect([found.errors, found.scopes]).toEqual([[], []]);
});

test('stops at a page that repeats an earlier one', async () => {
  const web = await site({ '/same': answering(() => tickets(1, 3)) });
  expect(valves(await extract([web], { url: `${web.url}/same`, pagination: { type: 'page', param: 'page' } }))).toEqual(all(3));
  expect(web.hits).toHaveLength(2);
});

test('keeps the pages before one that fails', async () => {
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

test('sends neither headers nor body to a page on another origin', async () => {
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

test('a scope covers the sources of its API only', async () => {
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

test.each([
  ['page', { type: 'page', param: 'page' }, { start: 3 }],
  ['offset', { type: 'offset', param: 'skip', size: 2 }, { start: 4 }],
] as const)('a failure amid pages by %s gives a retry input that reads the rest', async (...[, pagination, rest]) => {
  let fails = true;
  const at = (query: URLSearchParams) => (pagination.type === 'page' ? (Number(query.get('page')) - 1) * 2 : Number(query.get('skip')));
  const web = await site({
    '/list': (request, response) => {
      const from = at(new URL(request.url!, 'http://api').searchParams);
      if (from === 4 && fails) return response.writeHead(503, { 'retry-after': '0' }).end();
      const rows = tickets(from + 1, Math.min(7, from + 2)).map(({ body }) => body);
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(rows));
    },
  });
  const api = { url: `${web.url}/list`, pagination, max_pages: 10 };
  const found = await extract([web], api);
  expect(valves(found)).toEqual(all(4));
  expect(found.errors[0]!.retry_input).toMatchObject({ pagination: { ...pagination, ...rest }, max_pages: 8 });
  fails = false;
  const more = await extract([web], found.errors[0]!.retry_input as typeof api);
  expect(valves(more)).toEqual(['V5', 'V6', 'V7']);
  expect(more.scopes, 'what came before was not asked for').toEqual([]);
  const whole = await extract([web], api);
  const sources = (from: typeof found) => from.documents.map(({ source }) => source);
  expect([...sources(found), ...sources(more)]).toEqual(sources(whole));
  expect(whole.scopes).toHaveLength(1);
});

test('a failure after a cursor is retried from the beginning', async () => {
  const web = await site({
    '/list': (request, response) => {
      if (request.url!.includes('after=x')) response.writeHead(503, { 'retry-after': '0' }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ next: 'x', items: tickets(1, 2) }));
    },
  });
  const pagination = { type: 'cursor', param: 'after', cursor_path: 'next', items_path: 'items' } as const;
  const found = await extract([web], { url: `${web.url}/list`, params: { q: 'leak' }, pagination });
  expect(valves(found)).toEqual(all(2));
  expect(found.errors[0]).toMatchObject({ source: `${web.url}/list?q=leak#page=2`, retry_input: { pagination, params: { q: 'leak' } } });
});

test('says that there is more if max_pages cuts off pages by link', async () => {
  const web = await site({
    '/list': answering((query, response) => {
      const page = Number(query.get('page') ?? 1);
      response.setHeader('link', `</list?page=${page + 1}>; rel=next`);
      return tickets(page, page);
    }),
  });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'link' }, max_pages: 3 });
  expect(valves(found)).toEqual(all(3));
  expect(found.notices).toEqual([`${web.url}/list: stopped at max_pages = 3; there is more.`]);
});

test.each([
  ['a message alone', { message: 'Server is busy, try again' }, 'Server is busy, try again'],
  ['errors', { errors: [{ title: 'Internal error', detail: 'Shard 3 is down' }] }, 'Shard 3 is down'],
  ['an error beside an empty list', { rows: [], error: 'Shard 4 is down' }, 'Shard 4 is down'],
])('%s with a success status in the place of a page is an error that removes nothing', async (_what, body, text) => {
  for (const items_path of [undefined, 'rows']) {
    const rows = (list: unknown[]) => (items_path ? { rows: list } : list);
    const web = await site({ '/list': answering((query) => (query.get('page') === '1' ? rows(tickets(1, 3)) : body)) });
    const result = await extract([web], { url: `${web.url}/list`, pagination: { type: 'page', param: 'page', items_path } });
    expect([valves(result), result.scopes]).toEqual([all(3), []]);
    expect(result.errors).toMatchObject([{ source: `${web.url}/list#page=2`, error: expect.stringContaining(`"${text}"`) }]);
  }
});

test.each([
  ['says that there are no more', { error: 'No more results' }],
  ['says nothing', { total: 3 }],
])('an object without records that %s ends the pages with a notice, and removes nothing', async (_what, body) => {
  const web = await site({ '/list': answering((query) => (query.get('page') === '1' ? tickets(1, 3) : body)) });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'page', param: 'page' } });
  expect([valves(found), found.errors, found.scopes]).toEqual([all(3), [], []]);
  expect(found.notices).toEqual([expect.stringContaining('holds no records and was taken for the end')]);
});

test.each([
  ['page', { type: 'page', param: 'page' }],
  ['link', { type: 'link' }],
  ['cursor', { type: 'cursor', param: 'page', cursor_path: 'next', items_path: 'rows' }],
] as const)('a web page in the place of any page by %s is an error, and nothing of it is stored', async (type, pagination) => {
  for (const bad of [1, 2, 3]) {
    const web = await site({
      '/list': (request, response) => {
        const page = Number(new URL(request.url!, 'http://api').searchParams.get('page') ?? 1);
        if (page === bad)
          return response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<title>Guest network</title><p>Welcome. Accept the terms of use to go on.');
        const link = type === 'link' && page < 4 ? { link: `</list?page=${page + 1}>; rel=next` } : {};
        const rows = tickets(page, Math.min(page, 4));
        return response
          .writeHead(200, { 'content-type': 'application/json', ...link })
          .end(JSON.stringify(type === 'cursor' ? { rows, next: page < 4 ? page + 1 : null } : rows));
      },
    });
    const result = await extract([web], { url: `${web.url}/list`, pagination });
    expect([valves(result), result.scopes]).toEqual([all(bad - 1), []]);
    expect(result.errors).toMatchObject([{ isRetryable: true, error: expect.stringContaining('answered with a web page') }]);
  }
});

test('sends the key of an API with next links of its own origin only', async () => {
  const other = await site({ '/list': json([]) });
  const web = await site({
    '/list': answering((query, response) => {
      const page = Number(query.get('page') ?? 1);
      response.setHeader('link', `<${page === 1 ? '' : other.url}/list?page=${page + 1}>; rel=next`);
      return tickets(page, page);
    }),
  });
  const params = { api_key: 's3cret', lang: 'en' };
  const address = `${web.url.replace('//', '//ann:pa%20ss@')}/list`;
  await extract([web, other], { url: address, params, pagination: { type: 'link' } });
  const authorization = `Basic ${Buffer.from('ann:pa ss').toString('base64')}`;
  expect([...web.hits, ...other.hits].map(({ headers }) => headers.authorization)).toEqual([authorization, authorization, undefined]);
  expect(web.hits.map(({ url }) => url)).toEqual(['/list?api_key=s3cret&lang=en', '/list?page=2&api_key=s3cret']);
  expect(other.hits.map(({ url }) => url)).toEqual(['/list?page=3']);
});

test.each([
  ['page', { type: 'page', param: 'pg' }, '"pg"'],
  ['offset', { type: 'offset', param: 'skp', items_path: 'rows' }, '"skp"'],
] as [string, NonNullable<ApiParts['settings']['pagination']>, string][])(
  'a misspelt parameter for pages by %s gives a notice, and removes nothing',
  async (kind, pagination, named) => {
    const web = await site({
      '/list': answering((query) => {
        const at = Number(query.get(kind === 'page' ? 'page' : 'skip') ?? 0);
        return kind === 'page' ? tickets(1, 5) : { rows: tickets(at + 1, at + 5) };
      }),
    });
    const found = await extract([web], { url: `${web.url}/list`, pagination });
    expect(valves(found)).toEqual(all(5));
    expect(found.notices).toEqual([expect.stringContaining(named)]);
    expect(found.scopes).toEqual([]);
  },
);

const cursorAt = (cursor_path: string, more: object = {}) => ({
  pagination: { type: 'cursor', param: 'after', cursor_path, items_path: 'items', ...more } as const,
});

test.each([
  ['paging.nxt', { paging: { next: 'abc', total: 23 } }, 'paging.next'],
  ['pagination.next', { paging: { next: 'abc' } }, 'paging.next'],
  ['paging.next', { paging: { next: { after: 'abc' } } }, 'paging.next.after'],
  ['meta.cursor', { meta: { has_more: true } }, 'meta.has_more'],
])('rejects a response without a cursor at cursor_path %s, and names the existing fields', async (path, beside, there) => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), ...beside })) });
  const found = await extract([web], { url: `${web.url}/list`, ...cursorAt(path) });
  expect(found.errors).toEqual([expect.objectContaining({ error: expect.stringContaining(`cursor_path "${path}"`) })]);
  expect(found.errors[0]!.error).toContain(`The answer has ${there}`);
  expect([found.documents, found.scopes]).toEqual([[], []]);
});

test.each([
  ['null', 'next', { next: null }, {}],
  ['an empty text', 'next', { next: '' }, {}],
  ['null on the way', 'paging.next', { paging: null }, {}],
  ['an empty object on the way', 'paging.next', { paging: {} }, {}],
  ['fewer records than asked for', 'next', {}, { size_param: 'limit', size: 10 }],
  ['links to itself alone', '_links.next.href', { _links: { self: { href: '/list' } } }, {}],
  ['the format', '@odata.nextLink', { '@odata.context': '$metadata#Items' }, {}],
])('treats a first page as the only one because of %s', async (_name, path, beside, more) => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), ...beside })) });
  const found = await extract([web], { url: `${web.url}/list`, ...cursorAt(path, more) });
  expect([found.errors, found.notices]).toEqual([[], []]);
  expect(found.scopes).toHaveLength(1);
});

test('reads a first page without a cursor that counts several pages, and leaves the scope in doubt', async () => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), meta: { page: 1, pages: 3 } })) });
  const found = await extract([web], { url: `${web.url}/list`, ...cursorAt('meta.next_cursor') });
  expect([valves(found), found.errors, found.scopes]).toEqual([all(5), [], []]);
  expect(found.notices).toEqual([expect.stringContaining('has "meta.pages" but nothing at cursor_path "meta.next_cursor"')]);
});

test('leaves the scope in doubt if the first page mentions no cursor', async () => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), bookmark: 'abc' })) });
  const found = await extract([web], { url: `${web.url}/list`, ...cursorAt('bokmark') });
  expect(valves(found)).toEqual(all(5));
  expect(found.notices).toEqual([expect.stringContaining('cursor_path "bokmark"')]);
  expect(found.scopes).toEqual([]);
});

test.each([
  ['_links.next.href', { _links: { next: { href: '/list?at=5' } } }],
  ['@odata.nextLink', { '@odata.nextLink': '/list?at=5' }],
  ['pages', { page: 1, pages: 10 }],
  ['page.totalPages', { page: { size: 5, totalPages: 3, number: 0 } }],
  ['links.next.url', { links: { self: { url: '/list' }, next: { url: '/list?at=5' } } }],
])('leaves the scope in doubt if a response names a next page by %s instead of a Link header', async (named, beside) => {
  const web = await site({ '/list': answering(() => ({ _embedded: { items: tickets(1, 5) }, ...beside })) });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'link', items_path: '_embedded.items' } });
  expect(valves(found)).toEqual(all(5));
  expect(found.notices).toEqual([expect.stringContaining(`has "${named}" but no Link header`)]);
  expect(found.scopes).toEqual([]);
});

test.each([
  ['one page', { page: 1, pages: 1 }],
  ['no next page', { _links: { self: { href: '/list' }, next: null } }],
  ['pages of a book', { book: { title: 'T', pages: 320 } }],
])('treats a response with %s as the only page', async (_name, beside) => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), ...beside })) });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'link', items_path: 'items' } });
  expect([found.notices, found.scopes.length]).toEqual([[], 1]);
});

test('follows the address of the next page in the response', async () => {
  const web = await site({
    '/list': answering((query, _response, request) => {
      const page = Number(query.get('page') ?? 1);
      return {
        count: 6,
        next: page < 3 ? `http://${request.headers.host}/list?page=${page + 1}` : null,
        results: tickets(page * 2 - 1, page * 2),
      };
    }),
  });
  const pagination = { type: 'cursor', param: 'page', cursor_path: 'next', items_path: 'results' } as const;
  const found = await extract([web], { url: `${web.url}/list`, params: { api_key: 's3cret' }, headers: { 'X-Team': 'desk' }, pagination });
  expect([valves(found), found.errors, found.notices, found.scopes.length]).toEqual([all(6), [], [], 1]);
  expect(web.hits.map(({ url, headers }) => [url, headers['x-team']])).toEqual([
    ['/list?api_key=s3cret', 'desk'],
    ['/list?page=2&api_key=s3cret', 'desk'],
    ['/list?page=3&api_key=s3cret', 'desk'],
  ]);
});

test('leaves the scope in doubt if the response names a next page but has no Link header', async () => {
  const web = await site({ '/list': answering(() => ({ items: tickets(1, 5), next: '/list?at=5' })) });
  const found = await extract([web], { url: `${web.url}/list`, pagination: { type: 'link', items_path: 'items' } });
  expect(found.notices).toEqual([expect.stringContaining('"next" but no Link header')]);
  expect(found.scopes).toEqual([]);
});
