import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../src/core/run.ts';
import type { Engine } from '../../src/ports/engines.ts';
import { chunksIn, engineIn, modelServer, result, sourcesIn, WORDS } from '../support/engine.ts';
import { parseWhere } from '../../src/cli/parse-where.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';
import { folder } from '../support/folder.ts';

const TEXTS = ['The gate is locked at ten.', 'The bell rings at noon.', 'The lamp is lit at six.'];
const named = TEXTS.map((text, i) => ({ source: `rule-${i}`, text, title: `Rule ${i}`, metadata: { year: 2020 + i } }));

/** An engine with three texts in the collection «default». */
async function filled(settings = WORDS, home = folder()): Promise<Engine> {
  const engine = engineIn(home, settings);
  expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3, failed: 0 });
  return engine;
}

/** The lines of an export. */
async function exported(engine: Engine, name = 'default'): Promise<string[]> {
  const { events } = await collect(engine.run('export_collection', { name }));
  return events.map(({ data }) => JSON.stringify(data));
}

async function* lines(of: readonly string[]): AsyncGenerator<string, void, void> {
  yield* of;
}

describe('the embedder of a collection', () => {
  it('is named beside the configured one, with the way out, where the two differ', async () => {
    const home = folder();
    const { settings } = await modelServer();
    await filled(settings, home);
    for (const engine of [engineIn(home), engineIn(home, { embedding: { ...(settings.embedding as object), model: 'another-model' } })]) {
      const { provider, model } = engine.config.embedding;
      const wanted = provider === 'none' ? 'none' : `${provider} / ${model}`;
      const message = `«default» was embedded with openai_compatible / test-model; the configuration says ${wanted}.`;
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

  it('matters to nobody who deletes, lists, shows, exports or drops', async () => {
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

describe('where nobody says who embeds', () => {
  const UNSAID = { embedding: {} };

  it('every search, ingest, edit and store of a collection uses its own embedder', async () => {
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

  it('a provider without a model has that of the collection, where it is of that provider', async () => {
    const home = folder();
    await filled({ embedding: { provider: 'local', model: 'multilingual-e5-small' } }, home);
    const engine = engineIn(home, { embedding: { provider: 'local' } });
    expect(await result(engine, 'retrieve', { query: 'Wann läutet die Glocke?' })).toMatchObject({
      failed: 0,
      items: [{ metadata: { source: 'rule-1' } }, {}, {}],
    });
    expect(await result(engine, 'reembed_collection', { name: 'default' })).toMatchObject({ embedding: { model: 'all-minilm-l6-v2' } });
  });

  it('a collection of words alone is searched by words, and a new one is made with the bundled model', async () => {
    const home = folder();
    await filled(WORDS, home);
    const engine = engineIn(home, UNSAID);
    expect((await result(engine, 'retrieve', { query: 'gate' })).items[0]!.metadata.source).toBe('rule-0');
    await result(engine, 'ingest', { markdown: 'New.', storage: { collection: 'new' } });
    expect((await result(engine, 'show_collection', { name: 'new' })).embedding).toEqual({ provider: 'local', model: 'all-minilm-l6-v2' });
  });

  it('chunks with vectors make a collection of the model that embedded them', async () => {
    const engine = engineIn(folder(), UNSAID);
    const chunk = { id: 'a', source: 'a', text: 'The gate is locked.', embedding: [1, 0], metadata: {} };
    const embedder = { provider: 'openai', model: 'text-embedding-3-small' };
    expect(await result(engine, 'store', { embedded_chunks: [{ ...chunk, embedder }] })).toMatchObject({ stored: 1, failed: 0 });
    expect((await result(engine, 'show_collection', { name: 'default' })).embedding).toEqual(embedder);
    const { errors } = await result(engine, 'store', { embedded_chunks: [{ ...chunk, embedder: { provider: 'voyage', model: 'v' } }] });
    expect(errors[0]!.error).toContain('embedded with voyage / v; the collection belongs to openai / text-embedding-3-small');
  });

  it('a request or a configuration that contradicts the collection is the error that names both', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { errors } = await result(engineIn(home, UNSAID), 'retrieve', { query: 'gate', provider: 'local' });
    expect(errors[0]!.error).toContain('was embedded with none; the configuration says local / all-minilm-l6-v2.');
    const other = await result(engineIn(home, UNSAID), 'retrieve', { query: 'gate', model: 'another' });
    expect(other.errors[0]!.error).toContain('was embedded with none; the configuration says local / another.');
  });
});

describe('embedding a collection anew', () => {
  it('changes over in one step, and lets the next ingest go on as if nothing had been', async () => {
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

  it('sends the provider as many texts at once as its batches may hold', async () => {
    const home = folder();
    await filled(WORDS, home);
    const { settings, server } = await modelServer({}, { batch_size: 2 });
    await result(engineIn(home, settings), 'reembed_collection', { name: 'default' });
    expect(Math.max(...server.requests.map(({ body }) => [body.input].flat().length))).toBe(2);
  });

  it('leaves the old one as it was where the new one can not be made', async () => {
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

describe('an export', () => {
  it('comes back under another name as what it was, vectors and all, and goes on incrementally', async () => {
    const home = folder();
    const { settings, server } = await modelServer();
    const engine = await filled(settings, home);
    const whole = await exported(engine);
    expect(JSON.parse(whole[0]!)).toEqual({
      kb_export: 1,
      name: 'default',
      provider: 'openai_compatible',
      model: 'test-model',
      dimensions: 3,
    });
    expect(await result(engine, 'import_collection', { name: 'copy', lines: lines([...whole, '']) })).toEqual({
      name: 'copy',
      imported: 3,
    });
    const order = (list: Record<string, unknown>[]) => list.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(order(await chunksIn(engine, 'copy'))).toEqual(order(await chunksIn(engine, 'default')));
    const asked = server.requests.length;
    const copy = engineIn(home, { ...settings, collection: 'copy' });
    expect(await result(copy, 'ingest', { markdown: named })).toMatchObject({ unchanged: 3 });
    expect(server.requests.length).toBe(asked);
  });

  it('is dropped whole where nobody waits any more for it to be read', async () => {
    const home = folder();
    const engine = await filled(WORDS, home);
    const tables = () => readdirSync(join(home, '.kb/lancedb')).filter((name) => name.startsWith('kb.'));
    const before = tables();
    const run = engine.run('import_collection', { name: 'copy', lines: lines(await exported(engine)) });
    await run.next();
    expect(tables()).toHaveLength(before.length + 1);
    await run.return(undefined as never);
    expect(tables()).toEqual(before);
  });

  it('is not read over a collection that is there', async () => {
    const engine = await filled();
    const whole = await exported(engine);
    await expect(result(engine, 'import_collection', { name: 'default', lines: lines(whole) })).rejects.toMatchObject({ code: 'conflict' });
    expect(await chunksIn(engine)).toHaveLength(3);
  });

  it('that was cut off or changed is taken as far as it is there by force', async () => {
    const engine = await filled();
    const whole = await exported(engine);
    const cuts: [string[], number][] = [
      [whole.slice(0, 3), 2],
      [[...whole.slice(0, 3), whole[3]!.slice(0, 30)], 2],
      [whole.slice(0, 1), 0],
      [whole.toSpliced(2, 1), 2],
      [whole.map((line) => line.replace('noon', 'nine')), 3],
      [whole, 3],
    ];
    for (const [i, [cut, imported]] of cuts.entries())
      expect(await result(engine, 'import_collection', { name: `copy-${i}`, lines: lines(cut), force: true })).toMatchObject({ imported });
  });

  const breaks: [string, (whole: string[]) => string[], RegExp][] = [
    ['is empty', () => [], /empty/],
    ['has no header', (whole) => whole.slice(1), /Line 1/],
    ['was cut off within a line', (whole) => [...whole.slice(0, 3), whole[3]!.slice(0, 30)], /Line 4 is not JSON.*cut off/],
    [
      'holds a vector of another length',
      (whole) => whole.map((line, i) => (i === 2 ? JSON.stringify({ ...JSON.parse(line), embedding: [1, 2] }) : line)),
      /Line 3.*length 2.*0/,
    ],
    ['was cut off at a line', (whole) => whole.slice(0, 3), /no closing line.*after 2 chunks.*--force/],
    ['was cut off after its header', (whole) => whole.slice(0, 1), /no closing line.*after 0 chunks.*--force/],
    ['lost a line', (whole) => whole.toSpliced(2, 1), /holds 2 chunks; its closing line counts 3.*--force/],
    ['was changed', (whole) => whole.map((line) => line.replace('noon', 'nine')), /was changed.*--force/],
    ['holds something else', (whole) => whole.toSpliced(4, 0, '{"id": 5}'), /Line 5: id/],
    ['goes on behind its end', (whole) => [...whole, whole[1]!], /Line 5: id/],
  ];
  it.each(breaks)('leaves nothing behind where it %s', async (_what, broken, message) => {
    const engine = await filled();
    const whole = await exported(engine);
    const failure = await result(engine, 'import_collection', { name: 'copy', lines: lines(broken(whole)) }).catch(
      (error: Error & { hint?: string }) => error,
    );
    expect(failure).toBeInstanceOf(Error);
    expect(`${(failure as Error).message} ${(failure as { hint?: string }).hint}`).toMatch(message);
    expect((await result(engine, 'list_collections', {})).collections.map(({ name }) => name)).toEqual(['default']);
  });
});

describe('collections', () => {
  it('are listed by name with what they hold', async () => {
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

  it('that are not there are named, with the way to make them', async () => {
    const engine = engineIn(folder());
    for (const name of ['show_collection', 'drop_collection', 'export_collection', 'reembed_collection'] as const)
      await expect(result(engine, name, { name: 'ghost' })).rejects.toMatchObject({
        code: 'not_found',
        message: 'There is no collection «ghost».',
      });
    await expect(result(engine, 'delete', { source: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(result(engine, 'edit', { chunks: [{ id: 'x', text: 'y' }] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are gone when they were dropped, and can be made again', async () => {
    const engine = await filled();
    await result(engine, 'drop_collection', { name: 'default' });
    expect(await result(engine, 'list_collections', {})).toEqual({ collections: [] });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3 });
  });
});

describe('storing chunks', () => {
  const chunk = (id: string, rest: object = {}) => ({ id, text: `The text of ${id}.`, source: 'given', metadata: {}, ...rest });

  it('takes what embed gives, and refuses alone what does not fit', async () => {
    const { settings } = await modelServer();
    const engine = engineIn(folder(), settings);
    const { items } = await result(engine, 'embed', { chunks: [chunk('a'), chunk('b')] });
    const done = await result(engine, 'store', {
      embedded_chunks: [
        ...items,
        chunk('short', { embedding: [1, 2] }),
        chunk('bare'),
        chunk('foreign', { embedding: [1, 2, 3], embedder: { provider: 'openai', model: 'other' } }),
        chunk('empty', { text: ' ', embedding: [1, 2, 3] }),
      ],
    });
    expect(done).toMatchObject({
      inputs: 6,
      stored: 2,
      failed: 4,
      provider: 'lancedb',
      collection: 'default',
      items: [{ id: 'a' }, { id: 'b' }],
    });
    const told = done.errors.map(({ error, stage, source_kind }) => [stage, source_kind, error.split(/[;:.]/)[0]]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['store', 'embedded_chunk', 'The vector of the chunk «short» has the length 2'],
        ['store', 'embedded_chunk', 'The chunk «bare» has no vector'],
        ['store', 'embedded_chunk', 'The chunk «foreign» was embedded with openai / other'],
        ['store', 'embedded_chunk', 'The chunk «empty» has no text'],
      ]),
    );
    expect((await chunksIn(engine)).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });

  it('writes one chunk under an id, the last that was given', async () => {
    const engine = engineIn(folder());
    const twice = await result(engine, 'store', { embedded_chunks: [chunk('a'), chunk('a', { text: 'Another text.' })] });
    expect(twice).toMatchObject({ inputs: 2, stored: 1, failed: 0, items: [{ id: 'a' }] });
    await result(engine, 'store', { embedded_chunks: [chunk('b')] });
    expect((await chunksIn(engine)).map(({ id, text }) => [id, text]).toSorted()).toEqual([
      ['a', 'Another text.'],
      ['b', 'The text of b.'],
    ]);
  });

  it('keeps no control characters, whether chunks are stored, edited or imported', async () => {
    const engine = engineIn(folder());
    const dirty = { text: 'The bell\u0007 rings\u001b[31m.', source: 'rules\u202e', metadata: { title: 'Ring\u009b', tags: ['a\u2066'] } };
    const clean = { text: 'The bell rings.', source: 'rules', metadata: { title: 'Ring', tags: ['a'] } };
    await result(engine, 'store', { embedded_chunks: [chunk('a', dirty)] });
    expect(await chunksIn(engine)).toMatchObject([clean]);
    await result(engine, 'edit', { chunks: [{ id: 'a', ...dirty, text: 'It tolls\u0008.' }] });
    expect(await chunksIn(engine)).toMatchObject([{ ...clean, text: 'It tolls.' }]);
    const [header] = await exported(engine);
    const foreign = [header!, JSON.stringify({ id: 'a', ...dirty })];
    await result(engine, 'import_collection', { name: 'copy', lines: lines(foreign), force: true });
    expect(await chunksIn(engine, 'copy')).toMatchObject([clean]);
  });

  it('makes no collection of chunks that lack the vectors that it would hold', async () => {
    const home = folder();
    const { settings } = await modelServer();
    const engine = engineIn(home, settings);
    const done = await result(engine, 'store', { embedded_chunks: [chunk('bare')] });
    expect(done).toMatchObject({ stored: 0, failed: 1, errors: [{ error: expect.stringContaining('kb embed') }] });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3, failed: 0 });
    const words = engineIn(folder());
    expect(await result(words, 'store', { embedded_chunks: [chunk('odd', { embedding: [1, 2, 3] }), chunk('plain')] })).toMatchObject({
      stored: 1,
      failed: 1,
    });
  });

  it('makes no collection where it may not, or where there is nothing to store', async () => {
    const engine = engineIn(folder());
    await expect(result(engine, 'store', { embedded_chunks: [chunk('a')], ensure_collection: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await result(engine, 'store', { embedded_chunks: [] })).toMatchObject({ inputs: 0, stored: 0, failed: 0 });
    expect((await result(engine, 'list_collections', {})).collections).toEqual([]);
  });
});

describe('editing chunks', () => {
  it('changes text and metadata, embeds anew, and lasts until the document changes', async () => {
    const { settings, texts } = await modelServer();
    const engine = await filled(settings);
    const gate = (await chunksIn(engine)).find(({ source }) => source === 'rule-0')!;
    const done = await result(engine, 'edit', {
      chunks: [{ id: String(gate.id), text: 'The gate is locked at eleven.', metadata: { title: 'Rule 0', year: 2030 } }],
    });
    expect(done).toMatchObject({ requested: 1, edited: 1, failed: 0, items: [{ id: gate.id, source: 'rule-0' }] });
    expect(texts().at(-1)).toBe(String(gate.embed_text).replace('ten', 'eleven'));
    const edited = (await chunksIn(engine)).find(({ id }) => id === gate.id)!;
    expect(edited).toMatchObject({ text: 'The gate is locked at eleven.', source: 'rule-0', metadata: { year: 2030 } });
    expect(edited.embedding).not.toEqual(gate.embedding);
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ unchanged: 3 });
    await result(engine, 'ingest', { markdown: [{ ...named[0]!, text: 'The gate stays open.' }] });
    expect((await chunksIn(engine)).find(({ source }) => source === 'rule-0')).toMatchObject({ text: 'The gate stays open.' });
  });

  it('gives a chunk another source, and its document takes it back: no id is there twice', async () => {
    const engine = await filled();
    const one = (await chunksIn(engine)).find(({ source }) => source === 'rule-0');
    await result(engine, 'edit', { chunks: [{ id: String(one!.id), text: 'The gate is open.', source: 'elsewhere' }] });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ sources: 1, unchanged: 2 });
    expect((await chunksIn(engine)).map(({ source }) => source).toSorted()).toEqual(['rule-0', 'rule-1', 'rule-2']);
  });

  it('makes nothing of an unknown id, nor of an empty text', async () => {
    const engine = await filled();
    const [one] = await chunksIn(engine);
    const done = await result(engine, 'edit', {
      chunks: [
        { id: 'ghost', text: 'Boo.' },
        { id: String(one!.id), text: '  ' },
      ],
    });
    expect(done).toMatchObject({ requested: 2, edited: 0, failed: 2 });
    expect(done.errors).toMatchObject([
      { source: 'ghost', source_kind: 'stored_chunk', stage: 'edit', isRetryable: false },
      { source: one!.id, source_kind: 'stored_chunk', stage: 'edit' },
    ]);
    expect(await chunksIn(engine)).toHaveLength(3);
  });
});

describe('deleting chunks', () => {
  it('takes ids, a source or a filter', async () => {
    const engine = await filled();
    const [one] = await chunksIn(engine);
    expect(await result(engine, 'delete', { ids: [String(one!.id), 'ghost'] })).toMatchObject({
      requested: 2,
      deleted: 1,
      failed: 0,
      items: [{ id: one!.id }],
    });
    const rest = await sourcesIn(engine);
    expect(await result(engine, 'delete', { source: rest[0]! })).toMatchObject({ requested: 1, deleted: 1, items: [{ source: rest[0] }] });
    expect(await result(engine, 'delete', { filter: { year: { gte: 2020 } } })).toMatchObject({
      deleted: 1,
      collection: 'default',
      provider: 'lancedb',
    });
    expect(await chunksIn(engine)).toEqual([]);
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ stored: 3 });
  });

  it('refuses what says nothing, says two things, or would empty the collection', async () => {
    const engine = await filled();
    for (const request of [{}, { ids: [] }, { source: '' }, { filter: {} }, { ids: ['a'], source: 'b' }])
      await expect(result(engine, 'delete', request)).rejects.toMatchObject({ code: 'usage' });
    expect(await chunksIn(engine)).toHaveLength(3);
  });

  it('refuses a filter with a key that would be dropped without a word, and takes fields that only look odd', async () => {
    const engine = await filled();
    const [source] = await sourcesIn(engine);
    for (const text of [`{"source":"${source}","__proto__":"x"}`, `{"and":[{"source":"${source}"},{"not":{"__proto__":"x"}}]}`]) {
      const filter = JSON.parse(text) as Filter;
      await expect(result(engine, 'delete', { filter })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('__proto__: no key'),
      });
    }
    await expect(result(engine, 'delete', { filter: parseWhere(`source = '${source}' and __proto__ = x`) })).rejects.toMatchObject({
      code: 'usage',
    });
    for (const name of ['constructor', 'prototype', 'toString', 'a.__proto__.b'])
      expect(await result(engine, 'delete', { filter: { source: source!, [name]: { exists: true } } })).toMatchObject({ deleted: 0 });
    expect(await chunksIn(engine)).toHaveLength(3);
  });
});

describe('the stages by themselves', () => {
  it('give together what an ingest gives', async () => {
    const home = folder({ 'docs/a.md': '# Anchor\n\nIt holds the ship.\n', 'docs/b.csv': 'name,use\nbell,rings\n' });
    const { settings } = await modelServer();
    const engine = engineIn(home, settings);
    await result(engine, 'ingest', { docs: 'docs' });
    const { outputs } = await result(engine, 'parse', { folder: join(home, 'docs') });
    const { items: cut } = await result(engine, 'chunk', { markdown: outputs });
    const { items: embedded } = await result(engine, 'embed', { chunks: cut });
    await result(engineIn(home, { ...settings, collection: 'piped' }), 'store', { embedded_chunks: embedded });
    const plain = (chunks: Record<string, unknown>[]) =>
      chunks
        .map(({ version: _version, chunk_count: _chunk_count, ...rest }): Record<string, unknown> => ({
          ...rest,
          metadata: { ...(rest.metadata as object), ingested_at: 'some time' },
        }))
        .toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    expect(plain(await chunksIn(engine, 'piped'))).toEqual(plain(await chunksIn(engine)));
  });

  it('give the chunks of texts without a name, and of texts that share one, ids of their own', async () => {
    const engine = engineIn(folder());
    for (const request of [{ markdown: TEXTS }, { markdown: TEXTS, source: 'rules' }]) {
      const { items } = await result(engine, 'chunk', request);
      expect(new Set(items.map(({ id }) => id)).size).toBe(3);
    }
    const [bare] = (await result(engine, 'chunk', { markdown: TEXTS })).items;
    const ingested = await result(engine, 'ingest', { markdown: TEXTS[0]! });
    expect(ingested.chunk_result.items[0]!.id).toBe(bare!.id);
  });
});
