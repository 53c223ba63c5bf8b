import { parse } from 'yaml';
import { afterEach, expect, test } from 'vitest';
import { all, answering, apis, json, tickets, valves } from './apis.ts';

const { site, extract, close } = apis();
afterEach(close);

const pagination = { type: 'page', param: 'page', items_path: 'data.items' } as const;

test('makes a document of each record at items_path, and of nothing around them', async () => {
  const web = await site({
    '/list': json({ meta: { request_id: 'ENVELOPEWORD' }, data: { items: [{ id: 'a b', title: 'One', n: 1 }, { n: 2 }] } }),
  });
  const { documents } = await extract([web], { url: `${web.url}/list`, title: 'Things', pagination, max_pages: 1 });
  expect(documents.map(({ source, title, text }) => [source, title, text])).toEqual([
    [`${web.url}/list#record=a%20b`, 'One', '# One\n\n- id: a b\n- n: 1'],
    [`${web.url}/list#record=2`, 'Things 2', '- n: 2'],
  ]);
  expect(new Set(documents.map(({ id }) => id)).size).toBe(2);
});

test('records keep their source when they move to another page, and their hash while they are unchanged', async () => {
  let shift = 0;
  const web = await site({
    '/list': answering((query) => ({
      stamp: Math.random(),
      data: { items: tickets(1, 6).slice((Number(query.get('page')) - 1) * 3 + shift, Number(query.get('page')) * 3 + shift) },
    })),
  });
  const api = { url: `${web.url}/list`, pagination };
  const before = await extract([web], api);
  shift = 1;
  const after = await extract([web], api);
  expect(before.documents.slice(1).map(({ source }) => source)).toEqual(after.documents.map(({ source }) => source));
  expect(before.hashes.slice(1)).toEqual(after.hashes);
});

test('reads a repeated record once, and keeps different records with one id apart', async () => {
  const pages = [tickets(1, 3), [...tickets(3, 4), { id: 4, subject: 'Another', body: 'V5' }], []];
  const web = await site({ '/list': answering((query) => ({ data: { items: pages[Number(query.get('page')) - 1] } })) });
  const found = await extract([web], { url: `${web.url}/list`, pagination });
  expect(valves(found)).toEqual(all(5));
  expect(new Set(found.documents.map(({ source }) => source)).size).toBe(5);
});

test('lists the existing fields if items_path is missing', async () => {
  const web = await site({ '/list': json({ results: [1], total: 1 }) });
  const { errors } = await extract([web], { url: `${web.url}/list`, pagination });
  expect(errors).toEqual([expect.objectContaining({ stage: 'convert', error: expect.stringMatching(/data\.items.*results, total/) })]);
});

test('makes a document of each record without items_path if pages are lists', async () => {
  const web = await site({
    '/records': answering((query) => (query.get('page') === '1' ? tickets(1, 2) : [])),
    '/words': answering((query) => (query.get('page') === '1' ? ['a', 'b'] : [])),
    '/one': json(tickets(1, 2)),
  });
  const by = { pagination: { type: 'page', param: 'page' } as const };
  const { documents } = await extract([web], [{ url: `${web.url}/records`, ...by }, { url: `${web.url}/words`, ...by }, `${web.url}/one`]);
  expect(documents.map(({ source }) => source.slice(web.url.length))).toEqual(['/records#record=1', '/records#record=2', '/words', '/one']);
});

test('title_field names records, and another title_field changes their hash', async () => {
  const web = await site({ '/list': json({ rows: [{ id: 1, name: 'n', about: { short: 'About this' }, updated_at: '2026-02-03' }] }) });
  const api = { url: `${web.url}/list`, pagination: { type: 'link', items_path: 'rows' } as const };
  const [named, plain] = await Promise.all([extract([web], { ...api, title_field: 'about.short' }), extract([web], api)]);
  expect(named.documents[0]).toMatchObject({ title: 'About this', metadata: { modified: '2026-02-03' } });
  expect([plain.documents[0]!.title, plain.scopes.length]).toEqual(['n', 1]);
  expect(named.hashes).not.toEqual(plain.hashes);
});

test('items of a feed keep their sources and titles when a new item is inserted', async () => {
  const item = (n: number) =>
    `<item><title type="html">Post &lt;b&gt;${n}&lt;/b&gt;</title><guid isPermaLink="false">g${n}</guid><description>Body ${n}</description></item>`;
  const rss = (...numbers: number[]) => ({
    headers: { 'content-type': 'application/rss+xml' },
    body: `<rss version="2.0"><channel><title>Blog</title>${numbers.map(item).join('')}</channel></rss>`,
  });
  const web = await site({ '/feed': rss(2, 1) });
  const api = { url: `${web.url}/feed`, pagination: { type: 'link', items_path: 'channel.item' } as const };
  const before = await extract([web], api);
  web.routes['/feed'] = rss(3, 2, 1);
  const after = await extract([web], api);
  expect(after.documents.map(({ source }) => source)).toEqual([3, 2, 1].map((n) => `${web.url}/feed#record=g${n}`));
  expect([after.documents.slice(1).map(({ source }) => source), after.hashes.slice(1)]).toEqual([
    before.documents.map(({ source }) => source),
    before.hashes,
  ]);
});

test.each([
  ['a list "items"', 'items', { total: 3, items: tickets(1, 3) }],
  ['a list "data.list"', 'data.list', { data: { tags: ['a', 'b'], list: tickets(1, 3) }, links: [{ id: 1 }, { id: 2 }] }],
  ['a list "@graph"', '"@graph"', { '@graph': tickets(1, 3) }],
])(
  'an answer that holds %s and was asked for no records is one document, and a notice says how to read each',
  async (name, path, answer) => {
    const web = await site({ '/list': json(answer) });
    const found = await extract([web], `${web.url}/list`);
    expect(found.documents).toHaveLength(1);
    const meant = `{ type: link, items_path: ${path} }`;
    expect(found.notices).toEqual([
      `${web.url}/list: the answer holds ${name} of 3 objects, and all of it is one document. To read each of them as a document, set pagination of this API (ingestion.api.pagination) to ${meant}.`,
    ]);
    const each = await extract([web], { url: `${web.url}/list`, pagination: parse(meant) as { type: 'link' } });
    expect([each.documents.length, each.notices]).toEqual([3, []]);
  },
);

test('an answer that is a list of records is one document, and a notice says how to read each', async () => {
  const web = await site({ '/list': json(tickets(1, 2)) });
  const found = await extract([web], `${web.url}/list`);
  expect([found.documents.length, found.notices]).toEqual([
    1,
    [expect.stringMatching(/the answer is a list of 2 objects, .* to \{ type: link \}\.$/)],
  ]);
  expect((await extract([web], { url: `${web.url}/list`, pagination: { type: 'link' } })).documents).toHaveLength(2);
});

test.each([
  ['one record', { items: tickets(1, 1) }],
  [
    'objects that are no records',
    {
      hours: [
        { at: 1, rain: 3 },
        { at: 2, rain: 4 },
      ],
    },
  ],
  ['a list that is a small part', { title: 'Pump', text: 'It pumps water. '.repeat(20), parts: [{ id: 1 }, { id: 2 }] }],
  ['texts', ['a', 'b']],
])('an answer with %s is one document without a notice', async (_name, answer) => {
  const web = await site({ '/one': json(answer) });
  const found = await extract([web], `${web.url}/one`);
  expect([found.documents.length, found.notices]).toEqual([1, []]);
});
