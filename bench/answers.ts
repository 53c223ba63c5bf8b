// Whether it answers what it can, without a model, and declines the rest:
//   node bench/answers.ts SET OTHER... [--mode hybrid,vector,text,words] [--into FOLDER]
// SET and OTHER are folders in BEIR layout; SET's `queries.jsonl` has the answers of its questions (metadata.answers), `queries_unanswerable.jsonl`
// those that only look answerable. Each is retrieved for, gated and answered as chat does by default in mode return_no_answer. Figures are of every
// other question; what was chosen (weights, thresholds) was chosen on the rest.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import { answered, type Answered, type Mode, type Question } from './answering.ts';
import { area, below, half, kth } from './judging.ts';
import { jsonLines, markdownTable, mean, readSet } from './beir.ts';
import { collectionOf } from './collection.ts';
import { remembering } from './remembered.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'hybrid,vector,text,words' },
    into: { type: 'string' },
  },
});
const [folder = '', ...others] = positionals;
type Kind = 'answerable' | 'other subjects' | 'unanswerable';
type Row = Record<string, string | number>;

const share = (rows: readonly Answered[], is: (row: Answered) => boolean | undefined): number => rows.filter(is).length / rows.length;

/** What became of the questions of one kind. */
function outcome(what: Kind, rows: readonly Answered[]): Row {
  const given = rows.filter(({ declined }) => !declined);
  const row: Row = {
    questions: what,
    asked: rows.length,
    'stopped by the gate': share(rows, ({ gated }) => gated),
    declined: share(rows, ({ declined }) => declined),
  };
  if (what !== 'answerable') return row;
  return {
    ...row,
    'a gold answer is quoted': share(rows, ({ gold }) => gold),
    'the right document is cited': share(rows, ({ cites }) => cites),
    'of those answered: quoted': share(given, ({ gold }) => gold),
    'cited ': share(given, ({ cites }) => cites),
    'words (mean)': mean(given.map(({ words }) => words)),
  };
}

/** How well a score tells two kinds apart: the area under the curve, and how many are declined where so many answerable ones are lost. */
function curve(what: string, good: readonly number[], bad: readonly number[]): Row {
  const declined = (lost: number) => below(bad, kth(good, lost));
  return { score: what, AUC: area(good, bad), 'declined at 5% lost': declined(0.05), 'at 10%': declined(0.1), 'at 15%': declined(0.15) };
}

function report(mode: Mode, kinds: Readonly<Record<Kind, readonly Answered[]>>): void {
  const of = (kind: Kind, which: 0 | 1) => half(kinds[kind], which);
  const rows = (Object.keys(kinds) as Kind[]).map((kind) => ({ mode, ...outcome(kind, of(kind, 1)) }));
  const scores = (kind: Kind, of_: (row: Answered) => number | undefined) => of(kind, 1).map((row) => of_(row) ?? Number.NEGATIVE_INFINITY);
  const curves = (
    [
      ['the score of the best hit', 'other subjects', ({ score }) => score],
      ['the probability of the answer', 'other subjects', ({ probability }) => probability],
      ['the score of the best hit', 'unanswerable', ({ score }) => score],
      ['the probability of the answer', 'unanswerable', ({ probability }) => probability],
    ] as [string, Kind, (row: Answered) => number | undefined][]
  ).map(([what, kind, of_]) => ({
    mode,
    questions: kind,
    ...curve(what, scores('answerable', of_), scores(kind, of_)),
  }));
  console.log(`${markdownTable(rows)}\n\n${markdownTable(curves)}\n`);
}

const into = options.into ?? mkdtempSync(join(tmpdir(), 'kb-bench-'));
const local = await drivers.embedders.local.open();
const embedder = remembering(local, options.into && join(options.into, 'vectors'));
const store = await drivers.stores.lancedb.open({ url: into });
try {
  const set = readSet(folder);
  const collection = await collectionOf(set, store, local);
  const answers = new Map(jsonLines<Question>(join(folder, 'queries.jsonl')).map((query) => [query._id, query]));
  const questions: Record<Kind, Question[]> = {
    answerable: set.queries.map(({ _id }) => ({ ...answers.get(_id)!, documents: [...set.relevant.get(_id)!.keys()] })),
    'other subjects': others.flatMap((other) => jsonLines<Question>(join(other, 'queries.jsonl'))),
    unanswerable: jsonLines<Question>(join(folder, 'queries_unanswerable.jsonl')),
  };
  for (const mode of options.mode.split(',') as Mode[]) {
    const kinds: Record<Kind, Answered[]> = { answerable: [], 'other subjects': [], unanswerable: [] };
    for (const kind of Object.keys(questions) as Kind[])
      for (const question of questions[kind]) kinds[kind].push(await answered(question, mode, { collection, embedder }));
    report(mode, kinds);
  }
} finally {
  await store.close();
  await local.close();
  if (!options.into) rmSync(into, { recursive: true, force: true });
}
