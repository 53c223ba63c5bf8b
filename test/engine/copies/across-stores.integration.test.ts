import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AccessRights } from '../../../src/core/access-rights.ts';
import { type Layer, mergeLayers } from '../../../src/core/settings.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { Config, DEFAULTS } from '../../../src/schema/config.ts';
import type { Engine } from '../../../src/ports/engines.ts';
import { engineIn, modelServer, qdrantServer, result, WORDS } from '../../support/engine.ts';
import { folder } from '../../support/folder.ts';
import { startMachine } from '../../support/machines.ts';
import { openS3, withS3 } from '../../support/s3-server.ts';
import { exported, named } from '../../support/stored-texts.ts';

/** Chunks of several pages of any store. */
const MANY = Array.from({ length: 2_500 }, (_, i) => ({
  id: `note-${i}`,
  text: `Note ${i} is about the gate and the bell.`,
  source: `notes/${i % 400}.md`,
  metadata: { year: 1990 + (i % 40), tags: ['note', `n${i % 7}`], modified: '2026-11-20T10:00:00.000Z' },
}));

const place = (storage: Layer) => ({ to_vector_db: storage['vector_db'] as 'qdrant', to_url: storage['url'] as string });

/** An export without its closing line, which depends on the order of the chunks, in the order of their ids. */
const contents = async (engine: Engine, name = 'default'): Promise<string[]> => (await exported(engine, name)).slice(0, -1).toSorted();

const namesIn = async (engine: Engine): Promise<string[]> =>
  (await result(engine, 'list_collections', {})).collections.map(({ name }) => name);

describe('a copy in another store', () => {
  it('has the same export, in Qdrant and back, with vectors and without embedding', async () => {
    const { storage } = await qdrantServer();
    const { settings, server } = await modelServer();
    const open = (of: Layer) => engineIn(folder(), { ...settings, storage: of });
    const [first, last] = [folder(), folder()];
    const [from, qdrant, back] = [open({ url: first }), open(storage), open({ url: last })];
    await result(from, 'ingest', { markdown: named });
    const asked = server.requests.length;
    const before = await contents(from);
    expect(before[0]).toContain('"embedding":[');
    expect(await result(from, 'copy_collection', { name: 'default', to: 'default', ...place(storage) })).toMatchObject({ copied: 3 });
    expect(await contents(qdrant)).toEqual(before);
    const home = { to_vector_db: 'lancedb' as const, to_url: last };
    expect(await result(qdrant, 'copy_collection', { name: 'default', to: 'default', ...home })).toMatchObject({ copied: 3 });
    expect(await contents(back)).toEqual(before);
    expect(server.requests.length, 'nothing is embedded').toBe(asked);
    expect(await result(back, 'ingest', { markdown: named }), 'later ingests go on').toMatchObject({ unchanged: 3, stored: 0 });
  });

  it('has the same export line by line in another folder, also under another name', async () => {
    const [from, url] = [engineIn(folder()), folder()];
    await result(from, 'store', { embedded_chunks: MANY });
    expect(await result(from, 'copy_collection', { name: 'default', to: 'default', to_url: url })).toEqual({
      name: 'default',
      to: 'default',
      copied: 2_500,
    });
    const there = engineIn(folder(), { ...WORDS, storage: { url } });
    expect(await exported(there)).toEqual(await exported(from));
    expect(await result(from, 'copy_collection', { name: 'default', to: 'spare', to_url: url })).toMatchObject({ copied: 2_500 });
    expect(await namesIn(there)).toEqual(['default', 'spare']);
    expect(await namesIn(from)).toEqual(['default']);
    expect((await result(there, 'retrieve', { query: 'note 17', mode: 'text', top_k: 1 })).items[0]!.text).toContain('Note 17 ');
  });

  it('keeps the origins of documents', async () => {
    const home = folder({ 'a/one.md': '# One\n\nA word.', 'b/two.md': '# Two\n\nA word.' });
    const url = folder();
    const both = engineIn(home, { ...WORDS, sources: { docs: ['a', 'b'] } });
    await result(both, 'ingest', {});
    await result(both, 'copy_collection', { name: 'default', to: 'moved', to_url: url });
    const one = engineIn(home, { ...WORDS, collection: 'moved', storage: { url }, sources: { docs: ['a'] } });
    expect((await result(one, 'ingest', { prune: true })).pruned).toEqual(['b/two.md']);
  });

  it('replaces a collection only on request', async () => {
    const { storage } = await qdrantServer();
    for (const there of [storage, { url: folder() }] as Layer[]) {
      const [from, to] = [engineIn(folder()), engineIn(folder(), { ...WORDS, storage: there })];
      await result(from, 'ingest', { markdown: named });
      await result(to, 'ingest', { markdown: [{ source: 'old', text: 'An old text.' }] });
      const request = { name: 'default', to: 'default', ...place(there) };
      const old = await contents(to);
      await expect(result(from, 'copy_collection', request)).rejects.toMatchObject({
        code: 'conflict',
        hint: expect.stringContaining('--replace'),
      });
      expect(await contents(to)).toEqual(old);
      expect(await result(from, 'copy_collection', { ...request, replace: true })).toMatchObject({ copied: 3 });
      expect(await contents(to)).toEqual(await contents(from));
    }
  });

  it('is invisible until it is complete, and leaves nothing if it is given up', async () => {
    const [from, url] = [engineIn(folder()), folder()];
    await result(from, 'store', { embedded_chunks: MANY });
    const run = from.run('copy_collection', { name: 'default', to: 'default', to_url: url });
    await run.next();
    expect(readdirSync(url).filter((name) => name.startsWith('kb.'))).toHaveLength(1);
    expect(await namesIn(engineIn(folder(), { ...WORDS, storage: { url } }))).toEqual([]);
    await run.return(undefined as never);
    expect(readdirSync(url).filter((name) => name.startsWith('kb.'))).toEqual([]);
  });

  it(
    'does not appear if its process is killed, what it would replace stays, and the next copy is complete',
    { timeout: 60_000 },
    async () => {
      const { server, storage } = await qdrantServer();
      const home = folder();
      const [from, qdrant] = [engineIn(home), engineIn(folder(), { ...WORDS, storage })];
      await result(from, 'store', { embedded_chunks: MANY });
      const request = { name: 'default', to: 'default', ...place(storage), replace: true };
      for (const before of [undefined, [{ source: 'old', text: 'An old text.' }]]) {
        if (before) await result(qdrant, 'ingest', { markdown: before });
        const there = before ? await contents(qdrant) : [];
        const victim = startMachine({ storage: { url: join(home, '.kb/lancedb') } });
        let writes = 0;
        server.behaviour.disturb = ({ method, path }) => {
          if (method === 'PUT' && path.endsWith('/points') && ++writes === 9) victim.process.kill('SIGKILL');
          return undefined;
        };
        await expect(victim.run('copy_collection', request)).rejects.toThrow('died');
        delete server.behaviour.disturb;
        expect(await namesIn(qdrant)).toEqual(before ? ['default'] : []);
        if (before) expect(await contents(qdrant)).toEqual(there);
      }
      expect(await result(from, 'copy_collection', request)).toMatchObject({ copied: 2_500 });
      expect(await contents(qdrant)).toEqual(await contents(from));
    },
  );

  it('is a copy within the store if the address is the same', async () => {
    const home = folder();
    const engine = engineIn(home);
    await result(engine, 'ingest', { markdown: named });
    const own = { to_url: join(home, '.kb/../.kb/lancedb') };
    await expect(result(engine, 'copy_collection', { name: 'default', to: 'default', ...own, replace: true })).rejects.toMatchObject({
      code: 'conflict',
    });
    await result(engine, 'copy_collection', { name: 'default', to: 'spare', ...own });
    await result(engine, 'delete', { source: 'rule-0' });
    await result(engine, 'copy_collection', { name: 'default', to: 'spare', replace: true });
    expect((await contents(engine, 'spare')).slice(0, -1)).toEqual((await contents(engine)).slice(0, -1));
  });
});

