import { join } from 'node:path';
import { connect, type Table } from '@lancedb/lancedb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import { toArrowTable } from '../../../../src/drivers/stores/lancedb/columns.ts';
import { toLabel, toRowLabels } from '../../../../src/drivers/stores/lancedb/field-entries.ts';
import { filterSql } from '../../../../src/drivers/stores/lancedb/lancedb-filter.ts';
import type { StoredChunk, VectorStore } from '../../../../src/ports/stores.ts';
import type { Filter } from '../../../../src/schema/stored/filter.ts';
import { folder } from '../../../support/folder.ts';
import { everything } from '../../../support/store-contract.ts';

const INFO = { name: 'notes', provider: 'none', model: '', dimensions: 0 };
const LANGUAGES = ['de', 'en', 'fr', "l'oc"];

/** A chunk whose metadata has values of every kind. */
const note = (i: number, given: Partial<StoredChunk> = {}): StoredChunk => ({
  id: `note-${i}`,
  text: `Note ${i} about the gate.`,
  source: `notes/${i % 90}.md`,
  metadata: {
    title: `Note ${i}`,
    ...(i % 11 === 0 ? {} : { lang: LANGUAGES[i % 4]! }),
    year: 1990 + (i % 30),
    draft: i % 3 === 0,
    tags: i % 5 === 0 ? [] : [`t${i % 7}`, `t${i % 13}`, 'all'],
    owner: { name: `team ${i % 17}`, note: 'x'.repeat(i % 60) },
    location: { line_start: i },
    serial: i % 2 === 0 ? 1_000_000 + (i % 50) : String(1_000_000 + (i % 50)),
    key: i % 2 === 0 ? 1_234_567_890_123_456 : '1234567890123456',
    release: `10.${i % 9}.12`,
  },
  ...given,
});

const FILTERS: Filter[] = [
  { lang: 'de' },
  { lang: "l'oc" },
  { lang: { in: ['de', 'fr', 'nowhere'] } },
  { not: { lang: 'de' } },
  { not: { or: [{ lang: 'de' }, { tags: 't3' }] } },
  { tags: { in: ['t1', 't5'] } },
  { tags: 'all', draft: true },
  { year: 2001 },
  { year: '2001' },
  { year: { gte: 2010 }, lang: 'en' },
  { or: [{ lang: 'en' }, { year: { gte: 2015 } }] },
  { or: [{ lang: 'en' }, { source: { in: ['notes/3.md', 'notes/4.md'] } }] },
  { or: [{ and: [{ lang: 'en' }, { tags: { prefix: 't1' } }] }, { draft: true }] },
  { not: { tags: { exists: true } }, lang: { in: LANGUAGES } },
  { 'owner.name': 'team 4' },
  { 'owner.note': 'x'.repeat(40) },
  { 'owner.note': 'x'.repeat(41) },
  { 'owner.note': { in: ['', 'x'.repeat(59)] } },
  { title: 'Note 17' },
  { 'location.line_start': 17 },
  { lang: 'nowhere' },
  { serial: 1_000_024 },
  { serial: '1000025' },
  { key: '1234567890123456' },
  { key: 1_234_567_890_123_456 },
  { release: '10.4.12' },
  { year: 1999, release: { in: ['10.4.12', '10.5.12'] } },
  { nofield: 'de' },
];

async function open(url = join(folder(), 'base')): Promise<{ url: string; store: VectorStore; table: () => Promise<Table> }> {
  const store = await openLanceDb({ url });
  onTestFinished(() => store.close());
  const table = async () => {
    const connection = await connect(url);
    return await connection.openTable((await connection.tableNames()).find((name) => name.startsWith('kb.notes'))!);
  };
  return { url, store, table };
}

const idsWhere = async (table: Table, condition: string): Promise<string[]> =>
  ((await table.query().where(condition).select(['id']).toArray()) as { id: string }[]).map(({ id }) => id).toSorted();

/** By its labels and their index, each filter means the rows that a look at all fields finds. */
async function expectSame(table: Table): Promise<void> {
  for (const filter of FILTERS)
    expect(await idsWhere(table, filterSql(filter, true)!), JSON.stringify(filter)).toEqual(
      await idsWhere(table, filterSql(filter, false)!),
    );
}

