import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunksIn, engineIn, modelServer, result, sourcesIn } from '../support/engine.ts';
import { parseWhere } from '../../src/cli/parse-where.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';
import { folder } from '../support/folder.ts';
import { exported, filled, lines, named, TEXTS } from '../support/stored-texts.ts';

describe('storing chunks', () => {
  const chunk = (id: string, rest: object = {}) => ({ id, text: `The text of ${id}.`, source: 'given', metadata: {}, ...rest });

  it('accepts what embed returns, and rejects single invalid chunks', async () => {
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
        ['store', 'embedded_chunk', 'The vector of the chunk "short" has the length 2'],
        ['store', 'embedded_chunk', 'The chunk "bare" has no vector'],
        ['store', 'embedded_chunk', 'The chunk "foreign" was embedded with openai / other'],
        ['store', 'embedded_chunk', 'The chunk "empty" has no text'],
      ]),
    );
    expect((await chunksIn(engine)).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });

  it('writes one chunk per id, the last one given', async () => {
    const engine = engineIn(folder());
    const twice = await result(engine, 'store', { embedded_chunks: [chunk('a'), chunk('a', { text: 'Another text.' })] });
    expect(twice).toMatchObject({ inputs: 2, stored: 1, failed: 0, items: [{ id: 'a' }] });
    await result(engine, 'store', { embedded_chunks: [chunk('b')] });
    expect((await chunksIn(engine)).map(({ id, text }) => [id, text]).toSorted()).toEqual([
      ['a', 'Another text.'],
      ['b', 'The text of b.'],
    ]);
  });

  it('removes control characters from stored, edited and imported chunks', async () => {
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

  it('creates no collection for chunks without the vectors that it needs', async () => {
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

  it('creates no collection if that is forbidden, or if there is nothing to store', async () => {
    const engine = engineIn(folder());
    await expect(result(engine, 'store', { embedded_chunks: [chunk('a')], ensure_collection: false })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await result(engine, 'store', { embedded_chunks: [] })).toMatchObject({ inputs: 0, stored: 0, failed: 0 });
    expect((await result(engine, 'list_collections', {})).collections).toEqual([]);
  });
});

describe('editing chunks', () => {
  it('changes text and metadata, embeds again, and lasts until the document changes', async () => {
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

  it('moves a chunk to another source until its document is ingested again, without doubling an id', async () => {
    const engine = await filled();
    const one = (await chunksIn(engine)).find(({ source }) => source === 'rule-0');
    await result(engine, 'edit', { chunks: [{ id: String(one!.id), text: 'The gate is open.', source: 'elsewhere' }] });
    expect(await result(engine, 'ingest', { markdown: named })).toMatchObject({ sources: 1, unchanged: 2 });
    expect((await chunksIn(engine)).map(({ source }) => source).toSorted()).toEqual(['rule-0', 'rule-1', 'rule-2']);
  });

  it('ignores an unknown id and an empty text', async () => {
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
  it('accepts ids, a source or a filter', async () => {
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

  it('rejects an empty request, two selectors, and one that would empty the collection', async () => {
    const engine = await filled();
    for (const request of [{}, { ids: [] }, { source: '' }, { filter: {} }, { ids: ['a'], source: 'b' }])
      await expect(result(engine, 'delete', request)).rejects.toMatchObject({ code: 'usage' });
    expect(await chunksIn(engine)).toHaveLength(3);
  });

  it('rejects a filter with a key that would be dropped silently, but not odd field names', async () => {
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

describe('single stages', () => {
  it('produce together what an ingest produces', async () => {
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

  it('give unique ids to chunks of texts without a name or with the same name', async () => {
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
