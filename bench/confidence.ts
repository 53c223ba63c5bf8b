// How sure the answerer without a model may be, over collections of every size:
//   node bench/confidence.ts [--documents SET] [--manuals FOLDER] [--passages SET] [--others SET]... [--into FOLDER] [--mode hybrid|words] [--from FILE]
// SET of --documents has `docs/` and `questions.jsonl`, with `dev` and other splits; the others are folders in BEIR layout, that of --passages with answers
// and with unanswerable questions; FOLDER holds the manuals that bench/manuals/README.md names. The handbooks of bench/handbooks and the example manuals are always asked. Prints the weights that the questions
// to fit on give, and what comes of all with those that are set. With --into, collections and vectors stay there and are used again; `evidence-MODE.json`
// there may be fitted again without asking: --from.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import type { Embedder } from '../src/ports/models.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import type { ChatResult } from '../src/schema/answers.ts';
import { assessQuality } from '../src/stages/chat/turn.ts';
import { toGrounding } from '../src/stages/chat/cited-sources.ts';
import { judgeAnswer } from '../src/stages/evaluate/judge.ts';
import { chooseQuotations } from '../src/stages/quote/choose-quotations.ts';
import { type Evidence, computeEvidence, GATE_REDUCTION, HIGH_PROBABILITY, judgeEvidence } from '../src/stages/quote/evidence.ts';
import { neighboursOf } from '../src/stages/retrieve/neighbours.ts';
import { MIN_SCORE_BY_WORDS } from '../src/stages/retrieve/similarity.ts';
import { markdownTable } from './beir.ts';
import { found } from './collection.ts';
import { type Case, cases, type Kind, type Places } from './confidence-sets.ts';
import { fitted } from './judging.ts';
import { remembering } from './remembered.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string' },
    manuals: { type: 'string' },
    passages: { type: 'string' },
    others: { type: 'string', multiple: true, default: [] },
    into: { type: 'string' },
    mode: { type: 'string', default: 'hybrid' },
    from: { type: 'string' },
  },
});

/** A question with what was found for it, and whether what would be quoted is right. */
interface Row extends Pick<Case, 'set' | 'part' | 'kind'> {
  query: string;
  passed: boolean;
  right: boolean;
  evidence?: Evidence | undefined;
}

/** What each set counts, whatever its questions; and of it each kind. Questions of SQuAD that only look answerable are hardly told from others, and nobody asks them. */
const WORTH: Readonly<Record<string, number>> = {
  handbooks: 150,
  documents: 250,
  'documents, few files': 150,
  passages: 200,
  'passages, one article': 150,
};
/** What each of the manuals of other projects counts: they are most like what users have. */
const MANUAL_WORTH = 100;
const SHARE: Readonly<Record<Kind, number>> = { answerable: 1, close: 0.4, elsewhere: 0.6 };
const TRICKY = 0.1;

/** Retrieves, gates and chooses as chat does by default, and judges what would be quoted, were it certain. */
async function looked({ set, part, kind, question, collection }: Case, embedder: Embedder | undefined): Promise<Row> {
  const query = question.question!;
  const mode = embedder ? 'hybrid' : 'text';
  const items = await found({ query, mode, top_k: DEFAULTS.retrieval.top_k }, { collection, embedder });
  const min_retrieval_score = embedder ? embedder.min_retrieval_score - GATE_REDUCTION : MIN_SCORE_BY_WORDS;
  const { context, quality } = assessQuality(items, DEFAULTS.chat.retrieval_quality, { min_retrieval_score });
  const sources = toGrounding(context, await neighboursOf(context, collection));
  const { quotations, ranked, compare } = await chooseQuotations(query, { sources, embedder });
  const evidence = await computeEvidence(query, { sources, ranked, compare });
  const answer = quotations.map(({ path, text }) => `**${path}**\n\n${text}`).join('\n\n');
  const result = { answer, sources: [{ cited: true }], answer_confidence: { level: 'high' } } as ChatResult;
  return { set, part, kind, query, passed: quality.status === 'passed', right: judgeAnswer(question, result) === 'right', evidence };
}

/** Figures that are asked for and missing count as much as those that are there: one weight, with both signs. */
const withMissingFigure = <One extends { features: Evidence }>(one: One): One => ({
  ...one,
  features: { ...one.features, figure: one.features.figure - one.features.missingFigure },
});

