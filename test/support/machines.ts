import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Layer, mergeLayers } from '../../src/core/settings.ts';
import type { Collection, StoredChunk } from '../../src/ports/stores.ts';
import type { OperationName, RequestOf, ResultOf } from '../../src/schema/operations.ts';
import { WORDS } from './engine.ts';
import { folder, write } from './folder.ts';
import { everything } from './store-contract.ts';

const PROCESS = fileURLToPath(new URL('machine-process.ts', import.meta.url));

/** Another machine: a process with folders of its own, so that it shares nothing with others but the store. */
export interface Machine {
  process: ChildProcess;
  /** Runs an operation, in the collection `default` where no other is named. Throws what the process says that went wrong, and where it dies. */
  run<Name extends OperationName>(operation: Name, request: RequestOf<Name>, collection?: string): Promise<ResultOf<Name>>;
}

/** Starts a machine with these settings (`storage`, and what else differs from the defaults); killed after the test. */
export function startMachine(settings: Layer): Machine {
  const child = spawn(process.execPath, [PROCESS, JSON.stringify({ home: folder(), settings: mergeLayers(WORDS, settings) })], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: folder() },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.on('error', () => {}); // it was killed
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const run: Machine['run'] = async (operation, request, collection = 'default') => {
    child.stdin.write(`${JSON.stringify({ operation, request, collection })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error('The machine died.');
    const { result, error } = JSON.parse(value as string) as { result: never; error?: { code: string; message: string } };
    if (error) throw Object.assign(new Error(`${error.code}: ${error.message}`), error);
    return result;
  };
  return { process: child, run };
}

const ROUNDS = 20;
/** Chunks of each step of an ingest. */
const BATCH = 3;

/** A text of several chunks, each of which says which text it is of. */
const textOf = (mark: string, sections: number): string =>
  Array.from({ length: sections }, (_, i) => `${`${mark} says this in section ${i}. `.repeat(30)}`).join('\n\n');

const named = (source: string, text: string) => ({ source, text });

/** What a writer ingests in a round: so many documents that all write, each in its own words, and as many that only it writes. */
const documentsIn = (count: number) => (writer: string, round: number) => [
  ...Array.from({ length: count }, (_, i) => named(`shared-${i}`, textOf(`Writer ${writer} of round ${round}`, writer === 'a' ? 2 : 3))),
  ...Array.from({ length: count }, (_, i) => named(`${writer}-${round}-${i}`, textOf(`Writer ${writer} of round ${round}`, 1))),
];

/** The collection as other machines have left it. */
type Look = (name?: string) => Promise<Collection>;

async function bySource(look: Look, name?: string): Promise<Map<string, StoredChunk[]>> {
  const chunks = await everything(await look(name));
  expect(new Set(chunks.map(({ id }) => id)).size, 'no id twice').toBe(chunks.length);
  return Map.groupBy(chunks, ({ source }) => source);
}

const marksOf = (chunks: readonly StoredChunk[]): string[] => [
  ...new Set(chunks.flatMap(({ text }) => text.match(/Writer [a-z]+ of round \d+/g) ?? [])),
];

/** Every document is of one writer, and has all of its chunks. */
function expectWhole(documents: ReadonlyMap<string, StoredChunk[]>): void {
  for (const [source, chunks] of documents) {
    expect(marksOf(chunks), source).toHaveLength(1);
    expect(chunks.length, source).toBe(chunks[0]!.chunk_count);
  }
}

/** A store of some kind that several machines write to. */
export interface SharedStore {
  kind: string;
  /** The settings of a store that is empty and the test's own, of several each machine takes another; and a way to look into it from yet another machine. */
  open(): Promise<{ settings: Layer[]; look: Look }>;
  /** How many documents each writer shares with others, and has of its own, in each round: 6 without. */
  documents?: number;
}

/** Starts two machines that write to a store of a test's own; `start` starts one more. */
async function machinesOn({ open }: SharedStore) {
  const { settings, look } = await open();
  let machines = 0;
  const start = () => startMachine(mergeLayers(settings[machines++ % settings.length]!, { storage: { batch_size: BATCH } }));
  return { a: start(), b: start(), look, start };
}

/** What every store must do that several machines ingest into. */
export function testWriters(store: SharedStore): void {
  const { kind, documents = 6 } = store;
  const documentsOf = documentsIn(documents);
  describe(`machines that write to ${kind} concurrently`, { timeout: 600_000 }, () => {
    it(`lose, double and mix nothing in ${ROUNDS} rounds`, async () => {
      const { a, b, look } = await machinesOn(store);
      for (let round = 0; round < ROUNDS; round++) {
        const ingests = [a.run('ingest', { markdown: documentsOf('a', round) }), b.run('ingest', { markdown: documentsOf('b', round) })];
        for (const { failed, errors } of await Promise.all(ingests)) expect({ failed, errors }).toEqual({ failed: 0, errors: [] });
        const found = await bySource(look);
        expectWhole(found);
        expect(found.size).toBe(documents * (1 + 2 * (round + 1)));
        for (let i = 0; i < documents; i++) expect(marksOf(found.get(`shared-${i}`)!)[0]).toContain(`of round ${round}`);
      }
    });

    it('create a collection once, and both continue with it', async () => {
      const { a, b, look } = await machinesOn(store);
      for (let round = 0; round < 6; round++) {
        const name = `made-${round}`;
        const ingests = [
          a.run('ingest', { markdown: documentsOf('a', round) }, name),
          b.run('ingest', { markdown: documentsOf('b', round) }, name),
        ];
        await Promise.all(ingests);
        const found = await bySource(look, name);
        expectWhole(found);
        expect(found.size).toBe(3 * documents);
      }
    });
  });
}

/** What every store must do where machines change and delete what others write. */
export function testEdits(store: SharedStore): void {
  const { kind, documents = 6 } = store;
  const documentsOf = documentsIn(documents);
  describe(`machines that change data in ${kind} concurrently`, { timeout: 600_000 }, () => {
    it('delete and edit without undoing the writes of others', async () => {
      const { a, b, look } = await machinesOn(store);
      await a.run('ingest', { markdown: documentsOf('a', 0) });
      for (let round = 1; round < 5; round++) {
        const gone = [...(await bySource(look))].filter(([source]) => source.startsWith(`a-${round - 1}`));
        const ids = gone.flatMap(([, chunks]) => chunks.map(({ id }) => id));
        const [deleted] = await Promise.all([b.run('delete', { ids }), a.run('ingest', { markdown: documentsOf('a', round) })]);
        expect(deleted.items).toHaveLength(ids.length);
        const found = await bySource(look);
        expectWhole(found);
        expect([...found.keys()].filter((source) => source.startsWith('a-')).toSorted()).toEqual(
          documentsOf('a', round)
            .flatMap(({ source }) => (source.startsWith('a-') ? [source] : []))
            .toSorted(),
        );
      }
    });

    it('edit what another replaces without restoring the old text', async () => {
      const { a, b, look } = await machinesOn(store);
      await a.run('ingest', { markdown: documentsOf('a', 0) });
      for (let round = 1; round <= 5; round++) {
        const stored = await everything(await look());
        const chunks = stored.map(({ id, source, metadata }) => ({ id, source, metadata, text: `Edited in round ${round}: ${id}.` }));
        const editing = b.run('edit', { chunks }).catch((error: { code: string }) => expect(error.code).toBe('conflict'));
        const [, { failed }] = await Promise.all([editing, a.run('ingest', { markdown: documentsOf('a', round) })]);
        expect(failed).toBe(0);
        for (const [source, of] of await bySource(look)) expect(of.length, source).toBe(of[0]!.chunk_count);
        const again = await a.run('ingest', { markdown: documentsOf('a', round) });
        expect(again, 'every document is of the last ingest').toMatchObject({ failed: 0, stored: 0 });
      }
    });

    it('prune one folder concurrently', async () => {
      const { a, b, look } = await machinesOn(store);
      const docs = folder();
      const remaining = new Map<string, string>();
      for (let round = 0; round < 4; round++) {
        for (const name of [...remaining.keys()].slice(0, 5)) {
          remaining.delete(name);
          rmSync(join(docs, name));
        }
        for (let i = 0; i < 10; i++) remaining.set(`${(round * 7 + i) % 30}.md`, textOf(`Writer folder of round ${round}`, 1 + (i % 3)));
        write(docs, Object.fromEntries(remaining));
        const ingests = [a, b].map((machine) => machine.run('ingest', { docs: [docs], prune: true }));
        for (const { failed } of await Promise.all(ingests)) expect(failed).toBe(0);
        const found = await bySource(look);
        expectWhole(found);
        expect([...found.keys()].map((source) => basename(source)).toSorted()).toEqual([...remaining.keys()].toSorted());
        for (const [source, chunks] of found) expect(remaining.get(basename(source))).toContain(marksOf(chunks)[0]);
      }
    });
  });
}

/** What every store must do where machines are killed while they write. */
export function testKills(store: SharedStore): void {
  const { kind, documents = 6 } = store;
  const documentsOf = documentsIn(documents);
  describe(`machines that are killed while they write to ${kind}`, { timeout: 600_000 }, () => {
    it('leave the old or the new document, and the next ingest completes it', async () => {
      const { a, look, start } = await machinesOn(store);
      await a.run('ingest', { markdown: documentsOf('a', 0) });
      const began = performance.now();
      await a.run('ingest', { markdown: documentsOf('a', 1) });
      const took = performance.now() - began;
      for (let round = 2; round <= 7; round++) {
        const victim = start();
        await victim.run('list_collections', {}); // it has started
        const dying = victim.run('ingest', { markdown: documentsOf('a', round) }).catch(() => undefined);
        setTimeout(() => victim.process.kill('SIGKILL'), (took * (round - 1)) / 6);
        await dying;
        const left = await bySource(look);
        expectWhole(left);
        for (let i = 0; i < documents; i++)
          expect(marksOf(left.get(`shared-${i}`)!)[0]).toMatch(new RegExp(`of round (${round - 1}|${round})$`));
        expect(await a.run('ingest', { markdown: documentsOf('a', round) })).toMatchObject({ failed: 0 });
        const found = await bySource(look);
        expectWhole(found);
        for (let i = 0; i < documents; i++) expect(marksOf(found.get(`shared-${i}`)!)[0]).toContain(`of round ${round}`);
      }
    });

    it('leave nothing half-written, and the other one continues', async () => {
      const { b, look, start } = await machinesOn(store);
      await b.run('ingest', { markdown: documentsOf('b', 0) });
      for (let round = 1; round <= 4; round++) {
        const victim = start();
        const dying = victim.run('ingest', { markdown: documentsOf('victim', round) }).catch(() => undefined);
        const writing = b.run('ingest', { markdown: documentsOf('b', round) });
        setTimeout(() => victim.process.kill('SIGKILL'), 600 + 225 * round);
        const [, { failed }] = await Promise.all([dying, writing]);
        expect(failed).toBe(0);
        const found = await bySource(look);
        expectWhole(found);
        for (const { source } of documentsOf('b', round)) expect(found.has(source), source).toBe(true);
      }
    });
  });
}
