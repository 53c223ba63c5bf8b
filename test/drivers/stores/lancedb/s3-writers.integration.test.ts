import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import { lanceDb } from '../../../../src/drivers/stores/lancedb/lancedb-connection.ts';
import type { Collection, StoredChunk } from '../../../../src/ports/stores.ts';
import { folder } from '../../../support/folder.ts';
import { openS3, withS3, type S3Disturbance, type S3Server } from '../../../support/s3-server.ts';
import { everything } from '../../../support/store-contract.ts';

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };
const PROCESS = fileURLToPath(new URL('../../../support/s3-writer-process.ts', import.meta.url));

async function machine({ url, writer }: S3Server) {
  const store = await openLanceDb({ url, options: writer });
  onTestFinished(() => store.close());
  return store;
}

/** The table of the locks, as any machine sees it. */
async function locksOf({ url, writer }: S3Server) {
  const { connect } = await lanceDb();
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

/** Another machine, with a folder of its own, that ingests. */
function startWriter({ url, writer: options }: S3Server, name: string) {
  const child: ChildProcess = spawn(process.execPath, [PROCESS, JSON.stringify({ home: folder(), url, options, name })], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: folder() },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    child,
    /** Has it ingest once; undefined where it died. */
    round: async (number: number): Promise<string | undefined> => {
      child.stdin!.write(`${number}\n`);
      return (await lines.next()).value as string | undefined;
    },
  };
}

/** What the collection should hold after so many rounds of these writers, and what it does. */
async function statesAfter(s3: S3Server, rounds: number, names: readonly string[]) {
  const collection = (await (await machine(s3)).open('default'))!;
  const found = (await everything(collection)).map(({ source, text }) => `${source}: ${text}`).toSorted();
  const each = Array.from({ length: rounds }, (_, at) => [
    `all-${at}: All write this in round ${at} alone.`,
    ...names.map((name) => `${name}-${at}: The writer ${name} writes this in round ${at}.`),
  ]);
  return { found, expected: [`all: All write this in round ${rounds - 1}.`, ...each.flat()].toSorted() };
}

withS3('machines that write into one collection on S3', () => {
  it('lose and double nothing in 20 rounds', { timeout: 300_000 }, async () => {
    const s3 = await openS3();
    const names = ['a', 'b'];
    const writers = names.map((name) => startWriter(s3, name));
    for (let round = 0; round < 20; round++)
      expect(await Promise.all(writers.map((writer) => writer.round(round)))).toEqual([`${round}`, `${round}`]);
    const { found, expected } = await statesAfter(s3, 20, names);
    expect(found).toEqual(expected);
  });

  it('leave a whole collection where one is killed at any moment, and the other goes on', { timeout: 300_000 }, async () => {
    const s3 = await openS3();
    const survivor = startWriter(s3, 'b');
    await survivor.round(0);
    for (let round = 1; round <= 5; round++) {
      const victim = startWriter(s3, 'a');
      let left = round + 2;
      s3.disturb(({ method, url }) => {
        if (method === 'PUT' && url.includes('.lance/') && --left === 0) victim.child.kill('SIGKILL');
        return undefined;
      });
      await victim.round(round);
      s3.disturb();
      expect(await survivor.round(round)).toBe(`${round}`);
      expect(await victim.round(round).catch(() => undefined), 'it was killed').toBeUndefined();
    }
    const collection = (await (await machine(s3)).open('default'))!;
    const chunks = await everything(collection);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
    const { found, expected } = await statesAfter(s3, 6, ['b']);
    expect(found).toEqual(expect.arrayContaining(expected));
  });
});

const DISTURBANCES: S3Disturbance[] = ['cut', 'cut_after', 'fail', 'fail_after', 300];

