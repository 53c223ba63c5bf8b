import { QdrantClient } from '@qdrant/js-client-rest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import type { Collection } from '../../../../src/ports/stores.ts';
import { engineIn, result, WORDS } from '../../../support/engine.ts';
import { folder } from '../../../support/folder.ts';
import { startMachine } from '../../../support/machines.ts';
import { openQdrantServer } from '../../../support/qdrant-server.ts';
import { emptyQdrant, QDRANT } from '../../../support/real-qdrant.ts';
import { everything } from '../../../support/store-contract.ts';

const PARTS = ['valve', 'pump', 'hose', 'filter', 'seal'];
const documents = Array.from({ length: 24 }, (_, i) => ({
  source: `page-${i}`,
  text: `Page ${i} on the ${PARTS[i % 5]}. ${`The ${PARTS[(i * 3) % 5]} wears. `.repeat(1 + (i % 4))}`,
}));
const edited = documents.with(7, { source: 'page-7', text: 'Page 7 now speaks of the turquoise gasket, and of the pump.' });
const QUESTIONS = ['valve', 'the pump wears', 'hose and seal', 'filter page 3', 'turquoise pump'];

const look = async (url: string, name = 'default'): Promise<Collection> =>
  (await (await openQdrant({ url, environment: { XDG_STATE_HOME: folder() } })).open(name))!;

const settingsOf = (url: string) => ({ ...WORDS, storage: { vector_db: 'qdrant', url } });

const digits = (number: number, count: number): string => number.toString(16).padStart(count, '0');

/** Writes the collection as the first form was: ids and numbers of generations, no counts of words, a server that weighs words; something retired, and what a writer left that died. */
async function writeFirstForm(url: string): Promise<void> {
  const client = new QdrantClient({ url, checkCompatibility: false });
  const { aliases } = await client.getAliases();
  const now = aliases.find(({ alias_name }) => alias_name === 'kb.default')!.collection_name;
  const { points } = await client.scroll(now, { limit: 1_000, with_payload: true, with_vector: true });
  const table = 'kb.default@mahz1k2p-4f7q0x';
  await client.createCollection(table, { vectors: {}, sparse_vectors: { text: { modifier: 'idf' } } });
  for (const field_name of ['id', 'source', 'fields', 'numbers[].key'])
    await client.createPayloadIndex(table, { field_name, field_schema: 'keyword', wait: true });
  await client.createPayloadIndex(table, { field_name: 'generation', field_schema: 'integer', wait: true });
  await client.createPayloadIndex(table, { field_name: 'numbers[].value', field_schema: 'float', wait: true });
  const chunks = points.filter(({ payload }) => payload!['text'] !== undefined);
  const asWritten = (generation: number, given: object = {}) =>
    chunks.map(({ payload, vector }, place) => {
      const { words: _, ...kept } = payload!;
      const id = `${digits(generation, 16)}${digits(place, 16)}`.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      return { id, vector: vector as { text: { indices: number[]; values: number[] } }, payload: { ...kept, generation, ...given } };
    });
  const gone = asWritten(1, { source: 'gone' }).slice(0, 3);
  const left = asWritten(3, { source: 'left' }).slice(0, 2);
  await client.upsert(table, { wait: true, points: [...gone, ...asWritten(2), ...left] });
  const kb = {
    name: 'default',
    provider: 'none',
    model: '',
    dimensions: 0,
    form: 1,
    table,
    generation: 2,
    written: Date.now(),
    retired: { sources: ['gone'], ids: [] },
  };
  await client.upsert(table, { wait: true, points: [{ id: 0, vector: {}, payload: { kb } }] });
  const actions = [{ delete_alias: { alias_name: 'kb.default' } }, { create_alias: { alias_name: 'kb.default', collection_name: table } }];
  await client.updateCollectionAliases({ actions });
  await client.deleteCollection(now);
}

/** The form, and how many points there are beside the state's own. */
async function storedAt(url: string): Promise<{ form: number; points: number }> {
  const client = new QdrantClient({ url, checkCompatibility: false });
  const [state] = await client.retrieve('kb.default', { ids: [0], with_payload: true });
  const { count } = await client.count('kb.default', { exact: true });
  return { form: (state!.payload!['kb'] as { form: number }).form, points: count - 1 };
}

/** What the questions find, with scores. */
async function ranked(collection: Collection): Promise<(readonly [string, number])[][]> {
  const answers = await Promise.all(QUESTIONS.map((text) => collection.search({ text, limit: 100 })));
  return answers.map((hits) =>
    hits
      .map(({ chunk, score }) => [chunk.source, Number(score.toFixed(6))] as const)
      .toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])),
  );
}

