// How long kb takes to start, beside a Node that does nothing:
//   node bench/startup.ts [--rounds 15]
// Each command runs in a process of its own, alternating with `node -e 0`, so that both meet the same machine. The first round warms the disk's cache.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pdfFile } from '../packages/documents/test/support/pdf-file.ts';
import { markdownTable, percentile } from './beir.ts';
import { random, sentence, writeManuals } from './manual.ts';
import { inWorkplace, kb, node } from './process.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
/** Manuals in the collection that is asked. */
const FILES = 5;

const question = sentence(random(1)).slice(0, 80);
const commands: Record<string, string[]> = {
  'kb --help': ['--help'],
  'kb --version': ['--version'],
  'kb collections list': ['collections', 'list'],
  'kb chat': ['chat', 'hi'],
  'kb retrieve': ['retrieve', question, '--json'],
  'kb parse page.pdf': ['parse', 'page.pdf'],
  'kb retrieve --mode text': ['retrieve', question, '--mode', 'text', '--json'],
};

async function measure(command: string, args: readonly string[], cwd: string) {
  const pairs: { bare: number; own: number }[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    const bare = await node(['-e', '0'], cwd);
    const own = await kb(args, cwd);
    if (round > 0) pairs.push({ bare: bare.milliseconds, own: own.milliseconds });
  }
  const median = (of: (pair: { bare: number; own: number }) => number) => percentile(pairs.map(of), 50);
  return {
    command,
    'ms (median)': median(({ own }) => own),
    'node -e 0, ms': median(({ bare }) => bare),
    'times node -e 0 (median of the pairs)': median(({ own, bare }) => own / bare),
  };
}

await inWorkplace(async (cwd) => {
  writeManuals(join(cwd, 'manuals'), FILES);
  writeFileSync(join(cwd, 'page.pdf'), pdfFile([['Plan', 'The pump is checked on Monday.']]));
  await kb(['ingest', '--docs', 'manuals', '--quiet'], cwd);
  const rows = [];
  for (const [command, args] of Object.entries(commands)) {
    process.stderr.write(`start-up: ${command}\n`);
    rows.push(await measure(command, args, cwd));
  }
  console.log(markdownTable(rows));
});
