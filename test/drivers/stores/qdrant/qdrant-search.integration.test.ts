import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settle } from '../../../../src/core/run.ts';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { Embedder } from '../../../../src/ports/models.ts';
import type { Collection } from '../../../../src/ports/stores.ts';
import { cosineOf } from '../../../../src/stages/retrieve/rescore.ts';
import { retrievePassages, type RetrieveInput } from '../../../../src/stages/retrieve/retrieve.ts';
import { openQdrantServer, type QdrantServer } from '../../../support/qdrant-server.ts';
import { chunk } from '../../../support/store-contract.ts';

const PARTS = ['valve', 'pump', 'hose', 'filter'];
const axes = (text: string): Float32Array => Float32Array.from(PARTS, (word) => text.split(word).length - 0.5);
const embedder: Embedder = {
  provider: 'test',
  model: 'axes',
  dimensions: PARTS.length,
  concurrency: 1,
  min_retrieval_score: 0,
  embed: async (texts) => texts.map(axes),
  close: async () => {},
};
const CHUNKS = Array.from({ length: 60 }, (_, i) => {
  const text = `Page ${i} on the ${PARTS[i % 4]} and on the ${PARTS[(i >> 2) % 4]}, which wears.`;
  return chunk(`${i}`, { text, source: `${i % 6}.md`, vector: axes(text), chunk_count: 10 });
});

let server: QdrantServer;
let home: string;
let collection: Collection;
const open = async () => openQdrant({ url: server.url, environment: { XDG_STATE_HOME: home } });

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'kb-qdrant-'));
  server = await openQdrantServer();
  const writer = await (await open()).create({ name: 'manuals', provider: 'test', model: 'axes', dimensions: PARTS.length });
  await writer.upsert(CHUNKS);
  collection = (await (await open()).open('manuals'))!;
  server.requests.length = 0;
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

async function ask(query: string, mode: RetrieveInput['mode'] = 'hybrid', filter?: RetrieveInput['filter']) {
  const { items, errors } = await settle(retrievePassages({ query, mode, top_k: 10, filter }, { collection, embedder }));
  expect(errors).toEqual([]);
  return items;
}

const requests = (): string[] => server.requests.splice(0).map(({ path }) => path.replace(/^.*\/points/, ''));

it('asks once for what is found and once for what is not known of it, then for the vectors that scores need', async () => {
  const first = await ask('the valve and the pump');
  expect(requests()).toEqual(['/query/batch', '/query/batch', '']);
  expect(await ask('the valve and the pump')).toEqual(first);
  const [searched, completed, ...more] = server.requests;
  expect(more).toEqual([]);
  expect(JSON.stringify(searched!.body)).not.toMatch(/with_(payload|vector)/);
  expect(JSON.stringify(completed!.body).match(/with_payload/g), 'the state alone').toHaveLength(1);
});

it('asks for the vectors of no more chunks than are scored anew', async () => {
  await ask('the valve and the pump');
  const { ids } = server.requests.at(-1)!.body as { ids: string[] };
  expect(ids).toHaveLength(30);
});

it('asks for no vectors where one way of searching is enough', async () => {
  for (const mode of ['text', 'vector'] as const) {
    await ask('the valve and the pump', mode);
    expect(requests(), mode).toEqual(['/query/batch', '/query/batch']);
  }
});

it('tells the cosines of what words find, with and without a search for the nearest', async () => {
  const vector = axes('a hose');
  const text = { text: 'filter', vector, limit: 60 };
  for (const searches of [[text], [text, { vector, limit: 3 }]]) {
    const [hits] = await collection.searchAll!(searches);
    expect(hits!.length).toBeGreaterThan(20);
    for (const hit of hits!) expect(hit.cosine).toBeCloseTo(cosineOf(vector, axes(hit.chunk.text)), 5);
  }
});

it('finds nothing for a blank question, and no cosines for a vector of another length', async () => {
  const [none, found] = await collection.searchAll!([
    { text: ' ?!', limit: 5 },
    { text: 'filter', vector: Float32Array.of(1), limit: 5 },
  ]);
  expect([none, found!.length, found!.map(({ cosine }) => cosine)]).toEqual([[], 5, Array(5).fill(undefined)]);
});

it('brings along the vectors of a single search, as they were given', async () => {
  const [hit] = await collection.search({ vector: axes('hose'), limit: 1 });
  expect(hit!.chunk).toEqual(CHUNKS.find(({ id }) => id === hit!.chunk.id));
});

it('searches again where another writes between its two requests', async () => {
  const writer = (await (await open()).open('manuals'))!;
  await ask('the valve', 'text');
  const table = [...server.collections.values()][0]!;
  const before = new Map(table.points);
  await writer.replace([{ source: '0.md', isNew: false, chunks: [{ ...CHUNKS[0]!, text: 'All on the valve.' }] }]);
  await writer.optimize();
  const after = new Map(table.points);
  const show = (points: typeof before) => {
    table.points.clear();
    for (const [id, point] of points) table.points.set(id, point);
  };
  show(before);
  await ask('the valve', 'text'); // learns that state again
  let asked = 0;
  server.behaviour.disturb = ({ path }) => {
    if (path.endsWith('/batch') && ++asked === 2) show(after);
    return undefined;
  };
  const items = await ask('the valve', 'text', { source: { in: ['0.md', '1.md'] } });
  expect(asked).toBe(4);
  expect(items.filter(({ metadata }) => metadata['source'] === '0.md').map(({ text }) => text)).toEqual(['All on the valve.']);
});

it('keeps apart what two collections of one name hold under one id', async () => {
  await ask('the valve', 'text');
  const draft = await (await open()).draft({ ...collection.info, dimensions: 0 });
  await draft.collection.upsert(CHUNKS.map(({ vector: _, ...rest }) => ({ ...rest, text: `Anew: ${rest.text}` })));
  await draft.commit();
  for (const { text } of await ask('the valve', 'text')) expect(text).toMatch(/^Anew: /);
});
