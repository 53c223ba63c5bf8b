import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { extractApi } from '../../../../src/stages/extract/api/api.ts';
import { answering, apis, json, settings, tickets } from './apis.ts';
import { gathered, openDoor } from '../fetching.ts';
import { plainReader } from '../plain-reader.ts';

const { site, extract, close } = apis();
afterEach(close);

test('APIs with one address and different headers have different sources, whatever their credentials', async () => {
  const web = await site({
    '/a': answering((_query, _response, { headers }) => ({ title: headers['accept-language'] ?? headers['x-tenant'] })),
  });
  const url = `${web.url}/a`;
  const ask = (headers: Record<string, string>) => ({ url, headers });
  const { documents, errors } = await extract(
    [web],
    [ask({ 'Accept-Language': 'de' }), ask({ 'accept-language': 'en' }), ask({ 'X-Tenant': 't' })],
  );
  expect([documents.map(({ title }) => title), errors]).toEqual([['de', 'en', 't'], []]);
  expect(new Set(documents.map(({ source }) => source)).size).toBe(3);
  for (const { source } of documents) expect(source).toMatch(/\/a#headers=[0-9a-f]{8}$/);
  const alone = await extract([web], ask({ 'Accept-Language': 'de' }));
  expect(alone.documents[0]!.source).toBe(url);
  expect(alone.scopes[0]!(documents[0]!.source), 'those of a batch are none of its own').toBe(false);
  const { scopes } = await extract([web], [ask({ 'Accept-Language': 'de' }), ask({ 'accept-language': 'en' })]);
  for (const before of [url, `${url}#record=1`])
    expect(
      scopes.map((covers) => covers(before)),
      'what was stored before there was a second one is the first one’s',
    ).toEqual([true, false]);
  expect(scopes.map((covers) => covers(documents[1]!.source))).toEqual([false, true]);
});

test.each([
  ['header', { headers: { Authorization: 'Bearer one' } }, { headers: { authorization: 'Bearer s3cret' } }],
  ['parameter', { params: { token: 'one' } }, { params: { token: 's3cret' } }],
])('reads only the first of two APIs that differ only by credentials in a %s, and reports the other', async (_name, one, other) => {
  const web = await site({ '/a': json({ n: 1 }) });
  const url = `${web.url}/a`;
  const found = await extract(
    [web],
    [
      { url, ...one },
      { url, ...other },
    ],
  );
  expect(found.documents).toHaveLength(1);
  expect(found.errors).toEqual([
    expect.objectContaining({ source: url, stage: 'validate', error: expect.stringContaining('only the credentials different') }),
  ]);
  expect([web.hits.length, JSON.stringify(found).includes('s3cret')]).toEqual([1, false]);
});

test('gives the same documents for an API that is named twice', async () => {
  const web = await site({ '/a': json({ n: 1 }) });
  const api = { url: `${web.url}/a`, headers: { 'X-Team': 'desk', 'X-Api-Key': 'k' } };
  const { documents, errors } = await extract([web], [api, { ...api }]);
  expect([new Set(documents.map(({ source }) => source)), errors]).toEqual([new Set([api.url]), []]);
});

test('a refused page after the last one is the end, an uncertain one if the response does not mention pages', async () => {
  const refusing = (status: number, body: unknown) =>
    site({
      '/list': (request, response) => {
        const isThere = /page=[12]$/.test(request.url!);
        response.writeHead(isThere ? 200 : status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isThere ? [{ id: request.url!.at(-1) }] : body));
      },
    });
  const pagination = { type: 'page', param: 'page' } as const;
  for (const [status, body, sure] of [
    [404, { detail: 'Invalid page.' }, true],
    [400, { code: 'rest_post_invalid_page_number', message: 'The page number requested is larger than …' }, true],
    [422, { message: 'Only the first 1000 results are available' }, false],
    [404, {}, false],
    [404, { message: 'Page not found' }, false],
    [400, { message: 'page is out of range: at most 2 pages may be asked for, narrow your search' }, false],
  ] as const) {
    const web = await refusing(status, body);
    const found = await extract([web], { url: `${web.url}/list`, pagination });
    expect([found.documents.length, found.errors, found.scopes.length]).toEqual([2, [], sure ? 1 : 0]);
    expect(found.notices).toEqual(
      sure ? [] : [`${web.url}/list: page 3 was answered with status ${status}; that was taken for the end, and there may be more.`],
    );
  }
});