withS3('a way to S3 that is disturbed', () => {
  it('doubles and loses nothing, wherever a request is cut, fails or waits', { timeout: 300_000 }, async () => {
    const s3 = await openS3();
    const collection = await (await machine(s3)).create(INFO);
    const expected: string[] = [];
    for (const how of DISTURBANCES) {
      for (const part of ['/data/', '.txn', '.manifest', '?']) {
        const disturbed = (work: () => Promise<unknown>) => {
          let isFirst = true;
          s3.disturb(({ method, url }) => {
            if (!isFirst || !url.includes(part) || (method !== 'PUT' && part !== '?')) return undefined;
            isFirst = false;
            return how;
          });
          return work();
        };
        const source = `${how} ${part}`;
        await disturbed(() => collection.replace([{ source, chunks: document(source), isNew: true }]));
        await disturbed(() => collection.replace([{ source, chunks: document(source, 4, 'second'), isNew: false }]));
        await disturbed(() => collection.delete({ ids: [`${source}-0`] }));
        expected.push(
          ...document(source, 4)
            .slice(1)
            .map(({ id }) => id),
        );
        s3.disturb();
        expect(await idsIn(collection), source).toEqual(expected.toSorted());
      }
    }
    await collection.optimize({ whole: true });
    expect(await collection.search({ text: 'second', limit: 1_000 })).toHaveLength(expected.length);
    expect(await idsIn((await (await machine(s3)).open('manuals'))!)).toEqual(expected.toSorted());
  });

  it('leaves the old state or the new one where it ends in the middle', { timeout: 300_000 }, async () => {
    const s3 = await openS3();
    const collection = await (await machine(s3)).create(INFO);
    await collection.replace([{ source: 'a', chunks: document('a', 3, 'old'), isNew: true }]);
    for (const end of ['/data/', '.txn', '.manifest']) {
      for (const how of ['cut', 'cut_after'] as const) {
        let isOver = false;
        s3.disturb(({ method, url }) => {
          if (isOver) return 'cut';
          isOver = method === 'PUT' && url.includes(end);
          return isOver ? how : undefined;
        });
        const word = `${end.replaceAll(/[^a-z]/g, '')}${how.replaceAll('_', '')}`;
        await expect(collection.replace([{ source: 'a', chunks: document('a', 5, word), isNew: false }])).rejects.toMatchObject({
          code: 'unavailable',
          isRetryable: true,
        });
        s3.disturb();
        const texts = (await everything((await (await machine(s3)).open('manuals'))!)).map(({ text }) => text);
        expect(texts.length, texts.join()).toBe(texts[0]!.includes('old') ? 3 : 5);
        await collection.replace([{ source: 'a', chunks: document('a', 3, 'old'), isNew: false }]);
        expect(await idsIn(collection)).toEqual(['a-0', 'a-1', 'a-2']);
      }
    }
  });
});

withS3('the lock of a collection on S3', () => {
  it('is taken over from a machine that has been silent for a minute, which writes nothing any more', async () => {
    const s3 = await openS3();
    const [first, second] = [await machine(s3), await machine(s3)];
    const collection = await first.create(INFO);
    await first.lock('manuals');
    await collection.upsert(document('before'));
    const table = await locksOf(s3);
    await table.update({ values: { host: 'another-machine' } });
    let later = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() + later);
    onTestFinished(() => clock.mockRestore());
    const onWait = vi.fn<() => void>(() => void (later = 61_000));
    const release = await second.lock('manuals', { onWait });
    expect(onWait).toHaveBeenCalledOnce();
    await expect(collection.upsert(document('after'))).rejects.toMatchObject({ code: 'conflict' });
    await (await second.open('manuals'))!.upsert(document('theirs'));
    await release();
    expect(await idsIn(collection)).toEqual([...document('before'), ...document('theirs')].map(({ id }) => id).toSorted());
  });

  it('is taken at once from a process of this machine that was killed', async () => {
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

  it('ends to wait when it is told to', async () => {
    const s3 = await openS3();
    const store = await machine(s3);
    await store.create(INFO);
    await store.lock('manuals');
    const stop = new AbortController();
    await expect(store.lock('manuals', { signal: stop.signal, onWait: () => stop.abort() })).rejects.toMatchObject({ code: 'aborted' });
  });
});
