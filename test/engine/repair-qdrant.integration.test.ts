import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openQdrant } from '../../src/drivers/stores/qdrant/qdrant.ts';
import { chunksIn, engineIn, qdrantServer, result, WORDS } from '../support/engine.ts';
import { folder } from '../support/folder.ts';

const markdown = [
  { source: 'gate', text: 'The gate is locked at ten.' },
  { source: 'bell', text: 'The bell rings at noon.' },
];
const INFO = { name: 'default', provider: 'none', model: '', dimensions: 0 };

/** A collection in Qdrant, and what `kb doctor` finds broken there. */
async function filled() {
  const { server, storage } = await qdrantServer();
  const engine = engineIn(folder(), { ...WORDS, storage });
  await result(engine, 'ingest', { markdown });
  const found = async (request: { repair?: boolean; yes?: boolean } = {}) => {
    const { checks } = await result(engine, 'doctor', request);
    return checks.filter(({ name }) => name === 'damage').map(({ status, message }) => `${status}: ${message}`);
  };
  const store = async () => await openQdrant({ url: server.url });
  return { server, engine, found, store };
}

function aDayLater(): void {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000);
  onTestFinished(() => clock.mockRestore());
}

describe('kb doctor --repair on Qdrant', () => {
  it('finds nothing in an intact store, nor in one that is being written', async () => {
    const { found, store } = await filled();
    await (await store()).draft({ ...INFO, name: 'draft' });
    expect(await found()).toEqual([]);
    expect(await found({ repair: true, yes: true })).toEqual([]);
  });

  it('removes the table of an abandoned draft, only with yes', async () => {
    const { server, found, store, engine } = await filled();
    await (await store()).draft({ ...INFO, name: 'draft' });
    aDayLater();
    const problem = 'A process that died has left the table kb.draft@1. ';
    for (const request of [{}, { repair: true }])
      expect(await found(request)).toEqual([`warning: ${problem}kb doctor --repair --yes removes it.`]);
    expect(await found({ repair: true, yes: true })).toEqual([`ok: ${problem}Repaired: It was removed.`]);
    expect([...server.collections.keys()]).toEqual(['kb.default@0']);
    expect(await chunksIn(engine)).toHaveLength(2);
  });

  it('finishes a replacement whose process died before its last step', async () => {
    const { server, found, store, engine } = await filled();
    const draft = await (await store()).draft(INFO);
    await draft.collection.upsert([{ id: 'new', text: 'The gate stays open.', source: 'gate', metadata: {} }]);
    server.behaviour.disturb = ({ path }) => (path === '/collections/aliases' ? { status: 400 } : undefined);
    await draft.commit().catch(() => {}); // as if it had died there
    server.behaviour.disturb = () => undefined;
    expect(await found()).toEqual([]);
    aDayLater();
    expect(await found({ repair: true })).toContainEqual(
      'ok: A process that died was about to replace "default". Repaired: "default" was replaced.',
    );
    expect((await chunksIn(engine)).map(({ text }) => text)).toEqual(['The gate stays open.']);
    expect(await found()).toEqual([]);
  });

  it('creates missing indexes', async () => {
    const { server, found } = await filled();
    const { indexes } = server.collections.get('kb.default@0')!;
    for (const index of ['id', 'fields']) indexes.delete(index);
    expect(await found()).toEqual(['warning: The collection "default" lacks indexes: id, fields. kb doctor --repair creates them.']);
    await found({ repair: true });
    expect(await found()).toEqual([]);
    expect(indexes.has('fields')).toBe(true);
  });
});
