import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KbError } from '../../../src/core/errors.ts';
import { collect, settle } from '../../../src/core/run.ts';
import { drivers } from '../../../src/drivers/registry.ts';
import { openLanceDb } from '../../../src/drivers/stores/lancedb/lancedb.ts';
import { ownTerms } from '../../../src/text/terms.ts';
import { longestStretch } from '../../support/turns.ts';
import type { Embedder, Reranker } from '../../../src/ports/models.ts';
import type { Collection, StoredChunk, VectorStore } from '../../../src/ports/stores.ts';
import { retrievePassages, type RetrieveInput } from '../../../src/stages/retrieve/retrieve.ts';

/** Meanings, an axis each. */
const MEANINGS = [/vacation|leave|holiday/gi, /filter|cartridge/gi, /pump|motor/gi, /error|ERR-/gi, /paint|chapel/gi];

/** A vector of what a text is about: a little of everything, so that none is without a direction. */
function meaning(text: string): Float32Array {
  const counts = MEANINGS.map((words) => 0.1 + (text.match(words)?.length ?? 0));
  const length = Math.hypot(...counts);
  return Float32Array.from(counts, (count) => count / length);
}

const embedder: Embedder = {
  provider: 'test',
  model: 'meanings',
  dimensions: MEANINGS.length,
  concurrency: 1,
  min_retrieval_score: 0.5,
  coverage: (text) => (/\p{Script=Han}/u.test(text) ? 0 : 1),
  embed: async (texts) => texts.map(meaning),
  close: async () => {},
};

const chunk = (id: string, text: string, metadata: StoredChunk['metadata'] = {}): StoredChunk => ({
  id,
  text,
  source: `${id}.md`,
  metadata,
  vector: meaning(text),
});

const manuals = [
  chunk('filter', 'The filter cartridge is replaced every 90 days.', { team: 'service' }),
  chunk('pump', 'The pump stops when its motor is hot.', { team: 'service' }),
  chunk('leave', 'Everyone has 28 days of paid leave a year.', { team: 'people' }),
  chunk('canteen', 'The canteen closes at two.', { team: 'people' }),
  chunk('chinese', '过滤器每九十天更换一次。'),
  { ...chunk('twin-b', 'The gate is  locked at ten.'), source: 'copy.md' },
  chunk('twin-a', 'The gate is locked at ten.'),
];
const codes = Array.from({ length: 250 }, (_, i) => `ERR-${4000 + i}`);
const errorPages = codes.map((code) =>
  chunk(code, `When the display shows ${code}, the controller has stopped the pump. Call the service and read out the error.`),
);

let folder: string;
let store: VectorStore;
let base: Collection;
let errors: Collection;
let wordsOnly: Collection;

