import { describe, expect, it } from 'vitest';
import { collect } from '../../src/core/run.ts';
import type { AccessRights } from '../../src/core/access-rights.ts';
import type { Engine } from '../../src/ports/engines.ts';
import type { OperationName, RequestOf } from '../../src/schema/operations.ts';
import { engineIn, result, sourcesIn, WORDS, qdrantServer } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

/** A token that may do everything, but with one collection alone. */
const access: AccessRights = { name: 'north', scopes: ['read', 'write', 'admin'], collections: ['north', 'north.old'] };

const STORES: Record<string, () => Promise<Engine>> = {
  LanceDB: async () => engineIn(folder()),
  Qdrant: async () => {
    const { storage } = await qdrantServer();
    return engineIn(folder(), { ...WORDS, storage });
  },
};

describe.each(Object.entries(STORES))('in %s, a token for one collection', (_, open) => {
  /** The collections north and south with a document each, and a snapshot of both. */
  async function filled(): Promise<Engine> {
    const engine = await open();
    for (const collection of ['north', 'south']) {
      await result(engine, 'ingest', {
        markdown: [{ source: `${collection}.md`, text: `Kept in the ${collection}.` }],
        storage: { collection },
      });
      await result(engine, 'create_snapshot', { collection, name: 'first' });
    }
    return engine;
  }

  it('copies, keeps and restores its own collection, and nothing of another one', async () => {
    const engine = await filled();
    const run = async <Name extends OperationName>(name: Name, request: RequestOf<Name>) =>
      (await collect(engine.run(name, request, { access }))).result;
    const hostile: [OperationName, object][] = [
      ['copy_collection', { name: 'south', to: 'north.old' }],
      ['copy_collection', { name: 'north', to: 'south' }],
      ['copy_collection', { name: 'north', to: 'elsewhere' }],
      ['create_snapshot', { collection: 'south', name: 'second' }],
      ['restore_snapshot', { collection: 'south', name: 'first' }],
      ['delete_snapshot', { collection: 'south', name: 'first' }],
      ['optimize_collection', { collection: 'south' }],
      ['reembed_collection', { name: 'south' }],
      ['drop_collection', { name: 'south' }],
      ['export_collection', { name: 'south' }],
      ['import_collection', { name: 'south', lines: [] }],
      ['list_sources', { name: 'south' }],
    ];
    for (const [name, request] of hostile) await expect(run(name, request as never), name).rejects.toMatchObject({ code: 'forbidden' });
    for (const name of ['.snapshot.south.0.first', 'south.0.first', '../south', 'north/../south', 'kb.south'])
      for (const operation of ['export_collection', 'show_collection', 'drop_collection'] as const)
        await expect(run(operation, { name }), name).rejects.toMatchObject({ code: expect.stringMatching(/^(usage|forbidden)$/) });
    for (const name of ['south.first', '../first', 'first@', '.first', 'first'.repeat(40)])
      await expect(run('restore_snapshot', { collection: 'north', name }), name).rejects.toMatchObject({
        code: expect.stringMatching(/^(usage|not_found)$/),
      });
    expect(await run('list_snapshots', {})).toMatchObject({ snapshots: [{ collection: 'north', name: 'first' }] });
    expect((await run('list_collections', {})).collections.map(({ name }) => name)).toEqual(['north']);
    expect(await run('copy_collection', { name: 'north', to: 'north.old' })).toMatchObject({ copied: 1 });
    await run('ingest', { markdown: [{ source: 'north.md', text: 'Moved away.' }], storage: { collection: 'north' } });
    expect(await run('restore_snapshot', { collection: 'north', name: 'first' })).toMatchObject({ restored: 1 });
    expect([await sourcesIn(engine, 'north'), await sourcesIn(engine, 'south')]).toEqual([['north.md'], ['south.md']]);
    expect((await result(engine, 'retrieve', { query: 'kept', collection: 'north', mode: 'text' })).items[0]?.text).toContain(
      'Kept in the north',
    );
  });
});
