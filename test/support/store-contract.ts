import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Collection, Replacement, StoredChunk, VectorStore } from '../../src/ports/stores.ts';
import { createFilterMatcher } from '../../src/core/filters.ts';
import type { Filter } from '../../src/schema/stored/filter.ts';

const INFO = { name: 'manuals', provider: 'test', model: 'axes', dimensions: 3 };

const vector = (...numbers: number[]): Float32Array => Float32Array.from(numbers);

/** A chunk that differs from others in what is given. */
export const chunk = (id: string, given: Partial<StoredChunk> = {}): StoredChunk => ({
  id,
  text: `The passage ${id}.`,
  source: 'a.md',
  metadata: {},
  vector: vector(1, 0, 0),
  ...given,
});

const added = (source: string, ...chunks: StoredChunk[]): Replacement => ({
  source,
  isNew: true,
  chunks: chunks.map((one) => ({ ...one, source })),
});
const changed = (source: string, ...chunks: StoredChunk[]): Replacement => ({ ...added(source, ...chunks), isNew: false });

export async function everything(collection: Collection, options: { source?: string; vectors?: boolean } = {}): Promise<StoredChunk[]> {
  const found: StoredChunk[] = [];
  for await (const page of collection.all(options)) found.push(...page);
  return found;
}

const idsOf = async (collection: Collection): Promise<string[]> => (await everything(collection)).map(({ id }) => id).toSorted();

