// How long a search takes in Qdrant, beside LanceDB, both in one run:
//   node bench/stores.ts [--qdrant http://127.0.0.1:6333] [--files 1667] [--questions 300]
// The same chunks in both, asked the same questions in turn by one process; then all questions once more, when what they found has been read before.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import type { VectorStore } from '../src/ports/stores.ts';
import { markdownTable, percentile } from './beir.ts';
import { collectionOf, found } from './collection.ts';
import { manualSet } from './manual.ts';
import { MODES, questionsOf } from './serving.ts';

const { values: options } = parseArgs({
  options: {
    qdrant: { type: 'string', default: 'http://127.0.0.1:6333' },
    files: { type: 'string', default: '1667' },
    questions: { type: 'string', default: '300' },
  },
});

const SET = manualSet('bench-stores', Number(options.files));

/** Milliseconds of each question by store, put to one after the other. */
async function round(ask: Record<string, (query: string) => Promise<unknown>>, questions: readonly string[]) {
  const times = Object.fromEntries(Object.keys(ask).map((name) => [name, [] as number[]]));
  for (const question of questions) {
    for (const [name, put] of Object.entries(ask)) {
      const began = performance.now();
      await put(question);
      times[name]!.push(performance.now() - began);
    }
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), 'kb-bench-'));
const embedder = await drivers.embedders.local.open();
const stores: Record<string, VectorStore> = {
  LanceDB: await drivers.stores.lancedb.open({ url: folder }),
  Qdrant: await drivers.stores.qdrant.open({ url: options.qdrant }),
};

/** The store without what its searches have read so far. */
const opened = (name: string): Promise<VectorStore> =>
  name === 'Qdrant' ? drivers.stores.qdrant.open({ url: options.qdrant }) : drivers.stores.lancedb.open({ url: folder });

async function measure(mode: (typeof MODES)[number], questions: readonly string[]) {
  const ask: Parameters<typeof round>[0] = {};
  let chunks = 0;
  for (const name of Object.keys(stores)) {
    const collection = (await (await opened(name)).open(SET.name))!;
    chunks = await collection.count();
    ask[name] = (query) => found({ query, mode, top_k: 5 }, { collection, embedder });
  }
  await round(ask, questions.slice(0, 5)); // what is opened by the first is no part of the others
  const rows = [];
  for (const asked of ['first', 'again']) {
    const times = await round(ask, questions.slice(5));
    const p50 = (name: string) => percentile(times[name]!, 50);
    rows.push({
      chunks,
      mode,
      asked,
      'LanceDB p50 ms': p50('LanceDB'),
      'LanceDB p95 ms': percentile(times['LanceDB']!, 95),
      'Qdrant p50 ms': p50('Qdrant'),
      'Qdrant p95 ms': percentile(times['Qdrant']!, 95),
      'p50 (LanceDB = 1)': p50('Qdrant') / p50('LanceDB'),
    });
  }
  return rows;
}

try {
  for (const store of Object.values(stores)) await collectionOf(SET, store, embedder);
  const questions = questionsOf(Number(options.questions) + 5);
  const rows = [];
  for (const mode of MODES) rows.push(...(await measure(mode, questions)));
  console.log(markdownTable(rows));
} finally {
  await stores['Qdrant']!.drop(SET.name);
  for (const store of Object.values(stores)) await store.close();
  rmSync(folder, { recursive: true });
}