async function fill(name: string, dimensions: number, chunks: StoredChunk[]): Promise<Collection> {
  const collection = await store.create({ name, provider: dimensions ? 'test' : 'none', model: dimensions ? 'meanings' : '', dimensions });
  await collection.upsert(dimensions ? chunks : chunks.map(({ vector: _vector, ...rest }) => rest));
  await collection.optimize();
  return collection;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kb-test-'));
  store = await openLanceDb({ url: folder });
  base = await fill('base', MEANINGS.length, manuals);
  errors = await fill('errors', MEANINGS.length, errorPages);
  wordsOnly = await fill('words', 0, manuals);
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const ask = (
  query: string,
  input: Partial<RetrieveInput> = {},
  parts: { collection?: Collection; reranker?: Reranker; embedder?: Embedder; signal?: AbortSignal } = {},
) => settle(retrievePassages({ query, mode: 'hybrid', top_k: 10, ...input }, { collection: base, embedder, ...parts }));

const MODES = ['hybrid', 'vector', 'text'] as const;

test.each(MODES)('searches for a misspelt word in the spelling of the collection, in mode %s', async (mode) => {
  const { query, search_query, items } = await ask('how often is the fitler cartridge replaced', { mode });
  expect({ query, search_query }).toEqual({
    query: 'how often is the fitler cartridge replaced',
    search_query: 'how often is the filter cartridge replaced',
  });
  expect(items[0]!.id).toBe('filter');
  expect(items).toEqual((await ask('how often is the filter cartridge replaced', { mode })).items);
});

test('keeps the results of the original query if the corrected one is refused', async () => {
  const asked = 'how often is the fitler cartridge replaced';
  const failing: Embedder = {
    ...embedder,
    embed: async (texts) => {
      if (texts.some((text) => text.includes('filter'))) throw new KbError('invalid', 'Refused.');
      return texts.map(meaning);
    },
  };
  const { search_query, items, errors: failures } = await ask(asked, { mode: 'vector' }, { embedder: failing });
  expect({ search_query, failures, first: items[0]!.id }).toEqual({ search_query: asked, failures: [], first: 'filter' });
});

test('an item has its text, source and score, and explanations only on request', async () => {
  const result = await ask('filter cartridge', { top_k: 1 });
  const [item] = result.items;
  expect(result).toEqual({
    query: 'filter cartridge',
    search_query: 'filter cartridge',
    retrieved: 1,
    failed: 0,
    errors: [],
    items: [item],
  });
  expect(item).toEqual({
    id: 'filter',
    chunk_id: 'filter',
    text: 'The filter cartridge is replaced every 90 days.',
    metadata: { team: 'service', source: 'filter.md' },
    score: expect.any(Number),
  });
});

test('scores are between 0 and 1 and decrease with the rank in every mode', async () => {
  for (const mode of MODES) {
    for (const query of ['filter cartridge', 'paid leave', 'pump', 'what is the weather', '过滤器']) {
      const scores = (await ask(query, { mode })).items.map(({ score }) => score);
      expect(scores, `${mode} ${query}`).toEqual(scores.toSorted((a, b) => b - a));
      for (const score of scores) expect(score >= 0 && score <= 1, `${mode} ${query}: ${score}`).toBe(true);
    }
  }
});

test('an answerable question scores higher than an unanswerable one in every mode', async () => {
  for (const mode of MODES) {
    const best = async (query: string) => (await ask(query, { mode })).items[0]?.score ?? 0;
    expect(await best('how often is the filter cartridge replaced'), mode).toBeGreaterThan(
      await best('who painted the Sistine chapel in Rome'),
    );
  }
});

test('vector search finds by meaning without shared words, with scores proportional to the cosines', async () => {
  const { items } = await ask('vacation', { mode: 'vector', explain: true });
  expect(items[0]!.id).toBe('leave');
  const cosine = ({ explain }: (typeof items)[number]) => (explain!.vector as { score: number }).score;
  for (const item of items) expect(item.score / items[0]!.score).toBeCloseTo(cosine(item) / cosine(items[0]!), 5);
});

test('the score of the best hit is the same in every mode, like its cosine and its words', async () => {
  for (const query of ['how often is the filter cartridge replaced', 'days of paid leave a year']) {
    const [hybrid, vector, text] = await Promise.all(MODES.map(async (mode) => (await ask(query, { mode })).items[0]!));
    for (const item of [vector, text]) expect([item!.id, item!.score]).toEqual([hybrid!.id, expect.closeTo(hybrid!.score, 5)]);
    const { items } = await ask(query, { mode: 'text' }, { embedder: undefined });
    expect(items[0]!.score, 'by words alone').not.toBeCloseTo(hybrid!.score, 2);
  }
});

test('the score of a single hit is its own, not that of another with more shared words', async () => {
  const query = 'vacation when the canteen closes at two';
  const best = async (top_k: number) => (await ask(query, { mode: 'vector', top_k })).items[0]!;
  const [one, ten] = [await best(1), await best(10)];
  expect([one.id, ten.id]).toEqual(['leave', 'leave']);
  expect(one.score).toBeLessThan(ten.score);
});

test('the embedder does not rank a word search, and a failing one does not affect it', async () => {
  const query = 'the pump of the filter cartridge';
  const ids = async (parts: Parameters<typeof ask>[2]) => (await ask(query, { mode: 'text' }, parts)).items.map(({ id }) => id);
  const expected = await ids({ embedder: undefined });
  expect(await ids({})).toEqual(expected);
  const down: Embedder = { ...embedder, embed: () => Promise.reject(new KbError('unavailable', 'The embedder does not answer.')) };
  const result = await ask(query, { mode: 'text' }, { embedder: down });
  expect(result).toMatchObject({ failed: 0, errors: [] });
  expect(result.items.map(({ id }) => id)).toEqual(expected);
  const stopped: Embedder = { ...embedder, embed: () => Promise.reject(new KbError('aborted', 'It was stopped.')) };
  await expect(ask(query, { mode: 'text' }, { embedder: stopped })).rejects.toMatchObject({ code: 'aborted' });
});

test('hybrid search finds what only one of the arms finds', async () => {
  expect((await ask('vacation', { top_k: 1 })).items[0]!.id).toBe('leave');
  expect((await ask('canteen', { top_k: 1 })).items[0]!.id).toBe('canteen');
});

test('searches by words for a query that the embedder cannot read', async () => {
  const { items } = await ask('过滤器多久更换一次', { explain: true });
  expect(items[0]!.id).toBe('chinese');
  expect(items[0]!.explain).toHaveProperty('text.weight', 1);
  expect(items[0]!.explain).not.toHaveProperty('vector');
});

test('ranks an exact identifier before similar ones, by words and hybrid, alone and in a sentence', async () => {
  for (const mode of ['hybrid', 'text'] as const) {
    for (const code of ['ERR-4042', 'ERR-4004', 'ERR-4249']) {
      for (const query of [
        code,
        `what does ${code.toLowerCase()} mean`,
        `the display of the pump shows the error ${code}, what has the controller done`,
      ]) {
        const { items } = await ask(query, { mode, top_k: 3 }, { collection: errors });
        expect(items[0]!.id, `${mode} ${query}`).toBe(code);
      }
    }
  }
});

test('applies a filter to both arms before the search', async () => {
  for (const mode of MODES) {
    const { items } = await ask('days of leave and filter', { mode, top_k: 1, filter: { team: 'service' } });
    expect(
      items.map(({ metadata }) => metadata.team),
      mode,
    ).toEqual(['service']);
  }
});

test('returns equal texts of several sources once, with the other sources', async () => {
  for (const mode of MODES) {
    const { items } = await ask('the gate is locked at ten', { mode });
    const twins = items.filter(({ id }) => id.startsWith('twin'));
    expect(twins, mode).toMatchObject([{ id: 'twin-a', also_in: ['copy.md'] }]);
  }
});

test('limits the items by top_k, which may exceed a hundred', async () => {
  expect((await ask('error', { top_k: 3 }, { collection: errors })).items).toHaveLength(3);
  expect((await ask('error of the pump', { top_k: 180 }, { collection: errors })).items).toHaveLength(180);
});

test('explain gives rank, score and weight in each arm, and the fused score', async () => {
  const { items } = await ask('filter', { explain: true, top_k: 2 });
  expect(items[0]!.explain).toEqual({
    text: { weight: 0.5, rank: 1, score: expect.any(Number) },
    vector: { weight: 0.5, rank: 1, score: expect.any(Number) },
    centroid: expect.any(Number),
    fused_score: expect.closeTo(1.154),
  });
});

test('explain gives the bonus of an exact identifier', async () => {
  const { items } = await ask('ERR-4042', { explain: true, top_k: 2 }, { collection: errors });
  expect(items[0]!.explain).toMatchObject({ identifiers: 0.25 });
  expect(items[1]!.explain).not.toHaveProperty('identifiers');
});

test('searches a collection without vectors by words in mode hybrid, and rejects mode vector', async () => {
  const parts = { collection: wordsOnly, embedder: undefined };
  const { items } = await ask('filter cartridge', {}, parts);
  expect(items[0]!.id).toBe('filter');
  const refused = ask('filter', { mode: 'vector' }, parts);
  await expect(refused).rejects.toThrow(/"words" holds no vectors/);
  await expect(refused).rejects.toMatchObject({ code: 'usage' });
});

test('searches for the rewritten query', async () => {
  const { query, search_query, items } = await ask('and how often?', { search_query: 'how often is the filter cartridge replaced' });
  expect([query, search_query, items[0]!.id]).toEqual(['and how often?', 'how often is the filter cartridge replaced', 'filter']);
});

test('finds nothing by words for a query without words, without an error', async () => {
  expect(await ask('???', { mode: 'text' })).toMatchObject({ retrieved: 0, items: [], failed: 0, errors: [] });
});

test('reports an unavailable embedder as an error item that names the query', async () => {
  const down = {
    ...embedder,
    embed: () => Promise.reject(new KbError('unavailable', 'The embedder does not answer.', { isRetryable: true, attempts: 3 })),
  };
  expect(await ask('filter', {}, { embedder: down })).toEqual({
    query: 'filter',
    search_query: 'filter',
    retrieved: 0,
    items: [],
    failed: 1,
    errors: [
      { source: 'filter', source_kind: 'query', stage: 'retrieve', error: 'The embedder does not answer.', isRetryable: true, attempts: 3 },
    ],
  });
});

test('throws for a missing key', async () => {
  const locked = { ...embedder, embed: () => Promise.reject(new KbError('setup', 'OPENAI_API_KEY is not set.')) };
  await expect(ask('filter', {}, { embedder: locked })).rejects.toMatchObject({ code: 'setup' });
});

test('stops when the signal is aborted', async () => {
  await expect(ask('filter', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
});

test('the reranker orders the candidates and keeps rerank.top_k of them with their scores', async () => {
  const shortest: Reranker = {
    provider: 'test',
    model: 'shortest',
    min_rerank_score: undefined,
    rank: async (_query, passages) => passages.map(({ text }) => 1 / text.length),
  };
  const plain = await ask('filter pump canteen', { top_k: 3 });
  const { items } = await ask('filter pump canteen', { top_k: 3, explain: true, rerank: { top_k: 2 } }, { reranker: shortest });
  const expected = plain.items.toSorted((a, b) => a.text.length - b.text.length).slice(0, 2);
  expect(items.map(({ id, score }) => [id, score])).toEqual(expected.map(({ id, score }) => [id, score]));
  expect(items.map(({ rerank_score }) => rerank_score)).toEqual(expected.map(({ text }) => 1 / text.length));
  const before = plain.items.findIndex(({ id }) => id === items[0]!.id) + 1;
  expect(items[0]!.explain).toHaveProperty('rerank', { rank_before: before, rank: 1, score: items[0]!.rerank_score });
  expect(Object.keys(items[0]!.explain!)).toEqual(expect.arrayContaining(['fused_score', 'rerank']));
});

test('the local reranker ranks the passage first that answers in one sentence in other words', async () => {
  const reranker = await drivers.rerankers.local.open({});
  onTestFinished(() => reranker.close());
  const { items } = await ask('When do we eat at noon?', { rerank: { top_k: 3 } }, { reranker });
  expect(items).toHaveLength(3);
  expect(items[0]!.id).toBe('canteen');
});

test('reports a failing reranker as an error item, and keeps the order', async () => {
  const broken: Reranker = {
    provider: 'test',
    model: 'broken',
    min_rerank_score: undefined,
    rank: () => Promise.reject(new Error('no answer')),
  };
  const plain = await ask('filter pump', { top_k: 5 });
  const result = await ask('filter pump', { top_k: 5, rerank: { top_k: 2 } }, { reranker: broken });
  expect(result.items).toEqual(plain.items.slice(0, 2));
  expect(result).toMatchObject({ failed: 1, retrieved: 2, errors: [{ stage: 'rerank', source_kind: 'query', isRetryable: true }] });
});

test('reports the search before it begins', async () => {
  const { events } = await collect(retrievePassages({ query: 'filter', mode: 'text', top_k: 1 }, { collection: base, embedder }));
  expect(events).toEqual([
    { type: 'progress', stage: 'retrieval', message: 'Searching.', data: { retrieved: 0, failed: 0, search_query: 'filter' } },
  ]);
});

test('reports an error if the collection is re-embedded with another model during the search', async () => {
  const collection = await fill('moving', MEANINGS.length, manuals);
  const slow: Embedder = {
    ...embedder,
    embed: async (texts) => {
      const draft = await store.draft({ name: 'moving', provider: 'test', model: 'others', dimensions: MEANINGS.length });
      await draft.collection.upsert(manuals);
      await draft.commit();
      return texts.map(meaning);
    },
  };
  const found = await settle(retrievePassages({ query: 'filter', mode: 'vector', top_k: 3 }, { collection, embedder: slow }));
  expect(found).toMatchObject({
    retrieved: 0,
    failed: 1,
    errors: [{ isRetryable: true, error: expect.stringContaining('embedded anew') }],
  });
});

test('analyses long passages one by one, so that others are served meanwhile', async () => {
  const texts = Array.from({ length: 40 }, (_, i) =>
    Array.from({ length: 20_000 }, (_word, at) => `pump${((i + 1) * at) % 7919} valve`).join(' '),
  );
  const collection = await fill(
    'long',
    0,
    texts.map((text, i) => chunk(`${i}`, text)),
  );
  const search = () => ask('When does the pump4 valve stop?', { mode: 'text', top_k: 1 }, { collection, embedder: undefined });
  const first = await longestStretch(search);
  const analysed = await longestStretch(search);
  const inOneGo = await longestStretch(async () => void texts.map((text) => ownTerms(text)));
  expect(first - analysed).toBeLessThan(inOneGo / 2);
}, 120_000);