/** Asserts that the collection is what these documents make anew. */
async function expectAsNew(url: string, given: typeof documents): Promise<void> {
  await result(engineIn(folder(), { ...settingsOf(url), collection: 'anew' }), 'ingest', { markdown: given });
  const [found, anew] = [await look(url), await look(url, 'anew')];
  const texts = async (collection: Collection) => (await everything(collection)).map(({ source, text }) => `${source}: ${text}`).toSorted();
  expect(await texts(found)).toEqual(await texts(anew));
  expect(await ranked(found), 'with the same weights').toEqual(await ranked(anew));
}

async function opened(url: string) {
  const engine = engineIn(folder(), settingsOf(url));
  await result(engine, 'ingest', { markdown: documents });
  await writeFirstForm(url);
  return engine;
}

describe(`a collection of the first form in ${QDRANT}`, { timeout: 120_000 }, () => {
  it('is read as it is', async () => {
    const url = await emptyQdrant();
    await opened(url);
    const collection = await look(url);
    expect(await collection.count()).toBe(documents.length);
    expect((await everything(collection)).map(({ source }) => source).toSorted()).toEqual(documents.map(({ source }) => source).toSorted());
    for (const { chunk } of await collection.search({ text: 'the seal', limit: 100 })) expect(chunk.text).toContain('seal');
    expect(await storedAt(url)).toMatchObject({ form: 1 });
  });

  it('is brought up to date by the next ingest, which reads what is unchanged from it', async () => {
    const url = await emptyQdrant();
    const engine = await opened(url);
    expect(await result(engine, 'ingest', { markdown: edited })).toMatchObject({ unchanged: documents.length - 1, stored: 1, failed: 0 });
    expect(await storedAt(url)).toMatchObject({ form: 2 });
    await expectAsNew(url, edited);
    await (await look(url)).optimize();
    expect(await storedAt(url), 'and what counts the words').toEqual({ form: 2, points: documents.length + 1 });
    await expectAsNew(url, edited);
  });

  it('is brought up to date by what looks after it', async () => {
    const url = await emptyQdrant();
    await opened(url);
    await (await look(url)).optimize();
    expect(await storedAt(url)).toEqual({ form: 2, points: documents.length + 1 });
    await expectAsNew(url, documents);
  });

  it('is brought up to date by a deletion', async () => {
    const url = await emptyQdrant();
    expect(await result(await opened(url), 'delete', { source: 'page-3' })).toMatchObject({ deleted: 1 });
    await expectAsNew(url, documents.toSpliced(3, 1));
  });

  it('is whole for those that read it meanwhile, and for two machines that write to it at once', async () => {
    const url = await emptyQdrant();
    await opened(url);
    const reader = await look(url);
    let isWriting = true;
    const [one, other] = [startMachine(settingsOf(url)), startMachine(settingsOf(url))];
    const more = Array.from({ length: 12 }, (_, i) => ({ source: `more-${i}`, text: `One more page ${i}, on the seal.` }));
    const writing = Promise.all([one.run('ingest', { markdown: edited }), other.run('ingest', { markdown: more })]).finally(
      () => (isWriting = false),
    );
    while (isWriting) {
      const sources = (await reader.search({ text: 'page', limit: 100 })).map(({ chunk }) => chunk.source);
      expect(new Set(sources).size, 'no document twice').toBe(sources.length);
      expect(sources).toEqual(expect.arrayContaining(documents.map(({ source }) => source)));
      expect((await reader.search({ text: 'pump', limit: 100 })).filter(({ chunk }) => chunk.source === 'page-7').length).toBeLessThan(2);
    }
    expect((await writing).map(({ failed }) => failed)).toEqual([0, 0]);
    await expectAsNew(url, [...edited, ...more]);
  });
});

it(
  'brings a collection of the first form up to date in steps, each of which may be the last of a process',
  { timeout: 120_000 },
  async () => {
    for (let step = 1; ; step++) {
      const { url, behaviour, close } = await openQdrantServer();
      onTestFinished(close);
      const engine = await opened(url);
      let writes = 0;
      behaviour.disturb = ({ method, path }) => {
        const isWrite = method !== 'GET' && !/\/(query\/batch|scroll|count|points)$/.test(method === 'POST' ? path : '');
        if (isWrite) writes++;
        return writes >= step ? 'cut' : undefined;
      };
      const dying = await (
        await openQdrant({ url, environment: { XDG_STATE_HOME: folder() }, patience: { attempts: 1, base: 0 } })
      ).open('default');
      const outcome = await dying!.upsert([{ id: 'one', text: 'The pump.', source: 'one', metadata: {} }]).catch(() => 'dead');
      const isOver = writes < step;
      delete behaviour.disturb;
      expect(outcome === undefined, `step ${step}`).toBe(isOver);
      await result(engine, 'ingest', { markdown: edited });
      await result(engine, 'delete', { source: 'one' });
      await expectAsNew(url, edited);
      if (isOver) return;
    }
  },
);
