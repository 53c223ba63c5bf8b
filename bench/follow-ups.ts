// How often a question that only makes sense after what was said before finds its passage, as it is and rewritten without a model:
//   node bench/follow-ups.ts [FILE] [--home FOLDER] [--into FOLDER] [--top-k 5] [--mode hybrid,vector,text]
// FILE holds a conversation a line: `history`, `query`, and the `source` and a piece of the text (`answer`) of the passage that is right. The sources lie
// in FOLDER, or beside FILE. The examples' own where FILE is absent; `bench/conversations.jsonl --home .` asks about the documentation of fastify, piscina,
// undici and pino that npm installs. The rows `chat` count answers that quote it. What is ingested lies in a temporary folder; with `--into`, it stays
// in that one and is used again. With `--verbose`, what was missed goes to standard error; `--json` prints what was found of each conversation, and
// `--only-searches` what is searched for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { settle } from '../src/core/run.ts';
import { createEngine } from '../src/engine/engine.ts';
import type { Engine } from '../src/ports/engines.ts';
import { Config, DEFAULTS } from '../src/schema/config.ts';
import type { HistoryEntry } from '../src/schema/items.ts';
import { openQuoteLlm } from '../src/stages/quote/quote-llm.ts';
import { mayStandAlone, withoutConjunction } from '../src/stages/chat/dialogue/resolve-follow-up.ts';
import { fitsAlone } from '../src/stages/retrieve/search.ts';
import { rewrite } from '../src/stages/chat/dialogue/rewrite.ts';
import { jsonLines, markdownTable } from './beir.ts';

interface FollowUp {
  history: HistoryEntry[];
  query: string;
  source: string;
  answer: string;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'top-k': { type: 'string', default: '5' },
    mode: { type: 'string', default: 'hybrid,vector,text' },
    home: { type: 'string' },
    into: { type: 'string' },
    json: { type: 'boolean', default: false },
    'only-searches': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const file = resolve(positionals[0] ?? fileURLToPath(new URL('../examples/follow-ups.jsonl', import.meta.url)));
const top_k = Number(options['top-k']);
const modes = options.mode.split(',') as Config['retrieval']['mode'][];

/** The score from which a passage is about the question, with the bundled model. */
const MIN_SCORE = 0.33;

/** Whether the right passage is among the best of the search that the chat would make: of a question that may stand alone, the better of both. */
async function isFound(
  engine: Engine,
  query: string,
  { mode, wanted }: { mode: Config['retrieval']['mode']; wanted: FollowUp },
): Promise<boolean> {
  const search = async (text: string) => {
    const result = await settle(engine.run('retrieve', { query: text, mode, top_k }));
    if (result.errors[0]) throw new Error(`${text}: ${result.errors[0].error}`);
    return result;
  };
  const carried = await search(query);
  const alone = query !== wanted.query && mayStandAlone(wanted.query) ? await search(withoutConjunction(wanted.query)) : undefined;
  const { items } = alone && fitsAlone(alone, carried, MIN_SCORE) ? alone : carried;
  return items.some(({ text, metadata }) => metadata.source === wanted.source && text.includes(wanted.answer));
}

/** Whether the chat's answer quotes what is right. */
async function isQuoted(engine: Engine, { query, history, answer: wanted }: FollowUp): Promise<boolean> {
  const { answer } = await settle(engine.run('chat', { query, history, query_rewrite: { enabled: history.length > 0 } }));
  return answer.replace(/\s+/g, ' ').includes(wanted);
}

const asked = jsonLines<FollowUp>(file);
const llm = openQuoteLlm();
/** What is searched for instead of each question, and whether the question is also searched for alone. */
const searches = await Promise.all(
  asked.map(async ({ query, history }) => ({
    query: await rewrite(query, { history, llm, timeout: 60 }),
    alone: mayStandAlone(query) && withoutConjunction(query),
  })),
);
if (options['only-searches']) {
  console.log(JSON.stringify(searches));
  process.exit();
}

const into = options.into ?? mkdtempSync(join(tmpdir(), 'kb-bench-'));
const engine = createEngine({
  config: Config.parse({ ...DEFAULTS, storage: { ...DEFAULTS.storage, url: join(into, 'store') } }),
  home: resolve(options.home ?? dirname(file)),
});
try {
  const sources = [...new Set(asked.map(({ source }) => dirname(source)))];
  const { errors } = await settle(engine.run('ingest', { docs: sources }));
  if (errors[0]) throw new Error(errors[0].error);
  const outcomes: Record<string, Record<string, boolean>[]> = { 'as it is': [], rewritten: [] };
  for (const [i, wanted] of asked.entries()) {
    for (const [kind, query] of [['as it is', wanted.query] as const, ['rewritten', searches[i]!.query] as const]) {
      const outcome: Record<string, boolean> = {};
      for (const mode of modes) outcome[mode] = await isFound(engine, query, { mode, wanted });
      outcome['chat'] = await isQuoted(engine, kind === 'rewritten' ? wanted : { ...wanted, history: [] });
      outcomes[kind]!.push(outcome);
      const missed = Object.keys(outcome).filter((mode) => !outcome[mode]);
      if (options.verbose && missed.length > 0) process.stderr.write(`${missed.join(', ')}, ${kind}: ${query} → ${wanted.answer}\n`);
    }
  }
  const rows = [...modes, 'chat'].flatMap((mode) =>
    Object.entries(outcomes).map(([query, ofQueries]) => {
      const hits = ofQueries.filter((outcome) => outcome[mode]).length;
      return { mode, query, conversations: asked.length, [`hits at ${top_k}`]: hits, share: hits / asked.length };
    }),
  );
  console.log(options.json ? JSON.stringify(outcomes['rewritten']) : markdownTable(rows));
} finally {
  await engine.close();
  if (!options.into) rmSync(into, { recursive: true, force: true });
}
