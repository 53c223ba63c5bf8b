// What the HTTP service adds to a search, and whether it can run for long:
//   node bench/server.ts [--files 1667] [--retrievals 1000] [--requests 10000]
// The same questions, eight at once, are put to the engine in this process and then to `kb serve` in its own; the server is then asked on, and its memory
// is read as it goes.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { settle } from '../src/core/run.ts';
import { createEngine } from '../src/engine/engine.ts';
import { DEFAULTS, type Config } from '../src/schema/config.ts';
import { markdownTable, percentile } from './beir.ts';
import { writeManuals } from './manual.ts';
import { inWorkplace, kb } from './process.ts';
import { MODES, questionsOf, residentMegabytes, serving, type Ask } from './serving.ts';

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '1667' },
    retrievals: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '10000' },
  },
});

const AT_ONCE = 8;

/** Milliseconds of each of `count` calls, eight at once. */
async function load(count: number, work: (i: number) => Promise<unknown>): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    for (let i = next++; i < count; i = next++) {
      const start = performance.now();
      await work(i);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { times, seconds: (performance.now() - began) / 1000 };
}

async function measured(who: string, ask: Ask, questions: readonly string[]) {
  const rows: Record<string, string | number>[] = [];
  for (const mode of MODES) {
    for (const question of questions.slice(0, AT_ONCE)) await ask(question, mode); // what is opened by the first is no part of the others
    let found = 0;
    const { times, seconds } = await load(questions.length, async (i) => (found += await ask(questions[i]!, mode)));
    if (found === 0) throw new Error(`${who} found nothing`);
    rows.push({
      who,
      mode,
      retrievals: times.length,
      'p50 ms': percentile(times, 50),
      'p95 ms': percentile(times, 95),
      'per second': times.length / seconds,
    });
  }
  return rows;
}

async function inProcess(home: string, questions: readonly string[]) {
  const config: Config = { ...DEFAULTS, collection: 'bench' };
  const engine = createEngine({ config, home });
  try {
    return await measured('engine', async (query, mode) => (await settle(engine.run('retrieve', { query, mode }))).retrieved, questions);
  } finally {
    await engine.close();
  }
}

/** The memory of the server as requests come in. */
async function endurance(ask: Ask, { pid }: { pid: number }, questions: readonly string[]) {
  const total = Number(options.requests);
  const rows = [{ requests: 0, 'resident MB': residentMegabytes(pid) }];
  for (let done = 0; done < total; done += total / 5) {
    await load(total / 5, (i) => ask(questions[i % questions.length]!, 'hybrid'));
    rows.push({ requests: done + total / 5, 'resident MB': residentMegabytes(pid) });
  }
  return rows;
}

await inWorkplace(async (home) => {
  writeManuals(join(home, 'manuals'), Number(options.files));
  await kb(['ingest', '--docs', 'manuals', '--quiet'], home);
  const questions = questionsOf(Number(options.retrievals));
  const bare = await inProcess(home, questions);
  const { served, held } = await serving(home, async (ask, server) => ({
    served: await measured('kb serve', ask, questions),
    held: await endurance(ask, server, questions),
  }));
  const ratios = served.map((row, i) => ({ ...row, 'p50 (engine = 1)': Number(row['p50 ms']) / Number(bare[i]!['p50 ms']) }));
  console.log(markdownTable([...bare.map((row) => ({ ...row, 'p50 (engine = 1)': 1 })), ...ratios]));
  console.log(`\n${markdownTable(held)}`);
});
