import { beforeEach, describe, expect, it } from 'vitest';
import { settle } from '../../../../src/core/run.ts';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { Embedder } from '../../../../src/ports/models.ts';
import type { Collection } from '../../../../src/ports/stores.ts';
import { cosineOf } from '../../../../src/stages/retrieve/fuse.ts';
import { type RetrieveInput, retrievePassages } from '../../../../src/stages/retrieve/retrieve.ts';
import { type QdrantServer, useQdrantServer } from '../../../support/qdrant-server.ts';
import { chunk, everything } from '../../../support/store-contract.ts';
import { random } from '../../../../bench/manual.ts';
import { terms } from '../../../../src/text/terms.ts';

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

useQdrantServer((opened) => ({ server, home } = opened));
beforeEach(async () => {
  const writer = await (await open()).create({ name: 'manuals', provider: 'test', model: 'axes', dimensions: PARTS.length });
  await writer.upsert(CHUNKS);
  collection = (await (await open()).open('manuals'))!;
  await collection.searchAll!([{ text: 'unheard', limit: 1 }]); // reads the statistics of the words
  server.requests.length = 0;
});

async function ask(query: string, mode: RetrieveInput['mode'] = 'hybrid', filter?: RetrieveInput['filter']) {
  const { items, errors } = await settle(retrievePassages({ query, mode, top_k: 10, filter }, { collection, embedder }));
  expect(errors).toEqual([]);
  return items;
}

const requests = (): string[] => server.requests.splice(0).map(({ path }) => path.replace(/^.*\/points/, ''));

it('sends one request for ids and scores, one for uncached chunks, then one for the vectors that scoring needs', async () => {
  const first = await ask('the valve and the pump');
  expect(requests()).toEqual(['/query/batch', '/query/batch', '']);
  expect(await ask('the valve and the pump')).toEqual(first);
  const [searched, completed, ...more] = server.requests;
  expect(more).toEqual([]);
  expect(JSON.stringify(searched!.body)).not.toMatch(/with_(payload|vector)/);
  expect(JSON.stringify(completed!.body).match(/with_payload/g), 'the state alone').toHaveLength(1);
});

it('reads vectors only for chunks that need a new score', async () => {
  await ask('the valve and the pump');
  const { ids } = server.requests.at(-1)!.body as { ids: string[] };
  expect(ids).toHaveLength(30);
});

it('reads no vectors for a search in one arm', async () => {
  for (const mode of ['text', 'vector'] as const) {
    await ask('the valve and the pump', mode);
    expect(requests(), mode).toEqual(['/query/batch', '/query/batch']);
  }
});

it('returns cosines for text hits, with and without a vector search', async () => {
  const vector = axes('a hose');
  const text = { text: 'filter', vector, limit: 60 };
  for (const searches of [[text], [text, { vector, limit: 3 }]]) {
    const [hits] = await collection.searchAll!(searches);
    expect(hits!.length).toBeGreaterThan(20);
    for (const hit of hits!) expect(hit.cosine).toBeCloseTo(cosineOf(vector, axes(hit.chunk.text)), 5);
  }
});

it('finds nothing for a blank query, and no cosines for a vector of another length', async () => {
  const [none, found] = await collection.searchAll!([
    { text: ' ?!', limit: 5 },
    { text: 'filter', vector: Float32Array.of(1), limit: 5 },
  ]);
  expect([none, found!.length, found!.map(({ cosine }) => cosine)]).toEqual([[], 5, Array(5).fill(undefined)]);
});

it('returns the original vectors with a single search', async () => {
  const [hit] = await collection.search({ vector: axes('hose'), limit: 1 });
  expect(hit!.chunk).toEqual(CHUNKS.find(({ id }) => id === hit!.chunk.id));
});