withS3('a copy in a bucket', () => {
  it('has the same export there and back in a folder, with its own options', async () => {
    const { url, writer } = await openS3();
    const [from, bucket] = [engineIn(folder()), engineIn(folder(), { ...WORDS, storage: { url, options: writer } })];
    await result(from, 'ingest', { markdown: named });
    const there = { to_url: url, to_options: writer };
    expect(await result(from, 'copy_collection', { name: 'default', to: 'moved', ...there })).toMatchObject({ copied: 3 });
    expect((await contents(bucket, 'moved')).slice(0, 3)).toEqual((await contents(from)).slice(0, 3));
    const last = folder();
    expect(await result(bucket, 'copy_collection', { name: 'moved', to: 'default', to_url: last })).toMatchObject({ copied: 3 });
    expect(await contents(engineIn(folder(), { ...WORDS, storage: { url: last } }))).toEqual(await contents(from));
  });
});

describe('a network request', () => {
  const check = (request: object, access?: AccessRights) => {
    const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, WORDS)), home: folder(), surface: 'server' });
    return () => engine.check('copy_collection', { name: 'default', to: 'spare', ...request }, { access });
  };

  it('copies to no store that the operator has not named, and sets none of its options', () => {
    for (const elsewhere of [
      { to_url: '/elsewhere' },
      { to_vector_db: 'qdrant', to_url: 'http://192.168.3.4:6333' },
      { to_url: 's3://bucket/kb' },
    ])
      expect(check(elsewhere)).toThrow(/outside the folders|may not use the store/);
    expect(check({ to_options: { endpoint: 'http://127.0.0.1:9' } })).toThrow("storage.options.endpoint can't be set");
    for (const own of [{}, { to_url: '.kb/lancedb' }, { to_vector_db: 'qdrant', to_options: { timeout: 5 } }])
      expect(check(own)).not.toThrow();
  });

  it('with a token for some collections copies within the configured store only', () => {
    const access: AccessRights = { name: 'north', scopes: ['admin'], collections: ['default', 'spare'] };
    expect(check({}, access)).not.toThrow();
    expect(check({ to_vector_db: 'qdrant' }, access)).toThrow('the configured store alone');
    expect(check({ to_url: 'other' }, access)).toThrow('the configured store alone');
  });
});
