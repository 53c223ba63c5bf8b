// How many questions about real documentation the answerer without a model answers rightly, and with how many words, by split, as JSON:
//   node bench/quoting.ts SET --into FOLDER [--manuals FOLDER]
// SET has `docs/` and `questions.jsonl`; --manuals holds manuals of other projects (bench/manuals), those that are there are the split `manuals`. FOLDER is that of bench/confidence.ts: the collection is made there, or taken from it, and so are vectors.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { drivers } from '../src/drivers/registry.ts';
import { type Embedder, NO_ANSWER_MARKER } from '../src/ports/models.ts';
import type { Collection, VectorStore } from '../src/ports/stores.ts';
import type { ChatResult } from '../src/schema/answers.ts';
import { DEFAULTS } from '../src/schema/config.ts';
import type { GoldenQuestion } from '../src/schema/evaluation.ts';
import { assessQuality } from '../src/stages/chat/turn.ts';
import { toGrounding } from '../src/stages/chat/cited-sources.ts';
import { judgeAnswer } from '../src/stages/evaluate/judge.ts';
import { GATE_REDUCTION } from '../src/stages/quote/evidence.ts';
import { openQuoteLlm } from '../src/stages/quote/quote-llm.ts';
import { neighboursOf } from '../src/stages/retrieve/neighbours.ts';
import { jsonLines, mean } from './beir.ts';
import { found } from './collection.ts';
import { collectionOfFiles } from './confidence-sets.ts';
import { remembering } from './remembered.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' }, manuals: { type: 'string' } } });
const [folder = ''] = positionals;
const into = values.into!;

/** What an answer is worth, and its words. */
interface Outcome {
  split: string;
  verdict: string | undefined;
  words: number;
}

const countWords = (text: string): number => text.replaceAll(/\s*\[\d+\]/g, '').split(/\s+/).filter(Boolean).length; // prettier-ignore

/** As the set counts. */
function outcomeOf(question: GoldenQuestion, text: string): Outcome {
  const declined = text === '' || text.startsWith(NO_ANSWER_MARKER);
  const result = { answer: declined ? '' : text, sources: [{ cited: !declined }], answer_confidence: { level: 'high' } } as ChatResult;
  return { split: question.split ?? '', verdict: judgeAnswer(question, result), words: declined ? 0 : countWords(text) };
}

/** The same of a text of any length. */
function outcomeWhole(question: GoldenQuestion, text: string): Outcome {
  const result = { answer: text, sources: [{ cited: true }], answer_confidence: { level: 'high' } } as ChatResult;
  const holds = (group: (string | number)[]) => judgeAnswer({ ...question, must: [group] }, result) !== 'wrong';
  return { split: question.split ?? '', verdict: question.must?.every(holds) ? 'right' : 'wrong', words: countWords(text) };
}

async function quoted(query: string, { collection, embedder }: { collection: Collection; embedder: Embedder }) {
  const items = await found({ query, mode: 'hybrid', top_k: DEFAULTS.retrieval.top_k }, { collection, embedder });
  const { context, quality } = assessQuality(items, DEFAULTS.chat.retrieval_quality, {
    min_retrieval_score: embedder.min_retrieval_score - GATE_REDUCTION,
  });
  const request = { grounding: { query, sources: toGrounding(context, await neighboursOf(context, collection)) } };
  const pieces: string[] = [];
  if (quality.status === 'passed')
    for await (const piece of openQuoteLlm({ embedder }).generate({ messages: [], ...request, max_tokens: 1024, timeout: 60 }))
      pieces.push(piece);
  return { text: pieces.join(''), context: items };
}

/** Of the answerable: right, wrong, declined; the words of what is answered. Of the others: answered. */
function figures(rows: readonly { outcome: Outcome; answerable: boolean }[]): Record<string, number> {
  const answerable = rows.filter((row) => row.answerable).map((row) => row.outcome);
  const count = (verdict: string) => answerable.filter((one) => one.verdict === verdict).length;
  return {
    answerable: answerable.length,
    right: count('right'),
    partly: count('partly'),
    wrong: count('wrong'),
    declined: count('declined'),
    words: mean(answerable.filter(({ words }) => words > 0).map(({ words }) => words)),
    answered: rows.filter((row) => !row.answerable && row.outcome.verdict === 'wrong').length,
  };
}

/** The questions about the set and the manuals that are there, with what they are put to. */
async function asked(store: VectorStore): Promise<{ question: GoldenQuestion; collection: Collection }[]> {
  const of = (file: string, split?: string) =>
    jsonLines<GoldenQuestion>(file).flatMap((question) => (question.turns ? [] : [split ? { ...question, split } : question]));
  const documents = await collectionOfFiles(join(folder, 'docs'), 'documents', { into, store });
  const all = of(join(folder, 'questions.jsonl')).map((question) => ({ question, collection: documents }));
  if (!values.manuals) return all;
  const here = join(import.meta.dirname, 'manuals');
  const names = readdirSync(here).map((file) => basename(file, '.jsonl'));
  for (const name of names.filter((one) => existsSync(join(values.manuals!, one)))) {
    const collection = await collectionOfFiles(join(values.manuals, name), name, { into, store });
    all.push(...of(join(here, `${name}.jsonl`), 'manuals').map((question) => ({ question, collection })));
  }
  return all;
}

const embedder = remembering(await drivers.embedders.local.open(), join(into, 'vectors'));
const store = await drivers.stores.lancedb.open({ url: into });
try {
  const questions = await asked(store);
  const kinds = { quoted: [], 'the best passage whole': [], 'the two best whole': [] } as Record<
    string,
    { outcome: Outcome; answerable: boolean }[]
  >;
  for (const { question, collection } of questions) {
    const { text, context } = await quoted(question.question!, { collection, embedder });
    const whole = (most: number) => context.slice(0, most).map((item) => item.text).join('\n\n'); // prettier-ignore
    const outcomes = {
      quoted: outcomeOf(question, text),
      'the best passage whole': outcomeWhole(question, whole(1)),
      'the two best whole': outcomeWhole(question, whole(2)),
    };
    for (const [kind, outcome] of Object.entries(outcomes)) kinds[kind]!.push({ outcome, answerable: question.answerable !== false });
  }
  const bySplit = (rows: (typeof kinds)[string]) =>
    Object.fromEntries([...Map.groupBy(rows, (row) => row.outcome.split)].map(([split, some]) => [split, figures(some)]));
  console.log(JSON.stringify(Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, bySplit(rows)]))));
} finally {
  await store.close();
  await embedder.close();
}
