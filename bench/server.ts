// What the HTTP service adds to a search, and whether it can run for long:
//   node bench/server.ts [--files 1667] [--retrievals 1000] [--requests 10000]
// The same questions, eight at once, are put to the engine in this process and then to `kb serve` in its own; the server is then asked on, and its memory
// is read as it goes.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { settle } from '../src/base/run.ts';
import { createEngine } from '../src/engine/engine.ts';
import { DEFAULTS, type Config } from '../src/schema/config.ts';
import { markdownTable, percentile } from './beir.ts';
import { random, sentence, writeManuals } from './manual.ts';
import { inWorkplace, kb } from './process.ts';

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '1667' },
    retrievals: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '10000' },
  },
});

const AT_ONCE = 8;
const MODES = ['text', 'vector', 'hybrid'] as const;
type Mode = (typeof MODES)[number];
type Ask = (query: string, mode: Mode) => Promise<number>;

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

const questionsOf = (count: number): string[] => {
  const next = random(77);
  return Array.from({ length: count }, () => sentence(next).split(/[,:;]/)[0]!);
};

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

const launcher = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const memory = ({ pid }: ChildProcess): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

async function serving<T>(home: string, work: (ask: Ask, server: ChildProcess) => Promise<T>): Promise<T> {
  const server = spawn(process.execPath, [launcher, 'serve', '--port', '0', '--quiet'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise<string>((done) =>
      server.stdout.setEncoding('utf8').on('data', (text: string) => done(/listening on (\S+)/.exec(text)![1]!)),
    );
    const ask: Ask = async (query, mode) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query, mode }) };
      const answer = await fetch(`${url}/v1/retrieve`, init);
      const { retrieved, failed } = (await answer.json()) as { retrieved: number; failed: number };
      if (answer.status !== 200 || failed > 0) throw new Error(`a retrieval ended with ${answer.status}`);
      return retrieved;
    };
    return await work(ask, server);
  } finally {
    server.kill();
  }
}

/** The memory of the server as requests come in. */
async function endurance(ask: Ask, server: ChildProcess, questions: readonly string[]) {
  const total = Number(options.requests);
  const rows = [{ requests: 0, 'resident MB': memory(server) }];
  for (let done = 0; done < total; done += total / 5) {
    await load(total / 5, (i) => ask(questions[i % questions.length]!, 'hybrid'));
    rows.push({ requests: done + total / 5, 'resident MB': memory(server) });
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
