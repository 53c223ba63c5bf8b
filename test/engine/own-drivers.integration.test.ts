import { createServer } from 'node:http';
import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { settle } from '../../src/core/run.ts';
import {
  type Config,
  createEngine,
  DEFAULTS,
  type Embedder,
  type EngineOptions,
  KbError,
  type Llm,
  type ModelOptions,
  type OwnDrivers,
  type Parser,
  type Reranker,
  type StoreOptions,
} from '../../src/index.ts';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import { folder } from '../support/folder.ts';
import { listening } from '../support/listening.ts';

const TEXTS = ['The ticket costs 85 kroner.', 'The bicycle stands on deck.', 'The storm keeps the ferry in port.'];
const markdown = TEXTS.map((text, i) => ({ source: `notice-${i}`, text }));

/** Vectors by the words of these texts. */
const mine = ({ model = 'three', options }: ModelOptions): Embedder => ({
  provider: 'mine',
  model,
  dimensions: 3,
  concurrency: 1,
  min_retrieval_score: 0.3,

  embed: async (texts) =>
    texts.map((text) => {
      const raw = ['ticket', 'bicycle', 'storm'].map((word) => (text.toLowerCase().includes(word) ? 1 : Number(options?.floor ?? 0.1)));
      return Float32Array.from(raw, (value) => value / Math.hypot(...raw));
    }),
  close: async () => {},
});

const echo = (): Llm => ({
  provider: 'echo',
  model: 'one',
  async *generate({ messages }) {
    yield `My own model read ${messages.length > 0 ? 'it' : 'nothing'}: 85 kroner [1].`;
    return { input_tokens: 1, output_tokens: 1 };
  },
});

function engineWith(own: OwnDrivers, config: Partial<Config> = {}, home = folder()) {
  const engine = createEngine({ config: { ...DEFAULTS, embedding: { ...DEFAULTS.embedding, provider: 'none' }, ...config }, home, ...own });
  onTestFinished(() => engine.close());
  return engine;
}

it('an embedder of the program embeds with its configuration, and is remembered by name', async () => {
  const home = folder();
  const opened: ModelOptions[] = [];
  const embedders = { mine: (options: ModelOptions) => (opened.push(options), mine(options)) };
  const embedding = { ...DEFAULTS.embedding, provider: 'mine', model: 'wide', options: { floor: 0.2 } };
  const engine = engineWith({ embedders }, { embedding }, home);
  expect(await settle(engine.run('ingest', { markdown }))).toMatchObject({ stored: 3, errors: [] });
  expect((await settle(engine.run('retrieve', { query: 'storm', mode: 'vector' }))).items[0]!.text).toContain('storm');
  expect(opened).toEqual([{ provider: 'mine', model: 'wide', options: { floor: 0.2 } }]);
  const shown = await settle(engine.run('show_collection', { name: 'default' }));
  expect(shown).toMatchObject({ embedding: { provider: 'mine', model: 'wide' }, dimensions: 3 });
  const unsaid = engineWith({ embedders }, { embedding: DEFAULTS.embedding }, home);
  expect((await settle(unsaid.run('retrieve', { query: 'bicycle' }))).items[0]!.text).toContain('bicycle');
  const without = engineWith({}, { embedding: DEFAULTS.embedding }, home);
  await expect(settle(without.run('retrieve', { query: 'bicycle' }))).rejects.toThrow('There is no embedding provider "mine" here.');
});

it('a language model of the program answers, and requests may name it', async () => {
  const engine = engineWith({ llms: { echo } });
  await settle(engine.run('ingest', { markdown }));
  const asked = { query: 'What does a ticket cost?', history: [] };
  const { answer, llm } = await settle(engine.run('chat', { ...asked, llm_provider: 'echo' }));
  expect([answer, llm]).toEqual(['My own model read it: 85 kroner [1].', expect.objectContaining({ provider: 'echo', model: 'one' })]);
  expect(() => engine.check('chat', { ...asked, llm_provider: 'ecco' })).toThrow(/echo/);
});

