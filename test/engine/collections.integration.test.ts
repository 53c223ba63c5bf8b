import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../src/core/run.ts';
import { chunksIn, engineIn, modelServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';
import { exported, filled, named, TEXTS } from '../support/stored-texts.ts';

describe('the embedder of a collection', () => {
  it('is named beside the configured one, with a remedy, if they differ', async () => {
    const home = folder();
    const { settings } = await modelServer();
    await filled(settings, home);
    for (const engine of [engineIn(home), engineIn(home, { embedding: { ...(settings.embedding as object), model: 'another-model' } })]) {
      const { provider, model } = engine.config.embedding;
      const wanted = provider === 'none' ? 'none' : `${provider} / ${model}`;
      const message = `"default" was embedded with openai_compatible / test-model; the configuration says ${wanted}.`;
      await expect(result(engine, 'ingest', { markdown: 'New.' })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(message),
      });
      const { errors, items } = await result(engine, 'retrieve', { query: 'gate' });
      expect(items).toEqual([]);
      expect(errors[0]!.error).toContain(message);
      expect(errors[0]!.error).toContain('kb collections reembed default');
    }
  });

  it('does not matter for deleting, listing, showing, exporting and dropping', async () => {
    const home = folder();
    const { settings } = await modelServer();
    await filled(settings, home);
    const other = engineIn(home);
    expect(await result(other, 'show_collection', { name: 'default' })).toMatchObject({
      embedding: { provider: 'openai_compatible', model: 'test-model' },
      dimensions: 3,
    });
    expect((await result(other, 'list_collections', {})).collections).toHaveLength(1);
    expect(await exported(other)).toHaveLength(5);
    expect(await result(other, 'delete', { source: join(home, 'sub/../rule-0') })).toMatchObject({
      deleted: 1,
      items: [{ source: 'rule-0' }],
    });
    expect(await result(other, 'drop_collection', { name: 'default' })).toEqual({ name: 'default', dropped: true });
  });
});

