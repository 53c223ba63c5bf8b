import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLanceDb } from '../../../../src/drivers/stores/lancedb/lancedb.ts';
import type { Collection, VectorStore } from '../../../../src/ports/stores.ts';
import { chunk, everything } from '../../../support/store-contract.ts';
import { folder as emptyFolder } from '../../../support/folder.ts';

const INFO = { name: 'manuals', provider: 'none', model: '', dimensions: 0 };

const plain = (id: string, text = 'a passage') => ({ id, text, source: 'a', metadata: {} });

let folder: string;

let home: string;

beforeEach(() => {
  home = emptyFolder();
  folder = join(home, 'lancedb');
});

describe('two processes on a LanceDB store', () => {
  let store: VectorStore;
  let collection: Collection;
  let children: ChildProcess[];

  beforeEach(async () => {
    children = [];
    store = await openLanceDb({ url: folder });
    collection = await store.create(INFO);
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Another process at its task, when it has begun; `said` is what it says. */
  async function begin(task: string): Promise<{ child: ChildProcess; said: string[]; errors: string[] }> {
    const script = fileURLToPath(new URL('../../../support/store-process.ts', import.meta.url));
    const child = spawn(process.execPath, [script, folder, task], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const said: string[] = [];
    const errors: string[] = [];
    child.stderr!.on('data', (data: Buffer) => errors.push(String(data)));
    child.stdout!.on('data', (data: Buffer) => said.push(...String(data).split('\n').filter(Boolean)));
    while (!said.includes('ready')) {
      if (child.exitCode !== null) throw new Error(errors.join(''));
      await wait(20);
    }
    return { child, said, errors };
  }
  const ended = async (child: ChildProcess) => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  /** Takes the lock of a silent process. Each look at the clock is a second later than the one before, so that this does not take a minute. */
  const takeFromSilent = async () => {
    let looks = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_000 * looks++);
    return await store.lock(INFO.name).finally(() => clock.mockRestore());
  };

  it('keeps a process from writing that was suspended and lost its lock', { timeout: 120_000 }, async () => {
    for (const pause of [0, 7, 31]) {
      const { child, errors } = await begin('replace');
      await wait(200 + pause);
      child.kill('SIGSTOP');
      const leave = await takeFromSilent();
      const stored = async () => (await Array.fromAsync(collection.all())).flat().map(({ id, text }) => `${id} ${text}`);
      await collection.replace([{ source: 'other', isNew: true, chunks: [plain(`other ${pause}`, 'written by who came later')] }]);
      const before = await stored();
      child.kill('SIGCONT');
      expect(await ended(child)).not.toBe(0);
      expect(errors.join('')).toContain('has taken over');
      expect(await stored()).toEqual(before);
      await leave();
    }
  });

  it('does not commit a write that began before the lock was taken over', async () => {
    await collection.upsert([plain('1', 'stays')]);
    const { child } = await begin('hold');
    child.kill('SIGSTOP');
    const name = (await readdir(folder)).find((file) => file.startsWith('kb.'))!.replace(/\.lance$/, '');
    const { connect } = await import('@lancedb/lancedb');
    const begun = await (await connect(folder)).openTable(name); // stays at its version, as a write does that was suspended
    await (
      await takeFromSilent()
    )();
    await expect(begun.delete("id = '1'")).rejects.toThrow(/incompatible/i);
    expect(await collection.count()).toBe(1);
  });

  const killed = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await ended(child);
  };

  it('waits for the lock of the other process, and takes it at once when that is killed', async () => {
    const { child } = await begin('hold');
    let waiting = 0;
    const taking = store.lock('manuals', { onWait: () => waiting++ });
    expect(await Promise.race([taking.then(() => 'taken'), wait(500, 'waiting')])).toBe('waiting');
    await killed(child);
    const release = await Promise.race([taking, wait(3_000).then(() => expect.fail('it still waits'))]);
    await release();
    expect(waiting).toBe(1);
  });

  it('gives the lock to one of many processes at a time', async () => {
    const others = await Promise.all([begin('count'), begin('count'), begin('count')]);
    expect(await Promise.all(others.map(({ child }) => ended(child)))).toEqual([0, 0, 0]);
    expect((await collection.get(['counter']))[0]?.text).toBe('30');
  });

  it('lets one process read all old or all new chunks of the other, even if that is killed', async () => {
    const { child } = await begin('replace');
    const seen = new Set<string | undefined>();
    for (const start = Date.now(); seen.size < 4 && Date.now() - start < 20_000;) {
      const chunks = await everything(collection);
      const versions = new Set(chunks.map(({ version }) => version));
      if (chunks.length > 0) expect([versions.size, chunks[0]!.chunk_count]).toEqual([1, chunks.length]);
      for (const version of versions) seen.add(version);
    }
    expect(seen.size).toBeGreaterThanOrEqual(4);
    await killed(child);
    const [first, ...others] = await everything(collection);
    expect(others).toHaveLength(first!.chunk_count! - 1);
    const release = await store.lock('manuals');
    await collection.replace([{ source: 'doc', isNew: false, chunks: [{ ...plain('doc-0', 'finally'), source: 'doc' }] }]);
    await release();
    expect((await everything(collection)).map(({ text }) => text)).toEqual(['finally']);
  });

  it('loses and duplicates nothing when a writer is killed', async () => {
    for (let round = 0; round < 3; round++) {
      const { child, said } = await begin('add');
      await wait(300 + round * 250);
      await killed(child);
      const sources = await collection.sources();
      for (const source of said.slice(1)) expect(sources.get(source)?.chunks).toBe(300);
      const ids = (await everything(collection)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const source of sources.values()) expect(source.chunks).toBe(300);
      expect((await collection.search({ text: 'passage', limit: 5 })).length).toBe(Math.min(5, ids.length));
      await collection.delete({ filter: { source: { gte: 'added' } } });
    }
  });

  it('does not duplicate ids that both processes write at once without the lock', async () => {
    const others = await Promise.all([begin('upsert'), begin('upsert'), begin('upsert')]);
    await writeFile(join(home, 'go'), '');
    expect(await Promise.all(others.map(({ child }) => ended(child)))).toEqual([0, 0, 0]);
    const ids = (await everything(collection)).map(({ id }) => id);
    expect(ids).toHaveLength(1_000);
    expect(new Set(ids).size).toBe(1_000);
    expect(
      others.flatMap(({ errors }) => errors),
      'and says nothing on standard error',
    ).toEqual([]);
  });

  it('follows the replacement of an open collection by the other process', async () => {
    await collection.upsert([plain('old')]);
    const other = await openLanceDb({ url: folder });
    const draft = await other.draft({ ...INFO, dimensions: 3 });
    await draft.collection.upsert([chunk('new')]);
    await draft.commit();
    expect((await everything(collection)).map(({ id }) => id)).toEqual(['new']);
    expect(collection.info.dimensions).toBe(3);
    await other.drop('manuals');
    await expect(collection.count()).rejects.toMatchObject({ code: 'not_found' });
  });
});