/** What every store must do. `open` gives a store that is empty and the test's own. */
export function testStore(kind: string, open: () => Promise<VectorStore>): void {
  describe(`${kind} as a store`, () => {
    let store: VectorStore;
    let collection: Collection;

    beforeEach(async () => {
      store = await open();
      collection = await store.create(INFO);
    });
    afterEach(() => store.close());

    const texts = async (text: string, filter?: Filter) =>
      (await collection.search({ text, filter, limit: 10 })).map((hit) => hit.chunk.id);
    const nearest = async (filter?: Filter) =>
      (await collection.search({ vector: vector(1, 0, 0), filter, limit: 10 })).map((hit) => hit.chunk.id);

    describe('collections', () => {
      it('keeps the embedder of a collection', async () => {
        expect(await store.collections()).toEqual([INFO]);
        expect((await store.open('manuals'))?.info).toEqual(INFO);
        expect(collection.info).toEqual(INFO);
      });

      it('finds no collection that was not created', async () => {
        expect(await store.open('others')).toBeUndefined();
        expect(await store.drop('others')).toBe(false);
      });

      it('rejects a second collection of the same name, and keeps the first', async () => {
        await collection.upsert([chunk('1')]);
        await expect(store.create({ ...INFO, model: 'other' })).rejects.toThrow(/already/);
        expect((await store.open('manuals'))?.info.model).toBe('axes');
        expect(await collection.count()).toBe(1);
      });

      it('drops one collection without touching the others', async () => {
        await store.create({ ...INFO, name: 'notes' });
        expect(await store.drop('manuals')).toBe(true);
        expect((await store.collections()).map((info) => info.name)).toEqual(['notes']);
        expect(await store.open('manuals')).toBeUndefined();
      });

      it('accepts every name that the configuration allows', async () => {
        for (const name of ['A', '0', 'a_b.c-d', 'x'.repeat(63)]) {
          const made = await store.create({ ...INFO, name });
          await made.upsert([chunk('1')]);
          expect((await store.open(name))?.info.name).toBe(name);
        }
      });

      it('hides a draft until it is committed, then replaces the old collection', async () => {
        await collection.upsert([chunk('old')]);
        const draft = await store.draft({ ...INFO, model: 'new', dimensions: 2 });
        await draft.collection.upsert([chunk('new', { vector: vector(1, 0) })]);
        expect(await store.collections()).toEqual([INFO]);
        expect(await idsOf((await store.open('manuals'))!)).toEqual(['old']);
        await draft.commit();
        expect(await store.collections()).toEqual([{ ...INFO, model: 'new', dimensions: 2 }]);
        expect(await idsOf((await store.open('manuals'))!)).toEqual(['new']);
        expect(await idsOf(collection), 'an open collection follows').toEqual(['new']);
      });

      it('forgets a discarded draft', async () => {
        await collection.upsert([chunk('old')]);
        const draft = await store.draft(INFO);
        await draft.collection.upsert([chunk('new')]);
        await draft.discard();
        expect(await idsOf((await store.open('manuals'))!)).toEqual(['old']);
      });

      it('makes a collection of a draft if there was none', async () => {
        const draft = await store.draft({ ...INFO, name: 'fresh' });
        await draft.collection.upsert([chunk('1')]);
        await draft.commit();
        expect(await idsOf((await store.open('fresh'))!)).toEqual(['1']);
      });
    });

    describe('chunks', () => {
      it('returns a chunk as it was given', async () => {
        const metadata = {
          title: 'Größe “x”',
          z: 1,
          a: { list: [1, 'two', null, { deep: true }], empty: [] },
          '': 0,
          big: 1e300,
          text: "quote ' and \\ and \u0001",
        };
        const given = chunk('1', {
          embed_text: 'Manual > Care\n\nThe passage 1.',
          metadata,
          version: 'v1',
          chunk_count: 7,
          vector: vector(0.25, -0.5, 1),
        });
        await collection.upsert([given]);
        const [got] = await collection.get(['1']);
        expect(got).toEqual(given);
        expect(Object.keys(got!.metadata)).toEqual(Object.keys(metadata));
      });

      it('distinguishes an absent, an empty, an equal and another embed_text', async () => {
        const given = [undefined, '', 'The text.', 'Before. The text.', 'something else'].map((embed_text, i) =>
          chunk(`${i}`, { text: 'The text.', ...(embed_text === undefined ? {} : { embed_text }) }),
        );
        await collection.upsert(given);
        expect(await collection.get(given.map(({ id }) => id))).toEqual(given);
      });

      it('finds chunks by id, in the requested order, without missing ones', async () => {
        const odd = ["it's", '"; DROP TABLE x; --', "' OR '1'='1", '日本語', '\u{1f600}', 'a\nb', '%', '\\', ' ', 'x'.repeat(500)];
        await collection.upsert(odd.map((id) => chunk(id)));
        expect((await collection.get(odd.toReversed())).map(({ id }) => id)).toEqual(odd.toReversed());
        expect((await collection.get(['none', odd[0]!, odd[0]!])).map(({ id }) => id)).toEqual([odd[0]]);
        expect(await collection.get([])).toEqual([]);
      });

      it('finds and deletes 5,000 ids at once', async () => {
        const ids = Array.from({ length: 5_000 }, (_, i) => `id-${i}`);
        await collection.upsert(ids.map((id) => chunk(id)));
        expect((await collection.get(ids)).map(({ id }) => id)).toEqual(ids);
        expect(await collection.delete({ ids: ids.slice(1) })).toHaveLength(4_999);
        expect(await idsOf(collection)).toEqual(['id-0']);
      });

      it('overwrites the chunk with the same id, also within one batch', async () => {
        await collection.upsert([chunk('1'), chunk('2')]);
        await collection.upsert([chunk('1', { text: 'first' }), chunk('1', { text: 'last' })]);
        expect(await collection.count()).toBe(2);
        expect((await collection.get(['1']))[0]!.text).toBe('last');
      });

      it('does nothing for empty input', async () => {
        await collection.upsert([]);
        await collection.replace([]);
        expect(await collection.delete({ ids: [] })).toEqual([]);
        const empty: Filter[] = [{}, { and: [{}] }, { or: [{}, { source: 'a' }] }];
        for (const filter of empty) expect(await collection.delete({ filter })).toEqual([]);
        expect(await collection.count()).toBe(0);
      });

      it('reads everything in pages, on request with vectors, and of one source', async () => {
        const many = Array.from({ length: 2_500 }, (_, i) => chunk(`${i}`, { source: i % 2 ? 'odd' : 'even' }));
        await collection.upsert(many);
        const pages: number[] = [];
        for await (const page of collection.all()) pages.push(page.length);
        expect(pages.length).toBeGreaterThan(1);
        expect(pages.reduce((sum, size) => sum + size, 0)).toBe(2_500);
        expect(await everything(collection)).toEqual(await everything(collection));
        expect((await everything(collection, { source: 'odd' })).every(({ source }) => source === 'odd')).toBe(true);
        expect((await everything(collection))[0]).not.toHaveProperty('vector');
        expect((await everything(collection, { vectors: true }))[0]!.vector).toEqual(vector(1, 0, 0));
      });

      it('rejects a vector of another length, naming both, and writes nothing of its batch', async () => {
        for (const wrong of [vector(1, 2), vector(1, 2, 3, 4), undefined]) {
          await expect(collection.upsert([chunk('right'), chunk('wrong', { vector: wrong })])).rejects.toMatchObject({
            code: 'invalid',
            message: expect.stringContaining('"wrong"'),
          });
        }
        await expect(collection.replace([added('s', chunk('x', { vector: vector(1, 2) }))])).rejects.toThrow(/2 numbers.*3 numbers/);
        expect(await collection.count()).toBe(0);
      });

      it('rejects a vector with NaN or infinity', async () => {
        for (const bad of [Number.NaN, Number.POSITIVE_INFINITY])
          await expect(collection.upsert([chunk('1', { vector: vector(1, bad, 0) })])).rejects.toMatchObject({ code: 'invalid' });
      });

      it('stores chunks without vectors if the collection has none', async () => {
        const words = await store.create({ ...INFO, name: 'words', dimensions: 0 });
        const { vector: _none, ...plain } = chunk('1', { text: 'The pump hums.' });
        await words.replace([added('a.md', plain)]);
        expect(await words.get(['1'])).toEqual([plain]);
        expect((await words.search({ text: 'pump', limit: 5 })).map((hit) => hit.chunk.id)).toEqual(['1']);
        await expect(words.search({ vector: vector(1, 0, 0), limit: 5 })).rejects.toMatchObject({ code: 'invalid' });
        await expect(words.upsert([chunk('2')])).rejects.toMatchObject({ code: 'invalid' });
      });
    });

    describe('replacing documents', () => {
      it('replaces the old chunks of each source by the new ones', async () => {
        await collection.replace([added('a', chunk('a1'), chunk('a2'), chunk('a3')), added('b', chunk('b1'))]);
        await collection.replace([changed('a', chunk('a2', { text: 'edited' }), chunk('a4')), added('c', chunk('c1'))]);
        expect(await idsOf(collection)).toEqual(['a2', 'a4', 'b1', 'c1']);
        expect((await collection.get(['a2']))[0]!.text).toBe('edited');
      });

      it('removes a source without chunks', async () => {
        await collection.replace([added('a', chunk('a1')), added('b', chunk('b1'))]);
        await collection.replace([changed('a')]);
        expect(await idsOf(collection)).toEqual(['b1']);
      });

      it('takes over a chunk that moved from another source', async () => {
        await collection.replace([added('a', chunk('1'), chunk('2'))]);
        await collection.replace([changed('b', chunk('1'))]);
        expect((await collection.get(['1', '2'])).map(({ source }) => source)).toEqual(['b', 'a']);
      });

      it('shows readers all old or all new chunks of a document, never a mixture', async () => {
        const version = (n: number) => Array.from({ length: 20 + (n % 7) }, (_, i) => chunk(`${i}`, { version: `${n}` }));
        await collection.replace([added('a', ...version(0))]);
        let writing = true;
        const write = (async () => {
          for (let n = 1; n <= 15; n++) await collection.replace([changed('a', ...version(n))]);
          writing = false;
        })();
        while (writing) {
          const chunks = await everything(collection);
          const versions = new Set(chunks.map((one) => one.version));
          expect(versions.size).toBe(1);
          expect(chunks).toHaveLength(20 + (Number([...versions][0]) % 7));
        }
        await write;
      });

      it('finds the new text and not the old one, before and after optimizing', async () => {
        await collection.replace([added('a', chunk('1', { text: 'the red pump' }))]);
        await collection.replace([changed('a', chunk('1', { text: 'the blue heater' }))]);
        for (let round = 0; round < 2; round++) {
          expect(await texts('pump')).toEqual([]);
          expect(await texts('heater')).toEqual(['1']);
          await collection.optimize();
        }
      });

      it('returns the state of each source', async () => {
        const of = (id: string, version: string, chunk_count: number, source_kind = 'path') =>
          chunk(id, { version, chunk_count, metadata: { source_kind } });
        await collection.replace([
          added('a', of('1', 'v1', 2), of('2', 'v1', 2)),
          added('b', of('3', 'v2', 3, 'url')),
          added('c', of('4', 'v1', 2), of('5', 'v2', 2)),
        ]);
        await collection.upsert([chunk('6', { source: 'd' })]);
        expect(await collection.sources()).toEqual(
          new Map([
            ['a', { source: 'a', source_kind: 'path', version: 'v1', chunks: 2, chunk_count: 2 }],
            ['b', { source: 'b', source_kind: 'url', version: 'v2', chunks: 1, chunk_count: 3 }],
            ['c', { source: 'c', source_kind: 'path', version: '', chunks: 2, chunk_count: 2 }],
            ['d', { source: 'd', source_kind: '', version: '', chunks: 1, chunk_count: 0 }],
          ]),
        );
      });
    });

    describe('the contents of sources', () => {
      const of = (id: string, text: string, metadata: StoredChunk['metadata']) => chunk(id, { text, metadata });
      beforeEach(() =>
        collection.replace([
          added("it's", of('1', 'four', { year: 2020 }), of('2', 'größe', { year: 2020 })),
          added('b', of('3', 'the third', { year: 2021, title: 'B' })),
        ]),
      );

      it('are counted without reading texts, for stored sources only', async () => {
        expect(await collection.contents(["it's", 'b', 'none'])).toEqual(
          new Map([
            ["it's", { chunks: 2, characters: 9, metadata: { year: 2020 } }],
            ['b', { chunks: 1, characters: 9, metadata: { year: 2021, title: 'B' } }],
          ]),
        );
        expect(await collection.contents([])).toEqual(new Map());
      });

      it('are returned for more sources than fit into one request', async () => {
        const many = Array.from({ length: 2_500 }, (_, i) => added(`s${i}`, chunk(`s${i}`)));
        await collection.replace(many);
        expect((await collection.contents(many.map(({ source }) => source))).size).toBe(2_500);
      });

      it('are listed for the sources that match a filter', async () => {
        expect(await collection.sourcePage({ filter: { year: { gt: 2020 } }, limit: 9 })).toEqual({ sources: ['b'], total: 1 });
        expect(await collection.sourcePage({ filter: { year: 1 }, limit: 9 })).toEqual({ sources: [], total: 0 });
        const recent: Filter = { year: { gt: 2020 } };
        for (const filter of [{ and: [{}, recent] }, { and: [recent, {}, {}] }, { ...recent, and: [{}] }, { and: [{ and: [{}] }, recent] }])
          expect(await collection.sourcePage({ filter, limit: 9 })).toEqual({ sources: ['b'], total: 1 });
      });

      it('are listed in pages, in the order of names, with what was written meanwhile', async () => {
        const names = ['\u{1f600}', '\uff5e', 'a', 'A', "it's", 'b', 'é'];
        const sorted = ['A', 'a', 'b', "it's", 'é', '\uff5e', '\u{1f600}'];
        await collection.replace(names.map((name) => changed(name, chunk(`1${name}`), chunk(`2${name}`), chunk(`3${name}`))));
        const listed: string[] = [];
        for (let after: string | undefined; ; after = listed.at(-1)) {
          const { sources, total } = await collection.sourcePage({ after, limit: 3 });
          expect(total).toBe(names.length);
          listed.push(...sources);
          if (sources.length === 0) break;
        }
        expect(listed).toEqual(sorted);
        await collection.delete({ source: 'a' });
        await collection.upsert([chunk('x', { source: 'B' }), chunk('y', { source: 'Ä' })]);
        expect(await collection.sourcePage({ after: 'A', limit: 2 })).toEqual({ sources: ['B', 'b'], total: 8 });
        expect(await collection.sourcePage({ limit: 0 })).toEqual({ sources: [], total: 8 });
      });

      it('are listed even if a page of the store holds less than one source', async () => {
        const many = (name: string) => added(name, ...Array.from({ length: 2_500 }, (_, i) => chunk(`${name}${i}`)));
        await collection.replace([many('c'), many('d'), many('e')]);
        expect(await collection.sourcePage({ after: 'b', limit: 3 })).toEqual({ sources: ['c', 'd', 'e'], total: 5 });
        expect(await collection.sourcePage({ after: 'b', limit: 2, filter: { source: { prefix: 'd' } } })).toEqual({
          sources: ['d'],
          total: 1,
        });
      });
    });

    describe('deleting', () => {
      beforeEach(() =>
        collection.replace([
          added("it's", chunk('1', { metadata: { year: 2020 } }), chunk('2')),
          added('b', chunk('3', { metadata: { year: 2021 } })),
        ]),
      );

      it('removes by ids, by source and by filter, and returns what was removed', async () => {
        expect(await collection.delete({ ids: ['2', 'none'] })).toEqual([{ id: '2', source: "it's" }]);
        expect(await collection.delete({ filter: { year: { gt: 2020 } } })).toEqual([{ id: '3', source: 'b' }]);
        expect(await collection.delete({ source: "it's" })).toEqual([{ id: '1', source: "it's" }]);
        expect(await collection.count()).toBe(0);
      });

      it('treats a source that looks like a condition as a name', async () => {
        expect(await collection.delete({ source: "' OR '1'='1" })).toEqual([]);
        expect(await collection.delete({ filter: { "x' OR 1=1 --": "' OR '1'='1" } })).toEqual([]);
        expect(await collection.count()).toBe(3);
      });
    });

    describe('searching', () => {
      it('finds nothing in an empty collection', async () => {
        expect(await texts('anything')).toEqual([]);
        expect(await nearest()).toEqual([]);
        expect(await collection.sources()).toEqual(new Map());
        await collection.optimize();
        expect(await texts('anything')).toEqual([]);
      });

      it('orders by cosine, whatever the lengths of the vectors, and returns the vectors', async () => {
        await collection.upsert([
          chunk('far', { vector: vector(0, 1, 0) }),
          chunk('near', { vector: vector(9, 1, 0) }),
          chunk('opposite', { vector: vector(-2, 0, 0) }),
          chunk('none', { vector: vector(0, 0, 0) }),
        ]);
        const hits = await collection.search({ vector: vector(2, 0, 0), limit: 3 });
        expect(hits.map((hit) => hit.chunk.id).slice(0, 2)).toEqual(['near', expect.stringMatching(/far|none/)]);
        expect(hits[0]!.score).toBeCloseTo(9 / Math.hypot(9, 1), 5);
        expect(hits[0]!.chunk.vector).toEqual(vector(9, 1, 0));
        const all = await collection.search({ vector: vector(1, 0, 0), limit: 9 });
        expect(all.find((hit) => hit.chunk.id === 'opposite')?.score ?? -1).toBeCloseTo(-1, 5);
      });

      it('finds words by their stems, in any case and accent, in the text and in the headings', async () => {
        await collection.upsert([
          chunk('1', { text: 'Replacing the FILTERS', embed_text: 'Café manual\n\nReplacing the FILTERS' }),
          chunk('2', { text: 'nothing of this' }),
        ]);
        expect(await texts('replaced filter')).toEqual(['1']);
        expect(await texts('cafe')).toEqual(['1']);
        expect((await collection.search({ text: 'filter', limit: 1 }))[0]!.chunk.vector).toEqual(vector(1, 0, 0));
      });

      it('finds exact identifiers before similar ones', async () => {
        const codes = ['ERR-404', 'ERR-40421', 'ERR-2404', 'ERR-4042', 'ERR-4043'];
        await collection.upsert(codes.map((code) => chunk(code, { text: `The code ${code} is shown.` })));
        for (const code of codes) expect((await texts(code))[0]).toBe(code);
      });

      it('finds text in scripts without spaces', async () => {
        await collection.upsert([
          chunk('zh', { text: '我们每天喝绿茶。' }),
          chunk('ja', { text: '東京都の図書館' }),
          chunk('ko', { text: '도서관에서 책을 읽는다' }),
          chunk('th', { text: 'ห้องสมุดสาธารณะ' }),
        ]);
        expect(await texts('绿茶')).toEqual(['zh']);
        expect(await texts('茶')).toEqual(['zh']);
        expect((await texts('図書館'))[0]).toBe('ja');
        expect(await texts('도서관')).toEqual(['ko']);
        expect(await texts('ห้องสมุด')).toEqual(['th']);
      });

      it('accepts any text as a query', async () => {
        await collection.upsert([chunk('1', { text: 'a pump' })]);
        for (const text of [
          '',
          '   ',
          '???',
          '"',
          'AND OR NOT',
          'a:b^2~ (c) [d TO e] {f} * ? \\',
          "'; DROP TABLE",
          '\u0000',
          '\u{1f600}',
          'x'.repeat(10_000),
        ]) {
          expect(Array.isArray(await texts(text))).toBe(true);
        }
        expect(await texts('(pump) AND "x"')).toEqual(['1']);
      });

      it('returns at most the requested number, best first', async () => {
        await collection.upsert(
          Array.from({ length: 30 }, (_, i) => chunk(`${i}`, { text: `pump ${'filler '.repeat(i)}`, vector: vector(1, i, 0) })),
        );
        for (const request of [{ text: 'pump' }, { vector: vector(1, 0, 0) }]) {
          const hits = await collection.search({ ...request, limit: 7 });
          expect(hits).toHaveLength(7);
          expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
          expect(hits[0]!.chunk.id).toBe('0');
          expect(await collection.search({ ...request, limit: 100 })).toHaveLength(30);
          expect(await collection.search({ ...request, limit: 0 })).toEqual([]);
        }
      });

      it('rejects a query vector of another length, naming both', async () => {
        await collection.upsert([chunk('1')]);
        await expect(collection.search({ vector: vector(1, 2), limit: 5 })).rejects.toThrow(/2 numbers.*3 numbers/);
      });

      it('finds the same before and after optimizing, and later chunks', async () => {
        await collection.replace(
          Array.from({ length: 300 }, (_, i) =>
            added(
              `${i}`,
              ...Array.from({ length: 5 }, (_chunk, j) =>
                chunk(`${i}-${j}`, { text: `Passage ${j} about number${i}.`, vector: vector(1, i, j) }),
              ),
            ),
          ),
        );
        const found = async () => [
          (await texts('number77 passage')).slice(0, 5),
          await nearest({ source: 'a.md' }),
          await nearest({ source: '5' }),
        ];
        const before = await found();
        expect(before).toEqual([['77-0', '77-1', '77-2', '77-3', '77-4'], [], ['5-0', '5-1', '5-2', '5-3', '5-4']]);
        await collection.optimize();
        expect(await found()).toEqual(before);
        await collection.upsert([chunk('late', { text: 'a late arrival', source: '5', vector: vector(1, 0, 0) })]);
        expect(await texts('arrival')).toEqual(['late']);
        expect((await nearest({ source: '5' }))[0]).toBe('late');
        expect(await collection.count()).toBe(1_501);
      });
    });

    describe('filters', () => {
      const odd = 'it\'s "a" \\ %_ [x] (y) *.+?^$| ‹日本›';
      beforeEach(() =>
        collection.upsert([
          chunk('1', {
            text: 'pump',
            source: "o'hara.md",
            metadata: {
              title: 'One',
              year: 1999,
              price: -2.5,
              lang: 'de',
              draft: false,
              tags: ['a', 'b'],
              date: '2024-01-31',
              location: { page: 3, headings: ['Care', 'Oil'] },
              [odd]: odd,
            },
          }),
          chunk('2', {
            text: 'pump',
            source: 'docs/b.md',
            metadata: {
              title: 'Two',
              year: 2024,
              price: 10,
              lang: 'en',
              draft: true,
              tags: ['c'],
              date: '2024-05-01T10:00:00Z',
              location: { page: 12 },
              codes: [1, 50],
            },
          }),
          chunk('3', {
            text: 'pump',
            source: 'docs/c.md',
            metadata: { title: 'Two and a half', year: '2030', lang: 'end', note: 'lang\u0002en' },
          }),
        ]),
      );

      const cases: [string, Filter, string[]][] = [
        ['a text', { lang: 'en' }, ['2']],
        ['a part of a text, which is not it', { lang: 'e' }, []],
        ['a number', { year: 1999 }, ['1']],
        ['a number that is written as text', { year: '1999' }, ['1']],
        ['a truth value', { draft: true }, ['2']],
        ['one of a list', { tags: 'b' }, ['1']],
        ['a nested key', { 'location.page': 12 }, ['2']],
        ['a list in a nested key', { 'location.headings': 'Oil' }, ['1']],
        ['odd characters in key and value', { [odd]: odd }, ['1']],
        ['odd characters among others', { [odd]: { in: ['x', odd] } }, ['1']],
        ['any of several', { lang: { in: ['de', 'en', 'fr'] } }, ['1', '2']],
        ['any of several numbers', { year: { in: [1999, 2024] } }, ['1', '2']],
        ['the title', { title: 'Two' }, ['2']],
        ['the source', { source: "o'hara.md" }, ['1']],
        ['one of several sources', { source: { in: ['docs/b.md', 'docs/c.md', 'none'] } }, ['2', '3']],
        ['a range of sources', { source: { gte: 'docs/', lt: 'docs/c' } }, ['2']],
        ['numbers from', { year: { gte: 2000 } }, ['2', '3']],
        ['numbers below', { price: { lt: 0 } }, ['1']],
        ['numbers within', { price: { gt: -2.5, lte: 10 } }, ['2']],
        ['numbers of a list, both bounds for the same one', { codes: { gt: 1, lt: 50 } }, []],
        ['a page from', { 'location.page': { gte: 3, lt: 4 } }, ['1']],
        ['dates from', { date: { gte: '2024-02-01' } }, ['2']],
        ['dates within', { date: { gte: '2024-01-31', lt: '2024-02' } }, ['1']],
        ['titles from', { title: { gt: 'Two' } }, ['3']],
        ['several keys at once', { lang: { in: ['de', 'en'] }, year: { gt: 2000 } }, ['2']],
        ['an unknown key', { nothing: 1 }, []],
        ['what only looks like an entry', { note: 'x', lang: 'en' }, []],
        ['nothing', {}, ['1', '2', '3']],
        ['what is not', { not: { lang: 'en' } }, ['1', '3']],
        ['what lacks the field', { not: { price: { lt: 0 } } }, ['2', '3']],
        ['a field that is there', { price: { exists: true } }, ['1', '2']],
        ['a field that is not there', { draft: { exists: false } }, ['3']],
        ['odd characters in a key that is there', { [odd]: { exists: true } }, ['1']],
        ['a source, which is always there', { source: { exists: true } }, ['1', '2', '3']],
        ['no source', { not: { source: { exists: true } } }, []],
        ['the beginning of a source', { source: { prefix: 'docs/' } }, ['2', '3']],
        ['the beginning of a source with odd characters', { source: { prefix: "o'" } }, ['1']],
        ['the beginning of a text', { title: { prefix: 'Two' } }, ['2', '3']],
        ['the beginning of an entry of a list', { 'location.headings': { prefix: 'Oi' } }, ['1']],
        ['odd characters at the beginning', { [odd]: { prefix: odd.slice(0, 20) } }, ['1']],
        ['a beginning that is a wildcard elsewhere', { title: { prefix: '%' } }, []],
        ['either of two', { or: [{ lang: 'de' }, { year: { gt: 2024 } }] }, ['1', '3']],
        ['either, where one looks for texts', { or: [{ lang: 'de' }, { title: { prefix: 'Two and' } }] }, ['1', '3']],
        ['both of two', { and: [{ year: { gt: 2000 } }, { not: { lang: 'en' } }] }, ['3']],
        ['keys beside a combination', { price: { exists: true }, or: [{ lang: 'en' }, { lang: 'end' }] }, ['2']],
        ['several signs of one field', { year: { gte: 1990, lt: 2025, in: [2024, 2030] } }, ['2']],
        ['what is deep', { not: { or: [{ and: [{ lang: 'de' }, { not: { draft: true } }] }, { source: 'docs/c.md' }] } }, ['2']],
      ];

      it('match as documented, by words and by meaning, as in memory', async () => {
        const stored = await everything(collection);
        for (const [name, filter, expected] of cases) {
          expect.soft((await nearest(filter)).toSorted(), name).toEqual(expected);
          expect.soft((await texts('pump', filter)).toSorted(), name).toEqual(expected);
          expect
            .soft(
              stored
                .filter(createFilterMatcher(filter))
                .map(({ id }) => id)
                .toSorted(),
              name,
            )
            .toEqual(expected);
        }
      });

      it('are applied before the search, not after it', async () => {
        await collection.upsert(
          Array.from({ length: 400 }, (_, i) => chunk(`near${i}`, { text: 'pump pump pump', metadata: { lang: 'xx' } })),
        );
        await collection.upsert([
          chunk('far', { text: `pump ${'filler '.repeat(50)}`, vector: vector(-1, 0, 0), metadata: { lang: 'yy' } }),
        ]);
        for (const request of [{ text: 'pump' }, { vector: vector(1, 0, 0) }]) {
          expect((await collection.search({ ...request, filter: { lang: 'yy' }, limit: 1 })).map((hit) => hit.chunk.id)).toEqual(['far']);
        }
      });

      it('with contradicting bounds are rejected', async () => {
        await expect(nearest({ year: { gte: 1, lt: 'b' } })).rejects.toMatchObject({ code: 'usage' });
      });
    });

    describe('the lock', () => {
      it('admits one writer at a time, and reports once that another waits', async () => {
        const order: string[] = [];
        let waited = 0;
        const release = await store.lock('manuals');
        const second = store.lock('manuals', { onWait: () => waited++ }).then((leave) => {
          order.push('second');
          return leave;
        });
        await new Promise((done) => setTimeout(done, 400));
        order.push('first leaves');
        await release();
        await (
          await second
        )();
        expect(order).toEqual(['first leaves', 'second']);
        expect(waited).toBe(1);
      });

      it('is separate for each collection, and free again after its release', async () => {
        const releases = [await store.lock('manuals'), await store.lock('notes')];
        for (const release of releases) await release();
        await (
          await store.lock('manuals', { onWait: () => expect.fail('nobody holds it') })
        )();
      });

      it('is waited for no longer than the signal allows', async () => {
        const release = await store.lock('manuals');
        const stop = new AbortController();
        const waiting = store.lock('manuals', { signal: stop.signal, onWait: () => stop.abort() });
        await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
        await release();
        await (
          await store.lock('manuals')
        )();
      });
    });
  });
}
