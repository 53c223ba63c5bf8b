// How a language model answers questions with gold passages, and what kb makes of its answers; without --base-url, how kb quotes without a model:
//   node bench/model-answers.ts SET --into FOLDER [--base-url URL --model NAME] [--split dev] [--most 25] [--out FILE]
// SET has `docs/` and `questions.jsonl` (a question or `turns`, `gold`, `must`, `must_not`, `answerable`). The collection is made in FOLDER, or taken from it.
// --most takes so many questions, spread over the set. FILE gets every question with its answer, as JSON Lines. Counted as right is what the answer says,
// whatever its confidence; `high and right` is the share of right answers among those of level high.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { settle } from '../src/core/run.ts';
import { createEngine } from '../src/engine/engine.ts';
import type { ChatResult } from '../src/schema/answers.ts';
import { Config, DEFAULTS } from '../src/schema/config.ts';
import type { GoldenQuestion } from '../src/schema/evaluation.ts';
import { findGoldRank, judgeAnswer } from '../src/stages/evaluate/judge.ts';
import { jsonLines, markdownTable, mean } from './beir.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'base-url': { type: 'string' },
    model: { type: 'string', default: 'local' },
    into: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    most: { type: 'string', default: 'Infinity' },
    out: { type: 'string' },
  },
});
const [folder = ''] = positionals;

const base_url = values['base-url'];
const llm = base_url ? { provider: 'openai_compatible', model: values.model, timeout: 600, options: { base_url } } : {};
const config = Config.parse({
  ...DEFAULTS,
  collection: 'answers',
  storage: { ...DEFAULTS.storage, url: join(values.into!, 'store') },
  chat: { ...DEFAULTS.chat, llm: { ...DEFAULTS.chat.llm, ...llm } },
});
const engine = createEngine({ config, home: join(folder, 'docs') });

/** What became of a question. */
interface Row {
  answerable: boolean;
  verdict: string | undefined;
  level: string;
  isEmpty: boolean;
  /** Whether a source that the answer cites is a gold file. */
  citesGold: boolean;
  result: ChatResult;
  seconds: number;
}

function rowOf(question: GoldenQuestion, result: ChatResult, seconds: number): Row {
  const { answer, sources, answer_confidence } = result;
  const { level } = answer_confidence;
  const isDeclined = level === 'none';
  const judged: ChatResult = { ...result, answer_confidence: { ...answer_confidence, level: 'high' } };
  const files = (question.gold ?? []).map(({ source, file }) => ({ source, file }));
  const cited = sources.filter((source) => source.cited).map((source) => ({ ...source, chunk_id: source.id }));
  return {
    answerable: question.answerable ?? true,
    verdict: isDeclined ? 'declined' : judgeAnswer(question, judged),
    level,
    isEmpty: !/[\p{L}\p{N}]/u.test(answer.replace(/\[\d+\]/g, '')),
    citesGold: (findGoldRank({ ...question, gold: files }, cited) ?? 0) > 0,
    result,
    seconds,
  };
}

/** Asks a question, or the turns of a conversation, of which the last one counts. */
async function ask({ question, turns = [question!] }: GoldenQuestion): Promise<{ result: ChatResult; seconds: number }> {
  let history: ChatResult['history'] = [];
  for (const [i, query] of turns.entries()) {
    const began = performance.now();
    const result = await settle(engine.run('chat', { query, history, query_rewrite: { enabled: i > 0 } }));
    if (i === turns.length - 1) return { result, seconds: (performance.now() - began) / 1000 };
    ({ history } = result);
  }
  throw new Error('A question without turns.');
}

const percent = (rows: readonly Row[], is: (row: Row) => boolean): string =>
  rows.length === 0 ? '–' : `${Math.round((100 * rows.filter(is).length) / rows.length)}% of ${rows.length}`;

function figures(rows: readonly Row[]): Record<string, string | number> {
  const answerable = rows.filter((row) => row.answerable);
  const right = answerable.filter(({ verdict }) => verdict === 'right');
  const count = (verdict: string) => answerable.filter((row) => row.verdict === verdict).length;
  return {
    answerable: answerable.length,
    right: right.length,
    partly: count('partly'),
    wrong: count('wrong'),
    declined: count('declined'),
    empty: rows.filter(({ isEmpty }) => isEmpty).length,
    'others declined': percent(
      rows.filter((row) => !row.answerable),
      ({ level }) => level !== 'high',
    ),
    'right and cites gold': percent(right, ({ citesGold }) => citesGold),
    'high and right': percent(
      rows.filter(({ level }) => level === 'high'),
      ({ verdict }) => verdict === 'right',
    ),
    'right and high': percent(right, ({ level }) => level === 'high'),
    'prompt tokens': Math.round(mean(rows.map(({ result }) => result.llm.input_tokens ?? 0))),
    seconds: mean(rows.map(({ seconds }) => seconds)),
  };
}

try {
  const questions = jsonLines<GoldenQuestion>(join(folder, 'questions.jsonl')).filter(({ split }) => split === values.split);
  const interval = Math.max(1, questions.length / Number(values.most));
  const rows: Row[] = [];
  await settle(engine.run('ingest', { docs: { folder: '.' } }));
  for (let at = 0; at < questions.length; at += interval) {
    const question = questions[Math.floor(at)]!;
    const { result, seconds } = await ask(question);
    const row = rowOf(question, result, seconds);
    rows.push(row);
    const { answer, unsupported, sources, errors, llm: used } = result;
    const told = {
      ...question,
      ...row,
      answer,
      unsupported,
      llm: used,
      errors: errors.map(({ error }) => error),
      result: undefined,
      sources,
    };
    if (values.out) appendFileSync(values.out, `${JSON.stringify(told)}\n`);
    process.stderr.write(`\r${rows.length} asked`);
  }
  console.log(`\n${markdownTable([{ model: base_url ? values.model : 'none', split: values.split, ...figures(rows) }])}`);
} finally {
  await engine.close();
}
