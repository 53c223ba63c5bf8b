// Another process that writes to a LanceDB store, for the tests: node store-process.ts FOLDER TASK. It says `ready` when it has begun.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openLanceDb } from '../../src/drivers/stores/lancedb/lancedb.ts';
import type { StoredChunk } from '../../src/ports/stores.ts';

const [folder, task] = process.argv.slice(2) as [string, string];
const store = await openLanceDb({ url: folder });
const collection = (await store.open('manuals'))!;
const say = (word: string) => process.stdout.write(`${word}\n`);

const version = (n: number, size: number): StoredChunk[] =>
  Array.from({ length: size }, (_, i) => ({
    id: `doc-${i}`,
    text: `Version ${n} of the passage ${i}.`,
    source: 'doc',
    metadata: {},
    version: `${n}`,
    chunk_count: size,
  }));

const tasks: Record<string, () => Promise<void>> = {
  /** Takes the lock and never leaves it. */
  hold: async () => {
    await store.lock('manuals');
    say('ready');
    await wait(60_000);
  },
  /** Replaces one document again and again, under the lock. */
  replace: async () => {
    await store.lock('manuals');
    say('ready');
    for (let n = 1; ; n++) await collection.replace([{ source: 'doc', isNew: false, chunks: version(n, 50 + (n % 10)) }]);
  },
  /** Adds documents and optimizes, again and again; says which are stored. */
  add: async () => {
    say('ready');
    for (let n = 0; ; n++) {
      const source = `added-${n}`;
      await collection.replace([
        {
          source,
          isNew: true,
          chunks: Array.from({ length: 300 }, (_, i) => ({ id: `${source}-${i}`, text: `Passage ${i}`, source, metadata: {} })),
        },
      ]);
      say(source);
      if (n % 5 === 4) await collection.optimize();
    }
  },
  /** Writes the same new ids as another, at the same time (when there is a file `go`), without the lock. */
  upsert: async () => {
    say('ready');
    while (!existsSync(join(folder, '..', 'go'))) await wait(1);
    for (let round = 0; round < 5; round++) {
      await collection.upsert(
        Array.from({ length: 200 }, (_, i) => ({ id: `same-${round}-${i}`, text: 'the same', source: 'same', metadata: {} })),
      );
    }
  },
  /** Takes the lock, adds one to a number that is stored, and leaves it; ten times. */
  count: async () => {
    say('ready');
    for (let i = 0; i < 10; i++) {
      const release = await store.lock('manuals');
      const [before] = await collection.get(['counter']);
      await collection.upsert([{ id: 'counter', text: String(Number(before?.text ?? 0) + 1), source: 'counter', metadata: {} }]);
      await release();
    }
  },
};
await tasks[task]!();
