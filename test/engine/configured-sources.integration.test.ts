import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KbError } from '../../src/core/errors.ts';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { engineIn, result, sourcesIn, WORDS } from '../support/engine.ts';
import { folder, write } from '../support/folder.ts';

const FILES = {
  'docs/tickets.md': 'A day ticket costs 85 kroner.',
  'docs/storm.md': 'The ferry stays in port.',
  'more/bicycles.md': 'Bicycles stand on deck.',
};
const notice = { source: 'notice', text: 'The kiosk opens at nine.' };
const engineFor = (home: string, sources: Layer) => engineIn(home, { ...WORDS, sources });
const kept = (home: string) => join(home, '.kb/lancedb/.sources/default.json');

describe('an ingest without sources', () => {
  it('reads the configured ones, with paths relative to the configuration', async () => {
    const home = folder(FILES);
    const engine = engineFor(home, { docs: ['docs/tickets.md', './more'], markdown: [notice] });
    expect(await result(engine, 'ingest', {})).toMatchObject({ sources: 3, failed: 0 });
    expect(await sourcesIn(engine)).toEqual(['docs/tickets.md', 'more/bicycles.md', 'notice']);
    await expect(result(engineFor(home, {}), 'ingest', { prune: true })).rejects.toThrow('At least one of docs, urls, api or markdown');
  });

  it('lists the documents of a removed entry, and removes them with prune', async () => {
    const home = folder(FILES);
    await result(engineFor(home, { docs: ['docs/tickets.md', 'docs/storm.md', 'more'], markdown: [notice] }), 'ingest', {});
    const engine = engineFor(home, { docs: './docs/tickets.md' });
    const left = ['docs/storm.md', 'more/bicycles.md', 'notice'];
    for (let run = 0; run < 2; run++)
      expect(await result(engine, 'ingest', {})).toMatchObject({
        gone: expect.toSatisfy((gone: string[]) => `${gone.toSorted()}` === `${left}`),
      });
    expect(await result(engine, 'ingest', { prune: true, dry_run: true })).toMatchObject({ pruned: expect.arrayContaining(left) });
    expect(await sourcesIn(engine)).toHaveLength(4);
    expect((await result(engine, 'ingest', { prune: true })).pruned.toSorted()).toEqual(left);
    expect(await sourcesIn(engine)).toEqual(['docs/tickets.md']);
    expect(await result(engine, 'ingest', { prune: true })).toMatchObject({ gone: [], pruned: [] });
  });

  it('keeps documents that were ingested by hand, and unnamed texts', async () => {
    const home = folder({ ...FILES, 'by-hand/rule.md': 'Dogs are kept on a lead.' });
    const first = engineFor(home, { docs: ['docs'], markdown: ['A text without a name.'] });
    await result(first, 'ingest', { docs: 'by-hand' });
    await result(first, 'ingest', { markdown: [{ source: 'typed', text: 'The bell rings.' }] });
    await result(first, 'ingest', {});
    await result(first, 'ingest', { docs: 'docs/storm.md' });
    const engine = engineFor(home, { markdown: [notice] });
    expect((await result(engine, 'ingest', { prune: true })).pruned).toEqual(['docs/tickets.md']);
    expect(await sourcesIn(engine)).toEqual(['by-hand/rule.md', 'docs/storm.md', 'markdown', 'notice', 'typed']);
    expect((await result(engineFor(home, { docs: 'more' }), 'ingest', { docs: 'by-hand', prune: true })).pruned).toEqual([]);
  });

  it('removes nothing if the replacement of an entry could not be read, and says why', async () => {
    const home = folder(FILES);
    await result(engineFor(home, { docs: ['docs', 'more'] }), 'ingest', {});
    renameSync(join(home, 'docs'), join(home, 'away'));
    const engine = engineFor(home, { docs: ['docs/**/*.md', 'more'] });
    const { pruned, notices, failed } = await result(engine, 'ingest', { prune: true });
    expect([pruned, failed, notices]).toEqual([[], 1, ['2 stored sources were not found but kept: docs/**/*.md could not be read.']]);
    renameSync(join(home, 'away'), join(home, 'docs'));
    rmSync(join(home, 'docs/storm.md'));
    expect((await result(engine, 'ingest', { prune: true })).pruned).toEqual(['docs/storm.md']);
  });

  it('remembers what it had read when it was stopped', async () => {
    const home = folder(FILES);
    const stop = new AbortController();
    const engine = engineFor(home, { docs: 'docs', markdown: [notice] });
    await result(engine, 'ingest', { docs: 'more' });
    const run = engine.run('ingest', {}, { signal: stop.signal });
    for await (const { data } of run) if (Number(data.stored) > 0) break;
    stop.abort();
    const known = JSON.parse(readFileSync(kept(home), 'utf8')) as { inputs: Record<string, string[]> };
    expect(known.inputs['docs docs']).toContain('docs/storm.md');
  });

  it('remembers what it could not remove', async () => {
    const home = folder(FILES);
    let isBroken = false;
    const stores = {
      mine: async () => {
        const store = await openLanceDb({ url: join(home, 'store') });
        const open = async (name: string) => {
          const collection = await store.open(name);
          if (!collection || !isBroken) return collection;
          return { ...collection, info: collection.info, delete: () => Promise.reject(new KbError('unavailable', 'The store is down.')) };
        };
        return { ...store, open };
      },
    };
    const ingestOf = async (docs: string[]) => {
      const config = Config.parse(mergeLayers(mergeLayers(DEFAULTS, WORDS), { sources: { docs } }));
      const engine = createEngine({ config: { ...config, storage: { ...config.storage, vector_db: 'mine' } }, home, stores });
      return await result(engine, 'ingest', { prune: true }).finally(() => engine.close());
    };
    await ingestOf(['docs', 'more']);
    isBroken = true;
    await expect(ingestOf(['docs'])).rejects.toThrow('The store is down.');
    isBroken = false;
    expect((await ingestOf(['docs'])).pruned).toEqual(['more/bicycles.md']);
  });

  it('continues if its list of origins is damaged or gone, and says so', async () => {
    const home = folder(FILES);
    await result(engineFor(home, { docs: ['docs', 'more'] }), 'ingest', {});
    writeFileSync(kept(home), '{"version":1,');
    const { notices, pruned } = await result(engineFor(home, { docs: ['docs'] }), 'ingest', { prune: true });
    expect(pruned).toEqual([]);
    expect(notices).toEqual([expect.stringContaining("can't be read: it is damaged")]);
    expect(readFileSync(kept(home), 'utf8')).toContain('docs/tickets.md');
  });

  it('starts anew with a dropped collection', async () => {
    const home = folder(FILES);
    const engine = engineFor(home, { docs: ['docs', 'more'] });
    await result(engine, 'ingest', {});
    await result(engine, 'drop_collection', { name: 'default' });
    write(home, FILES);
    await result(engine, 'ingest', { docs: 'more' });
    expect((await result(engineFor(home, { docs: 'docs' }), 'ingest', { prune: true })).pruned).toEqual([]);
  });
});