describe('labels of filters', () => {
  it('are made of short values, except for keys that are unique to a passage', () => {
    const labels = toRowLabels(note(41).metadata);
    expect(labels.map((label) => label.replace('\u0002', '='))).toEqual([
      'lang=en',
      'year=2001',
      'draft=false',
      'tags=t6',
      'tags=t2',
      'tags=all',
      'owner.name=team 7',
      'key=1234567890123456',
      'release=10.5.12',
    ]);
    expect(toRowLabels({})).toEqual([]);
    for (const [field, value] of [
      ['title', 'x'],
      ['location.page', 3],
      ['serial', 12_345],
      ['serial', '-12.25'],
      ['key', '1234567890123456'],
      ['lang', 'x'.repeat(41)],
      ['k'.repeat(65), 'x'],
    ] as const)
      expect(toLabel(field, value)).toBeUndefined();
    expect(toLabel('title.de', 'x'.repeat(40))).toBe(`title.de\u0002${'x'.repeat(40)}`);
  });

  it('select the same rows as the fields after writes, edits, deletions and maintenance', { timeout: 60_000 }, async () => {
    const { store, table } = await open();
    const collection = await store.create(INFO);
    await collection.upsert(Array.from({ length: 3_000 }, (_, i) => note(i)));
    await expectSame(await table());
    await collection.optimize();
    expect((await (await table()).listIndices()).map(({ name }) => name)).toContain('labels_idx');
    await expectSame(await table());
    const changed = Array.from({ length: 400 }, (_, i) => note(i * 3 + 1, { id: `note-${i * 3}` }));
    await collection.upsert(changed);
    await collection.replace([{ source: 'notes/7.md', chunks: [note(7), note(9_007)], isNew: false }]);
    await collection.replace([{ source: 'new', chunks: [note(9_100, { source: 'new', metadata: {} })], isNew: true }]);
    await expectSame(await table());
    expect(await collection.delete({ filter: { lang: 'fr' } })).not.toHaveLength(0);
    expect(await collection.delete({ filter: { lang: 'fr' } })).toHaveLength(0);
    await expectSame(await table());
    await collection.optimize();
    await expectSame(await table());
    await collection.upsert(Array.from({ length: 1_500 }, (_, i) => note(i + 10_000)));
    await collection.optimize({ whole: true });
    await expectSame(await table());
    const [condition] = [filterSql({ lang: 'de' }, true)!];
    expect(await (await table()).query().where(condition).explainPlan()).toContain('ScalarIndexQuery');
  });

  it('keep versions of kb from writing that do not know labels', async () => {
    const { store, table } = await open();
    const collection = await store.create(INFO);
    await collection.upsert([note(0), note(1)]);
    const whole = await toArrowTable([note(0, { metadata: { lang: 'xx' } }), note(2)], INFO);
    const rows = whole.select(whole.schema.names.filter((name) => name !== 'labels'));
    const merging = async () => (await table()).mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
    for (const write of [merging, async () => (await table()).add(rows)]) await expect(write()).rejects.toThrow('labels');
    expect(await everything(collection)).toHaveLength(2);
    await expectSame(await table());
  });

  it('support as many values as a filter may have', async () => {
    const { store } = await open();
    const collection = await store.create(INFO);
    await collection.upsert(Array.from({ length: 1_500 }, (_, i) => note(i)));
    await collection.optimize();
    const values = ['de', ...Array.from({ length: 9_999 }, (_, i) => `other ${i}`)];
    const [many, one] = await Promise.all(
      [{ in: values }, 'de'].map((lang) => collection.search({ text: 'gate', filter: { lang }, limit: 1_000 })),
    );
    expect(many).toEqual(one);
    expect(one!.length).toBeGreaterThan(300);
  });

  it('are required: a table without them is refused, and can be dropped', async () => {
    const { url, store, table } = await open();
    await (await store.create(INFO)).upsert([note(0)]);
    await (await table()).dropColumns(['labels']);
    const { store: other } = await open(url);
    await expect(other.open('notes')).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('development version'),
    });
    const problems = await other.problems!();
    expect(problems).toMatchObject([{ problem: expect.stringContaining('development version') }]);
    expect(problems[0]!.repair).toBeUndefined();
    expect((await other.collections()).map(({ name }) => name)).toEqual(['notes']);
    expect(await other.drop('notes')).toBe(true);
    expect(await other.open('notes')).toBeUndefined();
  });
});
