import { expect, it, onTestFinished, vi } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import { loadLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb-connection.ts';
import type { Collection, StoredChunk } from '../../../../src/ports/stores.ts';
import { openS3, withS3, type S3Disturbance, type S3Server } from '../../../support/s3-server.ts';
import { everything } from '../../../support/store-contract.ts';

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };

async function machine({ url, writer }: S3Server) {
  const store = await openLanceDb({ url, options: writer });
  onTestFinished(() => store.close());
  return store;
}

/** The table of the locks, as any machine sees it. */
async function locksOf({ url, writer }: S3Server) {
  const { connect } = await loadLanceDb();
  const connection = await connect(url, { storageOptions: writer, readConsistencyInterval: 0 });
  return await connection.openTable('_kb_locks');
}

const document = (source: string, count = 3, word = 'first'): StoredChunk[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `${source}-${i}`,
    source,
    text: `The ${word} passage ${i}.`,
    metadata: {},
    chunk_count: count,
  }));

const idsIn = async (collection: Collection): Promise<string[]> => (await everything(collection)).map(({ id }) => id).toSorted();

const DISTURBANCES: S3Disturbance[] = ['cut', 'cut_after', 'fail', 'fail_after', 300];

/** What a request is for that may be disturbed; of `?`, any. */
const PARTS = ['/data/', '.txn', '.manifest', '?'];

withS3('a LanceDB store on an unreliable S3 connection', () => {
  it.each(DISTURBANCES)('loses and duplicates nothing if any request meets "%s"', { timeout: 300_000 }, async (how) => {
    const disturbPart = async (part: string) => {
      const s3 = await openS3();
      const collection = await (await machine(s3)).create(INFO);
      await collection.upsert(document('other', 2, 'first'));
      const disturbed = (work: () => Promise<unknown>) => {
        let isFirst = true;
        s3.disturb(({ method, url }) => {
          if (!isFirst || !url.includes(part) || (method !== 'PUT' && part !== '?')) return undefined;
          isFirst = false;
          return how;
        });
        return work();
      };
      await disturbed(() => collection.replace([{ source: part, chunks: document(part), isNew: true }]));
      await disturbed(() => collection.replace([{ source: part, chunks: document(part, 4, 'second'), isNew: false }]));
      await disturbed(() => collection.delete({ ids: [`${part}-0`] }));
      s3.disturb();
      const remaining = [1, 2, 3].map((i) => `${part}-${i}`);
      const expected = ['other-0', 'other-1', ...remaining].toSorted();
      expect(await idsIn(collection)).toEqual(expected);
      await collection.optimize({ whole: true });
      expect(await collection.search({ text: 'second', limit: 1_000 })).toHaveLength(remaining.length);
      expect(await idsIn((await (await machine(s3)).open('manuals'))!)).toEqual(expected);
    };
    await Promise.all(PARTS.map(disturbPart)); // each mostly waits for what is tried again
  });

  it.each(['cut', 'cut_after'] as const)(
    'keeps the old or the new state if the connection ends in between: %s',
    { timeout: 300_000 },
    async (how) => {
      const endAt = async (end: string) => {
        const s3 = await openS3();
        const collection = await (await machine(s3)).create(INFO);
        await collection.replace([{ source: 'a', chunks: document('a', 3, 'old'), isNew: true }]);
        let isOver = false;
        s3.disturb(({ method, url }) => {
          if (isOver) return 'cut';
          isOver = method === 'PUT' && url.includes(end);
          return isOver ? how : undefined;
        });
        await expect(collection.replace([{ source: 'a', chunks: document('a', 5, 'new'), isNew: false }])).rejects.toMatchObject({
          code: 'unavailable',
          isRetryable: true,
        });
        s3.disturb();
        const texts = (await everything((await (await machine(s3)).open('manuals'))!)).map(({ text }) => text);
        expect(texts.length, texts.join()).toBe(texts[0]!.includes('old') ? 3 : 5);
        await collection.replace([{ source: 'a', chunks: document('a', 3, 'old'), isNew: false }]);
        expect(await idsIn(collection)).toEqual(['a-0', 'a-1', 'a-2']);
      };
      await Promise.all(['/data/', '.txn', '.manifest'].map(endAt)); // each mostly waits for what is tried again
    },
  );
});

withS3('the lock of a collection on S3', () => {
  it('is taken over from a machine that is silent for a minute, which then cannot write', async () => {
    const s3 = await openS3();
    const [first, second] = [await machine(s3), await machine(s3)];
    const collection = await first.create(INFO);
    await first.lock('manuals');
    await collection.upsert(document('before'));
    const table = await locksOf(s3);
    await table.update({ values: { host: 'another-machine' } });
    let later = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    onTestFinished(() => clock.mockRestore());
    const onWait = vi.fn<() => void>(() => void (later = 61_000));
    const release = await second.lock('manuals', { onWait });
    expect(onWait).toHaveBeenCalledOnce();
    await expect(collection.upsert(document('after'))).rejects.toMatchObject({ code: 'conflict' });
    await (await second.open('manuals'))!.upsert(document('theirs'));
    await release();
    expect(await idsIn(collection)).toEqual([...document('before'), ...document('theirs')].map(({ id }) => id).toSorted());
  });

  it('is taken over at once from a killed process of this machine', async () => {
    const s3 = await openS3();
    const store = await machine(s3);
    await store.create(INFO);
    await store.lock('manuals');
    const table = await locksOf(s3);
    await table.update({ values: { process: 'an earlier one' } });
    const release = await (await machine(s3)).lock('manuals');
    await release();
    expect(await table.countRows()).toBe(0);
  });

  it('stops waiting when the run is aborted', async () => {
    const s3 = await openS3();
    const store = await machine(s3);
    await store.create(INFO);
    await store.lock('manuals');
    const stop = new AbortController();
    await expect(store.lock('manuals', { signal: stop.signal, onWait: () => stop.abort() })).rejects.toMatchObject({ code: 'aborted' });
  });

  it('stops waiting when the run is aborted, even if the store does not answer', { timeout: 30_000 }, async () => {
    const s3 = await openS3();
    const store = await machine(s3);
    await store.create(INFO);
    s3.disturb(() => 300_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    await expect(store.lock('manuals', { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
  });
});