/** The weights that the questions to fit on give, for whether one is about the collection and for whether its answer is right. */
function weightsOf(rows: readonly Row[]): Record<string, Record<string, number>> {
  const fit = rows.filter(({ part, evidence }) => part === 'fit' && evidence && evidence.missingIdentifier === 0);
  const groups = Map.groupBy(fit, ({ set, kind }) => `${set}/${kind}`);
  const weight = ({ set, kind }: Row) =>
    ((set.startsWith('manual ') ? MANUAL_WORTH : (WORTH[set] ?? 0)) *
      SHARE[kind] *
      (set.startsWith('passages') && kind === 'close' ? TRICKY : 1)) /
    groups.get(`${set}/${kind}`)!.length;
  const observed = (isGood: (row: Row) => boolean) =>
    fit.map((row) => ({ features: row.evidence!, isGood: isGood(row), weight: weight(row) }));
  const right = observed((row) => row.right);
  const both = ['stated', 'retrieved', 'rivals', 'figure', 'listing', 'missingName'] as const;
  if (options.mode === 'words') return { words: fitted<keyof Evidence>(['inSentence', 'identifier', ...both, 'missingCode'], right) };
  const names = ['cosine', 'sentence', 'identifier', ...both] as const;
  return {
    about: fitted<keyof Evidence>(
      [...names, 'missingCode'],
      observed(({ kind }) => kind === 'answerable'),
    ),
    right: fitted<keyof Evidence>([...names, 'elsewhere'], right.map(withMissingFigure)),
  };
}

const share = (rows: readonly Row[], is: (row: Row) => boolean): number | string =>
  rows.length > 0 ? rows.filter(is).length / rows.length : '–';

/** What comes of the questions of a set with the weights and thresholds that are set. */
function outcome(set: string, rows: readonly Row[]): Record<string, number | string> {
  const of = (kind: Kind) => rows.filter((row) => row.kind === kind);
  const isGiven = ({ passed, evidence }: Row) => passed && judgeEvidence(evidence).isAnswer;
  const isHigh = (row: Row) => isGiven(row) && judgeEvidence(row.evidence).probability >= HIGH_PROBABILITY;
  const isRight = ({ right }: Row) => right;
  const answerable = of('answerable');
  return {
    set,
    part: rows[0]!.part,
    answerable: answerable.length,
    right: share(answerable, (row) => isGiven(row) && row.right),
    wrong: share(answerable, (row) => isGiven(row) && !row.right),
    '`high` of the right': share(answerable.filter(isRight), isHigh),
    'right of the `high`': share(answerable.filter(isHigh), isRight),
    'close: declined': share(of('close'), (row) => !isGiven(row)),
    '`high`': share(of('close'), isHigh),
    'elsewhere: declined': share(of('elsewhere'), (row) => !isGiven(row)),
    '`high` ': share(of('elsewhere'), isHigh),
  };
}

async function collected(into: string): Promise<Row[]> {
  const embedder = remembering(await drivers.embedders.local.open(), join(into, 'vectors'));
  const store = await drivers.stores.lancedb.open({ url: into });
  const places: Places = {
    documents: options.documents,
    manuals: options.manuals,
    passages: options.passages,
    others: options.others,
    into,
  };
  const rows: Row[] = [];
  try {
    for await (const one of cases(places, { store, embedder })) {
      rows.push(await looked(one, options.mode === 'words' ? undefined : embedder));
      if (rows.length % 50 === 0) process.stderr.write(`\r${rows.length} questions`);
    }
    writeFileSync(join(into, `evidence-${options.mode}.json`), JSON.stringify(rows));
  } finally {
    await store.close();
    await embedder.close();
  }
  return rows;
}

const into = options.into ?? mkdtempSync(join(tmpdir(), 'kb-bench-'));
try {
  const rows = options.from ? (JSON.parse(readFileSync(options.from, 'utf8')) as Row[]) : await collected(into);
  const sets = Map.groupBy(rows, ({ set, part }) => `${set}, ${part}`);
  console.log(`${JSON.stringify(weightsOf(rows))}\n\n${markdownTable([...sets.values()].map((some) => outcome(some[0]!.set, some)))}`);
} finally {
  if (!options.into) rmSync(into, { recursive: true, force: true });
}
