import { expect, it } from 'vitest';
import { folder } from '../support/folder.ts';
import { serveIn, type Served } from '../support/server.ts';
import { longestStretch } from '../support/turns.ts';

const many = <Entry>(count: number, entry: (i: number) => Entry): Entry[] => Array.from({ length: count }, (_, i) => entry(i));
const storage = { collection: 'harbor' };

/** Bodies at the bounds of their operations, in shapes that once kept the server from everything else. A function makes one of a size. */
const BODIES: [string, string, (size: number) => unknown][] = [
  ['texts of one source', '/v1/pipelines/ingest', (size) => ({ storage, markdown: many(size, (i) => ({ text: `t ${i}`, source: 's' })) })],
  ['texts', '/v1/pipelines/ingest', (size) => ({ storage, markdown: many(size, (i) => ({ text: `t ${i}`, source: `s${i}` })) })],
  ['refused pages', '/v1/pipelines/ingest', (size) => ({ storage, urls: many(size / 10, (i) => `http://127.0.0.1:9/${i}`) })],
  ['refused APIs', '/v1/ingest/api', (size) => ({ apis: many(size / 10, (i) => ({ url: `http://127.0.0.1:9/${i}` })) })],
  ['parameters', '/v1/ingest/url', (size) => ({ url: many(size / 20, (i) => `http://127.0.0.1:9/?${'a=b&'.repeat(2_000)}${i}`) })],
  ['globs', '/v1/ingest/docs', (size) => ({ files: many(size / 10, (i) => `**/*${i}.md`) })],
  ['documents with metadata', '/v1/chunk', (size) => ({ markdown: many(size, (a) => ({ text: 'a', source: `s${a}`, metadata: { a } })) })],
  [
    'vectors of another length',
    '/v1/store',
    (size) => ({ embedded_chunks: many(size, (i) => ({ id: `${i}`, text: 'a', embedding: [1] })) }),
  ],
  ['unknown chunks', '/v1/edit', (size) => ({ chunks: many(size, (i) => ({ id: `x${i}`, text: 'a' })) })],
  ['unknown ids', '/v1/delete', (size) => ({ ids: many(size, (i) => `x${i}`) })],
  ['too many ids', '/v1/delete', (size) => ({ ids: many(size * 20, (i) => `x${i}`) })],
  ['values of a filter', '/v1/retrieve', (size) => ({ query: 'a', filter: { source: { in: many(size / 2, (i) => `s${i}`) } } })],
  ['keys', '/v1/retrieve', (size) => ({ query: 'a', ...Object.fromEntries(many(size * 5, (i) => [`k${i}`, 1])) })],
  ['a long key', '/v1/retrieve', (size) => ({ query: 'a', ['k'.repeat(size * 50)]: 1 })],
  ['a long query', '/v1/retrieve', (size) => ({ query: '漢字 '.repeat(size), mode: 'text' })],
  ['a long history', '/v1/chat', (size) => ({ query: 'and that?', history: many(size, () => ({ role: 'user', content: 'a'.repeat(4) })) })],
];
const [SMALL, LARGE] = [40, 20_000];

async function send({ url }: Served, path: string, body: string): Promise<void> {
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  for await (const _bytes of response.body!);
  expect([200, 400, 404, 413, 422]).toContain(response.status);
}

/** A text that takes as long to parse as an honest large request: the longest stretch is compared with it, so that the speed of the machine does not matter. */
const HONEST = JSON.stringify(many(100_000, (i) => ({ id: `${i}`, text: 'The pump stops.', metadata: { page: i } })));

it('no body keeps the server from others for much longer than it takes to parse a large one', { timeout: 300_000 }, async () => {
  const served = await serveIn(folder(), { settings: { embedding: { provider: 'none' } } });
  const honest = await longestStretch(async () => JSON.parse(HONEST));
  const stretches: Record<string, number> = {};
  for (const [name, path, body] of BODIES) {
    await send(served, path, JSON.stringify(body(SMALL))); // loads what the operation needs
    const text = JSON.stringify(body(LARGE));
    const stretch = await longestStretch(() => send(served, path, text));
    if (stretch > 5 * honest) stretches[name] = Math.round(stretch / honest);
  }
  expect(stretches).toEqual({});
});

/** What a reader may ask about a stored document. */
const READINGS = ['?heading=zzz', '?heading=a', '?lines=900000-900001', ''];

it(
  'no stored document keeps the server from others for much longer than it takes to parse a large request',
  { timeout: 300_000 },
  async () => {
    const served = await serveIn(folder(), { settings: { embedding: { provider: 'none' }, chunking: { chunk_size: 20_000 } } });
    const honest = await longestStretch(async () => JSON.parse(HONEST));
    const text = '# a\n\n'.repeat(1_400_000);
    const ingested = await fetch(`${served.url}/v1/pipelines/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ storage, markdown: [{ text, source: 'a.md' }] }),
    });
    expect(await ingested.json()).toMatchObject({ sources: 1, stored: expect.any(Number) });
    const stretches: Record<string, number> = {};
    for (const query of READINGS) {
      const stretch = await longestStretch(async () => {
        const response = await fetch(`${served.url}/v1/collections/harbor/sources/a.md${query}`);
        expect(response.status, query).toBe(query.endsWith('zzz') ? 404 : 200);
        for await (const _bytes of response.body!);
      });
      if (stretch > 5 * honest) stretches[query] = Math.round(stretch / honest);
    }
    expect(stretches).toEqual({});
  },
);

it('makes a bounded number of chunks of a document, and says what to do', { timeout: 300_000 }, async () => {
  const { url } = await serveIn(folder(), { settings: { embedding: { provider: 'none' } } });
  const markdown = [
    { text: '# a\n\nb\n\n'.repeat(250_001), source: 'a.md' },
    { text: 'The pump stops.', source: 'b.md' },
  ];
  const response = await fetch(`${url}/v1/pipelines/ingest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ storage, markdown, chunking: { chunk_size: 50, chunk_overlap: 0, min_chunk_length: 0 } }),
  });
  const result = await response.text();
  expect(result).toContain('a.md gives more than 250,000 chunks, the most that a server makes of one document.');
  expect(JSON.parse(result)).toMatchObject({ stored: 1 });
});