test('a refused first page is an error, and so is a refused page of a link', async () => {
  const web = await site({ '/list': { status: 404 }, '/first': json([{ id: 1 }], { link: '</list>; rel=next' }) });
  const first = await extract([web], { url: `${web.url}/list`, pagination: { type: 'page', param: 'page' } });
  const linked = await extract([web], { url: `${web.url}/first`, pagination: { type: 'link' } });
  expect([first.errors.length, linked.errors.length, linked.documents.length]).toEqual([1, 1, 1]);
});

test('reports a response that consists of an error, whatever its status, with its message', async () => {
  const web = await site({
    '/busy': json({ error: { message: 'rate limit exceeded' } }),
    '/graph': json({ errors: [{ message: 'Unknown field "x"' }], data: null }),
  });
  const { documents, errors, scopes } = await gathered(
    extractApi([`${web.url}/busy`, { url: `${web.url}/graph`, pagination: { type: 'link', items_path: 'data.items' } }], {
      http: openDoor([web]),
      reader: plainReader(),
      settings,
    }),
  );
  expect([documents, scopes]).toEqual([[], []]);
  expect(errors.map(({ error, stage, isRetryable }) => [error, stage, isRetryable])).toEqual([
    [expect.stringContaining('success status: "rate limit exceeded"'), 'convert', true],
    [expect.stringContaining('"Unknown field "x""'), 'convert', false],
  ]);
});

test('reads a list of errors as records if items_path names it', async () => {
  const errors = [
    { code: 'E1', title: 'Pump blocked', description: 'Open the lid.' },
    { code: 'E2', title: 'No water', description: 'Fill it.' },
  ];
  const web = await site({ '/errors': json({ errors }), '/none': json({ errors: [], error: 'Broken' }) });
  const pagination = { type: 'link', items_path: 'errors' } as const;
  const found = await extract(
    [web],
    ['/errors', '/none'].map((path) => ({ url: web.url + path, pagination })),
  );
  expect(found.documents.map(({ title }) => title)).toEqual(['Pump blocked', 'No water']);
  expect(found.errors).toEqual([expect.objectContaining({ error: expect.stringContaining('"Broken"') })]);
});

test('announces as many documents as it yields documents and failures', async () => {
  const web = await site({
    '/list': answering((query) => tickets(Number(query.get('page')) * 2 - 1, Math.min(3, Number(query.get('page')) * 2))),
    '/lines': { headers: { 'content-type': 'application/x-ndjson' }, body: '{"id":1}\n{"id":\n' },
  });
  const input = [{ url: `${web.url}/list`, pagination: { type: 'page' as const, param: 'page' } }, `${web.url}/lines`, `${web.url}/gone`];
  let told = 0;
  let came = 0;
  for await (const item of extractApi(input, { http: openDoor([web]), reader: plainReader(), settings })) {
    if ('expected' in item) told += item.expected;
    if ('candidate' in item || 'error' in item) expect(++came).toBeLessThanOrEqual(told);
  }
  expect([told, came]).toEqual([6, 6]);
});

test('APIs of different origins are read at the same time, those of one origin one after another, and documents come in the order of the input', async () => {
  const other = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  const slow = async (title: string, wait: Promise<unknown>) => {
    most = Math.max(most, ++running);
    await wait;
    running--;
    return { title };
  };
  const reply = (response: ServerResponse, value: unknown) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const one = await site({
    '/a': async (_request, response) => reply(response, await slow('a', other.promise)), // only when the other origin was asked
    '/b': async (_request, response) => reply(response, await slow('b', setTimeout(20))),
  });
  const two = await site({ '/c': (_request, response) => (other.resolve(), reply(response, { title: 'c' })) });
  const { documents, errors } = await extract([one, two], [`${one.url}/a`, `${one.url}/b`, `${two.url}/c`]);
  expect([documents.map(({ title }) => title), errors, most]).toEqual([['a', 'b', 'c'], [], 1]);
});

test('more APIs than are read at once are all read, and a run that is given up ends', async () => {
  const webs = await Promise.all(Array.from({ length: 20 }, (_, i) => site({ '/x': json({ title: `T${i}` }) })));
  const input = webs.map(({ url }) => `${url}/x`);
  expect((await extract(webs, input)).documents.map(({ title }) => title)).toEqual(webs.map((_, i) => `T${i}`));
  for await (const item of extractApi(input, { http: openDoor(webs), reader: plainReader(), settings })) if ('candidate' in item) break;
  expect(webs.at(-1)!.hits).toHaveLength(1);
});
