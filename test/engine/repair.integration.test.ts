import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Layer } from '../../src/core/settings.ts';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import { chunksIn, engineIn, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const markdown = [
  { source: 'gate', text: 'The gate is locked at ten.' },
  { source: 'bell', text: 'The bell rings at noon.' },
];

/** A store with one collection, and what `kb doctor` finds broken in it. */
async function damaged(damage: (store: string) => void | Promise<void>) {
  const home = folder();
  const before = engineIn(home);
  await result(before, 'ingest', { markdown });
  await before.close();
  await damage(join(home, '.kb', 'lancedb'));
  const found = async (request: { repair?: boolean; yes?: boolean } = {}) => {
    const engine = engineIn(home);
    const { checks } = await result(engine, 'doctor', request);
    await engine.close();
    return checks.filter(({ name }) => name === 'damage').map(({ status, message }) => `${status}: ${message}`);
  };
  return { engine: (settings: Layer = {}) => engineIn(home, { ...WORDS, ...settings }), found };
}

const tableIn = (store: string): string => readdirSync(store).find((name) => name.startsWith('kb.default.'))!;

/** Lets a day pass for what is done next. */
function aDayLater(): void {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000);
  onTestFinished(() => clock.mockRestore());
}

describe('kb doctor --repair', () => {
  it('finds nothing in an intact store', async () => {
    const { found } = await damaged(() => {});
    expect(await found()).toEqual([]);
    expect(await found({ repair: true, yes: true })).toEqual([]);
  });

  it('rebuilds broken indexes from the rows', async () => {
    const { engine, found } = await damaged((store) => rmSync(join(store, tableIn(store), '_indices'), { recursive: true }));
    expect(await found()).toEqual(['warning: The indexes of "default" are broken. kb doctor --repair rebuilds them from the rows.']);
    const { checks } = await result(engine(), 'doctor', {});
    expect(checks.map(({ name }) => name)).not.toContain('collection');
    expect(await found({ repair: true })).toEqual(['ok: The indexes of "default" are broken. Repaired: They were rebuilt from the rows.']);
    expect(await found()).toEqual([]);
    expect((await result(engine(), 'retrieve', { query: 'When is the gate locked?' })).items[0]!.text).toBe(markdown[0]!.text);
  });

  it('relists a collection after the list was lost, and protects its table before', async () => {
    const { engine, found } = await damaged((store) => rmSync(join(store, '_kb_collections.lance'), { recursive: true }));
    aDayLater();
    const other = await result(engine({ collection: 'other' }), 'ingest', { markdown });
    expect(other.stored).toBe(2);
    expect(await found()).toEqual([
      expect.stringMatching(/^warning: The list of collections was lost: .*\. kb doctor --repair lists it as "default"\.$/),
    ]);
    await found({ repair: true });
    expect(await found()).toEqual([]);
    expect(await chunksIn(engine())).toHaveLength(2);
  });

  it('relists a lost collection under another name if its own is taken', async () => {
    const { engine, found } = await damaged((store) => rmSync(join(store, '_kb_collections.lance'), { recursive: true }));
    await result(engine(), 'ingest', { markdown: markdown.slice(0, 1) });
    aDayLater();
    expect(await found({ repair: true })).toEqual([expect.stringMatching(/^ok: .* Repaired: It was listed as "default-found"\.$/)]);
    expect(await Promise.all(['default', 'default-found'].map(async (name) => (await chunksIn(engine(), name)).length))).toEqual([1, 2]);
  });

  it('removes an entry whose table is gone, and leftovers, only with yes', async () => {
    const { engine, found } = await damaged(async (store) => {
      rmSync(join(store, tableIn(store)), { recursive: true });
      mkdirSync(join(store, '.copy-kb.default.abc-012345'));
      const left = await openLanceDb({ url: store });
      await (await left.draft({ name: 'draft', provider: 'none', model: '', dimensions: 0 })).collection.count();
      await left.close();
    });
    aDayLater();
    const removals = ['half of a copy', 'has left the table kb.draft.', 'The table of the collection "default" is gone'];
    const expected = (status: string, end: string) =>
      removals.map((words) => expect.stringMatching(new RegExp(`^${status}: .*${words}.*${end}$`)));
    const command = 'kb doctor --repair --yes removes .*\\.';
    expect(await found()).toEqual(expected('warning', command));
    expect(await found({ repair: true })).toEqual(expected('warning', command));
    expect(await found({ repair: true, yes: true })).toEqual(expected('ok', ''));
    expect(await found()).toEqual([]);
    expect(await result(engine(), 'ingest', { markdown })).toMatchObject({ stored: 2 });
  });

  const leaveLock = (store: string) =>
    writeFileSync(
      join(store, '.locks', 'default'),
      JSON.stringify({ pid: process.pid, host: hostname(), process: 'an earlier one', lock: 'x' }),
    );

  it('says that the next write takes over the lock of a killed process, which it does', async () => {
    const { engine, found } = await damaged(leaveLock);
    expect(await found()).toHaveLength(1);
    expect(await result(engine(), 'ingest', { markdown: 'Doors are locked.' })).toMatchObject({ stored: 1 });
    expect(await found()).toEqual([]);
  });

  it('releases the lock of a killed process', async () => {
    const { found } = await damaged(leaveLock);
    expect(await found()).toEqual([
      'warning: A process that was killed has left its lock on "default". Nothing needs to be done: the next write takes it over. kb doctor --repair releases it now.',
    ]);
    expect(await found({ repair: true })).toEqual([
      'ok: A process that was killed has left its lock on "default". Repaired: It was released.',
    ]);
    expect(await found()).toEqual([]);
  });

  it('reports lost rows that it cannot repair', async () => {
    const { found } = await damaged((store) => rmSync(join(store, tableIn(store), 'data'), { recursive: true }));
    for (const request of [{}, { repair: true, yes: true }])
      expect(await found(request)).toEqual([
        expect.stringMatching(/^failed: Files of the collection "default" are missing or damaged\. Restore a snapshot/),
      ]);
  });
});
