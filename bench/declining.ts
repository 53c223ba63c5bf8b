// How well the score of the best hit tells questions that a collection answers from those on other subjects:
//   node bench/declining.ts SET OTHER... [--mode hybrid,vector,text] [--model NAME] [--into FOLDER]
// SET and OTHER are folders in BEIR layout; SET's corpus is searched, with its own questions and with those of OTHER. The score from which a passage
// counts is chosen on every other question, so that 5% of SET's are lost, and reported on the rest, beside the one that is set.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import type { RetrieveInput, RetrieveParts } from '../src/stages/retrieve/retrieve.ts';
import { MIN_SCORE_BY_WORDS } from '../src/stages/retrieve/similarity.ts';
import { jsonLines, markdownTable, readSet, type BenchQuery } from './beir.ts';
import { collectionOf, found } from './collection.ts';
import { area, below, half, kth } from './judging.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: 'string', default: 'hybrid,vector,text' }, model: { type: 'string' }, into: { type: 'string' } },
});
const [folder = '', ...others] = positionals;

async function bestScores(queries: readonly BenchQuery[], mode: RetrieveInput['mode'], parts: RetrieveParts): Promise<number[]> {
  const scores: number[] = [];
  for (const { text } of queries) scores.push((await found({ query: text, mode, top_k: 1 }, parts))[0]?.score ?? 0);
  return scores;
}

const into = options.into ?? mkdtempSync(join(tmpdir(), 'kb-bench-'));
const embedder = await drivers.embedders.local.open({ model: options.model });
const store = await drivers.stores.lancedb.open({ url: into });
try {
  const set = readSet(folder);
  const collection = await collectionOf(set, store, embedder);
  const elsewhere = others.flatMap((other) => jsonLines<BenchQuery>(join(other, 'queries.jsonl')));
  const rows = [];
  for (const mode of options.mode.split(',') as RetrieveInput['mode'][]) {
    const good = await bestScores(set.queries, mode, { collection, embedder });
    const bad = await bestScores(elsewhere, mode, { collection, embedder });
    const chosen = kth(half(good, 0), 0.05);
    const fixed = mode === 'text' ? MIN_SCORE_BY_WORDS : embedder.min_retrieval_score;
    const row = { set: set.name, mode, questions: good.length, others: bad.length, AUC: area(good, bad) };
    for (const [kind, threshold] of [
      ['chosen', chosen],
      ['set', fixed],
    ] as const) {
      rows.push({
        ...row,
        threshold: kind,
        score: threshold,
        'lost (other half)': below(half(good, 1), threshold),
        'declined (other half)': below(half(bad, 1), threshold),
      });
    }
  }
  console.log(markdownTable(rows));
} finally {
  await store.close();
  await embedder.close();
  if (!options.into) rmSync(into, { recursive: true, force: true });
}
