import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoredChunk } from '../../../../src/ports/stores.ts';
import type { QdrantRequest, QdrantServer } from '../../../support/qdrant-server.ts';
import { INFO, plain, useQdrantStores, WORDS_ONLY } from '../../../support/qdrant-stores.ts';
import { chunk, everything } from '../../../support/store-contract.ts';

let server: QdrantServer;

let home: string;

const { open, tables } = useQdrantStores((opened) => ({ server, home } = opened));

describe('a draft in Qdrant', () => {
  it('does not replace a collection that another machine wrote to meanwhile', async () => {
    const collection = await (await open()).create(INFO);
    await collection.upsert([chunk('old')]);
    const draft = await (await open()).draft(INFO);
    await collection.upsert([chunk('later')]);
    await expect(draft.commit()).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    expect((await everything(collection)).map(({ id }) => id)).toEqual(['old', 'later']);
  });

  it('replaces the collection in one request, and leaves nothing of the old table', async () => {
    const store = await open();
    const collection = await store.create(INFO);
    await collection.upsert([chunk('old')]);
    const other = await (await open()).open('manuals');
    const draft = await store.draft({ ...INFO, model: 'later' });
    await draft.collection.upsert([chunk('new')]);
    expect(tables()).toHaveLength(2);
    server.requests.length = 0;
    await draft.commit();
    const changes = server.requests.filter(({ method, path }) => method === 'POST' && path === '/collections/aliases');
    expect(changes.map(({ body }) => (body['actions'] as object[]).map((action) => Object.keys(action)[0]))).toEqual([
      ['delete_alias', 'create_alias'],
    ]);
    expect(tables()).toHaveLength(1);
    expect((await everything(other!)).map(({ id }) => id)).toEqual(['new']);
    expect(other!.info.model).toBe('later');
  });

  it('stays committed even if the old table cannot be removed', async () => {
    const store = await open();
    await (await store.create(INFO)).upsert([chunk('old')]);
    const draft = await store.draft(INFO);
    await draft.collection.upsert([chunk('new')]);
    server.behaviour.disturb = ({ method }) => (method === 'DELETE' ? { status: 400 } : undefined);
    await draft.commit();
    expect((await everything((await store.open('manuals'))!)).map(({ id }) => id)).toEqual(['new']);
  });

  it('is removed by the next creation if it was abandoned a day ago', async () => {
    const store = await open();
    await (await store.draft(INFO)).collection.upsert([chunk('1')]);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 5 * 3_600_000); // the clock of another machine
    onTestFinished(() => clock.mockRestore());
    await store.create({ ...INFO, name: 'notes' });
    expect(tables(), 'it may still be written to').toHaveLength(1);
    clock.mockReturnValue(now + 25 * 3_600_000);
    await store.create({ ...INFO, name: 'more' });
    expect(tables()).toEqual([]);
    expect((await store.collections()).map(({ name }) => name)).toEqual(['more', 'notes']);
  });

  it('is not mixed with the old table while a reader reads page by page', async () => {
    const store = await open();
    const collection = await store.create(INFO);
    await collection.upsert(Array.from({ length: 1_500 }, (_, i) => chunk(`${i}`)));
    const draft = await store.draft(INFO);
    await draft.collection.upsert([chunk('new')]);
    const reading = collection.all()[Symbol.asyncIterator]();
    expect((await reading.next()).value).toHaveLength(1_000);
    await draft.commit();
    await expect(reading.next()).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
  });
});

