// Whether the HTTP service stays quick and small while many ask at once:
//   node bench/load.ts [--clients 200] [--seconds 600] [--files 1667] [--mode hybrid] [--new]
// Every client asks its next question as soon as the last one is answered. The clients run in this process, on the same machine.
// Some 900 questions are asked again and again, so that their vectors are known; with --new none is asked twice.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdownTable, percentile } from './beir.ts';
import { writeManuals } from './manual.ts';
import { inWorkplace, kb } from './process.ts';
import { MODES, questionsOf, residentMegabytes, serving, type Ask, type Mode } from './serving.ts';

const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '600' },
    files: { type: 'string', default: '1667' },
    mode: { type: 'string', default: 'hybrid' },
    new: { type: 'boolean', default: false },
  },
});

const chosen = MODES.find((name) => name === options.mode);
if (!chosen) throw new Error(`--mode is one of ${MODES.join(', ')}.`);

/** Stretches of the run that get a row each. */
const ROWS = 10;

interface Load {
  ask: Ask;
  pid: number;
  mode: Mode;
}

function* askedInTurn(questions: readonly string[]): Generator<string, never, void> {
  for (;;) yield* questions;
}

/** The milliseconds of every answer in a stretch of time. */
async function stretch({ ask, mode }: Omit<Load, 'pid'>, seconds: number, questions: Generator<string, never, void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const began = performance.now();
      await ask(questions.next().value, mode);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: Number(options.clients) }, client));
  return times;
}

async function measure({ ask, pid, mode }: Load) {
  const questions = askedInTurn(options.new ? [...new Set(questionsOf(300_000))] : questionsOf(1000));
  for (let i = 0; i < 8; i++) await ask(questions.next().value, mode); // what is opened by the first is no part of the others
  const seconds = Number(options.seconds) / ROWS;
  const rows: Record<string, string | number>[] = [];
  const all: number[] = [];
  for (let row = 1; row <= ROWS; row++) {
    const times = await stretch({ ask, mode }, seconds, questions);
    all.push(...times);
    rows.push({ seconds: Math.round(row * seconds), ...figures(times, seconds), 'resident MB': residentMegabytes(pid) });
  }
  rows.push({ seconds: 'all', ...figures(all, Number(options.seconds)), 'resident MB': residentMegabytes(pid) });
  return rows;
}

const figures = (times: readonly number[], seconds: number) => ({
  answers: times.length,
  'per second': times.length / seconds,
  'p50 ms': percentile(times, 50),
  'p99 ms': percentile(times, 99),
  'most ms': percentile(times, 100),
});

await inWorkplace(async (home) => {
  writeManuals(join(home, 'manuals'), Number(options.files));
  await kb(['ingest', '--docs', 'manuals', '--quiet'], home);
  console.log(markdownTable(await serving(home, (ask, { pid }) => measure({ ask, pid, mode: chosen }))));
});
