// How well it finds, and how fast, over retrieval sets in BEIR layout:
//   node bench/retrieval.ts SET... [--mode hybrid,vector,text] [--rerank] [--model NAME] [--into FOLDER] [--typos]
// SET is a folder. Corpora are chunked and embedded as the defaults say, into a temporary folder; with --into, they stay there and are used again. With
// --typos, a word of each query is misspelt.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import type { RetrieveInput, RetrieveParts } from '../src/stages/retrieve/retrieve.ts';
import { figuresOf, markdownTable, mean, percentile, readSet, type BenchSet } from './beir.ts';
import { collectionOf, found } from './collection.ts';

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'hybrid' },
    rerank: { type: 'boolean', default: false },
    model: { type: 'string' },
    into: { type: 'string' },
    typos: { type: 'boolean', default: false },
  },
});

/** Passages that are reranked, as many as a query has by default. */
const RERANKED = DEFAULTS.retrieval.top_k;

type Row = Record<string, string | number>;

/** The query with an error in the middle of its longest word: by turns two letters swapped, one lacking, one doubled, another one. */
function misspelt(query: string, turn: number): string {
  const [word] = (query.match(/(?<![\p{L}\p{N}-])\p{Ll}{5,}(?![\p{L}\p{N}-])/gu) ?? []).toSorted((a, b) => b.length - a.length);
  if (word === undefined) return query;
  const at = Math.floor(word.length / 2);
  const [before, letter, next, rest] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
  const errors = [next + letter, next, letter + letter + next, (letter === 'e' ? 'a' : 'e') + next];
  return query.replace(word, () => before + errors[turn % errors.length]! + rest);
}

/** A document stands where its best chunk does. */
const documentsOf = (sources: readonly string[], left_out: ReadonlyMap<string, number> | undefined): string[] =>
  [...new Set(sources)].filter((source) => !left_out?.has(source)).slice(0, 100);

async function measure(set: BenchSet, mode: RetrieveInput['mode'], parts: RetrieveParts): Promise<Row> {
  const times: number[] = [];
  const figures: Record<string, number>[] = [];
  const input = options.rerank ? { top_k: RERANKED, rerank: { top_k: RERANKED } } : { top_k: 100 };
  const ask = (query: string) => found({ query, mode, ...input }, parts);
  for (const { text } of set.queries.slice(0, 5)) await ask(text); // what is loaded at the first query is no part of the others
  for (const [i, { _id, text: asked }] of set.queries.entries()) {
    const text = options.typos ? misspelt(asked, i) : asked;
    const began = performance.now();
    const items = await ask(text);
    times.push(performance.now() - began);
    const sources = items.map(({ metadata }) => String(metadata.source));
    figures.push(figuresOf(documentsOf(sources, set.left_out.get(_id)), set.relevant.get(_id)!));
  }
  const means = Object.keys(figures[0]!).map((name) => [name, mean(figures.map((figure) => figure[name]!))] as const);
  return {
    set: set.name,
    mode,
    queries: times.length,
    ...Object.fromEntries(means),
    'p50 ms': percentile(times, 50),
    'p95 ms': percentile(times, 95),
  };
}

const into = options.into ?? mkdtempSync(join(tmpdir(), 'kb-bench-'));
const embedder = await drivers.embedders.local.open({ model: options.model });
const store = await drivers.stores.lancedb.open({ url: into });
try {
  const reranker = options.rerank ? await drivers.rerankers.local.open({}) : undefined;
  const rows: Row[] = [];
  for (const folder of folders) {
    const set = readSet(folder);
    const collection = await collectionOf(set, store, embedder);
    for (const mode of options.mode.split(',') as RetrieveInput['mode'][])
      rows.push(await measure(set, mode, { collection, embedder, reranker }));
  }
  console.log(markdownTable(rows));
} finally {
  await store.close();
  await embedder.close();
  if (!options.into) rmSync(into, { recursive: true, force: true });
}