describe('a writer of a Qdrant store', () => {
  const document = (version: string, count: number): StoredChunk[] =>
    Array.from({ length: count }, (_, i) => plain(`${version === 'old' ? i : i + 2}`, { source: 'doc', version, text: `${version} pump` }));
  const isWrite = ({ method, path }: QdrantRequest) => method === 'PUT' || path.endsWith('/delete');

  it('leaves the old or the new document complete if it dies at any request, and the next one cleans up', async () => {
    const seen = new Set<string | undefined>();
    for (let step = 1; step <= 6; step++) {
      const name = `run${step}`;
      const collection = await (await open()).create({ ...WORDS_ONLY, name });
      await collection.replace([{ source: 'doc', isNew: true, chunks: document('old', 5) }]);
      await collection.upsert([plain('kept', { source: 'other' })]);
      let writes = 0;
      let isDead = false;
      server.behaviour.disturb = (request) => {
        isDead ||= isWrite(request) && ++writes === step;
        return isDead ? 'cut' : undefined;
      };
      const dying = collection.replace([
        {
          source: 'doc',
          isNew: false,
          chunks: [...document('new', 300), plain('kept', { source: 'doc', version: 'new', text: 'new pump' })],
        },
        { source: 'fresh', isNew: true, chunks: [plain('fresh', { source: 'fresh', version: 'new' })] },
      ]);
      const outcome = await dying.then(
        () => 'done',
        () => 'dead',
      );
      server.behaviour.disturb = undefined;
      const next = (await (await open()).open(name))!;
      const chunks = await everything(next);
      const of = (source: string) => chunks.filter((one) => one.source === source);
      const version = of('doc')[0]!.version;
      seen.add(version);
      expect(outcome === 'done', `step ${step}`).toBe(version === 'new');
      expect(chunks).toHaveLength(version === 'new' ? 302 : 6);
      expect([of('doc').length, of('fresh').length, of('other').length]).toEqual(version === 'new' ? [301, 1, 0] : [5, 0, 1]);
      expect(await next.count()).toBe(chunks.length);
      expect((await next.search({ text: 'pump', limit: 999 })).map((hit) => hit.chunk.version)).toEqual(of('doc').map(() => version));
      await next.replace([{ source: 'doc', isNew: false, chunks: document('last', 2) }]);
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000); // what is left may be still being written until then
      await next.optimize();
      clock.mockRestore();
      expect((await next.search({ text: 'pump', limit: 999 })).map((hit) => hit.chunk.version)).toEqual(['last', 'last']);
      const points = [...server.collections.get(tables(name)[0]!)!.points.values()];
      const stored = points.filter(({ payload }) => payload['written'] === undefined); // statistics are kept for a day
      expect(stored.length, 'and the point of the state').toBe((await next.count()) + 1);
    }
    expect(seen).toEqual(new Set(['old', 'new']));
  });

  it('shows its chunks to another process once the write is complete, and not before', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    const reader = (await (await open()).open('words'))!;
    await collection.replace([{ source: 'doc', isNew: true, chunks: document('old', 30) }]);
    let isWriting = true;
    const writing = (async () => {
      for (let n = 1; n <= 10; n++) {
        await collection.replace([{ source: 'doc', isNew: false, chunks: document(`${n}`, 20 + n) }]);
        await collection.optimize();
      }
      isWriting = false;
    })();
    const counts = new Set<number>();
    while (isWriting) {
      const [hits, count] = [await reader.search({ text: 'pump', limit: 99 }), await reader.count()];
      const [version, ...others] = new Set(hits.map((hit) => hit.chunk.version));
      expect(others).toEqual([]);
      expect(hits).toHaveLength(version === 'old' ? 30 : 20 + Number(version));
      counts.add(count);
    }
    await writing;
    expect([...counts].filter((count) => count < 21 || count > 30)).toEqual([]);
    expect(await reader.count()).toBe(30);
  });

  it('writes one change after another in its process, and sees its own writes', async () => {
    const store = await open();
    const collection = await store.create(WORDS_ONLY);
    const again = (await store.open('words'))!;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? again : collection).upsert([plain(`${i % 4}`, { text: `turn ${i}` }), plain(`own ${i}`)]),
      ),
    );
    const chunks = await everything(collection);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(24);
    expect(chunks).toHaveLength(24);
  });

  it('does not edit chunks of a document that another machine has replaced since', async () => {
    const collection = await (await open()).create(WORDS_ONLY);
    const other = (await (await open()).open('words'))!;
    await collection.upsert([plain('1', { version: 'old' }), plain('2', { source: 'b' })]);
    const [theirs, own] = await collection.get(['1', '2']);
    await other.replace([{ source: 'a', isNew: false, chunks: [plain('1', { version: 'new', text: 'new' })] }]);
    const edited = [
      { ...own!, text: 'edited' },
      { ...theirs!, text: 'edited' },
    ];
    await expect(collection.upsert(edited, { edited: true })).rejects.toMatchObject({ code: 'conflict', isRetryable: true });
    expect((await everything(other)).map(({ text }) => text)).toEqual(['a passage', 'new']);
    await collection.upsert([edited[0]!], { edited: true });
    expect((await everything(other)).map(({ text }) => text)).toEqual(['new', 'edited']);
  });

  /** Lets another have the lock of the collection. */
  function takeLock(): void {
    const folder = join(home, 'kb', 'locks');
    const file = join(folder, readdirSync(folder)[0]!);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), lock: 'of another' }));
  }
  const overtaken = { code: 'conflict', isRetryable: true };

  it('cannot write, replace or remove after it lost its lock', async () => {
    const store = await open();
    const collection = await store.create(WORDS_ONLY);
    const release = await store.lock('words');
    await collection.upsert([plain('1')]);
    const draft = await store.draft(WORDS_ONLY);
    takeLock();
    await expect(collection.upsert([plain('2')])).rejects.toMatchObject(overtaken);
    await expect(draft.commit()).rejects.toMatchObject(overtaken);
    await expect(store.drop('words')).rejects.toMatchObject(overtaken);
    await draft.discard();
    await release();
    expect(await (await store.open('words'))!.count()).toBe(1);
  });

  it('does not make its chunks visible if it loses its lock meanwhile', async () => {
    const store = await open();
    const collection = await store.create(WORDS_ONLY);
    const release = await store.lock('words');
    server.behaviour.disturb = ({ method, path }) => {
      if (method === 'PUT' && path.endsWith('/points')) takeLock();
      return undefined;
    };
    await expect(collection.upsert([plain('1')])).rejects.toMatchObject(overtaken);
    await release();
    expect(await collection.count()).toBe(0);
  });

  it('names the folder if no lock file can be written', async () => {
    await writeFile(join(home, 'file'), '');
    const store = await open(server.url, { XDG_STATE_HOME: join(home, 'file') });
    await expect(store.lock('words')).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(join(home, 'file')),
    });
  });
});