it('repeats a search if another process writes between its two requests', async () => {
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

it('distinguishes chunks with one id in two successive collections of one name', async () => {
  await ask('the valve', 'text');
  const draft = await (await open()).draft({ ...collection.info, dimensions: 0 });
  await draft.collection.upsert(CHUNKS.map(({ vector: _, ...rest }) => ({ ...rest, text: `Anew: ${rest.text}` })));
  await draft.commit();
  for (const { text } of await ask('the valve', 'text')) expect(text).toMatch(/^Anew: /);
});

describe('the weights of words', () => {
  const WORDS = { name: 'words', provider: 'none', model: '', dimensions: 0 };
  const next = random(11);
  const generated = () => Array.from({ length: 3 + Math.floor(next() ** 2 * 60) }, () => `w${Math.floor(next() ** 3 * 300)}`).join(' ');
  const texts = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({ id: `${from + i}`, text: generated(), source: `${(from + i) % 40}.md`, metadata: {} }));
  const questions = Array.from(
    { length: 30 },
    () => `w${Math.floor(next() * 20)} w${Math.floor(next() * 300)} w${Math.floor(next() ** 2 * 300)}`,
  );

  /** BM25 over these texts alone, best first. */
  function ranked(chunks: readonly { id: string; text: string }[], question: string): [id: string, score: number][] {
    const counted = chunks.map(({ id, text }) => ({ id, words: terms(text) }));
    const average = counted.reduce((sum, { words }) => sum + words.length, 0) / counted.length;
    const scored = counted.map(({ id, words }): [string, number] => {
      const parts = [...new Set(terms(question))].map((term) => {
        const [count, holding] = [words.filter((word) => word === term).length, counted.filter((one) => one.words.includes(term)).length];
        const idf = Math.log(1 + (counted.length - holding + 0.5) / (holding + 0.5));
        return (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / average));
      });
      return [id, parts.reduce((sum, part) => sum + part, 0)];
    });
    return scored.filter(([, score]) => score > 0).toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }

  async function expectRanked(found: Collection, chunks: readonly { id: string; text: string }[]): Promise<void> {
    for (const question of questions) {
      const hits = await found.search({ text: question, limit: 1000 });
      const expected = ranked(chunks, question);
      expect(hits.map(({ chunk: { id } }) => id)).toEqual(expected.map(([id]) => id));
      for (const [i, [, score]] of expected.entries()) expect(hits[i]!.score).toBeCloseTo(score, 9);
    }
  }

  it('match the stored chunks after several writers, edits and deletions', async () => {
    const writer = await (await open()).create(WORDS);
    const other = (await (await open()).open('words'))!;
    const reader = (await (await open()).open('words'))!;
    let stored = texts(200);
    await writer.upsert(stored.slice(0, 120));
    await other.upsert(stored.slice(120));
    await expectRanked(reader, stored);
    const edited = stored.filter(({ source }) => source === '3.md').map((one, i) => ({ ...one, id: `edited ${i}`, text: generated() }));
    await writer.replace([
      { source: '3.md', isNew: false, chunks: edited },
      { source: 'new.md', isNew: true, chunks: texts(5, 500).map((one) => ({ ...one, source: 'new.md' })) },
    ]);
    stored = await everything(reader);
    expect(stored).toHaveLength(205);
    await expectRanked(reader, stored);
    await other.delete({ ids: stored.slice(0, 70).map(({ id }) => id) });
    await writer.delete({ source: '7.md' });
    await other.upsert([
      { ...stored[100]!, text: 'w1 w2' },
      { ...stored[101]!, text: '' },
    ]);
    stored = (await everything(reader)).filter((one) => one.text);
    await expectRanked(reader, stored);
    await other.delete({ ids: stored.map(({ id }) => id) });
    expect(await reader.search({ text: 'w1', limit: 9 })).toEqual([]);
    await writer.upsert(stored.slice(0, 20));
    await expectRanked(reader, stored.slice(0, 20));
  });

  it('are stored in few segments, each of which a reader loads once', async () => {
    const store = await open();
    const writer = await store.create(WORDS);
    for (let i = 0; i < 40; i++) await writer.upsert(texts(10, 10 * i).map((one) => ({ ...one, text: `${one.text} only${one.id}` })));
    const points = [...server.collections.values()].at(-1)!.points;
    expect([...points.values()].filter(({ payload }) => payload['written'] !== undefined)).toHaveLength(1);
    const reader = (await (await open()).open('words'))!;
    await reader.search({ text: 'w1', limit: 9 });
    server.requests.length = 0;
    await reader.search({ text: 'w2', limit: 9 });
    expect(requests()).toEqual(['/query/batch', '/query/batch']);
  });

  it('ignore the leftovers of a dead writer, which are removed a day later', async () => {
    const writer = await (await open()).create(WORDS);
    const stored = texts(50);
    await writer.upsert(stored);
    server.behaviour.disturb = ({ body }) => (JSON.stringify(body).includes('"kb":') ? 'cut' : undefined);
    const dying = (await (
      await openQdrant({ url: server.url, environment: { XDG_STATE_HOME: home }, retryLimits: { attempts: 1, firstWait: 0 } })
    ).open('words'))!;
    await expect(dying.upsert(texts(50, 100))).rejects.toThrow(/did not answer/);
    delete server.behaviour.disturb;
    await expectRanked((await (await open()).open('words'))!, stored);
    const points = [...server.collections.values()].at(-1)!.points;
    const segments = () => [...points.values()].filter(({ payload }) => payload['written'] !== undefined);
    await writer.optimize();
    expect(segments()).toHaveLength(2);
    for (const { payload } of segments()) payload['written'] = Date.now() - 25 * 3_600_000;
    await writer.optimize();
    expect(segments()).toHaveLength(1);
    await expectRanked(writer, stored);
  });

  it('are the same with one shard and with three', async () => {
    const stored = texts(300);
    const collections = [];
    for (const shard_number of [1, 3]) {
      const store = await openQdrant({ url: server.url, options: { shard_number }, environment: { XDG_STATE_HOME: home } });
      const made = await store.create({ ...WORDS, name: `shards-${shard_number}` });
      await made.upsert(stored);
      collections.push(made);
    }
    for (const question of questions) {
      const [one, three] = await Promise.all(collections.map((made) => made.search({ text: question, limit: 10 })));
      expect(three).toEqual(one);
    }
  });
});