it('a reranker of the program reorders', async () => {
  const backwards = (): Reranker => ({
    provider: 'backwards',
    model: '',
    min_rerank_score: undefined,
    rank: async (_query, passages) => passages.map((_, i) => i),
  });
  const engine = engineWith({ rerankers: { backwards } });
  await settle(engine.run('ingest', { markdown }));
  const plain = await settle(engine.run('retrieve', { query: 'the ticket bicycle storm' }));
  const turned = await settle(
    engine.run('retrieve', { query: 'the ticket bicycle storm', use_rerank: true, reranker: 'backwards', rerank_top_k: 3 }),
  );
  expect(turned.items.map(({ id }) => id)).toEqual(plain.items.map(({ id }) => id).toReversed());
});

it('a store of the program stores, at the configured address', async () => {
  const elsewhere = folder();
  const asked: StoreOptions[] = [];
  const stores = { shelf: (options: StoreOptions) => (asked.push(options), openLanceDb({ url: elsewhere })) };
  const engine = engineWith({ stores }, { storage: { ...DEFAULTS.storage, vector_db: 'shelf', url: 'shelf://one' } });
  const { store_result } = await settle(engine.run('ingest', { markdown }));
  expect(store_result).toMatchObject({ provider: 'shelf', stored: 3 });
  expect(asked).toEqual([{ url: 'shelf://one', options: undefined, isTrusted: true }]);
  expect((await settle(engine.run('retrieve', { query: 'ticket' }))).items[0]!.text).toContain('85 kroner');
});

it('a parser of the program reads its files and responses, and its errors are reported', async () => {
  const rst = (): Parser => ({
    file_type: 'tide',
    extensions: ['.tide'],
    media_types: ['application/x-tide'],
    parse: async (bytes) => {
      const text = new TextDecoder().decode(bytes);
      if (text.includes('broken')) throw new Error('no tide in it');
      return { text: `# Tide\n\n${text}`, title: 'Tide', metadata: { water: 'high' } };
    },
  });
  const home = folder({ 'docs/noon.tide': 'High water is at noon.', 'docs/bad.tide': 'broken', 'docs/plain.md': 'A plain file.' });
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/x-tide').end('Low water is at six.'));
  const { url, close } = await listening(server);
  onTestFinished(close);
  const urls = `${url}/tides`;
  const engine = engineWith({ parsers: { rst } }, {}, home);
  const { errors, stored } = await settle(engine.run('ingest', { docs: 'docs', urls }));
  expect([stored, errors.map(({ source, error }) => [source, error])]).toEqual([
    3,
    [['docs/bad.tide', expect.stringContaining('cannot be read as a file of the kind "tide": no tide in it')]],
  ]);
  const { items } = await settle(engine.run('retrieve', { query: 'high or low water', filter: { water: 'high' } }));
  expect(items.map(({ metadata }) => [metadata.source, metadata.title])).toEqual(
    expect.arrayContaining([
      ['docs/noon.tide', 'Tide'],
      [urls, 'Tide'],
    ]),
  );
});

it('built-in names and unknown kinds are rejected', () => {
  expect(() => engineWith({ llms: { openai: echo } })).toThrow(KbError);
  expect(() => engineWith({ llms: { openai: echo } })).toThrow('llms.openai: kb has a built-in driver with that name.');
  const engine = engineWith({ embedders: { mine } });
  expect(() => engine.check('retrieve', { query: 'x', provider: 'yours' })).toThrow(/mine/);
});

it('the kinds of drivers are options of an engine', () => {
  expectTypeOf<EngineOptions>().toExtend<OwnDrivers>();
});

it('an unknown driver is an error that lists the known ones', () => {
  const config = { ...DEFAULTS, embedding: { ...DEFAULTS.embedding, provider: 'yours' } };
  expect(() => createEngine({ config, embedders: { mine } })).toThrow(
    expect.objectContaining({ code: 'configuration', message: expect.stringMatching(/embedding\.provider.*mine.*yours/s) }),
  );
});