describe('without a configured embedder', () => {
  const UNSAID = { embedding: {} };

  it('every search, ingest, edit and store uses the embedder of the collection', async () => {
    const home = folder();
    const { server } = await modelServer();
    vi.stubEnv('OPENAI_API_KEY', 'test-key').stubEnv('OPENAI_BASE_URL', server.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    await filled({ embedding: { provider: 'openai', model: 'text-embedding-3-large' } }, home);
    const engine = engineIn(home, UNSAID);
    const asked = async (work: () => Promise<unknown>) => {
      server.requests.length = 0;
      expect(await work()).toMatchObject({ failed: 0 });
      return server.requests.map(({ body }) => body.model);
    };
    const [{ id }] = (await chunksIn(engine)) as [{ id: string }];
    for (const work of [
      () => result(engine, 'retrieve', { query: 'gate' }),
      () => result(engine, 'query', { query: 'gate' }),
      () => result(engine, 'ingest', { markdown: 'The door is painted blue.' }),
      () => result(engine, 'edit', { chunks: [{ id, text: 'The gate is locked at eleven.' }] }),
    ])
      expect(await asked(work)).toEqual(['text-embedding-3-large']);
    const embedder = { provider: 'openai', model: 'text-embedding-3-large' };
    const chunk = { id: 'given', source: 'given', text: 'The well is deep.', embedding: [1, 0, 0], metadata: {}, embedder };
    expect(await result(engine, 'store', { embedded_chunks: [chunk] })).toMatchObject({ stored: 1, errors: [] });
    expect((await result(engine, 'chat', { query: 'When is the gate locked?' })).answer).toContain('eleven');
    const { checks } = await result(engine, 'doctor', {});
    expect(checks.filter(({ name }) => /collection|embedding/.test(name)).map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('a provider without a model uses the model of the collection, if that has the same provider', async () => {
    const home = folder();
    await filled({ embedding: { provider: 'local', model: 'multilingual-e5-small' } }, home);
    const engine = engineIn(home, { embedding: { provider: 'local' } });
    expect(await result(engine, 'retrieve', { query: 'Wann läutet die Glocke?' })).toMatchObject({
      failed: 0,
      items: [{ metadata: { source: 'rule-1' } }, {}, {}],
    });
    expect(await result(engine, 'reembed_collection', { name: 'default' })).toMatchObject({ embedding: { model: 'all-minilm-l6-v2' } });
  });

  it('a collection without vectors is searched by words, and a new one gets the bundled model', async () => {
    const home = folder();
    await filled(WORDS, home);
    const engine = engineIn(home, UNSAID);
    expect((await result(engine, 'retrieve', { query: 'gate' })).items[0]!.metadata.source).toBe('rule-0');
    await result(engine, 'ingest', { markdown: 'New.', storage: { collection: 'new' } });
    expect((await result(engine, 'show_collection', { name: 'new' })).embedding).toEqual({ provider: 'local', model: 'all-minilm-l6-v2' });
  });

  it('chunks with vectors create a collection of their model', async () => {
    const engine = engineIn(folder(), UNSAID);
    const chunk = { id: 'a', source: 'a', text: 'The gate is locked.', embedding: [1, 0], metadata: {} };
    const embedder = { provider: 'openai', model: 'text-embedding-3-small' };
    expect(await result(engine, 'store', { embedded_chunks: [{ ...chunk, embedder }] })).toMatchObject({ stored: 1, failed: 0 });
    expect((await result(engine, 'show_collection', { name: 'default' })).embedding).toEqual(embedder);
    const { errors } = await result(engine, 'store', { embedded_chunks: [{ ...chunk, embedder: { provider: 'voyage', model: 'v' } }] });
    expect(errors[0]!.error).toContain('embedded with voyage / v; the collection belongs to openai / text-embedding-3-small');
  });

  it('a contradicting request or configuration is an error that names both models', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { errors } = await result(engineIn(home, UNSAID), 'retrieve', { query: 'gate', provider: 'local' });
    expect(errors[0]!.error).toContain('was embedded with none; the configuration says local / all-minilm-l6-v2.');
    const other = await result(engineIn(home, UNSAID), 'retrieve', { query: 'gate', model: 'another' });
    expect(other.errors[0]!.error).toContain('was embedded with none; the configuration says local / another.');
  });
});

describe('reembedding a collection', () => {
  it('switches in one step, and the next ingest continues as if nothing had changed', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { settings, texts } = await modelServer({}, { batch_size: 2 });
    const engine = engineIn(home, settings);
    const { result: done, events } = await collect(engine.run('reembed_collection', { name: 'default' }));
    expect(done).toEqual({
      name: 'default',
      embedding: { provider: 'openai_compatible', model: 'test-model' },
      dimensions: 3,
      embedded: 3,
    });
    expect(events.at(-1)!.data).toEqual({ done: 3, expected: 3 });
    expect(texts().filter((text) => TEXTS.some((known) => text.includes(known)))).toHaveLength(3);
    expect(await result(engine, 'show_collection', { name: 'default' })).toMatchObject({ dimensions: 3, chunks: 3, sources: 3 });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ unchanged: 3, embedded: 0 });
    expect(await result(engine, 'retrieve', { query: 'gate', mode: 'vector' })).toMatchObject({ failed: 0, retrieved: 3 });
    const back = await result(engineIn(home), 'reembed_collection', { name: 'default' });
    expect(back).toMatchObject({ embedding: { provider: 'none', model: '' }, dimensions: 0 });
  });

  it('sends the provider full batches', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { settings, server } = await modelServer({}, { batch_size: 2 });
    await result(engineIn(home, settings), 'reembed_collection', { name: 'default' });
    expect(Math.max(...server.requests.map(({ body }) => [body.input].flat().length))).toBe(2);
  });

  it('keeps the old collection if the new one fails', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { settings } = await modelServer({
      vector: (text) => (text.includes('bell') ? { status: 400, error: { message: 'bad text' } } : [1, 2, 3]),
    });
    await expect(result(engineIn(home, settings), 'reembed_collection', { name: 'default' })).rejects.toThrow(/bad text/);
    const engine = engineIn(home);
    expect((await result(engine, 'list_collections', {})).collections).toMatchObject([{ name: 'default', dimensions: 0, chunks: 3 }]);
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ unchanged: 3 });
    await expect(result(engine, 'reembed_collection', { name: 'none-such' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('collections', () => {
  it('are listed by name with their contents', async () => {
    const home = folder();
    expect(await result(engineIn(home), 'list_collections', {})).toEqual({ collections: [] });
    for (const collection of ['zebra', 'ant']) await result(engineIn(home, { ...WORDS, collection }), 'ingest', { markdown: named });
    const { collections } = await result(engineIn(home), 'list_collections', {});
    expect(collections).toMatchObject(
      ['ant', 'zebra'].map((name) => ({ name, embedding: { provider: 'none', model: '' }, dimensions: 0, chunks: 3, sources: 3 })),
    );
    expect(collections.every(({ bytes }) => bytes! > 0)).toBe(true);
    const { collections: others } = await result(engineIn(home, { ...WORDS, collection: 'zebra' }), 'list_collections', {});
    expect([collections, others].map((listed) => listed.map(({ configured }) => configured))).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  it('that do not exist are named, with how to create them', async () => {
    const engine = engineIn(folder());
    for (const name of ['show_collection', 'drop_collection', 'export_collection', 'reembed_collection'] as const)
      await expect(result(engine, name, { name: 'ghost' })).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no collection "ghost".',
      });
    await expect(result(engine, 'delete', { source: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(result(engine, 'edit', { chunks: [{ id: 'x', text: 'y' }] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are gone after a drop, and can be created again', async () => {
    const engine = await filled();
    await result(engine, 'drop_collection', { name: 'default' });
    expect(await result(engine, 'list_collections', {})).toEqual({ collections: [] });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3 });
  });
});
