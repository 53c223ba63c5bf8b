// How often a question that only makes sense after what was said before finds its passage, as it is and rewritten without a model:
//   node bench/follow-ups.ts [FILE] [--top-k 5] [--mode hybrid,vector,text]
// FILE holds a conversation a line: `history`, `query`, and the `source` and a piece of the text (`answer`) of the passage that is right; it lies beside the
// sources. The examples' own where it is absent. With `--verbose`, what was missed goes to standard error.
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
    verbose: { type: 'boolean', default: false },
  },
});
const file = resolve(positionals[0] ?? fileURLToPath(new URL('../examples/follow-ups.jsonl', import.meta.url)));
const top_k = Number(options['top-k']);
type Mode = Config['retrieval']['mode'];

/** The score from which a passage is about the question, with the bundled model. */
const LEAST_SCORE = 0.33;

/** Whether the right passage is among the best of the search that the chat would make: of a question that may stand alone, the better of both. */
async function isFound(engine: Engine, query: string, { mode, wanted }: { mode: Mode; wanted: FollowUp }): Promise<boolean> {
  const search = async (text: string) => {
    const result = await settle(engine.run('retrieve', { query: text, mode, top_k }));
    if (result.errors[0]) throw new Error(`${text}: ${result.errors[0].error}`);
    return result;
  };
  const carried = await search(query);
  const alone = query !== wanted.query && mayStandAlone(wanted.query) ? await search(withoutConjunction(wanted.query)) : undefined;
  const { items } = alone && fitsAlone(alone, carried, LEAST_SCORE) ? alone : carried;
  return items.some(({ text, metadata }) => metadata.source === wanted.source && text.includes(wanted.answer));
}

const home = mkdtempSync(join(tmpdir(), 'kb-bench-'));
const engine = createEngine({
  config: Config.parse({ ...DEFAULTS, storage: { ...DEFAULTS.storage, url: join(home, 'store') } }),
  home: dirname(file),
});
try {
  const asked = jsonLines<FollowUp>(file);
  const sources = [...new Set(asked.map(({ source }) => dirname(source)))];
  await settle(engine.run('ingest', { docs: sources }));
  const llm = openQuoteLlm();
  const queries = await Promise.all(
    asked.map(async ({ query, history }) => ({ 'as it is': query, rewritten: await rewrite(query, { history, llm, timeout: 60 }) })),
  );
  const rows = [];
  for (const mode of options.mode.split(',') as Mode[]) {
    for (const kind of ['as it is', 'rewritten'] as const) {
      let hits = 0;
      for (const [i, wanted] of asked.entries()) {
        const query = queries[i]![kind];
        const found = await isFound(engine, query, { mode, wanted });
        if (found) hits++;
        else if (options.verbose) process.stderr.write(`${mode}, ${kind}: ${query} → ${wanted.answer}\n`);
      }
      rows.push({ mode, query: kind, conversations: asked.length, [`hits at ${top_k}`]: hits, share: hits / asked.length });
    }
  }
  console.log(markdownTable(rows));
} finally {
  await engine.close();
  rmSync(home, { recursive: true, force: true });
}
